"""Logs of lm-evaluation-harness as recorded answers, so that they get intervals, gates and a baseline without a model.

It writes one line for each item with ``--log_samples``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from biascheck.corpora.datasets.benchmarks.item_set import ItemSet
from biascheck.corpora.datasets.benchmarks.published_text import json_lines
from biascheck.corpora.datasets.benchmarks.questions import Question
from biascheck.corpora.datasets.benchmarks.sentence_preferences import SentencePreference
from biascheck.errors import CorpusError
from biascheck.measures.benchmarks.answer_parsing import UNDECIDED, UNPARSED, parsed_answer
from biascheck.models.adapters.recorded import RecordedScores

__all__ = ["LogScores", "by_options", "lm_eval_answers", "option_of", "plain", "recorded_log"]

LogScores = dict[str, float | str]


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
    return recorded_log(file, found, name or file.stem)


def recorded_log(file: Path, found: LogScores, name: str) -> RecordedScores:
    """The answers that a log has to known items; a log without one is about something else."""
    if not found:
        raise CorpusError(f"{file}: not one line belongs to these items; is it the same data set?")
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
    """The option that a continuation is; another wording than all of them is one of "unknown"."""
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
    """A text as it is compared: lower case, single spaces, no final full stop."""
    return " ".join(text.lower().strip().removesuffix(".").split())
