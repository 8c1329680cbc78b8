"""Tables 1 to 3 and section 3.3: the log-probability score beside WEAT."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from biascheck.corpora import kurita_weat, weat_test
from biascheck.measures import effect_size, weat
from biascheck.models.capabilities import capabilities_in_words
from biascheck.reproduce.cells import Absent, Bars, BarSeries, DrawnFigure, Shown
from biascheck.reproduce.paper import Work
from biascheck.reproduce.setting import Setting
from biascheck.results.attachments import Table
from biascheck.results.result import Result

__all__ = ["KURITA_CHECKED", "kurita_table_2", "passes_of_a_pair", "score_work", "section_3_3", "table_1", "table_3"]

CATEGORIES = {
    "flowers-insects": (1, "Pleasant/Unpleasant (Insects/Flowers)"),
    "white-black": (3, "Pleasant/Unpleasant (EA/AA)"),
    "career-family": (6, "Career/Family (Male/Female)"),
    "math-arts": (7, "Math/Arts (Male/Female)"),
    "science-arts": (8, "Science/Arts (Male/Female)"),
}
SIGNIFICANT = 0.01
KURITA_CHECKED = 400
"""Sentences that a model reads for the competence check of a corpus: a sample, and the same shuffled."""
NEEDS_VECTORS = "the column of static word vectors: run with --model vectors:FILE"


def table_1(setting: Setting) -> Iterator[Shown]:
    """The templates of the WEAT baseline, and how many words of each set are words of this model's vocabulary."""
    for name, (number, title) in CATEGORIES.items():
        test = weat_test(number)
        templates = " ".join(test.templates).format(target="T", attribute="A")
        found = setting.tried(weat, setting.model, test, whole_words=True, seed=setting.seed)
        for place, listed in enumerate((test.stimuli.x, test.stimuli.y, test.stimuli.a, test.stimuli.b)):
            names = (test.stimuli.x_name, test.stimuli.y_name, test.stimuli.a_name, test.stimuli.b_name)
            yield setting.cell(
                title,
                names[place],
                ours=setting.tried(_words_kept, found, place),
                published="kurita2019.names-kept" if (name, place) == ("white-black", 1) else "",
                note=f"of {len(listed)} words" + (f"; all in {templates}" if place == 0 else ""),
            )


def kurita_table_2(setting: Setting) -> Iterator[Shown]:
    """The sentences of the log-probability score: how many attributes of each category were measured."""
    for number, title in CATEGORIES.values():
        corpus = setting.part_of(kurita_weat(number))
        templates = dict.fromkeys(str(pair.labels["template"]) for pair in corpus)
        targets = dict.fromkeys(sentence.target_text for sentence in corpus.sentences())
        found = setting.tried(effect_size, setting.model, corpus, seed=setting.seed)
        count = setting.tried(lambda result: result.n, found)
        note = f"{', '.join(targets)} in {', '.join(templates)}: {2 * len(corpus)} sentences"
        yield setting.cell(title, "attributes measured", ours=count, note=note)


def table_3(setting: Setting) -> Iterator[Shown]:
    """Effect sizes by WEAT on static vectors, WEAT on contextual states, and the log-probability score."""
    for name, (_, title) in CATEGORIES.items():
        glove, reduced = _static(setting, name)
        yield setting.cell(
            title, "WEAT on GloVe", ours=glove, as_published=reduced, published=f"kurita2019.glove.{name}.effect"
        )
        every, whole = _contextual(setting, name)
        yield setting.cell(title, "WEAT on BERT", ours=every, as_published=whole, published=f"kurita2019.weat.{name}")
        score, pooled = _score(setting, name)
        yield setting.cell(
            title, "log-probability bias score", ours=score, as_published=pooled, published=f"kurita2019.{name}"
        )


def section_3_3(setting: Setting) -> Iterator[Shown]:
    """The paper's claim: the log-probability score finds all five biases, WEAT on the same model none."""
    methods = {"score": _score, "weat": _contextual, "glove": _static}
    titles = {"score": "log-probability bias score", "weat": "WEAT on BERT", "glove": "WEAT on GloVe"}
    found = {method: {name: read(setting, name) for name in CATEGORIES} for method, read in methods.items()}
    for method, title in titles.items():
        ours, theirs = ([pair[place] for pair in found[method].values()] for place in (0, 1))
        yield setting.cell(
            title,
            f"categories significant at p < {SIGNIFICANT}",
            ours=setting.tried(_significant, *ours),
            as_published=setting.tried(_significant, *theirs),
            published=f"kurita2019.significant.{method}",
        )
        yield setting.cell(title, "categories with the sign of the human bias", ours=setting.tried(_positive, *ours))
    pairs = [found[method][name][0] for name in CATEGORIES for method in ("score", "weat")]
    yield setting.cell("score and WEAT", "categories in which their signs agree", ours=setting.tried(_agreeing, *pairs))
    if not any(isinstance(one, Absent) for one in pairs):
        yield _side_by_side(pairs)


def score_work(setting: Setting) -> Work:
    """The sentences of the log-probability score with their priors, and those that show whether the model can read."""
    pairs = sum(len(setting.part_of(kurita_weat(number))) for number, _ in CATEGORIES.values())
    return Work(read=2 * pairs * passes_of_a_pair(setting) + len(CATEGORIES) * KURITA_CHECKED, tokens=8)


def passes_of_a_pair(setting: Setting) -> int:
    """A masked model reads a sentence and its prior, a causal one also the sentence with three neutral words."""
    return 2 if setting.can("fills masks") else 4


def _static(setting: Setting, name: str) -> tuple[Any, Any]:
    """WEAT on a table of vectors: on all words, and on those that BERT has as words (as published)."""
    if setting.can("embeds words in context"):
        absent = Absent(NEEDS_VECTORS, "not applicable")
        return absent, absent
    number = CATEGORIES[name][0]
    reduced = weat_test(number, in_bert=True)
    return (
        setting.tried(weat, setting.model, weat_test(number), seed=setting.seed),
        setting.tried(weat, setting.model, reduced, balance=True, seed=setting.seed),
    )


def _contextual(setting: Setting, name: str) -> tuple[Any, Any]:
    """WEAT on states in context: on all words, and on whole words with sets of equal size (as published)."""
    if not setting.can("embeds words in context"):
        absent = Absent(
            f"{capabilities_in_words(setting.model)}; this column needs states in context", "not applicable"
        )
        return absent, absent
    test = weat_test(CATEGORIES[name][0])
    return (
        setting.tried(weat, setting.model, test, seed=setting.seed),
        setting.tried(weat, setting.model, test, whole_words=True, balance=True, seed=setting.seed),
    )


def _score(setting: Setting, name: str) -> tuple[Any, Any]:
    """The log-probability score: means of attributes, and rows pooled as in the authors' code (as published)."""
    corpus = setting.part_of(kurita_weat(CATEGORIES[name][0]))
    pooled = "as published (Kurita 2019)"
    return (
        setting.tried(effect_size, setting.model, corpus, seed=setting.seed),
        setting.tried(effect_size, setting.model, corpus, variant=pooled, seed=setting.seed),
    )


def _words_kept(found: Result, place: int) -> int:
    table = next(one for one in found.attachments if isinstance(one, Table))
    return int(table.rows[place][1] or 0)


def _significant(*results: Result) -> int:
    return sum(result.p is not None and result.p < SIGNIFICANT for result in results)


def _positive(*results: Result) -> int:
    return sum(result.estimate > 0 for result in results)


def _agreeing(*results: Result) -> int:
    return sum(one.estimate * other.estimate > 0 for one, other in zip(results[::2], results[1::2], strict=True))


def _side_by_side(pairs: list[Result]) -> DrawnFigure:
    series = (
        BarSeries("log-probability bias score", tuple(result.estimate for result in pairs[::2])),
        BarSeries("WEAT on the same model", tuple(result.estimate for result in pairs[1::2])),
    )
    bars = Bars(places=tuple(CATEGORIES), series=series, axis="Effect sizes; positive is the human bias.")
    return DrawnFigure(title="Section 3.3: the two measures side by side", content=bars)
