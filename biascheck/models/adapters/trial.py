"""A trial of one forward pass: does the model run, and does it tell one word from another?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from biascheck.errors import ModelError
from biascheck.models.scoring.engine import evaluating

__all__ = ["TRIAL_TEXT", "refuse_constant"]

TRIAL_TEXT = "This is a text."


def refuse_constant(name: str, model: Any, run: Callable[[], Any]) -> None:
    """Refuse a model that fails, or that gives every token, class or dimension of a position the same number.

    ``run`` does the forward pass. All-zero weights give every word the same probability, so that every gap is 0 and
    every gate passes.
    """
    import torch

    try:
        with torch.inference_mode(), evaluating(model):
            outputs = run().float()
    except ModelError:
        raise
    except Exception as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise ModelError(
            f"{name}: a trial with one short text failed ({reason}); its config.json, weights and tokenizer may not "
            "belong together, or are damaged"
        ) from error
    if outputs.shape[-1] > 1 and bool((outputs.amax(dim=-1) == outputs.amin(dim=-1)).any()):
        raise ModelError(
            f"{name}: the outputs are constant (every one of the {outputs.shape[-1]:,} numbers is the same), so every "
            "measure would find parity; the weights are empty or damaged, load the trained ones"
        )
