"""Online mitigation as a model: the same figure as the measure's own option, and nothing where nobody is in sight."""

from math import log

import pytest

import biascheck
from biascheck.core.errors import UsageError
from biascheck.core.spans import Span
from biascheck.models.fakes import SentenceTable, TableModel
from biascheck.models.scoring.queries import Answer, MaskedQuery, Refusal

TABLE = TableModel(
    {"nurse": {"he": 0.1, "she": 0.4}, "guard": {"he": 0.6, "she": 0.2}}, prior={"he": 0.3, "she": 0.1}, name="table"
)
TEXT = "The nurse said she slept."
NURSE, SHE = Span(4, 9), Span(15, 18)


def test_the_answer_is_divided_by_the_prior():
    (answer,) = biascheck.models.online(TABLE).fill([MaskedQuery(TEXT, SHE, people=(NURSE,))])
    assert answer.log_probability == pytest.approx(log(0.4) - log(0.1))


def test_where_nobody_is_in_sight_the_model_answers_itself():
    queries = [MaskedQuery(TEXT, SHE), MaskedQuery(TEXT, SHE, (NURSE,)), MaskedQuery(TEXT, SHE, people=(NURSE,))]
    answers = biascheck.models.online(TABLE).fill(queries)
    assert [a.log_probability for a in answers] == pytest.approx([log(0.4), log(0.1), log(0.4) - log(0.1)])


def test_a_refusal_stays_one():
    query = MaskedQuery("The nurse said it slept.", Span(15, 17), people=(NURSE,))
    (answer,) = biascheck.models.online(TABLE).fill([query])
    assert isinstance(answer, Refusal)
    assert not isinstance(answer, Answer)


def test_name_and_fingerprint_tell_it_from_the_model_inside():
    wrapped = biascheck.models.online(TABLE)
    assert (wrapped.name, wrapped.treatment) == ("table", ("online",))
    assert wrapped.fingerprint != TABLE.fingerprint
    assert wrapped.fingerprint == biascheck.models.online(TABLE).fingerprint


@pytest.mark.parametrize("kind", ["T1", "T2"])
def test_the_wrapper_equals_the_option_of_the_measure(kind):
    model, corpus = biascheck.load("reference:workforce"), biascheck.corpora.winograd(kind)
    wrapped = biascheck.measures.pronoun_gap(biascheck.models.online(model), corpus)
    option = biascheck.measures.pronoun_gap(model, corpus, online=True)
    assert [i.score for i in wrapped.items] == pytest.approx([i.score for i in option.items], abs=1e-5)
    plain = biascheck.measures.pronoun_gap(model, corpus)
    assert wrapped.estimate != pytest.approx(plain.estimate, abs=1e-3)


def test_no_model_is_corrected_twice():
    wrapped = biascheck.models.online(TABLE)
    with pytest.raises(UsageError, match="table corrects itself already; wrap the model inside it"):
        biascheck.models.online(wrapped)
    with pytest.raises(UsageError, match="measure it with online=False"):
        biascheck.measures.pronoun_gap(wrapped, biascheck.corpora.winograd("T1"), online=True)


def test_a_model_without_masks_is_refused():
    with pytest.raises(
        UsageError, match=r"unlike pronoun_gap\(model, corpus, online=True\), needs a model that fills masks"
    ):
        biascheck.models.online(SentenceTable({}))
