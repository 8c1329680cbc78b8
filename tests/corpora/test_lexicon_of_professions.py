"""The professions of Bolukbasi et al. 2016 with their ratings."""

import json

import pytest

from biascheck.core.errors import CorpusError, DataNotFoundError
from biascheck.corpora import lexicon_from_templates, published_professions, published_sentences


def test_the_stereotype_is_the_bias_and_gendered_words_are_left_out(tmp_path):
    rows = [["actress", -1.0, 0.0], ["adjunct_professor", 0.0, 0.5], ["nurse", -0.4, -0.8], ["foreman", 0.5, 0.4]]
    (tmp_path / "professions.json").write_text(json.dumps(rows), encoding="utf-8")
    assert published_professions(tmp_path) == {"adjunct professor": 0.5, "nurse": -0.8}
    assert list(published_professions(tmp_path, neutral=False)) == ["actress", "adjunct professor", "nurse", "foreman"]


def test_the_published_list_has_320_and_32_of_them_are_gendered(shared_data):
    rows = json.loads((shared_data / "debiaswe" / "professions.json").read_text("utf-8"))
    gendered = {word.replace("_", " ") for word, definitional, _ in rows if abs(definitional) >= 0.5}
    neutral = published_professions(shared_data)
    assert (len(rows), len(gendered), len(neutral)) == (320, 32, 288)
    assert not gendered & neutral.keys()
    assert neutral["nurse"] < 0 < neutral["carpenter"]
    assert len(lexicon_from_templates("jobs", neutral)) == 288


@pytest.mark.parametrize("content", ["{}", "[[1, 2, 3]]", '[["nurse", 0.1]]', "nurse"])
def test_a_file_of_another_form_is_refused(tmp_path, content):
    (tmp_path / "professions.json").write_text(content, encoding="utf-8")
    with pytest.raises(CorpusError, match=r"professions\.json: expected a list of \[word, definitional"):
        published_professions(tmp_path)


def test_the_news_of_the_paper_are_read_sentence_by_sentence(tmp_path):
    (tmp_path / "wmt18").mkdir()
    (tmp_path / "wmt18" / "news-commentary-v13.de-en.en").write_text("Prices rose. Wages fell.\nSo it goes.\n", "utf-8")
    assert list(published_sentences("wmt18", tmp_path)) == ["Prices rose.", "Wages fell.", "So it goes."]
    with pytest.raises(DataNotFoundError, match="news-commentary"):
        list(published_sentences("wmt18", tmp_path / "wmt18" / ".." / "other"))
    with pytest.raises(CorpusError, match="choose gap, imdb or wmt18"):
        list(published_sentences("news", tmp_path))
