"""Basta et al. 2019, Evaluating the Underlying Gender Bias in Contextualized Word Embeddings: §5 and its figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from biascheck.corpora import (
    Lexicon,
    biased_words,
    lexicon_from_templates,
    lexicon_from_text,
    published_gender_pairs,
    published_professions,
    published_sentences,
    sampled_gender_pairs,
    word_bias,
)
from biascheck.corpora.lexicon import LONGEST_SENTENCE, PROFESSION
from biascheck.measures import (
    classifier_accuracy,
    cluster_accuracy,
    direct_bias,
    gender_subspace,
    neighbour_correlation,
    with_projected_bias,
)
from biascheck.measures.geometry import neighbour_method, word_map
from biascheck.measures.subspace import draw_words, embedding_of
from biascheck.mitigation.projection import HARD_DEBIASED
from biascheck.papers.paper import Absent, DrawnFigure, Paper, PaperTable, Setting, Shown, Work
from biascheck.results.attachments import Draws, ExplainedVariance, Scatter
from biascheck.results.result import Result

Kind = TypeVar("Kind")
DRAWS = 10
CLUSTERED, CLASSIFIED = 500, 2_500
BASTA_PERMUTATIONS = 19
ELMO = Absent("ELMo has no maintained loader: AllenNLP, which published it, is archived")
BEFORE = Absent("the paper takes the bias before debiasing, which these vectors no longer have")
STATIC = {
    "word2vec": ("word2vec", "", "vectors:FILE"),
    "debiased": ("debiased word2vec", HARD_DEBIASED, f"vectors:FILE#{HARD_DEBIASED}"),
}


def basta_figure_1(setting: Setting) -> Iterator[Shown]:
    """How much of the differences of he and she, man and woman, … lies in one direction."""
    found, coded = _measured(setting, gender_subspace, _professions(setting))
    for place, row in enumerate(("definitional pairs", "random words")):
        yield setting.cell(
            row,
            "share of variance of PC1",
            ours=found if place == 0 else setting.tried(_first_random, found),
            as_published=_if_contextual(setting, coded if place == 0 else setting.tried(_first_random, coded)),
            note="the paper draws it and prints no number",
        )
    yield setting.cell("ELMo", "share of variance of PC1", ours=ELMO)
    yield from _drawing(setting, "Figure 1: explained variance", found, ExplainedVariance)


def section_direct_bias(setting: Setting) -> Iterator[Shown]:
    """The mean size of the cosine of a profession with the gender direction."""
    yield from _rows(setting, "direct-bias", *_measured(setting, direct_bias, _professions(setting)))


def section_clustering(setting: Setting) -> Iterator[Shown]:
    """The share of 500 male and 500 female words that k-means puts with their own gender."""
    yield from _rows(setting, "cluster-accuracy", *_measured(setting, cluster_accuracy, _leaning(setting, CLUSTERED)))


def basta_figure_2(setting: Setting) -> Iterator[Shown]:
    """The words of the clustering on a plane."""
    lexicon = _leaning(setting, CLUSTERED)[0]
    drawn = setting.tried(_drawn_once, setting, lexicon)
    count = setting.tried(lambda found: len(found.entries), drawn)
    yield setting.cell("words on the map", ours=count)
    if isinstance(drawn, Absent):
        return
    words, groups = [entry.word for entry in drawn.entries], [lexicon.group_of(entry) for entry in drawn.entries]
    for method in (neighbour_method(), "PCA"):
        content = word_map(drawn.vectors[0], words, groups, method=method, most=2 * CLUSTERED, seed=setting.seed)
        yield DrawnFigure(title=f"Figure 2: words by the gender they lean to, {method}", content=content)


def section_classification(setting: Setting) -> Iterator[Shown]:
    """The share of 4,000 words whose gender a machine trained on 1,000 others predicts."""
    lexicons = _leaning(setting, CLASSIFIED)
    found = _measured(setting, classifier_accuracy, lexicons, permutations=BASTA_PERMUTATIONS)
    yield from _rows(setting, "classifier-accuracy", *found)


def section_neighbours(setting: Setting) -> Iterator[Shown]:
    """The correlation of a profession's bias with the share of male ones among its neighbours."""
    ours, theirs = _professions(setting)
    found, coded = _measured(setting, neighbour_correlation, (ours, theirs))
    if not setting.can("embeds words in context"):
        # as in Gonen & Goldberg 2019, from whom these two figures are: the bias that the vectors themselves have
        treated = getattr(setting.model, "treatment", ())
        own = setting.tried(with_projected_bias, setting.model, ours)
        coded = BEFORE if treated else _measured(setting, neighbour_correlation, (own,))[0]
    yield from _rows(setting, "neighbour-correlation", found, coded)


def basta_figure_3(setting: Setting) -> Iterator[Shown]:
    """The professions: their bias, and the share of male ones among their neighbours."""
    (found,) = _measured(setting, neighbour_correlation, _professions(setting)[:1])
    yield setting.cell("professions drawn", ours=setting.tried(lambda result: result.clusters, found))
    yield from _drawing(setting, "Figure 3: professions", found, Scatter)


def _rows(setting: Setting, figure: str, ours: Any, as_published: Any) -> Iterator[Shown]:
    """The rows of the paper, and this model in the one it belongs to."""
    yield setting.cell("ELMo", "mean", ours=ELMO, published=f"basta2019.{figure}.ELMo")
    if f"basta2019.draws.{figure}.minimum" in setting.figures.entries:
        for column in ("minimum", "maximum"):
            yield setting.cell("ELMo", column, ours=ELMO, published=f"basta2019.draws.{figure}.{column}")
    treatment = getattr(setting.model, "treatment", ())
    contextual, placed = setting.can("embeds words in context"), False
    for name, (row, treated, spec) in STATIC.items():
        if f"basta2019.{figure}.{name}" not in setting.figures.entries:
            continue
        here = setting.can("embeds words") and not contextual and ("".join(treatment) == treated)
        placed = placed or here
        absent = Absent(f"static vectors: run with --model {spec}", "not applicable")
        yield setting.cell(
            row,
            "mean",
            ours=ours if here else absent,
            as_published=as_published if here and figure == "neighbour-correlation" else None,
            published=f"basta2019.{figure}.{name}",
            note=f"here: {setting.model_label}, {_words(setting, ours)}" if here else "",
        )
    if contextual:
        yield from _of_draws(setting, ours, as_published)
    elif not placed:
        yield setting.cell(setting.model_label, "mean", ours=ours, note=_words(setting, ours))


def _of_draws(setting: Setting, ours: Any, as_published: Any) -> Iterator[Shown]:
    """Mean, minimum and maximum of the draws; the mean has the interval of the whole."""
    yield setting.cell(setting.model_label, "mean", ours=ours, as_published=as_published, note=_words(setting, ours))
    for column, pick in (("minimum", min), ("maximum", max)):
        picked, coded = (setting.tried(_pick, found, pick) for found in (ours, as_published))
        yield setting.cell(setting.model_label, column, ours=picked, as_published=coded)


def _words(setting: Setting, found: Any) -> str:
    counted = setting.tried(lambda result: f"{result.clusters:,} words", found)
    return counted if isinstance(counted, str) else ""


def _drawing(setting: Setting, title: str, found: Any, kind: type[ExplainedVariance | Scatter]) -> Iterator[Shown]:
    """The drawings attached to a measurement, if any."""
    if isinstance(found, Result):
        yield DrawnFigure(title=f"{title}, {setting.model_label}", content=_attached(found, kind))


def _pick(result: Result, pick: Any) -> float:
    return float(pick(_attached(result, Draws).values))


def _first_random(result: Result) -> float:
    return _attached(result, ExplainedVariance).random[0]


def _attached(result: Result, kind: type[Kind]) -> Kind:
    return next(one for one in result.attachments if isinstance(one, kind))


def _draws(setting: Setting) -> int:
    return setting.scaled(DRAWS, least=2)


def _measured(
    setting: Setting, measure: Callable[..., Result], lexicons: Sequence[Any], **options: Any
) -> tuple[Any, ...]:
    """A measure on each of these lexicons, with the paper's draws."""
    options |= {"draws": _draws(setting), "seed": setting.seed}
    return tuple(setting.tried(measure, setting.model, lexicon, **options) for lexicon in lexicons)


def _drawn_once(setting: Setting, lexicon: Lexicon) -> Any:
    return draw_words(embedding_of(setting.model), lexicon, draws=1, seed=setting.seed)


def _professions(setting: Setting) -> tuple[Any, Any]:
    """The paper's professions in our sentences (ours), and in the paper's text with its pairs (as published)."""
    listed = setting.tried(lambda: published_professions(setting.folder("debiaswe")))
    chosen = setting.tried(lambda words: {word: words[word] for word in setting.sample(list(words), least=40)}, listed)
    ours = setting.tried(lambda words: lexicon_from_templates("professions-320", words, templates=PROFESSION), chosen)
    return ours, _or_same(setting, ours, "professions-in-news", chosen)


def _leaning(setting: Setting, each: int) -> tuple[Any, Any]:
    """As many words that lean to either gender in GloVe, in our sentences (ours) and in the paper's text."""
    lexicon = biased_words(setting.scaled(each, least=50))
    bias = word_bias("biased_words")
    words = {entry.word: bias[entry.word] for entry in lexicon}
    return lexicon, _or_same(setting, lexicon, f"biased-in-news-{each}", words)


def _or_same(setting: Setting, ours: Any, name: str, words: Any) -> Any:
    """The words in the paper's text; static vectors are the same in every sentence."""
    return setting.tried(_in_news, setting, name, words) if setting.can("embeds words in context") else ours


def _in_news(setting: Setting, name: str, words: dict[str, float]) -> Lexicon:
    folder = setting.folder("wmt18")
    sentences = [text for text in published_sentences("wmt18", folder) if len(text) <= LONGEST_SENTENCE]
    pairs = sampled_gender_pairs(sentences, pairs=published_gender_pairs(setting.folder("debiaswe")), seed=setting.seed)
    return lexicon_from_text(name, words, sentences, pairs=pairs, seed=setting.seed)


def _if_contextual(setting: Setting, found: Any) -> Any:
    """The figure as published; for static vectors that is the same as ours."""
    return found if setting.can("embeds words in context") else None


def _work(words: int, draws: Sequence[int] = (DRAWS,)) -> Any:
    def work(setting: Setting) -> Work:
        if not setting.can("embeds words in context"):
            return Work()
        return Work(read=setting.scaled(words, least=40) * setting.scaled(draws[0], least=min(2, draws[0])), tokens=12)

    return work


PAPER = Paper(
    name="basta2019",
    title="Basta et al. 2019, Evaluating the Underlying Gender Bias in Contextualized Word Embeddings",
    link="https://aclanthology.org/W19-3805",
    about="The paper measures ELMo and quotes word2vec and its debiased version from Bolukbasi et al. 2016 and Gonen & "
    "Goldberg 2019. Sizes are the paper's: 320 professions (288 that are neutral by definition), 500 + 500 words, "
    "1,000 to train and 4,000 to test, 10 draws. Gonen's lists are not published; ours are made in the same way from "
    "GloVe. Ours looks at words in neutral sentences of our own, as published in the news commentary of WMT 2018.",
    tables=(
        PaperTable(
            "figure 1",
            "Variance explained by the principal components of definitional differences, and of random ones",
            basta_figure_1,
            about="An uncentred decomposition of the differences of definitional pairs in the same sentence.",
            work=_work(288, (1,)),
            needs=("debiaswe", "wmt18"),
        ),
        PaperTable(
            "section 5 direct bias",
            "Direct bias of the professions",
            section_direct_bias,
            about="Mean |cos(profession, gender direction)| in sentences without a gendered word.",
            work=_work(288),
            needs=("debiaswe", "wmt18"),
        ),
        PaperTable(
            "section 5 clustering",
            "Male and female-biased words clustering",
            section_clustering,
            about="k-means with two clusters; accuracy, 0.5 is chance.",
            work=_work(2 * CLUSTERED),
            needs=("debiaswe", "wmt18"),
        ),
        PaperTable(
            "figure 2",
            "K-means clustering: the words on a plane",
            basta_figure_2,
            about="The first of the ten draws; by UMAP where it is installed, else by t-SNE, and by PCA.",
            work=_work(2 * CLUSTERED, (1,)),
        ),
        PaperTable(
            "section 5 classification",
            "Classification approach",
            section_classification,
            about="A support-vector machine with an RBF kernel, trained on 1,000 words; accuracy on the other 4,000.",
            work=_work(2 * CLASSIFIED),
            needs=("debiaswe", "wmt18"),
        ),
        PaperTable(
            "section 5 neighbours",
            "K-nearest neighbour approach",
            section_neighbours,
            about="Pearson's correlation over professions; 10 neighbours, the paper states no number. Bias is the "
            "stereotype rated by people in the list; as published, for static vectors, their own projection on he − "
            "she.",
            work=_work(288),
            needs=("debiaswe", "wmt18"),
        ),
        PaperTable(
            "figure 3",
            "Visualization of the professions by the gender of their neighbours",
            basta_figure_3,
            work=_work(288, (1,)),
            needs=("debiaswe",),
        ),
    ),
)
