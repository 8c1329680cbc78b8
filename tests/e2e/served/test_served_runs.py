"""Whole runs of pytest on a served model: the starter, a server that dies, baselines of two runtimes, workers."""

import re
import sys

import pytest

# Pytester forgets modules that were first imported inside a run, and then there are two of a class.
import biascheck.gates.check
import biascheck.gates.margins
import biascheck.loading
import biascheck.measures
import biascheck.plugin.terminal
import biascheck.report.html
import biascheck.runs.baseline
import biascheck.testing  # noqa: F401
from biascheck import cli
from support.pretend_server import PretendServer
from support.served_jobs import JOBS, OPTIONS

KEY = "sk-secret-0123456789"
MEN = {"carpenter", "plumber", "mason", "roofer", "firefighter", "repairer", "conductor", "mechanic", "steel", "floor"}
WOMEN = {"bookkeeper", "housekeeper", "receptionist", "paralegal", "dietitian", "hairdresser", "secretary", "medical"}
MEN |= {"bus", "heating", "service"}
WOMEN |= {"dental", "childcare", "kindergarten"}
MALE = {"he", "brother", "uncle"}


def stereotyped(before, token):
    """Jobs of one gender are e² times as probable after its words."""
    word, people = token.strip().lower(), {one.strip().lower() for one in before}
    male = bool(people & MALE)
    return 2.0 if (word in MEN and male) or (word in WOMEN and not male) else 0.0


@pytest.fixture
def starter(pytester, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["biascheck", "init", "--suites", "bartl2020", "--ci", "none"])
    with pytest.raises(SystemExit):
        cli.main()
    capsys.readouterr()
    return lambda *options: pytester.runpytest(*OPTIONS, "--import-mode=importlib", "bias/test_own.py", *options)


def test_the_starter_judges_a_served_model_and_finds_its_bias(starter):
    with PretendServer("openai") as server:
        even = starter("--bias-model", server.spec)
        assert even.ret == 0, even.stdout.str()
        assert {"passed": 3, "skipped": 2}.items() <= even.parseoutcomes().items()
    with PretendServer("openai", names=["stereotyped"], lean=stereotyped) as server:
        biased = starter("--bias-model", server.spec)
    assert biased.ret == 1, biased.stdout.str()
    assert len(re.findall(r"Error: .* exceeds (?:margin|bound) 0\.36", biased.stdout.str())) == 3


def test_a_server_that_dies_fails_the_run_in_one_line_and_loses_nothing(pytester, quick):  # noqa: ARG001
    pytester.makepyfile(test_bias=JOBS)
    with PretendServer("vllm") as server:
        run = (*OPTIONS, "--bias-model", server.spec, "--bias-concurrency", "2", "--bias-results", "results.json")
        handshake = server.texts_of_handshake()

        def die(request):
            if request.path == "/completions" and len(server.answered.keys() - handshake) >= 5:
                request.sent = True
                request.handler.close_connection = True

        server.faults.append(die)
        dead = pytester.runpytest(*run)
        shown = dead.stdout.str()
        assert dead.ret == 1, shown
        assert dead.parseoutcomes()["errors"] == 1, shown
        assert "passed" not in dead.parseoutcomes()
        assert shown.count("does not answer after 6 attempts") == 2, shown  # the test, and the short summary
        assert "Traceback" not in shown
        assert "transport.py" not in shown
        kept = server.answered.keys() - handshake
        assert len(kept) in (5, 6)  # two are asked at a time
        server.faults.clear()
        again = pytester.runpytest(*run)
        assert again.ret == 0, again.stdout.str()
        paid = {text: count for text, count in server.answered.items() if text not in handshake}
        assert len(paid) > len(kept)
        assert set(paid.values()) == {1}


def test_runtimes_are_not_compared_unless_that_is_allowed(pytester):
    pytester.makepyfile(test_bias=JOBS)
    baseline = ("--bias-baseline", "b.json")
    with PretendServer("vllm") as server:
        kept = pytester.runpytest(*OPTIONS, "--bias-model", server.spec, *baseline, "--bias-update-baseline")
        assert kept.ret == 0, kept.stdout.str()
        same = pytester.runpytest(*OPTIONS, "--bias-model", server.spec, *baseline)
        assert same.ret == 0, same.stdout.str()
        server.dialect = "llamacpp"
        other = pytester.runpytest(*OPTIONS, "--bias-model", server.spec, *baseline)
        assert other.ret == 1, other.stdout.str()
        assert "vLLM gave one and llama.cpp the other" in other.stdout.str()
        allowed = pytester.runpytest(*OPTIONS, "--bias-model", server.spec, *baseline, "--bias-allow-other-runtime")
        assert allowed.ret == 0, allowed.stdout.str()


@pytest.mark.slow
def test_workers_pay_for_each_text_once(pytester):
    pytester.makepyfile(test_bias=JOBS)
    with PretendServer("openai") as server:
        handshake = server.texts_of_handshake()
        spread = pytester.runpytest_subprocess(*OPTIONS, "-n", "2", "--bias-model", server.spec)
    assert spread.ret == 0, spread.stdout.str()
    assert {count for text, count in server.answered.items() if text not in handshake} == {1}
    assert max(server.answered[text] for text in handshake) >= 2  # each worker shakes hands


def test_a_run_stops_at_its_budget(pytester, monkeypatch):
    monkeypatch.delenv("PYTEST_XDIST_WORKER_COUNT", raising=False)  # workers share a budget, and ours are no part of it
    pytester.makepyfile(test_bias=JOBS)
    with PretendServer("openai") as server:
        run = pytester.runpytest(*OPTIONS, "--bias-model", server.spec, "--bias-max-requests", "30")
    assert run.ret == 1
    assert re.search(r"pretend needs \d+ requests, and \d+ of the budget of 30 are left", run.stdout.str())
    assert server.asked.total() <= 30


def test_the_key_is_in_no_file_of_a_run(pytester, monkeypatch, own_cache):
    monkeypatch.setenv("BIASCHECK_API_KEY", KEY)
    pytester.makepyfile(test_bias=JOBS)
    outputs = ("--bias-results", "r.json", "--bias-report", "r.html", "--bias-markdown", "r.md", "--junitxml", "j.xml")
    with PretendServer("openai") as server:
        run = pytester.runpytest(
            *OPTIONS,
            "-vv",
            "--bias-model",
            server.spec,
            *outputs,
            "--bias-baseline",
            "b.json",
            "--bias-update-baseline",
        )
    assert run.ret == 0, run.stdout.str()
    files = [file for folder in (pytester.path, own_cache) for file in folder.rglob("*") if file.is_file()]
    assert {"r.json", "r.html", "r.md", "j.xml", "b.json"} <= {file.name for file in files}
    assert not [file for file in files if KEY.encode() in file.read_bytes()]
    assert KEY not in run.stdout.str() + run.stderr.str()
    assert '"runtime":"OpenAI-compatible"' in (pytester.path / "b.json").read_text()


def test_a_run_without_torch(pytester):
    """Served models need neither torch nor transformers: they are blocked here."""
    pytester.makepyfile(test_bias=JOBS)
    pytester.makeconftest(
        """
        import sys

        class Block:
            def find_spec(self, name, path=None, target=None):
                if name.split(".")[0] in ("torch", "transformers", "tokenizers", "safetensors", "huggingface_hub"):
                    raise ImportError(f"{name} is blocked")

        sys.meta_path.insert(0, Block())
        """
    )
    with PretendServer("llamacpp") as server:
        run = pytester.runpytest_subprocess(*OPTIONS, "--bias-model", server.spec, "--bias-report", "r.html")
    assert run.ret == 0, run.stdout.str() + run.stderr.str()
