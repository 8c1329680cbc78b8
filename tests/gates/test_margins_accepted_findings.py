"""A finding that is accepted for one model: it passes up to its limit, and stays a finding everywhere."""

from dataclasses import replace

import pytest

from biascheck.core.errors import BiasAssertionError, BiascheckWarning, UsageError
from biascheck.core.wording import tally, verdict_text
from biascheck.gates.check import assert_below, assert_within_margin
from biascheck.gates.gate import Gate
from biascheck.gates.margins import AcceptedFinding, Margins
from biascheck.results.items import ItemScore
from biascheck.runs.file import read_run, write_results
from biascheck.stats import Verdict
from support.handmade import result_of

KNOWN = {"tiny": AcceptedFinding(up_to=0.9, reason="known since May")}


def leaning(gap, **more):
    """Twenty jobs that all lean by about the same gap: 0.8 exceeds a margin of 0.36."""
    items = [ItemScore(f"{n}", gap + (0.01 if n % 2 else -0.01), f"job{n}") for n in range(20)]
    return result_of(items, corpus="jobs", **more)


def judged(gap=0.8, accepted=KNOWN, **more) -> Gate:
    with pytest.warns(BiascheckWarning, match="accepted"):
        return assert_within_margin(leaning(gap, **more), 0.36, accepted=accepted)


def test_it_passes_and_says_what_was_accepted():
    gate = judged()
    assert (gate.verdict, gate.passed, gate.tolerated) == (Verdict.EXCEEDS, True, True)
    assert "exceeds margin 0.360; accepted up to 0.90: known since May" in gate.finding
    assert verdict_text(gate.verdict, gate.passed) == "exceeds (accepted)"
    assert tally([gate, replace(gate, passed=False)]) == "2 exceed (1 accepted)"
    assert judged(-0.8).passed  # the distance counts, whatever its sign


@pytest.mark.parametrize("gap", [1.0, -1.0])
def test_beyond_its_limit_it_fails(gap):
    with pytest.raises(BiasAssertionError, match=r"exceeds margin 0\.360, and the 0\.90 accepted"):
        assert_within_margin(leaning(gap), 0.36, accepted=KNOWN)


def test_another_model_is_not_meant():
    for other in ({"model": "large"}, {"treatment": ("chat",)}):
        with pytest.raises(BiasAssertionError, match=r"exceeds margin 0\.36"):
            assert_within_margin(leaning(0.8, **other), 0.36, accepted=KNOWN)


def test_what_is_within_needs_no_acceptance(recwarn):
    gate = assert_within_margin(leaning(0.1), 0.36, accepted=KNOWN)
    assert (gate.verdict, gate.tolerated) == (Verdict.WITHIN, False)
    assert not recwarn.list


def test_a_family_that_shows_it_later_accepts_it_too():
    doubt = replace(judged(), verdict=Verdict.INCONCLUSIVE, passed=True)
    assert (doubt.exceeding.verdict, doubt.exceeding.passed) == (Verdict.EXCEEDS, True)
    assert not replace(doubt, estimate=1.0).exceeding.passed
    assert not replace(doubt, accepted=None).exceeding.passed


def test_an_upper_bound_is_accepted_up_to_a_figure():
    result = replace(leaning(0.8), description=replace(leaning(0.8).description, direction="only bad when large"))
    with pytest.warns(BiascheckWarning, match="accepted up to"):
        assert assert_below(result, 0.36, accepted=KNOWN).passed
    with pytest.raises(BiasAssertionError):
        assert_below(result, 0.36, accepted={"tiny": AcceptedFinding(up_to=0.7, reason="too little")})


def test_an_acceptance_that_says_nothing_is_refused():
    with pytest.raises(UsageError, match=r"0\.3 is accepted for tiny, and 0\.36 is allowed to all; remove it"):
        assert_within_margin(leaning(0.8), 0.36, accepted={"tiny": AcceptedFinding(up_to=0.3, reason="less")})
    with pytest.raises(UsageError, match="without a reason"):
        assert_within_margin(leaning(0.8), 0.36, accepted={"tiny": AcceptedFinding(up_to=0.9, reason=" ")})


def test_it_is_written_and_read_again(tmp_path):
    gate = judged()
    write_results(tmp_path / "results.json", (), (gate,))
    assert read_run(tmp_path / "results.json").gates[0].accepted == KNOWN["tiny"]


TABLE = """
[jobs]
margin = { strict = 0.1, standard = 0.36, watch = 0.91 }
reason = "agreed"
accepted = { tiny = { up_to = 0.9, profile = "%s", reason = "known" } }
"""


@pytest.mark.parametrize(
    ("of", "profile", "found"),
    [
        ("standard", "standard", 0.9),
        ("standard", "strict", None),
        ("standard", "watch", None),
        ("watch", "watch", None),
    ],
)
def test_margins_accept_it_under_the_profile_that_is_named(tmp_path, of, profile, found):
    """Under another profile it is not meant; 0.9 is within the margin of watch anyway."""
    (tmp_path / "margins.toml").write_text(TABLE % of, encoding="utf-8")
    accepted = Margins.read(tmp_path / "margins.toml", profile)["jobs"].accepted
    assert (accepted["tiny"].up_to if accepted else None) == found


def test_a_margin_without_a_reason_for_it_is_refused(tmp_path):
    text = '[jobs]\nmargin = 0.3\nreason = "agreed"\naccepted = { tiny = { up_to = 0.9 } }\n'
    (tmp_path / "margins.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=r"\[jobs\] accepted.*lacks.*reason"):
        Margins.read(tmp_path / "margins.toml")
