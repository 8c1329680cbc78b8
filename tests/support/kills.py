"""Fine-tunings that are killed at random moments and taken up again.

A warm process, which never trains itself, forks one victim after another. A victim dies at a step, in the middle of
writing its state, between writing and renaming, or whenever a signal from outside reaches it. A kill counts only if the
victim was past its first step and before its last. After each, what is on the disk is looked at; when a run has been
killed often enough it may end, and its checkpoint is compared with that of a run that was never killed.
"""

import io
import multiprocessing
import os
import random
import signal
import time
import warnings
from collections import Counter
from functools import partial
from pathlib import Path

MOMENTS = ("step", "half written", "before sync", "before rename", "after rename", "any")
SIGNALS = ("KILL", "TERM", "TERM as Ctrl-C")
STATE_NAMES = (".lock", ".holder", ".training", ".partial")


def campaign(folder, kills, seed, answers):
    """Kill until enough kills have landed; send their counts by signal and moment, and what was found wrong."""
    try:
        answers.put(Campaign(Path(folder), random.Random(seed)).run(kills))
    except BaseException as error:
        answers.put(({}, [f"the campaign itself failed: {type(error).__name__}: {error}"], 0))
        raise


class Campaign:
    def __init__(self, folder, chance):
        import torch

        import biascheck
        from biascheck.corpora import Reviews, reviews
        from biascheck.mitigation import ClassifierRecipe

        torch.set_num_threads(1)
        self.folder, self.chance = folder, chance
        self.base = biascheck.load("reference:tiny")
        self.reviews = Reviews("some", reviews().items[:30])
        self.recipe = ClassifierRecipe(epochs=5, batch=3, learning_rate=1e-3, pieces=16, patience=5)
        self.total = 45  # 27 reviews are trained on
        self.context = multiprocessing.get_context("fork")
        self.ways = [(how, moment) for how in SIGNALS for moment in MOMENTS]
        chance.shuffle(self.ways)
        self.landed, self.faults, self.compared = Counter(), [], 0

    def run(self, kills):
        self.finish(self.folder / "whole")
        expected = self.weights(self.folder / "whole")
        chains = 0
        while sum(self.landed.values()) < kills and chains < 4 * kills and not self.faults:
            cache = self.folder / f"chain-{chains}"
            chains += 1
            self.kill_often(cache, kills)
            self.finish(cache)
            if self.weights(cache) != expected:
                self.faults.append(f"{cache.name} ended with other weights")
            self.compared += 1
        return dict(self.landed), self.faults, self.compared

    def kill_often(self, cache, kills):
        """Kill one run again and again, a few steps further each time, until little of it is left."""
        done = 0
        while done < self.total - 8 and sum(self.landed.values()) < kills and not self.faults:
            how, moment = self.ways[sum(self.landed.values()) % len(self.ways)]
            self.kill(cache, how, moment, at=done + self.chance.randint(1, 6))
            done = self.look_at(cache)

    def kill(self, cache, how, moment, at):
        steps, taken = self.context.RawValue("i", 0), self.context.RawValue("i", 0)
        plan = None if moment == "any" else (moment, at)
        victim = self.context.Process(target=self.train, args=(cache, how, plan, steps, taken))
        victim.start()
        if moment == "any":
            while steps.value < at and victim.is_alive():
                time.sleep(0.0005)
            time.sleep(self.chance.random() * 0.02)  # chooses a moment; whether the kill landed is looked at below
            if victim.is_alive():
                os.kill(victim.pid, number_of(how))
        victim.join()
        died = victim.exitcode in (-number_of(how), 130)
        if died and taken.value >= 1 and steps.value < self.total:
            self.landed[f"{how}, {moment}"] += 1
        elif not died and victim.exitcode != 0:
            self.faults.append(f"a victim ended by itself with {victim.exitcode}")

    def finish(self, cache):
        steps, taken = self.context.RawValue("i", 0), self.context.RawValue("i", 0)
        last = self.context.Process(target=self.train, args=(cache, "KILL", None, steps, taken))
        last.start()
        last.join()
        if last.exitcode != 0 or steps.value != self.total:
            self.faults.append(f"{cache.name} did not end: {last.exitcode} at step {steps.value}")
        left = sorted(path.suffix for path in (cache / "checkpoints").iterdir())
        if left != ["", ".lock"]:
            self.faults.append(f"{cache.name} has leftovers: {left}")

    def look_at(self, cache):
        """The step of the state on the disk, which must be whole; nothing else may look finished."""
        from biascheck.mitigation.training import read_state

        room = cache / "checkpoints"
        names = [path.name for path in room.iterdir()]
        strange = [name for name in names if not name.startswith(".") and Path(name).suffix not in STATE_NAMES]
        staging = [name for name in names if name.startswith(".")]
        if strange or len(staging) > 1:
            self.faults.append(f"half-written: {strange or staging}")
        states = list(room.glob("*.training"))
        return read_state(states[0])["history"]["step"] if states else 0

    def weights(self, cache):
        (path,) = (cache / "checkpoints").glob("*/model.safetensors")
        return path.read_bytes()

    def train(self, cache, how, plan, steps, taken):
        """What a victim does."""
        from biascheck.core.errors import BiascheckWarning
        from biascheck.mitigation import classifier as classifier_checkpoints, fine_tune_classifier
        from biascheck.mitigation.training import _TrainingRun, train

        os.environ["BIASCHECK_CACHE"] = str(cache)
        warnings.simplefilter("error", BiascheckWarning)
        classifier_checkpoints.train = partial(train, save_every=0.0)
        if how == "TERM as Ctrl-C":
            signal.signal(signal.SIGTERM, interrupt)
        advance = _TrainingRun.advance_one_step

        def counted(run):
            steps.value = run.history.step
            advance(run)
            steps.value = run.history.step
            taken.value += 1

        _TrainingRun.advance_one_step = counted
        if plan is not None:
            die_at(*plan, number_of(how), steps)
        try:
            fine_tune_classifier(self.base, self.reviews, self.recipe)
            steps.value = max(steps.value, self.total)
        except KeyboardInterrupt:
            os._exit(130)


def number_of(how):
    return signal.SIGKILL if how == "KILL" else signal.SIGTERM


def interrupt(_number, _frame):
    raise KeyboardInterrupt


def die_at(moment, at, number, steps):
    """Let this process send itself a signal at a moment of step ``at``."""
    import torch

    from biascheck.mitigation.classifier import ReviewTask

    def die():
        if steps.value >= at:
            os.kill(os.getpid(), number)

    loss, save, sync, replace = ReviewTask.loss, torch.save, os.fsync, os.replace

    def half_written(content, file):
        whole = io.BytesIO()
        save(content, whole)
        file.write(whole.getvalue()[: len(whole.getvalue()) // 2])
        file.flush()
        die()
        file.write(whole.getvalue()[len(whole.getvalue()) // 2 :])

    if moment == "step":
        ReviewTask.loss = lambda *given: (die(), loss(*given))[1]
    elif moment == "half written":
        torch.save = half_written
    elif moment == "before sync":
        os.fsync = lambda handle: (die(), sync(handle))[1]
    elif moment == "before rename":
        os.replace = lambda *paths: (die(), replace(*paths))[1]
    elif moment == "after rename":
        os.replace = lambda *paths: (replace(*paths), die())[0]
