"""Can a model tell whom a pronoun means, where names show the gender (Manela et al. 2021, §4.1)?"""

from __future__ import annotations

from biascheck.corpora.corpus import Corpus
from biascheck.measures.skew_and_stereotype import RESOLVES, resolution
from biascheck.models.capabilities import LanguageModel
from biascheck.results.competence import Competence

__all__ = ["names_resolved"]

NAME = "names"
ABOUT = "whether pronouns are resolved where Alice and Bob show the gender: the smaller F1 of the two genders"


def names_resolved(model: LanguageModel, corpus: Corpus, *, seed: int = 0) -> Competence | None:
    """The smaller F1 of the two genders on Alice and Bob; the paper asks for 75 %.

    Not applicable to a corpus whose pairs carry no ``stereotype`` or mark no people: there is nobody to rename.
    """
    if not all(_can_be_renamed(pair.labels.get("stereotype"), corpus) for pair in corpus) or _marks_nobody(corpus):
        return None
    resolved = resolution(model, corpus, seed=seed)
    finding = (
        f"pronouns of Alice and Bob are resolved with an F1 of {resolved.estimate:.0%} in {resolved.n} sentences; "
        f"at least {RESOLVES:.0%} is needed"
    )
    return Competence(NAME, ABOUT, resolved.estimate, RESOLVES, resolved.n, seed, finding)


def _can_be_renamed(stereotype: object, corpus: Corpus) -> bool:
    return stereotype in corpus.groups


def _marks_nobody(corpus: Corpus) -> bool:
    return any(sentence.attribute is None for sentence in corpus.sentences())
