"""Files of earlier releases are still read and upgraded."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from biascheck.results.codec import kind_of
from biascheck.results.result import Result
from biascheck.runs.baseline import compare_with_baseline, read_baseline, write_baseline
from biascheck.runs.file import read_run, write_run
from biascheck.stats import Change, Verdict
from support.handmade import PROVENANCE, items_of, result_of

DATA = Path(__file__).resolve().parents[1] / "support" / "data"
RESULTS = {schema: DATA / f"results_of_schema_{schema}.json" for schema in (1, 2)}
BASELINES = {schema: DATA / f"baseline_of_schema_{schema}.json" for schema in (1, 2)}
EACH = pytest.mark.parametrize("schema", [1, 2])


def now(**fields) -> Result:
    """What this release measures on the corpus of the stored files: six jobs, twice each."""
    jobs = ("baker", "judge", "mason", "nurse", "pilot", "tailor")
    gaps = items_of({job: [0.25 * n - 0.5, 0.25 * n] for n, job in enumerate(jobs)})
    homes = [replace(item, labels={"home": ("north", "south")[n % 2]}) for n, item in enumerate(gaps)]
    return result_of(homes, **{"model": "bert", "provenance": PROVENANCE, **fields})


@EACH
def test_the_files_are_of_their_schemas(schema):
    assert kind_of(RESULTS[schema]) == ("biascheck results", schema)
    assert kind_of(BASELINES[schema]) == ("biascheck baseline", schema)
    assert {entry["schema"] for entry in json.loads(RESULTS[schema].read_text("utf-8"))["results"]} == {schema}


@EACH
def test_results_are_read_with_the_identity_that_their_names_tell(schema):
    treated, part, plain = read_run(RESULTS[schema]).results
    assert [(one.model, one.treatment, one.corpus, one.slice) for one in (treated, part, plain)] == [
        ("bert", ("mix-all",), "jobs", ()),
        ("bert", ("mix-all",), "jobs", (("part", "north"),)),
        ("bert", (), "jobs", ()),
    ]
    assert (treated.title, part.title) == (
        "association on bert·mix-all × jobs",
        "association on bert·mix-all × jobs (part=north)",
    )
    assert len({one.key for one in (treated, part, plain)}) == 3


@EACH
def test_the_figures_of_results_are_those_that_were_written(schema):
    documents = json.loads(RESULTS[schema].read_text("utf-8"))["results"]
    for document, read in zip(documents, read_run(RESULTS[schema]).results, strict=True):
        assert (read.estimate, read.n, read.clusters, read.p) == tuple(
            document[k] for k in ("estimate", "n", "clusters", "p")
        )
        assert (read.interval.low, read.interval.high) == (document["interval"]["low"], document["interval"]["high"])
        assert [item.score for item in read.items] == [item["score"] for item in document["items"]]
        assert read.items[0].labels == {"home": "north", "work": "north"}
        assert (read.attachments, read.description.name) == ((), "")


@EACH
def test_gates_are_read_with_a_key_and_their_published_text_as_a_note(schema):
    whole, part = read_run(RESULTS[schema]).gates
    assert (whole.model, whole.model_label, whole.key.treatment) == ("bert", "bert·mix-all", ("mix-all",))
    assert (part.corpus, part.key.slice) == ("jobs (part=north)", (("part", "north"),))
    assert (whole.verdict, whole.passed, part.passed) == (Verdict.WITHIN, True, False)
    assert (whole.published, whole.note) == ((), "published: 0.83 (Bartl 2020, Table 5, BERT)")
    assert "; published: 0.83 (Bartl 2020, Table 5, BERT) (12 pairs, 1 skipped, seed 0)" in whole.finding
    assert (whole.reason, whole.test, whole.bound) == ("agreed", "test_jobs.py::test_jobs", "within")


def test_comparisons_are_read_with_keys():
    (found,) = read_run(RESULTS[2]).comparisons
    assert found.title == "association on bert → bert·mix-all × jobs"
    assert (found.key_before.treatment, found.key.treatment) == ((), ("mix-all",))
    assert (found.verdict, found.passed, found.contrast) == (Change.NO_WORSE, True, ("male", "female"))
    assert [(move.name, move.before, move.after) for move in found.moves][:2] == [
        ("baker", -0.25, -0.25),
        ("judge", 0.0, 0.0),
    ]


def test_an_interrupted_run_stays_one():
    first, second = read_run(RESULTS[1]), read_run(RESULTS[2])
    assert (first.outcome, first.complete) == (None, True)
    assert not second.complete
    assert second.failures == ("the run was interrupted", "3 tests did not run")


@EACH
def test_what_was_read_is_written_in_the_present_schema(schema, tmp_path):
    run = read_run(RESULTS[schema])
    write_run(tmp_path / "results.json", run)
    assert kind_of(tmp_path / "results.json") == ("biascheck results", 3)
    assert read_run(tmp_path / "results.json") == run
    baseline = read_baseline(BASELINES[schema])
    write_baseline(tmp_path / "baseline.json", baseline)
    assert kind_of(tmp_path / "baseline.json") == ("biascheck baseline", 3)
    assert read_baseline(tmp_path / "baseline.json") == baseline


@EACH
def test_the_entries_of_a_baseline_are_read(schema):
    entries = read_baseline(BASELINES[schema]).entries
    assert [(one.title, one.n, one.estimate) for one in entries] == [
        ("association on bert·mix-all × jobs", 12, 0.375),
        ("association on bert·mix-all × jobs (part=north)", 6, 0.125),
        ("association on bert × jobs", 12, 0.375),
    ]
    assert {item.draw for item in entries[0].items} == ({None} if schema == 1 else {1})


@EACH
def test_a_result_on_a_whole_corpus_is_judged_against_its_entry(schema):
    baseline = read_baseline(BASELINES[schema])
    found = compare_with_baseline(baseline, [now(), now(treatment=("mix-all",))])
    assert [one.verdict for one in found.comparisons] == [Change.NO_WORSE] * 2
    assert not found.new


@EACH
def test_a_part_of_a_corpus_is_refused_and_not_taken_for_new(schema):
    """Nothing tells home="north" from work="north" in an old file; passing both as new would hide them."""
    baseline = read_baseline(BASELINES[schema])
    found = compare_with_baseline(baseline, [now(), now(treatment=("mix-all",)).where(home="north")])
    assert (len(found.comparisons), found.new, found.passed) == (1, (), False)
    (refusal,) = found.refused
    assert (
        "did not store which part of the corpus an entry is about; write it again with --bias-update-bas"
        in refusal.reason
    )


@EACH
def test_an_update_replaces_entries_of_unknown_parts(schema):
    treated = now(treatment=("mix-all",))
    fresh = [treated, treated.where(home="north"), treated.where(home="south"), now()]
    updated = read_baseline(BASELINES[schema]).updated(fresh)
    assert {entry.key for entry in updated.entries} == {one.key for one in fresh}
    assert compare_with_baseline(updated, fresh).passed


def test_an_update_leaves_unknown_parts_of_other_corpora():
    baseline = read_baseline(BASELINES[2])
    other = now(corpus="traits", provenance=replace(PROVENANCE, corpus_fingerprint="t" * 64))
    assert {entry.key for entry in baseline.updated([other]).entries} == {
        *(entry.key for entry in baseline.entries),
        other.key,
    }
