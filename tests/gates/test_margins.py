"""Margins: typed, finite, with a reason; a fault is named with file, table and remedy."""

import re

import pytest

from biascheck.core.errors import UsageError
from biascheck.gates.margins import Margin, Margins, UpperBound

REASON = 'reason = "agreed"\n'


@pytest.fixture
def read(tmp_path):
    def margins(text, *profile):
        file = tmp_path / "margins.toml"
        file.write_text(text, encoding="utf-8")
        return Margins.read(file, *profile)

    return margins


def test_margins_and_bounds_are_told_apart_by_their_field(read):
    margins = read(f"[a]\nmargin = 1\n{REASON}[b.c]\nbound = 0.25\ninconclusive = 'warn'\n{REASON}")
    assert margins["a"] == Margin(margin=1.0, reason="agreed")
    assert margins["b.c"] == UpperBound(bound=0.25, reason="agreed", inconclusive="warn")
    assert type(margins["a"].margin) is float


def test_what_is_not_stated_is_left_to_the_assertion(read):
    margins = read(f"[a]\nmargin = 1\n{REASON}[b]\nbound = 1\nskipped = 0.5\ncompetence = 'ignore'\n{REASON}")
    plain = {"margin": 1.0, "reason": "agreed", "inconclusive": "fail", "profile": ""}
    assert margins["a"].as_arguments() == plain
    stated = {"bound": 1.0, "skipped": 0.5, "competence": "ignore"}
    assert margins["b"].as_arguments() == {"reason": "agreed", "inconclusive": "fail", "profile": "", **stated}


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("margin = true", "margin: expected a number, got bool"),
        ("margin = '0.5'", "margin: expected a number, got a text"),
        ("margin = -0.5", "margin: expected a number > 0.0"),
        ("margin = 0", "margin: expected a number > 0.0"),
        ("margin = nan", "margin: expected a number"),
        ("margin = inf", "margin: expected a number"),
        (f"margin = 1{'0' * 400}", "margin: number out of range"),
        ("margin = 2024-01-01", "margin: expected a number, got date"),
        ("margin = [0.5]", "margin: expected a number, got array"),
        ("margin = {value = 0.5}", "has margins for value; it needs one for standard, and profiles are strict, "),
        ("margin = {standard = 0}", "margin[...]: expected a number > 0.0"),
        ("margin = {standard = '0.5'}", "margin[...]: expected a number, got a text"),
        ("bound = {standard = inf}", "bound[...]: expected a number"),
        ("margin = {}", "has margins for ; it needs one for standard"),
        ("bound = true", "bound: expected a number, got bool"),
        ("bound = -1", "bound: expected a number > 0.0"),
        ("margin = 1\nfamily = 3", "has family; remove it: a run counts the gates of a family"),
        ("margin = 1\ninconclusive = 'pass'", "inconclusive: invalid enum value 'pass'"),
        ("margin = 1\nskipped = 1.5", "skipped: expected a number <= 1.0"),
        ("margin = 1\nskipped = -0.1", "skipped: expected a number >= 0.0"),
        ("margin = 1\ncompetence = 'check'", "competence: invalid enum value 'check'"),
        ("margin = 1\nbound = 2", "needs one of margin and bound; write e.g. margin = 0.36"),
        ("margin = 1\nmargn = 2", "has margn, and may have reason, margin, bound, inconclusive, skipped, competence"),
        ("skipped = 0.2", "needs one of margin and bound"),
    ],
)
def test_a_value_of_another_kind_is_refused_with_its_place(read, field, said):
    with pytest.raises(UsageError, match=rf"margins.toml: \[jobs.female\] {re.escape(said)}"):
        read(f"[jobs.female]\n{REASON}{field}\n")


def test_a_refusal_names_the_remedy(read):
    with pytest.raises(UsageError, match=r'; write e\.g\. margin = 0\.36 and reason = "agreed"$'):
        read(f"[jobs]\n{REASON}margin = true\n")


@pytest.mark.parametrize("reason", ["", "reason = ''\n", "reason = ' '\n", "reason = 3\n"])
@pytest.mark.parametrize("competence", ["", "competence = 'ignore'\n"])
def test_every_margin_needs_a_reason(read, reason, competence):
    with pytest.raises(UsageError, match=r"\[jobs\] (lacks )?reason"):
        read(f"[jobs]\nmargin = 1\n{reason}{competence}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("margin = 1", r"margins.toml: margin is outside of any table; write a line like \[jobs.female\] above it"),
        (f'[a.b]\nmargin = 1\n{REASON}["a.b"]\nmargin = 2\n{REASON}', r"\[a.b\] is written twice"),
        (f"[[jobs]]\nmargin = 1\n{REASON}", "jobs is outside of any table"),
        (f"[jobs]\nmargin = 1\n{REASON}[jobs.women]\nmargin = 1\n{REASON}", r"\[jobs\] has women, and may have"),
        ("[jobs", r"margins.toml: not valid TOML \("),
        (f"[a]\nx = {'9' * 5000}", r"margins.toml: not valid TOML \("),
        (f"[a]\nx = {'[' * 3000}", r"margins.toml: (too deeply nested|not valid TOML)"),
    ],
)
def test_a_file_of_another_shape_is_refused(read, text, said):
    with pytest.raises(UsageError, match=said):
        read(text)


def test_a_file_that_is_not_text_is_refused(tmp_path):
    (tmp_path / "margins.toml").write_bytes(b"\xff\xfe[\x00")
    with pytest.raises(UsageError, match=r"margins.toml: not valid TOML \("):
        Margins.read(tmp_path / "margins.toml")
    with pytest.raises(UsageError, match=r"margins\.toml"):
        Margins.read(tmp_path / "none" / "margins.toml")


def test_names_with_control_characters_are_shown(read):
    with pytest.raises(UsageError, match=r"\[a\\x1b\[2J\] lacks reason"):
        read('["a\\u001b[2J"]\nmargin = 1\n')


IN_PROFILES = f"[jobs]\nmargin = {{strict = 0.1, standard = 0.2, watch = 0.4}}\n{REASON}"


@pytest.mark.parametrize(
    ("profile", "margin", "inconclusive"), [("strict", 0.1, "fail"), ("standard", 0.2, "fail"), ("watch", 0.4, "warn")]
)
def test_each_profile_has_its_own_margin_and_its_own_view_of_doubt(read, profile, margin, inconclusive):
    every = {"strict": 0.1, "standard": 0.2, "watch": 0.4}
    found = read(IN_PROFILES, profile)
    assert found["jobs"].as_arguments() == {
        "reason": "agreed",
        "margin": margin,
        "inconclusive": inconclusive,
        "profile": profile,
        "profiles": every,
    }
    assert found.profile == profile
    assert read(IN_PROFILES)["jobs"] == read(IN_PROFILES, "standard")["jobs"]


def test_a_bound_has_profiles_too(read):
    found = read(f"[jobs]\nbound = {{standard = 0.2, watch = 0.4}}\n{REASON}", "watch")
    assert found["jobs"] == UpperBound(
        bound=0.4, reason="agreed", inconclusive="warn", profile="watch", profiles={"standard": 0.2, "watch": 0.4}
    )


def test_one_margin_is_for_every_profile_and_names_none(read):
    found = read(f"[jobs]\nmargin = 0.3\n{REASON}", "watch")["jobs"]
    assert found == Margin(margin=0.3, reason="agreed", inconclusive="warn")


def test_what_an_entry_says_of_doubt_goes_over_its_profile(read):
    assert read(f"{IN_PROFILES}inconclusive = 'fail'\n", "watch")["jobs"].inconclusive == "fail"
    assert read(f"{IN_PROFILES}inconclusive = 'warn'\n", "strict")["jobs"].inconclusive == "warn"


def test_a_file_may_have_profiles_of_its_own(read):
    profile = "[profiles.hiring]\nabout = 'who is invited'\ninconclusive = 'warn'\n"
    text = f"{profile}[jobs]\nmargin = {{hiring = 0.05}}\n{REASON}"
    found = read(text, "hiring")["jobs"]
    assert (found.margin, found.inconclusive, found.profiles) == (0.05, "warn", {"hiring": 0.05})
    assert "profiles.hiring" not in read(text, "hiring").entries


def test_a_file_may_change_a_profile_that_every_file_knows(read):
    text = f"[profiles.watch]\ninconclusive = 'fail'\n{IN_PROFILES}"
    assert read(text, "watch")["jobs"].inconclusive == "fail"


@pytest.mark.parametrize(
    ("text", "profile", "said"),
    [
        (IN_PROFILES, "lax", "margins.toml has no profile 'lax'; there are: strict, standard, watch$"),
        (IN_PROFILES, "a\x1b[2J", r"no profile 'a\\x1b\[2J'"),
        (
            f"[jobs]\nmargin = {{strict = 0.1}}\n{REASON}",
            "watch",
            r"\[jobs\] has margins for strict; it needs one for watch, and profiles are strict, standard, watch$",
        ),
        (f"[jobs]\nmargin = {{watch = 0.1, lax = 1}}\n{REASON}", "watch", "has margins for watch, lax; it needs one"),
        (f"[profiles.mine]\ninconclusive = 'pass'\n{IN_PROFILES}", "watch", r"\[profiles.mine\] inconclusive: invalid"),
        (
            f"[profiles.mine]\nmargin = 1\n{IN_PROFILES}",
            "watch",
            r"\[profiles.mine\] has margin, and may have about, inc",
        ),
    ],
)
def test_a_profile_that_is_not_there_is_refused(read, text, profile, said):
    with pytest.raises(UsageError, match=said):
        read(text, profile)
