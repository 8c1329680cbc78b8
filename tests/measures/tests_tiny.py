"""The tiny random models of the model tests, for measures."""

import sys
from importlib import import_module
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "models"))  # its helpers import each other


def _module(name):
    """A helper of tests/models, which is no package."""
    return import_module(name)


def loaded(family):
    return _module("tiny").loaded(family)


def tokenizer_of(family):
    return _module("tiny").pair(family)[1]


def direct_sentence_score(family, text):
    return _module("oracle").sentence_score(*_module("tiny").pair(family), text)


def fresh(family):
    return _module("tiny").fresh_pair(family)
