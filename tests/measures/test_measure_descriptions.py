"""Descriptions of measures, which their results carry."""

import doctest
import importlib
import pickle
from inspect import signature

import pytest

import biascheck
from biascheck.core.errors import CapabilityError, UsageError
from biascheck.measures.measure import catalogue, derived_measure, draft
from biascheck.models.base import Capability
from biascheck.models.fakes import FunctionEncoder, TableModel
from biascheck.report.papers import PAPERS
from biascheck.results.codec import result_from_dict, result_to_dict
from biascheck.results.definition import Description
from biascheck.results.items import ItemScore
from biascheck.results.summaries import summarise
from support.handmade import items_of, result_of, spread

ENTRIES = {entry.description.name: entry for entry in catalogue()}
DESCRIPTIONS = {name: entry.description for name, entry in ENTRIES.items()}
JOBS = biascheck.corpora.corpus_from_templates(
    "jobs",
    templates=["{target} is a {attribute}."],
    targets=[{"male": "he", "female": "she"}],
    attributes=list("abcdef"),
)
MODEL = TableModel({}, {"he": 0.6, "she": 0.4})


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_a_shipped_measure_says_all_there_is_to_say(name):
    what = DESCRIPTIONS[name]
    assert what.about
    assert what.sign
    assert what.direction != "unstated"
    assert len(what.limits) >= 2
    sizes = ("absolute gap", "typical gap")  # which have unit and paper of their source
    assert what.unit or name in sizes
    assert what.paper in {paper.key for paper in PAPERS} or (not what.paper and name in sizes)
    assert set(what.needs) <= set(Capability.__args__)
    assert set(what.made_from) <= set(DESCRIPTIONS)


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_function_and_measure_have_one_name(name):
    function = ENTRIES[name].functions[0]
    assert function.__name__ == name.lower().replace(" ", "_").replace("-", "_")
    home = importlib.import_module(function.__module__)
    assert getattr(home, function.__name__) is function
    assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_the_examples_of_a_docstring_are_true(name):
    for function in ENTRIES[name].functions:
        home = importlib.import_module(function.__module__)
        found = doctest.DocTestParser().get_doctest(function.__doc__, vars(home).copy(), function.__name__, None, 0)
        assert doctest.DocTestRunner().run(found).failed == 0


def test_a_result_carries_the_description_of_its_measure_and_keeps_it_in_a_file():
    result = biascheck.measures.association(MODEL, JOBS)
    assert result.description == DESCRIPTIONS["association"]
    assert result_from_dict(result_to_dict(result)).description == result.description
    assert result.where(template=result.items[0].labels["template"]).description == result.description


def test_measure_and_corpus_name_the_paper_of_a_result():
    jobs = biascheck.corpora.bec_pro().where(profession_group="balanced", template="is-a")
    words = {sentence.target_text.lower() for sentence in jobs.sentences()}
    model = TableModel({}, dict.fromkeys(words, 0.5))
    on_bec_pro = biascheck.measures.association(model, jobs).description
    assert (on_bec_pro.paper, on_bec_pro.corpus_paper, on_bec_pro.shown_under) == ("kurita2019", *["bartl2020"] * 2)
    assert biascheck.measures.association(MODEL, JOBS).description.shown_under == "kurita2019"
    assert Description("mine", corpus_paper="bartl2020").shown_under == ""


def test_a_derived_result_has_a_description_of_its_own():
    gaps = biascheck.measures.association(MODEL, JOBS)
    sizes = biascheck.measures.absolute_gap(gaps)
    assert (sizes.measure, sizes.statistic, sizes.description.about) == (
        "absolute gap",
        "mean_absolute",
        DESCRIPTIONS["absolute gap"].about,
    )
    # what it does not say itself it has from its source
    assert (sizes.description.unit, sizes.description.paper) == (gaps.description.unit, "kurita2019")
    assert sizes.description.smallest_change == gaps.description.smallest_change == 0.095
    assert sizes.description.smallest_change_reason == gaps.description.smallest_change_reason


def test_a_derived_measure_in_a_unit_of_its_own_has_no_change_of_its_source():
    @derived_measure("squares", unit="squared log units")
    def squares(result):
        return result

    assert squares(biascheck.measures.association(MODEL, JOBS)).description.smallest_change is None


@pytest.mark.parametrize("name", [name for name, what in DESCRIPTIONS.items() if what.made_from])
def test_a_derived_measure_refuses_the_result_of_another_measure(name):
    functions = ENTRIES[name].functions
    takes_results = [function for function in functions if next(iter(signature(function).parameters)) != "model"]
    for function in takes_results:
        other = result_of(items_of(spread(0.0, 1.0)), measure="something else")
        required = [one for one in list(signature(function).parameters.values())[1:] if one.default is one.empty]
        further = {one.name: None for one in required}
        with pytest.raises(UsageError, match=f"{function.__name__} is made from a result of .*, not of something else"):
            function(other, **further)
    assert takes_results


def test_online_mitigation_treats_the_model_and_is_not_another_measure():
    corpus = biascheck.corpora.winograd("T2")
    model = TableModel({}, {"he": 0.6, "him": 0.6, "his": 0.6, "she": 0.4, "her": 0.4}, name="m")
    plain, online = (biascheck.measures.skew(model, corpus, online=online) for online in (False, True))
    assert plain.measure == online.measure == "skew"
    assert plain.model == online.model == "m"
    assert (plain.treatment, online.treatment) == ((), ("online",))
    assert plain.key != online.key
    assert plain.title != online.title
    assert online.provenance.options["online"] is True


class TestAMeasureOfOnesOwn:
    """With as little said about it as possible."""

    @staticmethod
    def items(corpus, value=1.0):
        return [ItemScore(pair.id, value, pair.attribute) for pair in corpus]

    def test_name_and_version_are_enough(self):
        @biascheck.measure("preference", version=3)
        def preference(model, corpus, *, seed=0):
            """What one likes.

            More about it.
            """
            return summarise(draft(model, corpus, self.items(corpus), (), contrast=("a", "b"), seed=seed))

        what = preference(MODEL, JOBS).description
        assert (what.name, what.version, what.about, what.limits) == ("preference", 3, "What one likes.", ())
        assert (what.statistic, what.parity, what.direction, what.shown_under) == ("mean", 0.0, "unstated", "")
        assert preference.description.about == "What one likes."

    def test_statistic_and_parity_are_said_once(self):
        @biascheck.measure("likes", version=1, statistic="share_positive", parity=0.5)
        def likes(model, corpus, *, seed=0):
            return summarise(draft(model, corpus, self.items(corpus), (), contrast=("a", "b"), seed=seed))

        result = likes(MODEL, JOBS)
        assert (result.statistic, result.parity, result.estimate) == ("share_positive", 0.5, 1.0)

    def test_what_the_function_drafts_comes_first(self):
        @biascheck.measure("likes", version=1)
        def likes(model, corpus, *, seed=0):
            stated = {"statistic": "mean_absolute", "parity": 0.1}
            return summarise(draft(model, corpus, self.items(corpus), (), contrast=("a", "b"), seed=seed, **stated))

        result = likes(MODEL, JOBS)
        assert (result.statistic, result.parity) == ("mean_absolute", 0.1)
        assert (result.description.statistic, result.description.parity) == ("mean_absolute", 0.1)

    def test_a_measure_inside_another_keeps_its_own_statistic(self):
        @biascheck.measure("outer", version=1, statistic="share_positive", parity=0.5)
        def outer(model, corpus, *, seed=0):
            inner = biascheck.measures.association(model, corpus)
            assert (inner.statistic, inner.measure) == ("mean", "association")
            return summarise(draft(model, corpus, inner.items, (), contrast=inner.contrast, seed=seed))

        assert outer(MODEL, JOBS).statistic == "share_positive"

    def test_a_need_that_the_model_lacks_is_refused_before_anything_is_measured(self):
        @biascheck.measure("needy", version=1, needs=("rates text",))
        def needy(_model, _corpus):
            raise AssertionError("never called")

        with pytest.raises(
            CapabilityError,
            match="it fills masks; needy needs a model that rates text",
        ):
            needy(MODEL, JOBS)

    def test_a_derived_measure_of_ones_own(self):
        @derived_measure("largest", statistic="mean_absolute", about="Sizes.", made_from=("association",))
        def largest(result):
            return result

        made = largest(biascheck.measures.association(MODEL, JOBS))
        assert (made.measure, made.statistic, made.description.about) == ("largest", "mean_absolute", "Sizes.")

    def test_a_function_is_adapted_where_the_measure_knows_how(self):
        corpus = biascheck.corpora.review_pairs(biascheck.corpora.reviews("test"))
        assert biascheck.measures.sentiment_delta(lambda texts: [0.5] * len(texts), corpus).estimate == 0
        with pytest.raises(CapabilityError, match=r"an encoder: .* sentiment delta needs a model that rates text"):
            biascheck.measures.sentiment_delta(FunctionEncoder(lambda _word, _text: [1.0]), corpus)
