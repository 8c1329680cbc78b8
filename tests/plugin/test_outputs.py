"""The files of a run: nothing is lost, nothing of yesterday is taken for today's, and one that fails takes no other."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest

from support.artefacts import FILES, OUTPUTS, UPDATE

DISTRIBUTIONS = pytest.mark.parametrize("processes", [(), ("-n", "1")], ids=["plain", "xdist"])
PASSES = """
def test_passes():
    biascheck.assert_within_margin(result(), margin=0.5)
"""
WRITERS = {
    "results.json": "biascheck.runs.file.write_run",
    "report.html": "biascheck.report.write_report",
    "summary.md": "biascheck.report.markdown.summary",
    "quality.json": "biascheck.report.ci.code_quality",
}

YESTERDAY = "<!-- written by biascheck -->\nyesterday: PASS"


def refuse(error):
    def writer(*_args, **_kwargs):
        raise error

    return writer


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize(
    ("error", "words"),
    [
        (RuntimeError("a fault of ours"), "RuntimeError: a fault of ours"),
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "No space left on device"),
    ],
    ids=["fault", "disk full"],
)
def test_an_output_that_fails_takes_no_other_with_it_and_all_others_say_so(tiny, monkeypatch, name, error, words):
    monkeypatch.setattr(WRITERS[name], refuse(error))
    found = tiny(PASSES)
    assert {file for file in FILES if (found.folder / file).exists()} == set(FILES) - {name}
    assert found.exit == 1
    problem = f"{name} could not be written ({words})"
    told = {"junit": found.facts["bias_outcome"], "terminal": found.section.splitlines()[1]}
    told |= {file: found.text(file) for file in FILES if file != name}
    told = {file: text.replace("&#40;", "(").replace("&#41;", ")") for file, text in told.items()}
    assert {file: "FAIL" in text or file == "quality.json" for file, text in told.items()} == dict.fromkeys(told, True)
    assert {file: problem.replace("_", "&#95;") in text or problem in text for file, text in told.items()} == (
        dict.fromkeys(told, True)
    )
    assert [line for line in found.section.splitlines() if line.startswith(name)] == [problem]


def test_a_baseline_that_cannot_be_written_is_part_of_the_outcome(tiny, monkeypatch):
    import biascheck.runs.baseline

    monkeypatch.setattr(
        biascheck.runs.baseline, "write_baseline", refuse(OSError(errno.ENOSPC, "No space left on device"))
    )
    found = tiny(PASSES, *UPDATE)
    assert found.headline == ("FAIL: baseline.json could not be written (No space left on device) (1 gate: 1 within)")
    assert found.exit == 1


def test_a_failing_file_keeps_the_baseline_as_it_was(tiny, monkeypatch):
    tiny(PASSES, *UPDATE)
    before = (tiny.folder / "baseline.json").read_bytes()
    monkeypatch.setattr(WRITERS["report.html"], refuse(RuntimeError("a fault of ours")))
    found = tiny(PASSES.replace("result()", "result(0.2)"), *UPDATE)
    assert "baseline.json was not updated: the run is incomplete" in found.run.headline
    assert (tiny.folder / "baseline.json").read_bytes() == before


def test_a_comparison_that_fails_loses_nothing_else(tiny, monkeypatch):
    import biascheck.runs.baseline

    tiny(PASSES, *UPDATE)
    monkeypatch.setattr(biascheck.runs.baseline, "compare_with_baseline", refuse(RuntimeError("a fault of ours")))
    found = tiny(PASSES, "--bias-baseline", "baseline.json")
    assert found.headline.startswith("FAIL: the comparison with the baseline failed (RuntimeError: a fault of ours)")


UNSTORABLE = {
    "a NaN attached": "result().with_attachments(Facts(facts={'x': float('nan')}))",
    "a set in a label": "result_of(labelled({'x': {1, 2}}))",
    "a numpy scalar attached": "result().with_attachments(Facts(facts={'x': numpy.float32(1)}))",
    "a lone surrogate in a name": "result(model='half \\ud800')",
    "a lone surrogate in a label": "result_of(labelled({'x': '\\ud800'}))",
    "a numpy scalar in a label": "result_of(labelled({'x': numpy.int64(1)}))",
    "a number for a unit": "result(unit=7)",
    "a warning of another type": "result(warnings=(7,))",
}


@pytest.mark.parametrize(
    ("made", "processes"),
    [
        *(pytest.param(made, (), id=name) for name, made in UNSTORABLE.items()),
        pytest.param(UNSTORABLE["a NaN attached"], ("-n", "1"), id="xdist"),
    ],
)
def test_what_no_file_can_hold_is_refused_at_the_assertion_and_nothing_else_is_lost(tiny, processes, made):
    suite = f"""
import numpy
from handmade import result_of, items_of
from biascheck.results.attachments import Facts

def labelled(labels):
    return tuple(replace(item, labels=labels) for item in items_of(spread(0.3, 0.1)))

def test_cannot_be_stored():
    biascheck.assert_within_margin({made}, margin=0.5)
"""
    found = tiny(PASSES + suite, *processes)
    assert found.states == {"test_passes": "judged", "test_cannot_be_stored": "crashed"}
    assert found.headline == "FAIL: 1 test crashed (1 gate: 1 within)"
    assert "cannot be stored" in found.section
    assert len(found.run.results) == 1


def test_a_reason_that_no_file_can_hold_is_refused_at_the_assertion(tiny):
    suite = (
        PASSES + "\ndef test_reason():\n    biascheck.assert_within_margin(result(0.2), margin=0.5, reason='\\ud800')\n"
    )
    found = tiny(suite)
    assert found.headline == "FAIL: 1 test crashed (1 gate: 1 within)"
    assert "the judgement on association on tiny × jobs cannot be stored" in found.section


def test_a_hostile_reason_for_skipping_destroys_no_file(tiny):
    found = tiny(PASSES + "\ndef test_skips():\n    pytest.skip('half \\ud800 and \\x1b[2J')\n")
    assert found.headline == "PASS (1 gate: 1 within; 1 test not tested)"
    assert r"half \ud800 and \x1b[2J" in found.section


@pytest.mark.parametrize(
    ("options", "files"),
    [
        (("--bias-baseline", "missing.json"), {}),
        (("no_such_file.py",), {}),
        (("-k", "nothing_like_it"), {}),
        ((), {"pyproject.toml": '[tool.biascheck]\nmodle = "x"\n'}),
        ((), {"conftest.py": "import os\ndef pytest_runtest_setup():\n    os.kill(os.getpid(), 9)\n"}),
        ((), {"conftest.py": "import os\ndef pytest_collection():\n    os.kill(os.getpid(), 9)\n"}),
    ],
    ids=[
        "no baseline",
        "no such file",
        "nothing selected",
        "wrong setting",
        "killed in a test",
        "killed in collection",
    ],
)
def test_files_of_an_earlier_run_never_survive(tiny, options, files):
    for name in FILES:
        (tiny.folder / name).write_text(YESTERDAY)
    for name, text in files.items():
        (tiny.folder / name).write_text(text)
    found = tiny(PASSES, *options, subprocess=any("kill" in text for text in files.values()))
    assert found.exit != 0
    left = {name: found.text(name) for name in FILES if (tiny.folder / name).exists()}
    assert not [name for name, text in left.items() if "yesterday" in text]
    if options[:1] == ("-k",):
        assert found.headline == "FAIL: nothing was judged (0 gates; 1 test not tested)"
    else:
        assert left == {}


@DISTRIBUTIONS
def test_files_of_the_settings_are_removed_once_a_bias_test_begins(tiny, processes):
    (tiny.folder / "pyproject.toml").write_text('[tool.biascheck]\nresults = "results.json"\n')
    (tiny.folder / "results.json").write_text(YESTERDAY)
    # not by the environment: these tests may themselves run on a worker
    run = "os.getppid()" if processes else "os.getpid()"
    dies = f"\ndef test_dies():\n    os.kill({run}, 9)\n"
    tiny(PASSES + dies, *processes, subprocess=True, outputs=())
    assert not (tiny.folder / "results.json").exists()


SLOW = """
import time

def test_a_passes():
    biascheck.assert_within_margin(result(), margin=0.5)

def test_b_waits():
    open("begun", "w").close()
    while True:
        time.sleep(0.01)
"""


def started(tiny, tests, *options):
    """Run the suite in a process of its own, once a test has left its mark."""
    (tiny.folder / "test_tiny.py").write_text(tiny.head + tests, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "biascheck.plugin", "-p", "no:cacheprovider", *OUTPUTS, *options]
    with (tiny.folder / "log").open("w") as log:
        # A shell starts what runs in the background with Ctrl-C ignored, and children inherit that.
        heeded = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            process = subprocess.Popen(command, cwd=tiny.folder, stdout=log, stderr=subprocess.STDOUT)
        finally:
            signal.signal(signal.SIGINT, heeded)
    while not (tiny.folder / "begun").exists():
        assert process.poll() is None, (tiny.folder / "log").read_text()
        time.sleep(0.01)
    return process


@pytest.mark.parametrize("processes", [(), ("-n", "2")], ids=["plain", "xdist"])
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT], ids=["TERM", "INT"])
def test_a_terminated_run_keeps_everything_as_an_interrupted_one_does(tiny, processes, sent):
    waits = SLOW.replace("    open", "    while not os.path.exists('judged'): pass\n    open")
    waits = waits.replace("margin=0.5)\n", "margin=0.5)\n    open('judged', 'w').close()\n", 1)
    process = started(tiny, waits, *UPDATE, *processes)
    process.send_signal(sent)
    assert process.wait() == pytest.ExitCode.INTERRUPTED, (tiny.folder / "log").read_text()
    document = json.loads((tiny.folder / "results.json").read_text())
    assert (document["verdict"], document["complete"]) == ("FAIL", False)
    assert "the run was interrupted" in document["failures"]
    assert {path.name for path in tiny.folder.iterdir()} >= set(FILES)
    assert not (tiny.folder / "baseline.json").exists()
    assert re.search(r"^FAIL: .*the run was interrupted", (tiny.folder / "log").read_text(), re.M)
    if not processes:  # a worker may still be on its way with the report of the first test
        assert len(document["gates"]) == len(document["results"]) == 1


INTERRUPTED_IMPORT = """
import os, signal, sys

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy.linalg":
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        sys.meta_path.insert(0, Interrupts())
"""


def test_an_interrupt_while_the_controller_imports_numpy_loses_nothing(tiny):
    (tiny.folder / "conftest.py").write_text(INTERRUPTED_IMPORT)
    process = started(tiny, PASSES + "\n\ndef test_begun():\n    open('begun', 'w').close()\n", "-n", "1")
    assert process.wait() == pytest.ExitCode.INTERRUPTED, (tiny.folder / "log").read_text()
    document = json.loads((tiny.folder / "results.json").read_text())
    assert "the run was interrupted" in document["failures"]
    assert len(document["gates"]) == len(document["results"]) == 1


SIGNALS = """
import signal

def test_handler():
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
"""


@DISTRIBUTIONS
def test_unrelated_tests_beside_settings_neither_write_nor_fail(tiny, processes):
    (tiny.folder / "pyproject.toml").write_text(
        '[tool.biascheck]\nresults = "out/results.json"\nreport = "out/r.html"\nbaseline = "missing.json"\n'
    )
    (tiny.folder / "test_unrelated.py").write_text(SIGNALS)
    (tiny.folder / "conftest.py").write_text(
        "import signal, sys\n"
        "def pytest_unconfigure():\n"
        "    print('HANDLER', signal.getsignal(signal.SIGTERM) == signal.SIG_DFL, 'NUMPY', 'numpy' in sys.modules)\n"
    )
    found = tiny(PASSES, "test_unrelated.py", *processes, subprocess=True, outputs=())
    assert found.exit == 0
    assert not (tiny.folder / "out").exists()
    assert "bias gates" not in found.result.stdout.str()
    found.result.stdout.fnmatch_lines(["*HANDLER True NUMPY False"])


@DISTRIBUTIONS
def test_choosing_other_tests_than_the_bias_tests_is_no_failure(tiny, processes):
    (tiny.folder / "pyproject.toml").write_text('[tool.biascheck]\nresults = "results.json"\n')
    (tiny.folder / "results.json").write_text(YESTERDAY)
    (tiny.folder / "test_unrelated.py").write_text(SIGNALS)
    found = tiny(PASSES, "-k", "handler", *processes, subprocess=True, outputs=())
    assert found.exit == 0
    assert found.text("results.json") == YESTERDAY
    assert "bias gates" not in found.result.stdout.str()


def test_the_handler_of_another_is_left_alone(tiny):
    (tiny.folder / "theirs.py").write_text("import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n")
    looks = """
    @pytest.mark.bias(judges=False)
    def test_handler():
        import signal

        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    """
    assert tiny(looks, "-p", "theirs", subprocess=True).exit == 0


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        (("--bias-results", "own.json"), "own.json was not written by biascheck and would be lost"),
        (("--bias-report", "README.md"), "README.md was not written by biascheck and would be lost"),
        (("--bias-results", "new.json", "--bias-report", "./new.json"), "results and --bias-report both name"),
        (
            ("--bias-results", "base.json", "--bias-baseline", "base.json"),
            "--bias-results and --bias-baseline both name",
        ),
    ],
    ids=["a file of others", "a text of others", "two outputs", "an output and an input"],
)
def test_a_run_replaces_only_files_of_its_own_kind(tiny, outputs, message):
    contents = {
        "own.json": '{"hidden_size": 8}',
        "README.md": "# Mine\n",
        "base.json": '{"kind": "biascheck baseline"}',
    }
    for name, text in contents.items():
        (tiny.folder / name).write_text(text)
    found = tiny(PASSES, outputs=outputs)
    assert found.exit == pytest.ExitCode.USAGE_ERROR
    found.result.stderr.fnmatch_lines([f"*{message}*"])
    assert {name: found.text(name) for name in contents} == contents


def test_a_run_replaces_what_an_earlier_run_wrote(tiny):
    assert tiny(PASSES).exit == 0
    assert tiny(PASSES).exit == 0
