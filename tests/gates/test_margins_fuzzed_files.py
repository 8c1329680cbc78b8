"""Mutated margins and published figures: read, or refused by an error of ours; never another exception."""

import random
from pathlib import Path

import pytest

from biascheck.core.errors import BiascheckError
from biascheck.gates.margins import Margins
from biascheck.results.published import PublishedFigures

SHORT, LONG = 250, 2_500
SUITES = Path(__file__).resolve().parents[2] / "suites"
PIECES = (
    *("[", "]", "[[", "]]", "{", "}", "=", ".", ",", "'", '"', '"""', "\\", "#", "\n", "\r", "\x00", "\x1b", "\ufeff"),
    *("nan", "inf", "-inf", "true", "false", "-", "+", "1e999", "9" * 400, "9" * 5_000, "0x", "0b2", "1_000", "-0.0"),
    *("1979-05-27", "1979-13-45", "07:32:00", "[" * 2_000, "{a=" * 500, "a." * 2_000, "\\ud800", "\\U00110000", "é"),
    *(
        "margin",
        "bound",
        "value",
        "margin = {strict = 0.1, watch = 1}",
        "standard = 0",
        "{standard = {standard = 1}}",
        "[profiles.standard]",
        "[profiles]",
        "[profiles.]",
        "profiles = 3",
        "reason = 3",
        "family = 0",
        "family = 99999999999999999999",
        "[a]",
        "[a.b]",
        "['a.b']",
    ),
)
"""What a hand, an editor or a bad merge leaves in a TOML file, and what parsers are known to stumble over."""


def mutated(text: str, rng: random.Random) -> bytes:
    """The text with one to four faults: bytes changed, parts cut, doubled, exchanged, or pieces put in."""
    data = bytearray(text.encode("utf-8"))
    for _ in range(rng.randint(1, 4)):
        at, other = sorted(rng.choices(range(len(data) + 1), k=2))
        short = min(other, at + 40)
        match rng.randrange(7):
            case 0:
                data[at : at + 1] = bytes([rng.randrange(256)])
            case 1:
                del data[at:short]
            case 2:
                data[at:at] = data[at:short]
            case 3:
                data[at:at] = rng.choice(PIECES).encode("utf-8")
            case 4:
                data[at:short] = rng.choice(PIECES).encode("utf-8")
            case 5:
                del data[at:]
            case _:
                data[at:short] = data[at:short][::-1]
    return bytes(data)


def sample(file: str, seed: int) -> str:
    """A few tables of the real file: small texts give every fault a chance to matter."""
    tables = (SUITES / file).read_text(encoding="utf-8").split("\n\n")
    start = random.Random(seed).randrange(1, len(tables) - 4)
    return "\n\n".join(tables[start : start + 4]) + "\n"


def other_errors(reader, file: str, count: int, folder: Path) -> tuple[list[str], int]:
    """Every exception that is not ours, with its seed, and how many texts were refused."""
    found, refused, target = [], 0, folder / file
    for seed in range(count):
        target.write_bytes(mutated(sample(file, seed), random.Random(seed)))
        try:
            reader.read(target)
        except BiascheckError:
            refused += 1
        except Exception as error:
            found.append(f"seed {seed}: {error!r:.200}")
    return found, refused


@pytest.mark.parametrize(
    "count", [pytest.param(SHORT, id="short"), pytest.param(LONG, id="long", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize(("reader", "file"), [(Margins, "margins.toml"), (PublishedFigures, "published.toml")])
def test_only_errors_of_ours(reader, file, count, tmp_path):
    found, refused = other_errors(reader, file, count, tmp_path)
    assert found == []
    assert count / 2 < refused < count  # most faults are noticed, and a text with none is read
