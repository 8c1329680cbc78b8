"""Logs of other harnesses as recorded answers, so that they get intervals, gates and a baseline without a model.

lm-evaluation-harness writes one line for each item with ``--log_samples``; inspect writes one JSON file for a run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from biascheck.corpora.datasets.benchmarks.item_set import ItemSet
from biascheck.corpora.datasets.benchmarks.published_text import json_lines, text_of
from biascheck.corpora.datasets.benchmarks.questions import Question
from biascheck.corpora.datasets.benchmarks.sentence_preferences import SentencePreference
from biascheck.errors import CorpusError
from biascheck.measures.benchmarks.answer_parsing import LETTERS, UNDECIDED, UNPARSED, parsed_answer
from biascheck.models.adapters.recorded import RecordedScores

__all__ = ["inspect_answers", "lm_eval_answers"]

Scores = dict[str, float | str]


def lm_eval_answers(
    path: str | Path, items: ItemSet[SentencePreference] | ItemSet[Question], *, name: str = ""
) -> RecordedScores:
    """A sample file of lm-evaluation-harness (``samples_crows_pairs_….jsonl``, ``samples_bbq_….jsonl``).

    A line belongs to the item with the same two sentences, or with the same context and question and the same options.
    The harness asks about several wordings of "unknown": the one that is chosen means the item's own. An item without a
    line is skipped with that reason; a line without an item is ignored.
    """
    file = Path(path)
    rows = json_lines(file)
    if not rows or not {"doc", "filtered_resps"} <= set(rows[0]):
        raise CorpusError(f"{file} is no sample file of lm-evaluation-harness: run it with --log_samples")
    first = items.items[0]
    found = _pairs(rows, items) if isinstance(first, SentencePreference) else _questions(rows, items)
    return _recorded(file, found, name or file.stem)


def inspect_answers(path: str | Path, questions: ItemSet[Question], *, name: str = "") -> RecordedScores:
    """A log of inspect (``.json``) for a task of multiple choice, such as its BBQ.

    A sample belongs to the question whose context and question are in its input and whose options are its choices. The
    answer is the letter that the scorer read, else what the model wrote.
    """
    file = Path(path)
    try:
        log = json.loads(text_of(file))
        samples = log["samples"]
    except (ValueError, KeyError, TypeError) as error:
        raise CorpusError(f"{file} is no log of inspect with samples ({error!r}); write it as .json") from None
    by_options = _by_options(questions)
    found: Scores = {}
    for sample in samples:
        text = _input_text(sample.get("input", ""))
        choices = [str(choice) for choice in sample.get("choices") or ()]
        known = by_options.get(frozenset(map(_plain, choices)), ())
        fits = [one for one in known if one.context in text and one.question in text]
        if fits:
            # the context that tells the answer begins with the one that does not
            item = max(fits, key=lambda one: len(one.context))
            found[item.id] = _inspected(sample, choices, item)
    model = str(log.get("eval", {}).get("model", "")) if isinstance(log, dict) else ""
    return _recorded(file, found, name or model or file.stem)


def _recorded(file: Path, found: Scores, name: str) -> RecordedScores:
    if not found:
        raise CorpusError(f"{file}: not one line belongs to these items; is it the same data set?")
    return RecordedScores(name, found, about={"architecture": f"recorded answers of {file.name}"})


def _pairs(rows: Sequence[Mapping[str, Any]], items: ItemSet[Any]) -> Scores:
    known = {(_plain(item.more), _plain(item.less)): item.id for item in items}
    found: Scores = {}
    for row in rows:
        doc = row["doc"]
        id_ = known.get((_plain(str(doc.get("sent_more", ""))), _plain(str(doc.get("sent_less", "")))))
        if id_ is not None:
            more, less = _log_probabilities(row)[:2]
            found |= {f"{id_}/more": more, f"{id_}/less": less}
    return found


def _questions(rows: Sequence[Mapping[str, Any]], items: ItemSet[Any]) -> Scores:
    by_options = _by_options(items)
    found: Scores = {}
    for row in rows:
        doc = row["doc"]
        options = frozenset(_plain(str(doc.get(f"ans{place}", ""))) for place in range(3))
        asked = (_plain(str(doc.get("context", ""))), _plain(str(doc.get("question", ""))))
        for item in by_options.get(options, ()):
            if asked == (_plain(item.context), _plain(item.question)):
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
    chosen = {_option_of(text, item) for text, score in zip(texts, scores, strict=True) if score == top}
    return float(chosen.pop()) if len(chosen) == 1 else UNDECIDED


def _option_of(text: str, item: Question) -> int:
    """The option that a continuation is; another wording than all of them is one of "unknown"."""
    bare = [_plain(option) for option in item.options]
    return bare.index(_plain(text)) if _plain(text) in bare else item.unknown


def _log_probabilities(row: Mapping[str, Any]) -> list[float]:
    return [float(one[0]) for one in row["filtered_resps"]]


def _continuations(row: Mapping[str, Any]) -> Iterator[str]:
    """The texts that were scored: a list of (context, continuation), or a dict of them in newer versions."""
    arguments = row.get("arguments", ())
    for one in arguments.values() if isinstance(arguments, dict) else arguments:
        yield str(one["arg_1"] if isinstance(one, dict) else one[1])


def _inspected(sample: Mapping[str, Any], choices: Sequence[str], item: Question) -> float | str:
    for score in (sample.get("scores") or {}).values():
        letter = str(score.get("answer") or "").strip().upper()
        if letter in LETTERS and LETTERS.index(letter) < len(choices):
            return float(_option_of(choices[LETTERS.index(letter)], item))
    written = str((sample.get("output") or {}).get("completion") or "")
    place = parsed_answer(written, choices)
    return place if isinstance(place, str) else float(_option_of(choices[place], item))


def _input_text(given: Any) -> str:
    if isinstance(given, str):
        return given
    return "\n".join(str(message.get("content", "")) for message in given if isinstance(message, dict))


def _by_options(items: ItemSet[Any]) -> dict[frozenset[str], list[Question]]:
    found: dict[frozenset[str], list[Question]] = {}
    for item in items:
        found.setdefault(frozenset(map(_plain, item.options)), []).append(item)
    return found


def _plain(text: str) -> str:
    return " ".join(text.lower().strip().removesuffix(".").split())
