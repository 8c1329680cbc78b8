"""Strategies: Hypothesis draws sentences that differ in who they are about, and nothing else.

Each example is a :class:`biascheck.corpora.Pair` with the spans of its sentences. Use them in
:func:`biascheck.assert_invariant`, which searches in batches, or in an ordinary test with ``@given``. They need
Hypothesis: ``pip install 'pytest-biascheck[worst-cases]'``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from biascheck.core.errors import CorpusError, UsageError
from biascheck.corpora import corpus_from_table
from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.templates import Attribute, Target
from biascheck.worst_cases.grammar import TOPICS, Topic, grammar
from biascheck.worst_cases.people import (
    Axis,
    PersonSet,
    described_sets,
    name_sets,
    own_sets,
    pronoun_sets,
    sets_by,
    term_sets,
)
from biascheck.worst_cases.programs import Choosing, Program, program_of, require_hypothesis, strategy_of
from biascheck.worst_cases.templates import Excerpts, FreeSlots

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from biascheck.corpora.rewriting.terms import TermName, TermSet

    People = Axis | Sequence[Axis] | SearchStrategy[PersonSet]

__all__ = [
    "attributes",
    "described",
    "from_corpus",
    "from_table",
    "names",
    "people",
    "pronouns",
    "sample",
    "sentences",
    "templates",
    "terms",
    "texts",
]


# Strategies of the parts of sentences: people by group, and attributes.

Value = TypeVar("Value")


def pronouns() -> SearchStrategy[PersonSet]:
    """He and she."""
    return strategy_of(_one_of("pronouns", "person", pronoun_sets()))


def terms() -> SearchStrategy[PersonSet]:
    """Man and woman, brother and sister, …"""
    return strategy_of(_one_of("terms", "person", term_sets()))


def names(*axes: Axis) -> SearchStrategy[PersonSet]:
    """First names by gender (the default), by race, or by both; the most common first."""
    axes = axes or ("gender",)
    return strategy_of(_one_of(f"names by {' and '.join(axes)}", "person", name_sets(*axes)))


def described(*axes: Axis) -> SearchStrategy[PersonSet]:
    """People described in words, in every combination of these respects: "the old Black woman"."""
    axes = axes or ("gender",)
    return strategy_of(_one_of(f"people by {' and '.join(axes)}", "person", described_sets(*axes)))


def people(
    *axes: Axis, own: Sequence[Mapping[str, str | Target] | Sequence[Target]] | None = None
) -> SearchStrategy[PersonSet]:
    """The same person in each group, in all the ways there are: by pronoun, by name, by a word, described.

    ``own`` are sets of your own in their place, the simplest first: ``[{"male": "he", "female": "she"}]``.
    """
    if own is not None:
        return strategy_of(_one_of("own people", "person", own_sets(own)))
    axes = axes or ("gender",)
    return strategy_of(_one_of(" and ".join(axes), "person", sets_by(*axes)))


def attributes(words: Sequence[str | Attribute]) -> SearchStrategy[Attribute]:
    """What groups are compared on, the shortest first."""
    listed = [word if isinstance(word, Attribute) else Attribute(word) for word in words]
    if not listed:
        raise UsageError("no attributes; give at least one word")
    ordered = sorted(listed, key=lambda one: (len(one.text.split()), len(one.text)))
    return strategy_of(_one_of("attributes", "attribute", ordered))


def _one_of(name: str, slot: str, values: Sequence[Value]) -> Program[Value]:
    def build(choosing: Choosing) -> Value:
        chosen = choosing.choose((slot,), values)
        choosing.texts[slot,] = "-".join(one.word for one in chosen) if isinstance(chosen, tuple) else str(chosen)
        return chosen

    return Program(name, build)


# Strategies of whole examples: our grammar, templates with free slots, a corpus, a table, somebody's texts.

people_by = people


def sentences(people: People = "gender", topics: Topic | Sequence[Topic] = TOPICS) -> SearchStrategy[Pair]:
    """Sentences of our own grammar, each about the same person in every group.

    ``people`` says in which respects the groups differ (``"gender"``, ``("gender", "race")``, …) or is one of
    :func:`people`, :func:`pronouns`, :func:`names`, :func:`terms`, :func:`described`. ``topics`` are people, work,
    family, travel, illness and money. The attribute of a sentence is the main word of its first clause. Sentences
    shrink to fewer clauses, then to shorter words and more common names.
    """
    chosen = _people(people)
    listed = (topics,) if isinstance(topics, str) else tuple(topics)
    about = "" if set(listed) == set(TOPICS) else f" about {', '.join(listed)}"
    return strategy_of(Program(f"sentences by {chosen.name}{about}", grammar(chosen.build, listed)))


def templates(
    lines: Sequence[str],
    people: People = "gender",
    *,
    attributes: Sequence[str] | SearchStrategy[Any] = (),
    slots: Mapping[str, Sequence[str]] | None = None,
    fillers: Sequence[str] = (),
    name: str = "templates",
) -> SearchStrategy[Pair]:
    """Templates with free slots: ``"{target} is {a attribute} in {city}."`` with ``slots={"city": ["Rome", …]}``.

    ``{target}`` is the person, ``{object}`` the person as an object; ``{he}``, ``{him}`` and ``{his}`` agree with it.
    ``{a …}`` writes the article. ``fillers`` are neutral attributes, which causal models need.
    """
    chosen = _people(people)
    made = FreeSlots(lines, chosen.build, _attributes(attributes), slots or {}, fillers)
    return strategy_of(Program(f"{name} by {chosen.name}", made.build))


def from_corpus(corpus: Corpus) -> SearchStrategy[Pair]:
    """The pairs of a corpus, the shortest first."""
    ordered = sorted(corpus, key=lambda pair: _length(pair, corpus.groups))
    if corpus.fillers:
        fillers = ", ".join(corpus.fillers)
        ordered = [Pair(p.id, p.attribute, p.sentences, {"fillers": fillers, **p.labels}) for p in ordered]

    def build(choosing: Choosing) -> Pair:
        return choosing.choose(("pair",), ordered)

    return strategy_of(Program(corpus.name, build))


def from_table(source: str | PathLike[str] | Any, **options: Any) -> SearchStrategy[Pair]:
    """The pairs of a table; options as in :func:`biascheck.corpora.corpus_from_table`."""
    require_hypothesis()
    return from_corpus(corpus_from_table(source, **options))


def texts(given: Sequence[str], terms: TermName | TermSet = "all", *, name: str = "texts") -> SearchStrategy[Pair]:
    """Somebody's own texts in a male and a female version, as :class:`biascheck.corpora.Rewriter` writes them.

    Texts without a gendered word are left out. A text shrinks to fewer of its sentences.
    """
    return strategy_of(Program(name, Excerpts(given, terms).build))


def _people(people: People) -> Program[PersonSet]:
    require_hypothesis()
    if isinstance(people, str):
        people = people_by(people)
    elif isinstance(people, tuple | list):
        people = people_by(*people)
    program = program_of(people)
    if program is None:
        raise UsageError(
            f"people are given as 'gender', ('gender', 'race'), strategies.names('gender') or "
            f"strategies.people(own=[…]), not as {people!r}"
        )
    return program


def _attributes(given: Sequence[str] | SearchStrategy[Any]) -> Callable[[Choosing], str] | None:
    program = program_of(given)
    if program is not None:
        return lambda choosing: str(program.build(choosing).text)
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise UsageError(f"attributes are a list of words or strategies.attributes([…]), not {given!r}")
    ordered = sorted(given, key=lambda word: (len(word.split()), len(word)))
    return (lambda choosing: choosing.choose(("attribute",), ordered)) if ordered else None


def _length(pair: Pair, groups: Sequence[str]) -> tuple[int, int, str]:
    text = pair.sentences[groups[0]].text
    if not text:
        raise CorpusError(f"pair {pair.id!r} has an empty sentence")
    return len(text.split()), len(text), text


# Random examples of a strategy, for a search and for whoever wants to measure something else on them.


def sample(strategy: SearchStrategy[Pair], count: int = 60, *, seed: int = 0) -> Corpus:
    """So many random examples of a strategy as a corpus; the same seed draws the same ones.

    Their ids are numbers. From a strategy that was filtered, mapped or written by yourself Hypothesis draws, which may
    give fewer.
    """
    require_hypothesis()
    if count < 1:
        raise UsageError(f"count={count}; a sample has at least one example")
    program = program_of(strategy)
    if program is not None:
        rng = Random(f"{seed}/{program.name}")
        pairs = [program.build(Choosing({}, rng.randrange)) for _ in range(count)]
    else:
        pairs = drawn_pairs(strategy, count, seed)
    numbered = tuple(Pair(str(n), one.attribute, one.sentences, one.labels) for n, one in enumerate(pairs))
    name = "examples" if program is None else program.name
    return Corpus(name, tuple(pairs[0].sentences), numbered, fillers=_fillers(pairs))


def drawn_pairs(strategy: Any, count: int, seed: int) -> list[Pair]:
    """What Hypothesis draws from any strategy: at most so many pairs, the same for the same seed."""
    from hypothesis import Phase

    drawn: list[Pair] = []
    run_on_examples(strategy, lambda pair: drawn.append(checked_pair(pair)), count, seed, [Phase.generate])
    return drawn[:count]


def _fillers(pairs: list[Pair]) -> tuple[str, ...]:
    """The fillers that all examples have; those of different sets cannot be mixed."""
    listed = {str(one.labels.get("fillers", "")) for one in pairs}
    return tuple(listed.pop().split(", ")) if len(listed) == 1 and listed != {""} else ()


def run_on_examples(strategy: Any, body: Callable[[object], None], count: int, seed: int, phases: list[Any]) -> None:
    """Have Hypothesis call ``body`` with examples, the same for the same seed."""
    from hypothesis import HealthCheck, given, seed as with_seed, settings

    quiet = settings(
        max_examples=count,
        phases=phases,
        database=None,
        deadline=None,
        derandomize=False,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        print_blob=False,
    )
    with_examples: Any = given(strategy)
    with_seed(seed)(quiet(with_examples(body)))()


def checked_pair(pair: object) -> Pair:
    """What a strategy drew, if it is a pair."""
    if not isinstance(pair, Pair):
        raise UsageError(f"a strategy for assert_invariant draws biascheck.corpora.Pair, not {type(pair).__name__}")
    return pair
