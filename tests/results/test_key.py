"""Identity: results that look alike stay separate, in storage, in a baseline, in an update of it and in a gate."""

import json
from dataclasses import replace

import pytest

from biascheck.gates.check import assert_all_within
from biascheck.gates.gate import Gate
from biascheck.results.attachments import Facts, Published, Table
from biascheck.results.codec import result_from_dict, result_to_dict
from biascheck.results.items import ItemScore
from biascheck.results.key import ResultKey
from biascheck.results.published import PublishedFigure
from biascheck.results.result import Result
from biascheck.runs.baseline import Baseline, compare_with_baseline, read_baseline, write_baseline
from biascheck.runs.file import read_run, write_results
from biascheck.stats import Change
from support.handmade import PROVENANCE, items_of, provenance_of, result_of

JOBS = [f"job{n}" for n in range(8)]


def commuters(north_home: float, north_work: float, **fields: object) -> Result:
    """Jobs whose gap depends on where people live and where they work; south is 0."""
    scores = {("north", "south"): north_home, ("south", "north"): north_work, ("south", "south"): 0.0}
    items = [
        ItemScore(f"{job}/{home}/{work}", gap + 0.001 * n, job, labels={"home": home, "work": work})
        for n, job in enumerate(JOBS)
        for (home, work), gap in scores.items()
    ]
    return result_of(items, **fields)


def norths(result: Result) -> list[Result]:
    return [result.where(home="north"), result.where(work="north")]


def stored(results: list[Result], tmp_path) -> list[Result]:
    write_results(tmp_path / "results.json", results)
    return list(read_run(tmp_path / "results.json").results)


def in_a_file(baseline: Baseline, tmp_path) -> Baseline:
    write_baseline(tmp_path / "baseline.json", baseline)
    return read_baseline(tmp_path / "baseline.json")


def test_two_slices_of_one_value_are_two_results(tmp_path):
    home, work = norths(commuters(1.0, -1.0))
    assert (home.title, work.title) == (
        "association on tiny × jobs (home=north)",
        "association on tiny × jobs (work=north)",
    )
    assert home.key != work.key
    assert home.key.digest != work.key.digest
    assert [one.key for one in stored([home, work], tmp_path)] == [home.key, work.key]


def test_each_slice_is_judged_against_its_own_entry(tmp_path):
    baseline = in_a_file(Baseline().updated(norths(commuters(1.0, 0.2))), tmp_path)
    assert len(baseline.entries) == 2
    found = compare_with_baseline(baseline, norths(commuters(1.0, 0.6, model="later")))
    assert {one.key.slice: (one.verdict, round(one.change, 6)) for one in found.comparisons} == {
        (("home", "north"),): (Change.NO_WORSE, 0.0),
        (("work", "north"),): (Change.REGRESSED, 0.4),
    }


def test_swapped_slices_do_not_vouch_for_each_other(tmp_path):
    """The old name "jobs·north" kept one of the two, and the other one was never looked at."""
    baseline = in_a_file(Baseline().updated(norths(commuters(1.0, 0.2))), tmp_path)
    found = compare_with_baseline(baseline, norths(commuters(0.2, 1.0)))
    assert [one.verdict for one in found.comparisons] == [Change.IMPROVED, Change.REGRESSED]
    (only,) = compare_with_baseline(baseline, norths(commuters(1.0, 0.6))[1:]).comparisons
    assert (only.verdict, only.before, only.after) == (Change.REGRESSED, pytest.approx(0.2035), pytest.approx(0.6035))


def test_an_update_of_one_slice_leaves_the_other(tmp_path):
    before = in_a_file(Baseline().updated(norths(commuters(1.0, 0.2))), tmp_path)
    after = in_a_file(before.updated(norths(commuters(0.7, 0.1))[:1]), tmp_path)
    assert {entry.slice: round(entry.estimate, 4) for entry in after.entries} == {
        (("home", "north"),): 0.7035,
        (("work", "north"),): 0.2035,
    }


def test_slices_in_any_order_are_one_part():
    whole = commuters(1.0, 0.5)
    there, back = whole.where(home="south").where(work="north"), whole.where(work="north").where(home="south")
    assert there.key == back.key == whole.where(work="north", home="south").key
    assert there.corpus_label == "jobs (home=south, work=north)"


def test_every_winograd_occupation_survives_under_both_labels(tmp_path):
    from biascheck.corpora import occupations

    names = [occupation.name for occupation in occupations()]
    assert len(names) == 40
    items = [
        ItemScore(f"{name}/{n}", 0.01 * place + 0.1 * n, f"{name}/{n}", labels={"occupation": name, "other": other})
        for place, (name, other) in enumerate(zip(names, [*names[1:], names[0]], strict=True))
        for n in range(5)
    ]
    whole = result_of(items, corpus="winograd-t1")
    parts = [whole.where(**{label: name}) for label in ("occupation", "other") for name in names]
    assert len({part.key for part in parts}) == 80
    assert [one.key for one in stored(parts, tmp_path)] == [part.key for part in parts]
    baseline = in_a_file(Baseline().updated(parts), tmp_path)
    again = in_a_file(baseline.updated(parts), tmp_path)
    assert {entry.key for entry in again.entries} == {part.key for part in parts}
    found = compare_with_baseline(again, parts)
    assert len(found.comparisons) == 80
    assert (found.new, found.unused, found.refused) == ((), (), ())
    assert all(one.change == 0.0 for one in found.comparisons)


def test_an_occupation_that_changed_under_one_label_is_found():
    every = [
        ItemScore(f"{o}/{p}/{n}", 0.1 * (n % 6), f"{n}", labels={"occupation": o, "other": p})
        for o, p in (("clerk", "baker"), ("baker", "clerk"))
        for n in range(12)  # 6 clusters are too few to tell a growth by 1 from 0.25 within a family
    ]
    moved = [replace(item, score=item.score + 1) if item.labels["other"] == "clerk" else item for item in every]
    before, after = (
        [result_of(some).where(**{label: "clerk"}) for label in ("occupation", "other")] for some in (every, moved)
    )
    found = compare_with_baseline(Baseline().updated(before), after)
    assert {one.corpus: one.verdict for one in found.comparisons} == {
        "jobs (occupation=clerk)": Change.NO_WORSE,
        "jobs (other=clerk)": Change.REGRESSED,
    }


def test_attachments_of_one_result_gather_and_survive(tmp_path):
    table = Table(columns=("job", "gap"), rows=(("nurse", -1.0),), title="by job")
    figures = Published(figures=(PublishedFigure(5e-05, "Kurita 2019", table="Table 3"),))
    facts = Facts(facts={"drawn": "twice"})
    plain = commuters(1.0, 0.2)
    result = plain.with_attachments(table).with_attachments(figures, facts).with_attachments(table)
    assert result.attachments == (table, figures, facts)
    assert result.key == plain.key
    (again,) = stored([result], tmp_path)
    assert again.attachments == (table, figures, facts)
    assert again.attachments[1].figures[0].value == 5e-05
    updated = in_a_file(Baseline().updated([result]), tmp_path).updated([plain])
    assert [entry.key for entry in updated.entries] == [plain.key]


def test_a_part_keeps_the_attachments_of_the_whole():
    table = Table(columns=("job",), rows=())
    assert commuters(1.0, 0.2).with_attachments(table).where(home="north").attachments == (table,)


def test_gates_and_comparisons_carry_the_key_of_what_they_judged():
    results = norths(commuters(0.1, 0.2))
    gates: tuple[Gate, ...] = assert_all_within(results, 0.5)
    assert [gate.key for gate in gates] == [result.key for result in results]
    (found,) = compare_with_baseline(Baseline((results[0],)), [replace(results[0], model="later")]).comparisons
    assert (found.key_before, found.key) == (results[0].key, results[0].key)


def of_content(fingerprint: str, centre: float, **fields: object) -> Result:
    gaps = {job: [centre + 0.01 * n] for n, job in enumerate(JOBS)}
    return result_of(items_of(gaps), provenance=replace(PROVENANCE, corpus_fingerprint=fingerprint * 64), **fields)


def test_two_corpora_of_one_name_stay_two(tmp_path):
    first, second = of_content("a", 1.0), of_content("b", 2.0)
    baseline = in_a_file(Baseline().updated([first, second]), tmp_path)
    assert len(baseline.entries) == 2
    found = compare_with_baseline(baseline, [of_content("b", 2.0), of_content("a", 1.5)])
    assert {one.key.corpus[0]: one.verdict for one in found.comparisons} == {
        "a": Change.REGRESSED,
        "b": Change.NO_WORSE,
    }


def test_a_corpus_that_changed_under_its_name_is_refused_and_not_new():
    found = compare_with_baseline(Baseline((of_content("a", 1.0),)), [of_content("b", 1.0)])
    assert (found.comparisons, found.new, found.unused, found.passed) == ((), (), (), False)
    (refusal,) = found.refused
    assert refusal.reason == "the corpus of that name has changed between them; measure both on the same corpus"


def test_of_two_corpora_of_one_name_the_changed_one_is_refused_and_replaced():
    baseline = Baseline((of_content("a", 1.0), of_content("b", 2.0)))
    now = [of_content("b", 2.0), of_content("c", 1.0)]
    found = compare_with_baseline(baseline, now)
    assert [one.key.corpus[0] for one in found.comparisons] == ["b"]
    assert len(found.refused) == 1
    assert {entry.key.corpus[0] for entry in baseline.updated(now).entries} == {"b", "c"}


def test_another_corpus_of_the_name_beside_the_known_one_is_new():
    found = compare_with_baseline(Baseline((of_content("a", 1.0),)), [of_content("a", 1.0), of_content("b", 1.0)])
    assert (len(found.comparisons), found.refused, found.new) == (1, (), ("association on tiny × jobs",))


def test_each_of_several_models_is_judged_against_itself(tmp_path):
    centres = {"small": 0.2, "large": 1.0}
    before = [of_content("c", centre, model=name) for name, centre in centres.items()]
    models = {name: replace(PROVENANCE, model_fingerprint=name[0] * 64) for name in centres}
    before = [replace(one, provenance=models[one.model]) for one in before]
    baseline = in_a_file(Baseline().updated(before), tmp_path)
    assert baseline.models == ("large", "small")
    found = compare_with_baseline(baseline, [replace(one, model=one.model) for one in before])
    assert all(one.change == 0.0 for one in found.comparisons)
    third = of_content("c", 1.0, model="third")
    refused = compare_with_baseline(baseline, [third])
    assert refused.new == ()
    assert "the baseline has this for large, small, and none is called third" in refused.refused[0].reason
    assert len(baseline.updated([third]).entries) == 3


def test_of_two_models_of_one_name_the_same_weights_are_taken():
    one, two = (
        replace(of_content("c", centre), provenance=replace(PROVENANCE, model_fingerprint=weights * 64))
        for centre, weights in ((1.0, "x"), (2.0, "y"))
    )
    baseline = Baseline().updated([one, two])
    assert baseline.find(two).estimate == two.estimate
    assert baseline.find(one).estimate == one.estimate
    renamed = replace(two, model="renamed")
    assert baseline.find(renamed).estimate == two.estimate


@pytest.mark.parametrize(
    ("jobs", "repeats", "lost"),
    [
        (8, 2, ""),
        (6, 2, "12 pairs where the baseline has 16 and 6 clusters where the baseline has 8"),
        (8, 1, "8 pairs where the baseline has 16"),
    ],
)
def test_fewer_items_or_clusters_than_the_baseline_are_a_finding(jobs, repeats, lost):
    def on(count: int, times: int) -> Result:
        return result_of(items_of({job: [1.0 + 0.01 * n] * times for n, job in enumerate(JOBS[:count])}))

    found = compare_with_baseline(Baseline((on(8, 2),)), [on(jobs, repeats)])
    assert len(found.comparisons) == 1
    assert found.passed is not bool(lost)
    assert [finding.reason for finding in found.shrunk] == ([lost] if lost else [])


def test_more_items_than_the_baseline_are_no_loss():
    small = result_of(items_of({job: [1.0] for job in JOBS[:6]}))
    large = result_of(items_of({job: [1.0] for job in JOBS}))
    assert compare_with_baseline(Baseline((small,)), [large]).shrunk == ()


def test_a_comparison_without_an_interval_does_not_pass():
    before, after = (result_of(items_of({job: [gap] for job in JOBS[:3]})) for gap in (1.0, 0.5))
    found = compare_with_baseline(Baseline((before,)), [after])
    (comparison,) = found.comparisons
    assert (comparison.interval, comparison.passed, found.passed) == (None, False, False)
    assert "cannot be judged: too few clusters for an interval" in comparison.finding


def test_a_key_is_plain_and_says_all_that_identifies():
    key = commuters(1.0, 0.2, treatment=("small", "online"), provenance=provenance_of()).where(home="north").key
    assert key == ResultKey(
        measure="association",
        version=1,
        statistic="mean",
        model="m" * 64,
        treatment=("small", "online"),
        corpus="c" * 64,
        slice=(("home", "north"),),
        contrast=("male", "female"),
        options='{"contrast": ["male", "female"], "multi_token": "joint"}',
    )
    again = result_from_dict(json.loads(json.dumps(result_to_dict(commuters(1.0, 0.2).where(home="north")))))
    assert again.key == commuters(1.0, 0.2).where(home="north").key


@pytest.mark.parametrize(
    "change",
    [
        {"measure": "other"},
        {"statistic": "mean_absolute"},
        {"treatment": ("online",)},
        {"contrast": ("female", "male")},
        {"slice": (("home", "north"),)},
        {"provenance": replace(PROVENANCE, measure_version=2)},
        {"provenance": replace(PROVENANCE, model_fingerprint="x" * 64)},
        {"provenance": replace(PROVENANCE, corpus_fingerprint="x" * 64)},
        {"provenance": replace(PROVENANCE, options={"multi_token": "first"})},
    ],
)
def test_whatever_identifies_makes_another_key(change):
    result = commuters(1.0, 0.2)
    assert replace(result, **change).key != result.key
    assert replace(result, **change).key.digest != result.key.digest


@pytest.mark.parametrize("change", [{"model": "another name"}, {"corpus": "another name"}, {"unit": "words"}])
def test_names_for_people_do_not(change):
    result = commuters(1.0, 0.2)
    assert replace(result, **change).key == result.key


def test_one_group_alone_is_another_result_than_the_gap():
    result = result_of(items_of({job: [0.5, 0.25] for job in JOBS}))
    male = result.of_group("male")
    assert (male.contrast, male.corpus_label, male.estimate) == (("male", ""), "jobs (male only)", 0.375)
    assert male.key != result.key
    assert result.of_group("female").estimate == 0.0
