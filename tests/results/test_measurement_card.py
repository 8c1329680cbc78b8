"""Every paper and benchmark has a card, the docs show it, and a card that is not finished is refused."""

import re
import sys
from pathlib import Path

import pytest

from biascheck.core.errors import UsageError
from biascheck.report.papers import PAPERS
from biascheck.results.measurement_card import MeasurementCard
from support.fuzzing import is_refused, mutations

ROOT = Path(__file__).resolve().parents[2]
SUITES = [paper.key for paper in PAPERS]
sys.path.insert(0, str(ROOT / "tools"))


@pytest.mark.parametrize("suite", SUITES)
def test_a_suite_has_a_card_with_sourced_flaws(suite):
    card = MeasurementCard.read(ROOT / "suites" / suite / "card.toml")
    assert len(card.flaws) >= 3
    assert all(flaw.source for flaw in card.flaws)
    table = card.as_table()
    assert table.title == "measurement card"
    assert {"what is claimed", "for whom", "who should not use it"} <= {row[0] for row in table.rows}
    attached = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "suites" / suite).glob("test_*.py"))
    assert re.search(r"with_attachments\([^\n]*bias_card\)", attached), (
        "no result carries it, so that no report shows it"
    )


def test_the_docs_show_the_cards_as_they_are():
    from generate_card_docs import PAGE, page

    assert PAGE.read_text(encoding="utf-8") == page(), "run tools/generate_card_docs.py"


CARD = '[card]\nname="x"\nclaim="x"\nfor_whom="x"\nitems="x"\ncompetence="x"\nnot_for="x"\nlicence="x"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (CARD + "flaws = []\n", "without any known flaw"),
        (CARD, "lacks"),
        (CARD + 'flaws = [{ what = "y" }]\n', "lacks"),
        (CARD + 'flaws = [{ what = "y", source = "z" }]\nstars = 5\n', "has stars"),
        ("[other]\nname = 1\n", "a card is one table"),
    ],
)
def test_an_unfinished_card_is_refused(text, said, tmp_path):
    file = tmp_path / "card.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        MeasurementCard.read(file)


@pytest.mark.parametrize(
    ("count", "seed"), [(100, 1), pytest.param(2_500, 2, marks=pytest.mark.slow)], ids=["short", "long"]
)
def test_a_damaged_card_is_read_or_refused_by_an_error_of_ours(tmp_path, count, seed):
    text = (ROOT / "suites" / SUITES[0] / "card.toml").read_bytes()
    file, refused = tmp_path / "card.toml", 0
    for content in mutations(text, count, seed):
        file.write_bytes(content)
        refused += is_refused(lambda: MeasurementCard.read(file).as_table(), file.name)
    assert 0.3 * count < refused < count
