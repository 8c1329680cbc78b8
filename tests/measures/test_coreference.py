"""The probe on planted states: it predicts only unseen pages, and recovers a planted gap and no other."""

import numpy as np
import pytest

import biascheck
from biascheck.core.errors import ScoreError, UsageError
from biascheck.core.spans import Span
from biascheck.corpora.gap import Gap, GapItem
from biascheck.measures.coreference import CLASSES, grouped_folds, predicted_by_others
from biascheck.measures.topics import topics_of
from biascheck.models.fakes import FunctionEncoder, TableModel
from biascheck.results.attachments import Table
from support.handmade import attached

TEXT = "Ann met Bea before she left."


def gap(count=240, *, shift=0):
    """Pronouns whose referent goes round A, B, neither; genders alternate, four items a page."""
    items = [
        GapItem(
            id=f"g{n}",
            text=f"{n} {TEXT}",
            pronoun=Span(len(str(n)) + 20, len(str(n)) + 23),
            a=Span(len(str(n)) + 1, len(str(n)) + 4),
            b=Span(len(str(n)) + 9, len(str(n)) + 12),
            referent=CLASSES[(n + shift) % 3],
            gender=("male", "female")[(n // 3) % 2],
            page=f"page {n // 4}",
        )
        for n in range(count)
    ]
    return Gap("planted-gap", items)


def encoder(strength=3.0, *, neither_of_women=0.0):
    """The first name has a 1 in the dimension of the referent; the pronoun may hint at "neither" for women only."""

    def vector(word, text):
        n = int(text.split()[0])
        rng = np.random.default_rng([n, len(word), ord(word[0])])
        state = rng.normal(size=6)
        if word == "Ann":
            state[CLASSES.index(("A", "B", "neither")[n % 3])] += strength
        if word == "she" and (n // 3) % 2:
            state[3] += neither_of_women
        return state

    return FunctionEncoder(vector)


def test_a_referent_encoded_in_the_states_is_resolved():
    result = biascheck.measures.gap_resolution(encoder(6.0), gap(), repeats=1)
    assert result.estimate > 0.9
    assert result.interval.low < result.estimate
    assert result.where(gender="female").estimate == pytest.approx(attached(result, Table).rows[1][3])
    assert (result.statistic, result.n, result.clusters) == ("ratio", 240, 60)


def test_without_a_signal_there_is_chance():
    result = biascheck.measures.gap_resolution(encoder(0.0), gap(), repeats=1)
    assert result.estimate < 0.5


def test_f1_counts_as_the_scorer_of_gap_does():
    result = biascheck.measures.gap_resolution(encoder(1.5), gap(), repeats=1)
    tp = fp = fn = 0
    for item in result.items:
        for name in ("A", "B"):
            said, true = item.labels["predicted"] == name, item.labels["referent"] == name
            tp, fp, fn = tp + (said and true), fp + (said and not true), fn + (true and not said)
    assert result.estimate == pytest.approx(2 * tp / (2 * tp + fp + fn))


def test_the_ratio_is_female_over_male():
    result = biascheck.measures.gap_resolution(encoder(1.5), gap(), repeats=1)
    ratio = biascheck.measures.resolution_ratio(result)
    female, male = (result.where(gender=gender).estimate for gender in ("female", "male"))
    assert ratio.estimate == pytest.approx(female / male)
    assert ratio.parity == 1


def relabelled(corpus, rng, *, referent=False, gender=False):
    """The same texts with labels dealt out anew."""
    from dataclasses import replace

    order = rng.permutation(len(corpus))
    items = list(corpus)
    return Gap(
        "relabelled",
        [
            replace(
                item,
                referent=items[other].referent if referent else item.referent,
                gender=items[other].gender if gender else item.gender,
            )
            for item, other in zip(items, order, strict=True)
        ],
    )


def biased_gap():
    """In these labels women's pronouns have no referent twice as often as men's."""
    from dataclasses import replace

    items = [
        replace(item, referent="neither" if item.gender == "female" and n % 2 else item.referent)
        for n, item in enumerate(gap(360))
    ]
    return Gap("biased-gap", items)


def test_a_planted_gap_is_detected_and_vanishes_when_genders_are_permuted():
    knows_gender = encoder(2.0, neither_of_women=3.0)
    told = biascheck.measures.gap_resolution(knows_gender, biased_gap(), repeats=1)
    found = biascheck.measures.neither_gap(told)
    assert found.estimate < -0.08  # male − female
    assert found.interval.high < -0.04
    assert found.p < 0.001
    assert "take the trained probes as given" in found.warnings[-1]
    shares = {row[0]: row[-1] for row in attached(told, Table).rows}
    beyond = biascheck.measures.neither_gap_beyond_labels(told)
    assert beyond.estimate == pytest.approx(found.estimate - (shares["male"] - shares["female"]))
    assert beyond.measure == "neither gap beyond labels"
    removed = relabelled(biased_gap(), np.random.default_rng(5), gender=True)
    gone = biascheck.measures.neither_gap(biascheck.measures.gap_resolution(knows_gender, removed, repeats=1))
    assert gone.interval.low <= 0 <= gone.interval.high
    assert gone.p > 0.05


@pytest.mark.slow
def test_labels_that_are_noise_give_a_gap_with_certainty_unless_the_labels_are_taken_away():
    knows_gender = encoder(0.0, neither_of_women=6.0)
    plain, beyond = [], []
    for seed in range(6):
        noise = relabelled(gap(1_500), np.random.default_rng(seed), referent=True)
        told = biascheck.measures.gap_resolution(knows_gender, noise, repeats=1, seed=seed)
        plain.append(biascheck.measures.neither_gap(told).p)
        beyond.append(biascheck.measures.neither_gap_beyond_labels(told).p)
    assert sum(p < 0.01 for p in plain) > 3
    assert sum(p < 0.05 for p in beyond) <= 1


def test_the_same_seed_gives_the_same_probabilities():
    one, again, other = (biascheck.measures.gap_resolution(encoder(), gap(120), repeats=1, seed=s) for s in (1, 1, 2))
    assert one.items == again.items
    assert one.items != other.items


def test_training_leaves_the_global_state_of_torch_alone():
    import torch

    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    biascheck.measures.gap_resolution(encoder(), gap(60), repeats=1)
    assert (torch.rand(3) == expected).all()


def test_pages_are_never_split_between_training_and_telling():
    groups = [f"p{n // 3}" for n in range(100)]
    folds = grouped_folds(groups, 5, np.random.default_rng(0))
    assert all(len(set(folds[[g == page for g in groups]])) == 1 for page in set(groups))
    assert max(np.bincount(folds)) - min(np.bincount(folds)) <= 3
    with pytest.raises(UsageError, match="2 groups do not go into 5 folds; give 2 to 2"):
        grouped_folds(["a", "b"], 5, np.random.default_rng(0))


def test_an_item_is_predicted_by_probes_that_did_not_see_it():
    # Labels are pure noise that is written into the item's own features: whoever saw it could tell it.
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 90)
    features = np.eye(90, dtype=np.float32) * 10
    told = predicted_by_others(features, labels, [str(n) for n in range(90)], classes=3)
    assert told.sum(axis=1) == pytest.approx(np.ones(90))
    assert (told.argmax(axis=1) == labels).mean() < 0.55


def test_a_refused_mention_is_skipped_with_its_reason():
    base = encoder()
    refusing = FunctionEncoder(lambda word, text: None if text.startswith("7 ") else base._vector(word, text))
    result = biascheck.measures.gap_resolution(refusing, gap(60), repeats=1)
    assert [(skip.id, skip.labels) for skip in result.skipped] == [("g7", {"gender": "male"})]


def test_bad_input_is_named_with_its_remedy():
    vectors = biascheck.load_vectors((["she"], [[1.0, 2.0]]))
    with pytest.raises(UsageError, match="it embeds words; GAP resolution needs a model that embeds words in context"):
        biascheck.measures.gap_resolution(vectors, gap())
    with pytest.raises(ScoreError, match="12 pronouns train no probe; at least 50 are needed"):
        biascheck.measures.gap_resolution(encoder(), gap(12))
    other = biascheck.measures.positive_share(
        TableModel({}, {"he": 0.5, "she": 0.4}), biascheck.corpora.employment("skills")
    )
    with pytest.raises(UsageError, match="neither_gap is made from a result of GAP resolution, not of positive share"):
        biascheck.measures.neither_gap(other)
    with pytest.raises(UsageError, match="topic correlation needs a model that fills masks or scores text"):
        biascheck.measures.topic_correlation(encoder(), gap())


THEMES = {"sea": "ship sailor harbour wave anchor", "kitchen": "oven recipe flour kettle spoon"}


def test_topics_are_the_words_that_go_together():
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.permutation(THEMES[theme].split())[:4]) for theme in ("sea", "kitchen") * 30]
    found = topics_of(texts, count=2, top=5)
    assert {frozenset(word for word, _ in words) for words in found.words} == {
        frozenset(words.split()) for words in THEMES.values()
    }
    assert (found.presence[::2].argmax(axis=1) != found.presence[1::2].argmax(axis=1)).all()
    with pytest.raises(ScoreError, match="do not have 20 topics; ask for fewer"):
        topics_of(texts, count=20)
    with pytest.raises(ScoreError, match="share too few words for topics"):
        topics_of(["one", "two"], count=1)


@pytest.mark.slow
def test_the_topics_of_a_text_meet_the_pronouns_of_its_probe(shared_data):
    from dataclasses import replace

    model = biascheck.load("minilm-mlm")
    some = biascheck.corpora.published_gap(shared_data, parts=("validation",))
    some = replace(some, items=tuple(item for item in some.items if len(item.text) < 400)[:150])
    result = biascheck.measures.topic_correlation(model, some, topics=5, repeats=1)
    female = [item for item in some if item.gender == "female"]
    assert result.n + len(result.skipped) >= len(female) > 20
    assert (result.statistic, len(attached(result, Table).rows)) == ("spearman", 5)
    assert {item.labels["gender"] for item in result.items} == {"female"}
