"""Results on disk: the same when read again, refused when not understood, never half written."""

import json
from dataclasses import asdict, replace
from math import inf, nan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from biascheck.core.errors import ResultError
from biascheck.gates.gate import Gate
from biascheck.results.attachments import Correlations, Facts, Published, Scatter, Table
from biascheck.results.codec import (
    RESULTS_SCHEMA,
    SCHEMA_OF_COLUMNS,
    converted,
    plain,
    result_from_dict,
    result_to_dict,
    storable,
)
from biascheck.results.compare import compare
from biascheck.results.definition import Description
from biascheck.results.items import ItemScore, Shown, Skipped
from biascheck.results.key import ResultKey
from biascheck.results.published import PublishedFigure
from biascheck.results.result import Provenance, Result
from biascheck.runs.baseline import Baseline, compare_with_baseline
from biascheck.runs.file import read_results, read_run, write_results, write_run
from biascheck.runs.outcome import BiasTestState, RunOutcome, TestOutcome
from biascheck.runs.run import Run
from biascheck.stats import Interval, Verdict
from support.handmade import SHOWN, SKIPPED, gate_of, items_of, key_of, result_of, spread

PUBLISHED = PublishedFigure(5e-05, "Kurita 2019", "skills", "Table 3", "BERT", "0.5 in print", "cased")
DESCRIPTION = Description(
    name="association",
    version=2,
    statistic="mean",
    direction="upwards",
    unit="nats",
    sign="towards {first}",
    about="what it is",
    limits=("English only", "two genders"),
    paper="kurita2019",
    needs=("fills masks",),
    smallest_change=0.02,
    smallest_change_reason="two per cent",
)
ATTACHMENTS = (
    Table(columns=("name", "v"), rows=(("Ärztin", 1.5), ("Arzt", None)), title="people"),
    Scatter(x="share", y="gap", points=()),
    Correlations(names=("a", "b"), matrix=((1.0, 0.5), (0.5, 1.0))),
    Published(figures=(PUBLISHED,)),
    Facts(facts={"seeds": [1, 2], "why": {"deep": None}}),
)


def full_result(**changes):
    items = [replace(item, sentences=SHOWN, side="A", covariate=0.25) for item in items_of(spread(0.3, 1.0))]
    items = items[: changes.pop("only", len(items))]
    texts = {
        "model": "größe-7b",
        "warnings": ("Vorsicht: “ß” ≠ “ss”",),
        "description": DESCRIPTION,
        "treatment": ("small", "mix-all"),
        "slice": (("group", "female"), ("year", 2019)),
        "several_groups": True,
        "attachments": ATTACHMENTS,
    }
    return result_of(items, **{**texts, "skipped": (SKIPPED,), **changes})


def full_gate(**changes):
    key = key_of(treatment=("small",), slice=(("group", "female"),))
    sizes = {"skipped": 3, "seed": 7, "detectable": 0.1, "family": 4, "most_skipped": 0.5, "skip_reason": "too long"}
    words = {"offenders": ("nurse −1.90", "Müller +1.20"), "reason": "agreed", "test": "t::x", "warnings": ("caution",)}
    full = {**sizes, **words, "verdict": Verdict.EXCEEDS, "published": (PUBLISHED,), "key": key, "note": "p < 0.001"}
    return replace(gate_of(), passed=False, **{**full, **changes})


def test_everything_comes_back_as_it_was(tmp_path):
    results = (full_result(), full_result(seed=3), result_of(items_of(spread(1, 1, 3))))
    gates = (full_gate(), full_gate(interval=None, detectable=None, verdict=Verdict.INCONCLUSIVE))
    assert results[2].interval is None
    write_results(tmp_path / "deep" / "results.json", results, gates)
    assert read_results(tmp_path / "deep" / "results.json") == (results, gates)


def test_a_whole_run_comes_back_as_it_was(tmp_path):
    moved = replace(full_result(), items=tuple(replace(item, score=item.score + 0.2) for item in full_result().items))
    comparisons = (compare(full_result(), moved), compare(full_result(), full_result()))
    tests = (
        TestOutcome("t::x", BiasTestState.JUDGED, failed=True, earlier=("failed a gate",)),
        *(TestOutcome(f"t::{state}", state, reason=f"because {state}") for state in BiasTestState),
    )
    outcome = RunOutcome(tests, interrupted=True, problems=("disk full",))
    before = Baseline((full_result(), full_result(corpus="gone"), full_result(corpus="less")))
    other = replace(full_result().provenance, corpus_fingerprint="d" * 64)
    fewer = full_result(corpus="less", only=8)
    now = [moved, full_result(corpus="new"), full_result(corpus="gone", provenance=other), fewer]
    baseline = compare_with_baseline(before, now)
    assert all((baseline.comparisons, baseline.refused, baseline.new, baseline.shrunk))
    run = Run((full_result(),), (full_gate(),), comparisons, outcome, baseline)
    write_run(tmp_path / "results.json", run)
    assert read_run(tmp_path / "results.json") == run


def test_a_file_states_the_verdict_of_its_run(tmp_path):
    write_run(tmp_path / "results.json", Run((full_result(),), (full_gate(),)))
    document = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert (document["verdict"], document["failures"], document["complete"]) == (
        "FAIL",
        ["1 of 1 judgement failed"],
        True,
    )


def test_a_result_read_again_is_of_the_same_types():
    result = result_from_dict(json.loads(json.dumps(result_to_dict(full_result()))))
    assert isinstance(result.items[0].sentences["female"], Shown)
    assert isinstance(result.interval, Interval)
    assert isinstance(result.provenance, Provenance)
    assert (type(result.contrast), type(result.items), type(result.skipped)) == (tuple, tuple, tuple)
    assert result.interval_at(0.99) == full_result().interval_at(0.99)


def test_text_is_stored_to_be_read(tmp_path):
    write_results(tmp_path / "results.json", [full_result()])
    text = (tmp_path / "results.json").read_text(encoding="utf-8")
    assert "Sie ist Bäckerin 👩‍🍳." in text


numbers = st.floats(allow_nan=False, allow_infinity=False)
names = st.text(max_size=8)
labels = st.dictionaries(names, names | numbers, max_size=2)
treatments = st.lists(names, max_size=2).map(tuple)
slices = st.dictionaries(names, names | numbers | st.integers(), max_size=2).map(lambda s: tuple(sorted(s.items())))
plain_values = st.recursive(
    st.none() | st.booleans() | st.integers() | numbers | names, lambda v: st.lists(v, max_size=3)
)
figures = st.builds(PublishedFigure, numbers, st.text(min_size=1, max_size=8), names, names, names, names, names)
attachments = st.one_of(
    st.builds(Published, figures=st.lists(figures, max_size=2).map(tuple)),
    st.builds(Facts, facts=st.dictionaries(names, plain_values, max_size=2)),
    st.builds(Table, columns=st.just(("a", "b")), rows=st.lists(st.tuples(names, numbers), max_size=2).map(tuple)),
)
intervals = st.builds(
    lambda ends, level: Interval(min(ends), max(ends), level, "by hand"),
    st.tuples(numbers, numbers),
    st.floats(0.01, 0.99),
)
items = st.builds(
    ItemScore,
    names,
    numbers,
    names,
    groups=st.dictionaries(names, numbers, max_size=3),
    side=st.none() | st.sampled_from("AB"),
    covariate=st.none() | numbers,
    labels=labels,
    sentences=st.dictionaries(names, st.builds(Shown, names, st.integers(0, 9), st.integers(0, 9)), max_size=2),
)
results = st.builds(
    Result,
    measure=names,
    model=names,
    corpus=names,
    statistic=names,
    estimate=numbers,
    interval=st.none() | intervals,
    n=st.integers(0),
    clusters=st.integers(0),
    seed=st.integers(0),
    contrast=st.tuples(names, names),
    provenance=st.builds(
        Provenance,
        st.integers(),
        names,
        names,
        names,
        st.dictionaries(names, plain_values, max_size=2),
        st.just({}),
        names,
    ),
    items=st.lists(items, max_size=3).map(tuple),
    skipped=st.lists(st.builds(Skipped, names, names, labels), max_size=2).map(tuple),
    parity=numbers,
    p=st.none() | numbers,
    effect_size=st.none() | numbers,
    unit=names,
    warnings=st.lists(names, max_size=2).map(tuple),
    treatment=treatments,
    slice=slices,
    several_groups=st.booleans(),
    description=st.builds(
        Description,
        names,
        st.integers(),
        names,
        numbers,
        st.sampled_from(("from parity", "upwards")),
        limits=treatments,
    ),
    attachments=st.lists(attachments, max_size=3).map(tuple),
)
keys = st.builds(
    ResultKey,
    **dict.fromkeys(("measure", "statistic", "model", "corpus", "options"), names),
    version=st.integers(),
    treatment=treatments,
    slice=slices,
    contrast=st.tuples(names, names),
)
gates = st.builds(
    Gate,
    **dict.fromkeys(("title", "model", "corpus", "unit", "reason", "test", "note", "skip_reason"), names),
    **dict.fromkeys(("estimate", "margin", "parity", "most_skipped"), numbers),
    **{name: st.integers(0) for name in ("n", "clusters", "skipped", "seed", "family")},
    key=keys,
    published=st.lists(figures, max_size=2).map(tuple),
    bound=st.sampled_from(("within", "below")),
    interval=st.none() | intervals,
    verdict=st.sampled_from(Verdict),
    passed=st.booleans(),
    offenders=st.lists(names, max_size=3).map(tuple),
    detectable=st.none() | numbers,
    warnings=st.lists(names, max_size=2).map(tuple),
)


@pytest.mark.takes_seconds
@settings(max_examples=60)
@given(results)
def test_any_result_survives_json(result):
    assert result_from_dict(json.loads(json.dumps(result_to_dict(result), allow_nan=False))) == result


@settings(max_examples=40)
@given(gates)
def test_any_gate_survives_json(gate):
    assert converted(json.loads(json.dumps(plain(asdict(gate)), allow_nan=False)), Gate) == gate


@pytest.fixture
def stored(tmp_path):
    """A file of results and a way to change what is in it."""
    path = tmp_path / "results.json"
    write_results(path, [full_result()], [full_gate()])

    def change(edit):
        document = json.loads(path.read_text(encoding="utf-8"))
        edit(document)
        path.write_text(json.dumps(document), encoding="utf-8")
        return path

    return change


@pytest.mark.parametrize("inside", [False, True], ids=["file", "result"])
def test_a_file_of_a_later_release_is_refused(stored, inside):
    newest = SCHEMA_OF_COLUMNS if inside else RESULTS_SCHEMA
    path = stored(lambda d: (d["results"][0] if inside else d).update(schema=newest + 1))
    refusal = rf"schema {newest + 1}, and this release reads up to {newest}; upgrade pytest-biascheck"
    with pytest.raises(ResultError, match=refusal):
        read_results(path)


@pytest.mark.parametrize("schema", [1, 2])
@pytest.mark.parametrize("inside", [False, True], ids=["file", "result"])
def test_an_older_schema_is_refused_with_the_remedy(stored, inside, schema):
    path = stored(lambda d: (d["results"][0] if inside else d).update(schema=schema))
    with pytest.raises(ResultError, match=f"written with schema {schema}, which this release does not read; measure"):
        read_results(path)


@pytest.mark.parametrize("schema", [None, "1", 0, [1]])
@pytest.mark.parametrize("inside", [False, True], ids=["file", "result"])
def test_something_without_a_schema_is_refused(stored, inside, schema):
    path = stored(lambda d: (d["results"][0] if inside else d).update(schema=schema))
    with pytest.raises(ResultError, match="no schema version; biascheck did not write this"):
        read_results(path)


@pytest.mark.parametrize("text", ["{}", "[]", "3", '"text"', '{"name": "left-pad", "schema": 1}'])
def test_json_of_another_program_is_refused(tmp_path, text):
    path = tmp_path / "package.json"
    path.write_text(text)
    with pytest.raises(ResultError, match=r"package\.json: not a biascheck results file"):
        read_results(path)


@pytest.mark.parametrize("kept", [0.0, 0.3, 0.99])
def test_a_truncated_file_is_refused(tmp_path, kept):
    path = tmp_path / "results.json"
    write_results(path, [full_result()])
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * kept)])
    with pytest.raises(ResultError, match=r"results\.json: not readable as JSON .* the file is damaged, measure again"):
        read_results(path)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "results.json").write_bytes(b"\x80\x81\xff")
    with pytest.raises(ResultError, match="not readable as JSON"):
        read_results(tmp_path / "results.json")


def test_a_missing_file_names_the_flag_that_writes_it(tmp_path):
    path = tmp_path / "results.json"
    with pytest.raises(ResultError) as error:
        read_results(path)
    assert str(error.value) == f"no results at {path}; write them with pytest --bias-results {path}"


def test_a_folder_is_no_file_of_results(tmp_path):
    with pytest.raises(ResultError, match=r"cannot be read .* name a file that pytest --bias-results wrote"):
        read_results(tmp_path)


WITHOUT = [(name, "result") for name in ("estimate", "interval", "items", "n", "provenance", "contrast")]
WITHOUT += [(name, "gate") for name in ("verdict", "interval", "margin", "passed", "clusters")]


@pytest.mark.parametrize(("name", "kind"), WITHOUT)
def test_a_missing_field_is_named(stored, name, kind):
    path = stored(lambda d: d[f"{kind}s"][0].pop(name))
    with pytest.raises(
        ResultError, match=rf"lacks or misspells a field \(Object missing required field `{name}`.*; measure it again"
    ):
        read_results(path)


@pytest.mark.parametrize(
    "edit",
    [
        lambda d: d.pop("results"),
        lambda d: d.pop("gates"),
        lambda d: d.pop("comparisons"),
        lambda d: d.pop("outcome"),
        lambda d: d["gates"][0].pop("key"),
        lambda d: d.update(gates=3),
        lambda d: d["gates"].append(None),
        lambda d: d["gates"][0].update(verdict="splendid"),
        lambda d: d["gates"][0].update(colour="red"),
        lambda d: d["gates"][0].update(key=None),
        lambda d: d["gates"][0]["key"].update(slice=[["home"]]),
        lambda d: d["gates"][0].update(published="0.5 (§ 4)"),
        lambda d: d["gates"][0].update(estimate=True),
        lambda d: d["results"].append("text"),
        lambda d: d["results"][0].update(colour="red"),
        lambda d: d["results"][0]["items"][0].update(sides="A"),
        lambda d: d["results"][0].update(attachments=[{"kind": "picture"}]),
        lambda d: d["results"][0].update(treatment="mix-all"),
        lambda d: d["results"][0].update(n="12"),
        lambda d: d.update(outcome={"tests": [{"test": "t", "state": "dreamt"}]}),
        lambda d: d.update(baseline=[]),
        lambda d: d["results"][0]["items"][0].update(score="high"),
        lambda d: d["results"][0]["items"][0].update(sentences={"male": ["He."]}),
        lambda d: d["results"][0]["interval"].pop("method"),
        lambda d: d["results"][0].update(provenance=[]),
    ],
)
def test_a_file_edited_by_hand_is_refused_with_a_reason(stored, edit):
    with pytest.raises(ResultError, match=r"lacks or misspells a field|biascheck did not write this|unknown field"):
        read_results(stored(edit))


def test_a_score_edited_to_nan_is_refused(stored):
    with pytest.raises(ResultError, match="NaN is not a finite number"):
        read_results(stored(lambda d: d["results"][0]["items"][0].update(score=nan)))


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "1e999"])
def test_a_number_that_is_not_finite_is_refused_wherever_it_is(stored, text):
    path = stored(lambda d: d["results"][0]["provenance"]["options"].update(multi_token="here"))
    path.write_text(path.read_text(encoding="utf-8").replace('"here"', text), encoding="utf-8")
    with pytest.raises(ResultError, match=f"not readable as JSON .{text} is not a finite number"):
        read_results(path)


def test_half_a_character_comes_back_as_it_was(tmp_path):
    result = full_result(attachments=(Facts(facts={"value": "\ud800"}),))
    write_results(tmp_path / "results.json", [result])
    assert read_results(tmp_path / "results.json") == ((result,), ())


@pytest.mark.parametrize("value", [nan, inf, {1, 2}], ids=["nan", "inf", "set"])
def test_what_json_cannot_express_is_never_written(tmp_path, value):
    path = tmp_path / "results.json"
    write_results(path, [full_result()])
    before = path.read_bytes()
    with pytest.raises(ResultError, match=r"results\.json: not written, a result holds what JSON cannot express"):
        write_results(path, [full_result(attachments=(Facts(facts={"value": value}),))])
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("value", [nan, {1, 2}, "\ud800", np.float32(1)], ids=["nan", "set", "half", "numpy"])
@pytest.mark.parametrize(
    "place",
    [
        lambda value: full_result(provenance=replace(full_result().provenance, options={"value": value})),
        lambda value: full_result(attachments=(Facts(facts={"value": value}),)),
        lambda value: full_result(warnings=(value,)),
    ],
    ids=["option", "attachment", "warning"],
)
def test_what_no_file_can_hold_is_refused_with_the_remedy(place, value):
    with pytest.raises(ResultError, match=r"cannot be stored .* use plain finite numbers, text, lists and dicts"):
        storable(place(value))


def test_what_a_file_can_hold_is_its_document():
    assert storable(full_result()) == result_to_dict(full_result())


class _HalfAFile:
    """A file on a disk that fills up in the middle of a write."""

    def __init__(self, file, error):
        self._file, self._error = file, error

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()

    def write(self, text):
        self._file.write(text[: len(text) // 2])
        self._file.flush()
        raise self._error


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=["full", "interrupt"]
)
@pytest.mark.parametrize("existing", [True, False])
def test_a_write_that_fails_in_the_middle_leaves_the_old_file(tmp_path, monkeypatch, error, existing):
    path = tmp_path / "results.json"
    if existing:
        write_results(path, [full_result()])
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    opened = Path.open
    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", lambda *a, **k: _HalfAFile(opened(*a, **k), error))
        with pytest.raises(type(error)):
            write_results(path, [full_result(seed=9)])
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_rename_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "results.json"
    write_results(path, [full_result()])
    before = path.read_bytes()

    def refuse(_self, _target):
        raise PermissionError("the file is open elsewhere")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(PermissionError):
        write_results(path, [])
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == before
