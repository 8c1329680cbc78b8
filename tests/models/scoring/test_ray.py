"""Plans on a Ray cluster on this machine: the same scores to the last bit, whatever is lost on the way."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

import biascheck as bc
from biascheck.core.errors import ModelError, UsageError
from biascheck.core.spans import Span
from biascheck.models.local.loader import load
from biascheck.models.scoring.plan import chunks_of_plan
from biascheck.models.scoring.pseudo_likelihood import PseudoQuery
from biascheck.models.scoring.queries import ContinuationQuery, SentenceQuery, WordQuery
from support.model_folders import save_folder
from support.oracle import query
from support.tiny import pair

ray = pytest.importorskip("ray", reason="needs Ray: pip install 'pytest-biascheck[ray]'")

WORDS = ["nurse", "plumber", "good", "daughter", "man", "woman"]
TEXTS = [f"My son is a {word} at work{end}" for word in WORDS for end in (".", " day.", " and work.")]
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def cluster():
    """One cluster for all tests of this file; an engine uses it and leaves it running."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init("local", num_cpus=2, include_dashboard=False, object_store_memory=100 * 2**20, log_to_driver=False)
    yield ray
    ray.shutdown()


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A masked model, a causal one and a classifier, on disk."""
    from transformers import BertConfig, BertForSequenceClassification

    home = tmp_path_factory.mktemp("models")
    found = {family: save_folder(home / family, family) for family in ("bert-uncased", "gpt2")}
    config = BertConfig.from_pretrained(found["bert-uncased"], id2label={0: "negative", 1: "positive"})
    BertForSequenceClassification(config).save_pretrained(home / "classifier")
    pair("bert-uncased")[1].save_pretrained(home / "classifier")
    return {**found, "classifier": home / "classifier"}


def asked_of_everything(folders):
    """Every kind of plan, once: log-probabilities, normalised in float64, trees, states of a layer, classes."""
    masked = load(folders["bert-uncased"], lazy=True, token_budget=32)
    causal = load(folders["gpt2"], lazy=True, token_budget=64)
    classifier = load(folders["classifier"], lazy=True, token_budget=32)
    states = masked.as_encoder(layer=1)
    found = {
        "fill": [one.log_probability for one in masked.fill([query(text, "son") for text in TEXTS])],
        "pseudo": [one.log_probabilities for one in masked.pseudo_likelihood([PseudoQuery(text) for text in TEXTS])],
        "likelihood": [one.log_probability for one in causal.likelihood([SentenceQuery(text) for text in TEXTS])],
        "continuations": [
            one.log_probability
            for one in causal.continuations([ContinuationQuery("My son", text[6:]) for text in TEXTS])
        ],
        "states": [one.vector.tolist() for one in states.words([WordQuery(text, Span(3, 6)) for text in TEXTS])],
        "sentences": [one.vector.tolist() for one in masked.as_encoder().sentences(TEXTS)],
        "rate": classifier.rate(TEXTS),
    }
    return found, {"_pair" in model.__dict__ for model in (masked, causal, classifier, states)}


def test_every_kind_of_plan_gives_the_scores_of_the_local_engine_and_needs_no_weights_here(folders, cluster):
    with bc.engine("local", threads=1):
        wanted, loaded = asked_of_everything(folders)
    assert loaded == {True}
    changed = load(folders["bert-uncased"])
    next(changed.torch_model.parameters()).data[0, 0] += 1
    with bc.engine("ray", actors=2, chunk_tokens=64):
        found, loaded = asked_of_everything(folders)
        assert found == wanted  # every bit
        assert loaded == {False}
        with pytest.raises(UsageError, match="save it to a folder"):
            load(pair("bert-uncased")).fill([query(TEXTS[0], "son")])
        with pytest.raises(ModelError, match=r"another model on .* save it to a folder"):
            changed.fill([query(TEXTS[0], "son")])
    assert cluster.is_initialized()  # it was there before
    assert _free_processors(cluster) == 2


@pytest.mark.slow
@pytest.mark.usefixtures("cluster")
def test_one_worker_gives_the_same_scores_as_two(folders):
    with bc.engine("local", threads=1):
        wanted, _ = asked_of_everything(folders)
    with bc.engine("ray", actors=1, chunk_tokens=40):
        assert asked_of_everything(folders)[0] == wanted


def _free_processors(cluster):
    for _ in range(100):
        if (left := cluster.available_resources().get("CPU", 0)) == 2:
            break
        time.sleep(0.1)
    return left


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"actors": 3}, "room for 2 of 3 workers with 1 processors each.*--bias-engine-actors 2"),
        ({"cpus": 4}, "no machine of the Ray cluster can give a worker 4 processors .it has 2 processors and 0 GPUs"),
        ({"gpus": 1}, "no machine of the Ray cluster can give a worker 1 processors and 1 GPUs"),
    ],
)
@pytest.mark.usefixtures("cluster")
def test_a_cluster_that_cannot_give_what_is_asked_for_says_so(folders, options, said):
    model = load(folders["bert-uncased"], lazy=True)
    with bc.engine("ray", **options):
        for _ in range(2):  # at once, the second time too
            with pytest.raises(UsageError, match=said):
                model.fill([query(TEXTS[0], "son")])


@pytest.mark.slow
def test_a_worker_that_is_always_lost_ends_the_run(folders, cluster, monkeypatch):
    """A chunk that takes every worker with it is given up, instead of being sent for ever."""
    from biascheck.core.errors import ScoreError
    from biascheck.models.scoring import ray as ray_engine
    from biascheck.models.scoring.ray import ScoringWorker

    class Dying(ScoringWorker):
        def score(self, *_):
            os._exit(1)

    monkeypatch.setattr(ray_engine, "ScoringWorker", Dying)
    monkeypatch.setattr(ray_engine, "ENGINE_RETRIES", 1)
    model = load(folders["bert-uncased"], lazy=True)
    with bc.engine("ray", actors=1), pytest.raises(ScoreError, match="a worker was lost 2 times over the same work"):
        model.fill([query(TEXTS[0], "son")])
    assert _free_processors(cluster) == 2


# Lost workers and interrupted drivers


def many_queries():
    jobs = [f"{first}{second}" for first in "bcdfghkl" for second in ("aker", "ook", "river", "ilot", "udge")]
    return [query(f"{who} son is a {job}.", "son") for who in ("My", "This", "The", "a") for job in jobs]


def lines_of(log):
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


def kill_at(log, moments, killed, draw, over):
    """Kill the worker of the last line as soon as the log has so many lines, and a moment has passed."""
    for moment in moments:
        while len(lines_of(log)) < moment and not over.is_set():
            time.sleep(0.002)
        if over.is_set():
            return
        time.sleep(draw.uniform(0, 0.01))
        last = lines_of(log)[-1]["pid"]
        try:
            os.kill(last, signal.SIGKILL)
        except ProcessLookupError:
            continue
        killed.append(last)


@pytest.mark.slow
@pytest.mark.usefixtures("cluster")
@pytest.mark.parametrize("actors", [1, 2])
def test_workers_killed_at_five_random_moments_lose_nothing(tmp_path, actors):
    model = bc.load("reference:tiny", token_budget=16)
    plan = model.plan(many_queries())
    with bc.engine("local", threads=1):
        wanted = model.fill(many_queries())
    chunks = [chunk.digest[:16] for _, chunk in chunks_of_plan(plan, 32)]
    draw = random.Random(actors)
    log, killed, over = tmp_path / "log", [], threading.Event()
    moments = sorted(draw.sample(range(2, len(chunks)), 5))
    killer = threading.Thread(target=kill_at, args=(log, moments, killed, draw, over))
    killer.start()
    try:
        with bc.engine("ray", actors=actors, chunk_tokens=32, log=log):
            found = model.fill(many_queries())
    finally:
        over.set()
        killer.join()

    begun = Counter(line["chunk"] for line in lines_of(log) if line["is"] == "begun")
    assert len(killed) == 5
    assert found == wanted
    assert begun.keys() == set(chunks)  # nothing lost
    assert begun.total() - len(chunks) <= len(killed)  # nothing twice but what was in flight
    print(f"{len(chunks)} chunks, begun {begun.total()} times, {len(killed)} kills at lines {moments}")


DRIVER = """
import json, signal, sys
import biascheck as bc
from pathlib import Path
from biascheck.core.store import caching, results_cache
from biascheck.models.scoring.queries import MaskedQuery
from biascheck.core.spans import Span

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a test run in the background ignores it
    log, actors, asked = Path(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
    model = bc.load("reference:tiny", token_budget=16)
    queries = [MaskedQuery(text, Span(start, end)) for text, start, end in asked]
    cache = results_cache()
    with caching(cache), bc.engine("ray", actors=actors, chunk_tokens=32, log=log):
        found = cache.fetch("0" * 64, lambda: [answer.log_probability for answer in model.fill(queries)])
    print(json.dumps(found))
"""


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_a_driver_that_is_interrupted_and_started_again_loses_nothing(tmp_path, end):
    script = tmp_path / "driver.py"
    script.write_text(DRIVER)
    cache, log = tmp_path / "cache", tmp_path / "log"
    environment = {**os.environ, "BIASCHECK_CACHE": str(cache), "OMP_NUM_THREADS": "1", "RAY_USAGE_STATS_ENABLED": "0"}
    asked = json.dumps([[one.text, one.target.start, one.target.end] for one in many_queries()])
    command = [sys.executable, str(script), str(log), "2", asked]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT) as first:
        while len(list((cache / "scores").glob("*.npy"))) < 20 and first.poll() is None:
            time.sleep(0.002)
        first.send_signal(end)
        first.wait(timeout=120)
    assert first.returncode != 0
    kept = len(list((cache / "scores").glob("*.npy")))
    assert _gone({line["pid"] for line in lines_of(log)})  # the cluster is free
    again = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=ROOT, check=True)

    model = bc.load("reference:tiny", token_budget=16)
    with bc.engine("local", threads=1):
        wanted = [answer.log_probability for answer in model.fill(many_queries())]
    chunks = {chunk.digest[:16] for _, chunk in chunks_of_plan(model.plan(many_queries()), 32)}
    begun = Counter(line["chunk"] for line in lines_of(log) if line["is"] == "begun")
    twice = [chunk for chunk, times in begun.items() if times > 1]
    assert 20 <= kept < len(chunks)
    assert json.loads(again.stdout.splitlines()[-1]) == wanted
    assert begun.keys() == chunks
    assert len(twice) <= 4  # two actors, each with a chunk in hand and one whose answer was on its way
    assert max(begun.values()) <= 2
    assert list((cache / "scores").glob("*.npy")) == []
    print(f"{len(begun)} chunks, {kept} kept at the interruption, {len(twice)} begun twice")


def _gone(pids):
    for _ in range(300):
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            return True
        time.sleep(0.1)
    return False
