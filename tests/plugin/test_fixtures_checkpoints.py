"""Debiased checkpoints as fixtures: made once, whoever asks, and found again by the next run."""

import json

import pytest

# First imported here: pytester forgets what a run imports, and torch and numpy cannot be imported twice.
import biascheck.mitigation
import biascheck.reference.lessons  # noqa: F401

SUITE = """
    import json, os
    import pytest
    import biascheck
    from biascheck.corpora import Documents
    from biascheck.mitigation import LanguageRecipe, language as language_models

    RECIPE = LanguageRecipe(name="quick", epochs=1, batch=8, freeze_embeddings=False, validation=0.2)
    TEXT = Documents.of("text", [f"{who} works as a {job}." for who in ("he", "she") for job in "abcdefghij"])

    @pytest.fixture(scope="session", autouse=True)
    def trained():
        build = language_models._build

        def told(*arguments, **options):
            with open(os.environ["TRAINED"], "a") as stream:
                stream.write(json.dumps(options["recipe"].name) + chr(10))
            return build(*arguments, **options)

        language_models._build = told
        yield
        language_models._build = build

    @pytest.mark.parametrize("number", range(4))
    def test_debiased(number, bias_debiased_model):
        model = bias_debiased_model(RECIPE, TEXT)
        assert (model.name, model.treatment) == ("reference:tiny", ("quick",))

    @pytest.mark.parametrize("number", range(2))
    def test_pair(number, bias_finetuned_pair):
        augmented, unaugmented = bias_finetuned_pair(TEXT, epochs=1, patience=1)
        assert augmented.fingerprint != unaugmented.fingerprint
        assert augmented.treatment == ("manela2021-augmented",)
        assert unaugmented.treatment == ("manela2021-unaugmented",)
"""


@pytest.mark.parametrize("processes", [(), ("-n", "2")], ids=["plain", "xdist"])
def test_a_checkpoint_is_made_once_for_all_tests_workers_and_runs(project, monkeypatch, tmp_path, processes):
    monkeypatch.setenv("TRAINED", str(tmp_path / "trained"))
    for _ in range(2):
        project(SUITE, "--bias-model", "reference:tiny", *processes).assert_outcomes(passed=6)
    made = [json.loads(line) for line in (tmp_path / "trained").read_text().splitlines()]
    assert sorted(made) == ["manela2021-augmented", "manela2021-unaugmented", "quick"]


def test_the_text_of_the_run_is_ours_or_gap(project, shared_data):
    suite = """
        def test_text(bias_text):
            print(f"<{bias_text.name}>")
    """
    for options, name in (((), "reviews and workplaces"), (("--bias-data", str(shared_data)), "gap-development")):
        run = project(suite, "-s", *options)
        run.assert_outcomes(passed=1)
        assert f"<{name}>" in run.stdout.str()


def test_an_adapter_without_its_library_is_not_tested_and_says_what_to_install(project, monkeypatch):
    monkeypatch.setattr("biascheck.plugin.fixtures.is_installed", lambda name: name != "peft")
    suite = """
        import pytest

        @pytest.mark.bias
        def test_debiased(bias_debiased_model):
            bias_debiased_model("lora")
    """
    run = project(suite, "--bias-model", "reference:tiny")
    run.assert_outcomes(skipped=1)
    run.stdout.fnmatch_lines(["*which needs peft: pip install 'pytest-biascheck[[]lora]'*"])
