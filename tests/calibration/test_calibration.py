"""The arithmetic of a calibration on data whose answer is known, and the page made of it."""

import json
from dataclasses import replace
from functools import partial
from xml.etree import ElementTree

import numpy as np
import pytest

import biascheck
from biascheck import cli
from biascheck.calibration import calibration
from biascheck.calibration.calibration import Calibration, ParityModel, calibrate
from biascheck.calibration.page import to_markdown, write_calibration
from biascheck.calibration.readings import (
    DoseReading,
    GateOutcome,
    GeometryReading,
    PlantedEstimate,
    PronounReading,
    SentimentReading,
    fit,
)
from biascheck.calibration.simulation import ENDS, GateShape, Rate, gate_shapes, power_of
from biascheck.cli.calibrate import run_of_suites
from biascheck.core.errors import BiascheckError, UsageError
from biascheck.core.release import suites_home
from biascheck.models.fakes import TableModel
from biascheck.runs.run import Run
from biascheck.stats import Sample

SUITES = suites_home()
JOBS = biascheck.corpora.corpus_from_templates(
    "jobs",
    templates=["{target} is a {attribute}.", "{target} works as a {attribute}."],
    targets=[{"male": "he", "female": "she"}],
    attributes=["nurse", "judge", "baker", "pilot", "cook", "clerk"],
)
FEMALE_NURSES = TableModel({"nurse": {"he": 0.2, "she": 0.8}}, prior={"he": 0.5, "she": 0.5})


def test_a_line_is_read_back():
    line = fit(PlantedEstimate(x, 0.9 * x + 0.2) for x in (-2.0, -1.0, 0.5, 3.0))
    assert (line.slope, line.intercept, line.r_squared) == pytest.approx((0.9, 0.2, 1.0))
    assert line.largest_error == pytest.approx(0.4)  # at −2: −1.6 measured
    assert line.points == 4


def test_r_squared_is_one_minus_residual_over_total():
    line = fit(
        [PlantedEstimate(0, 0), PlantedEstimate(0, 2), PlantedEstimate(2, 2), PlantedEstimate(2, 4)]
    )  # y = x + 1, residuals ±1, total 8
    assert line.r_squared == pytest.approx(1 - 4 / 8)


def shape_of(statistic, clusters, margin, *, bound="within", parity=0.0, spread=0.5, family=1):
    """A gate on clusters with one item on either side."""
    rng = np.random.default_rng(0)
    names = tuple(f"{c:03}" for c in range(clusters) for _ in "AB")
    values = np.repeat(rng.normal(0, spread, clusters), 2) + rng.normal(0, spread, 2 * clusters)
    sample = Sample(values, names, sides=("A", "B") * clusters, covariate=np.repeat(rng.random(clusters), 2))
    return GateShape("gate", statistic, statistic, sample, parity, bound, family, (("strict", margin),), "some model")


@pytest.mark.parametrize(
    ("statistic", "clusters", "margin", "bound", "parity"),
    [
        ("mean", 60, 0.5, "within", 0.0),
        ("share_positive", 100, 0.25, "within", 0.5),
        ("pearson", 60, 0.5, "within", 0.0),
        ("skew", 120, 0.25, "below", 0.0),
        ("stereotype", 120, 0.35, "below", 0.0),
    ],
)
def test_simulated_gates_pass_at_parity_find_twice_the_margin_and_are_rarely_wrong_at_it(
    monkeypatch, statistic, clusters, margin, bound, parity
):
    monkeypatch.setattr("biascheck.results.summaries.RESAMPLES", 200)
    shape = shape_of(statistic, clusters, margin, bound=bound, parity=parity)
    (found,) = power_of(shape, trials=60, seed=1)
    assert found.decides
    assert found.planted == pytest.approx(min(parity + 2 * margin, ENDS.get(statistic, 9.0)))
    assert found.alarms_at_margin.count <= 6  # 2.5 % stated on this side; 7 of 60 has a chance under 0.1 %
    assert found.compatible


def test_a_gate_on_noise_decides_nothing():
    (found,) = power_of(shape_of("mean", 20, 0.5, spread=10.0), trials=30, seed=0)
    assert not found.decides  # clusters vary by twenty margins
    assert found.passes_at_parity.count == 0


def test_a_larger_family_exceeds_less_often_and_passes_as_often():
    alone, among = (power_of(shape_of("mean", 20, 0.3, family=family), trials=30, seed=1)[0] for family in (1, 10))
    assert alone.passes_at_parity == among.passes_at_parity
    assert alone.exceeds_at_twice.count > among.exceeds_at_twice.count


def test_a_rate_has_wilsons_interval():
    rate = Rate.of([True] * 5 + [False] * 95)
    assert (rate.share, rate.count, rate.trials) == (0.05, 5, 100)
    assert (rate.low, rate.high) == pytest.approx((0.0215, 0.1118), abs=1e-4)  # Wilson 1927


def test_shapes_are_gates_with_their_data_each_from_the_first_run_that_judged_it():
    result = biascheck.measures.association(FEMALE_NURSES, JOBS)
    with pytest.raises(biascheck.BiasAssertionError):
        biascheck.assert_association_within(result, 0.2, family=1)
    gate = replace(
        biascheck.assert_association_within(result, 9.0, family=3, profiles={"strict": 0.2, "watch": 9.0}),
        test="suites/mine/test_jobs.py::test_gap[table-nurse]",
        model="table",
    )
    other = replace(gate, model="other", test="suites/mine/test_jobs.py::test_gap[other-nurse]")
    found = gate_shapes([Run((result,), (gate,)), Run((result,), (other,))])
    assert [(shape.name, shape.model, shape.family, shape.margins) for shape in found] == [
        ("mine: gap [nurse]", "table", 3, (("strict", 0.2), ("watch", 9.0)))
    ]
    assert len(found[0].sample) == result.n


def test_suites_that_break_off_are_told_with_what_they_said(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "test_mine.py").write_text("import no_such_module\n")
    with pytest.raises(BiascheckError, match=r"(?s)did not finish on reference:parity:.*no_such_module"):
        run_of_suites("reference:parity", ("mine",), tmp_path)


def test_suites_without_gates_are_refused(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "test_mine.py").write_text("def test_nothing():\n    pass\n")
    with pytest.raises(BiascheckError, match="judged nothing on reference:parity; name a folder with mine"):
        run_of_suites("reference:parity", ("mine",), tmp_path)


def test_one_dose_makes_no_line():
    with pytest.raises(UsageError, match="a line needs two doses or more"):
        calibrate([1.0, 1.0], partial(run_of_suites, suites=SUITES), models=0, trials=1)


def outcome(verdict: str) -> GateOutcome:
    return GateOutcome("bartl2020.english.female", "mean", -2.1, -2.3, -1.9, 0.5, verdict)


@pytest.fixture
def handmade() -> Calibration:
    gaps = {"nurse": PlantedEstimate(-2.0, -2.0), "plumber": PlantedEstimate(2.0, 2.0)}
    shape = replace(shape_of("mean", 20, 0.5, family=3), name="bartl2020: gap [female]")
    return Calibration(
        readings=(
            DoseReading(0.0, dict.fromkeys(gaps, PlantedEstimate(0.0, 0.0)), None, None, None, (outcome("within"),)),
            DoseReading(
                1.0,
                gaps,
                PlantedEstimate(1.9, 1.8),
                PlantedEstimate(0.5, 0.5),
                PlantedEstimate(-1.0, -0.9),
                (outcome("exceeds"),),
            ),
        ),
        pronouns=tuple(
            PronounReading(0.5, tilt, "T1", online, PlantedEstimate(skew, skew), PlantedEstimate(0.25, 0.27), 0.99)
            for online, tilt, skew in ((False, 1.0, 0.5), (True, 1.0, 0.0), (False, 0.0, 0.0), (True, 0.0, 0.0))
        ),
        sentiment=(SentimentReading(0.5, PlantedEstimate(0.05, 0.05), PlantedEstimate(0.06, 0.06)),),
        geometry=(
            GeometryReading(
                "direct bias", "noise", PlantedEstimate(0.16, 0.17), Rate.of([False] * 9), Rate.of([True] * 9)
            ),
        ),
        parity_models=(ParityModel(1000, 0.02, (outcome("within"),)),),
        powers=power_of(shape, trials=3, seed=0),
    )


def test_the_page_shows_the_figures(handmade):
    page = to_markdown(handmade)
    assert "| all | 1.000 | +0.000 | 1.0000 | 0.000 | 4 |" in page
    assert "| 1 | 1.000 | +0.000 | 1.0000 | 0.000 | 2 |" in page
    assert "| 0.5 | 1 | T1 | +0.50 → +0.50 | +0.25 → +0.27 | +0.00 → +0.00 | +0.25 → +0.27 | 0.99 |" in page
    assert "| +0.50 | +0.05 → +0.05 | +0.06 → +0.06 |" in page
    assert (
        "| direct bias | noise | +0.16 → +0.17 | 0.000 [0.000, 0.299] | 1.000 [0.701, 1.000] | compatible with" in page
    )
    assert "| skew | 1.000 | +0.000 | 1.0000 | 0.000 | 2 |" in page
    assert "| stereotype-O | – | – | – | 0.020 | 2 |" in page
    assert "| 1 | 2.00 | +1.90 → +1.80 | +0.50 → +0.50 | −1.00 → −0.90 |" in page
    assert "| bartl2020.english.female | 0.50 | −2.10 · | −2.10 exceeds |" in page
    assert "| gates that say exceeds |  | 0 of 1 | 1 of 1 |" in page
    assert "1 models trained at parity from different seeds; the largest gap of any profession" in page
    assert "| bartl2020.english.female | 0.000 [0.000, 0.793] | 1.000 [0.207, 1.000] |" in page
    assert "| bartl2020: gap [female] | mean | some model | 20 | 3 | strict | 0.500 | 1.00 | 1.00 |" in page


def test_three_files_are_written(handmade, tmp_path):
    assert [path.name for path in write_calibration(handmade, tmp_path)] == [
        "calibration.json",
        "calibration.svg",
        "calibration.md",
    ]
    stored = json.loads((tmp_path / "calibration.json").read_text())
    assert stored["fit"]["slope"] == pytest.approx(1)
    drawing = ElementTree.fromstring((tmp_path / "calibration.svg").read_text())
    assert len(drawing.findall(".//{http://www.w3.org/2000/svg}circle")) == 4 + 2 * 4


def test_the_command_prints_and_writes(handmade, monkeypatch, tmp_path, capsys):
    asked = {}

    def fake(doses, suite_runs, **options):
        asked.update(options, doses=doses, suites=suite_runs.keywords["suites"])
        return handmade

    monkeypatch.setattr(calibration, "calibrate", fake)
    arguments = [
        "calibrate",
        "--doses",
        "0,0.5,1",
        "--models",
        "3",
        "--real",
        "reference:parity",
        "--out",
        str(tmp_path),
    ]
    monkeypatch.setattr("sys.argv", ["biascheck", *arguments])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert not ended.value.code
    assert asked["doses"] == [0.0, 0.5, 1.0]
    assert asked["models"] == 3
    assert asked["suites"] == SUITES
    assert asked["real"] == "reference:parity"
    assert (tmp_path / "calibration.md").is_file()
    assert "Association: planted and measured gaps" in capsys.readouterr().out


def test_doses_that_are_no_numbers_are_refused(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["biascheck", "calibrate", "--doses", "low,high"])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert "--doses 'low,high' cannot be read; write numbers from 0 to 1" in capsys.readouterr().err
