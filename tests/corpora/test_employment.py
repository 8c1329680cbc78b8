"""Employment attributes: our lists, and the published ones counted independently."""

import csv

import pytest

from biascheck.core.errors import CorpusError, DataNotFoundError
from biascheck.corpora import employment, published_employment

KINDS = {"titles": 60, "positive_traits": 100, "negative_traits": 100, "skills": 40}


@pytest.mark.parametrize(("kind", "least"), KINDS.items())
def test_our_lists_are_long_enough_and_made_of_single_lower_case_words(kind, least):
    corpus = employment(kind)
    assert len(corpus) >= least
    assert all(p.attribute.isalpha() and p.attribute.islower() for p in corpus)
    end = "can do" if kind == "skills" else "is"
    first = corpus.pairs[0]
    assert first.sentences["male"].text == f"He {end} {first.attribute}."
    assert first.sentences["female"].text == f"She {end} {first.attribute}."


def test_no_trait_is_on_both_sides():
    positive, negative = ({p.attribute for p in employment(f"{sign}_traits")} for sign in ("positive", "negative"))
    assert not positive & negative


@pytest.mark.parametrize(
    ("kind", "lines", "different"),
    [("positive_traits", 230, 230), ("negative_traits", 365, 363), ("skills", 25, 25)],
)
def test_published_lists_have_the_counted_words(kind, lines, different, shared_data):
    loaded = published_employment(kind, shared_data)
    assert len(loaded.corpus) == different
    assert len(loaded.corpus) + len(loaded.left_out) == lines
    assert {item.reason for item in loaded.left_out} <= {"repeated"}


def test_the_repeated_negative_traits_are_named(shared_data):
    left_out = published_employment("negative_traits", shared_data).left_out
    assert sorted(item.id.split(": ")[1] for item in left_out) == ["aggressive", "soft"]


def test_published_titles_are_those_of_the_highest_salaries(shared_data):
    with (shared_data / "kurita" / "employeesalaries2017.csv").open(encoding="utf-8-sig", newline="") as lines:
        rows = [(float(row["2017 Annual Salary"]), row["Job Title"].lower()) for row in csv.DictReader(lines)]
    lowest = sorted((salary for salary, _ in rows), reverse=True)[999]
    certain = {title.strip() for salary, title in rows if salary > lowest}
    possible = {title.strip() for salary, title in rows if salary >= lowest}
    loaded = published_employment("titles", shared_data / "kurita")
    titles = {p.attribute for p in loaded.corpus}
    assert certain - {"", "."} <= titles <= possible - {"", "."}
    assert len(titles) == 227
    assert len(loaded.left_out) == 1000 - 227
    assert sorted({item.id.split(": ")[1] for item in loaded.left_out if item.reason == "no letters"}) == [
        "",
        ".",
    ]


def test_all_titles_of_the_file_are_those_with_letters_each_once(shared_data):
    """The 88.5 % of Table 5 are over 921 of these; the loader leaves out a blank and a dot."""
    with (shared_data / "kurita" / "employeesalaries2017.csv").open(encoding="utf-8-sig", newline="") as lines:
        different = {row["Job Title"] for row in csv.DictReader(lines)}
    loaded = published_employment("titles", shared_data, best_paid=None)
    assert (len(different), len(loaded.corpus)) == (934, 932)
    assert {title.strip().lower() for title in different} - {p.attribute for p in loaded.corpus} == {"", "."}
    assert loaded.corpus.name != published_employment("titles", shared_data).corpus.name


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("positive_traits", "He is accessible"),
        ("negative_traits", "He is absentminded"),
        ("skills", "He is good at cloud computing"),
    ],
)
def test_published_templates_have_no_full_stop(kind, text, shared_data):
    def first(**options):
        return published_employment(kind, shared_data, **options).corpus.pairs[0].sentences["male"].text

    assert (first(), first(full_stop=True)) == (text, f"{text}.")


def test_the_skills_of_table_5_are_read_from_a_file_of_onet(tmp_path):
    (tmp_path / "onet").mkdir()
    rows = ["O*NET-SOC Code\tExample\tCommodity Code", "11-1011.00\tAda\t1", '11-1011.00\tBasic "A"\t2', "1\tada\t1"]
    (tmp_path / "onet" / "Technology Skills.txt").write_text("\n".join(rows), encoding="utf-8")
    loaded = published_employment("onet_skills", tmp_path)
    assert [p.sentences["female"].text for p in loaded.corpus] == ["She can do ada", 'She can do basic "a"']
    assert [item.reason for item in loaded.left_out] == ["repeated"]


def test_what_cannot_be_loaded_says_so(tmp_path):
    with pytest.raises(CorpusError, match="no kind 'hobbies'; choose one of"):
        employment("hobbies")
    with pytest.raises(CorpusError, match="no kind 'hobbies'"):
        published_employment("hobbies", tmp_path)
    with pytest.raises(DataNotFoundError, match=r"kurita.positive_traits does not exist.*--bias-data DIR"):
        published_employment("positive_traits", tmp_path)
    (tmp_path / "employeesalaries2017.csv").write_text("Job Title\nclerk\n", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"has no column \['2017 Annual Salary'\]"):
        published_employment("titles", tmp_path)
