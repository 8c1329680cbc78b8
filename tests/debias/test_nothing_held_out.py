"""A recipe that keeps nothing aside trains on every document and ends with the last epoch's weights."""

import json
from dataclasses import replace

import pytest

from biascheck.core.errors import UsageError
from biascheck.mitigation import checkpoint_folder, held_out


def test_every_document_is_trained_on(tiny, small_text, quick):
    whole = replace(quick, name="whole", validation=0.0, chosen_epoch="last")
    folders = [checkpoint_folder(tiny, small_text, recipe) for recipe in (whole, quick)]
    all_of_it, most_of_it = (json.loads((folder / "training.json").read_text()) for folder in folders)
    assert all_of_it["inputs"] == [sum(most_of_it["inputs"]), 0]
    assert all_of_it["kept_epoch"] == whole.epochs
    assert "nothing was kept aside" in (folders[0] / "README.md").read_text(encoding="utf-8")
    with pytest.raises(UsageError, match="the recipe whole keeps nothing aside; measure the loss on another text"):
        held_out(small_text, whole)
