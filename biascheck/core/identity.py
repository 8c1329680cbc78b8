"""Identities: digests of model files, of models in memory, and of the code that makes a figure."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import sys
import sysconfig
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from biascheck.core.errors import ModelError
from biascheck.core.store import DocumentCache, active_cache, digest_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# Digests by which a model is known: its weights and settings, its tokenizer, its precision.

READ_AT_ONCE = 1 << 22
CACHED_FROM_BYTES = 1 << 20
"""Bytes of a file whose digest is worth keeping for the next run."""
SETTLED_AFTER = 2.0
"""Seconds. A file that changed later than this before it was read may change again within one tick of its clock."""

FileState = tuple[int, int, int, int, int]
_known: dict[tuple[str, FileState], str] = {}


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What two models must share to be the same model to us."""

    weights: str
    tokenizer: str
    dtype: str

    @property
    def digest(self) -> str:
        """One digest of all three."""
        return hashlib.sha256("\n".join((self.weights, self.tokenizer, self.dtype)).encode()).hexdigest()


def fingerprint_of_files(
    root: Path, weights: Iterable[Path], tokenizer: Iterable[Path], dtype: str, *, settings: Iterable[str] = ()
) -> Fingerprint:
    """Fingerprint a model on disk without loading it.

    Files count by their path relative to ``root`` and their bytes. ``settings`` are options that change what
    loading makes of the same files.
    """
    return Fingerprint(_of_files(root, weights, settings), _of_files(root, tokenizer), dtype)


def fingerprint_of_pair(model: Any, tokenizer: Any) -> Fingerprint:
    """Fingerprint a model in memory: its class and settings, every tensor with its name, and the tokenizer."""
    digest = hashlib.sha256(settings_of_model(model).encode())
    for name, tensor in sorted(model.state_dict().items()):
        if tensor.device.type == "meta":
            raise ModelError(f"{name} is not in memory, so the model has no fingerprint; load it by its folder")
        digest.update(f"{name}{tuple(tensor.shape)}{tensor.dtype}".encode())
        for part in plain_tensors(tensor):
            flat = part.cpu().contiguous().flatten()
            digest.update(memoryview(flat.view(dtype=_byte_type()).numpy()))
    text = f"{_vocabulary(tokenizer)}\n{settings_of_tokenizer(tokenizer)}"
    return Fingerprint(digest.hexdigest(), hashlib.sha256(text.encode()).hexdigest(), str(model.dtype).split(".")[-1])


def plain_tensors(tensor: Any) -> Iterator[Any]:
    """What holds the numbers of a tensor: itself, or the tensors inside a quantised one; none where it is offloaded."""
    from torch.utils._python_dispatch import is_traceable_wrapper_subclass

    if tensor.device.type == "meta":
        return
    if not is_traceable_wrapper_subclass(tensor):
        yield tensor.detach()
        return
    names, _ = tensor.__tensor_flatten__()
    for part in (getattr(tensor, name) for name in names):
        if part is not None:
            yield from plain_tensors(part)


def settings_of_model(model: Any) -> str:
    """The class, the configuration and the adapters of a model in memory."""
    adapters = {name: str(adapter) for name, adapter in sorted(getattr(model, "peft_config", {}).items())}
    return "\n".join((type(model).__name__, model.config.to_json_string(), json.dumps(adapters)))


def settings_of_tokenizer(tokenizer: Any) -> str:
    """The settings of a tokenizer besides its vocabulary: its special tokens, its limit, its template."""
    special = {name: str(token) for name, token in getattr(tokenizer, "special_tokens_map", {}).items()}
    named = ("model_max_length", "chat_template", "padding_side", "truncation_side")
    options = {name: str(getattr(tokenizer, name, None)) for name in named}
    return json.dumps([special, options], sort_keys=True)


def _vocabulary(tokenizer: Any) -> str:
    return str(tokenizer.backend_tokenizer.to_str()) if getattr(tokenizer, "is_fast", False) else repr(tokenizer)


def _byte_type() -> Any:
    import torch

    return torch.uint8


def _of_files(root: Path, paths: Iterable[Path], settings: Iterable[str] = ()) -> str:
    digest = hashlib.sha256()
    named = {os.path.relpath(path, root).replace(os.sep, "/"): path for path in paths}
    for name, path in sorted(named.items()):
        digest.update(f"{name}:{sha256_of(path)}\n".encode(errors="surrogateescape"))
    for setting in settings:
        digest.update(f"{setting}\n".encode())
    return digest.hexdigest()


def state_of(path: Path) -> FileState:
    """What the file system says of a file: it changes whenever the file is replaced or written to."""
    found = path.stat()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's bytes; a file that did not change is read once per process.

    Where results are kept, so are the digests of large files: weights are not read again for a run that needs none.
    """
    state = state_of(path)
    key = (str(path.absolute()), state)
    if key in _known:
        return _known[key]
    settled = time.time() - max(state[3:]) / 1e9 > SETTLED_AFTER
    cache = (active_cache() if settled and state[2] >= CACHED_FROM_BYTES else None) or DocumentCache(None)
    place = digest_of(["sha256 of a file", *key])
    digest = str(cache.fetch(place, lambda: _read(path)))
    if state_of(path) != state:
        cache.forget(place)
    elif settled:
        _known[key] = digest
    return digest


def _read(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(READ_AT_ONCE):
            digest.update(block)
    return digest.hexdigest()


# Fingerprints of what is in memory and may change there: trained on, loaded over, edited in place.
#
# Version counters of torch would be cheaper still, but writing through ``param.data`` or NumPy does not move
# them. So the numbers themselves are added up, at about the speed of memory, and digested again only where the
# sums differ.

BLOCK = 4_096
SMALL = 1 << 20


class LiveFingerprint:
    """The fingerprint of a (model, tokenizer) pair at the moment it is asked for.

    ``known`` is the fingerprint of the pair as it is now, where it has one already: that of its files. Weights that
    were offloaded to disk are not in memory, so that a change of them there is not seen.
    """

    def __init__(self, model: Any, tokenizer: Any, known: Fingerprint | None = None) -> None:
        self._pair = (model, tokenizer)
        self._known: dict[bytes, Fingerprint] = {}
        self._known[self._checksum()] = known or fingerprint_of_pair(model, tokenizer)

    def __call__(self) -> Fingerprint:
        """Digest the pair, unless it is as it was before."""
        checksum = self._checksum()
        if checksum not in self._known:
            self._known[checksum] = fingerprint_of_pair(*self._pair)
        return self._known[checksum]

    def _checksum(self) -> bytes:
        model, tokenizer = self._pair
        digest = hashlib.sha256(settings_of_model(model).encode())
        for name, tensor in sorted({**dict(model.named_parameters()), **dict(model.named_buffers())}.items()):
            digest.update(f"{name}{tuple(tensor.shape)}{tensor.dtype}".encode())
            for part in plain_tensors(tensor):
                digest.update(_checksum_of_tensor(part))
        digest.update(f"{len(tokenizer)}{settings_of_tokenizer(tokenizer)}{_steps(tokenizer)}".encode())
        return digest.digest()


def checksum_of(numbers: NDArray[Any]) -> bytes:
    """A digest of small arrays, sums by blocks of large ones: another number or another order changes it."""
    import numpy as np

    flat = np.ascontiguousarray(numbers).reshape(-1).view(np.uint8)
    if flat.size <= SMALL:
        return hashlib.sha256(flat.data).digest()
    whole = flat.size // (8 * BLOCK) * 8 * BLOCK
    sums = np.einsum("ij,j->i", flat[:whole].view(np.uint64).reshape(-1, BLOCK), _weights())
    return hashlib.sha256(sums.tobytes() + flat[whole:].tobytes()).digest()


@cache
def _weights() -> NDArray[np.uint64]:
    """Odd weights are invertible modulo 2**64, so that one changed number always changes the sum of its block."""
    import numpy as np

    return np.arange(1, 2 * BLOCK, 2, dtype=np.uint64)


def _checksum_of_tensor(tensor: Any) -> bytes:
    import torch

    flat = tensor.detach().contiguous().flatten().view(torch.uint8)
    if flat.device.type == "cpu":
        return checksum_of(flat.numpy())
    whole = len(flat) // BLOCK * BLOCK
    blocks = flat[:whole].view(-1, BLOCK)
    # Only sums leave the device; along both axes, since the order of a block does not change its sum.
    parts = (blocks.sum(dim=1, dtype=torch.int64), blocks.sum(dim=0, dtype=torch.int64), flat[whole:])
    return hashlib.sha256(b"".join(part.cpu().numpy().tobytes() for part in parts)).digest()


def _steps(tokenizer: Any) -> str:
    backend = getattr(tokenizer, "backend_tokenizer", None)
    names = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
    return "\n".join([*(repr(getattr(backend, name, None)) for name in names), str(id(backend))])


# Digests of the code that makes a figure: a result in the cache must not outlive the code it came from.
#
# The digest covers every module of this package that can change a figure, and, for a measure of the user's own,
# the modules that it is made of, as far as they belong to the user. It does not see values that a measure
# closes over.

PACKAGE = Path(__file__).resolve().parents[1]
WITHOUT_FIGURES = ("report", "plugin", "cli", "calibration", "suites", "papers")
"""Rooms that show figures and make none."""


@cache
def package_code(room: str = "") -> str:
    """A digest of the modules and word lists of this package, or of one room of it."""
    if not (home := PACKAGE / room).is_dir():
        raise LookupError(f"the package has no room {room!r}, so a digest of its code would never change")
    digest = hashlib.sha256()
    for path in sorted(home.rglob("*")):
        inside = path.relative_to(PACKAGE)
        if path.suffix in (".py", ".tsv", ".txt") and inside.parts[0] not in WITHOUT_FIGURES:
            digest.update(f"{inside.as_posix()}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def code_of_measure(function: Callable[..., Any]) -> str:
    """A digest of this package and of the user's modules that a measure is made of."""
    digest = hashlib.sha256(package_code().encode())
    function = inspect.unwrap(function)
    files = sorted(set(_own_files(sys.modules.get(function.__module__), set())))
    for path in files:
        digest.update(path.read_bytes())
    if not files and not _is_ours(function.__code__.co_filename):
        digest.update(function.__code__.co_code + repr(function.__code__.co_consts).encode())
    return digest.hexdigest()


def _own_files(module: ModuleType | None, seen: set[str]) -> Iterator[Path]:
    """The file of a module and of what it imports, as long as it is neither ours nor installed."""
    file = getattr(module, "__file__", None)
    if module is None or file is None or module.__name__ in seen or _is_ours(file) or _is_installed(file):
        return
    seen.add(module.__name__)
    if Path(file).is_file():
        yield Path(file)
    for value in list(vars(module).values()):
        name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
        if isinstance(name, str):
            yield from _own_files(sys.modules.get(name), seen)


def _is_ours(file: str) -> bool:
    return Path(file).resolve().is_relative_to(PACKAGE)


@cache
def _is_installed(file: str) -> bool:
    places = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    return any(Path(file).resolve().is_relative_to(Path(place).resolve()) for place in places if place)
