"""Text classifiers: an encoder or decoder with a sequence-classification head, and its window on long texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from math import exp
from typing import Any, ClassVar, Literal, Unpack

from biascheck.core.errors import ModelError, ScoreError, UsageError
from biascheck.core.store import digest_of
from biascheck.models.local.transformers import ModelOptions, TransformersModel, refuse_constant
from biascheck.models.scoring.encode import Encoded
from biascheck.models.scoring.engine import TorchEngine, padded
from biascheck.models.scoring.plan import ScoringPlan, make_plan
from biascheck.models.scoring.queries import Refusal

# The part of a long text that a classifier reads.

Keep = Literal["head", "tail", "both"]
WINDOW_CHUNK = 1_024


@dataclass(frozen=True, slots=True)
class Window:
    """At most ``pieces`` tokens, special ones included: the head of the text, its tail, or half of each."""

    pieces: int
    keep: Keep = "head"

    def __post_init__(self) -> None:
        if self.keep not in ("head", "tail", "both"):
            raise UsageError(f"a window keeps 'head', 'tail' or 'both', not {self.keep!r}")
        if self.pieces < 4:
            raise UsageError(f"a window of {self.pieces} tokens fits no text; give at least 4")

    def cut(self, ids: Sequence[int], special: Sequence[int]) -> tuple[int, ...]:
        """The part of a tokenised text that is read; special tokens at its ends stay."""
        opening = sum(1 for _ in takewhile(bool, special))
        closing = sum(1 for _ in takewhile(bool, reversed(special))) if opening < len(ids) else 0
        content = ids[opening : len(ids) - closing]
        room = self.pieces - opening - closing
        if len(content) <= room:
            return tuple(ids)
        kept = content[: self._head(room)]
        tail = room - len(kept)
        return (*ids[:opening], *kept, *content[len(content) - tail :], *ids[len(ids) - closing :])

    def _head(self, room: int) -> int:
        return {"head": room, "tail": 0, "both": room - room // 2}[self.keep]


def read_through(window: Window, texts: Sequence[str], tokenizer: Any) -> Iterator[tuple[int, ...]]:
    """The ids of each text, cut to the window."""
    for start in range(0, len(texts), WINDOW_CHUNK):
        chunk = list(texts[start : start + WINDOW_CHUNK])
        encoded = tokenizer(chunk, return_special_tokens_mask=True, return_attention_mask=False, verbose=False)
        for ids, special in zip(encoded["input_ids"], encoded["special_tokens_mask"], strict=True):
            yield window.cut(ids, special)


# Text classifiers in transformers' form: an encoder or decoder with a sequence-classification head.

WINDOW_IN_CONFIG = "biascheck_window"
"""The field of config.json for the part of a text that the classifier was trained to read."""
LONGEST = 512


class TransformersClassifier(TransformersModel):
    """BERT, RoBERTa, DistilBERT, GPT-2 … ForSequenceClassification, read as P(positive).

    ``positive`` names the positive class; it is found automatically if exactly one label begins with "pos".
    ``window`` is the part that is read of a text that is too long; by default what the folder was trained with, or else
    its head up to the model's limit. Texts that are the same within the window run once.
    """

    kind: ClassVar[Literal["classifier"]] = "classifier"

    def __init__(
        self,
        load_pair: Callable[[], tuple[Any, Any]],
        *,
        positive: str | None = None,
        window: Window | None = None,
        **options: Unpack[ModelOptions],
    ) -> None:
        super().__init__(load_pair, **options)
        self._positive = positive
        self._window = window

    @property
    def fingerprint(self) -> str:
        """A digest of weights, tokenizer, precision, and of the chosen class and window."""
        window = None if self._window is None else [self._window.pieces, self._window.keep]
        return digest_of([self.pair_fingerprint.digest, self._positive, window])

    @property
    def labels(self) -> dict[int, str]:
        """The names of the classes."""
        return {int(index): str(label) for index, label in self.outline.config.id2label.items()}

    @cached_property
    def positive_class(self) -> int:
        """The index of the positive class."""
        if len(self.labels) < 2:
            raise ModelError(f"{self.name}: one output is a regression; a sentiment needs two classes or more")
        if self._positive is not None:
            matching = [index for index, label in self.labels.items() if label.lower() == self._positive.lower()]
        else:
            matching = [index for index, label in self.labels.items() if label.lower().startswith("pos")]
        if len(matching) == 1:
            return matching[0]
        named = ", ".join(self.labels.values())
        raise ModelError(
            f"{self.name}: its classes are {named}, and it is unclear which of them is positive; "
            f"set positive={self.labels[max(self.labels)]!r}"
        )

    @cached_property
    def window(self) -> Window:
        """The part of a text that is read."""
        limit = self.max_length or LONGEST
        if self._window is not None:
            return self._window if self._window.pieces <= limit else Window(limit, self._window.keep)
        trained: dict[str, Any] | None = getattr(self.outline.config, WINDOW_IN_CONFIG, None)
        return Window(**trained) if trained else Window(limit)

    def plan(self, texts: Sequence[str]) -> ScoringPlan:
        """Estimate the cost of rating the texts, without rating them."""
        inputs = read_through(self.window, texts, self.tokenizer)
        return make_plan((Encoded(ids, (0,), (self.positive_class,)) for ids in inputs), self._budget)

    def rate(self, texts: Sequence[str]) -> list[float]:
        """P(positive) of each text."""
        answers = self._answered(self.plan(texts))
        return [_probability(answer, self.name) for answer in answers]

    @cached_property
    def _engine(self) -> TorchEngine:
        pad = self.tokenizer.pad_token_id
        engine = _ClassEngine(self.torch_model, pad_token=0 if pad is None else pad, device=self.device)
        refuse_constant(self.name, self.torch_model, lambda: engine.class_logits(self._trial_input()))
        return engine


class _ClassEngine(TorchEngine):
    """Reads classes instead of tokens: the token of a reading is a class, its position is ignored."""

    def _logits(self, inputs: Sequence[Sequence[int]], places: Sequence[tuple[int, int]]) -> Any:
        return self.class_logits(padded(inputs, pad=self._pad, device=self._device))[[row for row, _ in places]]

    def class_logits(self, batch: dict[str, Any]) -> Any:
        """The logits of the classes, one row for each text."""
        # A decoder classifies by its last token, which it finds as the last one that is not padding. The model's own
        # setting is restored: it is part of its fingerprint.
        config, before = self._model.config, self._model.config.pad_token_id
        config.pad_token_id = self._pad
        try:
            return self._model(**batch).logits
        finally:
            config.pad_token_id = before


def _probability(answer: Any, name: str) -> float:
    if isinstance(answer, Refusal):
        raise ScoreError(f"{name}: {answer.reason}")
    return min(1.0, exp(answer.log_probability))
