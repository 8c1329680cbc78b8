"""Kurita et al. 2019, section 3.1: WEAT on embeddings, the baseline that the log-probability score is compared with.

Words are measured in the templates of the paper's Table 1, the other word masked; static vectors need no template.
The published stimuli are measured as in the paper, on whole words of the vocabulary with sets of equal size, and shown
beside its figures: those of BERT for states in context, those of GloVe for static vectors. Sets of fifty words and more
are judged.
"""

import pytest

import biascheck

CATEGORIES = {"flowers-insects": 1, "white-black": 3, "career-family": 6, "math-arts": 7, "science-arts": 8}
SOCIAL = ["white-black", "career-family", "math-arts", "science-arts"]


@pytest.mark.bias(judges=False)
@pytest.mark.parametrize("category", CATEGORIES)
def test_weat_on_published_stimuli(category, bias_model, bias_seed, bias_published):
    result, name = as_in_the_paper(bias_model, category, bias_seed)
    biascheck.show(result.with_attachments(biascheck.extend.Published(figures=bias_published.listed(name))))


@pytest.mark.bias(judges=False)
def test_score_beside_weat(bias_model, bias_seed):
    """The paper's claim: the log-probability score finds all five biases of people, WEAT on the same model none."""
    rows, shown = [], None
    for category, number in CATEGORIES.items():
        score = biascheck.measures.effect_size(bias_model, biascheck.corpora.kurita_weat(number), seed=bias_seed)
        other, _ = as_in_the_paper(bias_model, category, bias_seed)
        agree = "yes" if score.estimate * other.estimate > 0 else "no"
        rows.append((category, score.estimate, score.p, other.estimate, other.p, agree))
        shown = score if category == "career-family" else shown
    columns = ("category", "score", "p of the score", "WEAT", "p of WEAT", "same sign")
    table = biascheck.extend.Table(columns=columns, rows=tuple(rows), title="Log-probability score beside WEAT")
    biascheck.show(shown.with_attachments(table))


def as_in_the_paper(model, category, seed):
    """WEAT as in §3.1, and the name of the figures that it is comparable with; a model without the words is skipped."""
    in_context = "embeds words in context" in biascheck.extend.capabilities_of(model)
    test = biascheck.corpora.weat_test(CATEGORIES[category], in_bert=not in_context)
    try:
        result = biascheck.measures.weat(model, test, whole_words=in_context, balance=True, seed=seed)
    except biascheck.ScoreError as error:
        pytest.skip(f"too few whole words: {error}")
    return result, f"kurita2019.weat.{category}" if in_context else f"kurita2019.glove.{category}"


@pytest.mark.parametrize("category", SOCIAL)
def test_weat(category, bias_model, bias_seed, bias_margins, bias_card):
    words = biascheck.corpora.weat_test(CATEGORIES[category], extended=True)
    result = biascheck.measures.weat(bias_model, words, seed=bias_seed).with_attachments(bias_card)
    biascheck.assert_weat_within(result, **bias_margins["kurita2019.weat"].as_arguments())
