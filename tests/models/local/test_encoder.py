"""Word states and sentence vectors against a plain forward pass on one unpadded text."""

import json
import shutil

import numpy as np
import pytest
import torch

import biascheck
from biascheck.core.errors import ModelError, UsageError
from biascheck.core.spans import Span
from biascheck.models.base import Encoder
from biascheck.models.local.encoder import pooling_of_folder
from biascheck.models.scoring.queries import Refusal, State, WordQuery
from support.tiny import FAMILIES

# Every word that is asked for has a space on either side: some of the tiny tokenizers glue full stops to words.
TEXTS = [
    "My son works as a nurse at work.",
    "The boyfriend of the plumber had a good day at work.",
    "This man is a nurse and the woman works as a plumber.",
]


def query(text, word, hidden=()):
    def place(part):
        start = text.index(part)
        return Span(start, start + len(part))

    return WordQuery(text, place(word), tuple(map(place, hidden)))


@pytest.fixture(params=["bert-uncased", "roberta", "xlm-roberta", "mpnet", "modernbert", "gpt2", "llama"])
def family(request):
    return FAMILIES[request.param]


@pytest.fixture
def encoder(family):
    return biascheck.encoder_of(biascheck.load(family.build(), kind=family.kind, name=family.name))


def naive_states(encoder, text, layer=-1):
    """All states of one text, with the tokens' offsets; the opening token where the tokenizer has none."""
    tokens = encoder.tokenizer(text, return_offsets_mapping=True, return_special_tokens_mask=True)
    ids, offsets = tokens["input_ids"], tokens["offset_mapping"]
    if not tokens["special_tokens_mask"][0]:
        opening = encoder.tokenizer.bos_token_id
        ids, offsets = [opening, *ids], [(0, 0), *offsets]
    with torch.inference_mode():
        states = encoder.torch_model.base_model(input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states
    return states[layer][0].numpy(), offsets, ids


def naive_word(encoder, asked, layer=-1):
    states, offsets, ids = naive_states(encoder, asked.text, layer)
    rows = [i for i, (a, b) in enumerate(offsets) if a < b and a < asked.span.end and b > asked.span.start]
    # a space that is cut off a word as a separate token belongs to the word
    before, first = encoder.tokenizer.convert_ids_to_tokens([ids[rows[0] - 1], ids[rows[0]]])
    if before in ("Ġ", "▁") and not first.startswith(before):
        rows.insert(0, rows[0] - 1)
    return states[rows].mean(axis=0), len(rows)


def test_a_word_is_the_mean_of_its_tokens_whatever_else_is_in_the_batch(encoder):
    asked = [
        query(TEXTS[0], "nurse"),
        query(TEXTS[1], "boyfriend"),
        query(TEXTS[1], "plumber"),
        query(TEXTS[2], "woman"),
    ]
    for one, state in zip(asked, encoder.words(asked), strict=True):
        vector, pieces = naive_word(encoder, one)
        assert state.vector == pytest.approx(vector, abs=1e-5)
        assert state.pieces == pieces
    assert encoder.words(asked)[1].pieces > 1


@pytest.mark.parametrize("layer", [0, 1, -2])
def test_a_layer_can_be_chosen(family, layer):
    model = biascheck.load(family.build(), kind=family.kind)
    encoder = biascheck.encoder_of(model, layer=layer)
    asked = query(TEXTS[0], "nurse")
    assert encoder.words([asked])[0].vector == pytest.approx(naive_word(encoder, asked, layer)[0], abs=1e-5)
    assert encoder.fingerprint != biascheck.encoder_of(model).fingerprint
    assert encoder.name.endswith(f" (layer {layer})")


def test_a_layer_that_does_not_exist_is_refused(family):
    encoder = biascheck.encoder_of(biascheck.load(family.build(), kind=family.kind), layer=99)
    with pytest.raises(UsageError, match=r"has the layers 0 \(embeddings\) to \d+"):
        encoder.words([query(TEXTS[0], "nurse")])


def test_each_distinct_text_runs_once(encoder):
    asked = [query(TEXTS[0], word) for word in ("son", "nurse", "son")] * 5
    assert encoder.plan(asked).distinct_inputs == 1


def test_sentences_are_the_mean_of_their_tokens(encoder):
    for text, state in zip(TEXTS, encoder.sentences(TEXTS), strict=True):
        states, _, ids = naive_states(encoder, text)
        opened = len(ids) - len(encoder.tokenizer(text)["input_ids"])
        assert state.vector == pytest.approx(states[opened:].mean(axis=0), abs=1e-5)


def test_a_hidden_word_is_masked_and_does_not_move_the_readings():
    bert = FAMILIES["bert-uncased"]
    encoder = biascheck.encoder_of(biascheck.load(bert.build()))
    assert encoder.can_mask
    hidden = encoder.words([query(TEXTS[1], "plumber", ["boyfriend"])])[0]
    tokens = encoder.tokenizer(TEXTS[1], return_offsets_mapping=True)
    span = query(TEXTS[1], "boyfriend").span
    ids = [
        encoder.tokenizer.mask_token_id if a < b and a < span.end and b > span.start else token
        for token, (a, b) in zip(tokens["input_ids"], tokens["offset_mapping"], strict=True)
    ]
    with torch.inference_mode():
        states = encoder.torch_model.base_model(input_ids=torch.tensor([ids])).last_hidden_state[0].numpy()
    place = next(i for i, (a, _) in enumerate(tokens["offset_mapping"]) if a == TEXTS[1].index("plumber"))
    assert hidden.vector == pytest.approx(states[place], abs=1e-5)


def test_a_decoder_cannot_hide_a_word_and_says_so():
    gpt2 = FAMILIES["gpt2"]
    encoder = biascheck.encoder_of(biascheck.load(gpt2.build()))
    assert not encoder.can_mask
    (refusal,) = encoder.words([query(TEXTS[0], "nurse", ["son"])])
    assert refusal == Refusal("this tokenizer has no mask to hide a word; use a filler word instead")


def test_an_encoder_satisfies_the_protocol_and_stays_what_it_is(encoder):
    assert isinstance(encoder, Encoder)
    assert biascheck.encoder_of(encoder) is encoder


def test_what_has_no_states_is_refused():
    from biascheck.models.fakes import TableModel

    with pytest.raises(
        UsageError,
        match="table is a masked language model: it fills masks; an encoder needs a model that embeds words in context",
    ):
        biascheck.encoder_of(TableModel({}, {}))
    with pytest.raises(UsageError, match="pooling is one of mean, cls, last"):
        biascheck.encoder_of(TableModel({}, {}), pooling="max")


@pytest.fixture(scope="module")
def headless(tmp_path_factory):
    """A BERT without a head or a pooler, as sentence encoders are often saved."""
    model, tokenizer = FAMILIES["bert-uncased"].build()
    folder = tmp_path_factory.mktemp("headless")
    model.bert.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def test_a_folder_without_a_head_loads_as_an_encoder(headless):
    encoder = biascheck.load(headless, kind="encoder")
    asked = query(TEXTS[0], "nurse")
    assert encoder.words([asked])[0].vector == pytest.approx(naive_word(encoder, asked)[0], abs=1e-5)


def test_an_encoder_with_missing_layers_is_refused(headless, tmp_path):
    from safetensors.torch import load_file, save_file

    folder = shutil.copytree(headless, tmp_path / "cut")
    tensors = load_file(folder / "model.safetensors")
    kept = {name: tensor for name, tensor in tensors.items() if "layer.1" not in name}
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match="are not in the weights"):
        biascheck.load(folder, kind="encoder")


def write_modules(folder, modes, normalise):
    modules = [{"type": "sentence_transformers.models.Transformer", "path": ""}]
    modules += [{"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"}]
    modules += [{"type": "sentence_transformers.models.Normalize", "path": "2_Normalize"}] * normalise
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir(exist_ok=True)
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({f"pooling_mode_{mode}": True for mode in modes}))


def test_a_sentence_transformers_folder_pools_as_it_says(headless, tmp_path):
    folder = shutil.copytree(headless, tmp_path / "cls")
    write_modules(folder, ["cls_token"], normalise=True)
    encoder = biascheck.load(folder, kind="encoder")
    vector = encoder.sentences([TEXTS[0]])[0].vector
    first = naive_states(encoder, TEXTS[0])[0][0]
    assert vector == pytest.approx(first / np.linalg.norm(first), abs=1e-5)


def test_unknown_pooling_is_refused(tmp_path):
    write_modules(tmp_path, ["max_tokens"], normalise=False)
    with pytest.raises(ModelError, match="pools by pooling_mode_max_tokens; supported are one of mean_tokens"):
        pooling_of_folder(tmp_path)
    (tmp_path / "modules.json").write_text(json.dumps([{"type": "x.Dense", "path": "2_Dense"}]))
    with pytest.raises(ModelError, match="go through Dense, which is not supported"):
        pooling_of_folder(tmp_path)


def test_too_long_a_text_is_refused_not_cut(encoder):
    limit = encoder.max_length
    if limit is None:
        pytest.skip("this family has no limit")
    text = "nurse " * (limit + 1)
    (refusal,) = encoder.words([WordQuery(text, Span(0, 5))])
    assert "this model reads at most" in refusal.reason


def test_the_real_sentence_encoder_pools_and_normalises():
    minilm = pytest.importorskip("biascheck.models.local.bundled")
    try:
        folder = minilm.minilm_base_folder()
    except ModelError as error:
        pytest.skip(str(error))
    encoder = biascheck.load(folder, kind="encoder")
    assert (encoder.pooling.mode, encoder.pooling.normalise) == ("mean", True)
    close, far = "A nurse helps the patient.", "The rocket reached its orbit."
    states = encoder.sentences(["The nurse takes care of a patient.", close, far])
    assert all(isinstance(state, State) for state in states)
    assert np.linalg.norm(states[0].vector) == pytest.approx(1, abs=1e-5)
    assert states[0].vector @ states[1].vector > 0.6 > 0.2 > states[0].vector @ states[2].vector
