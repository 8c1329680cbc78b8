"""The tiny random models of the model tests, for measures."""

import importlib.util
import sys
from pathlib import Path


def _module(name):
    """A helper of tests/models, which is no package."""
    if name not in sys.modules:
        path = Path(__file__).resolve().parents[1] / "models" / f"{name}.py"
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def loaded(family):
    return _module("tiny").loaded(family)


def tokenizer_of(family):
    return _module("tiny").pair(family)[1]


def direct_sentence_score(family, text):
    return _module("oracle").sentence_score(*_module("tiny").pair(family), text)


def fresh(family):
    return _module("tiny").fresh_pair(family)
