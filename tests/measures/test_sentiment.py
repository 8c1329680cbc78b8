"""Sentiment deltas: closed forms, a planted delta, false alarms, and the published table recomputed."""

import csv
import json
import math
import re

import numpy as np
import pytest

import biascheck
from biascheck import stats
from biascheck.core.errors import BiasAssertionError, UsageError
from biascheck.core.store import DocumentCache, caching
from biascheck.corpora import Review, Reviews, gender_terms, review_pairs, reviews
from biascheck.measures.sentiment import delta_summary, delta_table, sentiment_delta, stars
from biascheck.models.scoring.queries import Refusal
from biascheck.models.wrappers import TextClassifier
from biascheck.papers import correlations_of
from biascheck.results.attachments import Table, TwoSided
from biascheck.results.codec import result_from_dict, result_to_dict
from biascheck.results.items import ItemScore
from support.handmade import attached, result_of

GOOD = re.compile(r"\b(?:fine|lovely|superb|wonderful|best|perfect|great|joy|delicious)\b", re.IGNORECASE)
TO_MALE = gender_terms("all").counterparts("male")
WORD = re.compile(r"\w+")


def planted(shift: float, *, noise: float = 0.0, seed: int = 0) -> TextClassifier:
    """A classifier whose logit is 0, plus 1 for each good word, minus ``shift`` where any female term stands.

    ``noise`` moves the logit of every text on its own. Each text is rated once, so the noise may come in order.
    """
    rng = np.random.default_rng(seed)

    def rate(texts):
        logits = [len(GOOD.findall(text)) - shift * _is_female(text) for text in texts]
        return (1 / (1 + np.exp(-np.array(logits) - noise * rng.normal(size=len(texts))))).tolist()

    return TextClassifier(rate, name=f"planted {shift:g}", fingerprint=f"planted {shift} {noise} {seed}", is_fake=True)


def _is_female(text: str) -> bool:
    return any(word in TO_MALE for word in WORD.findall(text.lower()))


def truth_of(shift: float, corpus) -> float:
    """The mean delta of the planted classifier in closed form."""

    def sigmoid(x):
        return 1 / (1 + math.exp(-x))

    deltas = []
    for pair in corpus:
        logit = float(len(GOOD.findall(pair.sentences["male"].text)))
        deltas.append(sigmoid(logit) - sigmoid(logit - shift) if pair.labels["terms"] else 0.0)
    return float(np.mean(deltas))


def pairs_of(*texts: str):
    return review_pairs(Reviews("few", tuple(Review(str(n), text, "positive") for n, text in enumerate(texts))))


def test_a_delta_is_male_minus_female():
    rates = {"He won.": 0.9, "She won.": 0.6, "A dog.": 0.3}
    classifier = TextClassifier(lambda texts: [rates[text] for text in texts], name="table", is_fake=True)
    result = sentiment_delta(classifier, pairs_of("She won.", "A dog."))
    first, second = result.items
    assert (first.score, second.score) == (pytest.approx(0.3), 0.0)
    assert dict(first.groups) == {"male": 0.9, "female": 0.6}
    assert result.estimate == pytest.approx(0.15)
    assert (result.measure, result.contrast, result.unit) == ("sentiment delta", ("male", "female"), "reviews")
    assert result.title == "sentiment delta on table × few·all"


def test_a_review_that_cannot_be_rated_is_skipped_and_counts_as_missing():
    """Six of 26 are skipped, 23 %; a margin allows 20 % unless it says otherwise."""
    texts = [*(f"She won {n} times, and again." for n in range(6)), *(f"She won {n} times." for n in range(20))]

    class Short:
        name, fingerprint, is_fake = "short", "s" * 64, True

        def rate(self, texts):
            return [Refusal("too many words") if "again" in text else 0.5 for text in texts]

    result = sentiment_delta(Short(), pairs_of(*texts))
    assert [(one.id, one.reason) for one in result.skipped] == [(str(n), "too many words") for n in range(6)]
    assert result.n == 20
    with pytest.raises(BiasAssertionError, match=r"6 of 26 reviews were skipped, e.g. too many words"):
        biascheck.assert_no_sentiment_delta(result, margin=0.1)
    biascheck.assert_no_sentiment_delta(result, margin=0.1, skipped=0.25)


def test_both_versions_of_a_review_without_terms_run_once():
    asked = []

    def rate(texts):
        asked.extend(texts)
        return [0.5] * len(texts)

    sentiment_delta(TextClassifier(rate, is_fake=True), pairs_of("She won.", "A dog.", "He won."))
    assert sorted(asked) == ["A dog.", "He won.", "She won."]


def test_both_sides_and_a_table_are_attached():
    result = sentiment_delta(planted(1.0), review_pairs(reviews("test")))
    (side,) = attached(result, TwoSided).sides
    assert side.n_negative + side.n_zero + side.n_positive == result.n == 402
    assert side.negative == 0.0 < side.positive
    assert attached(result, Table).columns == ("reviews", "n", "total bias", "absolute bias")
    json.dumps(result_to_dict(result), allow_nan=False)
    assert result_from_dict(json.loads(json.dumps(result_to_dict(result)))).items == result.items


def test_long_reviews_are_shown_in_part():
    text = "word " * 60 + "and she left" + " end" * 60
    item = sentiment_delta(planted(1.0), pairs_of(text)).items[0]
    shown = item.sentences["male"]
    assert shown.text[shown.start : shown.end] == "he"
    assert shown.text.startswith("…")
    assert shown.text.endswith("…")
    assert len(shown.text) < 260


def summary_of(*deltas: float):
    items = [ItemScore(str(n), d, str(n), {"male": d, "female": 0.0}) for n, d in enumerate(deltas)]
    return delta_summary(result_of(items, measure="sentiment delta", unit="reviews"))


def test_the_summary_in_closed_form():
    found = summary_of(0.3, -0.1, 0.0, 0.0, 0.2)
    assert (found.n, found.n_negative, found.n_zero, found.n_positive) == (5, 1, 2, 2)
    assert (found.total, found.absolute) == (pytest.approx(0.08), pytest.approx(0.12))
    assert (found.total_nonzero, found.absolute_nonzero) == (pytest.approx(0.4 / 3), pytest.approx(0.2))
    assert (found.negative, found.positive) == (pytest.approx(-0.1), pytest.approx(0.25))
    assert (found.test.v, found.test.n_nonzero) == (5.0, 3)
    _, table, _ = found.attachments()
    assert table.rows == (
        ("all", 5, pytest.approx(0.08), pytest.approx(0.12)),
        ("non-zero", 3, pytest.approx(0.4 / 3), pytest.approx(0.2)),
    )


def test_the_signed_rank_test_is_scipys():
    from scipy.stats import wilcoxon

    rng = np.random.default_rng(4)
    deltas = np.round(rng.normal(0.02, 0.1, 400), 3)
    deltas[:40] = 0.0
    expected = wilcoxon(deltas[deltas != 0], method="asymptotic")
    found = summary_of(*deltas.tolist())
    assert found.test.p == pytest.approx(expected.pvalue)
    assert min(found.test.v, found.test.n_nonzero * (found.test.n_nonzero + 1) / 2 - found.test.v) == expected.statistic


def test_no_deltas_at_all():
    found = summary_of(0.0, 0.0, 0.0, 0.0, 0.0)
    assert (found.total_nonzero, found.negative, found.positive, found.test.p) == (0.0, 0.0, 0.0, 1.0)


def test_absolute_deltas_do_not_cancel():
    items = [ItemScore(str(n), d, str(n), {"male": d, "female": 0.0}) for n, d in enumerate([0.2, -0.2] * 10)]
    result = result_of(items, measure="sentiment delta")
    absolute = biascheck.measures.absolute_delta(result)
    assert (result.estimate, absolute.estimate) == (0.0, pytest.approx(0.2))
    assert absolute.measure == "absolute delta"
    with pytest.raises(BiasAssertionError, match=r"absolute delta on .*: 0\.20 .* exceeds bound 0\.10"):
        biascheck.assert_absolute_delta_below(absolute, 0.1)
    with pytest.raises(
        UsageError,
        match="assert_absolute_delta_below judges a result of absolute delta; this one is of sentiment delta",
    ):
        biascheck.assert_absolute_delta_below(result, 0.1)


@pytest.mark.parametrize("shift", [0.0, 0.2, 1.0, -0.6])
def test_a_planted_delta_is_recovered_within_its_interval(shift):
    corpus = review_pairs(reviews("test"))
    clean = sentiment_delta(planted(shift), corpus)
    truth = truth_of(shift, corpus)
    assert clean.estimate == pytest.approx(truth, abs=1e-12)
    noisy = sentiment_delta(planted(shift, noise=0.3, seed=2), corpus)
    assert noisy.interval.low <= truth <= noisy.interval.high
    if abs(shift) >= 0.6:
        assert noisy.interval.low * noisy.interval.high > 0
        with pytest.raises(BiasAssertionError, match=r"exceeds margin 0\.01"):
            biascheck.assert_no_sentiment_delta(noisy, 0.01)


def test_a_classifier_without_a_delta_fails_the_gate_no_more_often_than_stated():
    """Noise on every text, no delta: intervals at level 0.95 miss zero in about one of twenty runs, never one of ten.

    The gate "exceeds" only where the whole interval lies beyond the margin, so a false alarm is rarer still.
    """
    corpus = review_pairs(reviews("test"))
    missed = alarms = 0
    runs = 120
    for seed in range(runs):
        result = sentiment_delta(planted(0.0, noise=0.5, seed=seed), corpus)
        missed += not result.interval.low <= 0 <= result.interval.high
        alarms += stats.verdict_of(result.interval, 0.005) is stats.Verdict.EXCEEDS
    assert 0 < missed <= 14  # 6 expected; 14 or fewer with probability 0.999
    assert alarms <= missed


def test_the_finding_tells_the_corrected_p():
    result = sentiment_delta(planted(1.0, noise=0.1), review_pairs(reviews("test")))
    gate = biascheck.assert_no_sentiment_delta(result, 0.9, family=9)
    assert "signed-rank p < 0.001 corrected for 9 tests" in gate.finding
    zero = sentiment_delta(planted(0.0), review_pairs(reviews("test")))
    assert "signed-rank p = 1.000 (402 reviews" in biascheck.assert_no_sentiment_delta(zero, 0.1).finding


def test_results_of_functions_are_not_kept_for_later_runs(tmp_path):
    cache = DocumentCache(tmp_path)
    with caching(cache):
        sentiment_delta(lambda texts: [0.5] * len(texts), pairs_of("She won."))
        assert cache.info().entries == 0
        sentiment_delta(planted(0.0), pairs_of("She won."))
        assert cache.info().entries == 1


def test_any_corpus_of_two_groups_will_do(shared_data):
    from biascheck.corpora import published_eec

    corpus = published_eec(shared_data).corpus.where(race="none")
    result = sentiment_delta(planted(1.0), corpus)
    assert result.n == len(corpus)
    assert result.estimate > 0.1
    with pytest.raises(UsageError, match=r"has the groups .*; choose two with corpus\.with_groups"):
        sentiment_delta(planted(1.0), biascheck.corpora.religion())


def test_only_deltas_are_summarised():
    wrong = result_of([ItemScore("a", 1.0, "a")])
    with pytest.raises(UsageError, match="is not a sentiment delta; measure one with sentiment_delta"):
        delta_summary(wrong)
    with pytest.raises(UsageError, match="no results to put in a table"):
        delta_table([])


def test_a_table_corrects_for_its_family():
    corpus = review_pairs(reviews("test"))
    results = [sentiment_delta(planted(shift, noise=0.4), corpus) for shift in (0.0, 0.05, 1.0)]
    rows = delta_table(results)
    raw = [row.summary.test.p for row in rows]
    assert [row.p for row in rows] == stats.holm(raw).tolist()
    assert rows[-1].stars == "***"
    assert [stars(p) for p in (0.0009, 0.009, 0.049, 0.05)] == ["***", "**", "*", "-"]


def gold_rows(gold):
    with (gold / "jentzsch" / "bias_63.csv").open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def test_every_published_star_follows_from_the_counts_under_the_64_fold_correction(gold):
    rows = gold_rows(gold)
    assert len(rows) == 63
    highly = {"male": 0, "female": 0}
    for row in rows:
        counts = [int(row[key]) for key in ("n_neg", "n_zero", "n_pos")]
        assert sum(counts) == 25_000
        n = counts[0] + counts[2]
        test = stats.signed_rank_from_v(float(row["W"]), n)
        recomputed = stars(min(1.0, 64 * test.p))
        assert recomputed == stars(min(1.0, 64 * float(row["p"])))
        assert recomputed == row["sig_k64"].replace("X", "-"), row["model"] + row["spec"]
        mean = float(row["bias_nz"])
        assert round(mean * n / 25_000, 4) == pytest.approx(float(row["tot_all_r4"]), abs=1.01e-4)
        if recomputed == "***":
            highly["male" if mean > 0 else "female"] += 1
    assert highly == {"male": 41, "female": 16}
    assert sum(row["sig_k64"] == "X" for row in rows) == 5


def test_the_published_correlations_follow_from_the_table(gold):
    """Table 2; its signs as extracted are partly dashes: 0.373, 0.044 and 0.886 are positive."""
    rows = gold_rows(gold)
    figures = [tuple(float(row[key]) for key in ("abs_nz_r4", "bias_nz", "accuracy", "f1")) for row in rows]
    found = correlations_of(figures)
    published = [
        [1, 0.373, -0.481, -0.497],
        [0.373, 1, 0.044, -0.085],
        [-0.481, 0.044, 1, 0.886],
        [-0.497, -0.085, 0.886, 1],
    ]
    assert found["names"] == ["absolute bias", "total bias", "accuracy", "F1"]
    for ours, theirs in zip(found["matrix"], published, strict=True):
        assert ours == pytest.approx(theirs, abs=1.1e-3)
    assert found["p"]["F1, absolute bias"] < 0.001
