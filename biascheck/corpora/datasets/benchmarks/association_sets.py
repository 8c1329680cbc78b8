"""Loaders for WEAT's word sets (Caliskan et al. 2017) and SEAT's sentences (May et al. 2019), as published files."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from biascheck.corpora.datasets.benchmarks.published_text import published_file, published_folder, text_of
from biascheck.corpora.datasets.weat_stimuli import WeatStimuli
from biascheck.corpora.datasets.weat_tests import WEAT_TEMPLATES, WeatTest
from biascheck.errors import CorpusError

__all__ = ["SEAT_TESTS", "published_seat", "published_weat"]

ARE_IS = WEAT_TEMPLATES[1]
SEAT_TESTS = (
    *(f"sent-weat{name}" for name in ("1", "2", "3", "4", "5", "6", "6b", "7", "7b", "8", "8b", "9", "10")),
    "sent-angry_black_woman_stereotype",
    "sent-heilman_double_bind_competent_one_word",
)
ASSOCIATION_WORD = re.compile(r"[\w'’-]+")
BLEACHED_WORDS = frozenset(
    (
        *("a", "an", "and", "are", "be", "here", "is", "it", "name", "people", "person", "person's", "some", "that"),
        *("the", "there", "these", "they", "thing", "things", "this", "those", "was", "were", "will", "word"),
    )
)
"""What the sentences of SEAT are made of, besides the word they are about."""


def published_weat(category: int, folder: str | Path | None = None) -> WeatTest:
    """WEAT category 1 to 10 with the words of the published file, in the form that :func:`weat_test` gives ours."""
    if category not in range(1, 11):
        raise CorpusError(f"WEAT has the categories 1 to 10, not {category!r}")
    path = published_file(published_folder(folder, "weat"), f"weat{category}.jsonl")
    stimuli = _stimuli(path, category)
    return WeatTest(f"published-weat-{category}", stimuli, WEAT_TEMPLATES.get(category, ARE_IS), paper="caliskan2017")


def published_seat(name: str, folder: str | Path | None = None) -> WeatTest:
    """One of SEAT's tests (:data:`SEAT_TESTS`): its stimuli are whole sentences, to be measured at level "sentence".

    Sentences about one word ("This is a rose.", "Roses are …") are not independent and form one cluster: the word that
    is rarest in its set, without a plural ending.
    """
    path = published_file(published_folder(folder, "seat"), f"{name}.jsonl")
    number = re.search(r"\d+", name)
    stimuli = _stimuli(path, int(number[0]) if number else 0)
    clusters = _clusters(stimuli.x) | _clusters(stimuli.y)
    return WeatTest(
        f"published-seat-{name.removeprefix('sent-')}",
        stimuli,
        ARE_IS,
        bleached=("{word}",),
        clusters=clusters,
        paper="caliskan2017",
    )


def _stimuli(path: Path, category: int) -> WeatStimuli:
    try:
        data: dict[str, dict[str, Any]] = json.loads(text_of(path))
        sets = [(str(data[key]["category"]), data[key]["examples"]) for key in ("targ1", "targ2", "attr1", "attr2")]
    except (ValueError, KeyError, TypeError) as error:
        raise CorpusError(
            f"{path} is not a file of sent-bias ({error!r}); it needs targ1, targ2, attr1, attr2"
        ) from None
    (x_name, x), (y_name, y), (a_name, a), (b_name, b) = [(name, tuple(dict.fromkeys(words))) for name, words in sets]
    return WeatStimuli(category, x_name, x, y_name, y, a_name, a, b_name, b)


def _clusters(sentences: tuple[str, ...]) -> dict[str, str]:
    """The rarest word of each sentence, without a plural ending."""
    split = {
        text: [word for word in ASSOCIATION_WORD.findall(text) if word.lower() not in BLEACHED_WORDS]
        for text in sentences
    }
    stems = {text: sorted({_stem(word) for word in words}) for text, words in split.items()}
    counts = Counter(stem for own in stems.values() for stem in own)
    return {text: min(own, key=lambda stem: (counts[stem], stem)) for text, own in stems.items() if own}


def _stem(word: str) -> str:
    lower = word.lower().removesuffix("'s").removesuffix("’s")
    for ending, instead in (("ies", "y"), ("ches", "ch"), ("shes", "sh"), ("s", "")):
        if lower.endswith(ending) and len(lower) > len(ending) + 2:
            return lower.removesuffix(ending) + instead
    return lower
