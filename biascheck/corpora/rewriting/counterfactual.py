"""Counterfactual data: documents with the genders swapped, and a record of what was changed in them.

=============  ======================================================================================================
``cda``        both versions of every document (Lu et al. 2018)
``cds``        each document is swapped with probability ½, in place (Maudslay et al. 2019; Bartl et al. 2020, §4.5)
``swap``       every document is swapped (the published ``gap_flipped`` file did this)
``removal``    gendered words are removed (Jentzsch & Turan 2022)
``original``   nothing is changed: the control
=============  ======================================================================================================

The seed and the id of a document alone decide whether it is swapped. First names are swapped with the words unless
``names`` says otherwise; ``names="anonymised"`` turns people into [E1], [E2], … first (Manela et al. 2021, §3.3):
those that the source names, and all first names that the finder knows.

A first name that shows a gender and stays contradicts a swapped pronoun beside it. ``contradictions`` says what becomes
of such a document: it is left ``unswapped``, dropped whichever way its coin fell (``drop``), or swapped anyway
(``keep``, as the papers did). They are counted in any case. ``names="none"`` ignores names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal, get_args

from biascheck.core.errors import UsageError
from biascheck.corpora.documents import Document, Documents, coin_of
from biascheck.corpora.rewriting.name_finder import NameFinder
from biascheck.corpora.rewriting.name_surroundings import given_names
from biascheck.corpora.rewriting.names import NameMap, anonymised, first_names, remaining_names
from biascheck.corpora.rewriting.rewriter import Edit, Rewriter
from biascheck.corpora.rewriting.terms import GermanRoles, TermName, TermSet, gender_terms, german_terms

Method = Literal["original", "cda", "cds", "swap", "removal"]
Names = Literal["swapped", "none", "anonymised"]
Contradictions = Literal["unswapped", "drop", "keep"]
EXAMPLES = 3
SHOWN = 12
_BECOME = {"unswapped": "left unswapped", "drop": "dropped", "keep": "swapped anyway"}


@dataclass(frozen=True, slots=True)
class Balance:
    """The numbers of male and of female terms."""

    male: int
    female: int

    @property
    def share_female(self) -> float:
        """The share of female terms; one half if there are none."""
        total = self.male + self.female
        return self.female / total if total else 0.5

    def __str__(self) -> str:
        return f"{self.male:,} male, {self.female:,} female ({self.share_female:.1%} female)"


@dataclass(frozen=True)
class Changes:
    """What was done to documents: how many changed, which terms, the balance, some examples."""

    method: Method
    documents: int
    changed: int
    before: Balance
    after: Balance
    terms: tuple[tuple[str, int], ...]
    left_alone: tuple[tuple[str, int], ...]
    examples: tuple[tuple[str, str], ...]
    names_left_out: tuple[str, ...] = ()
    names_kept: tuple[tuple[str, int], ...] = ()
    contradictory: int = 0
    contradictions: Contradictions = "keep"

    def __str__(self) -> str:
        lines = [
            f"{self.method}: {self.changed:,} of {self.documents:,} documents changed",
            f"terms before: {self.before}",
            f"terms after: {self.after}",
        ]
        for title, counts in (("changed", self.terms), ("left alone", self.left_alone)):
            if counts:
                listed = ", ".join(f"{word} {count:,}×" for word, count in counts[:SHOWN])
                lines.append(f"{title}: {listed}" + (" …" if len(counts) > SHOWN else ""))
        if self.names_left_out:
            lines.append(f"names that are also words, left out: {', '.join(self.names_left_out[:SHOWN])}")
        if self.names_kept:
            listed = ", ".join(f"{name} {count:,}×" for name, count in self.names_kept[:SHOWN])
            lines.append(
                f"first names that stay beside words to swap: {listed} …"
                if len(self.names_kept) > SHOWN
                else f"first names that stay beside words to swap: {listed}"
            )
            lines.append(
                f"documents that would contradict themselves: {self.contradictory:,}, {_BECOME[self.contradictions]}"
            )
        lines += [f"example: {before} → {after}" for before, after in self.examples]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, object]:
        """Plain values for a checkpoint or a report; examples are left out, as they quote the text."""
        return {
            "method": self.method,
            "documents": self.documents,
            "changed": self.changed,
            "before": [self.before.male, self.before.female],
            "after": [self.after.male, self.after.female],
            "terms": [list(entry) for entry in self.terms[:SHOWN]],
            "left_alone": [list(entry) for entry in self.left_alone[:SHOWN]],
            "names_kept": sum(count for _, count in self.names_kept),
            "contradictory": self.contradictory,
            "contradictions": self.contradictions,
        }


@dataclass(frozen=True)
class Counterfactual:
    """Documents after a treatment, and what it changed."""

    documents: Documents
    changes: Changes


def counterfactual(
    source: Documents,
    method: Method = "cds",
    *,
    terms: TermName | TermSet = "all",
    names: Names = "swapped",
    name_map: NameMap | None = None,
    contradictions: Contradictions = "unswapped",
    seed: int = 0,
) -> Counterfactual:
    """Treat documents by one of the methods above; ``name_map`` defaults to the built-in one."""
    if method not in get_args(Method):
        raise UsageError(f"no method {method!r}; there are: {', '.join(get_args(Method))}")
    if names not in get_args(Names):
        raise UsageError(f"names are {', '.join(get_args(Names))}, not {names!r}")
    if contradictions not in get_args(Contradictions):
        raise UsageError(f"contradictions are {', '.join(get_args(Contradictions))}, not {contradictions!r}")
    name_map = name_map or first_names()
    people = _without_names(source, name_map) if names == "anonymised" else source
    rewriter, left_out = rewriter_for(source.language, terms, name_map if names == "swapped" else None)
    tally = _Tally(rewriter, _Names(names != "none" and source.language == "en", contradictions))
    items = [version for document in people for version in _versions(document, method, rewriter, tally, seed)]
    name = source.name if method == "original" else f"{source.name}·{method}"
    treated = replace(people, name=name, items=tuple(items))
    return Counterfactual(treated, tally.written(method, len(source), left_out))


def rewriter_for(
    language: str = "en", terms: TermName | TermSet = "all", names: NameMap | None = None
) -> tuple[Rewriter, tuple[str, ...]]:
    """The rewriter of a language, and the names that are left out because they are also words.

    There is no German name map: German articles would have to follow the names.
    """
    if language == "de":
        return Rewriter(terms if isinstance(terms, TermSet) else german_terms(), roles=GermanRoles()), ()
    if language != "en":
        raise UsageError(f"no terms for the language {language!r}; there are en and de, or pass terms=TermSet(…)")
    table = gender_terms(terms) if isinstance(terms, str) else terms
    return _rewriter(table, names), () if names is None else names.clashes(table)


@lru_cache(maxsize=8)
def _rewriter(terms: TermSet, names: NameMap | None) -> Rewriter:
    """Cached, as compiling a pattern of hundreds of words takes longer than rewriting a page."""
    return Rewriter(terms) if names is None else Rewriter(names.added_to(terms), finder=names.finder)


def _without_names(source: Documents, name_map: NameMap) -> Documents:
    finder = NameFinder([*given_names(), *name_map.all])
    items = [replace(item, text=anonymised(item.text, item.names, finder), names=()) for item in source]
    return replace(source, name=f"{source.name}·anonymised", items=tuple(items))


def _versions(document: Document, method: Method, rewriter: Rewriter, tally: _Tally, seed: int) -> Iterator[Document]:
    edits = rewriter.edits(document.text)
    swapped = _applied(document.text, edits)
    tally.before.update(_genders(rewriter, (edit.word for edit in edits)))
    if method == "removal":
        gone = [replace(edit, replacement="∅") for edit in edits]
        tally.note(document.text, text := rewriter.remove(document.text), gone)
        yield replace(document, text=text)
        return
    if method != "original" and tally.contradicts(document.text, edits):
        if tally.names.contradictions == "drop":
            return
        if tally.names.contradictions == "unswapped":
            tally.after.update(_genders(rewriter, (edit.word for edit in edits)))
            yield document
            return
    both = method == "cda"
    turned = both or method == "swap" or (method == "cds" and coin_of("swap", seed, document.source) < 0.5)
    if both or not turned:
        tally.after.update(_genders(rewriter, (edit.word for edit in edits)))
        yield document
    if turned and (not both or swapped != document.text):
        tally.note(document.text, swapped, edits)
        tally.after.update(_genders(rewriter, (edit.replacement for edit in edits)))
        yield replace(document, text=swapped) if not both else _second(document, swapped)


def _second(document: Document, swapped: str) -> Document:
    return replace(document, id=f"{document.id}/swapped", text=swapped, origin=document.source)


def _applied(text: str, edits: Iterable[Edit]) -> str:
    parts: list[str] = []
    done = 0
    for edit in edits:
        parts += (text[done : edit.span.start], edit.replacement)
        done = edit.span.end
    return "".join([*parts, text[done:]])


def _genders(rewriter: Rewriter, words: Iterable[str]) -> Iterator[str]:
    return (gender for gender in map(rewriter.gender_of, words) if gender is not None)


@dataclass
class _Names:
    """Whether remaining first names are looked for, what becomes of their documents, and the names found."""

    looked_for: bool
    contradictions: Contradictions
    kept: Counter[str] = field(default_factory=Counter)
    documents: int = 0


@dataclass
class _Tally:
    """Counts over the treated documents."""

    rewriter: Rewriter
    names: _Names
    before: Counter[str] = field(default_factory=Counter)
    after: Counter[str] = field(default_factory=Counter)
    terms: Counter[str] = field(default_factory=Counter)
    left_alone: Counter[str] = field(default_factory=Counter)
    examples: list[tuple[str, str]] = field(default_factory=list)
    changed: int = 0

    def contradicts(self, text: str, edits: Sequence[Edit]) -> bool:
        """Whether a first name would remain in the text beside a swapped word; such names are counted."""
        proper = self.rewriter.terms.proper
        changed = [edit for edit in edits if edit.replacement != edit.word]
        if not self.names.looked_for or all(edit.word.lower() in proper for edit in changed):
            return False
        stay = remaining_names(text, (edit.span for edit in changed))
        self.names.kept.update(mention.word for mention in stay)
        self.names.documents += bool(stay)
        return bool(stay)

    def note(self, text: str, changed: str, edits: Iterable[Edit]) -> None:
        """Count the outcome of a document."""
        for edit in edits:
            if edit.replacement == edit.word:
                self.left_alone[edit.word.lower()] += 1
            else:
                self.terms[f"{edit.word.lower()} → {edit.replacement.lower()}"] += 1
        self.changed += changed != text
        if changed != text and len(self.examples) < EXAMPLES:
            self.examples.append(_around_first_change(text, changed))

    def written(self, method: Method, documents: int, left_out: tuple[str, ...]) -> Changes:
        """The counts as they are reported."""
        before, after = (Balance(counts["male"], counts["female"]) for counts in (self.before, self.after))
        terms, alone = (tuple(counts.most_common()) for counts in (self.terms, self.left_alone))
        return Changes(
            method,
            documents,
            self.changed,
            before,
            after,
            terms,
            alone,
            tuple(self.examples),
            left_out,
            tuple(self.names.kept.most_common()),
            self.names.documents,
            self.names.contradictions,
        )


def _around_first_change(before: str, after: str, width: int = 60) -> tuple[str, str]:
    first = next(
        (n for n, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )
    start = max(0, first - width // 3)
    return before[start : start + width].strip(), after[start : start + width].strip()
