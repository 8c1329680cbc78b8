"""Model folders for tests that change them: whole, in shards, in the layout of the hub's cache."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from safetensors.torch import save_file

from support.tiny import pair


def save_folder(folder: Path, family: str = "bert-uncased") -> Path:
    model, tokenizer = pair(family)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def save_shards(folder: Path, shards: tuple[str, str] = ("a.safetensors", "sub/b.safetensors")) -> Path:
    """The tiny BERT with every other tensor in either shard."""
    save_folder(folder)
    (folder / "model.safetensors").unlink()
    tensors = {name: tensor.detach().clone() for name, tensor in pair("bert-uncased")[0].named_parameters()}
    parts = {shards[0]: sorted(tensors)[::2], shards[1]: sorted(tensors)[1::2]}
    for shard, names in parts.items():
        (folder / shard).parent.mkdir(parents=True, exist_ok=True)
        save_file({name: tensors[name] for name in names}, folder / shard, metadata={"format": "pt"})
    write_index(folder, {name: shard for shard, names in parts.items() for name in names})
    return folder


def write_index(folder: Path, weight_map: dict[str, str]) -> None:
    content = {"metadata": {"total_size": 1}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(content))


def save_hub_snapshot(cache: Path, *, shared: bool = False) -> Path:
    """The folder as the hub's cache keeps it: links from snapshots/<revision> into blobs, or on into a shared store."""
    repository = cache / "models--org--name"
    snapshot = repository / "snapshots" / ("0" * 40)
    source = save_folder(cache / "source")
    for place in (snapshot, repository / "blobs", cache / "blobs" / "ab"):
        place.mkdir(parents=True)
    for number, file in enumerate(sorted(source.iterdir())):
        blob = repository / "blobs" / f"{number:040}"
        if shared:
            file.rename(cache / "blobs" / "ab" / f"{number:064}")
            blob.symlink_to(Path("../../blobs/ab") / f"{number:064}")
        else:
            file.rename(blob)
        (snapshot / file.name).symlink_to(Path("../../blobs") / blob.name)
    return snapshot


def configure(folder: Path, **changes: Any) -> None:
    edit(folder / "config.json", **changes)


def edit(file: Path, **changes: Any) -> None:
    before = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    file.write_text(json.dumps(before | changes), encoding="utf-8")


def change_weights(file: Path) -> None:
    """Another last byte: the file stays as long as it was, and readable."""
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(bytes(content))
