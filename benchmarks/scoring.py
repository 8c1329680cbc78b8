"""How much faster the scoring plan is than the obvious ways to score BEC-Pro, in one run on one model.

(a) one sentence at a time, one forward pass for each of the 10,800 masked sentences;
(b) batches of 20 padded to 16 pieces, logits of the whole vocabulary at every position, as the authors' code does.

All three compute the same English associations; the largest difference between them is printed too. The slow
ways are timed on a sample of the sentences, spread over the corpus, and scaled: ``--share 1`` times them all.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence

import torch

import biascheck
from biascheck.measures import association_queries
from biascheck.models.adapters.transformers import TransformersMaskedModel
from biascheck.models.scoring.encoding import Encoded, encode_masked

Forward = Callable[[Sequence[Encoded]], list[float]]


def main() -> None:
    """Time the three ways and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="minilm-mlm")
    parser.add_argument("--share", type=float, default=0.05, help="share of the sentences for the slow ways")
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
    step = max(1, round(1 / arguments.share))
    sample = [(encoded[i], ours[i]) for i in range(0, len(encoded), step)]
    compare("one sentence at a time", one_by_one(model), sample, len(encoded), seconds)
    compare("batches of 20 padded to 16, full logits", batches_of_20(model), sample, len(encoded), seconds)


def compare(name: str, forward: Forward, sample: list[tuple[Encoded, float]], total: int, ours: float) -> None:
    """Time one of the slow ways on the sample and print its ratio to ours."""
    scores, seconds = timed(lambda: forward([encoded for encoded, _ in sample]))
    scaled = seconds * total / len(sample)
    largest = max(abs(score - known) for score, (_, known) in zip(scores, sample, strict=True))
    print(f"{name}: {scaled:.1f} s ({len(sample):,} of {total:,} timed) → {scaled / ours:.1f} × ours")
    print(f"  largest difference from ours: {largest:.1e}")


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
    """The outcome of some work and how long it took."""
    started = time.perf_counter()
    outcome = work()
    return outcome, time.perf_counter() - started


def warm_up(model: TransformersMaskedModel, items: Sequence[Encoded]) -> None:
    """Let libraries allocate and load before anything is timed."""
    one_by_one(model)(items[:8])
    batches_of_20(model)(items[:20])


if __name__ == "__main__":
    main()
