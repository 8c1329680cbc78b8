"""Baselines: found by what was asked, small on disk, the same when read again."""

import json
from dataclasses import replace
from itertools import accumulate
from random import Random

import pytest

from biascheck import compare
from biascheck.core.errors import ResultError, UsageError
from biascheck.results.items import ItemScore
from biascheck.runs.baseline import Baseline, compare_with_baseline, read_baseline, write_baseline
from biascheck.stats import Change
from support.handmade import PROVENANCE, SHOWN, items_of, provenance_of, result_of, spread


def result(centre=1.0, **fields):
    items = [replace(item, sentences=SHOWN) for item in items_of(spread(centre, 0.5, 12))]
    return result_of(items, **fields)


def test_an_entry_is_found_by_its_question_whoever_answers():
    baseline = Baseline((result(), result(measure="other measure"), result(slice=(("group", "female"),))))
    assert baseline.find(result(2.0, model="checkpoint", seed=3)) is baseline.entries[0]
    assert baseline.find(result(measure="third")) is None
    options = {**PROVENANCE.options, "multi_token": "first"}
    assert baseline.find(result(provenance=replace(PROVENANCE, options=options))) is None


def test_a_treated_model_is_compared_with_one_with_the_same_treatment():
    baseline = Baseline((result(model="base", treatment=("original",)), result(model="base", treatment=("mix-all",))))
    assert baseline.find(result(model="checkpoint", treatment=("mix-all",))) is baseline.entries[1]
    assert baseline.find(result(model="checkpoint")) is None


def test_of_several_models_the_one_of_the_same_name_is_taken():
    baseline = Baseline((result(model="plain"), result(model="debiased")))
    assert baseline.find(result(model="debiased")) is baseline.entries[1]
    assert baseline.find(result(model="third")) is None
    with pytest.raises(UsageError, match="the baseline has this for plain, debiased, and none is called third"):
        _ = baseline[result(model="third")]


def test_an_update_replaces_what_was_measured_and_keeps_the_rest():
    before = Baseline((result(), result(corpus="traits")))
    after = before.updated([result(2.0, model="later")])
    assert [(entry.corpus, entry.model) for entry in after.entries] == [("jobs", "later"), ("traits", "tiny")]


def test_an_update_with_two_models_keeps_both():
    after = Baseline().updated([result(model="a"), result(model="b")])
    assert after.models == ("a", "b")


def test_a_baseline_comes_back_with_the_same_figures(tmp_path):
    sided = [replace(item, side="AB"[n % 2], covariate=n / 4) for n, item in enumerate(items_of(spread(0.3, 1.0, 14)))]
    written = Baseline((result(), result_of(sided, corpus="sides", statistic="standardised_difference")))
    write_baseline(tmp_path / "deep" / "baseline.json", written)
    read = read_baseline(tmp_path / "deep" / "baseline.json")
    for before, after in zip(written.entries, read.entries, strict=True):
        assert after.estimate == pytest.approx(before.estimate, rel=1e-6)
        assert compare(before, after).verdict is Change.NO_WORSE
        assert {(i.id, i.cluster, i.side, i.covariate) for i in before.items} == {
            (i.id, i.cluster, i.side, i.covariate) for i in after.items
        }


def test_a_tiny_score_keeps_its_sign(tmp_path):
    small = result_of(items_of({f"job{n}": [-1e-9] for n in range(6)}), statistic="share_positive", parity=0.5)
    write_baseline(tmp_path / "b.json", Baseline((small,)))
    assert read_baseline(tmp_path / "b.json").entries[0].estimate == 0.0


def test_no_sentence_is_stored(tmp_path):
    write_baseline(tmp_path / "b.json", Baseline((result(),)))
    assert SHOWN["male"].text not in (tmp_path / "b.json").read_text(encoding="utf-8")


def test_writing_twice_gives_the_same_bytes_in_any_order_of_items(tmp_path):
    plain = result()
    write_baseline(tmp_path / "one.json", Baseline((plain,)))
    write_baseline(tmp_path / "two.json", Baseline((replace(plain, items=plain.items[::-1]),)))
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_rows_that_differ_in_what_is_missing_have_one_order(tmp_path):
    """None and 0 are two rows; a set of them comes in any order, from one process to the next."""
    missing = [
        ItemScore("a", 1.0, "c", covariate=covariate, draw=draw)
        for covariate in (None, 0.0, 1.0)
        for draw in (None, 0, 1)
    ]
    written = set()
    for seed in range(20):
        shuffled = Random(seed).sample(missing, len(missing))
        write_baseline(tmp_path / "b.json", Baseline(tuple(result_of([item], corpus=item.id) for item in shuffled)))
        written.add((tmp_path / "b.json").read_text(encoding="utf-8").split('"entries"')[0])
    assert len(written) == 1
    write_baseline(tmp_path / "b.json", Baseline((result_of(missing),)))
    first = (tmp_path / "b.json").read_bytes()
    write_baseline(tmp_path / "b.json", Baseline((result_of(missing[::-1]),)))
    assert (tmp_path / "b.json").read_bytes() == first


def test_rows_may_come_in_any_order(tmp_path):
    """A file of another order of rows has the same entries, and is judged alike."""
    plain = result()
    write_baseline(tmp_path / "b.json", Baseline((plain,)))
    document = json.loads((tmp_path / "b.json").read_text(encoding="utf-8"))
    last = len(document["items"]) - 1
    (entry,) = document["entries"]
    places = [last - place for place in accumulate(entry["items"])]
    document["items"].reverse()
    entry["items"] = [after - before for before, after in zip([0, *places], places, strict=False)]
    (tmp_path / "turned.json").write_text(json.dumps(document), encoding="utf-8")
    before, turned = (read_baseline(tmp_path / name) for name in ("b.json", "turned.json"))
    assert turned == before
    assert compare_with_baseline(turned, [plain]) == compare_with_baseline(before, [plain])
    write_baseline(tmp_path / "again.json", turned)
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_a_missing_baseline_names_the_flags(tmp_path):
    with pytest.raises(ResultError, match=r"write it with pytest --bias-baseline .* --bias-update-baseline"):
        read_baseline(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            lambda d: d.update(schema=2),
            "written with schema 2, which this release does not read; remove it and write it again with --bias-up",
        ),
        (lambda d: d.update(schema=4), "written with schema 4, and this release reads up to 3"),
        (lambda d: d.update(kind="biascheck results"), "not a biascheck baseline file"),
        (lambda d: d["entries"][0].pop("scores"), r"the baseline lacks or misspells a field \(.*`scores`"),
        (lambda d: d["entries"][0]["items"].append(99_999), "an entry refers to an item that is not there"),
        (lambda d: d["entries"][0]["scores"].pop(), "the baseline lacks or misspells a field"),
    ],
)
def test_a_baseline_that_is_not_understood_is_refused(tmp_path, edit, message):
    write_baseline(tmp_path / "b.json", Baseline((result(),)))
    document = json.loads((tmp_path / "b.json").read_text(encoding="utf-8"))
    edit(document)
    (tmp_path / "b.json").write_text(json.dumps(document))
    with pytest.raises(ResultError, match=message):
        read_baseline(tmp_path / "b.json")


def test_nothing_that_was_measured_is_left_out_of_a_judgement():
    baseline = Baseline((result(), result(corpus="gone"), result(corpus="changed")))
    other = replace(provenance_of(corpus="changed"), corpus_fingerprint="d" * 64)
    found = compare_with_baseline(
        baseline, [result(1.4, model="later"), result(corpus="new"), result(corpus="changed", provenance=other)]
    )
    assert [one.verdict for one in found.comparisons] == [Change.REGRESSED]
    assert [refusal.title for refusal in found.refused] == ["association on tiny × changed"]
    assert "the corpus of that name has changed" in found.refused[0].reason
    assert found.new == ("association on tiny × new",)
    assert found.unused == ("association on tiny × gone",)
    assert not found.passed


def test_what_is_left_without_a_figure_is_refused_with_the_reason():
    items = [replace(item, side="AB"[n % 2]) for n, item in enumerate(items_of(spread(0.3, 1.0, 14)))]
    before = result_of(items, statistic="standardised_difference")
    after = replace(before, items=tuple(item for item in before.items if item.side == "A"))
    (refusal,) = compare_with_baseline(Baseline((before,)), [after]).refused
    assert "a difference needs both sides" in refusal.reason


def test_a_judgement_passes_only_on_something_judged():
    baseline = Baseline((result(),))
    assert compare_with_baseline(baseline, [result()]).passed
    assert compare_with_baseline(baseline, [result(), result(corpus="new")]).passed
    assert not compare_with_baseline(baseline, [result(corpus="new")]).passed
