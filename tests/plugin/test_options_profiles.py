"""Profiles: chosen by flag or table, and what every output says of them."""

import re

import pytest

SUITE = """
def test_jobs(bias_margins):
    biascheck.assert_within_margin(result(0.25, 0.5, 60), **bias_margins["jobs"].as_arguments())
"""
MARGINS = """
[jobs]
margin = {strict = 0.05, standard = 0.25, watch = 0.3, gross = 2.0}
reason = "agreed"

[profiles.gross]
about = "what nobody would accept"
"""
MET = "meets gross, not strict, standard, watch"


@pytest.fixture
def judged(tiny):
    """A run with these margins and this ``pyproject.toml``; the interval is about 0.25 ± 0.08."""

    def run(*arguments, table="", margins=MARGINS):
        (tiny.folder / "margins.toml").write_text(margins, encoding="utf-8")
        (tiny.folder / "pyproject.toml").write_text(f"[tool.biascheck]\n{table}\n", encoding="utf-8")
        return tiny(SUITE, *arguments)

    return run


@pytest.mark.parametrize(
    ("arguments", "table", "profile", "headline"),
    [
        ((), "", "standard", "FAIL: 1 test failed a gate (1 gate: 1 inconclusive)"),
        ((), 'profile = "watch"', "watch", "PASS (1 gate: 1 inconclusive (1 accepted))"),
        (("--bias-profile", "watch"), "", "watch", "PASS (1 gate: 1 inconclusive (1 accepted))"),
        (("--bias-profile", "gross"), 'profile = "watch"', "gross", "PASS (1 gate: 1 within)"),
    ],
    ids=["default", "table", "flag", "flag over table"],
)
def test_the_profile_that_is_chosen_judges(judged, arguments, table, profile, headline):
    found = judged(*arguments, table=table)
    assert found.headline == headline
    (gate,) = found.run.gates
    margins = {"strict": 0.05, "standard": 0.25, "watch": 0.3, "gross": 2.0}
    assert (gate.profile, gate.margin) == (profile, margins[profile])
    assert {one.profile: one.margin for one in gate.profiles} == margins
    assert gate.met_profiles == ("gross",)


def test_every_output_says_which_profiles_are_met(judged):
    found = judged("--bias-profile", "watch")
    assert [name for name in ("terminal", "html", "markdown") if MET not in found.texts[name]] == []
    (stored,) = found.document["gates"]
    assert stored["profile"] == "watch"
    assert [one["profile"] for one in stored["profiles"]] == ["strict", "standard", "watch", "gross"]
    assert [one["verdict"] for one in stored["profiles"]] == ["exceeds", "inconclusive", "inconclusive", "within"]


@pytest.mark.parametrize("profile", ["standard", "watch"])
def test_beside_every_doubt_is_what_would_decide(judged, profile):
    """Accepted or not, in the terminal, the page and the summary; the message of the failure has it, too."""
    found = judged("--bias-profile", profile)
    for name in ("terminal", "html", "markdown"):
        assert "to decide: " in found.texts[name], name
    assert "power at the margin" in found.texts["terminal"]
    assert bool(re.search("\\nE +to decide: ", found.result.stdout.str())) == (profile == "standard")


@pytest.mark.parametrize("suite", [SUITE, "def test_nothing():\n    pass\n"], ids=["margins are read", "none read"])
def test_a_profile_that_is_not_there_is_refused_before_the_run(tiny, suite):
    (tiny.folder / "margins.toml").write_text(MARGINS, encoding="utf-8")
    run = tiny(suite, "--bias-profile", "lax").result
    assert run.ret == pytest.ExitCode.USAGE_ERROR
    said = "there is no profile 'lax' (--bias-profile); there are: strict, standard, watch, gross"
    run.stderr.fnmatch_lines([f"*{said}"])


def test_a_profile_of_margins_elsewhere_in_the_project_does_not_stop_other_tests(tiny):
    (tiny.folder / "suites").mkdir()
    (tiny.folder / "suites" / "margins.toml").write_text(MARGINS, encoding="utf-8")
    (tiny.folder / "pyproject.toml").write_text('[tool.biascheck]\nprofile = "gross"\n', encoding="utf-8")
    assert tiny("def test_nothing():\n    pass\n").result.ret != pytest.ExitCode.USAGE_ERROR


def test_an_entry_without_the_profile_is_refused(judged):
    found = judged("--bias-profile", "watch", margins=MARGINS.replace("watch = 0.3, ", ""))
    assert found.exit == 1
    found.result.stdout.fnmatch_lines(
        ["*margins.toml: * has margins for strict, standard, gross; it needs one for watch*"]
    )


def test_a_setting_of_another_type_is_refused(judged):
    run = judged(table="profile = 3").result
    assert run.ret == pytest.ExitCode.USAGE_ERROR
    run.stderr.fnmatch_lines(["*profile = 3 should be of type str"])
