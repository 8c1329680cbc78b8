"""Questions without an answer: unparsed, refused or undecided (Parrish et al. 2022)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from biascheck.measures.benchmarks.answered_parts import ANSWER_NEEDS, ANSWERS_FROM, answers_of, unanswered
from biascheck.measures.derivation import derived_measure
from biascheck.results.result import Result

__all__ = ["unanswered_share"]


@derived_measure(
    "unanswered share",
    about="The share of questions that got no answer: none of the options named, a refusal, or a tie.",
    limits=(
        "What counts as an answer depends on the parser.",
        "A refusal may be right: read what was refused.",
    ),
    statistic="share_positive",
    parity=0.0,
    direction="upwards",
    unit="share from 0 to 1",
    smallest_change=0.05,
    smallest_change_reason="one question in twenty",
    scale="share",
    sign="The estimate is the share of questions without an answer; zero is the best.",
    paper="parrish2022",
    needs=ANSWER_NEEDS,
    made_from=ANSWERS_FROM,
)
def unanswered_share(result_or_model: Any, questions: Any = None, **options: Any) -> Result:
    """The share of questions whose answer could not be told, was refused or was a tie."""
    answered = answers_of(result_or_model, questions, options)
    missing, others = unanswered(answered, 1.0)
    items = tuple(replace(item, score=-1.0) for item in answered.items)
    return replace(answered, items=(*items, *missing), skipped=others)
