"""The papers that the suites repeat: their sections, figures, and the published numbers beside the measured ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from biascheck.core.wording import citation, pluralize, published_number, published_text, tally
from biascheck.gates.gate import Gate
from biascheck.report.charts import interval_chart, interval_scale
from biascheck.report.drawings import Drawing, TextTable, drawing_of, drawings_of, two_sided_drawing
from biascheck.report.items import Bounds
from biascheck.report.overviews import changes_of, correlations_of, gaps_of, plane_of
from biascheck.report.results import Placed, ResultSection, result_section
from biascheck.report.svg import Scale
from biascheck.report.words import ORDER, direction_in_words, smallest_change_in_words
from biascheck.results.measurement_card import is_card
from biascheck.results.published import PublishedFigure
from biascheck.results.result import Result

# The papers that the suites repeat, and the results that belong to each.


@dataclass(frozen=True)
class CitedPaper:
    """A paper: its key is the name of its suite's folder."""

    key: str
    name: str
    question: str
    title: str


PAPERS = (
    CitedPaper(
        key="kurita2019",
        name="Kurita et al. 2019",
        question="Which words does a profession or a trait call for?",
        title="Measuring Bias in Contextualized Word Representations. Gender Bias in NLP, 2019",
    ),
    CitedPaper(
        key="bartl2020",
        name="Bartl et al. 2020",
        question="Do professions pull person words towards one gender?",
        title="Unmasking Contextual Stereotypes: Measuring and Mitigating BERT’s Gender Bias. Gender Bias in NLP, 2020",
    ),
    CitedPaper(
        key="manela2021",
        name="de Vassimon Manela et al. 2021",
        question="One pronoun for everyone, or the expected one?",
        title="Stereotype and Skew: Quantifying Gender Bias in Pre-trained and Fine-tuned Language Models. EACL, 2021",
    ),
    CitedPaper(
        key="jentzsch2022",
        name="Jentzsch & Turan 2022",
        question="Does the same review read better of a man or of a woman?",
        title="Gender Bias in BERT: Measuring and Analysing Biases through Sentiment Rating in a Realistic "
        "Downstream Classification Task. Gender Bias in NLP, 2022",
    ),
    CitedPaper(
        key="basta2019",
        name="Basta et al. 2019",
        question="Is gender a direction among the vectors?",
        title="Evaluating the Underlying Gender Bias in Contextualized Word Embeddings. Gender Bias in NLP, 2019",
    ),
    CitedPaper(
        key="nangia2020",
        name="CrowS-Pairs (Nangia et al. 2020)",
        question="Is the stereotypical of two sentences the more probable one?",
        title="CrowS-Pairs: A Challenge Dataset for Measuring Social Biases in Masked Language Models. EMNLP, 2020",
    ),
    CitedPaper(
        key="nadeem2021",
        name="StereoSet (Nadeem et al. 2021)",
        question="A stereotype, its opposite, or nonsense?",
        title="StereoSet: Measuring Stereotypical Bias in Pretrained Language Models. ACL, 2021",
    ),
    CitedPaper(
        key="parrish2022",
        name="BBQ (Parrish et al. 2022)",
        question="Who did it, where nobody said so?",
        title="BBQ: A Hand-built Bias Benchmark for Question Answering. Findings of ACL, 2022",
    ),
    CitedPaper(
        key="rudinger2018",
        name="Winogender (Rudinger et al. 2018)",
        question="Which pronoun does an occupation call for: he, she or they?",
        title="Gender Bias in Coreference Resolution. NAACL, 2018",
    ),
    CitedPaper(
        key="caliskan2017",
        name="WEAT and SEAT (Caliskan et al. 2017, May et al. 2019)",
        question="Which words lie near which others?",
        title="Semantics Derived Automatically from Language Corpora Contain Human-like Biases. Science, 2017. On "
        "Measuring Social Biases in Sentence Encoders. NAACL, 2019",
    ),
    CitedPaper(
        key="tamkin2023",
        name="discrim-eval (Tamkin et al. 2023)",
        question="Does a decision depend on who is decided about?",
        title="Evaluating and Mitigating Discrimination in Language Model Decisions. 2023",
    ),
)

OWN = CitedPaper(
    key="own",
    name="Other measures",
    question="Measures of your own",
    title="Results of none of the papers above.",
)


def paper_of(judged: Result | Gate, tests: Sequence[str] = ()) -> CitedPaper:
    """The paper of a result: by the folder of the tests that judged it, else by the paper that its measure names."""
    folders = {folder for test in tests for folder in test.split("::")[0].split("/")}
    by_folder = (paper for paper in PAPERS if paper.key in folders)
    by_description = (paper for paper in PAPERS if paper.key == judged.description.shown_under)
    return next(by_folder, None) or next(by_description, OWN)


# The figures of the papers beside the measured ones, with their errata.


@dataclass(frozen=True)
class Citation:
    """Published figures for a table: the numbers, their sources, and their errata."""

    numbers: str
    single: bool
    source: str
    erratum: str


@dataclass(frozen=True)
class BesidePublished:
    """A measured figure with its interval, and the published one."""

    measure: str
    corpus: str
    model: str
    estimate: str
    interval: str
    published: Citation
    chart: Markup


def cited(figures: Sequence[PublishedFigure]) -> Citation:
    """Published figures as text for a table."""
    return Citation(
        numbers=", ".join(map(published_number, figures)),
        single=len(figures) == 1,
        source=_distinct(map(citation, figures)),
        erratum=_distinct(one.erratum for one in figures),
    )


def _distinct(texts: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(filter(None, texts)))


def beside_published(gates: Sequence[Gate]) -> tuple[BesidePublished, ...]:
    """All gates that have a published figure; those of one measure share a scale."""
    known = [gate for gate in gates if gate.published]
    rows: list[BesidePublished] = []
    for measure in dict.fromkeys(gate.measure for gate in known):
        members = [gate for gate in known if gate.measure == measure]
        scale = interval_scale([value for gate in members for value in _values(gate)])
        rows.extend(_row(gate, scale) for gate in members)
    return tuple(rows)


def _values(gate: Gate) -> list[float]:
    ends = [] if gate.interval is None else [gate.interval.low, gate.interval.high]
    return [gate.estimate, gate.parity, *ends, *(paper.value for paper in gate.published)]


def _row(gate: Gate, scale: Scale) -> BesidePublished:
    return BesidePublished(
        measure=gate.measure,
        corpus=gate.corpus,
        model=gate.model_label,
        estimate=gate.estimate_text,
        interval=gate.interval_text,
        published=cited(gate.published),
        chart=interval_chart(
            scale,
            estimate=gate.estimate,
            interval=gate.interval,
            parity=gate.parity,
            region=None,
            label=f"measured {gate.measured}, published {published_text(gate.published)}",
            published=tuple(paper.value for paper in gate.published),
        ),
    )


# The charts of a paper: those of several results, then the attachments of each; equal ones are merged.


@dataclass(frozen=True)
class Source:
    """The results behind a chart: their measures, models and corpora."""

    measures: str
    place: str

    @classmethod
    def of(cls, results: Sequence[Result], *, several_models: bool) -> Source:
        """The common corpus and model of the results."""
        corpora = dict.fromkeys(result.corpus_label for result in results)
        if len(corpora) > 1:
            corpora = dict.fromkeys(result.corpus for result in results)
        models = dict.fromkeys(result.model_label for result in results) if several_models else {}
        measures = dict.fromkeys(result.measure for result in results)
        what, where, who = (" and ".join(names) for names in (measures, corpora, models))
        return cls(what, f"{where} on {who}" if who else where)

    def __str__(self) -> str:
        return f"{self.measures}, {self.place}"


def paper_figures(results: Sequence[Result]) -> tuple[Drawing, ...]:
    """Charts first, then tables. Shared attachments are drawn once, and like tables are merged."""
    drawn = _own(results)
    charts = [drawing for drawing, _ in drawn if drawing.chart is not None]
    return (*_together(results), *charts, *_joined([entry for entry in drawn if entry[0].chart is None]))


def card_table(results: Sequence[Result]) -> TextTable | None:
    """The measurement card of the suite, which is attached to one of its results."""
    attached = (one for result in results for one in result.attachments if is_card(one))
    drawn = next((drawing_of(one, results[0].contrast) for one in attached), None)
    return None if drawn is None else drawn.table


def _together(results: Sequence[Result]) -> list[Drawing]:
    models = sorted({result.model_label for result in results})
    together = [plane] if (plane := plane_of(results)) is not None else []
    if len(models) == 1:
        together += gaps_of(results)
    if len(models) == 2:
        first, second = ([result for result in results if result.model_label == model] for model in models)
        together += changes_of(first, second, (models[0], models[1]))
    return together + correlations_of(results)


def _own(results: Sequence[Result]) -> list[tuple[Drawing, Source]]:
    """The drawings of the attachments, each with the results it comes from."""
    sides = two_sided_drawing(results)
    found: dict[Drawing, list[Result]] = {}
    for result in results:
        plain = replace(result, attachments=tuple(one for one in result.attachments if not is_card(one)))
        for drawing in drawings_of(plain):
            if sides is None or drawing.key != sides.key:
                found.setdefault(drawing, []).append(result)
    several = len({result.model_label for result in results}) > 1
    named = [(drawing, Source.of(of, several_models=several)) for drawing, of in found.items()]
    titled = [(replace(drawing, title=f"{drawing.title}: {source}"), source) for drawing, source in named]
    return titled if sides is None else [(sides, Source("", "")), *titled]


def _joined(tables: Sequence[tuple[Drawing, Source]]) -> list[Drawing]:
    alike: dict[tuple[str, tuple[str, ...]], list[tuple[Drawing, Source]]] = {}
    for drawing, source in tables:
        columns = () if drawing.table is None else drawing.table.columns
        alike.setdefault((drawing.key, columns), []).append((drawing, source))
    return [_join(members) if len(members) > 1 else members[0][0] for members in alike.values()]


def _join(members: Sequence[tuple[Drawing, Source]]) -> Drawing:
    first = members[0][0]
    short = len({source.place for _, source in members}) == len(members)
    tables = [(drawing.table, source) for drawing, source in members if drawing.table is not None]
    common = set.intersection(*(set(table.numbers) for table, _ in tables))
    joined = TextTable(
        columns=("result", *tables[0][0].columns),
        rows=tuple((source.place if short else str(source), *row) for table, source in tables for row in table.rows),
        numbers=tuple(sorted(column + 1 for column in common)),
        hidden=sum(table.hidden for table, _ in tables),
    )
    title = first.title.removesuffix(f": {members[0][1]}")
    return replace(first, title=title, note="" if first.key == "published" else first.note, table=joined)


# The sections of the report: one for each paper, with its figures, its measures, and their results.

MOST_FIGURES = 16


ABOUT = "A measure of the difference between groups; its documentation defines what one unit means."
PAPER_LIMITS = (
    "The figure is about this corpus and this model as measured, and about nothing beyond them.",
    "A mean near parity can hide large gaps in opposite directions: look at the attributes below.",
    "A difference measured on a model says nothing by itself about what an application does with it.",
)
"""The limits of a measure that states none."""


@dataclass(frozen=True)
class MeasureSection:
    """A measure in its own words, and all its results."""

    measure: str
    about: str
    unit: str
    direction: str
    smallest_change: str
    limits: tuple[str, ...]
    results: tuple[ResultSection, ...]


@dataclass(frozen=True)
class PaperSection:
    """A paper: its question, its figures, its published numbers beside the measured ones, its measures."""

    anchor: str
    paper: CitedPaper
    published: tuple[BesidePublished, ...]
    drawings: tuple[Drawing, ...]
    drawings_hidden: int
    measures: tuple[MeasureSection, ...]
    several_models: bool
    verdict: str = "none"
    tally: str = ""
    size: str = ""
    card: TextTable | None = None


def paper_sections(
    placed: Sequence[tuple[CitedPaper, Placed]], gates: Sequence[tuple[CitedPaper, Gate]]
) -> tuple[PaperSection, ...]:
    """Lay out all results, in the order of the papers."""
    bounds = Bounds.of(len(placed))
    sections = []
    for paper in (*PAPERS, OWN):
        members = [entry for of, entry in placed if of is paper]
        if members:
            judged = [gate for of, gate in gates if of is paper]
            sections.append(_section(paper, members, judged, bounds))
    return tuple(sections)


def _section(paper: CitedPaper, members: Sequence[Placed], gates: Sequence[Gate], bounds: Bounds) -> PaperSection:
    drawings = paper_figures([entry.result for entry in members])
    measures: dict[str, list[Placed]] = {}
    for entry in members:
        measures.setdefault(entry.result.measure, []).append(entry)
    return PaperSection(
        anchor=f"paper-{paper.key}",
        paper=paper,
        published=beside_published(gates),
        drawings=drawings[:MOST_FIGURES],
        drawings_hidden=len(drawings[MOST_FIGURES:]),
        measures=tuple(_measure(name, found, bounds) for name, found in measures.items()),
        several_models=len({entry.result.model_label for entry in members}) > 1,
        verdict=next((str(verdict) for verdict in ORDER if any(gate.verdict is verdict for gate in gates)), "none"),
        tally=tally(gates) if gates else "no gate",
        size=pluralize(len(members), "result"),
        card=card_table([entry.result for entry in members]),
    )


def _measure(name: str, members: Sequence[Placed], bounds: Bounds) -> MeasureSection:
    description = members[0].result.description
    return MeasureSection(
        measure=name,
        about=description.about or ABOUT,
        unit=description.unit,
        direction=direction_in_words(description),
        smallest_change=smallest_change_in_words(description),
        limits=description.limits or PAPER_LIMITS,
        results=tuple(result_section(entry, bounds) for entry in members),
    )
