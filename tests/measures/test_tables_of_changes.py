"""Bartl's Table 4: our figures beside the published ones, from two results made by hand."""

import csv
from dataclasses import replace

import pytest

from biascheck.core.errors import UsageError
from biascheck.measures import absolute_gap, mitigation_table
from biascheck.measures.tables import PUBLISHED_TABLE_4, attached_table, text_of
from biascheck.results.items import ItemScore
from support.handmade import PROVENANCE, result_of

JOBS = {"balanced": 3, "female": 3, "male": 3}


def made(female, male):
    """Every pair of a group has these associations, spread a little so that ranks differ."""
    items = [
        ItemScore(
            f"{group}/{job}/{n}",
            (m := male[group] - 0.01 * n) - (f := female[group] + 0.01 * n + 0.001 * job),
            f"{group}{job}",
            {"female": f, "male": m},
            labels={"profession_group": group},
        )
        for group, jobs in JOBS.items()
        for job in range(jobs)
        for n in range(4)
    ]
    return result_of(items)


BEFORE = made({"balanced": -0.3, "female": 0.5, "male": -0.8}, {"balanced": 0.1, "female": -0.7, "male": 0.2})
AFTER = made({"balanced": 0.2, "female": 0.3, "male": 0.1}, {"balanced": 0.1, "female": -0.1, "male": 0.2})


def test_means_before_and_after():
    rows = {(row.jobs, row.person): row for row in mitigation_table(BEFORE, AFTER)}
    assert rows.keys() == PUBLISHED_TABLE_4.keys()
    assert rows["male", "female"].diff == pytest.approx(0.9)
    assert rows["male", "male"].diff == pytest.approx(0.0)
    assert rows["female", "male"].diff == pytest.approx(0.6)
    assert rows["female", "female"].diff == pytest.approx(-0.2)


def test_the_test_is_on_the_change_of_female_minus_male():
    """All 12 pairs of a group move the same way, so V is all ranks, 78, or none."""
    rows = {row.jobs: row for row in mitigation_table(BEFORE, AFTER)}
    assert (rows["male"].test.v, rows["male"].direction) == (78, "female > male")
    assert (rows["female"].test.v, rows["female"].direction) == (0, "female < male")
    assert rows["male"].test.n_pairs == 12


def test_published_figures_are_those_of_the_paper(gold):
    with (gold / "bartl" / "table4.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    names = {"B": "balanced", "F": "female", "M": "male", "f": "female", "m": "male"}
    for row in rows:
        ours = PUBLISHED_TABLE_4[names[row["jobs"]], names[row["person"]]]
        assert (ours.pre, ours.post, ours.diff) == (float(row["pre"]), float(row["post"]), float(row["diff"]))
    with (gold / "bartl" / "wilcoxon_published_check.csv").open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            if row["table"] == "4_EN_diff":
                ours = PUBLISHED_TABLE_4[names[row["jobs"]], "female"]
                assert (ours.v, ours.r) == (int(row["V_published"]), abs(float(row["r_published"])))


def test_both_stand_side_by_side_in_text_and_in_the_report():
    rows = mitigation_table(BEFORE, AFTER)
    text = text_of(rows)
    assert "male     jobs, female persons: pre −0.78 [−0.83], post +0.12 [+0.13], diff +0.90 [+0.96]" in text
    assert "V 78 [395,974]" in text
    table = attached_table(rows)
    assert all(len(row) == len(table.columns) for row in table.rows)
    assert tuple(table.rows[0][:2]) == ("balanced", "female")


def test_other_corpora_are_refused():
    other = replace(AFTER, provenance=replace(PROVENANCE, corpus_fingerprint="x" * 64))
    with pytest.raises(UsageError, match="are of different corpora; measure both on the same"):
        mitigation_table(BEFORE, other)


def test_the_size_of_gaps_does_not_cancel():
    result = result_of([ItemScore(str(n), score, str(n)) for n, score in enumerate([1.0, -1.0, 2.0, -2.0, 3.0, -3.0])])
    assert (result.estimate, absolute_gap(result).estimate) == (0.0, 2.0)
    twice = absolute_gap(absolute_gap(result))
    assert (twice.measure, twice.estimate) == ("absolute gap", 2.0)
    assert twice.provenance.options["of"] == "association"
    with pytest.raises(UsageError, match="not a mean of gaps"):
        absolute_gap(replace(result, statistic="spearman"))
