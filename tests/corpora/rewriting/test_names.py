"""First names: a one-to-one map of similar frequencies; hidden names are entities."""

import pytest

from biascheck.core.errors import CorpusError
from biascheck.corpora import NameFinder, NameMap, Rewriter, anonymised, first_names, gender_terms, published_names


def test_our_names_are_one_to_one_and_no_terms():
    names = first_names()
    assert len({name for pair in names.pairs for name in pair}) == 2 * len(names.pairs) >= 180
    assert names.clashes(gender_terms("all")) == ()
    assert names.pairs[0] == ("James", "Mary")


def test_a_name_that_stands_for_two_is_refused():
    with pytest.raises(CorpusError, match=r"has \['mary'\] twice; one name stands for one other"):
        NameMap("bad", (("John", "Mary"), ("James", "mary")))
    with pytest.raises(CorpusError, match="is empty"):
        NameMap("none", ())


def test_names_are_turned_only_with_a_capital():
    rewriter = Rewriter(NameMap("n", (("Mark", "Grace"), ("Will", "Rose"))).added_to(gender_terms("pro")))
    assert rewriter.swap("Mark will mark his rose with grace.") == "Grace will mark her rose with grace."
    assert rewriter.swap("Will's and Rose's") == "Rose's and Will's"
    assert rewriter.swap("Marketing, Remark") == "Marketing, Remark"


def test_names_that_are_words_of_the_set_stay_words():
    names = NameMap("n", (("king", "barbara"), ("john", "mary")))
    terms = names.added_to(gender_terms("all"))
    assert names.clashes(gender_terms("all")) == ("king",)
    assert Rewriter(terms).swap("John met the king and Barbara.") == "Mary met the queen and Barbara."


def test_the_published_names_are_one_to_one(shared_data):
    assert len(published_names(shared_data).pairs) == 1000


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Alice saw Bob.", "[E1] saw [E2]."),
        ("Bob saw Alice, and Bob left.", "[E1] saw [E2], and [E1] left."),
        ("Alice Munro wrote. Later Munro slept.", "[E1] wrote. Later [E1] slept."),
        ("Alice's cat", "[E1]'s cat"),
        ("Bobby and alice", "Bobby and alice"),
        ("nobody", "nobody"),
    ],
)
def test_people_become_entities(text, hidden):
    assert anonymised(text, ["Alice", "Bob"]) == hidden


def test_without_names_nothing_is_hidden():
    assert anonymised("Alice", []) == "Alice"


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Mr. Bob Smith told Alice that Smith left.", "Mr. [E1] told [E2] that [E1] left."),
        ("In May 1927 Alice went to San Francisco with May Lee.", "In May 1927 [E1] went to San Francisco with [E2]."),
    ],
)
def test_a_finder_hides_first_names_and_no_months(text, hidden):
    assert anonymised(text, [], NameFinder()) == hidden
