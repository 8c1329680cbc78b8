"""How much processor time shared beginnings save a causal model, in one run on BEC-Pro with SmolLM2.

(a) the scoring plan with shared beginnings;
(b) the same distinct sentences, each whole, in batches of like length: the plan without sharing;
(c) ``sequence_score`` of minicons on every query, in batches of 32, as its users call it.

Processor time of all threads counts, not the clock on the wall. (c) is timed on a sample of the queries, spread over
the corpus, and scaled; it is skipped where minicons is not installed, and ``--minicons PYTHON`` names the interpreter
of an environment of its own.

The largest differences between (a) and (b) are printed, too. Whether they are due to sharing is for a sample of the
sentences to say: each way in float32, and each sentence by itself, beside a pass in float64.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from itertools import combinations
from typing import Any

import biascheck
from biascheck.corpora.corpus import Corpus
from biascheck.models.local.causal import TransformersCausalModel
from biascheck.models.scoring.encode import encode_sentences
from biascheck.models.scoring.engine import TorchEngine, execute
from biascheck.models.scoring.plan import make_plan
from biascheck.models.scoring.queries import Answer, SentenceQuery

MINICONS = """
import json, sys, time
import torch
from minicons import scorer
from transformers import AutoModelForCausalLM, AutoTokenizer
given = json.load(sys.stdin)
torch.set_num_threads(given["threads"])
tokenizer = AutoTokenizer.from_pretrained(given["folder"])
tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
model = scorer.IncrementalLMScorer(AutoModelForCausalLM.from_pretrained(given["folder"]), "cpu", tokenizer=tokenizer)
texts, total = given["texts"], []
model.sequence_score(texts[:8], reduction=lambda x: x.sum().item(), bos_token=True)
started = time.process_time()
for start in range(0, len(texts), 32):
    total += model.sequence_score(texts[start : start + 32], reduction=lambda x: x.sum().item(), bos_token=True)
print(json.dumps({"seconds": time.process_time() - started, "scores": total}))
"""


def main() -> None:
    """Time the three ways and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="smollm2")
    parser.add_argument("--queries", type=int, default=None, help="only so many queries, spread over the corpus")
    parser.add_argument("--sample", type=int, default=320, help="queries that minicons is timed on")
    parser.add_argument("--exact", type=int, default=100, help="sentences that are also scored in float64")
    parser.add_argument("--minicons", default=sys.executable, help="a Python that has minicons")
    arguments = parser.parse_args()
    model = biascheck.load(arguments.model)
    if not isinstance(model, TransformersCausalModel):
        raise SystemExit("the benchmark is about causal language models")
    queries = association_queries(biascheck.corpora.bec_pro())
    queries = queries[:: max(1, len(queries) // (arguments.queries or len(queries)))]
    model.likelihood(queries[:4])  # libraries allocate and load before anything is timed

    ours, seconds = timed(lambda: model.likelihood(queries))
    print(model.plan(queries))
    print(f"shared beginnings: {seconds:.1f} s of processor time for {len(queries):,} queries, planning included")
    whole, unshared = timed(lambda: without_sharing(model, queries))
    print(f"without sharing: {unshared:.1f} s → sharing takes {seconds / unshared:.2f} of that")
    print(f"  largest difference: {apart(ours, whole)}")
    rounding(model, queries, {"shared": ours, "in batches": whole}, arguments.exact)
    against_minicons(arguments, model, queries, seconds)


def association_queries(corpus: Corpus) -> list[SentenceQuery]:
    """Every sentence that the association of a causal model asks for: the corpus, and its neutral fillers."""
    return [
        SentenceQuery(sentence.text if filler is None else sentence.with_attribute(filler).text)
        for pair in corpus
        for filler in (None, *corpus.fillers)
        for sentence in pair.sentences.values()
    ]


def without_sharing(model: TransformersCausalModel, queries: Sequence[SentenceQuery]) -> list[Any]:
    """Whole distinct sentences in batches of like length, logits where they are asked for."""
    plan = make_plan(encode_sentences(queries, model.tokenizer, max_length=model.max_length), model._budget)
    return execute(plan, TorchEngine(model.torch_model, pad_token=model._pad_token, device=model.device))


def rounding(
    model: TransformersCausalModel,
    queries: Sequence[SentenceQuery],
    ways: dict[str, Sequence[Any]],
    size: int,
) -> None:
    """Print how far each way of scoring in float32 is from float64, and the ways from each other, on a sample."""
    distinct = list({query: place for place, query in enumerate(queries)}.values())
    places = distinct[:: max(1, len(distinct) // size)]
    sample = [queries[place] for place in places]
    exact = biascheck.load((deepcopy(model.torch_model).double(), model.tokenizer), name=model.name)
    if not isinstance(exact, TransformersCausalModel):
        raise SystemExit("a copy of the model is no causal language model")
    found = {way: [answers[place] for place in places] for way, answers in ways.items()}
    found["by itself"] = by_themselves(model, sample)
    reference = by_themselves(exact, sample)
    print(f"rounding on {len(sample)} of the sentences, largest difference:")
    for one, other in combinations(found, 2):
        print(f"  {one} – {other}: {apart(found[one], found[other])}")
    for way, answers in found.items():
        print(f"  {way} – float64: {apart(answers, reference)}")
    print(f"  shared – by itself, both in float64: {apart(exact.likelihood(sample), reference)}")


def by_themselves(model: TransformersCausalModel, queries: Sequence[SentenceQuery]) -> list[Any]:
    """Each sentence in a batch of its own."""
    return [answer for query in queries for answer in without_sharing(model, [query])]


def against_minicons(
    arguments: argparse.Namespace,
    model: TransformersCausalModel,
    queries: Sequence[SentenceQuery],
    seconds: float,
) -> None:
    """Time minicons on a sample in a process of its own and print its ratio to ours."""
    import torch

    step = max(1, len(queries) // arguments.sample)
    folder = str(model.torch_model.config.name_or_path)
    given = {"folder": folder, "texts": [q.text for q in queries[::step]], "threads": torch.get_num_threads()}
    run = subprocess.run(
        [arguments.minicons, "-c", MINICONS], input=json.dumps(given), capture_output=True, text=True, check=False
    )
    if run.returncode:
        reason = (run.stderr.strip().splitlines() or ["no reason given"])[-1]
        print(f"minicons: skipped ({reason}); name an environment that has it with --minicons PYTHON")
        return
    found = json.loads(run.stdout.splitlines()[-1])
    scaled = found["seconds"] * len(queries) / len(given["texts"])
    print(
        f"minicons' sequence_score: {scaled:.0f} s ({len(given['texts']):,} of {len(queries):,} queries timed and "
        f"scaled) → {scaled / seconds:.1f} × ours"
    )


def apart(first: Sequence[Any], second: Sequence[Any]) -> str:
    """The largest difference of two lists of answers, by sentence and by the mean token of a sentence."""
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if isinstance(a, Answer) and isinstance(b, Answer)]
    gaps = [(abs(a.log_probability - b.log_probability), a.pieces) for a, b in pairs]
    return f"{max(gap for gap, _ in gaps):.1e} a sentence, {max(gap / count for gap, count in gaps):.1e} a token"


def timed(work: Callable[[], list[Any]]) -> tuple[list[Any], float]:
    """The outcome of some work and the processor time it took."""
    started = time.process_time()
    outcome = work()
    return outcome, time.process_time() - started


if __name__ == "__main__":
    main()
