"""Bias measured while transformers' own Trainer trains a tiny model."""

import pytest
import torch

import biascheck
from biascheck.core.errors import UsageError
from biascheck.runs.file import read_run
from biascheck.runs.trend import trends_of
from support.tiny import fresh_pair

pytest.importorskip("accelerate", reason="transformers' Trainer needs accelerate")
from transformers import Trainer, TrainingArguments

from biascheck.integrations.trainer import BiasCallback

JOBS = ("nurse", "plumber", "man", "woman", "day", "work")


@pytest.fixture(scope="module")
def corpus():
    """Six jobs in one template."""
    targets = [(biascheck.corpora.Target("son", "male"), biascheck.corpora.Target("daughter", "female"))]
    template = biascheck.corpora.Template("My {target} is a {attribute}.", "is-a")
    attributes = [biascheck.corpora.Attribute(job) for job in JOBS]
    pairs = biascheck.corpora.cross([template], targets, attributes)
    return biascheck.corpora.Corpus("jobs", ("male", "female"), pairs)


@pytest.fixture
def train(tmp_path, corpus):
    """Train for six steps, evaluating at every second, with a callback made of these options."""

    def run(check, **options):
        model, tokenizer = fresh_pair("bert-uncased")
        ids = tokenizer("My son is a nurse.", return_tensors="pt")["input_ids"][0]
        rows = [{"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": ids.clone()} for _ in range(12)]
        arguments = TrainingArguments(
            output_dir=str(tmp_path / "out"),
            max_steps=6,
            per_device_train_batch_size=2,
            learning_rate=0.01,
            eval_strategy="steps",
            eval_steps=2,
            save_strategy="no",
            report_to=[],
            use_cpu=True,
            disable_tqdm=True,
        )
        callback = BiasCallback(lambda asked: check(asked, corpus), tokenizer, name="tiny", **options)
        trainer = Trainer(model, arguments, train_dataset=rows, eval_dataset=rows[:2], callbacks=[callback])
        trainer.train()
        return trainer

    return run


def measured(model, corpus):
    return biascheck.measures.association(model, corpus)


def test_every_evaluation_leaves_a_figure_and_a_file(train, tmp_path, corpus):
    logged = []
    trainer = train(measured, folder=tmp_path / "runs", log=lambda figures, step: logged.append((step, figures)))
    name = "bias/association/jobs"
    history = [entry for entry in trainer.state.log_history if name in entry]
    assert [entry["step"] for entry in history] == [2, 4, 6] == [step for step, _ in logged]
    files = sorted((tmp_path / "runs").iterdir())
    assert [path.name for path in files] == ["step-0000002.json", "step-0000004.json", "step-0000006.json"]
    figures = [read_run(path).results[0].estimate for path in files]
    assert figures == [entry[name] for entry in history]
    assert len(set(figures)) == 3  # training moves it
    # the last figure is that of the model which the training returned
    trained = biascheck.load((trainer.model, fresh_pair("bert-uncased")[1]))
    assert measured(trained, corpus).estimate == pytest.approx(figures[-1], abs=1e-5)


def test_its_files_make_a_trend(train, tmp_path):
    train(measured, folder=tmp_path / "runs")
    runs = {path.stem: read_run(path) for path in sorted((tmp_path / "runs").iterdir())}
    (trend,) = trends_of(runs)
    assert [point.label for point in trend.points] == list(runs)


def demanding(model, corpus):
    reason = "random weights read nothing, and show how a run goes"
    biascheck.assert_association_within(
        biascheck.measures.association(model, corpus), margin=1e-9, competence="ignore", reason=reason
    )


@pytest.mark.parametrize(("on_failure", "steps"), [("log", 6), ("stop", 2)])
def test_a_failing_gate_is_logged_or_stops_the_training(train, tmp_path, on_failure, steps):
    trainer = train(demanding, on_failure=on_failure, folder=tmp_path / "runs")
    assert trainer.state.global_step == steps
    assert [entry["bias/failed_gates"] for entry in trainer.state.log_history if "bias/failed_gates" in entry] == [
        1.0
    ] * (steps // 2)
    assert read_run(tmp_path / "runs" / "step-0000002.json").verdict == "FAIL"


def test_a_failing_gate_may_be_raised_and_its_file_is_kept(train, tmp_path):
    with pytest.raises(biascheck.BiasAssertionError, match="association on tiny step 2"):
        train(demanding, on_failure="raise", folder=tmp_path / "runs")
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["step-0000002.json"]


def test_a_mistyped_option_is_refused():
    with pytest.raises(UsageError, match="'explode' is not one of log, stop, raise"):
        BiasCallback(measured, None, on_failure="explode")


@pytest.mark.filterwarnings("ignore::biascheck.core.errors.BiascheckWarning")
@pytest.mark.parametrize("check", [measured, lambda _model, _corpus: None], ids=["measured only", "nothing"])
def test_a_check_that_judged_nothing_stops_the_training(train, check):
    assert train(check, on_failure="stop").state.global_step == 2
    with pytest.raises(biascheck.BiasAssertionError, match="nothing was judged on tiny step 2, so nothing passed"):
        train(check, on_failure="raise")
