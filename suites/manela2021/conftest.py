"""One pass over each corpus per model, read by all tests of this suite."""

from dataclasses import replace

import pytest

import biascheck


@pytest.fixture(scope="session")
def winograd(winograd_t1, winograd_t2):
    return {"T1": winograd_t1, "T2": winograd_t2}


@pytest.fixture(scope="module")
def bias_figures(bias_model, bias_seed, bias_published):
    """Skew and stereotype of the model on a corpus, qualified by its resolution of names, with the F1s behind them."""

    def measure(corpus, *, cutoff=0.0, online=False):
        gaps = biascheck.measures.pronoun_gap(bias_model, corpus, online=online, seed=bias_seed)
        names = biascheck.measures.name_resolution(bias_model, corpus, online=online, seed=bias_seed)
        return tuple(
            with_details(fold(gaps, cutoff=cutoff, resolution=names), bias_published)
            for fold in (biascheck.measures.skew_of, biascheck.measures.stereotype_of)
        )

    return measure


def with_details(result, published):
    """The four F1s, and the paper's own models, which Table 2 gives for T2."""
    f1 = biascheck.measures.gender_f1(result)
    rows = [["male pronouns", f1.male_pro, f1.male_anti], ["female pronouns", f1.female_pro, f1.female_anti]]
    details = {"table": {"columns": ["F1", "pro", "anti"], "rows": rows}}
<<<<<<< HEAD
    if result.measure in ("skew", "stereotype") and result.corpus == "winograd-t2":
        details["published"] = [vars(entry) for entry in published.listed(f"manela2021.{result.measure}")]
=======
    if result.corpus == "winograd-t2" and not result.provenance.options["online"]:
        details["published"] = published.listed(f"manela2021.{result.measure}")
>>>>>>> 6868554cadba237e872bc1916626a48d7c7376e3
    return replace(result, details=details)
