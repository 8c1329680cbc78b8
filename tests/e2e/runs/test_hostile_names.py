"""Names that would move the cursor, forge lines or turn text around: every artefact of a run shows them as escapes."""

import json
import re
import zlib
from base64 import b64decode
from xml.etree import ElementTree

import pytest

from biascheck.core.wording import escape_control

HOSTILE = "a\x1b[2Jb\nc\rd\x07e\x00f\x7fg\x9bh\u202ei\u2066j\u2028k"
SHOWN = r"a\x1b[2Jb\nc\rd\x07e\x00f\x7fg\x9bh\u202ei\u2066j\u2028k"
FORBIDDEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
TITLE = f"measure {SHOWN} on model {SHOWN} × corpus {SHOWN}"

SUITE = """
    from dataclasses import replace

    import pytest

    import biascheck
    from biascheck.corpora import Attribute, Corpus, Target, Template, cross
    from biascheck.testing import TableModel

    HOSTILE = %s
    JOBS = ["nurse", "plumber", "judge", "baker", "pilot", "cook " + HOSTILE]

    def result():
        table = {job: {"he": 0.8, "she": 0.2} for job in JOBS} | {JOBS[-1]: {"he": 0.85, "she": 0.15}}
        model = TableModel(table, {"he": 0.5, "she": 0.5}, name="model " + HOSTILE)
        targets = [(Target("he", "male"), Target("she", "female"))]
        pairs = cross([Template("{target} is a {attribute}.", "is-a")], targets, [Attribute(job) for job in JOBS])
        corpus = Corpus("corpus " + HOSTILE, ("male", "female"), pairs, warnings=("caution " + HOSTILE,))
        return replace(biascheck.measures.association(model, corpus), measure="measure " + HOSTILE)

    @pytest.mark.bias
    def test_fails():
        biascheck.assert_within_margin(result(), margin=0.2, reason="reason " + HOSTILE)

    @pytest.mark.bias
    def test_passes():
        biascheck.assert_within_margin(result(), margin=9)
"""


@pytest.fixture
def artefacts(project, monkeypatch, pytester):
    """Everything that a run of one failing and one passing gate leaves behind, by name."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    files = {"report": "r.html", "markdown": "r.md", "code-quality": "q.json", "results": "r.json"}
    options = [f"--bias-{option}={name}" for option, name in files.items()]
    run = project(SUITE % ascii(HOSTILE), *options, "--junitxml=j.xml", "--tb=short", "-v")
    run.assert_outcomes(passed=1, failed=1)
    texts = {name: (pytester.path / name).read_bytes().decode("utf-8") for name in (*files.values(), "j.xml")}
    return {**texts, "terminal": run.stdout.str()}


def test_every_artefact_shows_the_names_and_none_obeys_them(artefacts):
    for name in ("r.html", "r.md", "q.json", "j.xml", "terminal"):
        found = FORBIDDEN.search(artefacts[name])
        assert found is None, (name, artefacts[name][found.start() - 60 : found.end() + 20])
    for name in ("terminal", "r.html"):
        assert {f"{kind} {SHOWN}" in artefacts[name] for kind in ("model", "corpus", "measure", "cook")} == {True}
    in_markdown = SHOWN.replace("\\", "&#92;").replace("[", "&#91;")
    assert {f"{kind} {in_markdown}" in artefacts["r.md"] for kind in ("model", "corpus", "measure", "cook")} == {True}


def test_an_annotation_is_one_line(artefacts):
    commands = [line for line in artefacts["terminal"].splitlines() if line.startswith("::error file=")]
    assert [f"::{TITLE}: " in command for command in commands] == [True]


def test_the_failure_has_the_lines_that_we_write_and_no_others(artefacts):
    """The finding, the margin's reason and the caution begin lines; what follows a line break in a name does not."""
    lines = [line.removeprefix("E").strip() for line in artefacts["terminal"].splitlines() if line.startswith("E ")]
    starts = ("biascheck.core.errors.BiasAssertionError: measure a", "margin: reason a", "caution: caution a")
    assert [next((start for start in starts if line.startswith(start)), line) for line in lines][:1] == [starts[0]]
    assert {start for start in starts if any(line.startswith(start) for line in lines)} == set(starts)
    assert not [line for line in artefacts["terminal"].splitlines() if re.match(r"(E\s+)?c\W", line)]


def test_code_quality_and_junit_read_back_the_visible_names(artefacts):
    gates = [entry for entry in json.loads(artefacts["q.json"]) if entry["check_name"] == "bias-gate"]
    assert [entry["description"].startswith(f"{TITLE}: ") for entry in gates] == [True]
    properties = ElementTree.fromstring(artefacts["j.xml"]).iter("property")
    titles = [one.attrib["value"] for one in properties if one.attrib["name"] == "bias_gate"]
    assert titles == [TITLE, TITLE]


def test_the_items_of_the_page_are_visible_too(artefacts):
    (packed,) = re.findall(r"<script[^>]*>([A-Za-z0-9+/=\s]{40,})</script>", artefacts["r.html"])
    strings = json.loads(zlib.decompress(b64decode(packed)))["strings"]
    assert f"He is a cook {SHOWN}." in strings
    assert [text for text in strings if escape_control(text) != text] == []


def test_the_results_file_keeps_the_names_as_they_are(artefacts):
    assert json.dumps(f"model {HOSTILE}", ensure_ascii=False)[1:-1] in artefacts["r.json"] or (
        json.dumps(f"model {HOSTILE}")[1:-1] in artefacts["r.json"]
    )
