"""Bartl's tables and the correlation with the workforce, against hand-worked figures and scipy."""

from dataclasses import replace
from math import log, sqrt

import numpy as np
import pytest
import scipy.stats

import biascheck
from biascheck.core.errors import ScoreError, UsageError
from biascheck.corpora import Attribute, Corpus, Target, Template, cross
from biascheck.models.fakes import TableModel
from biascheck.results.items import ItemScore
from support.handmade import items_of, result_of, spread

FEMALE = {"balanced": [0.4, 0.1, 0.3, 0.2], "female": [0.9, 0.5, 0.7, 0.7], "male": [-0.8, -0.2, 0.1, -0.9]}
MALE = {"balanced": [0.3, 0.3, 0.3, 0.6], "female": [0.1, 0.2, -0.6, 0.3], "male": [0.2, 0.3, 0.2, 0.4]}


def result_from(female, male, model="before"):
    items = [
        ItemScore(f"{g}/{n}", m - f, f"{g}{n}", {"male": m, "female": f}, labels={"profession_group": g})
        for g in female
        for n, (f, m) in enumerate(zip(female[g], male[g], strict=True))
    ]
    return result_of(items, model=model, corpus="bec-pro")


def random_result(seed, pairs=40):
    rng = np.random.default_rng(seed)
    groups = ("balanced", "female", "male")
    return result_from(*({g: rng.normal(0.1 * k, 1, pairs) for k, g in enumerate(groups)} for _ in range(2)))


def test_the_table_by_hand():
    table = biascheck.measures.profession_table(result_from(FEMALE, MALE))
    assert [row.name for row in table] == ["balanced", "female", "male"]
    assert [row.pairs for row in table] == [4, 4, 4]
    assert [row.female for row in table] == pytest.approx([0.25, 0.7, -0.45])
    assert [row.male for row in table] == pytest.approx([0.375, 0.0, 0.275])
    assert table[1].female_sd == pytest.approx(sqrt((0.2**2 + 0.2**2) / 3))
    assert table[1].male_sd == pytest.approx(sqrt((0.01 + 0.04 + 0.36 + 0.09) / 3))
    assert all(row.female_after is None and row.male_after is None for row in table)


def test_v_and_r_by_hand():
    balanced, female, male = biascheck.measures.profession_table(result_from(FEMALE, MALE))
    # female − male: 0.1, −0.2, 0 (dropped), −0.4: ranks 1, 2, 3 and only the first is positive
    assert (balanced.test.v, balanced.test.n_nonzero, balanced.test.n_pairs) == (1.0, 3, 4)
    assert balanced.test.z == pytest.approx((1 - 3) / sqrt(3 * 4 * 7 / 24))
    assert balanced.test.r == pytest.approx(abs(balanced.test.z) / sqrt(8))
    # all four differences one way: V is 10 of 10, or 0
    assert (female.test.v, male.test.v) == (10.0, 0.0)
    assert [row.direction for row in (balanced, female, male)] == ["female < male", "female > male", "female < male"]


def wilcoxon(differences):
    return scipy.stats.wilcoxon(differences, zero_method="wilcox", correction=False, method="asymptotic")


def columns(result, group):
    chosen = [item for item in result.items if item.labels["profession_group"] == group]
    return (np.array([item.groups[g] for item in chosen]) for g in ("female", "male"))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_test_agrees_with_scipy(seed):
    result = random_result(seed)
    for row in biascheck.measures.profession_table(result):
        female, male = columns(result, row.name)
        oracle = wilcoxon(female - male)
        assert row.test.p == pytest.approx(oracle.pvalue, rel=1e-9)
        assert min(row.test.v, 40 * 41 / 2 - row.test.v) == pytest.approx(oracle.statistic)


def test_with_a_second_result_the_test_is_on_the_change():
    before, after = random_result(0), random_result(5)
    for row in biascheck.measures.profession_table(before, after):
        (female, male), (female_after, male_after) = columns(before, row.name), columns(after, row.name)
        assert (row.female, row.male) == pytest.approx((female.mean(), male.mean()))
        assert (row.female_after, row.male_after) == pytest.approx((female_after.mean(), male_after.mean()))
        oracle = wilcoxon((female_after - female) - (male_after - male))
        assert row.test.p == pytest.approx(oracle.pvalue, rel=1e-9)


def test_a_model_that_did_not_change_shows_no_change():
    for row in biascheck.measures.profession_table(random_result(0), random_result(0)):
        assert (row.test.p, row.direction) == (1.0, "female = male")


def test_pairs_are_matched_by_id_not_by_place():
    before, after = random_result(0), random_result(5)
    turned = replace(after, items=after.items[::-1])
    assert biascheck.measures.profession_table(before, turned) == biascheck.measures.profession_table(before, after)


def test_pairs_that_one_result_skipped_are_left_out_of_both():
    before, after = random_result(0), random_result(5)
    shorter = replace(after, items=tuple(item for item in after.items if item.id != "male/0"))
    assert [row.pairs for row in biascheck.measures.profession_table(before, shorter)] == [40, 40, 39]


def test_a_row_as_a_report_shows_it():
    row = biascheck.measures.profession_table(result_from(FEMALE, MALE))[1].attached()
    assert (row.name, row.pairs, row.direction, row.v) == ("female", 4, "female > male", 10.0)


@pytest.mark.parametrize("lacking", ["all", "one"])
def test_a_result_without_profession_groups_names_the_remedy(lacking):
    whole = result_from(FEMALE, MALE)
    bare = tuple(replace(i, labels={}) if lacking == "all" or i.id == "male/0" else i for i in whole.items)
    with pytest.raises(UsageError, match=r"association on before × bec-pro: .*no profession_group .* on bec_pro"):
        biascheck.measures.profession_table(replace(whole, items=bare))


def test_other_groups_than_female_and_male_name_the_remedy():
    whole = result_from(FEMALE, MALE)
    items = tuple(replace(i, groups={"young": 0.1, "old": 0.2}) for i in whole.items)
    with pytest.raises(UsageError, match="not of the groups female and male; measure association on bec_pro"):
        biascheck.measures.profession_table(replace(whole, items=items))


def test_a_second_result_of_another_corpus_is_refused():
    other = replace(random_result(0), items=tuple(replace(i, id=f"x/{i.id}") for i in random_result(0).items))
    with pytest.raises(ScoreError, match=r"'balanced' has 0 pairs in both results; measure the same corpus twice"):
        biascheck.measures.profession_table(random_result(0), other)


def test_a_group_of_one_pair_has_no_standard_deviation_and_no_row():
    one = result_from({"male": [0.1]}, {"male": [0.2]})
    with pytest.raises(ScoreError, match="'male' has 1 pairs; a row needs at least 2"):
        biascheck.measures.profession_table(one)


SHARES = {"nurse": 89.0, "teacher": 76.0, "baker": 60.0, "judge": 41.0, "pilot": 8.0, "mason": 2.5, "clerk": 60.0}


def measured(he, shares=SHARES, templates=("{target} is a {attribute}.", "{target} was a {attribute}.")):
    """Measure a model in which each profession has the given probability of "he"."""
    pairs = cross(
        [Template(text, f"t{n}") for n, text in enumerate(templates)],
        [(Target("he", "male"), Target("she", "female"))],
        [Attribute(job, labels={"share_of_women": share}) for job, share in shares.items()],
    )
    table = {job: {"he": p, "she": 1 - p} for job, p in he.items()}
    model = TableModel(table, {"he": 0.5, "she": 0.5})
    return biascheck.measures.association(model, Corpus("jobs", ("male", "female"), pairs))


def test_a_model_that_mirrors_the_workforce_correlates_negatively():
    result = biascheck.measures.workforce_correlation(measured({job: 1 - share / 100 for job, share in SHARES.items()}))
    assert result.estimate == pytest.approx(-1.0)
    assert (result.measure, result.statistic, result.unit) == ("workforce correlation", "spearman", "professions")
    assert (result.n, result.clusters, result.parity) == (7, 7, 0.0)
    turned = biascheck.measures.workforce_correlation(measured({job: share / 100 for job, share in SHARES.items()}))
    assert turned.estimate == pytest.approx(1.0)


def test_the_correlation_is_spearmans_over_professions():
    he = dict(zip(SHARES, (0.2, 0.5, 0.3, 0.35, 0.9, 0.6, 0.4), strict=True))
    result = biascheck.measures.workforce_correlation(measured(he))
    gaps = [log(p / 0.5) - log((1 - p) / 0.5) for p in he.values()]
    oracle = scipy.stats.spearmanr(gaps, list(SHARES.values()))
    assert (result.estimate, result.p) == pytest.approx((oracle.statistic, oracle.pvalue))
    assert [item.score for item in result.items] == pytest.approx(gaps)
    assert [item.covariate for item in result.items] == list(SHARES.values())


def test_more_templates_are_not_more_professions():
    he = dict(zip(SHARES, (0.2, 0.5, 0.3, 0.35, 0.9, 0.6, 0.4), strict=True))
    one = biascheck.measures.workforce_correlation(measured(he, templates=("{target} is a {attribute}.",)))
    two = biascheck.measures.workforce_correlation(measured(he))
    assert (one.n, one.estimate, one.p) == (two.n, pytest.approx(two.estimate), pytest.approx(two.p))


def test_a_result_without_shares_of_women_names_the_remedy():
    with pytest.raises(
        UsageError, match=r"association on tiny × jobs: .*no share_of_women; measure association on bec_pro"
    ):
        biascheck.measures.workforce_correlation(result_of(items_of(spread(0.3, 1.0))))


def test_a_profession_with_two_shares_of_women_is_refused():
    items = [
        replace(i, labels={"share_of_women": float(n)}) for n, i in enumerate(items_of({"nurse": [1, 2], "b": [1, 2]}))
    ]
    with pytest.raises(
        UsageError, match="the items of 'nurse' do not agree on share_of_women; give every attribute one"
    ):
        biascheck.measures.workforce_correlation(result_of(items))
