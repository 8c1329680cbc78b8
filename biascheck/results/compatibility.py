"""Whether two results answer the same questions, and what to do where they do not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from biascheck.errors import UsageError
from biascheck.results.result import Result, treatment_of

__all__ = ["differences", "question_of", "require_comparable"]


def question_of(result: Result) -> str:
    """What was asked, whoever answered: a line of text that two comparable results share.

    Measure, corpus, statistic, contrast, options, and how the model was treated (what stands after "·" in its name, as
    in ``bert·mix-all``). The rest of what makes two results comparable (version, content of the corpus, seed) is left
    out, so that a result that no longer fits is found and refused with its reason.
    """
    options = {key: value for key, value in result.provenance.options.items() if key != "seed"}
    _, treatment = treatment_of(result.model)
    facts = [result.measure, result.corpus, result.statistic, list(result.contrast), options, treatment]
    return json.dumps(facts, ensure_ascii=False, sort_keys=True)


def require_comparable(before: Result, after: Result) -> None:
    """Refuse two results that do not answer the same questions, with every reason and its remedy."""
    if found := list(differences(before, after)):
        raise UsageError(f"{before.title} and {after.title} cannot be compared: {'; '.join(found)}")


def differences(before: Result, after: Result) -> Iterator[str]:
    """Each thing that makes two results incomparable, and what to do about it."""
    if before.measure != after.measure:
        yield f"one is {before.measure!r} and the other {after.measure!r}; compare results of one measure"
        return
    if before.corpus != after.corpus:
        yield f"one is on {before.corpus!r} and the other on {after.corpus!r}; compare results on one corpus"
        return
    first, second = before.provenance, after.provenance
    if first.measure_version != second.measure_version:
        yield (
            f"version {first.measure_version} of the measure gave one and version {second.measure_version} the other; "
            "measure both again with one release"
        )
    if first.corpus_fingerprint != second.corpus_fingerprint:
        yield "the corpus of that name has changed between them; measure both on the same corpus"
    for name in ("statistic", "contrast", "parity"):
        if getattr(before, name) != getattr(after, name):
            yield f"{name} is {getattr(before, name)!r} in one and {getattr(after, name)!r} in the other; use the same"
    if before.seed != after.seed:
        yield f"seed {before.seed} and seed {after.seed}; run again with --bias-seed {before.seed}"
    yield from _other_options(first.options, second.options)


def _other_options(first: Mapping[str, object], second: Mapping[str, object]) -> Iterator[str]:
    for name in sorted((first.keys() | second.keys()) - {"seed"}):
        if _plain(first.get(name)) != _plain(second.get(name)):
            yield f"option {name} is {first.get(name)!r} in one and {second.get(name)!r} in the other; use the same"


def _plain(value: object) -> object:
    """A stored tuple comes back as a list."""
    return json.loads(json.dumps(value))
