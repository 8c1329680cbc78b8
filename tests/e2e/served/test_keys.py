"""A whole run on a server that repeats its key: it stands in no page, file, line or cache of the run."""

import json

import pytest

# Pytester forgets modules that were first imported inside a run, and then there are two of a class.
import biascheck.gates.check
import biascheck.loading
import biascheck.measures
import biascheck.plugin.terminal
import biascheck.report.html
import biascheck.report.markdown  # noqa: F401
from support.escapes import every_escape, gone
from support.pretend_server import PretendServer
from support.served_jobs import JOBS, OPTIONS

KEY = "sk-secret-0123456789abc"
ESCAPES = dict(every_escape(KEY))
OUTPUTS = ("--bias-results", "results.json", "--bias-report", "report.html", "--bias-markdown", "summary.md")


@pytest.mark.parametrize("name", ["plain", "JSON", "percent", "HTML in numbers", "b64encode after Bearer "])
def test_a_key_that_the_server_repeats_is_in_no_artefact(name, pytester, monkeypatch, own_cache):
    monkeypatch.setenv("BIASCHECK_API_KEY", KEY)
    echo = ESCAPES[name]

    def repeat(request):
        if request.path == "/models":
            request.answer["data"][0] |= {"meta": {"ftype": f"Q4 {echo}"}, "id": f"model {echo}"}
        elif "pilot" in str(request.body):
            said = json.dumps({"error": {"message": f"{'x ' * 93}{KEY}"}}) if name == "plain" else f'"{echo}"'
            request.status, request.raw = 400, said.encode()

    pytester.makepyfile(test_bias=JOBS)
    with PretendServer() as server:
        server.faults.append(repeat)
        address = f"openai:{server.url}/v1"
        run = pytester.runpytest(*OPTIONS, "-rA", "-v", "--bias-model", address, *OUTPUTS)
    files = [pytester.path / one for one in ("results.json", "report.html", "summary.md")]
    files += [file for file in own_cache.rglob("*") if file.is_file()]
    texts = {str(file): file.read_text(encoding="utf-8", errors="replace") for file in files}
    texts["terminal"] = run.stdout.str() + run.stderr.str()
    assert run.parseoutcomes()["passed"] == 2, texts["terminal"]
    assert "refuses this text" in texts[str(files[0])]
    assert [place for place, text in texts.items() if echo in text or not gone(KEY[:9], text)] == []
    assert json.loads(texts[str(files[0])])["results"]


def test_the_writers_mask_what_a_users_own_code_brings_in(pytester, monkeypatch):
    """The last line: a corpus, a reason and a name of a test that hold the key, with no server at all."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    named = JOBS.replace('"jobs",', f'"jobs {KEY}",').replace("a small corpus", f"as {KEY} says")
    pytester.makepyfile(test_bias=named)
    with PretendServer() as server:
        run = pytester.runpytest(*OPTIONS, "--bias-model", server.spec, *OUTPUTS)
    run.assert_outcomes(passed=2)
    texts = [(pytester.path / one).read_text(encoding="utf-8") for one in ("results.json", "report.html", "summary.md")]
    assert [KEY in text for text in (*texts, run.stdout.str())] == [False] * 4
    assert "jobs [key]" in texts[0]
