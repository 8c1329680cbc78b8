"""``--bias-plan``: what a run would cost is what it costs, and planning it leaves no trace."""

import re
import sys
import threading
import time

import pytest

import biascheck.mitigation  # noqa: F401 - pytester forgets what was first imported inside a run
from biascheck import cli
from biascheck.models.scoring.cost import CostEstimate, estimating
from biascheck.models.scoring.queries import SentenceQuery
from biascheck.models.served.model import load_served
from support.pretend_server import PretendServer
from support.served_jobs import JOBS, OPTIONS

TRAINED = """
    import pytest

    def test_trained(bias_classifier):
        bias_classifier("original")

    def test_of_someone_else():
        raise AssertionError("a plan runs tests of bias only")
"""


def test_as_many_texts_are_planned_as_are_asked(pytester, own_cache):
    pytester.makepyfile(test_bias=JOBS)
    with PretendServer("openai") as server:
        handshake = server.texts_of_handshake()
        run = (*OPTIONS, "--bias-model", server.spec, "--bias-results", "results.json")
        planned = pytester.runpytest(*run, "--bias-plan")
        shown = planned.stdout.str()
        assert planned.ret == 0, shown
        assert not server.answered.keys() - handshake
        assert not (pytester.path / "results.json").exists()
        assert not list(own_cache.rglob("results/*"))
        (count,) = re.findall(r"^pretend: (\d+) distinct inputs, [\d,]+ tokens, about ", shown, re.MULTILINE)
        assert pytester.runpytest(*run).ret == 0
        assert len(server.answered.keys() - handshake) == int(count)
        again = pytester.runpytest(*run, "--bias-plan")
    assert "nothing to ask: every result is in the cache" in again.stdout.str()
    assert (pytester.path / "results.json").exists()  # an earlier run's files are not touched


def test_training_is_named_and_other_tests_are_left_out(pytester):
    pytester.makepyfile(test_bias=TRAINED)
    pytester.makeconftest(
        """
        import pytest
        from biascheck.testing import TableModel

        @pytest.fixture(scope="session")
        def bias_model():
            return TableModel({}, {"he": 0.5, "she": 0.5})
        """
    )
    planned = pytester.runpytest(*OPTIONS, "--bias-plan")
    assert planned.ret == 0, planned.stdout.str()
    assert "not in it: 1 test that train a model first, which a plan does not" in planned.stdout.str()
    assert planned.parseoutcomes()["deselected"] == 1


def test_the_command_plans_the_tests_of_a_folder(pytester, monkeypatch, capfd):
    pytester.makepyfile(test_bias=JOBS)
    with PretendServer("llamacpp") as server:
        monkeypatch.setattr(sys, "argv", ["biascheck", "plan", "test_bias.py", "--bias-model", server.spec])
        with pytest.raises(SystemExit) as left:
            cli.main()
    assert left.value.code == 0
    assert "distinct inputs" in capfd.readouterr().out


def test_questions_are_counted_once_and_answered_by_nobody(server):
    model = load_served(server.spec)
    texts = ["He works.", "She works.", "He works."]
    asked = server.asked.total()
    with estimating(CostEstimate()) as estimate:
        answers = model.likelihood([SentenceQuery(text) for text in texts])
        assert model.generate(["Hello?"], max_tokens=1) == [""]
    assert server.asked.total() == asked
    assert len(answers) == 3
    (cost,) = estimate.costs.values()
    assert cost.inputs == 3  # two sentences and a prompt
    assert cost.seconds == pytest.approx(model.asker.pace.duration(3))
    assert load_served(server.spec).asker.missing([("sentence", "He works.")])


def test_what_gates_make_of_made_up_figures_is_not_shown(pytester):
    pytester.makepyfile(
        test_bias="""
        import biascheck as bc
        from biascheck.testing import TableModel

        def test_gate(bias_model):
            model = TableModel({}, {"he": 0.9, "she": 0.1})
            bc.assert_association_within(bc.measures.association(model, bc.corpora.bec_pro()), margin=0.1)
        """
    )
    pytester.makeconftest(
        """
        import pytest

        @pytest.fixture(scope="session")
        def bias_model():
            return None
        """
    )
    planned = pytester.runpytest(*OPTIONS, "--bias-plan", "-rs")
    shown = planned.stdout.str()
    assert planned.ret == 0, shown
    assert "planned up to here: figures of a plan are made up" in shown
    assert "exceeds" not in shown


def test_a_server_that_reads_one_text_at_a_time_is_not_expected_to_read_eight(server):
    one_at_a_time = threading.Lock()

    def slow(request):
        if request.path == "/completions":
            with one_at_a_time:
                time.sleep(0.01)

    server.faults.append(slow)
    model = load_served(server.spec, concurrency=8)
    assert model.asker.pace.concurrency == 8
    assert model.asker.pace.duration(100) >= 100 * 0.01
