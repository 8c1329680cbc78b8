"""Capabilities follow from the methods of a model, and checking them loads nothing."""

import re

import pytest

import biascheck
from biascheck.core.errors import CapabilityError
from biascheck.models.base import capabilities_in_words, capabilities_of, require_capability
from biascheck.models.fakes import ContinuationTable, FunctionEncoder, ReplyTable, SentenceTable, TableModel
from biascheck.models.local.causal import TransformersCausalModel, TransformersChatModel
from biascheck.models.local.transformers import TransformersMaskedModel
from biascheck.models.wrappers import TextClassifier

STATES = {"embeds words", "embeds words in context", "embeds sentences"}


def unloaded(adapter):
    def never():
        raise AssertionError("asking for a capability loads the weights")

    return adapter(never, name="lazy", fingerprint=None)


@pytest.mark.parametrize(
    ("model", "capabilities", "words"),
    [
        (TableModel({}, {}), {"fills masks"}, "table is a masked language model: it fills masks"),
        (SentenceTable({}), {"scores text"}, "sentences is a causal language model: it scores text"),
        (TextClassifier(len, name="c"), {"rates text"}, "c is a text classifier: it rates text"),
        (
            FunctionEncoder(lambda _word, _text: None, name="e"),
            STATES,
            "e is an encoder: it embeds words in context and embeds sentences",
        ),
        (
            biascheck.load_vectors((["she"], [[1.0]])),
            {"embeds words"},
            "vectors is a table of word vectors: it embeds words",
        ),
        (
            unloaded(TransformersMaskedModel),
            {"fills masks", "scores continuations", "scores masked text", *STATES},
            "lazy is a masked language model: it fills masks, scores masked text, scores continuations, embeds words "
            "in context and embeds sentences",
        ),
        (
            unloaded(TransformersCausalModel),
            {"scores text", "scores continuations", "generates", *STATES},
            "lazy is a causal language model: it scores text, scores continuations, generates, embeds words "
            "in context and embeds sentences",
        ),
        (
            unloaded(TransformersChatModel),
            {"scores text", "scores continuations", "chats", "generates", *STATES},
            "lazy is a causal language model: it scores text, scores continuations, chats, generates, embeds words "
            "in context and embeds sentences",
        ),
        (
            ContinuationTable({}),
            {"scores continuations", "chats"},
            "continuations is a language model: it scores continuations and chats",
        ),
        (
            ReplyTable({}),
            {"generates"},
            "replies is a generator of text: it generates",
        ),
        (object(), set(), "object (object) has no capability that biascheck knows, see biascheck.extend"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_capabilities_follow_from_methods(model, capabilities, words):
    assert capabilities_of(model) == capabilities
    assert capabilities_in_words(model) == words


def test_one_of_the_needs_is_enough():
    model = TableModel({}, {})
    require_capability(model, ("scores text", "fills masks"), "skew")
    require_capability(model, (), "anything")
    with pytest.raises(
        CapabilityError,
        match=r"^table is a masked language model: it fills masks; WEAT needs a model that embeds words$",
    ):
        require_capability(model, ("embeds words",), "WEAT")


def test_the_refusal_of_a_measure_names_model_and_needs():
    vectors = biascheck.load_vectors((["she"], [[1.0]]))
    with pytest.raises(CapabilityError) as refused:
        biascheck.measures.skew(vectors, biascheck.corpora.winograd("T1"))
    assert str(refused.value) == (
        "vectors is a table of word vectors: it embeds words; skew needs a model that fills masks or scores text"
    )


def test_a_kind_need_not_be_written_on_a_model():
    class Own:
        name, fingerprint = "own", "o" * 64

        def fill(self, queries, *, masking=None, multi_token="joint"):  # noqa: ARG002
            return TableModel({}, {"he": 0.5, "she": 0.5}).fill(queries)

    jobs = biascheck.corpora.corpus_from_templates(
        "jobs",
        templates=["{target} is a {attribute}."],
        targets=[{"male": "he", "female": "she"}],
        attributes=list("abcdef"),
    )
    assert biascheck.measures.association(Own(), jobs).estimate == 0


def test_no_code_asks_for_the_kind_of_a_model():
    from pathlib import Path

    package = Path(biascheck.__file__).parent
    folders = [package / part for part in ("measures", "plugin", "debias")] + [package.parent / "suites"]
    asked = [
        f"{path.name}: {line.strip()}"
        for folder in folders
        for path in folder.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"model\.kind\b|base\.kind\b|getattr\(\w+, \"kind\"", line)
    ]
    assert asked == []
