"""The names of the reference models and the folders they load from.

======================================== =========================================================================
``reference:parity``                     women and men are equally likely in every profession; comes with the package
``reference:workforce``                  the real share of women in each profession; comes with the package
``reference:planted(dose=0.3)``          between the two; trained once, then cached
``reference:planted(dose=0.3, tilt=1)``  the same, with all pronouns of Winograd sentences tilted towards male
======================================== =========================================================================

``reference:tiny``, the fourth reference, has random weights; see :mod:`biascheck.models.local.bundled`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from biascheck.core.errors import ModelError, UsageError
from biascheck.core.files import hold, lock_of, staged_folder
from biascheck.core.identity import sha256_of
from biascheck.core.store import cache_folder
from biascheck.models.local.bundled import REFERENCES
from biascheck.reference.training import SEED
from biascheck.reference.world import World

BUNDLED_DOSES: Mapping[str, float] = MappingProxyType({"parity": 0.0, "workforce": 1.0})
SERVED_SUITES = ("bartl2020", "kurita2019", "manela2021")
"""The suites that a reference model supports: it spells its words, so that its word vectors mean nothing."""
STANDARDS = ("reference:parity", "reference:workforce", "reference:planted(dose=…)")
_NUMBER = r"\d+(\.\d*)?|\.\d+"
PLANTED = re.compile(rf"planted\(dose=(?P<dose>{_NUMBER})(, ?tilt=(?P<tilt>-?({_NUMBER})))?\)")
PREFIX = "reference:"
RECIPE = ("world.py", "planted.py", "lessons.py", "training.py")


def reference_names() -> tuple[str, ...]:
    """Every ``reference:…`` name that can be loaded."""
    return (*STANDARDS, *(f"{PREFIX}{name}" for name in REFERENCES))


def world_of(spec: str) -> World:
    """The world that ``reference:parity``, ``reference:workforce`` or ``reference:planted(dose=…)`` was trained on."""
    name = spec.removeprefix(PREFIX)
    if name in BUNDLED_DOSES:
        return World(BUNDLED_DOSES[name])
    if name.startswith("planted"):
        return _planted_world(name)
    raise UsageError(f"no reference model {name!r}; there are: {', '.join(reference_names())}")


def standard_folder(spec: str) -> Path:
    """The folder of a reference model, as ``biascheck.load`` reads any other; a new dose is trained first."""
    world = world_of(spec)
    for name, dose in BUNDLED_DOSES.items():
        if world == World(dose):
            return _bundled(name)
    return planted_folder(world, cache_folder() / "models")


def planted_folder(world: World, cache_dir: Path, *, seed: int = SEED) -> Path:
    """Train the reference model of a world once and store it under ``cache_dir``; of many processes, one trains.

    The folder's name contains a digest of the planted truth, of the code that plants it and of the seed, so that
    another release with different training does not find the models of this one.
    """
    target = cache_dir / f"planted-{world.dose:g}-{world.tilt:g}-{_digest(world, seed)}"
    if target.is_dir():
        return target
    try:
        with hold(lock_of(target), f"the reference model of dose {world.dose:g}"):
            return target if target.is_dir() else _write(world, seed, target)
    except OSError as error:
        raise ModelError(
            f"the reference model of dose {world.dose:g} cannot be stored in {cache_dir} ({error}); "
            "set BIASCHECK_CACHE to a writable folder"
        ) from error


def _digest(world: World, seed: int) -> str:
    recipe = [sha256_of(Path(__file__).with_name(name)) for name in RECIPE]
    facts = [world.truth(), world.tilt, recipe, seed]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:12]


def _write(world: World, seed: int, target: Path) -> Path:
    from biascheck.reference.training import train_standard

    model, tokenizer = train_standard(world, seed=seed)
    with staged_folder(target) as staging:
        model.save_pretrained(staging)
        tokenizer.save_pretrained(staging)
    return target


def _planted_world(name: str) -> World:
    found = PLANTED.fullmatch(name)
    if found is None or not 0 <= float(found["dose"]) <= 1:
        raise UsageError(
            f"{PREFIX}{name} is not understood; write {PREFIX}planted(dose=0.3), with a dose from 0 (parity) "
            "to 1 (the workforce)"
        )
    return World(float(found["dose"]), float(found["tilt"] or 0))


def _bundled(name: str) -> Path:
    folder = Path(__file__).parent / "bundled" / name
    if not (folder / "config.json").is_file():
        raise ModelError(f"{PREFIX}{name} is missing from this installation; reinstall pytest-biascheck to restore it")
    return folder
