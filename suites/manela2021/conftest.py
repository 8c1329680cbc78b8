"""One pass over each corpus per model, read by all tests of this suite."""

import pytest

import biascheck


@pytest.fixture(scope="session")
def winograd(winograd_t1, winograd_t2):
    return {"T1": winograd_t1, "T2": winograd_t2}


@pytest.fixture(scope="module")
def bias_figures(bias_model, bias_seed, bias_published, bias_readable):
    """Skew and stereotype of the model on a corpus, with the F1s behind them; skipped where it resolves no names."""

    def measure(corpus, *, cutoff=0.0, online=False):
        gaps = biascheck.measures.pronoun_gap(bias_model, corpus, online=online, seed=bias_seed)
        names = biascheck.measures.name_resolution(bias_model, corpus, online=online, seed=bias_seed)
        return tuple(
            with_figures(bias_readable(fold(gaps, cutoff=cutoff, resolution=names)), bias_published)
            for fold in (biascheck.measures.skew_of, biascheck.measures.stereotype_of)
        )

    return measure


def with_figures(result, published):
    """The four F1s, and the paper's own models, which Table 2 gives for T2."""
    f1 = biascheck.measures.gender_f1(result)
    rows = (("male pronouns", f1.male_pro, f1.male_anti), ("female pronouns", f1.female_pro, f1.female_anti))
    result = result.with_attachments(biascheck.extend.Table(columns=("F1", "pro", "anti"), rows=rows))
    if result.corpus == "winograd-t2" and not result.treatment:
        figures = published.listed(f"manela2021.{result.measure}")
        result = result.with_attachments(biascheck.extend.Published(figures=figures))
    return result
