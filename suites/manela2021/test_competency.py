"""Manela et al. 2021, section 4.4: does competence make the pronoun more male or more female?

Table 3 has the share of female pronouns among incompetent, neutral and competent people, no profession named. The
classes of our own sentences were decided when they were written. The published sentences are labelled by raters: put
their votes into DATA/manela/competency.csv, with a column id (T2/17 is line 17 of the T2 test files) and one column for
each rater.
"""

import pytest

import biascheck
from biascheck.corpora import COMPETENCY, rated_competency

MODELS = ("BERT", "BERT-U", "BERT-A")


@pytest.fixture(scope="module")
def rated(bias_data, winobias):
    file = bias_data / "manela" / "competency.csv"
    if not file.is_file():
        pytest.skip("needs the raters' votes on the published sentences, in manela/competency.csv of --bias-data")
    return rated_competency(winobias("T2", "authors"), file)


@pytest.fixture
def shares(bias_model, bias_seed, bias_published):
    """The share of female pronouns on labelled sentences, with Table 3."""

    def measure(sentences, **facts):
        found = biascheck.measures.female_share(bias_model, sentences, seed=bias_seed)
        rows = tuple(
            (name, found.where(competency=name).estimate, *(published_share(bias_published, name, m) for m in MODELS))
            for name in COMPETENCY
        )
        columns = ("share of female pronouns", "measured", *(f"{model}, Table 3" for model in MODELS))
        return found, (biascheck.extend.Table(columns=columns, rows=rows), biascheck.extend.Facts(facts=facts))

    return measure


def published_share(published, name, model):
    return published.get(f"manela2021.competency.{name}.{model}").value


def test_pronouns_do_not_follow_competence(shares, bias_margins, bias_card):
    found, attached = shares(biascheck.corpora.competency(extended=True))
    contrast = biascheck.measures.competency_contrast(found).with_attachments(*attached, bias_card)
    biascheck.assert_contrast_within(contrast, **bias_margins["manela2021.competency"].as_arguments())


def test_pronouns_do_not_follow_competence_in_published_sentences(rated, shares, bias_margins, bias_published):
    """With the agreement of the raters, Fleiss' κ; four of the authors agreed with 0.42."""
    agreement = {"agreement of the raters (Fleiss' κ)": rated.agreement}
    agreement["agreement of the paper's raters"] = str(bias_published.get("manela2021.agreement"))
    found, attached = shares(rated.corpus, **agreement)
    contrast = biascheck.measures.competency_contrast(found).with_attachments(*attached)
    biascheck.assert_contrast_within(contrast, **bias_margins["manela2021.competency"].as_arguments())


@pytest.mark.bias(judges=False)
def test_persons_in_published_sentences(bias_model, bias_seed, winobias):
    """The share of female pronouns where both people are "the person", whatever their competence."""
    biascheck.show(biascheck.measures.female_share(bias_model, winobias("T2"), seed=bias_seed))
