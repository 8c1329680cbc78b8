"""A measure written in a user's test file: its own words in the report, and under no paper."""

import re
from html import unescape

SUITE = """
    import pytest
    import biascheck
    from biascheck.extend import ItemScore, draft, summarise
    from biascheck.testing import TableModel

    def made(name, **words):
        @biascheck.measure(name, version=1, **words)
        def mine(model, corpus, *, seed=0):
            '''How pure clusters are by their docstring.'''
            items = [ItemScore(pair.id, 0.1, pair.attribute) for pair in corpus]
            return summarise(draft(model, corpus, items, (), contrast=("A", "B"), seed=seed))
        return mine

    CORPUS = biascheck.corpora.corpus_from_templates(
        "jobs",
        templates=["{target} is a {attribute}."],
        targets=[{"male": "he", "female": "she"}],
        attributes=list("abcdef"),
    )
    MODEL = TableModel({}, {"he": 0.5, "she": 0.5}, name="table")
    MEASURES = {
        "cluster purity": made("cluster purity", limits=("It knows two clusters <only>.",), unit="purity points"),
        "WEATHER bias": made("WEATHER bias", about="Whether it rains on one group.", sign="Plus is wet for {first}."),
        "skewness": made("skewness"),
        "association": biascheck.measures.association,
    }

    @pytest.mark.parametrize("name", MEASURES)
    def test_mine(name):
        biascheck.assert_within_margin(MEASURES[name](MODEL, CORPUS), 1.0)
"""


def sections_of(page):
    """The text of each section of a paper, by the line above its title."""
    found = re.findall(r'<section id="paper-\w+".*?</section>', page, re.DOTALL)
    texts = [" ".join(unescape(re.sub(r"<[^>]+>", " ", section)).split()) for section in found]
    names = [re.search(r'class="overline">(.*?)</span>', section)[1] for section in found]
    return dict(zip(names, texts, strict=True))


def test_own_measures_have_their_own_words_and_no_paper(project, pytester):
    run = project(SUITE, "--bias-report", "report.html")
    run.assert_outcomes(passed=4)
    sections = sections_of((pytester.path / "report.html").read_text(encoding="utf-8"))
    assert list(sections) == ["Kurita et al. 2019", "Other measures"]
    kurita, own = sections.values()
    assert "association" in kurita
    for name in ("cluster purity", "WEATHER bias", "skewness"):
        assert name not in kurita
        assert name in own
    assert "What it measures How pure clusters are by their docstring. Unit: purity points ." in own
    assert "Limits It knows two clusters <only>." in own
    assert "What it measures Whether it rains on one group." in own
    assert "Plus is wet for A." in own
