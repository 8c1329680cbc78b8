"""Everything that can be wrong with a model, and what the message tells the user to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
import transformers

import biascheck
from biascheck.core.errors import ModelError, UsageError
from biascheck.models.local.loader import load
from support.oracle import query
from support.tiny import fresh_pair, loaded, pair, wordpiece_tokenizer

SON = query("My son is a nurse.", "son")


@pytest.fixture
def folder(tmp_path) -> Path:
    """A sound folder, to be damaged."""
    path = tmp_path / "bert"
    model, tokenizer = pair("bert-uncased")
    model.save_pretrained(path)
    tokenizer.save_pretrained(path)
    return path


def message(*arguments, **options) -> str:
    with pytest.raises(UsageError) as caught:
        load(*arguments, **options)
    return str(caught.value)


def score(model) -> float:
    [answer] = model.fill([SON])
    return answer.log_probability


def configure(folder: Path, **changes) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def pickle_weights(folder: Path) -> None:
    model = pair("bert-uncased")[0]
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


@pytest.mark.parametrize("wanted", ["./no/such", "/no/such", "~/no/such", "a/b/c", Path("org/name")])
def test_a_missing_path(wanted):
    assert message(wanted) == f"no folder {str(wanted)!r}; check the path, or pass a Hub id such as 'org/name'"


def test_a_file_instead_of_a_folder(folder):
    file = folder / "model.safetensors"
    expected = f"{file} is a file; pass the folder that contains config.json, weights and tokenizer"
    assert message(file) == expected


def test_no_configuration(folder):
    (folder / "config.json").unlink()
    assert message(folder) == (f"{folder}: no config.json, so this is not a transformers model folder; check the path")


@pytest.mark.parametrize("content", [b'{"model_type": "bert"', b"", b"\xff\xfe{"])
def test_a_broken_configuration(folder, content):
    (folder / "config.json").write_bytes(content)
    text = message(folder)
    assert text.startswith(f"{folder / 'config.json'}: not readable as JSON (")
    assert text.endswith("; copy the folder again")


def test_a_configuration_that_is_no_object(folder):
    (folder / "config.json").write_text("[1]")
    assert message(folder) == f"{folder / 'config.json'}: not a JSON object; copy the folder again"


@pytest.mark.parametrize("others", [[], ["training_args.bin", "optimizer.pt", "rng_state.pth"]])
def test_no_weights(folder, others):
    (folder / "model.safetensors").unlink()
    for name in others:
        (folder / name).write_bytes(b"state of a training run")
    expected = f"{folder}: no weights (*.safetensors) in the folder; copy it again, weights included"
    assert message(folder) == expected
    assert message(folder, allow_pickle=True) == expected


def test_pickled_weights_are_refused(folder):
    pickle_weights(folder)
    assert message(folder) == (
        f"{folder}: the weights are pickled (pytorch_model.bin), and unpickling can run any code; "
        "convert them to safetensors, or pass allow_pickle=True if you trust their source"
    )


def test_pickled_weights_are_read_with_leave(folder):
    pickle_weights(folder)
    assert score(load(folder, allow_pickle=True)) == pytest.approx(score(loaded("bert-uncased")), abs=1e-5)


def test_safe_weights_are_preferred_to_pickled_ones(folder):
    (folder / "pytorch_model.bin").write_bytes(b"not a pickle at all")
    assert score(load(folder, allow_pickle=True)) == pytest.approx(score(loaded("bert-uncased")), abs=1e-5)


def test_truncated_weights(folder):
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-100])
    text = message(folder)
    assert text.startswith(f"{folder}: could not be loaded (")
    assert "the files are damaged, incomplete, or of an architecture" in text


def test_no_tokenizer(folder):
    for file in folder.glob("*token*"):
        file.unlink()
    assert message(folder) == (
        f"{folder}: no tokenizer (tokenizer.json, vocab.txt or *.model); "
        "save it into the folder with tokenizer.save_pretrained(…)"
    )


def test_a_broken_tokenizer(folder):
    (folder / "tokenizer.json").write_text("{")
    assert message(folder).startswith(f"{folder}: could not be loaded (")


def test_an_encoder_without_a_head(folder):
    (folder / "model.safetensors").unlink()
    pair("bert-uncased")[0].bert.save_pretrained(folder)
    assert message(folder) == (
        f"{folder}: config.json names BertModel as its architecture, which has no language-model head to score "
        "with; save the model as …ForMaskedLM or …ForCausalLM, or pass kind='masked' or 'causal' "
        "if the weights do have a head, or kind='encoder' to read its states only"
    )


@pytest.mark.parametrize("how", ["by kind", "by configuration"])
def test_a_head_that_would_be_random_is_refused(folder, how):
    """transformers fills the head with random numbers and logs a warning; every score would be noise."""
    (folder / "model.safetensors").unlink()
    pair("bert-uncased")[0].bert.save_pretrained(folder)
    if how == "by configuration":
        configure(folder, architectures=["BertForMaskedLM"])
    text = message(folder, kind="masked" if how == "by kind" else None)
    assert text.startswith(f"{folder}: ")
    assert "tensors of BertForMaskedLM are not in the weights (cls.predictions." in text
    assert text.endswith(
        "and would be random numbers; scores of such a head mean nothing. "
        "Train and save the head first, or load the checkpoint that has it"
    )


def test_an_electra_discriminator_has_no_head_for_words(folder):
    config = pair("electra")[0].config
    (folder / "model.safetensors").unlink()
    transformers.ElectraForPreTraining(config).save_pretrained(folder)
    assert "tensors of ElectraForMaskedLM are not in the weights (generator_" in message(folder)


def test_weights_of_another_shape(folder):
    configure(folder, intermediate_size=52)
    text = message(folder)
    assert text.startswith(f"{folder}: ")
    assert "random numbers" in text or "could not be loaded" in text


def test_a_folder_is_not_scored_as_the_other_kind(folder):
    """A BERT reads both ways: as a causal model it would see every word it is asked to predict."""
    assert message(folder, kind="causal") == (
        f"{folder}: config.json names BertForMaskedLM, a masked language model, and its scores as a "
        "causal one would mean nothing; leave out kind='causal'"
    )


def test_a_pair_is_not_scored_as_the_other_kind():
    expected = "GPT2LMHeadModel is a causal language model; leave out kind='masked'"
    assert message(pair("gpt2"), kind="masked") == expected


def test_a_hub_id_without_network(monkeypatch, tmp_path):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    text = message("biascheck-tests/no-such-model")
    assert text.startswith(
        "'biascheck-tests/no-such-model' is not a local folder and could not be downloaded from the Hub ("
    )
    assert "check the name and the network, pass a local folder, or use a built-in model (" in text
    assert "reference:tiny" in text


def test_an_unknown_reference_names_the_known_ones():
    with pytest.raises(UsageError, match=r"^no reference model 'huge'; there are: .*reference:tiny$"):
        biascheck.load("reference:huge")


@pytest.mark.parametrize("wrong", ["swapped", "one", "three", "strings"])
def test_a_pair_that_is_none(wrong):
    model, tokenizer = pair("bert-uncased")
    given = {
        "swapped": (tokenizer, model),
        "one": (model,),
        "three": (model, tokenizer, None),
        "strings": ("model", "tokenizer"),
    }[wrong]
    assert message(given) == "a model in memory is given as (model, tokenizer), both from transformers"


@pytest.mark.parametrize("head", ["BertModel", "BertForPreTraining", "BertForTokenClassification"])
def test_a_pair_whose_head_predicts_no_words(head):
    model, tokenizer = pair("bert-uncased")
    other = getattr(transformers, head)(model.config)
    assert message((other, tokenizer)) == (
        f"{head} has no language-model head to score with; pass a …ForMaskedLM or …ForCausalLM"
    )


def test_a_slow_tokenizer_of_another_model():
    """CANINE's tokenizer is written in Python; its tokens are all characters there are."""
    model, _ = pair("bert-uncased")
    slow = transformers.CanineTokenizer()
    with pytest.raises(ModelError) as caught:
        load((model, slow), name="slow").fill([SON])
    assert str(caught.value).startswith("slow: CanineTokenizer has 1,114,112 tokens and the model has ")


def test_a_tokenizer_without_a_mask():
    model, tokenizer = fresh_pair("bert-uncased")
    tokenizer.mask_token = None
    with pytest.raises(ModelError) as caught:
        load((model, tokenizer), name="maskless").fill([SON])
    assert str(caught.value) == ("maskless: the tokenizer has no mask token; load the model as kind='causal'")


@pytest.mark.parametrize("pieces", ["too few", "too many"])
def test_a_tokenizer_of_another_model(pieces):
    """transformers makes up an empty tokenizer where it misses the file it looks for."""
    if pieces == "too few":
        model, tokenizer = pair("bert-uncased")[0], transformers.AlbertTokenizerFast()
    else:
        model, tokenizer = pair("albert")[0], wordpiece_tokenizer(lowercase=False)
    with pytest.raises(ModelError) as caught:
        load((model, tokenizer), name="odd").fill([SON])
    assert str(caught.value) == (
        f"odd: {type(tokenizer).__name__} has {len(tokenizer)} tokens and the model has "
        f"{model.config.vocab_size}, so they do not belong together; use the tokenizer the model was trained "
        "with, saved as tokenizer.json"
    )


def test_a_wordpiece_vocabulary_under_an_albert_is_read_as_wordpiece(tmp_path):
    """As several published ALBERTs are: the model type would have it read by a SentencePiece class."""
    tokenizer = wordpiece_tokenizer()
    config = transformers.AlbertConfig(
        vocab_size=len(tokenizer),
        embedding_size=8,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=16,
    )
    transformers.AlbertForMaskedLM(config).save_pretrained(tmp_path)
    names = sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().get)
    (tmp_path / "vocab.txt").write_text("\n".join(names) + "\n", encoding="utf-8")

    model = load(tmp_path)

    assert model.tokenizer.tokenize("My son works.") == tokenizer.tokenize("My son works.")
    assert len(model.tokenizer) == len(tokenizer)


def test_code_that_comes_with_a_model_is_not_run(folder):
    ran = folder / "ran"
    (folder / "own.py").write_text(f"open({str(ran)!r}, 'w').close()\nclass OwnConfig: pass\nclass Own: pass\n")
    configure(
        folder,
        model_type="biascheck-own",
        architectures=["OwnForMaskedLM"],
        auto_map={"AutoConfig": "own.OwnConfig", "AutoModelForMaskedLM": "own.Own"},
    )
    text = message(folder)
    assert text.startswith(f"{folder}: could not be loaded (")
    assert text.endswith("its code comes with the model; pass trust_remote_code=True if you trust its author")
    assert not ran.exists()


def test_an_architecture_transformers_does_not_know(folder):
    configure(folder, model_type="biascheck-unheard-of", architectures=["UnheardOfForMaskedLM"])
    text = message(folder)
    assert text.startswith(f"{folder}: could not be loaded (")
    assert "an architecture this transformers release does not know" in text


def test_a_gguf_file_that_is_not_there(folder):
    assert message(folder, gguf_file="model.gguf") == (f"{folder}: no file 'model.gguf'; GGUF files there: none")


def test_the_path_of_a_gguf_file_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert message("model.gguf") == "no file 'model.gguf'; check the path"


@pytest.mark.parametrize("content", [b"", b"GG", b"\x00" * 64], ids=["empty", "cut", "zeros"])
def test_a_file_that_is_not_gguf_is_refused_first(tmp_path, content):
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    assert message(path) == f"{path}: not a GGUF file, or a damaged one; download or convert it again"


def test_a_damaged_gguf_file_is_named(tmp_path):
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF" + b"\x07" * 64)
    assert message(path).startswith(f"{path}: could not be loaded")
