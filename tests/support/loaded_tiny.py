"""The tiny random models of the model tests, for measures."""

from importlib import import_module


def _module(name):
    """A helper that imports torch, which collecting the tests should not."""
    return import_module(f"support.{name}")


def loaded(family):
    return _module("tiny").loaded(family)


def tokenizer_of(family):
    return _module("tiny").pair(family)[1]


def direct_sentence_score(family, text):
    return _module("oracle").sentence_score(*_module("tiny").pair(family), text)


def fresh(family):
    return _module("tiny").fresh_pair(family)
