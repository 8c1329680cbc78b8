"""``biascheck init``: what it writes, and that it never takes an edited file away."""

import os
import sys
import tomllib

import pytest
import yaml

from biascheck import cli
from biascheck.cli.starter import available_suites


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
    assert out.endswith("next: pytest bias --bias-model ./models/latest\n")


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
    assert 'pytest bias/ --bias-model "$BIAS_MODEL"' in gates
    gitlab = yaml.safe_load((tmp_path / "bias" / "gitlab-ci.yml").read_text(encoding="utf-8"))
    assert gitlab["bias"]["artifacts"]["reports"]["codequality"] == "reports/code-quality.json"
    assert yaml.safe_load((tmp_path / ".gitlab-ci.yml").read_text()) == {"include": [{"local": "bias/gitlab-ci.yml"}]}


def test_every_option_in_the_workflows_exists(init, tmp_path):
    import re

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
