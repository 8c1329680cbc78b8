"""What a run has measured and judged so far, and how many gates are judged together."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from biascheck.core.wording import escape_control
from biascheck.gates.families import Family
from biascheck.runs.outcome import FOUND_LATER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from biascheck.gates.gate import Gate
    from biascheck.gates.search import Search
    from biascheck.results.compare import Comparison
    from biascheck.results.result import Result
    from biascheck.runs.outcome import TestOutcome

    AnyJudgement = Gate | Comparison | Search


# How many gates are judged together: counted from what was collected, so that no stated number can be wrong.


def families_of(items: Iterable[pytest.Item]) -> dict[str, Family]:
    """The family of each test: all cases of one test function on one model, or of all functions of one marked name."""
    names = {item.nodeid: _name(item) for item in items}
    sizes = Counter(names.values())
    return {test: Family(name, sizes[name]) for test, name in names.items()}


def _name(item: pytest.Item) -> str:
    marked = [one.kwargs["family"] for one in item.iter_markers("bias") if "family" in one.kwargs]
    function = str(marked[0]) if marked else _function(item)
    params = getattr(getattr(item, "callspec", None), "params", {})
    return f"{function} on {params['bias_model']}" if "bias_model" in params else function


def _function(item: pytest.Item) -> str:
    """The test without its parameters; a bracket in the name of a folder is no parameter."""
    name = getattr(item, "originalname", None) or item.name
    return item.nodeid if item.parent is None else f"{item.parent.nodeid}::{name}"


def failed_by_family(
    tests: Sequence[TestOutcome], before: Sequence[Gate], after: Sequence[Gate]
) -> tuple[TestOutcome, ...]:
    """The tests, those failed whose gate was accepted while its family was not known yet, and exceeds now."""
    found = {escape_control(new.test) for old, new in zip(before, after, strict=True) if old.passed and not new.passed}
    return tuple(
        replace(test, failed=True, reason=FOUND_LATER) if test.test in found and not test.failed else test
        for test in tests
    )


def failed_before_excuse(
    tests: Sequence[TestOutcome], judged: Iterable[AnyJudgement], excused: Mapping[str, str]
) -> tuple[TestOutcome, ...]:
    """The tests, those failed that skipped, or were expected to fail, after a judgement that failed: it stands."""
    failing = {escape_control(one.test) for one in judged if not one.passed}
    return tuple(
        replace(test, failed=True, reason=f"a judgement of it failed, and then {excused[test.test]}")
        if test.test in failing and test.test in excused and not test.failed
        else test
        for test in tests
    )


# What a run has measured and judged so far, each thing once, in an order that no scheduling of tests can
# change.

Document = dict[str, Any]
Kind = TypeVar("Kind")
SAME_ESTIMATE = 1e-5
"""Two processes agree on a figure to about this much; more is another measurement."""


@dataclass
class RecordContents:
    """What a record holds: judgements, the documents of results, and the results that these documents give back."""

    judged: list[AnyJudgement] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)
    results: dict[str, Result] = field(default_factory=dict)

    def as_text(self) -> str:
        """A text for another process."""
        from biascheck.results.codec import plain

        listed = {
            name: [plain(asdict(one)) for one in self.judged if isinstance(one, kind)]
            for name, kind in _kinds_of_judgements().items()
        }
        return json.dumps({**listed, "results": self.documents})

    @classmethod
    def from_text(cls, text: str) -> RecordContents:
        """What another process wrote with :meth:`as_text`."""
        from biascheck.core.files import gc_paused
        from biascheck.results.codec import converted

        with gc_paused():
            document = json.loads(text)
        kinds = _kinds_of_judgements().items()
        judged = [one for name, kind in kinds for one in converted(document[name], list[kind])]  # type: ignore[valid-type]
        return cls(judged, document["results"])


def _kinds_of_judgements() -> dict[str, type[AnyJudgement]]:
    from biascheck.gates.gate import Gate
    from biascheck.gates.search import Search
    from biascheck.results.compare import Comparison

    return {"gates": Gate, "comparisons": Comparison, "searches": Search}


class AttemptRecord:
    """What one attempt at a test judged. It travels with the report of the test: a crash loses no more than that."""

    def __init__(self, test: str, known: dict[str, Document], *, attempt: int = 1, whole: bool = True) -> None:
        self._test = test
        self._known = known
        self._whole = whole
        self._fresh: set[str] = set()
        self._results: dict[str, Result] = {}
        self._introduced: set[str] = set()
        self.attempt = attempt
        self.judged: list[AnyJudgement] = []
        self.count = 0

    def add(self, judged: AnyJudgement, result: Result | None) -> AnyJudgement:
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

    def _joined(self, own: AnyJudgement) -> Search | None:
        """A check of one example with those that the same test made before it, if it is one."""
        from biascheck.gates.search import Search

        before = self.judged[-1] if self.judged else None
        return before.followed_by(own) if isinstance(before, Search) and isinstance(own, Search) else None

    def add_result(self, result: Result) -> None:
        """Take a result. ``known`` has those that this process has sent before, and refuses another figure for one."""
        from biascheck.results.codec import storable

        digest = result.key.digest
        if digest in self._known:
            document = storable(result, items=False)  # those that are known count; only what is attached may be new
        else:
            document, self._results[digest] = _stored(result)
            self._introduced.add(digest)
        if merge_document(self._known, digest, document if self._whole else {**document, "items": [], "skipped": []}):
            self._fresh.add(digest)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to send."""
        return not (self.judged or self._fresh)

    def take_contents(self) -> RecordContents:
        """What is in it, and nothing is left; results that this process has sent before are left out."""
        found = RecordContents(
            self.judged, {digest: self._known[digest] for digest in sorted(self._fresh)}, self._results
        )
        self.judged, self._fresh, self._results = [], set(), {}
        return found

    def take_back(self) -> None:
        """Forget the results that this attempt measured first: the test is made again, and its last attempt counts."""
        for digest in self._introduced:
            self._known.pop(digest, None)


class RecordTransfer:
    """Records on their way with the reports of tests: as a text to another process, as they are within one."""

    def __init__(self) -> None:
        self._waiting: dict[str, RecordContents] = {}
        self._number = count()

    def send(self, contents: RecordContents, *, elsewhere: bool) -> str:
        """What a report carries: the contents, or under which number they wait for it in this process."""
        if elsewhere:
            return contents.as_text()
        number = str(next(self._number))
        self._waiting[number] = contents
        return number

    def receive(self, text: str) -> RecordContents:
        """What was sent as this text."""
        return self._waiting.pop(text) if text in self._waiting else RecordContents.from_text(text)


class RunRecord:
    """The records of all tests. What a test judged is kept by test, so that a rerun can take it back."""

    def __init__(self) -> None:
        self._judged: dict[str, list[AnyJudgement]] = {}
        self._documents: dict[str, Document] = {}
        self._results: dict[str, tuple[Document, Result]] = {}
        self._introduced: dict[str, set[str]] = {}
        self.problems: list[str] = []

    def take(self, test: str, contents: RecordContents) -> bool:
        """Take over what a test judged and showed, whichever process ran it; say whether it judged anything."""
        from biascheck.core.errors import ResultError

        self._judged.setdefault(test, []).extend(contents.judged)
        for digest, document in contents.documents.items():
            if digest not in self._documents:
                self._introduced.setdefault(test, set()).add(digest)
            try:
                merge_document(self._documents, digest, document)
            except ResultError as error:
                self.problems.append(str(error))
            if digest in contents.results:
                self._results[digest] = document, contents.results[digest]
        return bool(contents.judged)

    def take_back(self, test: str) -> str:
        """Forget an attempt that is made again; say what it judged."""
        judged = self._judged.pop(test, [])
        for digest in self._introduced.pop(test, ()):
            del self._documents[digest]
        return "; ".join(one.finding for one in judged)

    def results(self) -> tuple[Result, ...]:
        """All results, by model, corpus and measure."""
        found = [self._result(digest, document) for digest, document in self._documents.items()]
        return tuple(sorted(found, key=lambda one: (one.model_label, one.corpus_label, one.measure, one.key.digest)))

    def _result(self, digest: str, document: Document) -> Result:
        """The result that a document gives back; made already, unless a later test attached more to it."""
        from biascheck.results.codec import result_from_dict

        source, result = self._results.get(digest, (None, None))
        return result if result is not None and source is document else result_from_dict(document)

    def gates(self) -> tuple[Gate, ...]:
        """All gates, by test."""
        from biascheck.gates.gate import Gate

        return tuple(self._of_kind(Gate))

    def comparisons(self) -> tuple[Comparison, ...]:
        """All comparisons that tests made, by test."""
        from biascheck.results.compare import Comparison

        return tuple(self._of_kind(Comparison))

    def searches(self) -> tuple[Search, ...]:
        """All searches, by test."""
        from biascheck.gates.search import Search

        return tuple(self._of_kind(Search))

    def _of_kind(self, kind: type[Kind]) -> Iterator[Kind]:
        return (one for _, judged in sorted(self._judged.items()) for one in judged if isinstance(one, kind))


def _stored(result: Result) -> tuple[Document, Result]:
    """The document of a result, and what a file would give back; refused here, where its test fails, if none could."""
    from biascheck.core.errors import ResultError
    from biascheck.core.wording import escape_control
    from biascheck.results.codec import result_from_dict, storable

    document = storable(result)
    try:
        return document, result_from_dict(document)
    except ResultError as error:
        raise ResultError(
            f"{escape_control(str(result.title))} cannot be stored: {error.__cause__ or error}; every field of a "
            "result needs the type that it is declared with"
        ) from error


def _storable_judgement(judged: AnyJudgement) -> AnyJudgement:
    """A gate or comparison as a file would give it back, in plain numbers and text."""
    from biascheck.core.errors import ResultError
    from biascheck.core.wording import escape_control
    from biascheck.results.codec import converted, plain

    try:
        text = json.dumps(plain(asdict(judged)), allow_nan=False, ensure_ascii=False)
        text.encode("utf-8")
        return converted(json.loads(text), type(judged))
    except (TypeError, ValueError, RecursionError) as error:
        raise ResultError(
            f"the judgement on {escape_control(str(judged.title))} cannot be stored ({error}); use text and finite "
            "numbers in reason, note and published"
        ) from error


def merge_document(documents: dict[str, Document], digest: str, document: Document) -> bool:
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
    from biascheck.core.errors import ResultError

    if known["n"] == document["n"] and abs(known["estimate"] - document["estimate"]) <= SAME_ESTIMATE:
        return
    raise ResultError(
        f"two different figures claim to be {known['measure']} on {known['model']} × {known['corpus']}: "
        f"{known['estimate']:g} of {known['n']} and {document['estimate']:g} of {document['n']} {known['unit']}. A "
        "result that was changed by hand needs an identity of its own: give it another measure or slice"
    )
