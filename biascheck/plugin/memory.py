"""What a run has measured and judged so far, each thing once, in an order that no scheduling of tests can change."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from biascheck.cache.document_cache import digest_of

if TYPE_CHECKING:
    from biascheck.gates.gate import Gate
    from biascheck.gates.run import Run
    from biascheck.results.comparison import Comparison
    from biascheck.results.result import Result

__all__ = ["Memory", "Parcel"]

Document = dict[str, Any]


class Parcel:
    """What one test judged. It travels with the report of the test, so an interrupted run or a crash loses no more."""

    def __init__(self, test: str, *, with_results: bool) -> None:
        self._test = test
        self._with_results = with_results
        self.judged: list[Gate | Comparison] = []
        self.count = 0
        self._results: dict[str, Document] = {}

    def add(self, judged: Gate | Comparison, result: Result) -> None:
        """Take a judgement and the result that it is about."""
        from biascheck.results.storage import result_to_dict

        self.count += 1
        self.judged.append(replace(judged, test=self._test))
        if self._with_results:
            _keep(self._results, result_to_dict(result))

    def sealed(self, known: dict[str, Document]) -> str:
        """Empty it into a text; results that this process has sent before, which ``known`` holds, are left out."""
        from biascheck.gates.run_files import gate_to_dict
        from biascheck.results.comparison import Comparison
        from biascheck.results.storage import comparison_to_dict

        fresh = [document for document in self._results.values() if _keep(known, document)]
        gates = [gate_to_dict(one) for one in self.judged if not isinstance(one, Comparison)]
        comparisons = [comparison_to_dict(one) for one in self.judged if isinstance(one, Comparison)]
        self.judged, self._results = [], {}
        return json.dumps({"gates": gates, "comparisons": comparisons, "results": fresh})


class Memory:
    """The parcels of all tests, opened."""

    def __init__(self) -> None:
        self._gates: list[Gate] = []
        self._comparisons: list[Comparison] = []
        self._results: dict[str, Document] = {}
        self.finished: set[str] = set()

    def open(self, parcel: str) -> None:
        """Take over what a test judged, whichever process ran it."""
        from biascheck.gates.run_files import gate_from_dict
        from biascheck.results.storage import comparison_from_dict

        document = json.loads(parcel)
        self._gates += [gate_from_dict(gate) for gate in document["gates"]]
        self._comparisons += [comparison_from_dict(comparison) for comparison in document["comparisons"]]
        for result in document["results"]:
            _keep(self._results, result)

    def __bool__(self) -> bool:
        return bool(self._gates or self._comparisons)

    def run(self, *, not_run: int, complete: bool) -> Run:
        """All of it: results by model, corpus and measure, judgements by test."""
        from biascheck.gates.run import Run
        from biascheck.results.storage import result_from_dict

        documents = sorted(self._results.items(), key=lambda entry: (*_place(entry[1]), entry[0]))
        return Run(
            results=tuple(result_from_dict(document) for _, document in documents),
            gates=tuple(sorted(self._gates, key=lambda gate: gate.test)),
            comparisons=tuple(sorted(self._comparisons, key=lambda comparison: comparison.test)),
            complete=complete,
            not_run=not_run,
        )


def _place(document: Document) -> tuple[str, str, str]:
    return document["model"], document["corpus"], document["measure"]


def _keep(documents: dict[str, Document], document: Document) -> bool:
    """Keep one of each result; of two that differ in what a suite added, the fuller one, whichever came first."""
    provenance = {**document["provenance"], "created": ""}  # without a cache, two workers measure the same thing
    key = digest_of([*_place(document), document["statistic"], document["contrast"], document["seed"], provenance])
    if key in documents and _fullness(document) <= _fullness(documents[key]):
        return False
    documents[key] = document
    return True


def _fullness(document: Document) -> tuple[int, str]:
    added = json.dumps([document["details"], document["warnings"], document["named_by"]], sort_keys=True)
    return len(added), added
