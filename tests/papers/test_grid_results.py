"""The research questions: differences that were planted come out, with their sign, and nothing else is compared."""

import numpy as np
import pytest
from numpy.random import default_rng
from scipy import stats as scipy_stats

from biascheck.core.errors import UsageError
from biascheck.papers import QUESTIONS, answer, answers
from biascheck.papers.grid_results import comparisons, family_of
from biascheck.results.attachments import Table
from support.grid_numbers import row_of

RNG = default_rng(3)
BASE = np.abs(RNG.normal(0.004, 0.001, 400)) + 1e-5
SIGNS = RNG.choice([-1.0, 1.0], 400)


def sized(size, **cell):
    """Deltas of both signs whose sizes are those of BASE times a number."""
    return row_of(BASE * SIGNS * size, **cell)


def table_of(rows, question, **options):
    found = answer(rows, question, **options)
    return {row[0]: row[1:] for one in found.attachments if isinstance(one, Table) for row in one.rows}


def test_base_models_are_compared_on_the_same_reviews():
    """RoBERTa's deltas are twice BERT's, whatever their signs: the difference is the mean of BASE."""
    found = table_of([sized(1, model="bert-base-uncased"), sized(2, model="roberta-base")], "base model")
    first, second, difference, low, high, p, stars = found["bert-base-uncased → roberta-base"]
    assert (first, second, difference) == pytest.approx((BASE.mean(), 2 * BASE.mean(), BASE.mean()))
    reference = scipy_stats.t.interval(0.95, 399, BASE.mean(), scipy_stats.sem(BASE))
    assert (low, high) == pytest.approx(reference, rel=0.01)  # a paired t interval, but for skewness
    assert (p, stars) == (pytest.approx(1 / 2000), "***")


def test_equal_models_differ_by_nothing():
    noise = default_rng(9).permutation(BASE)
    rows = [sized(1, model="bert-base-uncased"), row_of(noise, model="roberta-base")]
    _, _, difference, low, high, p, stars = table_of(rows, "base model")["bert-base-uncased → roberta-base"]
    assert difference == pytest.approx(0, abs=1e-12)
    assert low < 0 < high
    assert (p > 0.9, stars) == (True, "-")


def test_p_is_corrected_for_the_comparisons_of_the_question():
    rows = [sized(size, model=model) for model, size in (("bert-a", 1), ("roberta-b", 2), ("albert-c", 3))]
    plain = [one.p for one in comparisons(rows, "base model")]
    corrected = [row[5] for row in table_of(rows, "base model").values()]
    assert plain == pytest.approx([1 / 2000] * 3)
    assert corrected == pytest.approx([3 / 2000] * 3)


def test_sizes_are_compared_within_a_family_from_small_to_large():
    models = {"bert-large-uncased": (24, 3), "bert-base-uncased": (12, 2), "distilbert-base-uncased": (6, 1)}
    models["roberta-base"] = (12, 9)
    rows = [sized(size, model=model) for model, (_, size) in models.items()]
    found = table_of(rows, "size", sizes={model: layers for model, (layers, _) in models.items()})
    assert {name: round(row[2] / BASE.mean(), 6) for name, row in found.items()} == {
        "bert-base-uncased → bert-large-uncased": 1,
        "distilbert-base-uncased → bert-large-uncased": 2,
        "distilbert-base-uncased → bert-base-uncased": 1,
    }
    assert answer(rows, "size") is None  # without sizes there is no order


def test_conditions_are_compared_with_the_original_of_the_same_terms():
    rows = [sized(2, terms="all"), sized(1, terms="pro"), sized(1, condition="R-all"), sized(4, condition="mix-all")]
    rows += [sized(2, model="other", terms="all"), sized(2, model="other", condition="R-all")]
    found = {name: round(row[2] / BASE.mean(), 6) for name, row in table_of(rows, "condition").items()}
    assert found == {
        "bert-base-uncased: original → R, all": -1,
        "other: original → R, all": 0,
        "all models: original → R, all": -0.5,
        "bert-base-uncased: original → mix, all": 2,
    }


def test_term_sets_batches_and_other_terms():
    rows = [sized(1, terms="pro"), sized(3, terms="all"), sized(1, terms="pro", batch=8)]
    rows += [sized(2, condition="R-pro", terms="pro"), sized(5, condition="R-all", terms="all")]
    rows += [sized(4, condition="R-pro", terms="all")]
    found = {
        question: {name: round(row[2] / BASE.mean(), 6) for name, row in table_of(rows, question).items()}
        for question in ("term set", "batch size", "other terms")
    }
    assert found == {
        "term set": {"pro → all": 2.5},  # original 1 → 3, R 2 → 5; what is measured with other terms is left out
        "batch size": {"recipe → batch 8": 0},
        "other terms": {"measured with all: R-all → R-pro": -1},
    }


def test_questions_without_rows_to_compare_have_no_answer():
    assert answers([sized(1)]) == ()
    with pytest.raises(UsageError, match="no question 'why'; there are: base model, size"):
        comparisons([sized(1)], "why")
    with pytest.raises(UsageError, match="measured on different reviews"):
        comparisons([sized(1), row_of([0.1] * 5, model="roberta-base")], "base model")
    assert set(QUESTIONS) == {"base model", "size", "condition", "term set", "batch size", "other terms"}


@pytest.mark.parametrize(
    ("model", "family"),
    [("distilbert-base-uncased", "bert"), ("org/Albert-large-v2", "albert"), ("roberta-base", "roberta"), ("x", "x")],
)
def test_families(model, family):
    assert family_of(model) == family
