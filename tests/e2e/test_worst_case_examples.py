"""The examples of worst cases, run as a reader would run them: each finds what there is to find."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

EXAMPLES = Path(__file__).parents[2] / "examples" / "worst_cases"


def run_example(pytester, name):
    pytest.importorskip("hypothesis", reason="needs Hypothesis: pip install 'pytest-biascheck[worst-cases]'")
    pytester.makepyfile(**{name: (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")})
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", "--bias-seed", "0")


def test_the_scikit_learn_classifier_has_a_sentence_that_breaks_it(pytester):
    pytest.importorskip("sklearn", reason="needs scikit-learn: pip install 'pytest-biascheck[local]'")
    run = run_example(pytester, "test_sklearn_classifier")
    run.assert_outcomes(failed=2)
    run.stdout.fnmatch_lines(["*FAIL: 2 tests failed a gate (0 gates; 2 searches: 2 found)*"])
    assert (pytester.path / "bias" / "worst_cases.jsonl").is_file()


def save_pipeline(folder, scale):
    """A classifier of two classes whose head has random weights times ``scale``: with 0, every text is rated ½."""
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz.,“”"]
    vocabulary = {piece: number for number, piece in enumerate([*pieces, *(f"##{one}" for one in pieces[5:])])}
    core = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    core.normalizer, core.pre_tokenizer = normalizers.BertNormalizer(), pre_tokenizers.BertPreTokenizer()
    names = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
    transformers.PreTrainedTokenizerFast(tokenizer_object=core, **names).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        initializer_range=1.0,  # so that one word changes much
        id2label={0: "NEGATIVE", 1: "POSITIVE"},
    )
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        model = transformers.BertForSequenceClassification(config)
        model.classifier.weight.mul_(scale)
    model.save_pretrained(folder)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Made before any pytester, which forgets what is imported during its test; torch cannot be imported twice."""
    folder = tmp_path_factory.mktemp("pipelines")
    for name, scale in (("fair", 0), ("by chance", 10)):
        save_pipeline(folder / name, scale)
    return folder


@pytest.mark.parametrize(
    ("name", "outcome", "verdict"), [("fair", "passed", "none found"), ("by chance", "failed", "found")]
)
def test_the_pipeline_is_searched_where_there_is_no_hub(folders, pytester, monkeypatch, name, outcome, verdict):
    monkeypatch.setenv("SENTIMENT_MODEL", str(folders / name))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    run = run_example(pytester, "test_transformers_pipeline")
    run.assert_outcomes(**{outcome: 2})
    run.stdout.fnmatch_lines([f"*2 searches: 2 {verdict}*"])


def test_the_pipeline_example_says_what_it_needs(pytester, monkeypatch):
    monkeypatch.delenv("SENTIMENT_MODEL", raising=False)
    run = run_example(pytester, "test_transformers_pipeline")
    run.assert_outcomes(skipped=2)
