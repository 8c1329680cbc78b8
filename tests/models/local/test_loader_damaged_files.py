"""Thousands of damaged model folders and word vectors: each loads, or is refused with an error of this project."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from safetensors.torch import save_file

import biascheck
from biascheck.core.errors import BiascheckError, ModelError
from support.fuzzing import mutations
from support.tiny import pair

SHORT, LONG = 60, 2_500
COUNTS = [pytest.param(SHORT, id="short"), pytest.param(LONG, id="long", marks=pytest.mark.slow)]
FILES = ("config.json", "model.safetensors.index.json", "tokenizer_config.json")
WORDS = ["he", "she", "they", "nurse", "näive"]
TABLE = np.arange(10, dtype=np.float32).reshape(5, 2)


@pytest.fixture
def folder(tmp_path) -> Path:
    """A small sharded model with a tokenizer."""
    model, tokenizer = pair("bert-uncased")
    tokenizer.save_pretrained(tmp_path)
    model.config.save_pretrained(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {"architectures": ["BertForMaskedLM"]}))
    write_shards(tmp_path, {name: tensor.detach().clone() for name, tensor in model.named_parameters()})
    return tmp_path


def write_shards(folder, tensors):
    shards = {"a.safetensors": sorted(tensors)[::2], "sub/b.safetensors": sorted(tensors)[1::2]}
    (folder / "sub").mkdir()
    for shard, names in shards.items():
        save_file({name: tensors[name] for name in names}, folder / shard, metadata={"format": "pt"})
    index = {"metadata": {"total_size": 1}, "weight_map": {n: shard for shard, names in shards.items() for n in names}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def outcomes(read, file, count, seed):
    """How often damaged versions of the file were read and refused; any other error passes through."""
    sound, refused = file.read_bytes(), 0
    for content in mutations(sound, count, seed):
        file.write_bytes(content)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                read()
            except BiascheckError:
                refused += 1
            except Exception as error:
                raise AssertionError(f"{file.name}: {content[:3_000]!r} gives {error!r}") from error
    file.write_bytes(sound)
    read()
    return count - refused, refused


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_model_folder_gives_errors_of_this_project_only(name, count, folder):
    read, refused = outcomes(lambda: biascheck.load(folder), folder / name, count, seed=len(name))
    assert refused > count / 10
    assert read + refused == count


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("model_max_length", []),
        ("model_max_length", "long"),
        ("tokenizer_class", 3),
        ("padding_side", "up"),
        ("added_tokens_decoder", {"5": 1}),
    ],
)
def test_a_field_of_the_tokenizer_config_of_another_type_is_named(field, value, folder):
    file = folder / "tokenizer_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {field: value}))
    with pytest.raises(ModelError, match=rf"tokenizer_config.json: .*{field}.*; correct the entry, or copy"):
        biascheck.load(folder)


@pytest.mark.parametrize("length", [10**30, 1e30, 512, None])
def test_every_usual_length_of_a_tokenizer_config_is_read(length, folder):
    file = folder / "tokenizer_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"model_max_length": length}))
    assert biascheck.load(folder)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("shape", ["list", "object", "text"])
def test_a_damaged_index_of_words_gives_errors_of_this_project_only(shape, count, tmp_path):
    np.save(tmp_path / "w.npy", TABLE)
    texts = {"list": json.dumps(WORDS), "object": json.dumps({w: n for n, w in enumerate(WORDS)})}
    index = tmp_path / ("w.txt" if shape == "text" else "w.json")
    index.write_text(texts.get(shape, "\n".join(WORDS) + "\n"), encoding="utf-8")
    read, refused = outcomes(lambda: fingerprint(tmp_path / "w.npy"), index, count, seed=1)
    assert refused > count / 10
    assert read + refused == count


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("kind", ["npy", "glove", "binary", "parquet"])
def test_damaged_vectors_give_errors_of_this_project_only(kind, count, tmp_path):
    path = written(tmp_path, kind)
    table = tmp_path / "w.npy" if kind == "parquet" else path
    read, refused = outcomes(lambda: fingerprint(table), path, count, seed=2)
    assert refused > count / 20
    assert read + refused == count


def fingerprint(path):
    return biascheck.load_vectors(path).fingerprint


def written(folder, kind):
    if kind in ("npy", "parquet"):
        np.save(folder / "w.npy", TABLE)
    if kind == "npy":
        (folder / "w.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
        return folder / "w.npy"
    if kind == "parquet":
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.table({"word": WORDS}), folder / "w.parquet")
        return folder / "w.parquet"
    path = folder / ("w.bin" if kind == "binary" else "w.txt")
    rows = zip(WORDS, TABLE, strict=True)
    if kind == "binary":
        path.write_bytes(b"5 2\n" + b"".join(word.encode() + b" " + row.tobytes() + b"\n" for word, row in rows))
    else:
        path.write_text("".join(f"{word} {row[0]} {row[1]}\n" for word, row in rows), encoding="utf-8")
    return path
