"""Strategies of the parts of sentences: people by group, and attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from biascheck.corpora.templates import Attribute, Target
from biascheck.errors import UsageError
from biascheck.strategies.choosing import Choosing
from biascheck.strategies.person_sets import (
    Axis,
    PersonSet,
    described_sets,
    name_sets,
    own_sets,
    pronoun_sets,
    sets_by,
    term_sets,
)
from biascheck.strategies.programs import Program, strategy_of

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["attributes", "described", "names", "people", "pronouns", "terms"]

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
