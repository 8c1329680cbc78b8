"""Which release this is, and where the suites that came with it are."""

from importlib.metadata import version
from pathlib import Path

from biascheck.errors import BiascheckError

__all__ = ["__version__", "suites_home"]

__version__ = version("pytest-biascheck")
# In the installed package, and beside it in a checkout.
HOMES = (Path(__file__).parent / "suites", Path(__file__).parents[1] / "suites")


def suites_home() -> Path:
    """Where the suites of this installation are."""
    for home in HOMES:
        if (home / "margins.toml").is_file():
            return home
    raise BiascheckError("this installation came without the suites; install pytest-biascheck again from its wheel")
