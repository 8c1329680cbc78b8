"""Kurita et al. 2019 as it is reproduced, on models whose answer is known."""

import csv

import pytest

import biascheck
from biascheck.core.errors import CorpusError
from biascheck.core.release import suites_home
from biascheck.corpora import kurita_weat, weat_stimuli, weat_test
from biascheck.models.fakes import TableModel
from biascheck.papers import Setting, paper_named, reproduce
from biascheck.results.published import PublishedFigures

PUBLISHED = PublishedFigures.read(suites_home() / "published.toml")
EVEN = dict.fromkeys(("white", "black"), 0.5)


def white_is_pleasant():
    """White is twice as probable beside a pleasant word, black beside an unpleasant one."""
    stimuli = weat_stimuli(3)
    pleasant = {word: {"white": 0.6 + 0.001 * n, "black": 0.3} for n, word in enumerate(stimuli.a)}
    unpleasant = {word: {"white": 0.3, "black": 0.6 + 0.001 * n} for n, word in enumerate(stimuli.b)}
    return TableModel(pleasant | unpleasant, EVEN, name="white is pleasant")


@pytest.mark.parametrize("variant", ["ours", "as published (Kurita 2019)"])
def test_a_model_in_which_white_is_pleasant_reads_positive(variant):
    corpus = kurita_weat(3)
    assert corpus.groups == ("white", "black")
    assert biascheck.measures.effect_size(white_is_pleasant(), corpus, variant=variant).estimate > 1.5
    turned = corpus.with_groups(("black", "white"))
    assert biascheck.measures.effect_size(white_is_pleasant(), turned, variant=variant).estimate < -1.5


def test_the_stored_figure_has_the_sign_that_the_authors_items_give(gold):
    """Their notebook scores black first and prints a negative figure: white is the pleasant one in BERT."""
    with (gold / "errata.csv").open(encoding="utf-8") as lines:
        (printed,) = [row[3] for row in csv.reader(lines) if row[1] == "Table 3 Ours career/math/science/EA-AA"]
    black_first = float(printed.split()[-1])
    assert black_first < 0
    assert PUBLISHED.get("kurita2019.white-black").value == -black_first


def cells_of(model, tmp_path, table, data=None):
    place = tmp_path / "page.html"
    found = reproduce(paper_named("kurita2019"), Setting(model, data), place, tables=[table], say=str)
    (finished,) = found.tables
    return {(cell.row, cell.column): cell for cell in finished.cells}


def test_the_page_shows_the_planted_sign_beside_the_published_one(tmp_path):
    cells = cells_of(white_is_pleasant(), tmp_path, "3")
    cell = cells["Pleasant/Unpleasant (EA/AA)", "log-probability bias score"]
    assert (cell.published.value, cell.ours.estimate > 1.5, cell.as_published.estimate > 1.5) == (0.8864, True, True)
    assert cells["Pleasant/Unpleasant (EA/AA)", "WEAT on GloVe"].ours.why == "not applicable"


@pytest.fixture
def lists(tmp_path):
    """A data folder with lists of our own in the form of the published ones."""
    folder = tmp_path / "data" / "kurita"
    folder.mkdir(parents=True)
    for name in ("positive_traits", "negative_traits", "in_demand_tech_skills"):
        (folder / name).write_text("Kind\nBold\nCalm\nWild\n", encoding="utf-8")
    rows = ["Job Title,2017 Annual Salary", *(f"JOB {'abcdefgh'[n % 8]},{10_000 - n}" for n in range(1_004)), "LAST,1"]
    (folder / "employeesalaries2017.csv").write_text("\n".join(rows), encoding="utf-8")
    return folder.parent


def test_table_5_has_the_shares_that_were_planted(tmp_path, lists):
    prior = {"he": 0.4, "she": 0.2}
    men = {"he": 0.5, "she": 0.1}
    women = {"he": 0.1, "she": 0.5}
    # beside "calm" he is more probable than she, and less so than without any attribute
    calm = {"he": 0.5, "she": 0.4}
    model = TableModel({"kind": men, "bold": men, "calm": calm, "wild": women, "job": men, "last": women}, prior)
    cells = cells_of(model, tmp_path, "5", lists)
    traits = cells["Pos-Traits", ""]
    assert (traits.published.value, traits.ours.estimate, traits.ours.n) == (0.8, 0.5, 4)
    assert cells["Salary", ""].ours.n == 9
    assert cells["Salary", ""].published.value == 0.885
    best = cells["Salary, 1,000 best-paid rows", ""]
    assert (best.ours.n, best.ours.estimate, best.published) == (8, 1.0, None)
    assert cells["Skills, the authors' file", ""].published.value == 0.56
    missing = cells["Skills", ""]
    assert (missing.published.value, "Technology Skills.txt" in missing.ours.reason) == (0.84, True)


def test_as_published_the_prior_is_the_same_for_all_attributes_and_read_at_the_verb(tmp_path, lists):
    asked = []

    class Model(TableModel):
        def fill(self, queries, **options):
            asked.extend(queries)
            return super().fill(queries, **options)

    even = {"he": 0.5, "she": 0.5}
    cells_of(Model({"kind": even}, even), tmp_path, "5", lists)
    priors = {(query.text, query.read_at.of(query.text)) for query in asked if query.read_at is not None}
    assert priors == {("He is it", "is"), ("She is it", "is")}
    assert {query.hidden[0].of(query.text) for query in asked if query.read_at is not None} == {"it"}


@pytest.fixture(scope="module")
def minilm():
    """The tokenizer of the bundled model, which has BERT's uncased vocabulary."""
    return biascheck.load("minilm-mlm", lazy=True).tokenizer


class TestWordsInBert:
    @pytest.mark.parametrize("category", [1, 3, 6, 7, 8])
    def test_they_are_the_words_that_are_one_token(self, category, minilm):
        whole, reduced = weat_test(category).stimuli, weat_test(category, in_bert=True).stimuli
        for name in ("x", "y", "a", "b"):
            words = getattr(whole, name)
            assert getattr(reduced, name) == tuple(w for w in words if len(minilm.tokenize(w)) == 1), name

    def test_they_are_known_for_published_words_only(self):
        for wrong in ({"category": 3, "extended": True}, {"stimuli": weat_stimuli(3)}):
            with pytest.raises(CorpusError, match="in_bert"):
                weat_test(in_bert=True, **wrong)


FIRST = ("white", "flowers", "flower", "he", "boys", "men")
SECOND = ("black", "insects", "insect", "she", "girls", "women")


def biased_as_people_are(turned=()):
    """The first set of attributes goes with the first targets in all categories but the ``turned`` ones."""
    rows = {}
    for category in (1, 3, 6, 7, 8):
        for n, pair in enumerate(kurita_weat(category)):
            leans = (pair.labels["side"] == "A") != (category in turned)
            high, low = 0.6 + 0.001 * n, 0.3
            ours, theirs = (high, low) if leans else (low, high)
            rows[pair.attribute] = dict.fromkeys(FIRST, ours) | dict.fromkeys(SECOND, theirs)
    return TableModel(rows, dict.fromkeys(FIRST + SECOND, 0.5))


@pytest.mark.parametrize(("turned", "positive"), [((), 5), ((6,), 4)])
def test_significance_and_signs_are_counted_over_the_five_categories(tmp_path, turned, positive):
    cells = cells_of(biased_as_people_are(turned), tmp_path, "section 3.3")
    row = "log-probability bias score"
    significant = cells[row, "categories significant at p < 0.01"]
    assert (significant.published.value, significant.ours.estimate, significant.as_published.estimate) == (5, 5, 5)
    assert cells[row, "categories with the sign of the human bias"].ours.estimate == positive
    # a model without hidden states has no WEAT, and so nothing to agree with
    assert cells["score and WEAT", "categories in which their signs agree"].ours.why == "not applicable"
