"""Can a model tell whom a pronoun means, where names show the gender (Manela et al. 2021, §4.1)?"""

from __future__ import annotations

from biascheck.corpora.corpus import Corpus
from biascheck.measures.pronouns.name_resolution import name_resolution
from biascheck.models.capabilities import LanguageModel
from biascheck.results.competence import Readability
from biascheck.results.result import Result

__all__ = ["RESOLVES", "names_resolved", "readability_of_names"]

NAMES_CHECK = "names"
NAMES_ABOUT = "whether pronouns are resolved where Alice and Bob show the gender: the smaller F1 of the two genders"
NAMES_FAILURE = "cannot tell whom a pronoun means"
RESOLVES = 0.75


def names_resolved(model: LanguageModel, corpus: Corpus, *, seed: int = 0) -> Readability | None:
    """The smaller F1 of the two genders on Alice and Bob; the paper asks for 75 %.

    Not applicable to a corpus whose pairs carry no ``stereotype`` or mark no people: there is nobody to rename.
    """
    named = all(pair.labels.get("stereotype") in corpus.groups for pair in corpus)
    if not named or any(sentence.attribute is None for sentence in corpus.each_sentence()):
        return None
    return readability_of_names(name_resolution(model, corpus, seed=seed))


def readability_of_names(resolved: Result) -> Readability:
    """The competence that a result of name resolution shows."""
    finding = (
        f"pronouns of Alice and Bob are resolved with an F1 of {resolved.estimate:.0%} in {resolved.n} sentences; "
        f"at least {RESOLVES:.0%} is needed"
    )
    return Readability(
        NAMES_CHECK, NAMES_ABOUT, resolved.estimate, RESOLVES, resolved.n, resolved.seed, finding, NAMES_FAILURE
    )
