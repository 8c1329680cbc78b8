"""A fingerprint covers all that loading reads; files are checked against it; models in memory are known as they are."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import biascheck
from biascheck.core import identity as fingerprints
from biascheck.core.errors import ModelError
from biascheck.core.identity import checksum_of, sha256_of
from biascheck.core.store import DocumentCache, caching
from biascheck.models.local.classifier import TransformersClassifier
from biascheck.models.local.encoder import encoder_of
from biascheck.models.local.folders import inspect_folder
from support.model_folders import change_weights, configure, edit, save_folder, save_shards
from support.oracle import query
from support.tiny import fresh_pair

SON = query("My son is a nurse.", "son")


def known(folder, **options):
    return biascheck.load(folder, lazy=True, **options).fingerprint


@pytest.fixture
def folder(tmp_path) -> Path:
    return save_folder(tmp_path / "model")


@pytest.fixture
def adapted(folder) -> Path:
    """A folder with weights and an adapter beside them, as transformers loads it."""
    peft = pytest.importorskip("peft")
    model = peft.get_peft_model(fresh_pair("bert-uncased")[0], peft.LoraConfig(r=2, target_modules=["query"]))
    for name, parameter in model.named_parameters():
        if "lora_" in name:
            torch.nn.init.normal_(parameter, generator=torch.Generator().manual_seed(len(name)))
    model.save_pretrained(folder)
    return folder


@pytest.mark.parametrize("shard", ["a.safetensors", "sub/b.safetensors"])
def test_every_shard_of_the_index_counts(shard, tmp_path):
    folder = save_shards(tmp_path / "model")
    before = known(folder)
    change_weights(folder / shard)
    assert known(folder) != before


def test_a_shard_counts_under_its_path(tmp_path):
    """Two shards of one name in two folders are two."""
    folder = save_shards(tmp_path / "model", ("a/w.safetensors", "b/w.safetensors"))
    files = inspect_folder(folder).weights
    assert {str(file.relative_to(folder)) for file in files} == {
        "a/w.safetensors",
        "b/w.safetensors",
        "model.safetensors.index.json",
        "config.json",
    }
    before = known(folder)
    first, second = folder / "a/w.safetensors", folder / "b/w.safetensors"
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)
    assert known(folder) != before


def test_weights_that_are_not_read_do_not_count(tmp_path):
    folder = save_shards(tmp_path / "model")
    before = known(folder)
    shutil.copy(folder / "a.safetensors", folder / "unread.safetensors")
    assert known(folder) == before


@pytest.mark.parametrize(
    "name", ["config.json", "generation_config.json", "tokenizer_config.json", "added_tokens.json"]
)
def test_settings_count(name, folder):
    before = known(folder)
    edit(folder / name, added=1)
    assert known(folder) != before


@pytest.mark.parametrize("name", ["chat_template.jinja", "additional_chat_templates/tool.jinja", "vocab.txt"])
def test_files_of_the_tokenizer_count(name, folder):
    before = known(folder)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("text")
    assert known(folder) != before


def test_settings_of_an_adapter_change_scores_and_fingerprint(adapted):
    first = biascheck.load(adapted)
    edit(adapted / "adapter_config.json", lora_alpha=64)
    second = biascheck.load(adapted)
    assert first.fingerprint != second.fingerprint
    assert first.fill([SON])[0].log_probability != pytest.approx(second.fill([SON])[0].log_probability, abs=1e-3)


def test_weights_of_an_adapter_count(adapted):
    before = known(adapted)
    change_weights(adapted / "adapter_model.safetensors")
    assert known(adapted) != before


def test_an_adapter_is_not_ignored_where_peft_is_missing(adapted, monkeypatch):
    monkeypatch.setattr("biascheck.core.release.is_installed", lambda name: name != "peft")
    with pytest.raises(ModelError, match=r"an adapter needs peft, .* or merge the adapter into the weights first"):
        known(adapted)


def test_a_pickled_adapter_is_refused(adapted):
    (adapted / "adapter_model.safetensors").rename(adapted / "adapter_model.bin")
    with pytest.raises(ModelError, match=r"the weights are pickled \(adapter_model.bin\)"):
        known(adapted)


def test_code_counts_where_it_is_trusted_and_nowhere_else(folder):
    own = folder / "code" / "own.py"
    own.parent.mkdir()
    own.write_text("a = 1")
    distrusted, trusted = known(folder), known(folder, trust_remote_code=True)
    own.write_text("a = 2")
    assert known(folder) == distrusted
    assert known(folder, trust_remote_code=True) != trusted


def test_code_of_another_folder_counts(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "own.py").write_text("a = 1")
    configure(folder, auto_map={"AutoModelForMaskedLM": f"{other}--own.Own"})
    before = known(folder, trust_remote_code=True)
    (other / "own.py").write_text("a = 2")
    assert known(folder, trust_remote_code=True) != before


def test_pooling_counts_for_an_encoder(folder):
    (folder / "1_Pooling").mkdir()
    (folder / "modules.json").write_text('[{"type": "x.Pooling", "path": "1_Pooling"}]')
    edit(folder / "1_Pooling" / "config.json", pooling_mode_mean_tokens=True)
    before = known(folder, kind="encoder")
    edit(folder / "1_Pooling" / "config.json", word_embedding_dimension=3)
    assert known(folder, kind="encoder") != before


def test_how_an_undeclared_head_is_read_counts(folder):
    configure(folder, architectures=None)
    assert known(folder, kind="masked") != known(folder, kind="causal")


def test_all_that_python_opens_while_loading_is_covered(tmp_path):
    """The audit events of Python name every file that transformers opens itself."""
    folder = save_shards(tmp_path / "model")
    edit(folder / "generation_config.json", max_length=5)
    (folder / "chat_template.jinja").write_text("{{ messages }}")
    edit(folder / "special_tokens_map.json", mask_token="[MASK]")
    script = """
import os, sys
opened, folder = set(), os.path.realpath(sys.argv[1])
def note(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes, os.PathLike)):
        path = os.path.realpath(os.fsdecode(arguments[0]))
        if path.startswith(folder + os.sep) and os.path.isfile(path):
            opened.add(os.path.relpath(path, folder))
from biascheck.models.local.folders import inspect_folder
from biascheck.models.local.reading import read_folder
found = inspect_folder(__import__("pathlib").Path(folder))
sys.addaudithook(note)
read_folder(found, dtype="float32", trust_remote_code=False, gguf_file=None)
covered = {os.path.relpath(file, folder) for file in (*found.weights, *found.tokenizer)}
print(sorted(opened), sorted(opened - covered), sep="\\n")
"""
    done = subprocess.run([sys.executable, "-c", script, str(folder)], capture_output=True, text=True, check=True)
    opened, uncovered = done.stdout.strip().splitlines()[-2:]
    assert "model.safetensors.index.json" in opened
    assert uncovered == "[]"


def test_an_unchanged_file_is_read_once(folder, monkeypatch):
    file = folder / "model.safetensors"
    os.utime(file, (1, 1))
    monkeypatch.setattr(fingerprints, "SETTLED_AFTER", -1.0)
    first = sha256_of(file)
    monkeypatch.setattr(Path, "open", lambda *_: pytest.fail("the file was read again"))
    assert sha256_of(file) == first


def test_a_file_of_the_same_size_and_time_is_another(folder, monkeypatch):
    """The modification time can be set back; the time of the change of its entry cannot."""
    monkeypatch.setattr(fingerprints, "SETTLED_AFTER", -1.0)
    file = folder / "model.safetensors"
    state = file.stat()
    before = sha256_of(file)
    change_weights(file)
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert sha256_of(file) != before


@pytest.mark.parametrize("kept", [True, False])
def test_the_digest_of_a_large_file_is_kept_for_the_next_run(folder, tmp_path, monkeypatch, kept):
    monkeypatch.setattr(fingerprints, "SETTLED_AFTER", -1.0)
    monkeypatch.setattr(fingerprints, "CACHED_FROM_BYTES", 1 if kept else 1 << 40)
    file = folder / "model.safetensors"
    read, times = fingerprints._read, []
    monkeypatch.setattr(fingerprints, "_read", lambda path: times.append(path) or read(path))
    found = set()
    for _ in range(2):
        monkeypatch.setattr(fingerprints, "_known", {})  # as in another process
        with caching(DocumentCache(tmp_path / "results")):
            found.add(sha256_of(file))
    assert found == {hashlib.sha256(file.read_bytes()).hexdigest()}
    assert len(times) == (1 if kept else 2)
    change_weights(file)
    with caching(DocumentCache(tmp_path / "results")):
        assert sha256_of(file) == hashlib.sha256(file.read_bytes()).hexdigest() not in found


def test_the_digest_of_a_file_that_changes_while_it_is_read_is_not_kept(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(fingerprints, "SETTLED_AFTER", -1.0)
    monkeypatch.setattr(fingerprints, "CACHED_FROM_BYTES", 1)
    file = folder / "model.safetensors"
    read = fingerprints._read

    def read_and_changed(path):
        digest = read(path)
        change_weights(path)
        return digest

    monkeypatch.setattr(fingerprints, "_read", read_and_changed)
    with caching(DocumentCache(tmp_path / "results")):
        sha256_of(file)
    assert list((tmp_path / "results").glob("*.json")) == []


# Files that change between the fingerprint and the weights.


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "tokenizer.json"])
def test_files_that_change_before_a_lazy_model_is_read_are_noticed(name, folder):
    model = biascheck.load(folder, lazy=True)
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content.replace(b"}", b" }", 1) if name.endswith("json") else content[:-1] + b"\x00")
    with pytest.raises(ModelError, match=r"the files changed during the run, .* start the run again"):
        model.fill([SON])


def test_a_file_that_appears_before_a_lazy_model_is_read_is_noticed(folder):
    model = biascheck.load(folder, lazy=True)
    edit(folder / "generation_config.json", max_length=5)
    with pytest.raises(ModelError, match="the files changed during the run"):
        model.fill([SON])


def test_files_that_change_while_they_are_read_are_noticed_even_if_they_change_back(folder, monkeypatch):
    from biascheck.models.local import loader, reading as folder_reading

    file = folder / "model.safetensors"
    sound = file.read_bytes()

    def read_in_between(*arguments, **options):
        change_weights(file)
        pair = folder_reading.read_folder(*arguments, **options)
        file.write_bytes(sound)
        return pair

    monkeypatch.setattr(loader, "_read_folder", read_in_between)
    with pytest.raises(ModelError, match="the files changed during the run"):
        biascheck.load(folder)


def test_nothing_is_cached_under_the_fingerprint_of_files_that_changed(folder, tmp_path):
    from biascheck.core.store import DocumentCache

    cache, model = DocumentCache(tmp_path / "cache"), biascheck.load(folder, lazy=True)
    change_weights(folder / "model.safetensors")
    with pytest.raises(ModelError):
        cache.fetch(model.fingerprint, lambda: model.fill([SON])[0].log_probability)
    assert cache.info().entries == 0


# Models in memory.


def step_of_an_optimizer(model):
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    inputs = torch.tensor([[2, 6, 7, 3]])
    model(input_ids=inputs, labels=inputs).loss.backward()
    optimizer.step()


def loaded_state(model):
    model.load_state_dict({name: tensor + 1 for name, tensor in model.state_dict().items()})


def replaced_data(model):
    parameter = next(model.parameters())
    parameter.data = parameter.data + 1


def written_through_data(model):
    """No version counter of torch moves here."""
    next(model.parameters()).data[0, 0] += 1


def swapped_rows(model):
    words = model.get_input_embeddings().weight.data
    words[[6, 7]] = words[[7, 6]]


def written_by_numpy(model):
    next(model.parameters()).detach().numpy()[0, 0] += 1


def changed_setting(model):
    model.config.layer_norm_eps = 0.5


CHANGES = [
    step_of_an_optimizer,
    loaded_state,
    replaced_data,
    written_through_data,
    swapped_rows,
    written_by_numpy,
    changed_setting,
]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("origin", ["memory", "folder"])
def test_a_change_behind_the_handle_is_another_model(origin, change, folder):
    handle = biascheck.load(fresh_pair("bert-uncased")) if origin == "memory" else biascheck.load(folder)
    states = encoder_of(handle)
    before, before_states = handle.fingerprint, states.fingerprint
    assert handle.fingerprint == before
    change(handle.torch_model)
    after = handle.fingerprint
    assert after != before
    assert states.fingerprint != before_states
    assert handle.fingerprint == after


def test_weights_that_are_put_back_are_the_same_model_again(folder):
    handle = biascheck.load(folder)
    before = handle.fingerprint
    kept = {name: tensor.clone() for name, tensor in handle.torch_model.state_dict().items()}
    loaded_state(handle.torch_model)
    assert handle.fingerprint != before
    handle.torch_model.load_state_dict(kept)
    assert handle.fingerprint == before


def test_a_tokenizer_that_changes_behind_the_handle_is_another_model():
    model, tokenizer = fresh_pair("bert-uncased")
    handle = biascheck.load((model, tokenizer))
    seen = [handle.fingerprint]
    tokenizer.mask_token = "[UNK]"
    seen.append(handle.fingerprint)
    tokenizer.backend_tokenizer.normalizer = None
    seen.append(handle.fingerprint)
    tokenizer.add_tokens(["newword"])
    seen.append(handle.fingerprint)
    assert len(set(seen)) == 4


def test_a_measure_is_computed_again_after_training_on(tmp_path):
    from biascheck.core.store import DocumentCache

    model, tokenizer = fresh_pair("bert-uncased")
    handle, cache = biascheck.load((model, tokenizer)), DocumentCache(tmp_path)

    def scored():
        return cache.fetch(handle.fingerprint, lambda: handle.fill([SON])[0].log_probability)

    before = scored()
    written_through_data(model)
    assert scored() != before


def test_scoring_does_not_change_the_fingerprint():
    import transformers as hf

    model, tokenizer = fresh_pair("gpt2")
    masked = biascheck.load(fresh_pair("bert-uncased"))
    config = hf.GPT2Config(
        **model.config.to_dict() | {"id2label": {0: "negative", 1: "positive"}, "pad_token_id": None}
    )
    classifier = biascheck.load((hf.GPT2ForSequenceClassification(config), tokenizer))
    assert isinstance(classifier, TransformersClassifier)
    for handle, use in (
        (masked, lambda: masked.fill([SON])),
        (classifier, lambda: classifier.rate(["son", "a nurse"])),
    ):
        before = handle.fingerprint
        use()
        assert handle.fingerprint == before


def test_a_checksum_of_a_large_table_sees_one_number_and_the_order():
    table = np.random.default_rng(0).standard_normal((1_500, 301)).astype(np.float32)
    seen = {checksum_of(table), checksum_of(table.astype(np.float64))}
    for change in (lambda t: t.__setitem__((7, 3), 0.0), lambda t: t.__setitem__((-1, -1), 0.0)):
        other = table.copy()
        change(other)
        seen.add(checksum_of(other))
    swapped = table.copy()
    swapped[[3, 4]] = swapped[[4, 3]]
    seen.add(checksum_of(swapped))
    assert len(seen) == 5
    assert checksum_of(table.copy()) in seen


def test_vectors_that_change_in_place_are_another_table(tmp_path):
    table = np.ones((2, 3), dtype=np.float32)
    np.save(tmp_path / "w.npy", table)
    (tmp_path / "w.txt").write_text("he\nshe\n")
    in_memory, on_disk = biascheck.load_vectors((["he", "she"], table)), biascheck.load_vectors(tmp_path / "w.npy")
    before = in_memory.fingerprint, on_disk.fingerprint
    table[0, 0] = 2
    content = (tmp_path / "w.npy").read_bytes()
    (tmp_path / "w.npy").write_bytes(content[:-4] + np.float32(7).tobytes())
    assert in_memory.fingerprint != before[0]
    assert biascheck.load_vectors(tmp_path / "w.npy").fingerprint != before[1]
