"""Masked tokens, predicted positions, and their loss."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from biascheck.core.errors import UsageError
from biascheck.corpora import Documents
from biascheck.mitigation.language import IGNORED, LanguageExample, LanguageTask, SeededBatch, examples_of


@pytest.fixture
def task(tiny, small_text, quick):
    return LanguageTask.of(*small_text.split(0.2), quick, tiny)


def test_every_sentence_is_read_once_an_epoch(task):
    for epoch in (0, 1):
        read = [example for batch in task.batches(epoch) for example in batch.examples]
        assert sorted(e.ids for e in read) == sorted(e.ids for e in task.fitted)


def test_masks_differ_between_epochs_and_not_between_calls(task):
    first, again, later = (task.batches(epoch)[0].seed for epoch in (0, 0, 1))
    assert first == again != later
    inputs, labels = task._hidden(task.batches(0)[0])
    same, _ = task._hidden(task.batches(0)[0])
    assert (inputs == same).all()
    assert (labels != IGNORED).any()


def test_a_batch_of_one_short_sentence_hides_something(task):
    """With 15 % of six tokens, nothing is drawn four times in ten."""
    shortest = min(task.fitted, key=lambda e: len(e.ids))
    for number in range(50):
        _, labels = task._hidden(SeededBatch((shortest,), (0, 0, 0, number)))
        assert (labels != IGNORED).any()


def test_the_loss_is_that_of_a_full_forward_pass(task, tiny):
    """The independent way: all logits, then cross-entropy with ignored labels."""
    batch = task.batches(0)[0]
    inputs, labels = task._hidden(batch)
    attention = np.zeros_like(inputs)
    for row, example in enumerate(batch.examples):
        attention[row, : len(example.ids)] = 1
    model = tiny.torch_model.eval()
    logits = model(input_ids=torch.from_numpy(inputs), attention_mask=torch.from_numpy(attention)).logits
    expected = torch.nn.functional.cross_entropy(logits.flatten(0, 1), torch.from_numpy(labels).flatten())
    assert task.loss(model, batch).item() == pytest.approx(expected.item(), abs=1e-5)


def test_pronouns_are_hidden_and_nothing_else(tiny, quick):
    recipe = replace(quick, objective="pronouns")
    documents = Documents.of("t", ["The judge said she saw him. Nobody came.", "His dog."])
    examples = examples_of(documents, recipe, tiny.tokenizer)
    hidden = [tiny.tokenizer.convert_ids_to_tokens([e.ids[p] for p in e.pronouns]) for e in examples]
    assert hidden == [["she", "him"], ["his"]]
    task = LanguageTask(examples, examples, recipe, tiny.tokenizer, False, "cpu")
    inputs, labels = task._hidden(SeededBatch(examples, (0,)))
    assert (inputs == tiny.tokenizer.mask_token_id).sum() == 3 == (labels != IGNORED).sum()


def test_a_causal_model_predicts_the_next_token():
    example = LanguageExample((5, 6, 7))
    task = LanguageTask((example,), (example,), None, type("T", (), {"pad_token_id": None}), True, "cpu")
    inputs, labels = task._hidden(SeededBatch((example, LanguageExample((8, 9))), ()))
    assert inputs.tolist() == [[5, 6, 7], [8, 9, 0]]
    assert labels.tolist() == [[6, 7, IGNORED], [9, IGNORED, IGNORED]]


def test_text_that_teaches_nothing_is_told(tiny, quick):
    documents = Documents.of("t", ["No one here.", "The table stood."])
    with pytest.raises(UsageError, match="no gendered pronoun for training or validation; give more text"):
        LanguageTask.of(*documents.split(0.5), replace(quick, objective="pronouns"), tiny)
