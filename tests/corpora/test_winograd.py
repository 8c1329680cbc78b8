"""Our Winograd sentences: balance, spans, and none of them borrowed."""

import re
from collections import Counter

import pytest

from biascheck.core.errors import CorpusError
from biascheck.corpora import competency, occupations, published_winobias, winograd, with_names, with_persons
from biascheck.corpora.winograd import WINOGRAD_FORMS

KINDS = ("T1", "T2")


@pytest.fixture(scope="module", params=KINDS)
def corpus(request):
    return winograd(request.param)


def test_the_forty_occupations_are_the_published_ones(shared_data):
    for gender in ("male", "female"):
        published = (shared_data / "winobias" / f"{gender}_occupations.txt").read_text(encoding="utf-8").split("\n")
        ours = {o.name for o in occupations() if o.stereotype == gender}
        assert ours == {name.strip() for name in published if name.strip()}


def test_the_shares_of_women_agree_with_the_stereotypes():
    assert all((o.share_of_women > 50) == (o.stereotype == "female") for o in occupations())
    shares = {o.name: o.share_of_women for o in occupations()}
    assert (shares["carpenter"], shares["CEO"], shares["editor"], shares["secretary"]) == (2, 39, 52, 95)


def test_both_kinds_are_balanced(corpus):
    assert len(corpus) == 480
    assert Counter(p.labels["form"] for p in corpus) == dict.fromkeys(WINOGRAD_FORMS, 160)
    assert Counter(p.labels["stereotype"] for p in corpus) == {"male": 240, "female": 240}
    meant = Counter((p.labels["occupation"], p.labels["form"]) for p in corpus)
    assert (len(meant), set(meant.values())) == (120, {4})
    assert len({p.labels["template"] + str(p.labels["form"]) for p in corpus}) == 48
    assert len({s.text for s in corpus.sentences()}) == 960


def test_places_are_balanced_where_they_vary():
    places = Counter((p.labels["occupation"], p.labels["place"]) for p in winograd("T1"))
    assert (len(places), set(places.values())) == (80, {6})
    assert {p.labels["place"] for p in winograd("T2")} == {"second"}


def test_a_schema_is_two_sentences_in_which_the_pronoun_means_either(corpus):
    schemas = {}
    for pair in corpus:
        schemas.setdefault((pair.labels["form"], pair.labels["schema"]), []).append(pair)
    assert len(schemas) == 240
    for first, second in schemas.values():
        assert first.labels["occupation"] == second.labels["other"]
        assert first.labels["other"] == second.labels["occupation"]
        assert {first.labels["stereotype"], second.labels["stereotype"]} == {"male", "female"}


def test_spans_are_the_words_they_should_be(corpus):
    for pair in corpus:
        for group, pronoun in zip(("male", "female"), WINOGRAD_FORMS[pair.labels["form"]], strict=True):
            sentence = pair.sentences[group]
            assert sentence.target_text == pronoun
            assert sentence.attribute_text == pair.labels["occupation"] == pair.attribute
            assert [span.of(sentence.text) for span in sentence.others] == [pair.labels["other"]]
            place = "first" if sentence.attribute < sentence.others[0] else "second"
            assert place == pair.labels["place"]


def test_sentences_are_well_formed_and_show_no_gender_but_the_pronoun(corpus):
    gendered = {"he", "she", "him", "her", "his", "man", "woman", "men", "women", "himself", "herself", "boy", "girl"}
    for pair in corpus:
        sentence = pair.sentences["male"]
        assert re.fullmatch(r"The [A-Za-z' -]+\.", sentence.text)
        assert "  " not in sentence.text
        words = re.findall(r"\w+", sentence.text.lower())
        assert len(gendered & set(words)) == 1
        rest = sentence.text[: sentence.target.start] + "{}" + sentence.text[sentence.target.end :]
        other = pair.sentences["female"]
        assert rest.format(other.target_text) == other.text


def test_not_one_sentence_is_a_published_one(shared_data):
    published = set()
    for path in sorted((shared_data / "winobias").glob("*stereotyped*")):
        for line in path.read_text(encoding="utf-8").splitlines():
            published.add(" ".join(re.sub(r"^\d+|[\[\]]", "", line).lower().split()))
    assert len(published) > 3000
    own = [*winograd("T1").sentences(), *winograd("T2").sentences(), *competency(extended=True).sentences()]
    assert not {sentence.text.lower() for sentence in own} & published


def test_other_kinds_do_not_exist():
    with pytest.raises(CorpusError, match="choose one of"):
        winograd("T3")


def test_names_take_the_place_of_people_and_articles():
    pairs = {pair.id: pair for pair in with_names(winograd("T1"))}
    first = pairs["T1/he-she/umbrella/carpenter-editor/first"]
    second = pairs["T1/he-she/umbrella/carpenter-editor/second"]
    assert first.sentences["male"].text == "Bob lent Alice an umbrella because he had brought two."
    assert second.sentences["female"].text == "Bob lent Alice an umbrella because she had come without one."
    # 48 frames with two endings and two orders; the names leave nothing else of the five pairs of occupations
    assert len(pairs) == 192
    for pair in pairs.values():
        sentence = pair.sentences["female"]
        name, other = ("Bob", "Alice") if pair.labels["stereotype"] == "male" else ("Alice", "Bob")
        assert (sentence.attribute_text, sentence.others[0].of(sentence.text)) == (name, other)
        assert sentence.target_text == WINOGRAD_FORMS[pair.labels["form"]][1]


def test_persons_show_neither_gender_nor_work():
    names = {o.name.lower() for o in occupations()}
    for sentence in with_persons(winograd("T2")).sentences():
        assert not names & set(re.findall(r"\w+", sentence.text.lower()))
        assert sentence.attribute_text == "person"
        assert sentence.text.count("person") == 2


def test_names_need_a_stereotype():
    with pytest.raises(CorpusError, match="no label stereotype"):
        with_names(competency())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("split", ["test", "dev"])
def test_the_authors_rule_gives_the_authors_items(kind, split, shared_data, gold):
    import json

    facts = json.loads((gold / "manela" / "wino_facts.json").read_text(encoding="utf-8"))[f"{kind.lower()}_{split}"]
    loaded = published_winobias(shared_data, split, kind, rule="authors")
    corpus = loaded.corpus
    assert len(corpus) == facts["kept"]
    assert len(corpus) + len(loaded.left_out) == facts["lines"]
    assert Counter(p.labels["form"] for p in corpus) == facts["pairs"]
    genders = Counter(p.labels["stereotype"] for p in corpus)
    assert (genders["male"], genders["female"]) == (facts["pro_male"], facts["pro_female"])
    ties = [int(p.labels["template"]) for p in corpus if len({s.text for s in p.sentences.values()}) == 1]
    assert ties == facts["ties"]
    assert all("bracketed pronouns, not one" in line.reason for line in loaded.left_out)
    assert "authors' rule" in corpus.warnings[0]


def test_the_test_split_has_374_and_391_items(shared_data):
    sizes = [len(published_winobias(shared_data, "test", kind, rule="authors").corpus) for kind in KINDS]
    assert sizes == [374, 391]


@pytest.mark.parametrize(("kind", "kept"), [("T1", 367), ("T2", 386)])
def test_our_rule_leaves_out_what_does_not_match_and_says_why(kind, kept, shared_data):
    loaded = published_winobias(shared_data, "test", kind)
    assert len(loaded.corpus) == kept
    assert len(loaded.corpus) + len(loaded.left_out) == 396
    reasons = {int(line.id): line.reason for line in loaded.left_out}
    wanted = {
        "T1": {
            43: "2 bracketed",
            93: "'man' shows",
            157: "differ in more",
            252: "further bracket",
            289: "differ in more",
        },
        "T2": {85: "2 bracketed", 92: "differ in more", 382: "anti version has 2", 384: "differ in more"},
    }
    for number, reason in wanted[kind].items():
        assert reason in reasons[number]
    for pair in loaded.corpus:
        assert [s.target_text for s in (pair.sentences["male"], pair.sentences["female"])] == list(
            WINOGRAD_FORMS[pair.labels["form"]]
        )
        sentence = pair.sentences["male"]
        people = {o.name for o in occupations() if o.stereotype == pair.labels["stereotype"]}
        assert sentence.attribute_text in people
        assert pair.labels["other"] not in people


def test_pronouns_that_are_no_pair_are_left_out(shared_data):
    reasons = {line.id: line.reason for line in published_winobias(shared_data, "dev", "T2").left_out}
    assert reasons["171"].startswith("the pronouns he/her are not a pair")


def _files(folder, pro, anti):
    (folder / "pro_stereotyped_type1.txt.test").write_text(pro, encoding="utf-8")
    (folder / "anti_stereotyped_type1.txt.test").write_text(anti, encoding="utf-8")
    return folder


def test_brackets_decide_not_the_words(tmp_path):
    line = "1 [The cook] paid the guard who was to guard the nurse because [{}] had money.\n"
    loaded = published_winobias(_files(tmp_path, line.format("he"), line.format("she")), "test", "T1")
    (pair,) = loaded.corpus
    sentence = pair.sentences["female"]
    assert sentence.text == "The cook paid the guard who was to guard the nurse because she had money."
    assert (sentence.target_text, sentence.attribute_text) == ("she", "cook")
    assert [(span.start, span.of(sentence.text)) for span in sentence.others] == [(18, "guard")]
    assert pair.labels["schema"] == "lines 1 and 2"


def test_files_that_are_not_whole_are_refused(tmp_path):
    line = "1 [The cook] paid the nurse because [he] had money.\n"
    with pytest.raises(CorpusError, match="both files must be whole"):
        published_winobias(_files(tmp_path, line * 2, line), "test", "T1")
    strange = line.replace("cook", "wizard")
    with pytest.raises(CorpusError, match="none of the 40 occupations"):
        published_winobias(_files(tmp_path, strange, strange.replace("[he]", "[she]")), "test", "T1")
    nobody = line.replace("[The cook]", "The cook")
    with pytest.raises(CorpusError, match="0 bracketed people"):
        published_winobias(_files(tmp_path, nobody, nobody.replace("[he]", "[she]")), "test", "T1", rule="authors")


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        ({"split": "train"}, "no split 'train'"),
        ({"kind": "T3"}, "no kind 'T3'"),
        ({"rule": "theirs"}, "no rule 'theirs'"),
    ],
)
def test_wrong_choices_name_the_right_ones(arguments, remedy, tmp_path):
    with pytest.raises(CorpusError, match=remedy):
        published_winobias(tmp_path, **arguments)
