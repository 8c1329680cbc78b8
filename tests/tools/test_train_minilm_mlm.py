"""The recipe of minilm-mlm, on a base of one layer and a vocabulary of our own."""

from __future__ import annotations

import gzip
import math
import sys
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

pytest.importorskip("peft", reason="the recipe trains with peft")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import masked_text
import train_minilm_mlm as tool
from safetensors.torch import save_file

from biascheck.models.local.bundled import expected_adapter_names

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

TEXT = "the nurse and plumber met a teacher in town she he works reads every day with old friends of hers"
WORDS = TEXT.split()
TEXTS = [" ".join(WORDS[i:] + WORDS[:i]) for i in range(len(WORDS))]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from transformers import BertConfig, BertModel, BertTokenizer

    folder = tmp_path_factory.mktemp("base")
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    config = BertConfig(
        vocab_size=len(pieces), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32
    )
    torch.manual_seed(0)
    save_file(BertModel(config).state_dict(), folder / "model.safetensors")
    config.save_pretrained(folder)
    BertTokenizer(vocab={piece: index for index, piece in enumerate(pieces)}).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def tokenizer(base: Path) -> PreTrainedTokenizerBase:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(base)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("\n".join(TEXTS))
    return path


def run(base: Path, text: Path, out: Path, *options: str) -> bytes:
    tool.main(["--base", str(base), "--text", str(text), "--out", str(out), "--threads", "1", *options])
    return (out / "adapter.safetensors").read_bytes()


# --- text -------------------------------------------------------------------------------------------------


def test_plain_packed_and_tabular_text_are_read_alike(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one text\n\nanother “text”\n", encoding="utf-8")
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress((tmp_path / "a.txt").read_bytes()))
    (tmp_path / "a.tsv").write_text("ID\tText\n1\tone text\n2\tanother “text”\n", encoding="utf-8")
    for name in ("a.txt", "a.txt.gz", "a.tsv"):
        assert masked_text.read_texts(tmp_path / name) == ["one text", "another “text”"]


def test_a_quotation_mark_in_a_table_quotes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text('ID\tText\n1\t"Well\n2\tsaid"\n')
    assert masked_text.read_texts(tmp_path / "a.tsv") == ['"Well', 'said"']


def test_windows_hold_every_piece_once_and_in_order(tokenizer: PreTrainedTokenizerBase) -> None:
    long = " ".join(WORDS * 3)
    windows = masked_text.cut_windows([long], tokenizer, 20, np.random.default_rng(0))
    assert all(len(w) <= 20 and (w[0], w[-1]) == (2, 3) for w in windows)
    pieces = [piece for window in windows for piece in window[1:-1]]
    whole = tokenizer(long, add_special_tokens=False)["input_ids"]
    assert pieces == whole[: len(pieces)]
    assert len(whole) - len(pieces) < masked_text.SHORTEST


def test_batches_keep_the_budget_the_shares_and_the_epochs() -> None:
    sources = [[[source, index] + [0] * (index % 7) for index in range(100)] for source in (1, 2)]
    stream = masked_text.batches(sources, [3, 1], 60, np.random.default_rng(0))
    drawn = list(islice(stream, 400))
    assert all(len(batch) * max(map(len, batch)) <= 60 for batch in drawn)
    share = np.mean([window[0] == 1 for batch in drawn for window in batch])
    assert share == pytest.approx(0.75, abs=0.05)


def test_an_epoch_holds_every_window_once() -> None:
    windows = [[index] for index in range(50)]
    stream = masked_text._epochs(windows, np.random.default_rng(0))
    for _ in range(3):
        assert sorted(islice(stream, 50)) == windows


def test_masks_spare_special_pieces_and_follow_80_10_10(tokenizer: PreTrainedTokenizerBase) -> None:
    ids = np.random.default_rng(1).integers(5, len(tokenizer), (400, 100))
    ids[:, 0], ids[:, -1] = 2, 0
    masked, labels = masked_text.mask_for_training(ids, tokenizer, 0.2, np.random.default_rng(2))
    chosen = labels != masked_text.IGNORED
    assert not chosen[:, 0].any()
    assert not chosen[:, -1].any()
    assert (labels[chosen] == ids[chosen]).all()
    assert (masked[~chosen] == ids[~chosen]).all()
    assert chosen[:, 1:-1].mean() == pytest.approx(0.2, abs=0.01)
    assert (masked[chosen] == 4).mean() == pytest.approx(0.8, abs=0.02)
    foreign = len(tokenizer) - len(tokenizer) // 2  # a random piece is the true one now and then
    expected = 0.1 + 0.1 / foreign * (foreign / (len(tokenizer) - 5))
    assert (masked[chosen] == ids[chosen]).mean() == pytest.approx(expected, abs=0.015)


# --- evaluation -------------------------------------------------------------------------------------------


class Oracle:
    """Answers with fixed log odds: ``logit`` for the piece ``favourite``, zero for all others."""

    def __init__(self, size: int, favourite: int, logit: float) -> None:
        self.row = torch.zeros(size)
        self.row[favourite] = logit
        self.cls = SimpleNamespace(predictions=lambda hidden: self.row.expand(len(hidden), -1))

    def bert(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> Any:
        assert (attention_mask == (input_ids != 0)).all()
        return SimpleNamespace(last_hidden_state=input_ids.unsqueeze(-1).float())


def test_figures_of_a_model_with_known_answers(tokenizer: PreTrainedTokenizerBase) -> None:
    # One text repeats the favourite, the other never has it: 10 of 20 pieces each, 15 % of 10 rounds to 2.
    size, nurse = len(tokenizer), tokenizer.convert_tokens_to_ids("nurse")
    texts = [" ".join(["nurse"] * 10), " ".join(["town"] * 10)]
    found = masked_text.evaluate(Oracle(size, nurse, math.log(3)), tokenizer, texts)  # type: ignore[arg-type]
    assert (found.accuracy, found.positions, found.texts) == (0.5, 4, 2)
    assert found.loss == pytest.approx(math.log(size + 2) - math.log(3) / 2, abs=1e-6)


def test_all_drawn_pieces_become_masks_unless_told(tokenizer: PreTrainedTokenizerBase) -> None:
    text = " ".join(WORDS * 5)
    masked, labels = masked_text._case(text, 0, tokenizer, "mask", 128, 0.15, 0)
    drawn = [m for m, label in zip(masked, labels, strict=True) if label != masked_text.IGNORED]
    assert drawn == [4] * round(0.15 * len(WORDS) * 5)
    partly, same = masked_text._case(text, 0, tokenizer, "bert", 128, 0.15, 0)
    assert same == labels
    assert partly != masked


# --- training ---------------------------------------------------------------------------------------------


def test_training_lowers_the_loss(base: Path, text: Path, tmp_path: Path) -> None:
    untrained = tmp_path / "untrained"
    run(base, text, untrained, "--steps", "0")
    run(base, text, tmp_path / "trained", "--steps", "60", "--learning-rate", "0.01")
    before, after = (
        tool.evaluate_adapter(tmp_path / name, base, text, tool.Settings())["mask"].loss
        for name in ("untrained", "trained")
    )
    assert after < before - 0.05


def test_a_run_is_a_function_of_its_seed(base: Path, text: Path, tmp_path: Path) -> None:
    first, second, other = (
        run(base, text, tmp_path / str(index), "--steps", "4", "--seed", seed) for index, seed in enumerate("007")
    )
    assert first == second
    assert first != other


def test_a_continued_run_ends_where_an_uninterrupted_one_does(
    base: Path, text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run(base, text, tmp_path / "whole", "--steps", "6")
    take_step = tool.take_step

    def stop_at_the_fifth(*args: Any) -> float:
        if args[4] == 4:
            raise KeyboardInterrupt
        return take_step(*args)

    options = ["--steps", "6", "--checkpoint-every", "3"]
    monkeypatch.setattr(tool, "take_step", stop_at_the_fifth)
    with pytest.raises(KeyboardInterrupt):
        run(base, text, tmp_path / "parts", *options)
    monkeypatch.setattr(tool, "take_step", take_step)
    assert run(base, text, tmp_path / "parts", *options) == whole


def test_the_base_stays_frozen(base: Path) -> None:
    model = tool.trainable_model(base, tool.Settings())
    words = model.get_base_model().bert.embeddings.word_embeddings.weight
    assert not words.requires_grad
    assert model.get_base_model().cls.predictions.decoder.weight is words
    assert set(tool.trained_parameters(model)) == expected_adapter_names(
        dict(tool.masked_lm_from_base(base).named_parameters())
    )


def test_the_rate_rises_to_its_peak_and_falls_to_zero() -> None:
    settings = tool.Settings(steps=100, warmup=10, learning_rate=1.0)
    rates = [tool.learning_rate(step, settings) for step in range(101)]
    assert rates[0] == pytest.approx(0.1)
    assert rates[9] == rates[10] == 1.0
    assert rates[55] == pytest.approx(0.5)
    assert rates[100] == 0.0


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (["--evaluate", "a"], "--evaluate needs --heldout"),
        (["--out", "a"], "training needs --text FILE and --out DIR"),
        (["--out", "a", "--text", "b", "--text", "c", "--share", "1"], "give one share per text"),
        (["--out", "a", "--text", "b", "--heldout", "b"], "--heldout is among --text"),
    ],
)
def test_arguments_that_cannot_work_are_refused(
    arguments: list[str], remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        tool.parse(arguments)
    assert remedy in capsys.readouterr().err
