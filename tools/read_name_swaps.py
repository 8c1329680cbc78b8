"""Draw changed documents of GAP with every swapped first name marked, to be read one by one.

    python tools/read_name_swaps.py --data DIR --seed 1605 --cds 2 3 > pages.txt

The documents of GAP are in two halves: rules may be mended after reading the development half, and are judged on the
held-out half. A document is held out if the coin of its id is below one half and none of its words is in
``name_labels.tsv``. Drawn are documents that counterfactual data substitution with the published map changes, by the
seeds after ``--cds``; those that ``name_readings.tsv`` has already are left out. ``--rows FILE`` writes a row for each
swap, to be labelled ``first`` or ``other`` and added to that record.
"""

import argparse
import random
from pathlib import Path

from biascheck.corpora import counterfactual, published_gap_texts, published_names
from biascheck.corpora.documents import coin_of
from biascheck.corpora.rewriting.counterfactual import rewriter_for

TESTS = Path(__file__).parent.parent / "tests" / "corpora" / "rewriting"


def column(file, number):
    """The values of a column of a table of the tests."""
    return {line.split("\t")[number] for line in (TESTS / file).read_text(encoding="utf-8").splitlines()[1:]}


def is_held_out(document, labelled):
    """Whether no rule was mended after reading this document."""
    return coin_of("name reading", 0, document.id) < 0.5 and document.id not in labelled


def changed(documents, names, seed):
    """The ids of documents that substitution with this seed changes."""
    treated = counterfactual(documents, "cds", name_map=names, contradictions="keep", seed=seed).documents
    return {old.id for old, new in zip(documents, treated, strict=True) if old.text != new.text}


def marked(document, rewriter, number):
    """The text with its swapped first names numbered, and where they are."""
    edits = [
        edit
        for edit in rewriter.edits(document.text)
        if edit.word.lower() in rewriter.terms.proper and edit.replacement != edit.word
    ]
    text, done = "", 0
    for count, edit in enumerate(edits, start=number + 1):
        text += f"{document.text[done : edit.span.start]}[[{count}:{edit.word}]]"
        done = edit.span.end
    return text + document.text[done:], [edit.span.start for edit in edits]


def main():
    """Print the documents that are drawn."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder with gap/ and cds/")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--cds", type=int, nargs="+", default=[0], metavar="SEED")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--development", action="store_true", help="draw from the development half")
    parser.add_argument("--rows", type=Path)
    chosen = parser.parse_args()
    documents, names = published_gap_texts(chosen.data, "all"), published_names(chosen.data)
    labelled, read = column("name_labels.tsv", 0), column("name_readings.tsv", 1)
    half = {d.id: d for d in documents if is_held_out(d, labelled) is not chosen.development}
    pool = set().union(*(changed(documents, names, seed) for seed in chosen.cds)) & half.keys() - read
    rewriter, _ = rewriter_for("en", "all", names)
    rows = []
    for one in random.Random(chosen.seed).sample(sorted(pool), min(chosen.count, len(pool))):
        text, starts = marked(half[one], rewriter, len(rows))
        rows += [f"{one}\t{start}\n" for start in starts]
        print(f"## {one}\n{text}\n")
    if chosen.rows:
        chosen.rows.write_text("".join(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
