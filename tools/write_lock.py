"""Write what is installed here, and was tested, as constraints for pip: ``make lock``.

The file has a line for each distribution that this package needs with its extras ``dev`` and ``docs``, and nothing of
where it came from: no index, no path, no label of a build. Name and first line say for which Python and platform it is.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

FOLDER = Path(__file__).resolve().parents[1] / "requirements"
ROOT = "pytest-biascheck[dev,docs]"


def main() -> None:
    """Write the lock for this Python and platform."""
    target = FOLDER / f"{machine()}.txt"
    FOLDER.mkdir(exist_ok=True)
    target.write_text(lock(ROOT), encoding="utf-8")
    print(f"written: {target.relative_to(FOLDER.parent)}")


def machine() -> str:
    """This Python and platform, as in the name of the file: py311-linux-x86_64. The Makefile builds the same name."""
    return f"py{sys.version_info[0]}{sys.version_info[1]}-{sys.platform}-{platform.machine()}"


def lock(root: str, find: Callable[[str], Distribution] = distribution) -> str:
    """The text of the lock for a requirement and all that it needs."""
    lines = sorted(f"{name}=={Version(version).public}" for name, version in needed(Requirement(root), find))
    return (
        f"# Tested on Python {platform.python_version()}, {sys.platform} {platform.machine()}; `make lock` writes this "
        "file, and `make` installs from it.\n" + "".join(f"{line}\n" for line in lines)
    )


def needed(root: Requirement, find: Callable[[str], Distribution]) -> Iterator[tuple[str, str]]:
    """Name and version of every distribution below the root, each once."""
    waiting, seen = [root], set()
    while waiting:
        wanted = waiting.pop()
        name, found = canonicalize_name(wanted.name), _installed(wanted, find)
        for extra in {"", *wanted.extras} - {known for one, known in seen if one == name}:
            seen.add((name, extra))
            waiting += [one for one in map(Requirement, found.requires or []) if _applies(one, extra)]
            if not extra and wanted is not root:
                yield name, found.version


def _installed(wanted: Requirement, find: Callable[[str], Distribution]) -> Distribution:
    try:
        return find(wanted.name)
    except PackageNotFoundError:
        sys.exit(f"{wanted} is not installed; run make lock, which installs what {ROOT} needs")


def _applies(requirement: Requirement, extra: str) -> bool:
    """Whether a requirement is one of an extra on this machine; without an extra, one of the distribution itself."""
    if requirement.marker is None:
        return not extra
    return requirement.marker.evaluate({"extra": extra})


if __name__ == "__main__":
    main()
