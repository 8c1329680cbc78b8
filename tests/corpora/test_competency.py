"""Sentences labelled by competence, ours or by a file of raters."""

from collections import Counter

import pytest

from biascheck import stats
from biascheck.core.errors import CorpusError
from biascheck.corpora import COMPETENCY, competency, rated_competency, winograd


def test_our_own_sentences_are_22_of_each_class():
    corpus = competency()
    assert Counter(p.labels["competency"] for p in corpus) == dict.fromkeys(COMPETENCY, 22)
    assert len({s.text for s in corpus.sentences()}) == 2 * 66
    for pair in corpus:
        assert pair.sentences["male"].text.lower().count("the person") == 2


def _file(tmp_path, rows, header="id,ann,bo,cy"):
    path = tmp_path / "labels.csv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def test_the_majority_labels_and_ties_are_left_out(tmp_path):
    corpus = winograd("T2").where(template="hours")
    ids = [pair.id for pair in corpus]
    rows = [
        f"{ids[0]},competent,competent,neutral",
        f"{ids[1]},competent,neutral,incompetent",
        f"{ids[2]},Incompetent,incompetent,incompetent",
        f"{ids[3]},neutral,neutral,",
        f"{ids[4]},,,",
    ]
    rated = rated_competency(corpus, _file(tmp_path, rows))
    assert {p.id: p.labels["competency"] for p in rated.corpus} == {
        ids[0]: "competent",
        ids[2]: "incompetent",
        ids[3]: "neutral",
    }
    reasons = {line.id: line.reason for line in rated.left_out}
    assert reasons[ids[1]].startswith("the raters are tied")
    assert reasons[ids[4]] == reasons[ids[5]] == "no rater labelled it"
    assert len(reasons) == len(corpus) - 3
    assert rated.counts == ((0, 1, 2), (1, 1, 1), (3, 0, 0))
    # P = 1/3, 0, 1; shares 4/9, 2/9, 3/9
    expected = (16 + 4 + 9) / 81
    assert rated.agreement == stats.fleiss_kappa(rated.counts) == pytest.approx((4 / 9 - expected) / (1 - expected))


def test_files_that_do_not_fit_are_refused(tmp_path):
    corpus = competency()
    with pytest.raises(CorpusError, match="needs 'id'"):
        rated_competency(corpus, _file(tmp_path, ["x,competent"], header="sentence,ann"))
    with pytest.raises(CorpusError, match="not a pair of 'competency'"):
        rated_competency(corpus, _file(tmp_path, ["x,competent"], header="id,ann"))
    with pytest.raises(CorpusError, match="labelled 'clever'"):
        rated_competency(corpus, _file(tmp_path, ["competency/1,clever"], header="id,ann"))
