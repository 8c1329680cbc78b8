"""``--bias-engine``: the same files wherever the work is done, and nothing of Ray where it is not asked for."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from importlib.util import find_spec
from pathlib import Path
from secrets import token_hex

import pytest

ROOT = Path(__file__).resolve().parents[2]
SUITE = """
    import biascheck
    import pytest

    def test_jobs(bias_model, bec_pro):
        result = biascheck.measures.association(bias_model, bec_pro.where(template="is-a"))
        reason = "random weights read nothing, and show how a run goes"
        biascheck.assert_association_within(result, margin=0.5, competence="ignore", reason=reason)

    @pytest.mark.parametrize("group", ["female", "male"])
    def test_parts(bias_model, bec_pro, group):
        result = biascheck.measures.association(bias_model, bec_pro.where(template="is-a", profession_group=group))
        reason = "random weights read nothing, and show how a run goes"
        biascheck.assert_association_within(result, margin=0.000001, competence="ignore", reason=reason)
"""
WITHOUT_RAY = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "ray":
            raise ImportError(name)

sys.meta_path.insert(0, Blocker())
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "ray" else found(name, package)
import pytest
code = pytest.main(sys.argv[1:])
assert "ray" not in sys.modules
sys.exit(code)
"""

needs_ray = pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray: pip install 'pytest-biascheck[ray]'")


@pytest.fixture
def run(tmp_path):
    """Run the suites of a small project in a process of its own."""
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.biascheck]\nengine_threads = 1\n")
    source = "\n".join(line.removeprefix("    ") for line in SUITE.splitlines())
    (tmp_path / "one" / "test_first.py").write_text(source)
    (tmp_path / "two" / "test_second.py").write_text(source.replace("is-a", "works-as"))
    script = tmp_path / "without_ray.py"
    script.write_text(WITHOUT_RAY)

    def started(*arguments, script=None, **variables):
        command = [sys.executable, *(["-m", "pytest"] if script is None else [str(tmp_path / script)])]
        cache = tmp_path / f"cache-{len(list(tmp_path.glob('cache-*')))}"
        cache.mkdir()
        environment = {**os.environ, "BIASCHECK_CACHE": str(cache), "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
        environment |= {"XDG_CACHE_HOME": str(tmp_path / "home"), **variables}
        return subprocess.run(
            [*command, "-q", "-p", "no:cacheprovider", "-p", "biascheck.plugin", *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )

    return started


def without_times(path):
    return re.sub(r'"created": "[^"]+"', "", path.read_text(encoding="utf-8"))


def test_without_ray_the_option_says_what_to_install(run):
    found = run("one", "--bias-model", "reference:tiny", "--bias-engine", "ray", script="without_ray.py")
    assert found.returncode == pytest.ExitCode.USAGE_ERROR
    assert "install the extra with pip install 'pytest-biascheck[ray]', or use the engine local" in (
        found.stdout + found.stderr
    )


def test_without_ray_and_without_the_option_nothing_is_missing(run):
    found = run("one", "--bias-model", "reference:tiny", "--bias-results", "r.json", script="without_ray.py")
    assert "1 passed" in found.stdout, found.stdout + found.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--bias-engine", "spark"), "no engine 'spark'; there are: local, ray"),
        (("--bias-engine-actors", "2"), "the engine local is one process"),
        (("--bias-engine", "ray", "-n", "2"), "--bias-engine ray spreads the work itself; leave out -n"),
    ],
)
def test_an_engine_that_cannot_be_is_a_usage_error(run, arguments, said):
    found = run("one", "--bias-model", "reference:tiny", *arguments)
    assert said in found.stdout + found.stderr
    assert found.returncode == pytest.ExitCode.USAGE_ERROR


@needs_ray
@pytest.mark.slow
def test_one_model_gives_the_same_results_file_here_and_with_one_and_two_workers(run, tmp_path):
    files = {}
    for name, engine in {
        "local": ("local",),
        "one": ("ray", "--bias-engine-actors", "1"),
        "two": ("ray", "--bias-engine-actors", "2", "--bias-engine-chunk", "512"),
    }.items():
        found = run("one", "--bias-model", "reference:tiny", "--bias-results", f"{name}.json", "--bias-engine", *engine)
        assert found.returncode == pytest.ExitCode.TESTS_FAILED, found.stdout + found.stderr
        files[name] = without_times(tmp_path / f"{name}.json")
    assert len(json.loads((tmp_path / "local.json").read_text())["gates"]) == 3
    assert files["one"] == files["local"]
    assert files["two"] == files["local"]


def free_ports(count):
    with ExitStack() as opened:
        sockets = [opened.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [one.getsockname()[1] for one in sockets]


def wait_for(port, process):
    """Until a server answers; the time that takes depends on the machine."""
    while process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.1)
    raise AssertionError("the cluster ended")


@pytest.fixture(scope="module")
def running_cluster():
    """A cluster in processes of its own: its address, that for clients, and what both need in their environment."""
    port, clients = free_ports(2)
    # the second is how Ray stays on the loopback interface
    variables = {"RAY_AUTH_MODE": "token", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_TOKEN": token_hex(32)}
    folder = tempfile.mkdtemp(prefix="ray-")  # the names of sockets in it must be short
    command = f"start --head --block --port {port} --ray-client-server-port {clients} --num-cpus 2 --temp-dir {folder}"
    more = "--include-dashboard false --object-store-memory 100000000 --disable-usage-stats"
    environment = {**os.environ, **variables, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    ray = Path(sys.executable).with_name("ray")
    with subprocess.Popen(
        [ray, *command.split(), *more.split()],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as head:
        try:
            wait_for(port, head)
            wait_for(clients, head)
            yield {"cluster": f"127.0.0.1:{port}", "client": f"ray://127.0.0.1:{clients}"}, variables
        finally:
            head.terminate()
    shutil.rmtree(folder, ignore_errors=True)


@needs_ray
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["cluster", "client"])
def test_a_cluster_that_is_running_gives_the_results_file_of_this_process(run, tmp_path, kind, running_cluster):
    files = []
    addresses, variables = running_cluster
    for engine in ("local", addresses[kind], addresses[kind]):  # twice: the first run leaves it running
        found = run(
            *("one", "--bias-model", "reference:tiny", "--bias-results", "found.json"),
            *("--bias-engine", engine, "--bias-engine-chunk", "512"),
            **variables,
        )
        assert found.returncode == pytest.ExitCode.TESTS_FAILED, found.stdout + found.stderr
        files.append(without_times(tmp_path / "found.json"))
    assert len(json.loads((tmp_path / "found.json").read_text())["gates"]) == 3
    assert files[1] == files[0]
    assert files[2] == files[0]


@needs_ray
@pytest.mark.slow
def test_several_models_spread_over_a_cluster_by_a_client(run, tmp_path, running_cluster):
    models = ("--bias-model", "reference:tiny", "--bias-model", "again=reference:tiny")
    addresses, variables = running_cluster
    for name, engine in {"here": "local", "there": addresses["client"]}.items():
        found = run(".", *models, "--bias-results", f"{name}.json", "--bias-engine", engine, **variables)
        assert found.returncode == pytest.ExitCode.TESTS_FAILED, found.stdout + found.stderr
    assert without_times(tmp_path / "there.json") == without_times(tmp_path / "here.json")


@needs_ray
@pytest.mark.slow
@pytest.mark.parametrize("form", ["127.0.0.1:{}", "ray://127.0.0.1:{}"])
def test_an_address_where_nothing_answers_says_what_to_do(run, form):
    found = run("one", "--bias-model", "reference:tiny", "--bias-engine", form.format(*free_ports(1)))
    assert "start one with 'ray start --head', check the address" in found.stdout + found.stderr


@needs_ray
@pytest.mark.slow
def test_several_models_spread_their_suites_and_give_the_same_files(run, tmp_path):
    models = ("--bias-model", "reference:tiny", "--bias-model", "again=reference:tiny")
    outputs = {}
    for name, engine in {
        "local": ("local",),
        "one": ("ray", "--bias-engine-actors", "1"),
        "two": ("ray", "--bias-engine-actors", "2"),
    }.items():
        found = run(
            ".", *models, "--bias-results", f"{name}.json", "--junitxml", f"{name}.xml", "--bias-engine", *engine
        )
        assert found.returncode == pytest.ExitCode.TESTS_FAILED, found.stdout + found.stderr
        junit = (tmp_path / f"{name}.xml").read_text()
        cases = sorted(re.findall(r'<testcase classname="(\S+)" name="([^"]+)"', junit))
        outputs[name] = without_times(tmp_path / f"{name}.json"), cases
    outcome = json.loads((tmp_path / "two.json").read_text())["outcome"]
    assert [test["state"] for test in outcome["tests"]] == ["judged"] * 12
    assert len(outputs["local"][1]) == 12
    assert outputs["one"] == outputs["local"]
    assert outputs["two"] == outputs["local"]


def test_outputs_go_to_an_address_and_data_comes_from_one(run, tmp_path):
    pytest.importorskip("fsspec")
    (tmp_path / "data" / "gap").mkdir(parents=True)
    (tmp_path / "data" / "gap" / "file.tsv").write_text("text")
    (tmp_path / "one" / "test_data.py").write_text(
        "def test_data(bias_data):\n    assert (bias_data / 'gap' / 'file.tsv').read_text() == 'text'\n"
    )
    place = f"file://{tmp_path}/bucket/results.json"
    found = run(
        *("one", "--bias-model", "reference:tiny", "--bias-results", place, "--bias-markdown", f"{place[:-5]}.md"),
        *("--bias-data", f"file://{tmp_path}/data"),
    )
    assert f"written: {place}" in found.stdout, found.stdout + found.stderr
    assert "test_data" not in re.sub(r"(?s).*short test summary", "", found.stdout)
    assert len(json.loads((tmp_path / "bucket" / "results.json").read_text())["gates"]) == 3
    assert (tmp_path / "bucket" / "results.md").read_text().startswith("#")
