"""One pass over each corpus per model, read by all tests of this suite."""

from dataclasses import replace

import pytest

import biascheck


@pytest.fixture(scope="session")
def winograd(winograd_t1, winograd_t2):
    return {"T1": winograd_t1, "T2": winograd_t2}


@pytest.fixture(scope="session")
def bias_figures(bias_model, bias_seed):
    """Skew and stereotype of the model on a corpus, qualified by its resolution of names, with the F1s behind them."""

    def measure(corpus, *, cutoff=0.0, online=False):
        gaps = biascheck.pronoun_gap(bias_model, corpus, online=online, seed=bias_seed)
        names = biascheck.resolution(bias_model, corpus, online=online, seed=bias_seed)
        return tuple(
            with_f1(fold(gaps, cutoff=cutoff, resolution=names))
            for fold in (biascheck.skew_of, biascheck.stereotype_of)
        )

    return measure


def with_f1(result):
    figures = [f"{name.replace('_', ' ')} {value:.3f}" for name, value in biascheck.gender_f1(result).as_dict().items()]
    return replace(result, details={"F1": figures})
