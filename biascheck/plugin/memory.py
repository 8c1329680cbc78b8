"""What a run has measured and judged so far, each thing once, in an order that no scheduling of tests can change."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from biascheck.gates.gate import Gate
    from biascheck.results.comparison import Comparison
    from biascheck.results.result import Result

__all__ = ["Memory", "Parcel"]

Document = dict[str, Any]
SAME_FIGURE = 1e-5
"""Two processes agree on a figure to about this much; more is another measurement."""


class Parcel:
    """What one test judged. It travels with the report of the test, so an interrupted run or a crash loses no more."""

    def __init__(self, test: str, *, with_results: bool) -> None:
        self._test = test
        self._with_results = with_results
        self.judged: list[Gate | Comparison] = []
        self.count = 0
        self._results: dict[str, Document] = {}

    def add(self, judged: Gate | Comparison, result: Result) -> None:
        """Take a judgement and the result that it is about; what no file can hold is refused, and the test fails."""
        from biascheck.results.storage import storable

        document = storable(result)
        self.count += 1
        self.judged.append(replace(judged, test=self._test))
        if self._with_results:
            keep(self._results, result.key.digest, document)

    def sealed(self, known: dict[str, Document]) -> str:
        """Empty it into a text; results that this process has sent before, which ``known`` holds, are left out."""
        from biascheck.results.comparison import Comparison
        from biascheck.results.storage import plain

        fresh = {digest: document for digest, document in self._results.items() if keep(known, digest, document)}
        gates = [plain(asdict(one)) for one in self.judged if not isinstance(one, Comparison)]
        comparisons = [plain(asdict(one)) for one in self.judged if isinstance(one, Comparison)]
        self.judged, self._results = [], {}
        return json.dumps({"gates": gates, "comparisons": comparisons, "results": fresh})


class Memory:
    """The parcels of all tests, opened. What a test judged is kept by test, so that a rerun can take it back."""

    def __init__(self) -> None:
        self._gates: dict[str, list[Gate]] = {}
        self._comparisons: dict[str, list[Comparison]] = {}
        self._results: dict[str, Document] = {}
        self.problems: list[str] = []

    def open(self, test: str, parcel: str) -> None:
        """Take over what a test judged, whichever process ran it."""
        from biascheck.errors import ResultError
        from biascheck.gates.gate import Gate
        from biascheck.results.comparison import Comparison
        from biascheck.results.storage import converted

        document = json.loads(parcel)
        self._gates.setdefault(test, []).extend(converted(document["gates"], list[Gate]))
        self._comparisons.setdefault(test, []).extend(converted(document["comparisons"], list[Comparison]))
        for digest, result in document["results"].items():
            try:
                keep(self._results, digest, result)
            except ResultError as error:
                self.problems.append(str(error))

    def take_back(self, test: str) -> str:
        """Forget the judgements of an attempt that is made again; say how it went."""
        findings = [gate.finding for gate in self._gates.pop(test, [])]
        findings += [one.finding for one in self._comparisons.pop(test, [])]
        return "; ".join(findings) or "judged nothing"

    def __bool__(self) -> bool:
        return any(self._gates.values()) or any(self._comparisons.values())

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
