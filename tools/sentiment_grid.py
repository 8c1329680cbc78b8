"""Run the experiment of Jentzsch & Turan (2022): base models × training conditions × term sets.

    python tools/sentiment_grid.py --data ../data --model minilm-mlm --train 2240 --test 2000 --out reports/grid.json

Checkpoints and results are kept in the cache of biascheck: the same command continues after an interruption, and run
again it only writes the file. No text of the reviews is written, only their ids and scores.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import biascheck
from biascheck.cache.document_cache import caching, results_cache
from biascheck.corpora import published_imdb
from biascheck.debias import ClassifierRecipe
from biascheck.report import write_html
from biascheck.results.result import Result
from biascheck.studies import GridRow, SentimentGrid, overview

PAPER = ["original", *(f"{treatment}-{terms}" for treatment in ("R", "mix") for terms in ("pro", "weat", "all"))]


def main() -> None:
    """Declare the grid as the command line says, run it, and write results and report."""
    args = parse()
    if args.threads:
        import torch

        torch.set_num_threads(args.threads)
    recipe = ClassifierRecipe(
        epochs=args.epochs,
        batch=args.batch,
        learning_rate=args.learning_rate,
        frozen_layers=args.frozen_layers,
        dropout=args.dropout,
        pieces=args.pieces,
        keep=args.keep,
        seed=args.seed,
    )
    grid = SentimentGrid(
        models=[biascheck.load(model, lazy=True) for model in args.model],
        conditions=args.condition or PAPER,
        train=published_imdb(args.data, "train", limit=args.train),
        test=published_imdb(args.data, "test", limit=args.test),
        recipe=recipe,
        seed=args.seed,
    )
    rows = []
    with caching(results_cache()):
        for row in grid.run():
            print(line(row), flush=True)
            rows.append(row)
    write(args.out, rows)


def parse() -> argparse.Namespace:
    """Read the command line."""
    recipe = ClassifierRecipe()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--data", required=True, metavar="DIR", help="folder or table of the IMDB reviews")
    add("--model", action="append", required=True, help="base model; repeat for several")
    add("--condition", action="append", help="original, R-x or mix-x; repeat (default: the paper's seven)")
    add("--train", type=int, default=2240, help="reviews to train on, validation included")
    add("--test", type=int, default=2000, help="reviews to measure on")
    add("--epochs", type=int, default=2, help="epochs; half as many for a mix, in which every review stands twice")
    add("--batch", type=int, default=recipe.batch)
    add("--learning-rate", type=float, default=1.5e-4)
    add("--dropout", type=float, default=recipe.dropout, help="dropout of the classification head")
    add("--frozen-layers", type=int, default=3, help="lowest layers that are not trained")
    add("--pieces", type=int, default=recipe.pieces, help="word pieces read of a review")
    add("--keep", choices=["head", "tail", "both"], default="both", help="which part of a long review is read")
    add("--seed", type=int, default=recipe.seed)
    add("--threads", type=int, default=0, help="processor threads (default: torch's own choice)")
    add("--out", type=Path, required=True, metavar="JSON", help="results; an HTML report goes beside it")
    return parser.parse_args()


def line(row: GridRow) -> str:
    """A cell in one line."""
    interval = row.result.interval
    ends = "no interval" if interval is None else f"[{interval.low:+.4f}, {interval.high:+.4f}]"
    quality = row.quality
    return (
        f"{row.cell}: delta {row.result.estimate:+.4f} {ends}, accuracy {quality.accuracy:.3f}, "
        f"F1 ({quality.of_class}) {quality.f1:.3f} on {quality.n:,} reviews"
    )


def write(path: Path, rows: list[GridRow]) -> None:
    """Results without the text of a single review, and the report drawn from them."""
    results = [*(without_text(row.result) for row in rows), overview(rows)]
    biascheck.write_results(path, results)
    write_html(path.with_suffix(".html"), results, [])


def without_text(result: Result) -> Result:
    """The same items by id and score alone."""
    items = tuple(
        replace(
            item,
            score=round(item.score, 6),
            groups={group: round(rating, 6) for group, rating in item.groups.items()},
            sentences={},
        )
        for item in result.items
    )
    return replace(result, items=items)


if __name__ == "__main__":
    main()
