"""Whether two results answer the same questions, and what to do where they do not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from biascheck.errors import UsageError
from biascheck.results.earlier_schemas import of_unknown_part
from biascheck.results.result import Result

__all__ = ["differences", "other_runtime", "question_of_earlier_release", "require_comparable", "similar_question"]

IN_THIS_PROCESS = "transformers, in the process of the tests"


def similar_question(result: Result) -> tuple[object, ...]:
    """The question of a result with the name of its corpus in place of the fingerprint.

    It never joins two results. It finds the entry of a baseline that a result was meant to answer where the corpus has
    changed under its name, so that the pair is refused with that reason and not taken for new.
    """
    measure, statistic, treatment, _, *rest = result.key.question
    return measure, statistic, treatment, result.corpus, *rest


def question_of_earlier_release(result: Result) -> tuple[object, ...]:
    """What an entry of an earlier release, of unknown part, certainly shares with the result it was meant for."""
    return result.measure, result.statistic, result.treatment, result.corpus.partition("·")[0]


def require_comparable(before: Result, after: Result) -> None:
    """Refuse two results that do not answer the same questions, with every reason and its remedy."""
    if found := list(differences(before, after)):
        raise UsageError(f"{before.title} and {after.title} cannot be compared: {'; '.join(found)}")


def differences(before: Result, after: Result) -> Iterator[str]:
    """Each thing that makes two results incomparable, and what to do about it."""
    if before.measure != after.measure:
        yield f"one is {before.measure!r} and the other {after.measure!r}; compare results of one measure"
        return
    if of_unknown_part(before.slice) and before.slice != after.slice:
        yield (
            "an earlier release wrote the baseline, and did not keep which part of the corpus an entry is about; "
            "write it again with --bias-update-baseline"
        )
        return
    first, second = before.provenance, after.provenance
    if first.corpus_fingerprint != second.corpus_fingerprint and before.corpus != after.corpus:
        yield f"one is on {before.corpus!r} and the other on {after.corpus!r}; compare results on one corpus"
        return
    if before.slice != after.slice:
        yield f"one is on {before.corpus_label!r} and the other on {after.corpus_label!r}; compare the same part"
        return
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


def other_runtime(before: Result, after: Result) -> str:
    """Why two results may differ though the model is the same: another runtime computes other figures from its weights.

    Empty where one runtime gave both. A model that names none runs in the process of the tests.
    """
    first, second = (one.provenance.model.get("runtime") or IN_THIS_PROCESS for one in (before, after))
    if first == second:
        return ""
    return (
        f"{first} gave one and {second} the other, and runtimes differ by as much as a tenth of a log unit on the same "
        "weights; measure both by one, or allow it with --bias-allow-other-runtime (biascheck compare and trend: "
        "--allow-other-runtime)"
    )


def _other_options(first: Mapping[str, object], second: Mapping[str, object]) -> Iterator[str]:
    for name in sorted((first.keys() | second.keys()) - {"seed"}):
        if _plain(first.get(name)) != _plain(second.get(name)):
            yield f"option {name} is {first.get(name)!r} in one and {second.get(name)!r} in the other; use the same"


def _plain(value: object) -> object:
    """A stored tuple comes back as a list."""
    return json.loads(json.dumps(value))
