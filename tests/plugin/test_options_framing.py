"""``--bias-framing`` from the command line and from pyproject.toml."""

import pytest

SUITE = """
    import biascheck

    JOBS = biascheck.corpora.corpus_from_templates(
        "jobs",
        templates=["{target} is a {attribute}."],
        targets=[{"male": "he", "female": "she"}],
        attributes=["nurse", "judge", "baker", "pilot", "cook", "guard"],
        fillers=["person"],
    )

    def test_jobs(bias_model):
        result = biascheck.measures.association(bias_model, JOBS)
        reason = "random weights read nothing, and show how a run goes"
        biascheck.assert_association_within(result, margin=99, competence="ignore", reason=reason)
"""
TEMPLATE = "{% for turn in messages %}<u>{{ turn['content'] }}</u>{% endfor %}<a>"


@pytest.fixture
def folder(pytester, torch_is_loaded):  # noqa: ARG001
    """A tiny GPT-2 of letters, with or without a chat template."""
    import torch
    import transformers as hf
    from tokenizers import Tokenizer, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {"<|endoftext|>": 0, **{letter: number + 1 for number, letter in enumerate(alphabet)}}

    def make(template):
        tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        ends = {"bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>"}
        fast = hf.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **ends)
        fast.chat_template = template
        torch.manual_seed(0)
        config = hf.GPT2Config(vocab_size=257, n_positions=128, n_embd=8, n_layer=1, n_head=1)
        hf.GPT2LMHeadModel(config).save_pretrained(pytester.path / "m")
        fast.save_pretrained(pytester.path / "m")

    return make


def results(pytester):
    from biascheck.runs.file import read_results

    return read_results(pytester.path / "results.json")[0]


ARGUMENTS = ("--bias-model", "m", "--bias-results", "results.json")


def test_chat_framing_is_asked_for_and_shown(project, folder, pytester):
    folder(TEMPLATE)
    run = project(SUITE, *ARGUMENTS, "--bias-framing", "chat")
    run.assert_outcomes(passed=1)
    [result] = results(pytester)
    assert (result.treatment, result.warnings) == (("chat",), ())
    assert result.provenance.model["framing"] == "chat"


def test_raw_is_the_default_and_carries_a_note(project, folder, pytester):
    folder(TEMPLATE)
    run = project(SUITE, *ARGUMENTS)
    run.assert_outcomes(passed=1)
    run.stdout.fnmatch_lines(["*m is an instruct model and was scored raw*"])
    [result] = results(pytester)
    assert result.treatment == ()


def test_auto_of_pyproject_leaves_a_base_model_raw(project, folder, pytester):
    folder(None)
    run = project(SUITE, *ARGUMENTS, pyproject='[tool.biascheck]\nframing = "auto"\n')
    run.assert_outcomes(passed=1)
    [result] = results(pytester)
    assert (result.treatment, result.warnings) == ((), ())


def test_chat_without_a_template_is_an_error_in_one_line(project, folder):
    folder(None)
    run = project(SUITE, *ARGUMENTS, "--bias-framing", "chat")
    run.assert_outcomes(errors=1)
    run.stdout.fnmatch_lines(["m has no chat template; use framing 'raw', or 'auto' for several models"])


def test_another_word_is_refused(project):
    run = project(SUITE, "--bias-framing", "loud")
    assert "--bias-framing loud is not one of raw, chat, auto" in run.stderr.str() + run.stdout.str()
