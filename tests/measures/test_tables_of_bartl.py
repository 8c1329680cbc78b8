"""Bartl's tables and figures: printed figures agree wherever they are stored, changes and bars are means of items."""

import numpy as np
import pytest

import biascheck
from biascheck.core.errors import UsageError
from biascheck.core.release import suites_home
from biascheck.corpora import bec_pro, corpus_from_templates
from biascheck.measures import association, association_change, association_table, mitigation_table, profession_bars
from biascheck.measures.tables import PUBLISHED_TABLE_4, PUBLISHED_TABLE_5
from biascheck.models.fakes import TableModel
from biascheck.report.drawings import drawings_of
from biascheck.results.published import PublishedFigures

PUBLISHED = PublishedFigures.read(suites_home() / "published.toml")
CORPUS = bec_pro("en")
JOBS = {pair.attribute: pair.labels["profession_group"] for pair in CORPUS}
GENDERS = ("female", "male")
MEN = {"male": 0.8, "female": 0.3, "balanced": 0.6}


def model(lean, name="t"):
    """Professions of each group give men's words a stated share."""
    women, men = ({pair.sentences[g].target.of(pair.sentences[g].text).lower() for pair in CORPUS} for g in GENDERS)
    words = women | men
    table = {
        job: {word: (lean[group] if word in men else 1 - lean[group]) / 9 for word in words}
        for job, group in JOBS.items()
    }
    return TableModel(table, prior=dict.fromkeys(words, 0.5 / 9), name=name)


@pytest.fixture(scope="module")
def before():
    return association(model(MEN), CORPUS)


@pytest.fixture(scope="module")
def after():
    return association(model(dict.fromkeys(MEN, 0.5), "u"), CORPUS)


def test_the_printed_figures_are_the_same_in_the_tables_and_in_the_suites():
    for (jobs, person), row in PUBLISHED_TABLE_4.items():
        stored = [
            PUBLISHED.get(f"bartl2020.table4.{jobs}.{person}.{column}").value for column in ("pre", "post", "diff")
        ]
        assert stored == [row.pre, row.post, row.diff]
        assert [PUBLISHED.get(f"bartl2020.test4.{jobs}.{column}").value for column in ("V", "r")] == [row.v, row.r]
    for (jobs, person), row in PUBLISHED_TABLE_5.items():
        stored = [PUBLISHED.get(f"bartl2020.table5.{jobs}.{person}.{column}").value for column in ("mean", "sd")]
        assert stored == [row.mean, row.sd]
        assert [PUBLISHED.get(f"bartl2020.test5.{jobs}.{column}").value for column in ("V", "r")] == [row.v, row.r]


def test_the_printed_tables_are_those_of_the_golden_files(gold):
    lines = (gold / "bartl" / "table4.csv").read_text(encoding="utf-8").splitlines()[1:]
    names = {"B": "balanced", "F": "female", "M": "male", "f": "female", "m": "male"}
    for jobs, person, *values in (line.split(",") for line in lines):
        row = PUBLISHED_TABLE_4[names[jobs], names[person]]
        assert [row.pre, row.post, row.diff] == [float(value) for value in values[:3]]
    for line in (gold / "bartl" / "wilcoxon_published_check.csv").read_text(encoding="utf-8").splitlines()[1:]:
        table, jobs, _, v, *rest = line.split(",")
        printed = PUBLISHED_TABLE_4 if table.startswith("4") else PUBLISHED_TABLE_5
        row = printed[names[jobs], "female"]
        assert (row.v, row.r) == (int(v), -float(rest[6]))


@pytest.mark.parametrize(("person", "change"), [("male", -np.log(0.6 / 0.5)), ("female", np.log(0.5 / 0.4))])
def test_the_change_of_one_gender_is_in_closed_form(person, change, before, after):
    earlier, later = (result.where(profession_group="balanced") for result in (before, after))
    moved = association_change(earlier, later, person=person)
    assert moved.estimate == pytest.approx(change, abs=1e-9)
    assert moved.n == 900
    with pytest.raises(AssertionError):
        biascheck.assert_within_margin(moved, margin=0.1)
    assert biascheck.assert_within_margin(association_change(earlier, earlier, person=person), margin=0.1)


def test_changes_of_other_corpora_are_refused(before):
    other = corpus_from_templates(
        "o", templates=["{target} is a {attribute}."], targets=[{"male": "he", "female": "she"}], attributes=["nurse"]
    )
    found = association(TableModel({"nurse": {"he": 0.5, "she": 0.5}}, prior={"he": 0.5, "she": 0.5}), other)
    with pytest.raises(UsageError, match="of different corpora"):
        association_change(before, found, person="male")
    with pytest.raises(UsageError, match="not 'they'"):
        association_change(before, before, person="they")


def test_bars_are_the_means_of_each_profession(before, after):
    bars = profession_bars(before, after)
    assert [(one.group, len(one.bars)) for one in bars] == [("male", 20), ("female", 20), ("balanced", 20)]
    for one in bars:
        for bar in one.bars:
            assert bar.male == pytest.approx(np.log(MEN[one.group] / 0.5))
            assert bar.female == pytest.approx(np.log((1 - MEN[one.group]) / 0.5))
            assert (bar.male_after, bar.female_after) == pytest.approx((0, 0))
    assert profession_bars(before)[0].bars[0].male_after is None


def test_the_tables_have_our_figures_beside_the_printed_ones(before, after):
    table = association_table(before)
    row = dict(zip(table.columns, table.rows[-1], strict=True))
    assert (row["jobs"], row["person"], row["published mean"], row["published sd"]) == ("male", "male", 1.46, 2.15)
    assert row["mean"] == pytest.approx(np.log(1.6))
    assert row["sd"] == pytest.approx(0, abs=1e-9)
    assert {row.person for row in mitigation_table(before, after)} == {"female", "male"}


def test_the_report_draws_the_bars(before, after):
    drawn = drawings_of(after.with_attachments(*profession_bars(before, after)))
    found = {one.key: one for one in drawn}
    assert {"professions_male", "professions_female", "professions_balanced"} <= found.keys()
    assert str(found["professions_male"].chart).count("<rect") == 80
    assert [entry.name for entry in found["professions_male"].legend] == [
        "male",
        "female",
        "male, after",
        "female, after",
    ]
