"""Gaps against a real-world figure."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from biascheck.report.charts.planes import PlanePoint, plane_chart
from biascheck.report.charts.svg import chart, nothing_to_draw
from biascheck.report.sections.attribute_rows import AttributeGap, covariate_name, points_of
from biascheck.results.result import Result

__all__ = ["covariate_chart", "has_covariates"]


def has_covariates(result: Result) -> bool:
    """Whether the result is a correlation or a slope whose items all carry the figure it is with."""
    known = all(item.covariate is not None for item in result.items)
    return bool(result.items) and known and result.statistic in ("spearman", "pearson", "slope")


@chart
def covariate_chart(result: Result, attributes: Sequence[AttributeGap]) -> Markup:
    """Gaps (or what the measure says its scores are) upwards, what they are correlated with to the right.

    Where that varies within those whom the items are about, its values are drawn in their place.
    """
    drawn = points_of(result, attributes)
    first, second = result.contrast
    name, score = covariate_name(result), result.description.score
    up = f"↑ {score}" if score else f"gap: up is towards {first}, down towards {second}"
    points = [PlanePoint(a.name, a.covariate, a.gap, named=True) for a in drawn if a.covariate is not None]
    if not points:
        return nothing_to_draw(f"no {result.description.cluster} has a {name}")
    counted = f"{result.description.cluster}s against {name}" if drawn is attributes else f"values of {name}"
    return plane_chart(
        points,
        x_label=f"{name} →",
        y_label=up,
        label=f"{score or 'Gaps'} of {len(points)} {counted}; the table gives every value",
        y_from=[0.0],
        zero=True,
    )
