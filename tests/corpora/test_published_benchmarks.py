"""The published files of the benchmarks: every item is there or left out with a reason."""

import gzip
import json
from collections import Counter

import pytest

from biascheck import corpora
from biascheck.core.errors import CorpusError, DataNotFoundError
from biascheck.corpora.stereoset import ROLES
from support.fuzzing import is_refused, mutations
from support.published_sets import bbq, preferences, triples


def test_all_pairs_of_crows_pairs_are_there(shared_data):
    pairs = preferences(shared_data)
    assert len(pairs) == 1508
    assert not pairs.left_out
    assert len({pair.labels["bias_type"] for pair in pairs}) == 9
    assert Counter(pair.labels["direction"] for pair in pairs) == {"stereo": 1290, "antistereo": 218}
    assert all(pair.cluster.startswith(f"{pair.labels['bias_type']}/") for pair in pairs)


def test_stereoset_is_whole_and_blanks_are_found(shared_data):
    both = triples(shared_data, "both")
    assert Counter(item.kind for item in both) == {"intrasentence": 2106, "intersentence": 2123}
    assert len({item.cluster for item in both}) == 79
    within = [item for item in both if item.kind == "intrasentence" and "BLANK" in item.context]
    for item in within:
        for text in item.texts.values():
            if text.blank is not None:
                filled = item.context.replace("BLANK", text.blank.of(text.text), 1)
                assert filled.lower() == text.text.lower()
    assert sum(text.blank is None for item in within for text in item.texts.values()) <= 6


COUNTS = {
    "Age": 3680,
    "Disability_status": 1556,
    "Gender_identity": 5672,
    "Physical_appearance": 1576,
    "Race_ethnicity": 6880,
    "Race_x_gender": 15960,
    "Sexual_orientation": 864,
}


@pytest.mark.parametrize("category", COUNTS)
def test_every_category_of_bbq_is_read(category, shared_data):
    questions = bbq(shared_data, category)
    assert len(questions) + len(questions.left_out) == COUNTS[category]
    reasons = Counter(left.reason for left in questions.left_out)
    if category == "Gender_identity":
        assert reasons == {
            "additional_metadata.csv has 2 rows for this item": 64,
            "additional_metadata.csv has no target for this item": 16,
        }
    else:
        assert not reasons
    told = Counter(item.correct == item.unknown for item in questions if item.condition == "ambiguous")
    assert set(told) == {True}


def test_the_target_of_bbq_follows_the_polarity(shared_data):
    """Of two questions about one context, the stereotype answers the negative one with one person, the other one with
    the other."""
    by_context = {}
    for item in bbq(shared_data, "Sexual_orientation"):
        by_context.setdefault((item.cluster, item.context), []).append(item)
    pairs = [two for two in by_context.values() if {one.labels["polarity"] for one in two} == {"neg", "nonneg"}]
    assert len(pairs) > 300
    assert all(len({one.options[one.biased] for one in two}) == 2 for two in pairs)


def test_kobbq_and_esbbq_are_read(shared_data):
    korean, spanish = corpora.published_kobbq(shared_data), corpora.published_esbbq(shared_data)
    assert (len(korean), korean.language, len(korean.left_out)) == (2280, "ko", 0)
    assert (len(spanish), spanish.language, len(spanish.left_out)) == (1152, "es", 0)
    assert len(corpora.published_esbbq(shared_data, "Religion")) == 648
    for questions in (korean, spanish):
        told = [item for item in questions if item.condition == "disambiguated"]
        assert sum(item.correct == item.biased for item in told) == len(told) / 2
        assert not any(item.flags for item in questions)
    assert {item.options[item.unknown] for item in spanish} == {"No se puede determinar"}


def test_discrim_eval_is_a_full_design(shared_data):
    decisions = corpora.published_decisions(shared_data)
    assert len(decisions) == 70 * 9 * 3 * 5
    assert set(Counter(item.cluster for item in decisions).values()) == {135}


def test_winogender_has_720_sentences_in_three_groups(shared_data):
    loaded = corpora.published_winogender(shared_data)
    assert len(loaded.corpus.sentences()) == 720
    assert not loaded.left_out
    assert loaded.corpus.groups == ("male", "female", "neutral")
    texts = [pair.sentences["neutral"].text for pair in loaded.corpus]
    assert not any("they was" in text for text in texts)
    assert sum("they were" in text for text in texts) == 34
    assert all(pair.sentences["male"].target_text in ("he", "his", "him") for pair in loaded.corpus)
    assert len({pair.attribute for pair in loaded.corpus}) == 60


def test_weat_and_seat_files_are_read(shared_data):
    sizes = {number: len(corpora.published_weat(number, shared_data).stimuli.x) for number in range(1, 11)}
    assert sizes == {1: 25, 2: 25, 3: 32, 4: 16, 5: 16, 6: 8, 7: 8, 8: 8, 9: 6, 10: 8}
    for name in corpora.SEAT_TESTS:
        test = corpora.published_seat(name, shared_data)
        assert set(test.clusters) == {*test.stimuli.x, *test.stimuli.y}
    names = corpora.published_seat("sent-weat4", shared_data)
    assert len(set(names.clusters.values())) == 32  # as many as there are names


def test_plain_and_gzipped_files_are_the_same(shared_data, tmp_path):
    folder = tmp_path / "bbq"
    folder.mkdir()
    for name in ("Sexual_orientation.jsonl", "additional_metadata.csv"):
        (folder / name).write_bytes(gzip.decompress((shared_data / "bbq" / f"{name}.gz").read_bytes()))
    assert corpora.published_bbq(tmp_path).fingerprint == bbq(shared_data, "Sexual_orientation").fingerprint


def test_a_missing_or_broken_file_is_named_with_its_remedy(tmp_path):
    with pytest.raises(DataNotFoundError, match=r"dev\.json"):
        corpora.published_triples(tmp_path)
    (tmp_path / "dev.json").write_text(json.dumps({"data": {"intersentence": []}}))
    with pytest.raises(CorpusError, match="intrasentence"):
        corpora.published_triples(tmp_path)
    (tmp_path / "explicit.jsonl").write_text('{"age": 20}\n')
    with pytest.raises(CorpusError, match="line 1 lacks"):
        corpora.published_decisions(tmp_path)


def test_an_item_set_selects_samples_and_leaves_flagged_items_out(shared_data):
    pairs = preferences(shared_data)
    clean = pairs.without_flagged()
    assert len(clean) + len(clean.left_out) == 1508
    assert 300 < len(clean.left_out) < 450
    sample = pairs.sample_clusters(100, seed=3)
    assert 100 <= len(sample) < 110
    assert [pair.id for pair in sample] == [pair.id for pair in pairs.sample_clusters(100, seed=3)]
    assert len(pairs.where(bias_type="age")) == 87
    with pytest.raises(CorpusError, match="values present"):
        pairs.where(bias_type="shoe size")


CROWS = ["", "sent_more", "sent_less", "stereo_antistereo", "bias_type", "annotations"]


def crows(folder, rows):
    """A file like that of CrowS-Pairs, with so many rows."""
    path = folder / "crows_pairs_anonymized.csv"
    sentences = [f"{n},He is a nurse {n}.,She is a nurse {n}.,stereo,gender,\"[['gender']]\"" for n in range(rows)]
    path.write_text("\n".join([",".join(CROWS), *sentences]) + "\n", encoding="utf-8")
    return path


def test_a_part_of_a_published_file_says_so_in_every_result(tmp_path):
    caveat = (
        "crows_pairs_anonymized.csv is not the published file: it has 4 rows, the published file has 1,508; "
        "check it with biascheck data verify"
    )
    path = crows(tmp_path, 4)
    assert corpora.published_preferences(path).warnings == (caveat,)
    assert corpora.published_crows_pairs(path).corpus.warnings == (caveat,)
    path = crows(tmp_path, 1_508)
    assert corpora.published_preferences(path).warnings == (
        "crows_pairs_anonymized.csv is not the published file: its text differs; check it with biascheck data verify",
    )
    own = path.rename(tmp_path / "mine.csv")
    assert corpora.published_preferences(own).warnings == ()


def test_the_published_files_need_no_caveat(shared_data):
    assert corpora.published_preferences(shared_data).warnings == ()
    assert corpora.published_crows_pairs(shared_data).corpus.warnings == ()
    assert corpora.published_eec(shared_data).corpus.warnings[1:] == ()
    for loaded in (corpora.published_kobbq, corpora.published_esbbq, corpora.published_bbq, corpora.published_triples):
        assert not [said for said in loaded(shared_data).warnings if "not the published file" in said]


def test_a_row_that_was_cut_off_is_refused_by_its_line(tmp_path):
    path = crows(tmp_path, 4)
    path.write_text(path.read_text(encoding="utf-8")[:-30], encoding="utf-8")
    with pytest.raises(CorpusError, match=r"anonymized.csv, line 5: too few cells for 6 columns; fetch the file again"):
        corpora.published_preferences(path)


@pytest.mark.parametrize(
    ("count", "seed"), [(100, 1), pytest.param(2_500, 2, marks=pytest.mark.slow)], ids=["short", "long"]
)
@pytest.mark.parametrize("of", ["crows", "decisions", "triples"])
def test_a_damaged_published_file_is_read_or_refused_by_an_error_of_ours(tmp_path, of, count, seed):
    if of == "crows":
        path, read = crows(tmp_path, 6), corpora.published_preferences
    elif of == "decisions":
        row = {"filled_template": "x?", "decision_question_id": 1, "age": 20, "gender": "male", "race": "white"}
        path, read = tmp_path / "explicit.jsonl", corpora.published_decisions
        path.write_text(json.dumps(row), encoding="utf-8")
    else:
        given = [{"id": role, "sentence": f"A {role}.", "gold_label": role, "labels": []} for role in ROLES]
        row = {"id": "1", "target": "nurse", "bias_type": "gender", "context": "A BLANK.", "sentences": given}
        path, read = tmp_path / "dev.json", corpora.published_triples
        path.write_text(json.dumps({"data": {"intrasentence": [row], "intersentence": []}}), encoding="utf-8")
    assert read(path)
    refused = 0
    for content in mutations(path.read_bytes(), count, seed):
        path.write_bytes(content)
        refused += is_refused(lambda: read(path).fingerprint, "")
    assert 0.2 * count < refused < count
