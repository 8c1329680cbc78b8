"""Logs of lm-evaluation-harness and Inspect as recorded answers: they get intervals, gates and a baseline.

A log is the record of one run. Two answers to one question that differ are refused with both places, and so is a run
that did not end: whichever answer were taken, the figure would be one of no run at all.
"""

from __future__ import annotations

import lzma
import math
import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar
from zipfile import BadZipFile, ZipFile, ZipInfo

import msgspec

from biascheck.core.errors import CorpusError
from biascheck.core.release import require
from biascheck.core.wording import escape_control, shortened
from biascheck.corpora.bbq import Question
from biascheck.corpora.crows_pairs import SentencePreference
from biascheck.corpora.items import ItemSet
from biascheck.corpora.published import numbered_json_lines, parsed_json, text_of
from biascheck.measures.answers import LETTERS, UNDECIDED, UNPARSED, parsed_answer
from biascheck.models.wrappers import RecordedScores

LogScores = dict[str, float | str]
Shape = TypeVar("Shape")


def recorded_log(file: Path, found: LogScores, name: str) -> RecordedScores:
    """The answers that a log has to known items; an error for a log without any."""
    if not found:
        raise CorpusError(f"{file}: no line belongs to these items; is it the same data set?")
    return RecordedScores(name, found, about={"architecture": f"recorded answers of {file.name}"})


def plain(text: str) -> str:
    """A text as it is compared: lower case, single spaces, no final full stop."""
    return " ".join(text.lower().strip().removesuffix(".").split())


def option_of(text: str, item: Question) -> int:
    """The option of a continuation; a wording that matches none is one of "unknown"."""
    bare = [plain(option) for option in item.options]
    return bare.index(plain(text)) if plain(text) in bare else item.unknown


def _converted(value: object, shape: type[Shape], where: str, remedy: str) -> Shape:
    """A value of a log as a Struct; what it lacks, or has as another type, is named by its path."""
    try:
        return msgspec.convert(value, shape)
    except (msgspec.ValidationError, ValueError, RecursionError) as error:
        raise CorpusError(f"{where}: {escape_control(str(error))}; {remedy}") from None


# The answers of a log by the item that they belong to: every item gets one, and every answer counts.

Answer = tuple[float | str, ...]
NEAR = 1e-3
"""Scores of one text that differ by less come from another batch, not from another run."""


@dataclass
class _Given:
    """One answer of a log: where it stands, the log's own id of the question, and what was answered."""

    where: str
    id: str
    answer: Answer


@dataclass
class _Asked:
    """The items that share one text, and the answers to that text."""

    items: list[str] = field(default_factory=list)
    given: list[_Given] = field(default_factory=list)

    def answers(self, file: Path) -> Iterator[tuple[str, Answer]]:
        """Each item with its answer: by the log's ids, of which the first belongs to the first item."""
        by_id: dict[str, _Given] = {}
        for one in self.given:
            before = by_id.setdefault(one.id or one.where, one)
            _refuse_another(file, before, one)
        listed = list(by_id.values())
        for extra in listed[len(self.items) :]:
            _refuse_another(file, listed[0], extra)
        for item, one in zip(self.items, listed, strict=False):
            yield item, one.answer


def _refuse_another(file: Path, before: _Given, one: _Given) -> None:
    if before is not one and not _alike(before.answer, one.answer):
        raise CorpusError(
            f"{file}: {before.where} and {one.where} answer the same question differently ({_shown(before.answer)}; "
            f"{_shown(one.answer)}), as two runs in one log do; give the log of one run"
        )


def _alike(one: Answer, other: Answer) -> bool:
    if len(one) != len(other):
        return False
    return all(
        a == b or (isinstance(a, float) and isinstance(b, float) and math.isclose(a, b, rel_tol=NEAR, abs_tol=NEAR))
        for a, b in zip(one, other, strict=True)
    )


def _shown(answer: Answer) -> str:
    said = (f"{value:.6g}" if isinstance(value, float) else value for value in answer)
    return shortened(escape_control(", ".join(said)), 80)


QuestionKey = tuple[str, str, frozenset[str]]


class _Questions:
    """Questions by their texts, and the answers that a log has to each; ``first`` is the first with some texts."""

    def __init__(self, items: ItemSet[Any]) -> None:
        self.first: dict[QuestionKey, Question] = {}
        self._asked: dict[QuestionKey, _Asked] = {}
        self._by_id = {item.id: item for item in items}
        for item in items:
            self.first.setdefault(_key(item), item)
            self._asked.setdefault(_key(item), _Asked()).items.append(item.id)

    def answer(self, item: Question, given: _Given) -> None:
        """Note an answer to the questions that have the texts of this one."""
        self._asked[_key(item)].given.append(given)

    def answers(self, file: Path) -> LogScores:
        """Each question with its answer: a place in the order of its own options, or why there is none."""
        found: LogScores = {}
        for key, asked in self._asked.items():
            for id_, (answer,) in asked.answers(file):
                told = isinstance(answer, str)
                found[id_] = answer if told else self._in_order_of(self._by_id[id_], key, int(answer))
        return found

    def _in_order_of(self, item: Question, key: QuestionKey, place: int) -> float:
        return float(option_of(self.first[key].options[place], item))


def _key(item: Question) -> QuestionKey:
    return plain(item.context), plain(item.question), frozenset(map(plain, item.options))


# Logs of lm-evaluation-harness, which writes one line for each item with ``--log_samples``.

LOG_SAMPLES = "run lm_eval again with --log_samples"


class LmEvalSample(msgspec.Struct):
    """What is read of one line."""

    doc: dict[str, Any]
    filtered_resps: list[Any]
    arguments: dict[str, Any] | list[Any] = []
    doc_id: int | str | None = None
    filter: str = ""


@dataclass(frozen=True)
class _Line:
    """A line of the file as it was read."""

    where: str
    sample: LmEvalSample

    def text(self, name: str) -> str:
        """A field of the document, as it is compared; empty where there is none."""
        return plain(str(self.sample.doc.get(name, "")))

    def given(self, answer: Answer) -> _Given:
        """The answer with its place."""
        doc = self.sample.doc_id
        return _Given(self.where, "" if doc is None else f"{doc}", answer)

    def refused(self, problem: str) -> CorpusError:
        """The error about this line."""
        return CorpusError(f"{self.where}: filtered_resps {problem}; {LOG_SAMPLES}")


def lm_eval_answers(
    path: str | Path, items: ItemSet[SentencePreference] | ItemSet[Question], *, name: str = ""
) -> RecordedScores:
    """A sample file of lm-evaluation-harness (``samples_crows_pairs_….jsonl``, ``samples_bbq_….jsonl``).

    A line belongs to the item with the same two sentences, or with the same context and question and the same options;
    of several items with the same texts, each has a line with a ``doc_id`` of its own. The harness asks about several
    wordings of "unknown": the one that is chosen means the item's own. An item without a line is skipped with that
    reason; a line without an item is ignored. Two lines that answer one question differently are refused.
    """
    file = Path(path)
    lines = _lines(file)
    first = items.items[0]
    found = _pairs(file, lines, items) if isinstance(first, SentencePreference) else _questions(file, lines, items)
    return recorded_log(file, found, name or file.stem)


def _lines(file: Path) -> list[_Line]:
    rows = numbered_json_lines(file)
    if not rows or not {"doc", "filtered_resps"} <= set(rows[0][1]):
        raise CorpusError(f"{file} is no sample file of lm-evaluation-harness: run it with --log_samples")
    places = [(f"{file.name}, line {number}", row) for number, row in rows]
    return [_Line(where, _converted(row, LmEvalSample, where, LOG_SAMPLES)) for where, row in places]


def _pairs(file: Path, lines: Sequence[_Line], items: ItemSet[Any]) -> LogScores:
    asked: dict[tuple[str, str], _Asked] = {}
    for item in items:
        asked.setdefault((plain(item.more), plain(item.less)), _Asked()).items.append(item.id)
    for line in lines:
        one = asked.get((line.text("sent_more"), line.text("sent_less")))
        if one is not None:
            scores = _log_probabilities(line)
            if len(scores) != 2:
                raise line.refused(f"has {len(scores)} scores for two sentences")
            one.given.append(line.given(tuple(scores)))
    found: LogScores = {}
    for one in asked.values():
        for id_, (more, less) in one.answers(file):
            found |= {f"{id_}/more": more, f"{id_}/less": less}
    return found


def _questions(file: Path, lines: Sequence[_Line], items: ItemSet[Any]) -> LogScores:
    asked = _Questions(items)
    for line in lines:
        options = frozenset(line.text(f"ans{place}") for place in range(3))
        item = asked.first.get((line.text("context"), line.text("question"), options))
        if item is not None:
            asked.answer(item, line.given((_chosen(line, item),)))
    return asked.answers(file)


def _chosen(line: _Line, item: Question) -> float | str:
    given = line.sample.filtered_resps
    if given and isinstance(given[0], str):
        meant = parsed_answer(given[0], item.options)
        return meant if isinstance(meant, str) else float(meant)
    scores, texts = _log_probabilities(line), _continuations(line)
    if len(texts) != len(scores) or not scores:
        return UNPARSED
    top = max(scores)
    chosen = {option_of(text, item) for text, score in zip(texts, scores, strict=True) if score == top}
    return float(chosen.pop()) if len(chosen) == 1 else UNDECIDED


def _log_probabilities(line: _Line) -> list[float]:
    """The first number of every response, which newer versions write as a text."""
    found = []
    for place, one in enumerate(line.sample.filtered_resps):
        value = _number(one[0]) if isinstance(one, list) and one else None
        if value is None:
            raise line.refused(
                f"[{place}] is {shortened(escape_control(repr(one)), 40)}, not [log-probability, greedy]"
            )
        found.append(value)
    return found


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _continuations(line: _Line) -> list[str]:
    """The texts that were scored: a list of (context, continuation), or a dict of them in newer versions."""
    listed = line.sample.arguments
    found = []
    for place, one in enumerate(listed.values() if isinstance(listed, dict) else listed):
        text = one.get("arg_1") if isinstance(one, dict) else one[1] if isinstance(one, list) and len(one) > 1 else None
        if not isinstance(text, str):
            raise CorpusError(f"{line.where}: arguments[{place}] has no text that was scored; {LOG_SAMPLES}")
        found.append(text)
    return found


# Logs of inspect, which writes a run as one JSON file, or as an archive (``.eval``) with a JSON file for every sample.

ZSTANDARD = 93
ANSWER_LINE = re.compile(r"^\W*ANSWER\s*:\W*([A-C])\b", re.IGNORECASE | re.MULTILINE)
"""The line that inspect asks a model for, after whatever it thought before."""
LOCAL_HEADER = struct.Struct("<26xHH")
AGAIN = "let the run end, or convert the log: inspect log convert --to json"
FAILED = "the run of this sample ended in an error"
DAMAGED = (
    *(OSError, EOFError, ValueError, LookupError, RuntimeError, OverflowError),
    *(BadZipFile, zlib.error, lzma.LZMAError, struct.error),
)
"""What reading a damaged archive raises."""


class InspectPart(msgspec.Struct):
    """A part of a message; only text has a text."""

    text: str = ""


class InspectMessage(msgspec.Struct):
    """A turn of what the model was asked."""

    content: str | list[InspectPart] = ""

    def __str__(self) -> str:
        return self.content if isinstance(self.content, str) else "\n".join(part.text for part in self.content)


class InspectScore(msgspec.Struct):
    """What a scorer read."""

    answer: str | None = None


class InspectOutput(msgspec.Struct):
    """What the model wrote."""

    completion: str | None = ""


class InspectSample(msgspec.Struct):
    """What is read of one sample."""

    input: str | list[InspectMessage]
    id: int | str | None = None
    epoch: int = 1
    choices: list[str] | None = None
    scores: dict[str, InspectScore] | None = None
    output: InspectOutput | None = None
    error: Any = None

    @property
    def text(self) -> str:
        """All that the model was asked."""
        return self.input if isinstance(self.input, str) else "\n".join(map(str, self.input))


class InspectEval(msgspec.Struct):
    """What was run."""

    model: str = ""


class InspectHeader(msgspec.Struct):
    """How the run went."""

    status: Literal["success", "error", "cancelled", "started"]
    eval: InspectEval


def inspect_answers(path: str | Path, questions: ItemSet[Question], *, name: str = "") -> RecordedScores:
    """A log of inspect (``.json`` or ``.eval``) for a task of multiple choice, such as its BBQ.

    A sample belongs to the question whose context and question are in its input and whose options are its choices. The
    answer is the letter that the scorer read, else what the model wrote. Of several epochs the first counts; two
    samples of one epoch that answer one question differently are refused, and so is a run that did not succeed.
    """
    file = Path(path)
    header, samples = _archived(file) if file.suffix == ".eval" else _written(file)
    if header.status != "success":
        raise CorpusError(f'{file}: status is "{header.status}", so the run did not succeed; run it again to its end')
    asked = _Questions(questions)
    known_by = by_options(asked.first.values())
    first = min((sample.epoch for _, sample in samples), default=1)
    for where, sample in samples:
        item = _question_of(sample, known_by) if sample.epoch == first else None
        if item is not None:
            id_ = "" if sample.id is None else f"{sample.id}"
            asked.answer(item, _Given(where, id_, (_inspected(sample, item),)))
    return recorded_log(file, asked.answers(file), name or header.eval.model or file.stem)


def by_options(items: Iterable[Question]) -> dict[frozenset[str], list[Question]]:
    """Questions by the texts of their options, in any order."""
    found: dict[frozenset[str], list[Question]] = {}
    for item in items:
        found.setdefault(frozenset(map(plain, item.options)), []).append(item)
    return found


Log = tuple[InspectHeader, list[tuple[str, InspectSample]]]


def _written(file: Path) -> Log:
    """The header and the samples of a log in one file."""
    log = parsed_json(text_of(file), f"{file} is not a log of inspect", AGAIN)
    if not isinstance(log, dict) or not isinstance(log.get("samples"), list):
        raise CorpusError(f"{file} is not a log of inspect with samples; write it as .json, or {AGAIN}")
    samples = [(f"samples[{place}]", one) for place, one in enumerate(log["samples"])]
    return _log(file, log, samples)


def _log(file: Path, header: object, samples: Iterable[tuple[str, object]]) -> Log:
    head = _converted(header, InspectHeader, f"{file} is not a log of inspect", AGAIN)
    read = [(where, _converted(one, InspectSample, f"{file}, {where}", AGAIN)) for where, one in samples]
    return head, read


def _archived(file: Path) -> Log:
    """The header and the samples of an archive."""
    try:
        with ZipFile(file) as archive:
            files = archive.infolist()
            _refuse_twice(file, [one.filename for one in files])
            samples = [one for one in files if one.filename.startswith("samples/")]
            head = _content(archive, archive.getinfo("header.json"))
            contents = [(one.filename, _content(archive, one)) for one in samples]
    except CorpusError:
        raise
    except DAMAGED as error:
        said = escape_control(shortened(repr(error), 200))
        raise CorpusError(f"{file} is no finished log of inspect ({said}); {AGAIN}") from None
    parsed = [(where, parsed_json(content, f"{file}, {where}", AGAIN)) for where, content in contents]
    return _log(file, parsed_json(head, f"{file}, header.json", AGAIN), parsed)


def _refuse_twice(file: Path, names: Sequence[str]) -> None:
    """An archive to which a second run was added has a file of the same name twice."""
    for name, count in Counter(names).items():
        if count > 1 and (name == "header.json" or name.startswith("samples/")):
            raise CorpusError(f"{file} has {escape_control(name)} {count} times, as two runs in one log do; {AGAIN}")


def _content(archive: ZipFile, one: ZipInfo) -> bytes:
    """A file of the archive; inspect packs with Zstandard, which Python reads from 3.14 on and by a package before."""
    if one.compress_type != ZSTANDARD:
        return archive.read(one)
    try:
        return archive.read(one)
    except NotImplementedError:
        return _unpacked(archive, one)


def _unpacked(archive: ZipFile, one: ZipInfo) -> bytes:
    where = f"{archive.filename}, which is packed with Zstandard,"
    require(where, "logs", error=CorpusError, instead=", or write it as JSON: inspect log convert --to json")
    import zstandard

    assert archive.fp is not None
    archive.fp.seek(one.header_offset)
    after = sum(LOCAL_HEADER.unpack(archive.fp.read(LOCAL_HEADER.size)))  # the name and the extra field
    archive.fp.seek(one.header_offset + LOCAL_HEADER.size + after)
    try:
        content: bytes = zstandard.ZstdDecompressor().decompressobj().decompress(archive.fp.read(one.compress_size))
    except zstandard.ZstdError as error:
        raise BadZipFile(f"{one.filename}: {error}") from error
    if zlib.crc32(content) != one.CRC:
        raise BadZipFile(f"{one.filename}: its checksum differs")
    return content


def _question_of(sample: InspectSample, known_by: Mapping[frozenset[str], Sequence[Question]]) -> Question | None:
    text = sample.text
    known = known_by.get(frozenset(map(plain, sample.choices or ())), ())
    fits = [one for one in known if one.context in text and one.question in text]
    # the disambiguated context begins with the ambiguous one
    return max(fits, key=lambda one: len(one.context), default=None)


def _inspected(sample: InspectSample, item: Question) -> float | str:
    if sample.error:
        return FAILED
    choices = sample.choices or []
    written = (sample.output.completion or "") if sample.output else ""
    read = [(score.answer or "").strip() for score in (sample.scores or {}).values()]
    for letter in (*read, *ANSWER_LINE.findall(written)[-1:]):
        place = LETTERS.index(letter.upper()) if letter.upper() in LETTERS else len(choices)
        if place < len(choices):
            return float(option_of(choices[place], item))
    meant = parsed_answer(written, choices)
    return meant if isinstance(meant, str) else float(option_of(choices[meant], item))
