"""How much faster the scoring plan is than the obvious ways to score BEC-Pro, in one run on one model.

(a) one sentence at a time, one forward pass for each of the 10,800 masked sentences;
(b) batches of 20 padded to 16 pieces, logits of the whole vocabulary at every position, as the authors' code does;
(c) ``cloze`` of minicons in batches of 32, as its users call it.

All of them compute the same English associations; the largest difference from ours is printed too. The slow
ways are timed on a sample of the sentences, spread over the corpus, and scaled: ``--share 1`` times them all. (c) is
skipped where minicons is not installed; ``--minicons PYTHON`` names the interpreter of an environment of its own.

Processor time of all threads counts, not the clock on the wall. How far the plan is from the limit of the machine is
printed too: its matrix products per second, as a share of those of one large product.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode

import biascheck
from biascheck.measures import association_queries
from biascheck.models.local.transformers import TransformersMaskedModel
from biascheck.models.scoring.encode import Encoded, encode_masked
from biascheck.models.scoring.queries import MaskedQuery

Forward = Callable[[Sequence[Encoded]], list[float]]
LARGE = 2048
MINICONS = """
import json, sys, time
import torch
from minicons import scorer
given = json.load(sys.stdin)
torch.set_num_threads(given["threads"])
model = scorer.MaskedLMScorer(given["folder"], "cpu")
asked, found = [tuple(pair) for pair in given["asked"]], []
model.cloze(asked[:8])
started = time.process_time()
for at in range(0, len(asked), 32):
    found += [float(score) for score in model.cloze(asked[at : at + 32])]
print(json.dumps({"seconds": time.process_time() - started, "scores": found}))
"""


def main() -> None:
    """Time the three ways and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="minilm-mlm")
    parser.add_argument("--share", type=float, default=0.05, help="share of the sentences for the slow ways")
    parser.add_argument("--minicons", default=sys.executable, help="a Python that has minicons")
    arguments = parser.parse_args()
    model = biascheck.load(arguments.model)
    if not isinstance(model, TransformersMaskedModel):
        raise SystemExit("the benchmark is about masked language models")
    queries = association_queries(biascheck.corpora.bec_pro().sentences())
    encoded = [item for item in encode_masked(queries, model.tokenizer) if isinstance(item, Encoded)]
    warm_up(model, encoded[:64])

    ours, seconds = timed(lambda: [answer.log_probability for answer in model.fill(queries)])
    print(model.plan(queries))
    print(f"scoring plan: {seconds:.2f} s for {len(queries):,} queries, tokenising and planning included")
    step = max(1, round(1 / arguments.share)) | 1  # odd: targets and priors take turns
    sample = [(encoded[i], ours[i]) for i in range(0, len(encoded), step)]
    compare("one sentence at a time", one_by_one(model), sample, len(encoded), seconds)
    compare("batches of 20 padded to 16, full logits", batches_of_20(model), sample, len(encoded), seconds)
    part = queries[::step]
    against_minicons(arguments.minicons, model, part, ours[::step], seconds * len(part) / len(queries))
    share_of_peak(model, queries, seconds)


def compare(name: str, forward: Forward, sample: list[tuple[Encoded, float]], total: int, ours: float) -> None:
    """Time one of the slow ways on the sample and print its ratio to ours."""
    scores, seconds = timed(lambda: forward([encoded for encoded, _ in sample]))
    scaled = seconds * total / len(sample)
    largest = max(abs(score - known) for score, (_, known) in zip(scores, sample, strict=True))
    print(f"{name}: {scaled:.1f} s ({len(sample):,} of {total:,} timed) → {scaled / ours:.1f} × ours")
    print(f"  largest difference from ours: {largest:.1e}")


def against_minicons(
    python: str, model: TransformersMaskedModel, queries: Sequence[MaskedQuery], ours: Sequence[float], seconds: float
) -> None:
    """Time minicons on a sample in a process of its own and print its ratio to ours."""
    asked = [as_cloze(query, model.tokenizer) for query in queries]
    folder = str(model.torch_model.config.name_or_path)
    given = {"threads": torch.get_num_threads(), "folder": folder, "asked": asked}
    done = subprocess.run(
        [python, "-c", MINICONS], input=json.dumps(given), capture_output=True, text=True, check=False
    )
    if done.returncode:
        reason = (done.stderr.strip() or "no reason given").splitlines()[-1]
        print(f"minicons: skipped ({reason}); name an environment that has it with --minicons PYTHON")
        return
    found = json.loads(done.stdout.splitlines()[-1])
    differences = [abs(score - known) for score, known in zip(found["scores"], ours, strict=True)]
    same = sum(difference < 1e-4 for difference in differences)
    print(f"minicons' cloze: {found['seconds'] / seconds:.1f} × our processor time ({len(asked):,} queries timed)")
    print(
        f"  {same:,} of {len(asked):,} scores agree to 1e-4 (it takes the first place where the tokens of a word occur)"
    )


def as_cloze(query: MaskedQuery, tokenizer: Any) -> tuple[str, str]:
    """A query as minicons takes it: the text, what else is hidden replaced by masks, and the word to infer."""
    text = query.text
    for span in sorted(query.hidden, reverse=True):
        pieces = len(tokenizer(span.of(text), add_special_tokens=False)["input_ids"])
        text = text[: span.start] + " ".join([tokenizer.mask_token] * pieces) + text[span.end :]
    return text, query.target.of(query.text)


def share_of_peak(model: TransformersMaskedModel, queries: Sequence[MaskedQuery], seconds: float) -> None:
    """Print the matrix products of the plan per second of processor time, as a share of those of one large product."""
    with FlopCounterMode(display=False) as counter:
        model.fill(queries)
    matrix = torch.rand(LARGE, LARGE)
    _, one = min((timed(lambda: [float((matrix @ matrix)[0, 0])]) for _ in range(5)), key=lambda found: found[1])
    peak = 2 * LARGE**3 / one
    done = counter.get_total_flops() / seconds
    print(f"share of the peak of matrix products: {done / peak:.2f} ({done / 1e9:.0f} of {peak / 1e9:.0f} GFLOP/s)")


def one_by_one(model: TransformersMaskedModel) -> Forward:
    """Run every sentence by itself, unpadded, and take the whole vocabulary's probabilities."""

    def forward(items: Sequence[Encoded]) -> list[float]:
        scores = []
        with torch.inference_mode():
            for item in items:
                logits = model.torch_model(input_ids=torch.tensor([item.ids])).logits[0].log_softmax(-1)
                scores.append(_joint(logits, item))
        return scores

    return forward


def batches_of_20(model: TransformersMaskedModel) -> Forward:
    """Run batches of 20 padded to 16 pieces, or to the longest where that is longer, with full logits.

    The authors cut at 16 and padded with attended masks; here nothing is cut and padding is not attended,
    so that the scores can be compared. The arithmetic is the same.
    """

    def forward(items: Sequence[Encoded]) -> list[float]:
        scores: list[float] = []
        pad = model.tokenizer.pad_token_id
        with torch.inference_mode():
            for start in range(0, len(items), 20):
                batch = items[start : start + 20]
                length = max(16, *(len(item.ids) for item in batch))
                ids = torch.tensor([[*item.ids, *[pad] * (length - len(item.ids))] for item in batch])
                logits = model.torch_model(input_ids=ids, attention_mask=(ids != pad).long()).logits.log_softmax(-1)
                scores.extend(_joint(row, item) for row, item in zip(logits, batch, strict=True))
        return scores

    return forward


def _joint(log_probabilities: torch.Tensor, item: Encoded) -> float:
    return float(sum(log_probabilities[p, t] for p, t in zip(item.positions, item.tokens, strict=True)))


def timed(work: Callable[[], list[float]]) -> tuple[list[float], float]:
    """The outcome of some work and the processor time it took."""
    started = time.process_time()
    outcome = work()
    return outcome, time.process_time() - started


def warm_up(model: TransformersMaskedModel, items: Sequence[Encoded]) -> None:
    """Let libraries allocate and load before anything is timed."""
    one_by_one(model)(items[:8])
    batches_of_20(model)(items[:20])


if __name__ == "__main__":
    main()
