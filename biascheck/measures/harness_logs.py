"""Logs of lm-evaluation-harness and Inspect as recorded answers, which can be measured, gated and compared."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, ZipInfo

from biascheck.core.errors import BiascheckError, CorpusError
from biascheck.corpora.bbq import Question
from biascheck.corpora.crows_pairs import SentencePreference
from biascheck.corpora.items import ItemSet
from biascheck.corpora.published import json_lines, text_of
from biascheck.measures.answers import LETTERS, UNDECIDED, UNPARSED, parsed_answer
from biascheck.models.wrappers import RecordedScores

# Logs of lm-evaluation-harness as recorded answers, measured without a model. It writes one line for each item with
# ``--log_samples``.

LogScores = dict[str, float | str]


def lm_eval_answers(
    path: str | Path, items: ItemSet[SentencePreference] | ItemSet[Question], *, name: str = ""
) -> RecordedScores:
    """A sample file of lm-evaluation-harness (``samples_crows_pairs_….jsonl``, ``samples_bbq_….jsonl``).

    A line belongs to the item with the same two sentences, or with the same context and question and the same options.
    The harness asks about several wordings of "unknown": choosing any of them counts as the item's own. An item without
    a line is skipped with that reason; a line without an item is ignored.
    """
    file = Path(path)
    rows = json_lines(file)
    if not rows or not {"doc", "filtered_resps"} <= set(rows[0]):
        raise CorpusError(f"{file} is not a sample file of lm-evaluation-harness: run it with --log_samples")
    first = items.items[0]
    found = _pairs(rows, items) if isinstance(first, SentencePreference) else _questions(rows, items)
    return recorded_log(file, found, name or file.stem)


def recorded_log(file: Path, found: LogScores, name: str) -> RecordedScores:
    """The answers that a log has to known items; an error for a log without any."""
    if not found:
        raise CorpusError(f"{file}: no line belongs to these items; is it the same data set?")
    return RecordedScores(name, found, about={"architecture": f"recorded answers of {file.name}"})


def _pairs(rows: Sequence[Mapping[str, Any]], items: ItemSet[Any]) -> LogScores:
    known = {(plain(item.more), plain(item.less)): item.id for item in items}
    found: LogScores = {}
    for row in rows:
        doc = row["doc"]
        id_ = known.get((plain(str(doc.get("sent_more", ""))), plain(str(doc.get("sent_less", "")))))
        if id_ is not None:
            more, less = _log_probabilities(row)[:2]
            found |= {f"{id_}/more": more, f"{id_}/less": less}
    return found


def _questions(rows: Sequence[Mapping[str, Any]], items: ItemSet[Any]) -> LogScores:
    known_by = by_options(items)
    found: LogScores = {}
    for row in rows:
        doc = row["doc"]
        options = frozenset(plain(str(doc.get(f"ans{place}", ""))) for place in range(3))
        asked = (plain(str(doc.get("context", ""))), plain(str(doc.get("question", ""))))
        for item in known_by.get(options, ()):
            if asked == (plain(item.context), plain(item.question)):
                found[item.id] = _answered(row, item)
    return found


def _answered(row: Mapping[str, Any], item: Question) -> float | str:
    given = row["filtered_resps"]
    if given and isinstance(given[0], str):
        return parsed_answer(given[0], item.options)
    scores, texts = _log_probabilities(row), list(_continuations(row))
    if len(texts) != len(scores):
        return UNPARSED
    top = max(scores)
    chosen = {option_of(text, item) for text, score in zip(texts, scores, strict=True) if score == top}
    return float(chosen.pop()) if len(chosen) == 1 else UNDECIDED


def option_of(text: str, item: Question) -> int:
    """The option of a continuation; a wording that matches none is one of "unknown"."""
    bare = [plain(option) for option in item.options]
    return bare.index(plain(text)) if plain(text) in bare else item.unknown


def _log_probabilities(row: Mapping[str, Any]) -> list[float]:
    return [float(one[0]) for one in row["filtered_resps"]]


def _continuations(row: Mapping[str, Any]) -> Iterator[str]:
    """The texts that were scored: a list of (context, continuation), or a dict of them in newer versions."""
    arguments = row.get("arguments", ())
    for one in arguments.values() if isinstance(arguments, dict) else arguments:
        yield str(one["arg_1"] if isinstance(one, dict) else one[1])


def by_options(items: ItemSet[Any]) -> dict[frozenset[str], list[Question]]:
    """Questions by the texts of their options, in any order."""
    found: dict[frozenset[str], list[Question]] = {}
    for item in items:
        found.setdefault(frozenset(map(plain, item.options)), []).append(item)
    return found


def plain(text: str) -> str:
    """A text normalised for comparison: lower case, single spaces, no final full stop."""
    return " ".join(text.lower().strip().removesuffix(".").split())


# Logs of Inspect as recorded answers, measured without a model.
#
# inspect writes a run as one JSON file, or as an archive (``.eval``) with a JSON file for every sample.

ZSTANDARD = 93
ANSWER_LINE = re.compile(r"^\W*ANSWER\s*:\W*([A-C])\b", re.IGNORECASE | re.MULTILINE)
"""The line that Inspect requests from a model, after any reasoning."""
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
        raise CorpusError(f"{file} is not a log of inspect with samples ({error!r}); write it as .json") from None


def _archived(file: Path) -> tuple[str, Sequence[Mapping[str, Any]]]:
    """The model and the samples of an archive."""
    try:
        with ZipFile(file) as archive:
            samples = [one for one in archive.infolist() if one.filename.startswith("samples/")]
            head = json.loads(_content(archive, archive.getinfo("header.json")))
            return str(head["eval"]["model"]), [json.loads(_content(archive, one)) for one in samples]
    except (OSError, BadZipFile, ValueError, KeyError, TypeError, struct.error) as error:
        raise CorpusError(
            f"{file} is not a finished log of inspect ({error!r}); let the run end, or convert it: "
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
    after = sum(LOCAL_HEADER.unpack(archive.fp.read(LOCAL_HEADER.size)))  # the name and the extra field
    archive.fp.seek(one.header_offset + LOCAL_HEADER.size + after)
    content: bytes = zstandard.ZstdDecompressor().decompressobj().decompress(archive.fp.read(one.compress_size))
    return content


def _question_of(sample: Mapping[str, Any], known_by: Mapping[frozenset[str], Sequence[Question]]) -> Question | None:
    text = _input_text(sample.get("input", ""))
    known = known_by.get(frozenset(map(plain, _choices(sample))), ())
    fits = [one for one in known if one.context in text and one.question in text]
    # the disambiguated context begins with the ambiguous one
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
