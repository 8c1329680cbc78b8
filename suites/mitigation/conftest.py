"""The model under test before and after fine-tuning; each checkpoint is trained once and cached for the next run."""

import pytest

import biascheck
from biascheck.measures import attached_table, text_of
from biascheck.mitigation import held_out

# The recipes of Manela et al. by an adapter and in one round, so that they take seconds on our own text.
BRIEFLY = {"rank": 16, "learning_rate": 1e-3, "epochs": 1, "patience": 1, "frozen_layers": 2}


@pytest.fixture(scope="session")
def before(bias_model, bec_pro, bias_seed):
    """Associations of the original model."""
    return biascheck.measures.association(bias_model, bec_pro, seed=bias_seed)


@pytest.fixture(scope="session")
def debiased(bias_debiased_model, bias_recipe):
    """The model after substitution (CDS) and fine-tuning by ``--bias-recipe``."""
    return bias_debiased_model(bias_recipe)


@pytest.fixture(scope="session")
def after(before, debiased, bec_pro, bias_seed):
    """Associations after substitution (CDS) and fine-tuning, with Table 4 and Figures 3 to 5 of the paper."""
    result = biascheck.measures.association(debiased, bec_pro, seed=bias_seed)
    rows = biascheck.measures.mitigation_table(before, result)
    print(text_of(rows))
    return result.with_attachments(attached_table(rows), *biascheck.measures.profession_bars(before, result))


@pytest.fixture(scope="session")
def held_out_text(bias_text, bias_recipe):
    """Documents that were not trained on, each with its swapped version; our reviews where GAP is trained on whole."""
    if bias_recipe.validation:
        aside = held_out(bias_text, bias_recipe)
    elif bias_text.name.startswith("gap"):
        aside = biascheck.corpora.Documents.of_reviews(biascheck.corpora.reviews())
    else:
        pytest.skip(f"{bias_recipe.name} keeps nothing aside and was trained on our own text; pass --bias-data DIR")
    return biascheck.corpora.counterfactual(aside, "cda").documents


@pytest.fixture(scope="session")
def of_persons():
    """The associations of one person gender with one group of jobs, instead of the gap between the two."""

    def chosen(result, person, jobs):
        return result.where(profession_group=jobs).of_group(person)

    return chosen


@pytest.fixture(scope="session")
def fine_tuned(bias_finetuned_pair):
    """The pair of Manela et al.: trained on the text as it is (U), and on it and its gender-swapped copies (A)."""
    augmented, unaugmented = bias_finetuned_pair(**BRIEFLY)
    return {"U": unaugmented, "A": augmented}


@pytest.fixture(scope="session")
def pronoun_scores(fine_tuned, winograd_t2, bias_seed, bias_skip_unless_readable):
    """Skew or stereotype of both, by suffix; not tested where a model does not resolve names after its training."""
    folds = {"skew": biascheck.measures.skew_of, "stereotype": biascheck.measures.stereotype_of}

    def scores(name, **how):
        return {suffix: score(folds[name], model, **how) for suffix, model in fine_tuned.items()}

    def score(fold, model, **how):
        gaps = biascheck.measures.pronoun_gap(model, winograd_t2, seed=bias_seed, **how)
        names = biascheck.measures.name_resolution(model, winograd_t2, seed=bias_seed, **how)
        return bias_skip_unless_readable(fold(gaps, resolution=names))

    return scores
