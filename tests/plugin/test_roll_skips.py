"""What a model cannot do is skipped, with one uniform reason; outside bias tests it is an error."""

import pytest

SUITE = """
    import pytest
    import biascheck

    @pytest.fixture(scope="session")
    def vectors():
        return biascheck.load_vectors((["he", "she"], [[1.0, 0.0], [0.0, 1.0]]), name="mine")

    @pytest.fixture(scope="session")
    def measured(vectors):
        return biascheck.measures.association(vectors, biascheck.corpora.religion())

    @pytest.mark.bias
    def test_in_the_test(vectors):
        biascheck.measures.skew(vectors, biascheck.corpora.winograd("T1"))

    @pytest.mark.bias
    def test_in_a_fixture(measured):
        raise AssertionError("never called")

    @pytest.mark.bias
    def test_in_a_fixture_that_has_failed_before(measured):
        raise AssertionError("never called")

    @pytest.mark.bias
    def test_an_error_of_another_kind_is_an_error(vectors):
        biascheck.load_vectors("nowhere.txt")
"""
REASON = "mine is a table of word vectors: it embeds words; {} needs a model that fills masks or scores text"
OTHER_PEOPLES = """
    import biascheck

    def test_own_unit_test():
        vectors = biascheck.load_vectors((["he"], [[1.0]]), name="mine")
        biascheck.measures.skew(vectors, biascheck.corpora.winograd("T1"))
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_the_refusal_is_the_reason(project, workers):
    run = project(SUITE, "-rs", *workers)
    run.assert_outcomes(skipped=3, failed=1)
    run.stdout.fnmatch_lines_random(
        [f"SKIPPED*{REASON.format('association')}", f"SKIPPED*{REASON.format('skew')}", "*no file 'nowhere.txt'*"]
    )


def test_a_test_that_is_not_about_bias_sees_the_error(project):
    run = project(OTHER_PEOPLES)
    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines([f"*CapabilityError: {REASON.format('skew')}"])


def test_a_table_of_vectors_makes_no_classifier(project, pytester):
    (pytester.path / "mine.txt").write_text("he 1 0\nshe 0 1\n", encoding="utf-8")
    suite = "def test_delta(bias_classifier):\n    bias_classifier()\n"
    run = project(suite, "-rs", "--bias-model", f"vectors:{pytester.path / 'mine.txt'}")
    run.assert_outcomes(skipped=1)
    run.stdout.fnmatch_lines(
        ["SKIPPED*mine is a table of word vectors: it embeds words; *rates text, fills masks or embeds sentences"]
    )


READS = """
    import pytest
    import biascheck

    @pytest.mark.bias(judges=False)
    def test_reads(bias_model, bias_skip_unless_readable):
        corpus = biascheck.corpora.religion()
        bias_skip_unless_readable(biascheck.measures.association, bias_model, corpus, "about religion")
        biascheck.show(biascheck.measures.association(bias_model, corpus, contrast=("christian", "muslim")))
"""


@pytest.mark.usefixtures("torch_is_loaded")
def test_a_model_that_cannot_read_is_skipped_before_anything_is_measured(project):
    run = project(READS, "-rs", "--bias-model", "reference:tiny")
    run.assert_outcomes(skipped=1)
    run.stdout.fnmatch_lines(["SKIPPED*reference:tiny cannot read about religion: *"])


@pytest.mark.usefixtures("torch_is_loaded")
def test_a_model_that_reads_is_measured(project):
    project(READS, "--bias-model", "minilm-mlm").assert_outcomes(passed=1)


@pytest.mark.usefixtures("torch_is_loaded")
def test_a_plan_counts_what_a_model_may_turn_out_to_read(project):
    run = project(READS, "--bias-model", "reference:tiny", "--bias-plan")
    run.stdout.fnmatch_lines(["reference:tiny: * distinct inputs*"])
