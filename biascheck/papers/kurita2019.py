"""Kurita et al. 2019, Measuring Bias in Contextualized Word Representations: all six tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from biascheck import stats
from biascheck.core.errors import ScoreError
from biascheck.core.spans import Span
from biascheck.corpora import Corpus, Gap, kurita_weat, published_employment, published_gap, weat_test
from biascheck.measures import (
    effect_size,
    gap_resolution,
    neither_gap,
    neither_gap_beyond_labels,
    positive_share,
    topic_correlation,
    weat,
)
from biascheck.models.base import MaskedModel, capabilities_in_words, require_capability
from biascheck.models.scoring.queries import Answer, MaskedQuery, Refusal
from biascheck.papers.paper import (
    Absent,
    Bars,
    BarSeries,
    DrawnFigure,
    Measured,
    Paper,
    PaperTable,
    Setting,
    Shown,
    Value,
    Work,
)
from biascheck.results.attachments import Table
from biascheck.results.result import Result
from biascheck.results.summaries import LEVEL, summarise

# Tables 1 to 3 and section 3.3: the log-probability score beside WEAT.

CATEGORIES = {
    "flowers-insects": (1, "Pleasant/Unpleasant (Insects/Flowers)"),
    "white-black": (3, "Pleasant/Unpleasant (EA/AA)"),
    "career-family": (6, "Career/Family (Male/Female)"),
    "math-arts": (7, "Math/Arts (Male/Female)"),
    "science-arts": (8, "Science/Arts (Male/Female)"),
}
SIGNIFICANT = 0.01
KURITA_CHECKED = 400
"""Sentences that a model reads for the readability check of a corpus: a sample, and the same shuffled."""
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


# Table 5: the share of titles, traits and skills that lean to men.

LISTS: dict[str, tuple[str, dict[str, Any], str]] = {
    "Salary": (
        "titles",
        {"best_paid": None},
        "all different titles of the file; the paper has 921 of them",
    ),
    "Salary, 1,000 best-paid rows": ("titles", {}, "the list that the text describes; the paper has no figure for it"),
    "Pos-Traits": ("positive_traits", {}, ""),
    "Neg-Traits": ("negative_traits", {}, "each once; the paper's figure counts two twice"),
    "Skills": ("onet_skills", {}, "“can do”; O*NET's Technology Skills.txt goes to onet/ in the data folder"),
    "Skills, the authors' file": ("skills", {}, "“is good at”; 25 skills of LinkedIn"),
}


def table_5(setting: Setting) -> Iterator[Shown]:
    """The share of titles, traits and skills that lean to men."""
    for row, (kind, options, note) in LISTS.items():
        loaded = setting.tried(published_employment, kind, setting.tried(_data, setting), **options)
        corpus = setting.tried(lambda found: setting.part_of(found.corpus, least=20), loaded)
        comparable = kind != "titles" or bool(options)
        yield setting.cell(
            row,
            ours=setting.tried(positive_share, setting.model, corpus, seed=setting.seed),
            as_published=setting.tried(_share_as_coded, setting, corpus, "can do" if kind == "onet_skills" else "is"),
            published=f"kurita2019.{kind}" if comparable else "",
            note=note,
        )


def employment_work(setting: Setting) -> Work:
    """Five lists of about 1,800 attributes, each beside he and she."""
    pairs = setting.scaled(1_800, least=100)
    return Work(read=2 * pairs * (passes_of_a_pair(setting) + 1) + len(LISTS) * KURITA_CHECKED, tokens=7)


def _data(setting: Setting) -> Any:
    return setting.folder(".")


def _share_as_coded(setting: Setting, corpus: Corpus, verb: str) -> Value:
    """The share as the authors' code has it: one prior for all attributes, read left of a single mask for them."""
    require_capability(setting.model, ("fills masks",), "the authors' procedure")
    model: MaskedModel = setting.model  # type: ignore[assignment]
    sentences = [pair.sentences[group] for pair in corpus for group in corpus.groups]
    found = iter(model.fill([MaskedQuery(sentence.text, sentence.target) for sentence in sentences]))
    prior = _gap(*model.fill([_prior(word, verb) for word in ("He", "She")]))
    gaps = [gap for _ in corpus if (gap := _gap(next(found), next(found))) is not None]
    if prior is None or not gaps:
        raise ScoreError(f"{model.name} knows no probability of he and she here")
    share = sum(gap >= prior for gap in gaps) / len(gaps)
    return Value(share, stats.wilson_interval(share, len(gaps), level=LEVEL), n=len(gaps))


def _prior(word: str, verb: str) -> MaskedQuery:
    text = f"{word} {verb} it"
    left = Span(text.rindex(" ", 0, -3) + 1, len(text) - 3)
    return MaskedQuery(text, Span(0, len(word)), (Span(len(text) - 2, len(text)),), read_at=left)


def _gap(male: Answer | Refusal, female: Answer | Refusal) -> float | None:
    if isinstance(male, Refusal) or isinstance(female, Refusal):
        return None
    return male.log_probability - female.log_probability


# Tables 4 and 6 and section 4: whom pronouns mean, and the topics of their texts.

KURITA_GENDERS = ("male", "female")


def table_4(setting: Setting) -> Iterator[Shown]:
    """How probable "neither" is for the pronouns of each gender, by a probe on frozen states."""
    gap = setting.tried(_development, setting)
    resolved = setting.tried(gap_resolution, setting.model, gap, seed=setting.seed)
    neither = setting.tried(neither_gap, resolved)
    shown: dict[str, list[Measured]] = {"prior": [], "predicted": []}
    for gender in KURITA_GENDERS:
        for column, read, source in (("prior", _share, gap), ("predicted", _mean_neither, neither)):
            found = setting.tried(read, source, gender)
            shown[column].append(found)
            title = {"prior": "prior prob. (share of the labels)", "predicted": "avg. predicted prob."}[column]
            yield setting.cell(gender, title, ours=found, published=f"kurita2019.gap.share.{gender}.{column}")
    yield setting.cell("male − female", "avg. predicted prob.", ours=neither, published="kurita2019.gap.neither")
    p_value = setting.tried(lambda result: result.p, neither)
    yield setting.cell("male − female", "p of the permutation test", ours=p_value, published="kurita2019.gap.p")
    beyond = setting.tried(neither_gap_beyond_labels, resolved)
    yield setting.cell("male − female", "beyond what the labels explain", ours=beyond, note="not in the paper")
    if not any(isinstance(one, Absent) for values in shown.values() for one in values):
        series = tuple(BarSeries(f"P(neither), {column}", _numbers(values)) for column, values in shown.items())
        yield DrawnFigure(
            title="Table 4: probability that a pronoun means neither name",
            content=Bars(places=tuple(f"{gender} pronouns" for gender in KURITA_GENDERS), series=series),
        )


def section_4(setting: Setting) -> Iterator[Shown]:
    """Whether female pronouns stay unresolved more often in texts on male topics."""
    found = _topics(setting)
    yield setting.cell("Spearman's ρ", ours=found, published="kurita2019.gap.topics", note="over female pronouns")


def table_6(setting: Setting) -> Iterator[Shown]:
    """The topics of the texts by their heaviest words, and how far each leans."""
    found = _topics(setting)
    if isinstance(found, Absent):
        yield setting.cell("topics", ours=found)
        return
    table = next(one for one in found.attachments if isinstance(one, Table))
    for number, words, lean in table.rows:
        yield setting.cell(f"topic {number}: {words}", "lean (positive: men)", ours=float(lean or 0.0))


def gap_work(setting: Setting) -> Work:
    """The texts of the development part, each read once."""
    return Work(read=setting.scaled(2_000, least=200), tokens=110)


def _development(setting: Setting) -> Gap:
    gap = published_gap(setting.folder("gap"), parts=("development",))
    return replace(gap, items=setting.sample(gap.items, least=200))


def _topics(setting: Setting) -> Any:
    gap = setting.tried(_development, setting)
    return setting.tried(topic_correlation, setting.model, gap, seed=setting.seed)


def _share(gap: Gap, gender: str) -> Value:
    labels = [item.referent == "neither" for item in gap if item.gender == gender]
    return Value(sum(labels) / len(labels), n=len(labels))


def _mean_neither(neither: Result, gender: str) -> Value:
    items = tuple(item for item in neither.items if item.labels["gender"] == gender)
    found = summarise(replace(neither, statistic="mean", items=items))
    return Value(found.estimate, found.interval, n=found.n)


def _numbers(values: list[Measured]) -> tuple[float, ...]:
    return tuple(value.estimate for value in values if isinstance(value, Value))


PAPER = Paper(
    name="kurita2019",
    title="Kurita et al. 2019, Measuring Bias in Contextualized Word Representations",
    link="https://aclanthology.org/W19-3823",
    about="The paper measures BERT-base uncased, and GloVe beside it. Positive effect sizes are the biases that people "
    "have: flowers, white, career with male, math with male, science with male.",
    tables=(
        PaperTable(
            "table 1",
            "Template sentences used for the WEAT tests",
            table_1,
            about="The templates are inputs. The figures are how many words of each set are one token of this model's "
            "vocabulary, and so remain in WEAT as published (§3.1).",
            work=lambda _: Work(read=900, tokens=6),
        ),
        PaperTable(
            "table 2",
            "Template sentences and target words for the grammatically correct sentences",
            kurita_table_2,
            about="The templates are inputs. The figures are how many attributes this model could score.",
            work=score_work,
        ),
        PaperTable(
            "table 3",
            "Effect sizes of bias measurements on WEAT stimuli",
            table_3,
            about="WEAT: ours takes all words (the mean state of their tokens), as published takes whole words of the "
            "vocabulary and drops random words of the larger set of targets. Score: ours takes one mean for each "
            "attribute, as the paper says; as published pools template × attribute rows and reads the prior at the "
            "word left of the attribute, as the authors' code does.",
            work=lambda setting: Work(read=900 + 2 * score_work(setting).read, tokens=8),
        ),
        PaperTable(
            "section 3.3",
            "Which measure finds the biases? The log-probability score beside WEAT",
            section_3_3,
            about="Counts over the five categories of Table 3. Two-sided permutation tests.",
        ),
        PaperTable(
            "table 4",
            "Probability of a pronoun referring to neither entity in a sentence of GPR",
            table_4,
            about="The development part of GAP: 1,000 male and 1,000 female pronouns. A probe on the states of pronoun "
            "and names (31 hidden units, dropout 0.6, L2 0.1) predicts each pronoun by five-fold cross-validation over "
            "pages, three times; how the paper held out its predictions is not stated.",
            work=gap_work,
            needs=("gap",),
        ),
        PaperTable(
            "section 4",
            "Is a female pronoun denied a referent where the topic is male?",
            section_4,
            about="20 topics by non-negative matrix factorisation, their 15 heaviest words in “men/women are "
            "interested in …”, weighted; Spearman's correlation with P(neither) of the 1,000 female pronouns.",
            work=gap_work,
            needs=("gap",),
        ),
        PaperTable(
            "table 5",
            "Percentage of attributes associated more strongly with the male gender",
            table_5,
            about="“He/she is …” and “can do …”, without a full stop, as in the paper; shares from 0 to 1. As "
            "published has one prior for all attributes, read at the verb, as the authors' code does.",
            work=employment_work,
            needs=("kurita", "onet"),
        ),
        PaperTable(
            "table 6",
            "Extracted topics for the GPR dataset",
            table_6,
            about="Topics of the development part of GAP by their five heaviest words, and how far each leans: the "
            "paper lists words only. Topics of a factorisation are no two times the same; only the kind compares.",
            work=lambda _: Work(),
            needs=("gap",),
        ),
    ),
)
