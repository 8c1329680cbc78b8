"""Progress of long work in a log: announced once, then a line every half minute; nothing for short work."""

import io
from contextlib import nullcontext

import pytest

from biascheck.core import progress as progress_module
from biascheck.core.progress import in_time, progress, show_progress_on


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test moves by hand."""
    time = [1000.0]
    monkeypatch.setattr(progress_module, "monotonic", lambda: time[0])

    def wait(seconds):
        time[0] += seconds

    return wait


@pytest.fixture
def log():
    stream = io.StringIO()  # no terminal
    before = progress_module._stream.get()
    show_progress_on(lambda: nullcontext(stream))
    yield lambda: stream.getvalue().splitlines()
    show_progress_on(before)


def test_long_work_is_announced_with_the_time_left(clock, log):
    with progress("smollm2", total=1_000, about="80 distinct inputs, 1,000 tokens") as advance:
        for _ in range(100):
            clock(3)
            advance(10)
    lines = log()
    assert (
        lines[0] == "biascheck: smollm2: 80 distinct inputs, 1,000 tokens, about 5 min"
    )  # after 3 s: 990 at 10 in 3 s
    assert lines[1] == "biascheck: smollm2: 10% of 1,000 tokens, about 4 min left"  # 270 s
    assert len(lines) == 1 + 9
    assert lines[-1] == "biascheck: smollm2: 90% of 1,000 tokens, about 30 s left"


def test_short_work_is_silent(clock, log):
    with progress("short", total=100) as advance:
        for _ in range(10):
            clock(0.1)
            advance(10)
    assert log() == []


def test_work_of_less_than_a_minute_is_not_announced(clock, log):
    with progress("texts", total=10, unit="texts") as advance:
        for _ in range(10):
            clock(4)
            advance(1)
    assert log() == ["biascheck: texts: 80% of 10 texts, about 8 s left"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "about 1 s"),
        (59, "about 59 s"),
        (61, "about 1 min"),
        (3_599, "about 1 h 0 min"),
        (7_830, "about 2 h 10 min"),
    ],
)
def test_a_duration_in_words(seconds, words):
    assert in_time(seconds) == words
