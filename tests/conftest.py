"""Where the published data and the golden figures lie; tests that need them skip and are counted."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from _pytest import pytester as snapshots
from _pytest.pytester import SysModulesSnapshot as Snapshot
from hypothesis import HealthCheck, settings

from biascheck.core.store import caching
from biascheck.gates.families import recording

ROOT = Path(__file__).resolve().parent.parent

# No test depends on the speed of the machine, or on examples that an earlier run left behind. `make test` draws the
# same examples every time; `make test-all` draws new ones with --hypothesis-profile random.
settings.register_profile(
    "repeatable", deadline=None, database=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("random", settings.get_profile("repeatable"), derandomize=False, print_blob=True)
settings.load_profile("repeatable")


FOLDERS = {
    "BIASCHECK_DATA": ("published corpora", ROOT.parent / "shared" / "data"),
    "BIASCHECK_GOLD": ("golden figures", ROOT.parent / "shared" / "gold"),
}
"""The folders of data by the variable that names them: what they hold, and where they are looked for otherwise."""


def _folder(variable: str) -> Path:
    return Path(os.environ.get(variable, FOLDERS[variable][1]))


def _directory(variable: str) -> Path:
    """The folder, or a skip for want of data: the only kind that the last line of a run counts."""
    directory = _folder(variable)
    if not directory.is_dir():
        skip = pytest.skip.Exception(f"{directory.name} not found; set {variable} to its directory")
        skip.for_want_of_data = True
        raise skip
    return directory


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The directory of published corpora: $BIASCHECK_DATA or ../shared/data."""
    return _directory("BIASCHECK_DATA")


@pytest.fixture(scope="session")
def gold() -> Path:
    """The directory of golden figures: $BIASCHECK_GOLD or ../shared/gold."""
    return _directory("BIASCHECK_GOLD")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(call: pytest.CallInfo[None]) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    # an attribute, which workers send with the rest
    report.for_want_of_data = call.excinfo is not None and hasattr(call.excinfo.value, "for_want_of_data")
    return report


class Counting:
    """The tests that were skipped for want of data, over all workers."""

    def __init__(self) -> None:
        self.skipped = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.skipped += report.skipped and report.for_want_of_data

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """The last line of all, below pytest's own."""
        terminal = config.pluginmanager.get_plugin("terminalreporter")
        if self.skipped and terminal is not None:
            terminal.write_line(_what_to_set(self.skipped))


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Counting())


def _what_to_set(skipped: int) -> str:
    absent = [variable for variable in FOLDERS if not _folder(variable).is_dir()]
    folders = "folder" if len(absent) == 1 else "folders"
    held = " and ".join(FOLDERS[variable][0] for variable in absent)
    tests = "1 test" if skipped == 1 else f"{skipped:,} tests"
    return f"{tests} skipped for want of data: set {' and '.join(absent)} to the {folders} of {held}"


@pytest.fixture(scope="session", autouse=True)
def installed_modules_stay() -> Iterator[None]:
    """Runs inside a test forget the test files they imported, and no module of an installed package.

    Pytester forgets all of them, but packages keep the names that they took from forgotten modules, so that a later
    import makes a second copy of everything in them; numpy and torch cannot be imported twice at all.
    """
    homes = tuple(f"{home}{os.sep}" for home in (sys.prefix, sys.base_prefix, ROOT / "biascheck"))

    def stays(name: str) -> bool:
        known = vars(sys.modules[name])  # torch.classes answers to every name that is asked for
        places = (known.get("__file__"), *(known.get("__path__") or ()))
        return name.startswith("torch.") or any(str(place).startswith(homes) for place in places)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(snapshots, "SysModulesSnapshot", lambda **_: Snapshot(preserve=stays))
        yield


@pytest.fixture(autouse=True)
def tests_leave_no_trace(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Gates that our own tests judge are no finding about a model, and nothing is kept for the next run."""
    # pytest itself prints longer summaries under CI and BUILD_NUMBER, which runs inside a test would show.
    for variable in (
        "BUILD_NUMBER",
        "CI",
        "CI_PROJECT_DIR",
        "GITHUB_ACTIONS",
        "GITHUB_STEP_SUMMARY",
        "GITHUB_WORKSPACE",
    ):
        monkeypatch.delenv(variable, raising=False)
    _in_the_order_written(request, monkeypatch)
    with recording(lambda _gate, _result: None), caching(None):
        yield


def _in_the_order_written(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs inside a test keep their order: pytest-randomly is installed for the tests that ask for it by name."""
    if "pytester" in request.fixturenames:
        request.getfixturevalue("pytester")  # it forgets the options of the environment
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:randomly")
