"""A figure over several runs: in which run did it first get worse?"""

from dataclasses import replace

from biascheck.results.definition import Readability
from biascheck.runs.run import Run
from biascheck.runs.trend import dated, trends_of
from support.handmade import PROVENANCE, items_of, result_of, spread


def run(centre, *, created="2024-05-01T12:00:00+00:00", **fields):
    """Twelve clusters around a centre; those of two runs differ by the same amount everywhere."""
    origin = replace(PROVENANCE, model_fingerprint=str(centre), created=created)
    return Run((result_of(items_of(spread(centre, 0.05, 12)), provenance=origin, **fields),))


def test_the_first_run_that_is_worse_than_the_first_of_all_is_marked():
    (trend,) = trends_of({"a": run(0.1), "b": run(0.1), "c": run(0.5), "d": run(0.9)}, tolerance=0.2)
    assert [point.label for point in trend.points] == ["a", "b", "c", "d"]
    assert trend.first_regression.label == "c"
    assert [point.regressed for point in trend.points] == [False, False, True, True]
    # every gap moves by exactly 0.4, and so does the mean
    assert abs(trend.points[2].change.change - 0.4) < 1e-9


def test_a_slow_drift_is_seen_since_all_are_compared_with_the_first():
    steps = {str(n): run(0.1 + 0.06 * n) for n in range(5)}
    (trend,) = trends_of(steps, tolerance=0.1)
    assert trend.first_regression.label == "2"


def test_closer_to_parity_is_no_regression():
    (trend,) = trends_of({"a": run(0.5), "b": run(0.1)})
    assert trend.first_regression is None


def test_what_cannot_be_compared_says_why():
    (trend,) = trends_of({"a": run(0.1), "b": run(0.5, seed=3)})
    assert trend.points[1].change is None
    assert "seed" in trend.points[1].reason
    assert trend.uncompared == trend.points[1:]
    assert trend.first_regression is None


def test_another_runtime_is_compared_only_where_that_is_allowed():
    one, other = run(0.1), run(0.5)
    (result,) = other.results
    served = Run((replace(result, provenance=replace(result.provenance, model={"runtime": "llama.cpp"})),))
    (trend,) = trends_of({"a": one, "b": served})
    assert trend.first_regression is None
    assert "llama.cpp" in trend.points[1].uncompared
    (allowed,) = trends_of({"a": one, "b": served}, any_runtime=True)
    assert allowed.first_regression.label == "b"
    assert not allowed.uncompared


def test_a_model_that_can_no_longer_read_is_not_compared():
    lost = Readability("reading", "about", 0.1, 0.5, 10, 0, "it reads nothing", "cannot read this corpus")
    (trend,) = trends_of({"a": run(0.5), "b": run(0.1, competence=lost)})
    assert trend.first_regression is None
    assert "it reads nothing" in trend.points[1].uncompared


def test_questions_of_one_run_only_are_left_out():
    assert trends_of({"a": run(0.1), "b": run(0.1, measure="another")}) == ()


def test_several_models_of_one_run_are_points_of_their_own():
    both = Run((*run(0.1).results, *run(0.5, model="other").results))
    (trend,) = trends_of({"a": both})
    assert [point.label for point in trend.points] == ["a · tiny", "a · other"]


def test_runs_come_by_their_dates():
    late, early = run(0.1, created="2025-01-02T00:00:00+00:00"), run(0.2, created="2025-01-01T00:00:00+00:00")
    assert list(dated({"late": late, "early": early, "undated": run(0.3, created="")})) == ["undated", "early", "late"]
