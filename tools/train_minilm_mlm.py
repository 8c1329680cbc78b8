"""Train the adapter of ``minilm-mlm``: all-MiniLM-L6-v2 turned into a masked language model.

The base stays frozen. Trained are a LoRA update of every encoder matrix, all biases and LayerNorms, and the
head's transform; the decoder is tied to the frozen word embeddings. Batches and masks derive from --seed and the
number of the step alone, so a run continued from its checkpoint sees what an uninterrupted one would have seen.

Train; the same command continues after an interruption:

    python tools/train_minilm_mlm.py --out run --steps 2400 --heldout gap-validation.tsv \\
        --text gap-development.tsv --share 0.5 --text imdb_unsupervised.txt.gz --share 0.5

Judge an adapter on held-out text:

    python tools/train_minilm_mlm.py --evaluate run --heldout gap-validation.tsv

Needs torch, transformers, peft and the base package.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
import time
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from masked_text import IGNORED, batches, cut_windows, evaluate, mask_for_training, masked_logits, pad, read_texts
from peft import LoraConfig, PeftModel, get_peft_model
from safetensors.torch import load_file, save
from transformers import AutoTokenizer, PreTrainedTokenizerBase

from biascheck.models.local.bundled import (
    ADAPTER_FORMAT,
    BASE_PACKAGE,
    BASE_SHA256,
    BASE_VERSION,
    masked_lm_from_base,
    merge_adapter,
    minilm_base_folder,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from masked_text import Corruption, HeldOut, Window

TARGETS = ["query", "key", "value", "attention.output.dense", "intermediate.dense", "output.dense"]
CORRUPTIONS: tuple[Corruption, ...] = ("mask", "bert")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything besides the text that shapes the result of a run."""

    seed: int = 0
    steps: int = 2400
    warmup: int = 60
    learning_rate: float = 8e-4
    tokens_per_step: int = 2304
    longest: int = 128
    masked: float = 0.2
    rank: int = 64
    alpha: int = 128
    clip: float = 1.0
    weight_decay: float = 0.01


# --- the model and its adapter ----------------------------------------------------------------------------


def trainable_model(base: Path, settings: Settings) -> PeftModel:
    """Wrap the base for training: LoRA on the encoder's matrices; biases, LayerNorms and transform in full.

    The model stays in evaluation mode: a run of few epochs gains nothing from dropout and would lose time.
    """
    torch.manual_seed(settings.seed)
    config = LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        bias="all",
        target_modules=TARGETS,
        modules_to_save=["transform"],
    )
    model = get_peft_model(masked_lm_from_base(base), config)
    for name, parameter in model.named_parameters():
        if "original_module" in name:
            parameter.requires_grad = False
        elif "LayerNorm" in name:
            parameter.requires_grad = True
    return model.eval()


def trained_parameters(model: PeftModel) -> dict[str, torch.nn.Parameter]:
    """Return the trained parameters under their names in an adapter file."""
    return {plain_name(name): p for name, p in model.named_parameters() if p.requires_grad}


def plain_name(name: str) -> str:
    """Translate a parameter's name inside the training wrapper to its name in an adapter file."""
    name = name.removeprefix("base_model.model.")
    name = re.sub(r"\.lora_([AB])\.default\.weight$", r".lora_\1", name)
    return name.replace(".base_layer.", ".").replace(".modules_to_save.default.", ".")


def read_adapter(path: Path) -> dict[str, torch.Tensor]:
    """Read an adapter file, or the one in a folder; names of the training wrapper are translated."""
    tensors = load_file(path if path.is_file() else path / "adapter.safetensors")
    return {plain_name(name): value for name, value in tensors.items() if "original_module" not in name}


def restore(model: PeftModel, values: dict[str, torch.Tensor]) -> None:
    """Set every trained parameter of ``model``; ``values`` must hold each of them and nothing else."""
    trained = trained_parameters(model)
    if trained.keys() != values.keys():
        raise SystemExit(f"other parameters than this run trains: {sorted(trained.keys() ^ values.keys())[:5]}")
    with torch.no_grad():
        for name, parameter in trained.items():
            parameter.copy_(values[name].float())


def evaluate_adapter(path: Path, base: Path, heldout: Path, settings: Settings) -> dict[Corruption, HeldOut]:
    """Merge the adapter at ``path`` into the base, as users load it, and evaluate it under both corruptions."""
    model, tokenizer = masked_lm_from_base(base), AutoTokenizer.from_pretrained(base)
    merge_adapter(model, read_adapter(path), scale=settings.alpha / settings.rank)
    texts = read_texts(heldout)
    return {corruption: evaluate(model, tokenizer, texts, corruption) for corruption in CORRUPTIONS}


# --- steps ------------------------------------------------------------------------------------------------


def learning_rate(step: int, settings: Settings) -> float:
    """Return the rate at ``step``: linear warm-up, then linear decay to zero after the last step."""
    rising = (step + 1) / settings.warmup
    falling = (settings.steps - step) / max(1, settings.steps - settings.warmup)
    return settings.learning_rate * max(0.0, min(rising, falling, 1.0))


def take_step(
    model: PeftModel,
    optimizer: torch.optim.Optimizer,
    windows: Sequence[Window],
    tokenizer: PreTrainedTokenizerBase,
    step: int,
    settings: Settings,
) -> float:
    """Mask ``windows``, take one optimizer step and return the loss before it."""
    rng = np.random.default_rng([settings.seed, 2, step])
    masked, labels = mask_for_training(pad(windows, tokenizer.pad_token_id), tokenizer, settings.masked, rng)
    targets = torch.from_numpy(labels)
    at = targets != IGNORED
    logits = masked_logits(model.get_base_model(), torch.from_numpy(masked), tokenizer.pad_token_id, at)
    loss = torch.nn.functional.cross_entropy(logits, targets[at])
    loss.backward()
    torch.nn.utils.clip_grad_norm_(trained_parameters(model).values(), settings.clip)
    for group in optimizer.param_groups:
        group["lr"] = learning_rate(step, settings)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return float(loss.detach())


def training_batches(
    args: argparse.Namespace, tokenizer: PreTrainedTokenizerBase, settings: Settings
) -> Iterator[list[Window]]:
    """Read and cut the text, and yield the batches of step 0, 1, 2, …"""
    rng = np.random.default_rng([settings.seed, 0])
    sources = [cut_windows(read_texts(path), tokenizer, settings.longest, rng) for path in args.text]
    return batches(sources, args.share, settings.tokens_per_step, np.random.default_rng([settings.seed, 1]))


def train(args: argparse.Namespace, settings: Settings, base: Path) -> tuple[PeftModel, float]:
    """Take all steps, or those left since the checkpoint; return the model and the seconds of training."""
    tokenizer = AutoTokenizer.from_pretrained(base)
    model = trainable_model(base, settings)
    if args.init:
        restore(model, read_adapter(args.init))
    optimizer = torch.optim.AdamW(
        trained_parameters(model).values(), lr=0.0, betas=(0.9, 0.98), weight_decay=settings.weight_decay
    )
    first, seconds = load_checkpoint(args.out, model, optimizer)
    sample = read_texts(args.heldout)[::4] if args.heldout else []
    stream = islice(training_batches(args, tokenizer, settings), first, settings.steps)
    began, average = time.monotonic() - seconds, 0.0
    for done, windows in enumerate(stream, start=first + 1):
        loss = take_step(model, optimizer, windows, tokenizer, done - 1, settings)
        average = loss if average == 0.0 else 0.98 * average + 0.02 * loss
        spent = time.monotonic() - began
        if done % 20 == 0:
            print(progress_line(done, settings.steps, average, spent), flush=True)
        if done % args.checkpoint_every == 0 or done == settings.steps:
            save_checkpoint(args.out, model, optimizer, done, spent)
        if sample and done % args.evaluate_every == 0:
            print(f"step {done}  a quarter of held out: {evaluate(model.get_base_model(), tokenizer, sample)}")
    return model, time.monotonic() - began


def progress_line(done: int, steps: int, loss: float, seconds: float) -> str:
    """Say how far the run is, how well it does and how long it will take."""
    pace = seconds / done
    return f"step {done}/{steps}  loss {loss:.3f}  {pace:.2f} s/step  {(steps - done) * pace / 60:.0f} min left"


# --- files ------------------------------------------------------------------------------------------------


def save_checkpoint(
    folder: Path, model: PeftModel, optimizer: torch.optim.Optimizer, step: int, seconds: float
) -> None:
    """Store what a continued run needs, by one rename; batches and masks follow from seed and step."""
    partial = folder / "checkpoint.partial"
    trained = {name: parameter.detach() for name, parameter in trained_parameters(model).items()}
    torch.save({"model": trained, "optimizer": optimizer.state_dict(), "step": step, "seconds": seconds}, partial)
    partial.replace(folder / "checkpoint.pt")


def load_checkpoint(folder: Path, model: PeftModel, optimizer: torch.optim.Optimizer) -> tuple[int, float]:
    """Restore model and optimizer, if there is a checkpoint; return the steps taken and their seconds."""
    path = folder / "checkpoint.pt"
    if not path.exists():
        return 0, 0.0
    state = torch.load(path, weights_only=True)
    restore(model, {plain_name(name): value for name, value in state["model"].items()})
    optimizer.load_state_dict(state["optimizer"])
    return int(state["step"]), float(state["seconds"])


def write_atomically(path: Path, content: bytes) -> None:
    """Write ``content`` beside ``path`` and rename: a reader never sees half a file."""
    partial = path.with_name(path.name + ".partial")
    with partial.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    partial.replace(path)


def file_facts(path: Path) -> dict[str, str]:
    """Identify a file by name and content, not by where it lies."""
    return {"file": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


def write_adapter(args: argparse.Namespace, settings: Settings, base: Path, model: PeftModel, seconds: float) -> None:
    """Write the trained parameters in half precision, and the facts about them, to the output folder."""
    trained = sorted(trained_parameters(model).items())
    content = save({name: parameter.detach().to(torch.float16).contiguous() for name, parameter in trained})
    write_atomically(args.out / "adapter.safetensors", content)
    facts: dict[str, Any] = {
        "format_version": ADAPTER_FORMAT,
        "base": {"package": BASE_PACKAGE, "version": BASE_VERSION, "weights_sha256": BASE_SHA256},
        "adapter_sha256": hashlib.sha256(content).hexdigest(),
        "lora": {"r": settings.rank, "alpha": settings.alpha, "bias": "all", "target_modules": TARGETS},
        "training": asdict(settings) | {"minutes": round(seconds / 60, 1)},
        "started_from": file_facts(args.init) if args.init else None,
        "text": [file_facts(path) | {"share": share} for path, share in zip(args.text, args.share, strict=True)],
    }
    if args.heldout:
        figures = evaluate_adapter(args.out, base, args.heldout, settings)
        facts["held_out"] = file_facts(args.heldout) | {name: asdict(found) for name, found in figures.items()}
        print(figures)
    write_atomically(args.out / "adapter.json", (json.dumps(facts, indent=2) + "\n").encode())


# --- command ----------------------------------------------------------------------------------------------


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    defaults = Settings()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add(
        "--text",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="training text, one per line, or the column Text of a .tsv; .gz is unpacked; repeatable",
    )
    add("--share", type=float, action="append", help="share of each --text among the windows (default: equal)")
    add("--heldout", type=Path, metavar="FILE", help="text to evaluate on; must not be among --text")
    add("--base", type=Path, metavar="DIR", help="folder of the base model (default: the installed package)")
    add("--init", type=Path, metavar="ADAPTER", help="adapter to start from (default: the untrained head)")
    add("--out", type=Path, metavar="DIR", help="folder of the checkpoint and the adapter")
    add("--evaluate", type=Path, metavar="ADAPTER", help="evaluate this adapter on --heldout and train nothing")
    add("--steps", type=int, default=defaults.steps, help="steps in all (default: %(default)s)")
    add("--learning-rate", type=float, default=defaults.learning_rate, help="peak rate (default: %(default)s)")
    add("--masked", type=float, default=defaults.masked, help="share of pieces to restore (default: %(default)s)")
    add("--seed", type=int, default=defaults.seed, help="seed of windows, batches, masks and LoRA")
    add("--threads", type=int, default=2, help="processor threads (default: %(default)s)")
    add("--checkpoint-every", type=int, default=100, metavar="STEPS")
    add("--evaluate-every", type=int, default=200, metavar="STEPS", help="evaluate on a quarter of --heldout")
    args = parser.parse_args(argv)
    args.share = args.share or [1 / len(args.text) for _ in args.text]
    check(parser, args)
    return args


def check(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """Refuse arguments that cannot work, before anything is loaded."""
    if args.evaluate and not args.heldout:
        parser.error("--evaluate needs --heldout FILE")
    if not args.evaluate and not (args.text and args.out):
        parser.error("training needs --text FILE and --out DIR")
    if args.share and len(args.share) != len(args.text):
        parser.error(f"{len(args.text)} --text but {len(args.share)} --share; give one share per text, or none")
    if args.heldout and args.heldout.resolve() in {path.resolve() for path in args.text}:
        parser.error("--heldout is among --text; figures on training text say nothing")


def main(argv: Sequence[str] | None = None) -> None:
    """Train or evaluate, as the command line says."""
    args = parse(argv)
    torch.set_num_threads(args.threads)
    base = args.base or minilm_base_folder()
    settings = Settings(seed=args.seed, steps=args.steps, learning_rate=args.learning_rate, masked=args.masked)
    if args.evaluate:
        for corruption, figures in evaluate_adapter(args.evaluate, base, args.heldout, settings).items():
            print(f"{corruption}: {figures}")
        return
    args.out.mkdir(parents=True, exist_ok=True)
    model, seconds = train(args, settings, base)
    write_adapter(args, settings, base, model, seconds)


if __name__ == "__main__":
    torch.set_flush_denormal(True)  # of the whole process: here, so that nobody who calls main inherits it
    main(sys.argv[1:])
