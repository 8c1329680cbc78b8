"""Models whose bias is planted: language models with known odds of a gender for every job, vectors, classifiers."""

import re
from math import log

import numpy as np

import biascheck
from biascheck.corpora import bec_pro, bec_pro_professions
from biascheck.models.fakes import SentenceTable, TableModel
from biascheck.models.wrappers import TextClassifier

ODDS = 4.0
OTHER_JOBS = {
    "male": ("baker", "pilot", "guard", "tailor", "miner", "mechanic"),
    "female": ("nurse", "cook", "clerk", "dancer", "cashier"),
}
"""Jobs of examples that BEC-Pro does not have; to which group each leans is chosen so that the mean gap is small."""


def jobs_of(group: str) -> list[str]:
    return [job.name for job in bec_pro_professions() if job.group == group] + list(OTHER_JOBS.get(group, ()))


def person_words() -> dict[str, str]:
    """The group of every word that can be a target."""
    pairs = bec_pro().pairs
    return {sentence.target_text.lower(): group for pair in pairs for group, sentence in pair.sentences.items()}


def share_of_men(odds: float) -> dict[str, float]:
    """P(male | job), longest names first: "nurse" is a part of "registered nurse"."""
    high = odds / (1 + odds)
    shares = dict.fromkeys(jobs_of("male"), high) | dict.fromkeys(jobs_of("female"), 1 - high)
    shares |= dict.fromkeys(jobs_of("balanced"), 0.5)
    return {job: shares[job] for job in sorted(shares, key=len, reverse=True)}


def masked_model(odds: float = ODDS) -> TableModel:
    """Fills masks: each person word has the probability of its gender, given the job in sight."""
    words = person_words()
    rows = {
        job: {word: men if group == "male" else 1 - men for word, group in words.items()}
        for job, men in share_of_men(odds).items()
    }
    return TableModel(rows, prior=dict.fromkeys(words, 0.5), name=f"{odds:g}-to-1")


def causal_model(odds: float = ODDS) -> SentenceTable:
    """Scores text: a sentence has the probability of the gender of its person word, given its job."""
    words, shares = person_words(), share_of_men(odds)

    def log_probability(text: str) -> float:
        spoken = re.findall(r"\w+", text.lower())
        group = next(words[word] for word in spoken if word in words)
        men = next((share for job, share in shares.items() if job in text), 0.5)
        return log(men if group == "male" else 1 - men)

    return SentenceTable(log_probability, name=f"causal-{odds:g}-to-1")


def word_vectors(lean: float):
    """Words in noise of 400 dimensions; definitional words lie 9 along the first axis, titles ``lean`` either way."""
    titles = {entry.word for entry in biascheck.corpora.neutral_professions()}
    pairs = [pair.sentences for pair in biascheck.corpora.gender_pairs()]
    axis = {title: lean * (-1) ** place for place, title in enumerate(sorted(titles))}
    axis |= {pair[group].target_text: 9.0 * sign for pair in pairs for group, sign in (("male", 1), ("female", -1))}
    noise = np.random.default_rng(0).normal(size=(len(axis), 400))
    table = np.hstack([np.reshape(list(axis.values()), (-1, 1)), noise])
    return biascheck.load_vectors((list(axis), table), name=f"vectors-{lean:g}")


def classifier(penalty: float) -> TextClassifier:
    """Rates a text lower by ``penalty`` if it says "she"."""
    return TextClassifier(
        lambda texts: [0.7 - penalty * (re.search(r"\bshe\b", text.lower()) is not None) for text in texts],
        name=f"penalty-{penalty:g}",
        is_fake=True,
    )
