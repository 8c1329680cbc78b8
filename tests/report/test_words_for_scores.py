"""What is no gap between groups is not called one: probabilities and topics on the page say what they are."""

from dataclasses import replace

import pytest

from biascheck.measures import neither_gap, topic_correlation
from biascheck.report import write_html
from biascheck.results.items import ItemScore
from support.handmade import result_of


def pronouns(**fields):
    """Ten pages of either gender, with one pronoun each."""
    return [
        ItemScore(f"{gender}-{n}", 0.1 + 0.02 * n, f"page of {gender} {n}", {}, side=side, **fields)
        for gender, side in (("male", "A"), ("female", "B"))
        for n in range(10)
    ]


@pytest.fixture
def page(tmp_path):
    def shown(result):
        write_html(tmp_path / "bias.html", [result], [])
        return (tmp_path / "bias.html").read_text("utf-8")

    return shown


def test_bars_of_probabilities_say_what_they_are(page):
    described = result_of(
        pronouns(), measure="neither gap", statistic="difference", description=neither_gap.description
    )
    text = page(described)
    for said in ("Mean P(neither) of each of the 20 pages.", "P(neither) →", "male · page of male", ">Group</th>"):
        assert said in text, said
    assert "towards female" not in text.split("Mean P(neither)")[0].rsplit("<article", 1)[-1]
    assert "Mean gap" not in text
    plain = replace(described, description=replace(described.description, score="", cluster="attribute"))
    assert "Mean gap of each of the 20 attributes." in page(plain)


def test_the_axes_of_topics_say_what_they_are(page):
    items = [replace(item, covariate=0.3 * n, side=None) for n, item in enumerate(pronouns())]
    text = page(
        result_of(items, measure="topic correlation", statistic="spearman", description=topic_correlation.description)
    )
    for said in ("lean of the topics of the text towards men →", "↑ P(neither) of a female pronoun"):
        assert said in text, said
    for wrong in ("real-world figure", "gap: up is towards"):
        assert wrong not in text, wrong
