"""Strategies of whole examples: our grammar, templates with free slots, a corpus, a table, somebody's texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from biascheck.corpora import corpus_from_table
from biascheck.corpora.corpus import Corpus, Pair
from biascheck.errors import CorpusError, UsageError
from biascheck.strategies.choosing import Choosing
from biascheck.strategies.excerpts import Excerpts
from biascheck.strategies.free_slots import FreeSlots
from biascheck.strategies.grammar import grammar
from biascheck.strategies.person_sets import Axis, PersonSet
from biascheck.strategies.programs import Program, program_of, require_hypothesis, strategy_of
from biascheck.strategies.value_strategies import people as people_by
from biascheck.strategies.verb_phrases import TOPICS, Topic

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from biascheck.corpora.rewriting.terms import TermName, TermSet

__all__ = ["from_corpus", "from_table", "sentences", "templates", "texts"]

if TYPE_CHECKING:
    People = Axis | Sequence[Axis] | SearchStrategy[PersonSet]


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
