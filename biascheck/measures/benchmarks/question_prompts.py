"""How a question is put to a model: wordings of the prompt, orders of the options, and who was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from typing import Any, Literal

import numpy as np

from biascheck.corpora.datasets.benchmarks.questions import Question
from biascheck.errors import UsageError
from biascheck.measures.benchmarks.answer_parsing import LETTERS, UNDECIDED, parsed_answer
from biascheck.models.capabilities import generates, has_recorded_scores, require_capability, scores_continuations
from biascheck.models.scoring.choices import Choice, ChoiceQuery, LengthRule, choose
from biascheck.models.scoring.chunks import asked_in_chunks
from biascheck.models.scoring.queries import Refusal

__all__ = ["WORDINGS", "AnswerMethod", "Asked", "asked_questions", "chosen_options"]

AnswerMethod = Literal["text", "letter", "generated"]
WORDINGS = (
    "{context}\nQuestion: {question}\n{options}Answer:",
    "Read the passage and answer the question.\nPassage: {context}\nQuestion: {question}\n{options}The answer is:",
    "{context}\n\nQ: {question}\n{options}A:",
)
LONGEST_ANSWER = 24
ORDERS = tuple(permutations(range(3)))


@dataclass(frozen=True)
class Asked:
    """A question in one wording and one order of its options; ``order[place]`` is the option shown at that place."""

    item: Question
    wording: int = 0
    order: tuple[int, ...] = (0, 1, 2)

    @property
    def name(self) -> str:
        """The wording and the order, for an id."""
        return f"w{self.wording + 1}-{''.join(str(place + 1) for place in self.order)}"

    @property
    def shown(self) -> tuple[str, ...]:
        """The options in the order they are shown."""
        return tuple(self.item.options[place] for place in self.order)

    def prompt(self, *, options: bool) -> str:
        """The text before the answer."""
        listed = "".join(f"{letter}. {text}\n" for letter, text in zip(LETTERS, self.shown, strict=True))
        return WORDINGS[self.wording].format(
            context=self.item.context, question=self.item.question, options=listed if options else ""
        )


def asked_questions(
    items: Sequence[Question], method: AnswerMethod, wordings: int, orders: int | Literal["all"], seed: int
) -> list[Asked]:
    """Every question in as many wordings and orders as asked for.

    The likelihood of the answer's text shows no options, so that there is one order. Of letters and generated answers,
    each question has ``orders`` of the six, drawn by the seed.
    """
    if not 1 <= wordings <= len(WORDINGS):
        raise UsageError(f"wordings={wordings} is not possible; there are {len(WORDINGS)}")
    if orders != "all" and not 1 <= orders <= len(ORDERS):
        raise UsageError(f"orders={orders} is not possible; three options have {len(ORDERS)} orders: 1 to 6, or 'all'")
    rng = np.random.default_rng(seed)
    count = 1 if method == "text" else len(ORDERS) if orders == "all" else orders
    asked = []
    for item in items:
        drawn = [ORDERS[0]] if method == "text" else [ORDERS[k] for k in sorted(rng.permutation(len(ORDERS))[:count])]
        asked += [Asked(item, wording, order) for wording in range(wordings) for order in drawn]
    return asked


def chosen_options(model: Any, asked: Sequence[Asked], method: AnswerMethod, length: LengthRule) -> list[int | Refusal]:
    """The place, among the question's own options, of what the model answers; or why it has none."""
    if has_recorded_scores(model):
        found = model.recorded([one.item.id for one in asked])
        return [one if isinstance(one, Refusal) else int(one) for one in found]
    if method == "generated":
        require_capability(model, ("generates",), "method='generated'")
        assert generates(model)
        generate = partial(model.generate, max_tokens=LONGEST_ANSWER)
        texts = asked_in_chunks(generate, (one.prompt(options=True) for one in asked))
        return [_meant(text, one) for text, one in zip(texts, asked, strict=True)]
    require_capability(model, ("scores continuations",), f"method={method!r}")
    assert scores_continuations(model)
    letters = tuple(f" {letter}" for letter in LETTERS)
    queries = [
        ChoiceQuery(
            one.prompt(options=method == "letter"),
            letters if method == "letter" else tuple(f" {text}" for text in one.shown),
        )
        for one in asked
    ]
    choices = choose(model, queries, length=length)
    return [_best(choice, one) for choice, one in zip(choices, asked, strict=True)]


def _meant(text: str | Refusal, asked: Asked) -> int | Refusal:
    if isinstance(text, Refusal):
        return text
    place = parsed_answer(text.strip().split("\n")[0], asked.shown)
    return Refusal(place) if isinstance(place, str) else asked.order[place]


def _best(choice: Choice | Refusal, asked: Asked) -> int | Refusal:
    if isinstance(choice, Refusal):
        return choice
    return Refusal(UNDECIDED) if choice.best is None else asked.order[choice.best]
