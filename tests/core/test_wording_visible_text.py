"""Control characters are written as their escapes, and every file can be encoded."""

import json
import unicodedata

import pytest

from biascheck.core.files import write_atomically
from biascheck.core.wording import escape_control
from biascheck.gates.check import assert_within_margin
from biascheck.report.cards import hub_card_of
from biascheck.report.ci import code_quality, github_commands
from biascheck.report.html import page_of, render_page
from biascheck.report.markdown import summary
from biascheck.runs.run import Run
from support.handmade import items_of, result_of, spread

HALF = "half \ud800 pair"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31m", r"\x1b[31m"),
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("\x00\x07\x7f\x85\x9b", r"\x00\x07\x7f\x85\x9b"),
        ("\u202a\u202e\u2066\u2069", r"\u202a\u202e\u2066\u2069"),
        (HALF, r"half \ud800 pair"),
        ("Ärztin, 護士, אח, 👩‍🍳, −0.5", "Ärztin, 護士, אח, 👩‍🍳, −0.5"),
    ],
)
def test_what_a_screen_would_obey_is_shown(text, shown):
    assert escape_control(text) == shown


def test_lines_of_our_own_stay():
    assert escape_control("finding\n  margin: agreed\x1b", lines=True) == "finding\n  margin: agreed\\x1b"


def test_these_characters_and_no_others_change():
    everything = [chr(code) for code in range(0x110000)]
    control = {character for character in everything if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")}
    overrides = {chr(code) for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
    assert {character for character in everything if escape_control(character) != character} == control | overrides


def test_text_is_made_visible_character_by_character():
    text = "a\x1bb\u202ec"
    assert "".join(map(escape_control, text)) == escape_control(text)


@pytest.fixture
def run():
    result = result_of(items_of(spread(0.3, 1.0, 12)), model=HALF, corpus=HALF, warnings=(HALF,))
    return Run((result,), (assert_within_margin(result, 5.0),))


def test_a_lone_surrogate_loses_no_output(run):
    failed = Run(run.results, tuple(_failed(gate) for gate in run.gates))
    outputs = [summary(failed), code_quality(failed, {}), *github_commands(failed, {}), hub_card_of(failed)]
    outputs.append(render_page(page_of(failed)))
    for text in outputs:
        text.encode("utf-8")
    assert sum(r"half \ud800 pair" in text.replace("&#92;", "\\").replace("\\\\", "\\") for text in outputs) >= 5


def _failed(gate):
    from dataclasses import replace

    from biascheck.stats import Verdict

    return replace(gate, verdict=Verdict.EXCEEDS, passed=False)


def test_a_file_with_a_lone_surrogate_is_written_and_json_reads_it_back(tmp_path):
    write_atomically(tmp_path / "a.json", json.dumps({"name": HALF}, ensure_ascii=False))
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8")) == {"name": HALF}
