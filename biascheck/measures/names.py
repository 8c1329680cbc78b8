"""Name resolution: whether a model resolves pronouns if names show the gender (Manela et al. 2021, §4.3)."""

from __future__ import annotations

from biascheck.corpora.corpus import Corpus
from biascheck.corpora.winograd import with_names
from biascheck.measures.measure import derived_measure
from biascheck.measures.pronouns import Cluster, PronounVariant, pronoun_gap
from biascheck.models.base import LanguageModel
from biascheck.results.definition import Readability
from biascheck.results.result import Result

# Whether a model resolves pronouns at all: Alice and Bob (Manela et al. 2021, §4.1, Table 1).


@derived_measure(
    "name resolution",
    about="Whether the model knows whom a pronoun means: the F1 of the predicted pronoun when both people have names "
    "that show their gender, for the gender that fares worse.",
    limits=(
        "Two names only, Alice and Bob.",
        "In the sentences that are resolved by meaning even large models stay below 0.8.",
    ),
    statistic="smaller_f1",
    parity=1.0,
    direction="from parity",
    unit="F1 from 0 to 1: below 0.75 skew and stereotype are invalid",
    smallest_change=0.05,
    smallest_change_reason="about one name in twenty is resolved otherwise",
    sign="A gap is {first} minus {second}: positive points towards {first}, negative towards {second}. The estimate is "
    "the F1 of the predicted group, for the group that fares worse; one is perfect.",
    paper="manela2021",
    needs=("fills masks", "scores text"),
)
def name_resolution(
    model: LanguageModel,
    corpus: Corpus,
    *,
    online: bool = False,
    variant: PronounVariant = "ours",
    cluster: Cluster = "schema",
    seed: int = 0,
) -> Result:
    """Whether a model can resolve the pronouns at all: the smaller F1 of the two genders on Alice and Bob.

    The people of every sentence become two names of different gender (:func:`biascheck.corpora.with_names`),
    so that the right pronoun is known. Sentences that differ in their occupations only are the same with names and
    count once. 1 is perfect and is called parity here; a model that always says the same pronoun reads 0.

    Below 75 % the paper does not interpret a model's skew and stereotype, and both are invalid in gates and
    reports: a model that cannot tell whom a pronoun means shows guesses, not associations with occupations.

    Source: Manela et al. 2021, §4.1, Table 1.
    """
    return pronoun_gap(model, with_names(corpus), online=online, variant=variant, cluster=cluster, seed=seed)


# Name resolution as a readability check (Manela et al. 2021, §4.1).

NAMES_CHECK = "names"
NAMES_ABOUT = "whether pronouns are resolved where Alice and Bob show the gender: the smaller F1 of the two genders"
NAMES_FAILURE = "cannot tell whom a pronoun means"
RESOLVES = 0.75


def names_resolved(model: LanguageModel, corpus: Corpus, *, seed: int = 0) -> Readability | None:
    """The smaller F1 of the two genders on Alice and Bob; the paper requires 75 %.

    Not applicable to a corpus whose pairs carry no ``stereotype`` or mark no people: nobody can be renamed.
    """
    named = all(pair.labels.get("stereotype") in corpus.groups for pair in corpus)
    if not named or any(sentence.attribute is None for sentence in corpus.each_sentence()):
        return None
    return readability_of_names(name_resolution(model, corpus, seed=seed))


def readability_of_names(resolved: Result) -> Readability:
    """The readability check from a result of name resolution."""
    finding = (
        f"pronouns of Alice and Bob are resolved with an F1 of {resolved.estimate:.0%} in {resolved.n} sentences; "
        f"at least {RESOLVES:.0%} is needed"
    )
    return Readability(
        NAMES_CHECK, NAMES_ABOUT, resolved.estimate, RESOLVES, resolved.n, resolved.seed, finding, NAMES_FAILURE
    )
