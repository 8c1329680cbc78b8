"""Manela et al. 2021, section 4.1, Table 1: can the model tell whom a pronoun means, if names show the gender?

The F1 of both genders on Alice and Bob, of the original model and under online mitigation, beside the paper's models.
It decides whether the other figures mean anything: if the smaller F1 is below 75 %, skew and stereotype are invalid and
their gates are skipped with that reason. Shown, not judged; a baseline notices when a model resolves fewer names than
before.
"""

import pytest

KINDS = pytest.mark.parametrize("kind", ["T1", "T2"])
ONLINE = pytest.mark.parametrize("online", [False, True], ids=["as it comes", "online"])


@pytest.mark.bias(judges=False)
@ONLINE
@KINDS
def test_names_are_resolved(kind, online, show_names, winograd):
    show_names(winograd[kind], online=online)


@pytest.mark.bias(judges=False)
@ONLINE
@KINDS
def test_names_are_resolved_in_published_sentences(kind, online, show_names, winobias):
    show_names(winobias(kind), online=online)
