"""Raw or by the chat template: how a model is asked, and what a reader must know of it."""

from __future__ import annotations

from typing import Any, Literal, get_args

from biascheck.errors import ModelError, UsageError
from biascheck.models.capabilities import capabilities_of, chats

__all__ = ["FramingChoice", "framing_note", "framing_of", "in_framing", "unframed"]

FramingChoice = Literal["raw", "chat", "auto"]
"""``auto`` asks a model by its chat template where it has one, and raw where it has none."""

READS_ON = {"scores text", "scores continuations", "generates"}
FRAMED = READS_ON | {"rates text"}
"""A model that is asked whether a text is positive is asked in a framing, too."""


def in_framing(model: Any, choice: FramingChoice) -> Any:
    """The model as it is to be asked. A model that is asked for no running text has no framing, and stays as it is."""
    if choice not in get_args(FramingChoice):
        raise UsageError(f"framing {choice!r} is not one of {', '.join(get_args(FramingChoice))}")
    if chats(model):
        return model.framed("raw" if choice == "raw" else "chat")
    found = capabilities_of(model)
    if getattr(model, "framing", None) == choice:  # an endpoint that does nothing but chat
        return model
    if choice == "chat" and found & READS_ON and "fills masks" not in found:
        raise ModelError(f"{model.name} has no chat template; use framing 'raw', or 'auto' for several models")
    return model


def unframed(model: Any) -> Any:
    """The model raw: what its weights and hidden states are does not depend on a framing."""
    return model.framed("raw") if chats(model) else model


def framing_of(model: Any, needs: tuple[str, ...]) -> str | None:
    """The framing of a model for a measure with these needs; ``None`` where there is no running text to frame."""
    if not FRAMED & set(needs) or "fills masks" in capabilities_of(model):
        return None
    found: str | None = getattr(model, "framing", None)
    return found


def framing_note(model: Any, needs: tuple[str, ...]) -> tuple[str, ...]:
    """What to say of an instruct model that is asked without its chat template."""
    if not chats(model) or framing_of(model, needs) != "raw":
        return ()
    return (
        f"{model.name} is an instruct model and was scored raw, without its chat template; --bias-framing chat, or "
        "model.framed('chat') in Python, asks it as it is used.",
    )
