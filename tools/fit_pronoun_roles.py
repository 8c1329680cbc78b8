"""Fit the linear model that tells whether *her* is an object or a determiner, from *him* and *his* in running text.

    python tools/fit_pronoun_roles.py --out biascheck/corpora/data/pronoun_roles.tsv \\
        --text imdb_unsupervised.txt.gz --text gap-development.tsv

Only the names of features (words, endings) and their weights are written, nothing of the text. Needs scikit-learn.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from pathlib import Path

from masked_text import read_texts

from biascheck.core.files import write_atomically
from biascheck.corpora.rewriting.terms import features_of

PRONOUN = re.compile(r"\b(?:him|his)\b", re.IGNORECASE)
SEEN_AT_LEAST = 3
SMALLEST_WEIGHT = 0.1


def occurrences(texts: list[str]) -> tuple[list[list[str]], list[int]]:
    """The features of every *him* and *his*, and 1 for each *his*."""
    features, labels = [], []
    for text in texts:
        for match in PRONOUN.finditer(text):
            features.append(features_of(text, *match.span()))
            labels.append(int(match[0].lower() == "his"))
    return features, labels


def fit(features: list[list[str]], labels: list[int], strength: float) -> dict[str, float]:
    """Weights of a logistic regression on the features that are seen often enough."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    counts = Counter(name for row in features for name in row)
    kept = [{name: 1 for name in row if counts[name] >= SEEN_AT_LEAST} for row in features]
    vectorizer = DictVectorizer()
    model = LogisticRegression(C=strength, max_iter=400).fit(vectorizer.fit_transform(kept), labels)
    named = zip(vectorizer.get_feature_names_out(), model.coef_[0], strict=True)
    weights = {name: float(weight) for name, weight in named if abs(weight) >= SMALLEST_WEIGHT}
    return {"bias": float(model.intercept_[0]), **dict(sorted(weights.items()))}


def accuracy(weights: dict[str, float], features: list[list[str]], labels: list[int]) -> float:
    """How often the sign of the score is right."""
    scores = (weights["bias"] + sum(weights.get(name, 0.0) for name in row) for row in features)
    return sum((score > 0) == bool(label) for score, label in zip(scores, labels, strict=True)) / len(labels)


def main() -> None:
    """Fit, say how well it does on every tenth text, which it has not seen, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", type=Path, action="append", required=True, metavar="FILE", help="running text")
    parser.add_argument("--out", type=Path, required=True, metavar="TSV", help="where the weights go")
    parser.add_argument("--strength", type=float, default=1.0, help="inverse of the regularisation")
    args = parser.parse_args()
    texts = [text for path in args.text for text in read_texts(path)]
    fitted = occurrences([text for n, text in enumerate(texts) if n % 10])
    held_out = occurrences(texts[::10])
    weights = fit(*fitted, args.strength)
    print(f"{len(fitted[1]):,} occurrences, {len(weights):,} weights")
    print(f"accuracy on {len(held_out[1]):,} others: {accuracy(weights, *held_out):.4f}")
    rows = "".join(f"{name}\t{weight:.2f}\n" for name, weight in weights.items())
    write_atomically(args.out, f"feature\tweight\n{rows}")


if __name__ == "__main__":
    main()
