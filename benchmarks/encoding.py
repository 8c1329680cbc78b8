"""How many words a second are encoded in ten draws, against one sentence at a time, in one run on one model.

The slow way is timed on a sample of the sentences and scaled; the largest difference between the two is printed.
``--words 5000`` encodes the paper's longest list and prints the peak of the memory that the process held.
"""

from __future__ import annotations

import argparse
import resource
import time

import torch

import biascheck
from biascheck.models.local.encoder import TransformersEncoder
from biascheck.models.scoring.encode import Encoded, encode_words
from biascheck.models.scoring.queries import State, WordQuery


def main() -> None:
    """Time both ways and print words per second, the ratio, and the peak of memory."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="minilm-mlm")
    parser.add_argument("--words", type=int, default=200, help="words that lean by gender, up to 5,000")
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--sample", type=int, default=200, help="sentences to time one at a time")
    arguments = parser.parse_args()
    encoder = biascheck.encoder_of(biascheck.load(arguments.model))
    assert isinstance(encoder, TransformersEncoder)
    dealt = biascheck.corpora.biased_words(arguments.words // 2).draws(arguments.draws, seed=0)
    queries = [WordQuery(context.text, context.span) for contexts in dealt for context in contexts]
    one_by_one(encoder, queries[:8])  # let libraries allocate and load before anything is timed

    started = time.perf_counter()
    ours = encoder.words(queries)
    rate = len(queries) / (time.perf_counter() - started)
    print(encoder.plan(queries))
    print(f"in batches of like length: {rate:,.0f} words a second, tokenising and planning included")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"peak memory after {arguments.draws} draws of {arguments.words:,} words: {peak:.2f} GiB")
    step = max(1, len(queries) // arguments.sample)
    sample = list(range(0, len(queries), step))
    started = time.perf_counter()
    slow = one_by_one(encoder, [queries[place] for place in sample])
    slow_rate = len(sample) / (time.perf_counter() - started)
    print(f"one sentence at a time: {slow_rate:,.0f} words a second ({len(sample)} timed)")
    print(f"ours is {rate / slow_rate:.1f} × as fast")
    states = [ours[place] for place in sample]
    gaps = [abs(s.vector - v.numpy()).max() for s, v in zip(states, slow, strict=True) if isinstance(s, State)]
    print(f"  largest difference from ours: {max(gaps):.1e}")


def one_by_one(encoder: TransformersEncoder, queries: list[WordQuery]) -> list[torch.Tensor]:
    """Run every sentence by itself, unpadded, and average the pieces of its word."""
    found = []
    with torch.inference_mode():
        for query in queries:
            (encoded,) = encode_words([query], encoder.tokenizer)
            assert isinstance(encoded, Encoded)
            states = encoder.torch_model.base_model(input_ids=torch.tensor([encoded.ids])).last_hidden_state[0]
            found.append(states[list(encoded.positions)].mean(dim=0))
    return found


if __name__ == "__main__":
    main()
