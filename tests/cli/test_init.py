"""``biascheck init``: what it writes, and that it never takes an edited file away."""

import os
import re
import subprocess
import sys
import tomllib

import pytest
import yaml

import biascheck
from biascheck import cli
from biascheck.cli.init import GITHUB, GITLAB, available_suites


@pytest.fixture
def init(monkeypatch, capsys, tmp_path):
    """Run ``biascheck init`` in an empty folder; returns exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments):
        monkeypatch.setattr(sys, "argv", ["biascheck", "init", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        captured = capsys.readouterr()
        return left.value.code, captured.out, captured.err

    return invoke


def files(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_every_suite_is_offered():
    assert {"bartl2020", "kurita2019", "manela2021"} <= set(available_suites())


def test_a_folder_is_ready_to_run(init, tmp_path):
    code, out, _ = init("--suites", "kurita2019", "--ci", "both", "--model", "./models/latest")
    assert code == 0
    assert {
        ".github/workflows/bias.yml",
        ".gitlab-ci.yml",
        "bias/.biascheck.json",
        "bias/README.md",
        "bias/gitlab-ci.yml",
        "bias/kurita2019/test_employment.py",
        "bias/margins.toml",
        "bias/published.toml",
        "bias/test_own.py",
    } <= files(tmp_path)
    assert not (tmp_path / "bias" / "bartl2020").exists()
    assert "written: bias/margins.toml" in out
    assert "next:\n  1. run the gates: pytest bias --bias-model ./models/latest\n" in out


def test_the_tables_are_those_of_the_chosen_suites(init, tmp_path):
    init("--suites", "kurita2019")
    margins = tomllib.loads((tmp_path / "bias" / "margins.toml").read_text(encoding="utf-8"))
    assert margins.keys() == {"kurita2019", "own"}
    published = tomllib.loads((tmp_path / "bias" / "published.toml").read_text(encoding="utf-8"))
    assert published.keys() == {"kurita2019"}
    init("other")
    everything = tomllib.loads((tmp_path / "other" / "bias" / "margins.toml").read_text(encoding="utf-8"))
    assert everything.keys() >= {*available_suites(), "own"}


def test_the_workflows_are_valid_and_measure_the_model(init, tmp_path):
    init("--ci", "both", "--model", 'a "quoted" model')
    github = yaml.safe_load((tmp_path / ".github" / "workflows" / "bias.yml").read_text(encoding="utf-8"))
    assert github["env"]["BIAS_MODEL"] == 'a "quoted" model'
    (gates,) = [step["run"] for step in github["jobs"]["bias"]["steps"] if step.get("name") == "Bias gates"]
    assert gates.startswith('pytest bias/ --bias-model "$BIAS_MODEL" --bias-baseline bias/baseline.json ')
    gitlab = yaml.safe_load((tmp_path / "bias" / "gitlab-ci.yml").read_text(encoding="utf-8"))
    assert gitlab["bias"]["artifacts"]["reports"]["codequality"] == "reports/code-quality.json"
    assert yaml.safe_load((tmp_path / ".gitlab-ci.yml").read_text()) == {"include": [{"local": "bias/gitlab-ci.yml"}]}


def test_every_option_in_the_workflows_exists(init, tmp_path):
    from biascheck.plugin.options import add_options

    class Names(list):
        def getgroup(self, *_):
            return self

        def addoption(self, name, **_):
            self.append(name)

    declared = Names()
    add_options(declared)
    init("--ci", "both")
    texts = [(tmp_path / name).read_text() for name in (".github/workflows/bias.yml", "bias/gitlab-ci.yml")]
    used = set(re.findall(r"--bias-[a-z-]+", "".join(texts)))
    assert used <= set(declared)
    assert {"--bias-baseline", "--bias-code-quality", "--bias-markdown"} <= used


def test_a_second_run_changes_nothing(init, tmp_path):
    init()
    before = {name: (tmp_path / name).read_bytes() for name in files(tmp_path)}
    _, out, _ = init()
    assert out.startswith(f"unchanged: {len(before) - 1} files\n")  # but for its own list of files
    assert {name: (tmp_path / name).read_bytes() for name in files(tmp_path)} == before


def test_an_edited_file_is_kept_and_named(init, tmp_path):
    init()
    margins = tmp_path / "bias" / "margins.toml"
    margins.write_text("# mine\n")
    _, out, _ = init()
    assert "kept, you have edited it: bias/margins.toml" in out
    assert "--force overwrites edited files" in out
    assert margins.read_text() == "# mine\n"
    init()
    assert margins.read_text() == "# mine\n"


def test_force_overwrites_an_edited_file(init, tmp_path):
    init()
    margins = tmp_path / "bias" / "margins.toml"
    whole = margins.read_text()
    margins.write_text("# mine\n")
    _, out, _ = init("--force")
    assert "overwritten: bias/margins.toml" in out
    assert margins.read_text() == whole


def test_a_file_that_was_not_edited_is_refreshed_silently(init, tmp_path):
    init("--suites", "kurita2019")
    _, out, _ = init("--suites", "kurita2019,bartl2020")
    assert "refreshed: bias/margins.toml" in out
    assert "kept" not in out
    assert "bartl2020" in (tmp_path / "bias" / "margins.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("answer", ["y\n", "n\n"])
def test_on_a_terminal_the_user_is_asked(init, tmp_path, monkeypatch, answer):
    init()
    own = tmp_path / "bias" / "test_own.py"
    own.write_text("# mine\n")
    reading, writing = os.pipe()
    os.write(writing, answer.encode())
    os.close(writing)
    with os.fdopen(reading) as terminal:
        terminal.isatty = lambda: True
        monkeypatch.setattr(sys, "stdin", terminal)
        _, out, _ = init()
    assert "bias/test_own.py was edited. Overwrite it?" in out
    assert (own.read_text() == "# mine\n") == (answer == "n\n")


def test_a_gitlab_file_of_the_user_is_left_alone(init, tmp_path):
    (tmp_path / ".gitlab-ci.yml").write_text("stages: [test]\n")
    _, out, _ = init("--ci", "gitlab", "--force")
    assert "add to your .gitlab-ci.yml:\n  include:\n    - local: bias/gitlab-ci.yml" in out
    assert (tmp_path / ".gitlab-ci.yml").read_text() == "stages: [test]\n"


def test_an_unknown_suite_is_refused_with_the_known_ones(init, tmp_path):
    code, _, err = init("--suites", "kurita2019,nobody1999")
    assert code == 2
    assert "there is no suite nobody1999; there are: bartl2020" in err
    assert files(tmp_path) == set()


def test_a_place_that_cannot_be_written_is_one_line(init, tmp_path):
    (tmp_path / "file").write_text("in the way")
    code, _, err = init("file")
    assert code == 2
    assert err.startswith("biascheck: ")
    assert "cannot be written" in err


class TestNextSteps:
    def test_they_lead_from_the_first_run_to_the_workflow(self, init):
        _, out, _ = init("--suites", "kurita2019", "--model", "a model", "--ci", "both")
        assert out.partition("next:\n")[2].splitlines() == [
            "  1. run the gates: pytest bias --bias-model 'a model'",
            "  2. set your own margins and their reasons in bias/margins.toml",
            "  3. write the baseline, look at it and commit it: pytest bias --bias-model 'a model' "
            "--bias-baseline bias/baseline.json --bias-update-baseline",
            "  4. commit the workflow for github and gitlab; it fails as long as there is no baseline",
        ]

    def test_without_a_workflow_there_are_three(self, init):
        assert init("--suites", "kurita2019", "--ci", "none")[1].rstrip().endswith("--bias-update-baseline")


class TestWorkflows:
    @pytest.fixture
    def texts(self, init, tmp_path):
        init("--suites", "kurita2019", "--ci", "both")
        return {name: (tmp_path / name).read_text(encoding="utf-8") for name in (GITHUB, GITLAB)}

    @pytest.fixture
    def job(self, texts):
        return yaml.safe_load(texts[GITHUB])["jobs"]["bias"]

    def test_the_token_may_only_read(self, texts, job):
        assert yaml.safe_load(texts[GITHUB])["permissions"] == {"contents": "read"}
        assert "permissions" not in job
        (checkout,) = [step for step in job["steps"] if step.get("uses", "").startswith("actions/checkout@")]
        assert checkout["with"]["persist-credentials"] is False

    def test_pull_requests_of_strangers_get_no_secrets(self, texts):
        triggers = yaml.safe_load(texts[GITHUB])[True]  # YAML reads the key "on" as true
        assert set(triggers) == {"pull_request", "workflow_dispatch"}
        for text in texts.values():
            assert not re.search(r"secrets\.|pull_request_target|set -x|printenv|TOKEN", text)

    def test_actions_and_this_package_are_pinned(self, texts, job):
        used = [step["uses"] for step in job["steps"] if "uses" in step]
        assert len(used) == 4
        assert all(re.fullmatch(r"actions/[a-z-]+@v\d+\.\d+\.\d+", action) for action in used)
        assert "latest" not in job["runs-on"]
        for text in texts.values():
            assert re.findall(r"pip install (.*)", text) == [f"'pytest-biascheck[local]=={biascheck.__version__}'"]
            assert "{{ " not in text.replace("${{ github.sha }}", "")

    def test_the_report_is_kept_when_the_gates_fail(self, texts, job):
        upload = job["steps"][-1]
        assert (upload["if"], upload["with"]["path"]) == ("always()", "reports/")
        assert job["steps"][-2]["name"] == "Bias gates"
        assert yaml.safe_load(texts[GITLAB])["bias"]["artifacts"]["when"] == "always"

    @pytest.mark.parametrize("present", [True, False])
    def test_a_missing_baseline_fails_the_job(self, texts, job, tmp_path, present):
        if present:
            (tmp_path / "bias" / "baseline.json").write_text("{}")
        (check,) = [step["run"] for step in job["steps"] if step.get("name") == "The baseline is there"]
        for script in (check, yaml.safe_load(texts[GITLAB])["bias"]["script"][0]):
            run = subprocess.run(["bash", "-e", "-c", script], cwd=tmp_path, capture_output=True, text=True)
            assert run.returncode == (0 if present else 1)
            assert ("bias/baseline.json is missing" in run.stdout) != present

    def test_no_step_writes_a_baseline(self, texts):
        commands = yaml.safe_load(texts[GITLAB])["bias"]["script"][1:]
        commands += [
            step["run"] for step in yaml.safe_load(texts[GITHUB])["jobs"]["bias"]["steps"][2:] if "run" in step
        ]
        assert not [command for command in commands if "--bias-update-baseline" in command]
        assert len([command for command in commands if "--bias-baseline bias/baseline.json" in command]) == 2
