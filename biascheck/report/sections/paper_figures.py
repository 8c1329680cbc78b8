"""The figures of a paper: what its results show together, then what is attached to each, alike things as one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from biascheck.report.charts.drawings import Drawing, TextTable, drawing_of, drawings_of, two_sided_drawing
from biascheck.report.sections.overviews import changes_of, correlations_of, gaps_of, plane_of
from biascheck.results.measurement_card import is_card
from biascheck.results.result import Result

__all__ = ["card_table", "paper_figures"]


@dataclass(frozen=True)
class Source:
    """The results that a figure comes from: their measures, and where these were taken."""

    measures: str
    place: str

    @classmethod
    def of(cls, results: Sequence[Result], *, several_models: bool) -> Source:
        """What the results have in common: of parts of a corpus, the corpus."""
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
    """Charts first, then tables. What several results share is drawn once, and like tables become one."""
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
