"""Which model is measured, and how a run is configured."""

from types import SimpleNamespace

import pytest

from biascheck.plugin import options
from support.fuzzing import mutations

CONFIG = '[tool.biascheck]\nmodel = "reference:tiny"\nseed = 3\n'


@pytest.fixture
def settings_from(tmp_path):
    """The settings of a run without a command line, from the text of a pyproject.toml."""

    def read(text):
        (tmp_path / "pyproject.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
        config = SimpleNamespace(
            rootpath=tmp_path,
            stash=pytest.Stash(),
            args=[],
            getoption=lambda _name: None,
            getini=lambda _name: [],
            invocation_params=SimpleNamespace(dir=tmp_path),
        )
        return options.settings_of(config)

    return read


def test_without_a_model_the_remedy_is_named(project, suite):
    run = project(suite)
    run.assert_outcomes(errors=1)
    run.stdout.re_match_lines([r".*no model to measure: pass --bias-model FOLDER .*\[tool\.biascheck\]"])


def test_the_model_of_the_command_line(project, suite):
    run = project(suite, "--bias-model", "reference:tiny", "-v")
    run.assert_outcomes(passed=1)
    run.stdout.fnmatch_lines(["*test_jobs?reference:tiny? PASSED*", "reference:tiny: 1 gate passed (1 within)"])


def test_the_model_and_seed_of_pyproject(project, suite, pytester):
    run = project(suite, "--bias-results", "results.json", pyproject=CONFIG)
    run.assert_outcomes(passed=1)
    from biascheck.runs.file import read_results

    assert read_results(pytester.path / "results.json")[0][0].seed == 3


def test_the_command_line_wins_over_pyproject(project, suite, pytester):
    project(suite, "--bias-seed", "5", "--bias-results", "results.json", pyproject=CONFIG)
    from biascheck.runs.file import read_results

    assert read_results(pytester.path / "results.json")[0][0].seed == 5


def test_suites_run_once_for_each_model(project, suite, pytester):
    from biascheck.models.local.bundled import build_reference

    model, tokenizer = build_reference("reference:tiny")
    model.save_pretrained(pytester.path / "checkpoint")
    tokenizer.save_pretrained(pytester.path / "checkpoint")
    run = project(suite, "--bias-model", "reference:tiny", "--bias-model", "checkpoint/")
    run.assert_outcomes(passed=2)
    run.stdout.fnmatch_lines(["checkpoint: 1 gate passed (1 within)", "reference:tiny: 1 gate passed (1 within)"])


def test_a_wrong_path_is_a_clear_error(project, suite):
    run = project(suite, "--bias-model", "./no-such-folder")
    run.assert_outcomes(errors=1)
    run.stdout.re_match_lines([r"no folder './no-such-folder'; check the path"])
    run.stdout.no_fnmatch_line("*another exception*")
    run.stdout.no_fnmatch_line("*loading.py*")  # our own code is no help to who mistyped a path


@pytest.mark.parametrize("processes", [(), ("-n", "2")], ids=["one process", "xdist"])
def test_a_wrong_path_stops_the_run(project, torch_is_loaded, processes):  # noqa: ARG001
    """Forty tests would say the same forty times."""
    suite = """
        import pytest

        @pytest.mark.parametrize("number", range(40))
        def test_jobs(number, bias_model):
            raise AssertionError
    """
    run = project(suite, "--bias-model", "./no-such-folder", *processes)
    assert run.parseoutcomes()["errors"] <= max(1, len(processes))
    assert run.stdout.str().count("the model cannot be loaded: no folder './no-such-folder'") >= 1
    assert run.ret != 0


def test_an_unknown_setting_lists_the_known_ones(project, suite):
    run = project(suite, pyproject='[tool.biascheck]\nmodle = "x"\n')
    assert "has no setting 'modle'; there are: allow_other_runtime, allow_pickle" in run.stderr.str() + run.stdout.str()


def test_a_setting_of_the_wrong_type_is_refused(project, suite):
    run = project(suite, pyproject='[tool.biascheck]\nseed = "three"\n')
    assert "seed = 'three' should be of type int" in run.stderr.str() + run.stdout.str()


def test_tests_with_a_model_carry_the_marker(project, suite):
    both = suite + "\n    def test_other(): pass\n"
    run = project(both, "--bias-model", "reference:tiny", "-m", "bias")
    run.assert_outcomes(passed=1, deselected=1)


def test_data_that_is_not_there_skips_with_the_option(project):
    run = project("def test_data(bias_data): pass", "-rs")
    run.stdout.fnmatch_lines(["*needs the published data sets: pass --bias-data DIR*"])


def test_a_wrong_data_folder_is_an_error(project):
    run = project("def test_data(bias_data): pass", "--bias-data", "nowhere")
    run.stdout.fnmatch_lines(["*--bias-data *nowhere: no such folder*"])


def test_the_second_run_asks_the_model_nothing(project, suite, monkeypatch):
    project(suite, "--bias-model", "reference:tiny").assert_outcomes(passed=1)
    from biascheck.models.local.transformers import TransformersMaskedModel

    def refuse(*_args, **_kwargs):
        raise AssertionError("the model was asked again")

    monkeypatch.setattr(TransformersMaskedModel, "fill", refuse)
    project(suite, "--bias-model", "reference:tiny").assert_outcomes(passed=1)
    project(suite, "--bias-model", "reference:tiny", "--bias-no-cache").assert_outcomes(failed=1)


def test_paths_of_pyproject_are_relative_to_it_and_of_the_command_line_to_the_caller(table_suite, pytester):
    table = '[tool.biascheck]\nresults = "kept/results.json"\n'
    (pytester.path / "below").mkdir()
    pytester.makepyfile(**{"below/test_below": table_suite})
    pytester.makefile(".toml", pyproject=table)
    arguments = ("-p", "biascheck.plugin", "-p", "no:cacheprovider")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(pytester.path / "below")
        pytester.runpytest_inprocess(*arguments, "--rootdir", "..", "test_below.py")
        pytester.runpytest_inprocess(*arguments, "--rootdir", "..", "test_below.py", "--bias-results", "here.json")
    assert (pytester.path / "kept" / "results.json").is_file()
    assert (pytester.path / "below" / "here.json").is_file()


MARGINS = '[jobs]\nmargin = 0.5\nreason = "half a log unit"\n'


def test_margins_come_from_the_nearest_file(project):
    run = project("def test_m(bias_margins): assert bias_margins['jobs'].margin == 0.5", margins=MARGINS)
    run.assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no margin 'jobs'; there are: none"),
        ("[jobs]\nmargin = 0.5\n", "margins.toml: [jobs] lacks reason; write e.g. margin = 0.36 and reason"),
        (
            "[jobs]\nmargn = 0.5\nreason = 'x'\n",
            "margins.toml: [jobs] has margn, and may have reason, margin, bound, inconclusive,",
        ),
        (
            "[jobs]\nbound = 0.5\nreason = 'x'\nfamly = 2\n",
            "[jobs] has famly, and may have reason, margin, bound, inconclusive, skipped, competence",
        ),
        ("[jobs\n", "margins.toml: not valid TOML ("),
    ],
    ids=["unknown", "without reason", "misspelt", "superfluous", "broken"],
)
def test_margin_files_with_faults_are_named(project, text, message):
    run = project("def test_m(bias_margins): bias_margins['jobs']", margins=text)
    assert message in run.stdout.str()


def test_a_missing_margins_file_is_named(project):
    run = project("def test_m(bias_margins): pass")
    run.stdout.fnmatch_lines(["*no margins.toml beside *test_bias.py or above it*"])


@pytest.mark.parametrize(
    ("pyproject", "said"),
    [
        ("[tool]\nbiascheck = 3\n", r"tool.biascheck = 3 is no table; write \[tool.biascheck\] and settings below"),
        ("tool = 3\n", r"tool = 3 is no table; write \[tool\] and settings below"),
        ("[tool.biascheck]\nmodel = [1]\n", "model = .1. should be a list of texts"),
        ("[tool.biascheck]\nprice = nan\n", "price = nan is no number that a run can use"),
    ],
)
def test_settings_of_another_kind_are_refused_by_a_usage_error(settings_from, pyproject, said):
    with pytest.raises(pytest.UsageError, match=f"pyproject.toml: .*{said}"):
        settings_from(pyproject)


SETTINGS = """
[tool.biascheck]
model = ["a", "b"]
seed = 3
price = 0.5
share = 0.5
results = "bias/results.json"
data = "data"
profile = "strict"
no_cache = true
"""


@pytest.mark.parametrize(
    ("count", "seed"), [(100, 1), pytest.param(2_500, 2, marks=pytest.mark.slow)], ids=["short", "long"]
)
def test_damaged_settings_are_read_or_refused_by_a_usage_error(settings_from, count, seed):
    assert settings_from(SETTINGS).models == ("a", "b")
    refused = 0
    for content in mutations(SETTINGS, count, seed):
        try:
            settings_from(content)
        except pytest.UsageError:
            refused += 1
    assert 0.3 * count < refused < count
