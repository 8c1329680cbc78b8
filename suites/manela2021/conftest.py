"""One pass over each corpus per model, read by all tests of this suite; and the tables of the paper beside it."""

from functools import cache

import pytest

import biascheck
from biascheck.corpora import published_winobias

F1S = ("male.pro", "male.anti", "female.pro", "female.anti")
TREATMENTS = ("O", "U", "A", "UO", "AO")


@pytest.fixture(scope="session")
def winograd(winograd_t1, winograd_t2):
    return {"T1": winograd_t1, "T2": winograd_t2}


@pytest.fixture(scope="session")
def winobias(bias_data):
    """The test split of WinoBias by kind, and by the rule that chooses its lines: ours, or the authors'."""
    return cache(lambda kind, rule="ours": published_winobias(bias_data, "test", kind, rule=rule).corpus)


@pytest.fixture(scope="module")
def bias_scores(bias_model, bias_seed, bias_published):
    """Skew and stereotype of the model on a corpus, each with Table 2 of the paper."""

    def measure(corpus, *, cutoff=0.0, **how):
        gaps = biascheck.measures.pronoun_gap(bias_model, corpus, seed=bias_seed, **how)
        names = biascheck.measures.name_resolution(bias_model, corpus, seed=bias_seed, **how)
        return tuple(
            with_table_2(fold(gaps, cutoff=cutoff, resolution=names), bias_published)
            for fold in (biascheck.measures.skew_of, biascheck.measures.stereotype_of)
        )

    return measure


@pytest.fixture(scope="module")
def show_names(bias_model, bias_seed, bias_published):
    """Show the F1 of both genders on Alice and Bob, with Table 1 of the paper."""

    def show(corpus, **how):
        names = biascheck.measures.name_resolution(bias_model, corpus, seed=bias_seed, **how)
        genders = [biascheck.measures.name_f1(names, gender) for gender in ("male", "female")]
        for result in genders:
            biascheck.show(with_table_1(result, genders, bias_published))

    return show


def kind_of(result):
    """T1, resolved by meaning, or T2, resolved by syntax."""
    return str(result.items[0].labels["type"])


def rows_like(result, rows):
    """Of the paper's models, those treated as this one: as they came, or under online mitigation (-O)."""
    wanted = "O" if "online" in result.treatment else ""
    return {model: row for model, row in rows.items() if treatment_of(model) == wanted}


def treatment_of(model):
    suffix = model.rpartition("-")[2]
    return suffix if suffix in TREATMENTS else ""


def with_table_1(result, genders, published):
    """The result with the paper's F1s of its gender, and the table of both genders with our row above the paper's."""
    kind, gender = kind_of(result), result.contrast[0]
    cells = {figure.name: figure for figure in published.listed("manela2021.resolution")}
    models = rows_like(result, {name.split(".")[0]: name for name in cells})
    figures = tuple(cells[f"{model}.{kind}.{gender}"] for model in models)
    rows = [(result.model_label, *(one.estimate for one in genders), "")]
    for model in models:
        male, female = (cells[f"{model}.{kind}.{one}"] for one in ("male", "female"))
        rows.append((model, male.value, female.value, male.erratum))
    columns = ("Table 1", f"{kind} F1♂", f"{kind} F1♀", "erratum")
    return result.with_attachments(
        biascheck.extend.Table(columns=columns, rows=tuple(rows)), biascheck.extend.Published(figures=figures)
    )


def with_table_2(result, published):
    """The result with the table of the four F1s, stereotype and skew; with the paper's rows, which are about T2."""
    f1 = biascheck.measures.gender_f1(result).as_dict().values()
    bias = biascheck.measures.skew_and_stereotype(*f1)
    rows, figures = [(result.model_label, *f1, bias.stereotype, bias.skew, "")], ()
    if kind_of(result) == "T2":
        skew, stereotype, cells = (
            {figure.name: figure for figure in published.listed(f"manela2021.{name}")}
            for name in ("skew", "stereotype", "f1")
        )
        for model in rows_like(result, skew):
            found = [*(cells[f"{model}.{name}"] for name in F1S), stereotype[model], skew[model]]
            errata = dict.fromkeys(figure.erratum for figure in found if figure.erratum)
            rows.append((model, *(figure.value for figure in found), "; ".join(errata)))
        figures = tuple(rows_like(result, {"skew": skew, "stereotype": stereotype}[result.measure]).values())
    columns = ("Table 2", "F1♂ pro", "F1♂ anti", "F1♀ pro", "F1♀ anti", "stereotype", "skew", "erratum")
    result = result.with_attachments(biascheck.extend.Table(columns=columns, rows=tuple(rows)))
    return result.with_attachments(biascheck.extend.Published(figures=figures)) if figures else result
