"""Safetensors only means every shard, inside the folder; what is no readable file is refused before it is opened."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest
import torch

import biascheck
from biascheck.core.errors import ModelError
from support.model_folders import configure, save_folder, save_hub_snapshot, save_shards, write_index
from support.oracle import query
from support.tiny import loaded, pair

SON = query("My son is a nurse.", "son")


@pytest.fixture
def folder(tmp_path) -> Path:
    return save_folder(tmp_path / "model")


@pytest.fixture
def shards(tmp_path) -> Path:
    return save_shards(tmp_path / "model")


def message(folder, **options) -> str:
    with pytest.raises(ModelError) as caught:
        biascheck.load(folder, lazy=True, **options)
    return str(caught.value)


def scores_as_before(model) -> bool:
    [answer], [expected] = model.fill([SON]), loaded("bert-uncased").fill([SON])
    return answer.log_probability == pytest.approx(expected.log_probability, abs=1e-5)


def point_to(folder: Path, shard: str) -> None:
    """Let the index name this shard for half of the tensors."""
    index = json.loads((folder / "model.safetensors.index.json").read_text())
    names = {name: shard if file == "a.safetensors" else file for name, file in index["weight_map"].items()}
    write_index(folder, names)


class Explosive:
    """A pickle that leaves a mark when it is read."""

    def __init__(self, mark: Path) -> None:
        self.mark = str(mark)

    def __reduce__(self):
        return open, (self.mark, "w")


def test_shards_in_folders_are_read(shards):
    assert scores_as_before(biascheck.load(shards))


def test_a_pickled_shard_is_refused_and_not_read(shards, tmp_path):
    torch.save(Explosive(tmp_path / "read"), shards / "w.bin")
    point_to(shards, "w.bin")
    assert "the weights are pickled (w.bin), and unpickling can run any code" in message(shards)
    assert not (tmp_path / "read").exists()


@pytest.mark.parametrize("name", ["w.json", "w", "w.safetensors.pt"])
def test_a_shard_that_is_no_safetensors_file_is_refused(name, shards):
    (shards / "a.safetensors").rename(shards / name)
    point_to(shards, name)
    assert f"the weights are pickled ({name})" in message(shards)


def test_a_pickled_shard_is_read_with_leave(shards):
    tensors = {name: tensor.detach().clone() for name, tensor in pair("bert-uncased")[0].named_parameters()}
    torch.save(tensors, shards / "w.bin")
    write_index(shards, dict.fromkeys(tensors, "w.bin"))
    assert scores_as_before(biascheck.load(shards, allow_pickle=True))


@pytest.mark.parametrize("how", ["relative", "roundabout", "absolute"])
def test_a_shard_outside_the_folder_is_refused(how, shards, tmp_path):
    (shards / "a.safetensors").rename(tmp_path / "a.safetensors")
    name = {
        "relative": "../a.safetensors",
        "roundabout": "sub/../../a.safetensors",
        "absolute": str(tmp_path / "a.safetensors"),
    }[how]
    point_to(shards, name)
    assert f"names the weights {name!r}, which lie outside the folder; copy them into it" in message(shards)


def test_a_missing_shard_is_named(shards):
    (shards / "a.safetensors").unlink()
    assert "names the weights 'a.safetensors', which are not in the folder; copy it again" in message(shards)


@pytest.mark.parametrize("name", ["a.safetensors", "sub", "model.safetensors.index.json"])
def test_a_link_out_of_the_folder_is_refused(name, shards, tmp_path):
    (shards / name).rename(tmp_path / "elsewhere")
    (shards / name).symlink_to(tmp_path / "elsewhere")
    assert "leads out of the model folder to" in message(shards)


def test_a_link_within_the_folder_and_a_link_to_it_are_fine(shards, tmp_path):
    (shards / "a.safetensors").rename(shards / "sub" / "real.safetensors")
    (shards / "a.safetensors").symlink_to("sub/real.safetensors")
    (tmp_path / "link").symlink_to(shards)
    assert scores_as_before(biascheck.load(tmp_path / "link"))


@pytest.mark.parametrize("shared", [False, True])
def test_the_layout_of_the_hubs_cache_is_fine(shared, tmp_path):
    assert scores_as_before(biascheck.load(save_hub_snapshot(tmp_path, shared=shared)))


def test_a_link_out_of_the_hubs_cache_is_refused(tmp_path):
    snapshot = save_hub_snapshot(tmp_path / "hub")
    weights = snapshot / "model.safetensors"
    weights.resolve().rename(tmp_path / "elsewhere.safetensors")
    weights.unlink()
    weights.symlink_to(tmp_path / "elsewhere.safetensors")
    assert "leads out of the model folder to" in message(snapshot)


def test_weights_that_the_configuration_names_follow_the_same_rules(folder, tmp_path):
    (folder / "model.safetensors").rename(folder / "mine.safetensors")
    configure(folder, transformers_weights="mine.safetensors")
    before = biascheck.load(folder)
    assert scores_as_before(before)
    (folder / "mine.safetensors").rename(tmp_path / "mine.safetensors")
    configure(folder, transformers_weights="../mine.safetensors")
    assert "config.json: names the weights '../mine.safetensors', which lie outside the folder" in message(folder)
    configure(folder, transformers_weights="adapter_model.bin")
    torch.save(Explosive(tmp_path / "read"), folder / "adapter_model.bin")
    assert "the weights are pickled (adapter_model.bin)" in message(folder)


# Files that are none.

NAMES = ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "generation_config.json"]


def replaced(folder: Path, name: str, kind: str) -> None:
    path = folder / name
    path.unlink(missing_ok=True)
    if kind == "FIFO":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as server:
            before = Path.cwd()
            os.chdir(folder)  # the name of a socket is short
            server.bind(name)
            os.chdir(before)
    else:
        path.symlink_to("/dev/zero" if kind == "device" else "nowhere")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["FIFO", "folder", "device", "socket"])
def test_what_is_no_regular_file_is_refused_unopened(kind, name, folder):
    replaced(folder, name, kind)
    assert message(folder) == (f"{folder / name}: a {kind} where a file is expected; copy or download the folder again")


@pytest.mark.parametrize("name", [*NAMES, "vocab.txt", "adapter_config.json", "model.safetensors.index.json"])
def test_a_link_that_leads_nowhere_is_named(name, folder):
    if name.endswith("index.json"):
        (folder / "model.safetensors").unlink()
    replaced(folder, name, "dangling")
    assert message(folder) == (
        f"{folder / name}: a symbolic link to a file that does not exist; copy or download the folder again"
    )


def test_a_fifo_among_the_shards_is_refused_unopened(shards):
    replaced(shards, "a.safetensors", "FIFO")
    assert "a FIFO where a file is expected" in message(shards)


def test_a_fifo_instead_of_word_vectors_is_refused_unopened(tmp_path):
    import numpy as np

    os.mkfifo(tmp_path / "w.txt")
    with pytest.raises(ModelError, match="no file"):
        biascheck.load_vectors(tmp_path / "w.txt")
    np.save(tmp_path / "v.npy", np.ones((1, 2)))
    with pytest.raises(ModelError, match="a FIFO where a file is expected"):
        biascheck.load_vectors(tmp_path / "v.npy", index=tmp_path / "w.txt")


# JSON of other types than expected.

DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize("name", ["config.json", "model.safetensors.index.json", "tokenizer_config.json"])
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (f'{{"architectures": {DEEP}}}', "not readable as JSON (nested too deeply)"),
        ("[1]", "not a JSON object"),
        ("null", "not a JSON object"),
        ('{"a": ' + "9" * 5_000 + "}", "not readable as JSON (Exceeds the limit"),
        (b'{"a": "\xff"}', "not readable as JSON ('utf-8' codec"),
        ('{"a": "\\ud800"}', "not readable as JSON ('utf-8' codec can't encode character"),
        ("", "not readable as JSON (Expecting value"),
    ],
)
def test_json_that_cannot_be_read(name, content, expected, shards):
    (shards / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    found = message(shards)
    assert found.startswith(f"{shards / name}: {expected}")
    assert found.endswith("; copy the folder again")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"architectures": "BertForMaskedLM"}, "Expected `array | null`, got `str` - at `$.architectures`"),
        ({"architectures": [1]}, "Expected `str`, got `int` - at `$.architectures[0]`"),
        ({"auto_map": ["own.Own"]}, "Expected `object | null`, got `array` - at `$.auto_map`"),
        ({"transformers_weights": 1}, "Expected `str | null`, got `int` - at `$.transformers_weights`"),
        ({"num_hidden_layers": 10**9}, "num_hidden_layers is 1,000,000,000, and a model has 1 to 4,096"),
        ({"n_layer": 10**400}, "n_layer is a number of 401 digits, and a model has 1 to 4,096"),
        ({"num_labels": 10**9}, "num_labels is 1,000,000,000, and a model has 0 to 1,000,000"),
    ],
)
def test_a_configuration_of_other_types(changes, expected, folder):
    configure(folder, **changes)
    assert message(folder).startswith(f"{folder / 'config.json'}: {expected}")


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ({"metadata": {}}, "Object missing required field `weight_map`"),
        ({"weight_map": {"a": "a.safetensors"}}, "Object missing required field `metadata`"),
        ({"metadata": [], "weight_map": {}}, "Expected `object`, got `array` - at `$.metadata`"),
        ({"metadata": {}, "weight_map": {"a": 1}}, "Expected `str`, got `int` - at `$.weight_map[...]`"),
        ({"metadata": {}, "weight_map": {}}, "names no weights; copy the folder again"),
        ({"metadata": {}, "weight_map": {"a": "\0"}}, "names the weights '\\x00', which are not in the folder"),
    ],
)
def test_an_index_of_other_types(index, expected, shards):
    (shards / "model.safetensors.index.json").write_text(json.dumps(index))
    assert expected in message(shards)


@pytest.mark.parametrize("modules", ["{}", '[{"type": 1, "path": ""}]', '["x"]', '[{"type": "x.Pooling"}]', DEEP])
def test_modules_of_other_types(modules, folder):
    (folder / "modules.json").write_text(modules)
    assert str(folder / "modules.json") in message(folder, kind="encoder")


@pytest.mark.parametrize("place", ["..", "../1_Pooling", "/1_Pooling", "1_Pooling/x"])
def test_pooling_outside_the_folder_is_refused(place, folder):
    (folder / "modules.json").write_text(json.dumps([{"type": "x.Pooling", "path": place}]))
    assert "it must be a folder beside modules.json" in message(folder, kind="encoder")
