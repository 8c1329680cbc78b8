"""What a run has measured and judged so far, each thing once, in an order that no scheduling of tests can change."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from biascheck.gates.gate import Gate
    from biascheck.gates.searches import Search
    from biascheck.results.comparison import Comparison
    from biascheck.results.result import Result

    Judged = Gate | Comparison | Search

__all__ = ["Memory", "Parcel"]

Document = dict[str, Any]
SAME_FIGURE = 1e-5
"""Two processes agree on a figure to about this much; more is another measurement."""


class Parcel:
    """What one attempt at a test judged. It travels with the report of the test: a crash loses no more than that."""

    def __init__(self, test: str, known: dict[str, Document], *, attempt: int = 1, whole: bool = True) -> None:
        self._test = test
        self._known = known
        self._whole = whole
        self._fresh: set[str] = set()
        self._introduced: set[str] = set()
        self.attempt = attempt
        self.judged: list[Judged] = []
        self.count = 0

    def add(self, judged: Judged, result: Result | None) -> Judged:
        """Take a judgement and the result that it is about; what no file can hold is refused, and the test fails.

        A search has no result besides itself.
        """
        own = _storable_judgement(replace(judged, test=self._test))
        if result is not None:
            self.add_result(result)
        if (joined := self._joined(own)) is not None:
            self.judged[-1] = joined
            return joined
        self.count += 1
        self.judged.append(own)
        return own

    def _joined(self, own: Judged) -> Search | None:
        """A check of one example with those that the same test made before it, if it is one."""
        from biascheck.gates.searches import Search

        before = self.judged[-1] if self.judged else None
        return before.followed_by(own) if isinstance(before, Search) and isinstance(own, Search) else None

    def add_result(self, result: Result) -> None:
        """Take a result. ``known`` has those that this process has sent before, and refuses another figure for one."""
        digest = result.key.digest
        document = _storable(result, checked=digest in self._known)
        if digest not in self._known:
            self._introduced.add(digest)
        if keep(self._known, digest, document if self._whole else {**document, "items": [], "skipped": []}):
            self._fresh.add(digest)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to send."""
        return not (self.judged or self._fresh)

    def sealed(self) -> str:
        """Empty it into a text; results that this process has sent before are left out."""
        from biascheck.gates.gate import Gate
        from biascheck.gates.searches import Search
        from biascheck.results.comparison import Comparison
        from biascheck.results.storage import plain

        results = {digest: self._known[digest] for digest in sorted(self._fresh)}
        kinds = {"gates": Gate, "comparisons": Comparison, "searches": Search}
        listed = {
            name: [plain(asdict(one)) for one in self.judged if isinstance(one, kind)] for name, kind in kinds.items()
        }
        self.judged, self._fresh = [], set()
        return json.dumps({**listed, "results": results})

    def take_back(self) -> None:
        """Forget the results that this attempt measured first: the test is made again, and its last attempt counts."""
        for digest in self._introduced:
            self._known.pop(digest, None)


class Memory:
    """The parcels of all tests, opened. What a test judged is kept by test, so that a rerun can take it back."""

    def __init__(self) -> None:
        self._gates: dict[str, list[Gate]] = {}
        self._comparisons: dict[str, list[Comparison]] = {}
        self._searches: dict[str, list[Search]] = {}
        self._results: dict[str, Document] = {}
        self._introduced: dict[str, set[str]] = {}
        self.problems: list[str] = []

    def open(self, test: str, parcel: str) -> bool:
        """Take over what a test judged and showed, whichever process ran it; say whether it judged anything."""
        from biascheck.errors import ResultError
        from biascheck.gates.gate import Gate
        from biascheck.gates.searches import Search
        from biascheck.results.comparison import Comparison
        from biascheck.results.storage import converted

        document = json.loads(parcel)
        self._gates.setdefault(test, []).extend(converted(document["gates"], list[Gate]))
        self._comparisons.setdefault(test, []).extend(converted(document["comparisons"], list[Comparison]))
        self._searches.setdefault(test, []).extend(converted(document["searches"], list[Search]))
        for digest, result in document["results"].items():
            if digest not in self._results:
                self._introduced.setdefault(test, set()).add(digest)
            try:
                keep(self._results, digest, result)
            except ResultError as error:
                self.problems.append(str(error))
        return bool(document["gates"] or document["comparisons"] or document["searches"])

    def take_back(self, test: str) -> str:
        """Forget an attempt that is made again; say what it judged."""
        findings = [gate.finding for gate in self._gates.pop(test, [])]
        findings += [one.finding for one in self._comparisons.pop(test, [])]
        findings += [one.finding for one in self._searches.pop(test, [])]
        for digest in self._introduced.pop(test, ()):
            del self._results[digest]
        return "; ".join(findings)

    def results(self) -> tuple[Result, ...]:
        """All results, by model, corpus and measure."""
        from biascheck.results.storage import result_from_dict

        found = [result_from_dict(document) for document in self._results.values()]
        return tuple(sorted(found, key=lambda one: (one.model_label, one.corpus_label, one.measure, one.key.digest)))

    def gates(self) -> tuple[Gate, ...]:
        """All gates, by test."""
        return tuple(gate for _, gates in sorted(self._gates.items()) for gate in gates)

    def comparisons(self) -> tuple[Comparison, ...]:
        """All comparisons that tests made, by test."""
        return tuple(one for _, comparisons in sorted(self._comparisons.items()) for one in comparisons)

    def searches(self) -> tuple[Search, ...]:
        """All searches, by test."""
        return tuple(one for _, searches in sorted(self._searches.items()) for one in searches)


def _storable(result: Result, *, checked: bool) -> Document:
    """The document of a result as a file would give it back; refused here, where its test fails, if none could."""
    from biascheck.errors import ResultError
    from biascheck.results.storage import result_from_dict, storable
    from biascheck.wording import visible

    document = storable(result)
    if checked:
        return document
    try:
        result_from_dict(document)
    except ResultError as error:
        raise ResultError(
            f"{visible(str(result.title))} cannot be stored: {error.__cause__ or error}; every field of a result needs "
            "the type that it is declared with"
        ) from error
    return document


def _storable_judgement(judged: Judged) -> Judged:
    """A gate or comparison as a file would give it back, in plain numbers and text."""
    from biascheck.errors import ResultError
    from biascheck.results.storage import converted, plain
    from biascheck.wording import visible

    try:
        text = json.dumps(plain(asdict(judged)), allow_nan=False, ensure_ascii=False)
        text.encode("utf-8")
        return converted(json.loads(text), type(judged))
    except (TypeError, ValueError, RecursionError) as error:
        raise ResultError(
            f"the judgement on {visible(str(judged.title))} cannot be stored ({error}); use text and finite numbers in "
            "reason, note and published"
        ) from error


def keep(documents: dict[str, Document], digest: str, document: Document) -> bool:
    """Keep one document of each result, with all that tests attached to it; say whether that is news.

    Two different figures under one identity are refused: one of them would be lost.
    """
    known = documents.get(digest)
    if known is None:
        documents[digest] = document
        return True
    _require_same(known, document)
    merged = {
        **known,
        "attachments": _joined(known["attachments"], document["attachments"]),
        "warnings": _joined(known["warnings"], document["warnings"]),
        "named_by": known["named_by"] or document["named_by"],
    }
    documents[digest] = merged
    return any(merged[name] != known[name] for name in ("attachments", "warnings", "named_by"))


def _joined(first: list[Any], second: list[Any]) -> list[Any]:
    """Both lists as one, in an order that does not depend on which came first."""
    entries = {json.dumps(entry, sort_keys=True): entry for entry in (*first, *second)}
    return first if len(entries) == len(first) else [entries[text] for text in sorted(entries)]


def _require_same(known: Document, document: Document) -> None:
    from biascheck.errors import ResultError

    if known["n"] == document["n"] and abs(known["estimate"] - document["estimate"]) <= SAME_FIGURE:
        return
    raise ResultError(
        f"two different figures claim to be {known['measure']} on {known['model']} × {known['corpus']}: "
        f"{known['estimate']:g} of {known['n']} and {document['estimate']:g} of {document['n']} {known['unit']}. A "
        "result that was changed by hand needs an identity of its own: give it another measure or slice"
    )
