"""Logs of inspect as recorded answers, so that they get intervals, gates and a baseline without a model.

inspect writes a run as one JSON file, or as an archive (``.eval``) with a JSON file for every sample.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, ZipInfo

from biascheck.corpora.datasets.benchmarks.item_set import ItemSet
from biascheck.corpora.datasets.benchmarks.published_text import text_of
from biascheck.corpora.datasets.benchmarks.questions import Question
from biascheck.errors import BiascheckError, CorpusError
from biascheck.measures.benchmarks.answer_parsing import LETTERS, parsed_answer
from biascheck.measures.benchmarks.harness_logs import LogScores, by_options, option_of, plain, recorded_log
from biascheck.models.adapters.recorded import RecordedScores

__all__ = ["inspect_answers"]

ZSTANDARD = 93
ANSWER_LINE = re.compile(r"^\W*ANSWER\s*:\W*([A-C])\b", re.IGNORECASE | re.MULTILINE)
"""The line that inspect asks a model for, after whatever it thought before."""
LOCAL_HEADER = struct.Struct("<26xHH")


def inspect_answers(path: str | Path, questions: ItemSet[Question], *, name: str = "") -> RecordedScores:
    """A log of inspect (``.json`` or ``.eval``) for a task of multiple choice, such as its BBQ.

    A sample belongs to the question whose context and question are in its input and whose options are its choices. The
    answer is the letter that the scorer read, else what the model wrote. Of several epochs the first counts.
    """
    file = Path(path)
    model, samples = _archived(file) if file.suffix == ".eval" else _written(file)
    known_by = by_options(questions)
    found: LogScores = {}
    for sample in samples:
        item = _question_of(sample, known_by)
        if item is not None:
            found.setdefault(item.id, _inspected(sample, _choices(sample), item))
    return recorded_log(file, found, name or model or file.stem)


def _written(file: Path) -> tuple[str, Sequence[Mapping[str, Any]]]:
    """The model and the samples of a log in one file."""
    try:
        log = json.loads(text_of(file))
        return str(log.get("eval", {}).get("model", "")), log["samples"]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CorpusError(f"{file} is no log of inspect with samples ({error!r}); write it as .json") from None


def _archived(file: Path) -> tuple[str, Sequence[Mapping[str, Any]]]:
    """The model and the samples of an archive."""
    try:
        with ZipFile(file) as archive:
            samples = [one for one in archive.infolist() if one.filename.startswith("samples/")]
            head = json.loads(_content(archive, archive.getinfo("header.json")))
            return str(head["eval"]["model"]), [json.loads(_content(archive, one)) for one in samples]
    except (OSError, BadZipFile, ValueError, KeyError, TypeError, struct.error) as error:
        raise CorpusError(
            f"{file} is no finished log of inspect ({error!r}); let the run end, or convert it: "
            "inspect log convert --to json"
        ) from None


def _content(archive: ZipFile, one: ZipInfo) -> bytes:
    """A file of the archive; inspect packs with Zstandard, which Python reads from 3.14 on and by a package before."""
    if one.compress_type != ZSTANDARD:
        return archive.read(one)
    try:
        return archive.read(one)
    except NotImplementedError:
        return _unpacked(archive, one)


def _unpacked(archive: ZipFile, one: ZipInfo) -> bytes:
    try:
        import zstandard
    except ImportError:
        raise BiascheckError(
            f"{archive.filename} is packed with Zstandard; pip install zstandard, or write it as JSON: "
            "inspect log convert --to json"
        ) from None
    assert archive.fp is not None
    archive.fp.seek(one.header_offset)
    after = sum(LOCAL_HEADER.unpack(archive.fp.read(LOCAL_HEADER.size)))  # the name, and what is added to it
    archive.fp.seek(one.header_offset + LOCAL_HEADER.size + after)
    content: bytes = zstandard.ZstdDecompressor().decompressobj().decompress(archive.fp.read(one.compress_size))
    return content


def _question_of(sample: Mapping[str, Any], known_by: Mapping[frozenset[str], Sequence[Question]]) -> Question | None:
    text = _input_text(sample.get("input", ""))
    known = known_by.get(frozenset(map(plain, _choices(sample))), ())
    fits = [one for one in known if one.context in text and one.question in text]
    # the context that tells the answer begins with the one that does not
    return max(fits, key=lambda one: len(one.context), default=None)


def _choices(sample: Mapping[str, Any]) -> list[str]:
    return [str(choice) for choice in sample.get("choices") or ()]


def _inspected(sample: Mapping[str, Any], choices: Sequence[str], item: Question) -> float | str:
    written = str((sample.get("output") or {}).get("completion") or "")
    read = [str(score.get("answer") or "").strip() for score in (sample.get("scores") or {}).values()]
    for letter in (*read, *ANSWER_LINE.findall(written)[-1:]):
        place = LETTERS.index(letter.upper()) if letter.upper() in LETTERS else len(choices)
        if place < len(choices):
            return float(option_of(choices[place], item))
    meant = parsed_answer(written, choices)
    return meant if isinstance(meant, str) else float(option_of(choices[meant], item))


def _input_text(given: Any) -> str:
    if isinstance(given, str):
        return given
    return "\n".join(str(message.get("content", "")) for message in given if isinstance(message, dict))
