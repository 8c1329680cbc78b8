"""Skew and stereotype, against probabilities given by a table."""

import csv
from math import exp, log
from uuid import uuid4

import pytest

import biascheck
from biascheck.core.errors import BiasAssertionError, CorpusError, ScoreError, UsageError
from biascheck.corpora import COMPETENCY, Corpus, competency, occupations, published_winobias, winograd, with_names
from biascheck.gates.families import recording
from biascheck.measures import skew_and_stereotype
from biascheck.measures.pronouns import AS_IN_MANELA_2021
from biascheck.models.fakes import SentenceTable, TableModel, _masked
from biascheck.models.scoring.encode import encode_masked
from biascheck.models.scoring.queries import Answer, Masking, Refusal
from biascheck.results.items import ItemScore
from support.handmade import result_of

HE = {"he": 0.9, "him": 0.9, "his": 0.9, "she": 0.1, "her": 0.1}
KINDS = ("T1", "T2")
SHARES = {o.name: o.share_of_women for o in occupations()}


class Chooser:
    """A masked model that knows how probable the male pronoun is in every masked text."""

    kind = "masked"
    name = "chooser"
    is_fake = True

    def __init__(self, male):
        self._male, self.asked, self.fingerprint = male, [], uuid4().hex

    def fill(self, queries, **_how):
        self.asked.extend(queries)
        return [self._answer(query) for query in queries]

    def _answer(self, query):
        male = self._male(_masked(query))
        if male is None:
            return Refusal("no idea")
        return Answer(log(male if query.target.of(query.text) in ("he", "him", "his") else 1 - male), 1)


def masked(pair):
    sentence = pair.sentences["male"]
    return f"{sentence.text[: sentence.target.start]}[MASK]{sentence.text[sentence.target.end :]}"


def chooser(corpus, male):
    """A model that gives each pair the probability that the function of the pair says; elsewhere it is undecided."""
    table = {masked(pair): male(pair) for pair in corpus}
    return Chooser(lambda text: table.get(text, 0.5))


def follower(*corpora, sure=0.8):
    """A model that follows the stereotype wherever it is asked."""
    table = {masked(p): sure if p.labels["stereotype"] == "male" else 1 - sure for c in corpora for p in c}
    return Chooser(lambda text: table.get(text, 0.5))


@pytest.fixture(scope="module", params=KINDS)
def corpus(request):
    return winograd(request.param)


def test_every_row_of_the_published_table_is_recomputed(gold):
    with (gold / "manela" / "table2_recomputed.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 17
    for row in rows:
        found = skew_and_stereotype(*(float(row[f"f1_{name}"]) for name in ("m_pro", "m_anti", "f_pro", "f_anti")))
        assert found.skew == pytest.approx(float(row["recomputed_skew"])), row["model"]
        assert found.stereotype == pytest.approx(float(row["recomputed_stereo"])), row["model"]


def test_always_he_is_all_skew_and_no_stereotype(corpus):
    model = TableModel({}, HE)
    skew, stereotype = biascheck.measures.skew(model, corpus), biascheck.measures.stereotype(model, corpus)
    assert skew.estimate == pytest.approx(2 / 3)
    assert (stereotype.estimate, stereotype.interval.high) == (0, 0)
    assert biascheck.measures.gender_f1(skew).as_dict() == pytest.approx(
        {"male_pro": 2 / 3, "male_anti": 2 / 3, "female_pro": 0, "female_anti": 0}
    )


def test_following_the_stereotype_is_all_stereotype_and_no_skew(corpus):
    model = follower(corpus)
    skew, stereotype = biascheck.measures.skew(model, corpus), biascheck.measures.stereotype(model, corpus)
    assert (skew.estimate, stereotype.estimate) == (0, 1)
    assert (skew.unit, skew.n, skew.clusters, skew.parity) == ("pairs", 480, 240, 0)


@pytest.mark.parametrize(("alpha", "beta"), [(0.75, 0.5), (1.0, 0.25), (0.4, 0.4), (0.1, 0.9)])
def test_mixtures_follow_the_closed_form(alpha, beta):
    """Of the 240 sentences a side, a share α (β) is predicted male; with σ = α + β, F1♂pro = 2α / (1 + σ) and so on."""
    corpus = winograd("T2")
    seen = {"male": 0, "female": 0}

    def male(pair):
        side = pair.labels["stereotype"]
        seen[side] += 1
        return 0.7 if seen[side] <= 240 * (alpha if side == "male" else beta) else 0.3

    gaps = biascheck.measures.pronoun_gap(chooser(corpus, male), corpus)
    sigma = alpha + beta
    assert biascheck.measures.stereotype_of(gaps).estimate == pytest.approx(
        abs(alpha - beta) * (1 / (1 + sigma) + 1 / (3 - sigma))
    )
    pro = abs(2 * alpha / (1 + sigma) - 2 * (1 - beta) / (3 - sigma))
    anti = abs(2 * beta / (1 + sigma) - 2 * (1 - alpha) / (3 - sigma))
    assert biascheck.measures.skew_of(gaps).estimate == pytest.approx((pro + anti) / 2)
    assert gaps.estimate == pytest.approx(0.4 * (sigma - 1))


def test_items_carry_the_probabilities_over_the_pair(corpus):
    gaps = biascheck.measures.pronoun_gap(
        TableModel({}, {"he": 0.3, "she": 0.1, "him": 0.1, "her": 0.1, "his": 0.4}), corpus
    )
    by_form = {item.labels["form"]: item for item in gaps.items}
    assert by_form["he/she"].groups == pytest.approx({"male": 0.75, "female": 0.25})
    assert by_form["him/her"].score == pytest.approx(0)
    assert by_form["his/her"].score == pytest.approx(0.6)
    assert {item.side for item in gaps.items if item.labels["stereotype"] == "male"} == {"A"}


def test_the_cut_off_leaves_uncertain_items_out_and_says_how_many(corpus):
    model = chooser(corpus, lambda pair: 0.54 if pair.labels["form"] == "he/she" else 0.8)
    gaps = biascheck.measures.pronoun_gap(model, corpus)
    all_of_them, certain = biascheck.measures.skew_of(gaps), biascheck.measures.skew_of(gaps, cutoff=0.1)
    assert (all_of_them.n, len(all_of_them.skipped)) == (480, 0)
    assert (certain.n, len(certain.skipped)) == (320, 160)
    assert {skip.reason for skip in certain.skipped} == {"less certain than the cut-off: |P(male) − P(female)| < 0.1"}
    assert certain.corpus.endswith(", certainty 0.1")
    assert certain.provenance.options["cutoff"] == 0.1
    # left out on purpose: they are listed, but a gate does not count them as items that could not be scored
    assert all(skip.by_choice for skip in certain.skipped)
    with pytest.raises(BiasAssertionError, match=r"\(320 pairs, seed 0\)"):
        biascheck.assert_skew_below(certain, 0.5, family=1)
    with pytest.raises(ScoreError, match="no item is as certain"):
        biascheck.measures.stereotype_of(gaps, cutoff=0.9)
    with pytest.raises(UsageError, match="not a difference of two shares"):
        biascheck.measures.skew_of(gaps, cutoff=1.0)


def test_items_exactly_at_the_cut_off_count():
    scores = {"nurse": -0.25, "judge": 0.25, "cook": 0.125, "pilot": -0.125, "baker": 0.5, "clerk": -0.5}
    items = [
        ItemScore(job, score, job, {"male": score, "female": 0.0}, side="A" if score > 0 else "B")
        for job, score in scores.items()
    ]
    gaps = result_of(items, measure="pronoun gap")
    found = biascheck.measures.skew_of(gaps, cutoff=0.25)
    assert {item.id for item in found.items} == {"nurse", "judge", "baker", "clerk"}
    assert {skip.id for skip in found.skipped} == {"cook", "pilot"}
    everything = biascheck.measures.skew_of(gaps, cutoff=0.0)
    assert (everything.n, everything.skipped) == (6, ())


def test_online_divides_by_the_prior_with_both_people_masked(corpus):
    prior = {"he": 0.8, "him": 0.8, "his": 0.8, "she": 0.2, "her": 0.2}
    model = TableModel({"The": {"he": 0.6, "him": 0.6, "his": 0.6, "she": 0.3, "her": 0.3}}, prior)
    # "The" stays in sight, so masking the people changes nothing in this table and the ratio is one
    gaps = biascheck.measures.pronoun_gap(model, corpus, online=True)
    assert all(item.score == pytest.approx(0) for item in gaps.items)
    people = {f"he {o.name} ": {"he": 0.6, "him": 0.6, "his": 0.6, "she": 0.3, "her": 0.3} for o in occupations()}
    gaps = biascheck.measures.pronoun_gap(TableModel(people, prior), corpus, online=True)
    assert all(item.groups["male"] == pytest.approx(0.75 / (0.75 + 1.5)) for item in gaps.items)
    skew = biascheck.measures.skew_of(gaps)
    assert (skew.measure, skew.model, skew.treatment) == ("skew", "table", ("online",))


def test_the_online_prior_hides_both_people_and_is_read_at_the_pronoun(corpus):
    model = Chooser(lambda _text: 0.5)
    biascheck.measures.pronoun_gap(model, corpus, online=True)
    priors = [query for query in model.asked if query.hidden]
    assert len(priors) == 2 * len(corpus)
    for query in priors:
        assert {span.of(query.text) for span in query.hidden} <= SHARES.keys()
        assert len(query.hidden) == 2
        assert query.read_at is None


def test_as_published_reads_the_prior_at_the_first_mask(corpus):
    from support.loaded_tiny import tokenizer_of

    model = Chooser(lambda _text: 0.5)
    result = biascheck.measures.pronoun_gap(model, corpus, online=True, variant=AS_IN_MANELA_2021)
    assert result.provenance.variant == AS_IN_MANELA_2021
    tokenizer = tokenizer_of("bert-uncased")
    priors = [query for query in model.asked if query.hidden][::40]
    for query, encoded in zip(priors, encode_masked(priors, tokenizer, masking=Masking(per="word")), strict=True):
        masks = [place for place, token in enumerate(encoded.ids) if token == tokenizer.mask_token_id]
        assert len(masks) >= 2 + sum(len(span.of(query.text).split()) for span in query.hidden) - 1
        assert encoded.positions[0] == masks[0]


def test_both_versions_of_a_sentence_are_one_input(corpus):
    model = Chooser(lambda _text: 0.6)
    biascheck.measures.pronoun_gap(model, corpus)
    assert (len(model.asked), len({_masked(query) for query in model.asked})) == (960, 480)


def test_names_qualify_the_figures(corpus):
    named = with_names(corpus)
    able = follower(corpus, named)
    resolved = biascheck.measures.name_resolution(able, corpus)
    assert (resolved.estimate, resolved.parity, resolved.statistic) == (1, 1, "smaller_f1")
    assert biascheck.measures.skew(able, corpus).warnings == ()
    unable = TableModel({}, HE)
    assert biascheck.measures.name_resolution(unable, corpus).estimate == 0
    for result in (biascheck.measures.skew(unable, corpus), biascheck.measures.stereotype(unable, corpus)):
        (warning,) = result.warnings
        assert f"name resolution on table × {corpus.name}·names has an F1 of 0%, below 75%" in warning
    gate = biascheck.assert_stereotype_below(result, 0.3)
    assert gate.warnings == (warning,)


def test_three_of_four_names_resolved_are_just_enough(corpus):
    named = with_names(corpus)

    def resolves(wrong):
        missed = {"male": 0, "female": 0}

        def male(pair):
            side = pair.labels["stereotype"]
            missed[side] += 1
            right = missed[side] > wrong
            return 0.9 if (side == "male") == right else 0.1

        return chooser(named, male)

    # as many wrong on either side, so F1 is the share of right ones
    just = len(named) // 8
    assert biascheck.measures.name_resolution(resolves(just), corpus).estimate == pytest.approx(0.75)
    assert biascheck.measures.skew(resolves(just), corpus).warnings == ()
    assert biascheck.measures.skew(resolves(just + 1), corpus).warnings != ()


def test_the_warning_reaches_the_report(tmp_path):
    from biascheck.report import write_html

    corpus = winograd("T2").where(form="he/she")
    skew = biascheck.measures.skew(TableModel({}, HE), corpus)
    heard = []
    with recording(lambda gate, _: heard.append(gate)), pytest.raises(BiasAssertionError, match="exceeds bound"):
        biascheck.assert_skew_below(skew, 0.6)
    write_html(tmp_path / "report.html", [skew], heard)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "has an F1 of 0%, below 75%" in page
    assert "&lt; 0.60" in page
    assert "how much better one group&#39;s pronouns are predicted" in page


def test_the_workforce_is_mirrored_by_a_model_that_knows_its_shares(corpus):
    gaps = biascheck.measures.pronoun_gap(chooser(corpus, lambda pair: 1 - pair.labels["share_of_women"] / 101), corpus)
    correlation = biascheck.measures.workforce_correlation(gaps)
    assert (correlation.estimate, correlation.n) == (pytest.approx(-1), 40)
    table = biascheck.measures.occupation_table(gaps)
    assert (table[0].occupation, table[-1].occupation) == ("carpenter", "secretary")
    assert table[0].as_dict() == {
        "occupation": "carpenter",
        "stereotype": "male",
        "share_of_women": 2,
        "n": 12,
        "predicted_male": 1,
        "mean_male": pytest.approx(1 - 2 / 101),
    }


def test_findings_name_the_occupations_that_drive_them():
    corpus = winograd("T2")
    leaning = {"nurse": 0.1, "carpenter": 0.95, "editor": 0.99}
    gaps = biascheck.measures.pronoun_gap(
        chooser(corpus, lambda pair: leaning.get(pair.labels["occupation"], 0.8)), corpus
    )
    assert [str(o) for o in biascheck.measures.skew_of(gaps).top_contributors()] == [
        "editor +0.98",
        "carpenter +0.90",
        "CEO +0.60",
    ]
    # the editor is held mostly by women, so its leaning works against the stereotype
    assert [str(o) for o in biascheck.measures.stereotype_of(gaps).top_contributors(2)] == [
        "nurse −0.80",
        "carpenter +0.90",
    ]


def test_a_part_is_summarised_again(corpus):
    model = chooser(corpus, lambda pair: 0.9 if pair.labels["form"] == "he/she" else 0.5)
    skew = biascheck.measures.skew_of(biascheck.measures.pronoun_gap(model, corpus))
    assert skew.where(form="he/she").estimate == pytest.approx(2 / 3)
    assert skew.where(form="his/her").estimate == 0
    assert skew.interval_at(0.99).high >= skew.interval.high


def test_clusters_are_sentence_pairs_by_default():
    corpus, model = winograd("T1"), Chooser(lambda text: 0.6 + len(text) % 7 / 30)
    counts = {
        by: biascheck.measures.pronoun_gap(model, corpus, cluster=by).clusters
        for by in ("schema", "occupation", "template")
    }
    assert counts == {"schema": 240, "occupation": 40, "template": 48}


def test_an_estimate_of_zero_is_not_certain_of_itself():
    corpus = winograd("T2")
    model = Chooser(lambda text: 0.4 if hash_of(text) % 2 else 0.6)
    stereotype = biascheck.measures.stereotype_of(biascheck.measures.pronoun_gap(model, corpus))
    # coins: each F1 has a standard error of about 0.03, so no interval of a distance may end below that
    assert stereotype.estimate < 0.1
    assert stereotype.interval.high > 0.05
    assert "percentile" in stereotype.interval.method


def hash_of(text):
    return sum(ord(letter) * place for place, letter in enumerate(text))


def test_what_cannot_be_scored_is_skipped_with_its_reason():
    corpus = winograd("T2")
    texts = [masked(pair) for pair in corpus][:5]
    gaps = biascheck.measures.pronoun_gap(Chooser(lambda text: None if text in texts else 0.7), corpus)
    assert (gaps.n, [skip.reason for skip in gaps.skipped]) == (475, ["no idea"] * 5)
    nothing = TableModel({}, dict.fromkeys(HE, 0.0))
    with pytest.raises(ScoreError, match="no item could be scored: the pronouns have no probability"):
        biascheck.measures.pronoun_gap(nothing, corpus)


def test_causal_models_compare_whole_sentences():
    corpus = winograd("T1").where(form="his/her")
    model = SentenceTable(lambda text: log(0.3) if " his " in text else log(0.1))
    gaps = biascheck.measures.pronoun_gap(model, corpus)
    assert all(item.groups == pytest.approx({"male": 0.75, "female": 0.25}) for item in gaps.items)
    assert len(model.asked) == 2 * len(corpus)


def test_causal_models_take_their_prior_from_neutral_nouns():
    corpus = winograd("T1").where(form="his/her")

    def score(text):
        male = 0.8 if "The person" in text else 0.6 if "The colleague" in text else 0.9
        return log(male if " his " in text else 1 - male)

    gaps = biascheck.measures.pronoun_gap(SentenceTable(score), corpus, online=True)
    assert all(item.groups["male"] == pytest.approx(9 / 7 / (9 / 7 + 1 / 3)) for item in gaps.items)


def test_causal_scores_agree_with_a_direct_computation():
    from support.loaded_tiny import direct_sentence_score, loaded

    corpus = winograd("T2").where(template="advice")
    gaps = biascheck.measures.pronoun_gap(loaded("gpt2"), corpus)
    assert gaps.n == 10
    for item in gaps.items:
        male, female = (direct_sentence_score("gpt2", item.sentences[group].text) for group in ("male", "female"))
        share = 1 / (1 + exp(female - male))
        assert item.groups == pytest.approx({"male": share, "female": 1 - share}, abs=1e-5)
    assert len({round(item.score, 4) for item in gaps.items}) > 3


@pytest.mark.parametrize("family", ["bert-uncased", "roberta", "xlm-roberta", "albert"])
def test_pronouns_are_found_in_every_kind_of_vocabulary(family):
    from support.loaded_tiny import loaded

    corpus = winograd("T2").where(template="advice")
    gaps = biascheck.measures.pronoun_gap(loaded(family), corpus)
    assert (gaps.n, gaps.skipped) == (10, ())


def test_competence_moves_the_pronoun_of_a_model_that_thinks_so():
    corpus = competency()
    praise = {masked(pair): pair.labels["competency"] for pair in corpus}
    male = {"competent": 0.9, "incompetent": 0.3, "neutral": 0.6}
    model = Chooser(lambda text: male[praise[text]] + len(text) % 5 / 100)
    shares = biascheck.measures.female_share(model, corpus)
    assert {c: shares.where(competency=c).estimate for c in COMPETENCY} == {
        "incompetent": 1,
        "neutral": 0,
        "competent": 0,
    }
    assert (shares.contrast, shares.parity, shares.n) == (("female", "male"), 0.5, 66)
    assert 0.8 < shares.where(competency="incompetent").interval.low < 1
    effect = biascheck.measures.competency_effect(shares)
    assert effect.estimate < -1.5
    assert (effect.n, effect.clusters) == (44, 44)


def test_competence_without_labels_has_no_effect():
    corpus = winograd("T2").where(template="advice")
    shares = biascheck.measures.female_share(Chooser(lambda _text: 0.5), corpus)
    assert all("person" in shown.text for item in shares.items for shown in item.sentences.values())
    assert shares.estimate == 0.5
    with pytest.raises(UsageError, match="not labelled competent and incompetent"):
        biascheck.measures.competency_effect(shares)


def test_wrong_use_names_the_remedy():
    corpus = winograd("T2")
    with pytest.raises(UsageError, match="ask for online=True"):
        biascheck.measures.pronoun_gap(TableModel({}, HE), corpus, variant=AS_IN_MANELA_2021)
    causal = SentenceTable(lambda _text: -1.0)
    with pytest.raises(UsageError, match="needs a model that fills masks"):
        biascheck.measures.pronoun_gap(causal, corpus, online=True, variant=AS_IN_MANELA_2021)
    bare = Corpus("bare", corpus.groups, corpus.pairs)
    with pytest.raises(CorpusError, match="has no fillers"):
        biascheck.measures.pronoun_gap(causal, bare, online=True)
    with pytest.raises(UsageError, match="pronoun gap needs a model that fills masks or scores text"):
        biascheck.measures.pronoun_gap(NoModel(), corpus)
    with pytest.raises(UsageError, match="no prediction can be pro or anti"):
        biascheck.measures.skew_of(biascheck.measures.pronoun_gap(TableModel({}, HE), competency()))
    with pytest.raises(UsageError, match="name no occupations"):
        biascheck.measures.occupation_table(biascheck.measures.pronoun_gap(TableModel({}, HE), competency()))


class NoModel:
    name, fingerprint = "none", "none"


def test_the_published_sentences_are_measured_alike(shared_data):
    for kind, items in (("T1", 374), ("T2", 391)):
        corpus = published_winobias(shared_data, "test", kind, rule="authors").corpus
        skew = biascheck.measures.skew(TableModel({}, HE), corpus)
        assert skew.n == items
        # not quite 2/3: the two genders are not quite as frequent; ties of him/him count one half
        assert 0.63 < skew.estimate < 0.67
        assert "authors' rule" in skew.warnings[0]
