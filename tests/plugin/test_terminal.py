"""What a person reads at the end of a run: the verdict first, what needs a look, the rest in numbers."""

import re

import pytest

DISTRIBUTIONS = pytest.mark.parametrize("processes", [(), ("-n", "2")], ids=["plain", "xdist"])


def section(run):
    return run.stdout.str().split("bias gates")[1].split("short test summary")[0]


@DISTRIBUTIONS
def test_failing_gates_are_shown_in_full_and_the_rest_is_counted(project, table_suite, processes):
    run = project(table_suite, *processes)
    run.stdout.re_match_lines(
        [
            r"=+ bias gates =+",
            r"FAIL: 1 test failed a gate \(2 gates: 1 inconclusive, 1 within\)$",
            r"table: 1 of 2 gates failed \(1 inconclusive, 1 within\)$",
            r"  inconclusive  association · jobs  0\.92 \[.*\]  ± 0\.20  nurse −2\.20, plumber \+2\.20, ",
        ]
    )
    assert "± 9.00" not in section(run)


def test_verbose_shows_every_gate(project, table_suite):
    assert re.search(
        r"  within        association · jobs  0\.92 \[.*\]  ± 9\.00$", section(project(table_suite, "-v")), re.M
    )


def test_a_run_that_passes_says_so_in_one_line(project, table_suite):
    lines = section(project(table_suite, "-k", "loose")).splitlines()
    assert lines[1:3] == ["PASS (1 gate: 1 within)", "table: 1 gate passed (1 within)"]


def test_a_treated_model_belongs_to_its_base_and_is_named_by_its_treatment(tiny):
    found = tiny(
        """
        def test_both():
            biascheck.assert_within_margin(result(0.1), margin=0.5)
            biascheck.assert_within_margin(result(0.9, treatment=("mix",)), margin=0.5)
        """
    )
    lines = found.section.splitlines()
    assert lines[2] == "tiny: 1 of 2 gates failed (1 exceeds, 1 within)"
    assert lines[3].startswith("  exceeds  association · jobs · mix  0.90 [")


def test_suites_are_counted_by_their_folder(pytester, table_suite):
    from textwrap import dedent

    for name in ("first", "second"):
        (pytester.path / name).mkdir()
        (pytester.path / name / f"test_{name}.py").write_text(dedent(table_suite), encoding="utf-8")
    run = pytester.runpytest("-p", "biascheck.plugin", "-p", "no:cacheprovider")
    run.stdout.re_match_lines(
        [r"  first   2 gates  1 inconclusive, 1 within$", r"  second  2 gates  1 inconclusive, 1 within$"]
    )


def test_a_log_has_no_colour_and_no_broken_lines(project, table_suite):
    run = project(table_suite, "--color=no")
    assert "\x1b" not in run.stdout.str()
    (line,) = [line for line in section(run).splitlines() if line.startswith("  inconclusive")]
    assert "plumber +2.20, baker +1.39; power at the margin 0.0" in line
    assert line.endswith("would exceed, if the figure stays at 0.92")


def test_a_terminal_has_colour_and_keeps_its_width(project, table_suite):
    run = project(table_suite, "--color=yes")
    text = section(run)
    assert "\x1b[" in text
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in text.splitlines()]
    assert max(map(len, lines)) <= 80
