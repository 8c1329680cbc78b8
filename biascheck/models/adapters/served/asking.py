"""Puts questions to a server: each distinct one once, several at a time, every answer kept as soon as it is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from biascheck.cache.document_cache import digest_of
from biascheck.cache.kept_answers import CachedAnswers
from biascheck.cache.progress import announce, in_time, progress
from biascheck.errors import EndpointError
from biascheck.models.adapters.served.allowance import Allowance
from biascheck.models.adapters.served.token_scores import TooLongError, UnusableError
from biascheck.models.adapters.served.transport import RejectedError
from biascheck.models.scoring.forecast import CostEstimate, active_estimate, made_up
from biascheck.models.scoring.queries import Answer, Refusal

__all__ = ["Asker", "Pace", "ServedQuestion", "answered", "as_answer"]

ServedQuestion = tuple[str | int, ...]
"""What is asked, in plain values: the kind of the question, then its texts and numbers."""
LONG = 60.0
ABOUT_THE_TEXT = (400, 413, 422)
"""What a server says of a text that it cannot read; anything else is about the server itself."""
FORMAT = 1
"""Raise this when a kept answer would no longer be the right one."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast and dear a server is: seconds and requests for one text, tokens of one character, texts at a time.

    The seconds are those of one text where as many as ``concurrency`` are asked at a time. ``price`` is that of a
    million tokens, in the currency of whoever states it.
    """

    seconds: float = 0.0
    requests: int = 1
    tokens: float = 0.25
    concurrency: int = 1
    price: float | None = None

    def estimate(self, questions: Sequence[ServedQuestion]) -> str:
        """What the questions will cost, in words."""
        tokens = self.tokens_of(questions)
        parts = [f"about {tokens:,.0f} tokens"]
        if self.price is not None:
            parts.append(f"about {tokens * self.price / 1e6:,.2f} at {self.price:g} for a million")
        return ", ".join([*parts, in_time(self.duration(len(questions)))])

    def tokens_of(self, questions: Sequence[ServedQuestion]) -> float:
        """About how many tokens the questions are."""
        return self.tokens * sum(len(part) for one in questions for part in one[1:] if isinstance(part, str))

    def duration(self, texts: int) -> float:
        """Seconds that so many texts will take."""
        return texts * self.seconds


@dataclass
class Asker:
    """Whom to ask, what is known already, and how many requests are allowed."""

    title: str
    identity: str
    cached: CachedAnswers
    allowance: Allowance = field(default_factory=Allowance)
    pace: Pace = field(default_factory=Pace)

    def answers(self, questions: Sequence[ServedQuestion], ask: Callable[[ServedQuestion], Any]) -> list[Any]:
        """The answer to each question, in order; only what is not kept is asked."""
        missing = self.missing(questions)
        if (estimate := active_estimate()) is not None:
            return self._estimated(estimate, questions, missing)
        found: dict[ServedQuestion, Any] = {}
        if missing:
            self.allowance.require(len(missing) * self.pace.requests, self.title)
            self._announce(missing, len(set(questions)) - len(missing))
            found = self._asked(missing, ask)
        return [found[one] if one in found else self.cached.get(self._key(one)) for one in questions]

    def _estimated(
        self, estimate: CostEstimate, questions: Sequence[ServedQuestion], missing: Sequence[ServedQuestion]
    ) -> list[Any]:
        """Count what would be asked, and make up answers; nothing is kept."""
        fresh = [one for one in missing if (self.identity, one) not in estimate.counted_questions]
        estimate.counted_questions.update((self.identity, one) for one in fresh)
        tokens = round(self.pace.tokens_of(fresh))
        estimate.add(self.title, inputs=len(fresh), tokens=tokens, seconds=self.pace.duration(len(fresh)))
        numbers = made_up(len(questions))
        return [
            "" if question[0] == "generate" else [float(number)]
            for question, number in zip(questions, numbers, strict=True)
        ]

    def missing(self, questions: Sequence[ServedQuestion]) -> list[ServedQuestion]:
        """The distinct questions that are not answered yet."""
        self.cached.refresh()
        unknown = {one for one in questions if self.cached.get(self._key(one)) is None}
        return sorted(unknown, key=lambda question: tuple(map(str, question)))  # what begins alike is asked together

    def _key(self, question: ServedQuestion) -> str:
        return digest_of([FORMAT, self.identity, list(question)])

    def _announce(self, missing: Sequence[ServedQuestion], known: int) -> None:
        if self.pace.duration(len(missing)) > LONG:
            announce(
                f"biascheck: {self.title}: {len(missing):,} texts to ask ({known:,} are known), "
                f"{self.pace.estimate(missing)}"
            )

    def _asked(
        self, missing: Sequence[ServedQuestion], ask: Callable[[ServedQuestion], Any]
    ) -> dict[ServedQuestion, Any]:
        stopped = Event()

        def asked(question: ServedQuestion) -> Any:
            if stopped.is_set():
                return None
            try:
                answer = ask(question)
            except BaseException:
                stopped.set()  # nobody else need try
                raise
            if not isinstance(answer, Refusal):  # another day the server may answer
                self.cached.add(self._key(question), answer)
            return answer

        found: dict[ServedQuestion, Any] = {}
        with (
            ThreadPoolExecutor(self.pace.concurrency, thread_name_prefix="biascheck") as pool,
            progress(self.title, total=len(missing), unit="texts", about=None) as advance,
        ):
            futures = {pool.submit(asked, question): question for question in missing}
            try:
                for future in as_completed(futures):
                    found[futures[future]] = future.result()  # of one that was not asked: the failure comes, too
                    advance(1)
            except BaseException:
                stopped.set()
                pool.shutdown(wait=False, cancel_futures=True)  # what runs now is still kept
                raise
        return found


def answered(read: Callable[[], Any], title: str) -> Any:
    """What a request gives; a text that the server cannot read is refused, wrong figures end the run."""
    try:
        return read()
    except TooLongError as error:
        return Refusal(f"{error}; shorten the sentence")
    except RejectedError as error:
        if error.status in ABOUT_THE_TEXT:
            return Refusal(f"the server refuses this text ({error}); change it or leave it out")
        raise
    except UnusableError as error:
        raise EndpointError(
            f"{title}: {error}. The handshake went well, so the server has changed since; no figure was made of this. "
            "Look at the server, then run again"
        ) from None


def as_answer(scores: list[float] | Refusal) -> Answer | Refusal:
    """The figures of the tokens of a text as one answer."""
    return scores if isinstance(scores, Refusal) else Answer(sum(scores), len(scores))
