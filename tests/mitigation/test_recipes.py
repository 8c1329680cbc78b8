"""Named recipes are what the papers say, and bad settings are refused with a remedy."""

import re
from dataclasses import replace

import pytest

from biascheck.core.errors import UsageError
from biascheck.corpora import published_gap_texts, published_names
from biascheck.mitigation import RECIPES, LanguageRecipe, recipe_named, treated


def test_bartl_is_as_printed():
    recipe = RECIPES["bartl2020"]
    assert (recipe.learning_rate, recipe.epochs, recipe.batch, recipe.seed) == (5e-5, 3, 1, 42)
    assert (recipe.objective, recipe.treatment, recipe.masked, recipe.unit) == ("language", "cds", 0.15, "sentences")
    assert recipe.warmup > 0
    assert recipe.rank == 0
    assert (recipe.validation, recipe.chosen_epoch, recipe.contradictions) == (0, "last", "keep")


def test_the_pair_of_manela_differs_in_its_copies_only():
    augmented, unaugmented = (vars(RECIPES[f"manela2021-{kind}"]) for kind in ("augmented", "unaugmented"))
    assert {key for key in augmented if augmented[key] != unaugmented[key]} == {"name", "treatment"}
    assert (augmented["treatment"], unaugmented["treatment"]) == ("cda", "original")
    assert (augmented["objective"], augmented["names"]) == ("pronouns", "anonymised")


def test_recipes_are_known_by_their_names():
    assert all(recipe_named(name).name == name for name in RECIPES)
    own = LanguageRecipe(name="mine")
    assert recipe_named(own) is own
    with pytest.raises(UsageError, match=re.escape("no recipe 'bartl'; there are: bartl2020, manela2021-augmented")):
        recipe_named("bartl")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"objective": "mlm"}, "objective is one of language, pronouns, not 'mlm'"),
        ({"treatment": "cdx"}, "treatment is one of original, cda, cds, swap, removal, not 'cdx'"),
        ({"masked": 0}, "masked is a share between 0 and 1, not 0"),
        ({"validation": 0}, "validation is a share between 0 and 1, not 0"),
        ({"contradictions": "no"}, "contradictions is one of unswapped, drop, keep, not 'no'"),
        ({"rank": -1}, "rank is that of an adapter, or 0 for none, not -1"),
        ({"epochs": 0}, "epochs is at least 1, not 0"),
        ({"pieces": 2}, "a window of 2 tokens fits no text"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        LanguageRecipe(**settings)


def test_manelas_copies_keep_no_first_name_beside_a_swapped_pronoun(shared_data):
    """By GAP's own annotation of names: in no swapped copy does a first name of the name map stay as it was."""
    names = published_names(shared_data)
    known = {name for pair in names.pairs for name in pair}
    documents = published_gap_texts(shared_data)
    documents = replace(documents, items=documents.items[:80])
    found = treated(documents, "manela2021-augmented", name_map=names)
    copies = [item for item in found.documents if item.origin]
    assert len(copies) + found.changes.contradictory >= 75
    annotated = {
        item.id: {first for name in item.names if (first := name.split()[0]).lower() in known} for item in documents
    }
    assert sum(map(len, annotated.values())) > 60
    stays = [name for copy in copies for name in annotated[copy.source] if re.search(rf"\b{name}\b", copy.text)]
    assert stays == []
