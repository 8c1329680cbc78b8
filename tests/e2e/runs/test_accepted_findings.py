"""An accepted finding: the run passes, and every output says that the gate exceeds, and why it was accepted."""

import pytest

SUITE = """
def test_jobs(bias_margins):
    biascheck.assert_within_margin(result(0.9), **bias_margins["jobs"].as_arguments())
"""
MARGINS = """
[jobs]
margin = {strict = 0.1, standard = 0.5, watch = 0.6}
reason = "agreed"
accepted = { tiny = { up_to = %s, profile = "watch", reason = "known since May" } }
"""
WATCH = ("--bias-profile", "watch")


@pytest.fixture
def judged(tiny):
    def run(*arguments, up_to=1.0):
        (tiny.folder / "margins.toml").write_text(MARGINS % up_to, encoding="utf-8")
        return tiny(SUITE, *arguments)

    return run


@pytest.mark.parametrize("processes", [(), ("-n", "1")], ids=["plain", "xdist"])
def test_every_output_shows_the_finding_and_the_run_passes(judged, processes):
    found = judged(*WATCH, *processes)
    assert (found.headline, found.exit) == ("PASS (1 gate: 1 exceeds (1 accepted))", 0)
    (gate,) = found.run.gates
    assert (str(gate.verdict), gate.passed, gate.accepted.up_to) == ("exceeds", True, 1.0)
    assert "exceeds (accepted)" in found.texts["terminal"]
    assert "exceeds (accepted)" in found.texts["markdown"]
    shown = [name for name in ("terminal", "html", "markdown") if "known since May" in found.texts[name]]
    assert shown == ["terminal", "html", "markdown"]
    assert not [line for line in found.commands if line.startswith("::error file=")]


@pytest.mark.parametrize(("arguments", "up_to"), [((), 1.0), (WATCH, 0.8)], ids=["another profile", "beyond its limit"])
def test_what_was_not_accepted_fails(judged, arguments, up_to):
    found = judged(*arguments, up_to=up_to)
    assert (found.headline, found.exit) == ("FAIL: 1 test failed a gate (1 gate: 1 exceeds)", 1)
