"""Measure bias while a model is trained with transformers' Trainer."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal

from transformers import TrainerCallback

from biascheck.core.errors import BiasAssertionError, BiascheckWarning, UsageError
from biascheck.core.wording import escape_control
from biascheck.gates.families import recording
from biascheck.gates.gate import Gate
from biascheck.gates.search import Search
from biascheck.integrations.trackers import scores_of_run
from biascheck.models.local.loader import load
from biascheck.results.compare import Comparison
from biascheck.results.result import Result
from biascheck.runs.file import write_run
from biascheck.runs.run import Run

Check = Callable[[Any], "Result | Iterable[Result] | None"]
Moment = Literal["evaluate", "epoch", "save"]
OnFailure = Literal["log", "stop", "raise"]

__all__ = ["BiasCallback"]


class BiasCallback(TrainerCallback):  # type: ignore[misc]
    """Runs the same check repeatedly while a model is trained.

    ``check`` is called with the model as it is, loaded for measuring; it returns results, or asserts as a test does::

        def check(model):
            return bc.measures.association(model, bc.corpora.bec_pro().where(template="is-a"))

        Trainer(…, callbacks=[BiasCallback(check, tokenizer, folder="bias-runs")])

    ``at`` is the moment: after each evaluation, epoch or save. A failing assertion is logged, stops the training or is
    raised (``on_failure``); so is a check that asserted nothing, if the training shall stop or raise. Figures go to the
    trainer's log history and to ``log(figures, step)``, whole runs into ``folder``, one file for each step, which
    ``biascheck trend`` follows.
    """

    def __init__(
        self,
        check: Check,
        tokenizer: Any,
        *,
        at: Moment = "evaluate",
        on_failure: OnFailure = "log",
        folder: str | Path | None = None,
        log: Callable[[dict[str, float], int], None] | None = None,
        name: str = "model",
    ) -> None:
        for given, known in ((at, Moment), (on_failure, OnFailure)):
            if given not in known.__args__:  # type: ignore[attr-defined]
                raise UsageError(f"{given!r} is not one of {', '.join(known.__args__)}")  # type: ignore[attr-defined]
        self._check = check
        self._tokenizer = tokenizer
        self._at = at
        self._on_failure = on_failure
        self._folder = None if folder is None else Path(folder)
        self._log = log
        self._name = name

    def on_evaluate(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Measure after an evaluation."""
        self._measure_at("evaluate", args, state, control, kwargs["model"])

    def on_epoch_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Measure after an epoch."""
        self._measure_at("epoch", args, state, control, kwargs["model"])

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Measure after a checkpoint was saved."""
        self._measure_at("save", args, state, control, kwargs["model"])

    def _measure_at(self, moment: Moment, args: Any, state: Any, control: Any, model: Any) -> None:
        if moment != self._at or not args.should_save:  # of several processes, one measures
            return
        run, failure = self._measured(model, state.global_step)
        figures = scores_of_run(run)
        state.log_history.append({"step": state.global_step, "epoch": state.epoch, **figures})
        if self._log is not None:
            self._log(figures, state.global_step)
        if self._folder is not None:
            write_run(self._folder / f"step-{state.global_step:07}.json", run)
        if failure is None and self._on_failure != "log" and not (run.gates or run.comparisons or run.searches):
            failure = BiasAssertionError(
                f"nothing was judged on {self._name} step {state.global_step}, so nothing passed; assert a limit in "
                "the check, or only log with on_failure='log'"
            )
        if failure is not None and self._on_failure == "raise":
            raise failure
        if failure is not None and self._on_failure == "stop":
            warnings.warn(escape_control(f"the training stops: {failure}"), BiascheckWarning, stacklevel=2)
            control.should_training_stop = True

    def _measured(self, model: Any, step: int) -> tuple[Run, BiasAssertionError | None]:
        """The results and judgements of the check, and the assertion that failed, if any."""
        heard = _Heard()
        failure: BiasAssertionError | None = None
        training = model.training
        model.eval()
        try:
            with recording(heard):
                returned = self._check(load((model, self._tokenizer), name=f"{self._name} step {step}"))
            for result in _listed(returned):
                heard(None, result)
        except BiasAssertionError as error:
            failure = error
        finally:
            model.train(training)
        return heard.run, failure


class _Heard:
    """Collects judged and shown results, each once."""

    def __init__(self) -> None:
        self._judged: list[Gate | Comparison | Search] = []
        self._results: dict[Any, Result] = {}

    def __call__(self, judged: Gate | Comparison | Search | None, result: Result | None) -> None:
        if judged is not None:
            self._judged.append(judged)
        if result is not None:
            self._results.setdefault(result.key, result)

    @property
    def run(self) -> Run:
        return Run(
            results=tuple(self._results.values()),
            gates=tuple(one for one in self._judged if isinstance(one, Gate)),
            comparisons=tuple(one for one in self._judged if isinstance(one, Comparison)),
            searches=tuple(one for one in self._judged if isinstance(one, Search)),
        )


def _listed(returned: Result | Iterable[Result] | None) -> list[Result]:
    if returned is None:
        return []
    return [returned] if isinstance(returned, Result) else list(returned)
