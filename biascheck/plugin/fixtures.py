"""Fixtures: models, data, and the margins and published figures of a suite."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest

from biascheck.core.release import install_line, is_installed
from biascheck.plugin.options import settings_of
from biascheck.plugin.planning import UNPLANNED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from biascheck.corpora import Corpus, Documents, NameMap, Reviews
    from biascheck.gates.margins import Margins
    from biascheck.measures.measure import CorpusLike, Measure
    from biascheck.mitigation import ClassifierRecipe, LanguageRecipe
    from biascheck.models.base import Classifier, Model
    from biascheck.models.local.loader import LoadedModel
    from biascheck.results.attachments import Table
    from biascheck.results.definition import Readability
    from biascheck.results.published import PublishedFigures
    from biascheck.results.result import Result

CLASSIFIER = "bias_classifier (biascheck.mitigation.fine_tune_classifier makes one of a causal model)"


@contextmanager
def in_one_line() -> Iterator[None]:
    """Tell a user's mistake without a traceback through our code: every test that asks for the fixture repeats it."""
    from biascheck.core.errors import BiascheckError

    try:
        yield
    except BiascheckError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None


@contextmanager
def _stopping(session: pytest.Session) -> Iterator[None]:
    """Stop the run where its model cannot be loaded: every other test would say the same."""
    from biascheck.core.errors import BiascheckError

    try:
        yield
    except BiascheckError as error:
        session.shouldfail = f"the model cannot be loaded: {error}"
        raise


@pytest.fixture(scope="session")
def bias_model(request: pytest.FixtureRequest) -> Model:
    """The model under test; with several ``--bias-model``, each in turn.

    Its weights are loaded when a measure first needs them: a run whose results are all cached needs none.
    """
    if not hasattr(request, "param"):
        raise pytest.UsageError(
            "no model to measure: pass --bias-model FOLDER (or a Hub id, or reference:tiny), "
            'or set model = "…" in [tool.biascheck] of pyproject.toml'
        )
    from biascheck.loading import load_any
    from biascheck.models.base import in_framing

    settings = settings_of(request.config)
    with in_one_line(), _stopping(request.session):
        model = load_any(
            request.param,
            device=settings.device,
            device_map=settings.device_map,
            token_budget=settings.token_budget,
            base=settings.base,
            dtype=settings.dtype,
            allow_pickle=settings.allow_pickle,
            trust_remote_code=settings.trust_remote_code,
            lazy=True,
            served=settings.served,
        )
        framed: Model = in_framing(model, settings.framing)
        return framed


@pytest.fixture(scope="session")
def bias_classifier(bias_model: Any, pytestconfig: pytest.Config) -> Callable[..., Classifier]:
    """Sentiment classifiers of the model under test: ``bias_classifier("mix-all")``.

    A model that fills masks, or an encoder, is fine-tuned on our own reviews under the condition named (or on
    ``reviews``, by ``recipe``), once for all workers and runs. A model that rates text is taken as it is. One that
    reads from left to right is asked whether a text is positive or negative: nobody who measures it expects it to be
    trained. Both know the condition "original" only.
    """

    def classifier(
        condition: str = "original", reviews: Reviews | None = None, recipe: ClassifierRecipe | None = None
    ) -> Classifier:
        from biascheck.corpora import reviews as own_reviews
        from biascheck.mitigation import SMALL, Condition, fine_tune_classifier
        from biascheck.models.base import fills_masks, rates_text, require_capability, scores_continuations, scores_text
        from biascheck.models.wrappers import as_classifier

        asked = scores_continuations(bias_model) and not fills_masks(bias_model)
        if rates_text(bias_model) or asked:
            if condition != "original":
                already = "is asked, not trained" if asked else "is a classifier already"
                pytest.skip(f"{bias_model.name} {already}; {condition} is about how one is trained")
            return as_classifier(bias_model)
        if settings_of(pytestconfig).plan:
            pytest.skip(UNPLANNED)
        trained = () if scores_text(bias_model) else ("fills masks", "embeds sentences")
        require_capability(bias_model, ("rates text", *trained), CLASSIFIER)
        treated = Condition.named(condition)
        trained_on = treated.apply(reviews or own_reviews("train"))
        return fine_tune_classifier(bias_model, trained_on, recipe or treated.steps_kept(SMALL), treatment=str(treated))

    return classifier


@pytest.fixture(scope="session")
def bias_recipe(pytestconfig: pytest.Config) -> LanguageRecipe:
    """The recipe of ``--bias-recipe``: an adapter that takes a minute (``lora``) unless another one is named."""
    from biascheck.mitigation import recipe_named

    with in_one_line():
        return recipe_named(settings_of(pytestconfig).recipe)


@pytest.fixture(scope="session")
def bias_text(pytestconfig: pytest.Config, bias_recipe: LanguageRecipe) -> Documents:
    """Text to train further on: GAP where ``--bias-data`` has it, else a small text of our own.

    A recipe that keeps nothing aside, as ``bartl2020``, takes every part of GAP that is there; others take the
    development part.
    """
    folder = settings_of(pytestconfig).data
    if folder is not None and (folder / "gap").is_dir():
        from biascheck.corpora import published_gap_texts

        return published_gap_texts(folder, "development" if bias_recipe.validation else "all")
    from biascheck.reference.lessons import mitigation_text

    return mitigation_text()


@pytest.fixture(scope="session")
def bias_names(pytestconfig: pytest.Config) -> NameMap:
    """First names to swap: the published map of 1,000 pairs where ``--bias-data`` has it, else our own."""
    from biascheck.corpora import first_names, published_names

    folder = settings_of(pytestconfig).data
    return published_names(folder) if folder is not None and (folder / "cds").is_dir() else first_names()


@pytest.fixture(scope="session")
def bias_debiased_model(bias_model: Any, request: pytest.FixtureRequest) -> Callable[..., LoadedModel]:
    """The model under test, trained further: ``bias_debiased_model(recipe="lora")``.

    ``recipe`` is a name or a LanguageRecipe, ``documents`` the text (``bias_text`` unless given), ``name_map`` the
    first names (``bias_names`` unless given). Each checkpoint is made once for all workers and runs. Only for models
    that fill masks or score text.
    """

    def debiased(
        recipe: str | LanguageRecipe = "lora", documents: Documents | None = None, **options: Any
    ) -> LoadedModel:
        from biascheck.mitigation import fine_tune, recipe_named
        from biascheck.models.base import in_framing, unframed

        if settings_of(request.config).plan:
            pytest.skip(UNPLANNED)
        if recipe_named(recipe).rank and not is_installed("peft"):
            pytest.skip(f"trains an adapter, which needs peft: {install_line('lora')}")
        text = request.getfixturevalue("bias_text") if documents is None else documents
        options.setdefault("name_map", request.getfixturevalue("bias_names"))
        trained = fine_tune(unframed(bias_model), text, recipe, **options)
        framed: LoadedModel = in_framing(trained, getattr(bias_model, "framing", "raw"))
        return framed

    return debiased


@pytest.fixture(scope="session")
def bias_finetuned_pair(
    bias_model: Any, bias_debiased_model: Callable[..., LoadedModel]
) -> Callable[..., tuple[LoadedModel, LoadedModel]]:
    """The pair of Manela et al. (2021): trained to predict pronouns with and without gender-swapped copies.

    ``augmented, unaugmented = bias_finetuned_pair(epochs=2)``: settings replace those of both recipes. Only for models
    that fill masks.
    """

    def pair(documents: Documents | None = None, **settings: Any) -> tuple[LoadedModel, LoadedModel]:
        from dataclasses import replace

        from biascheck.mitigation import RECIPES
        from biascheck.models.base import require_capability

        require_capability(bias_model, ("fills masks",), "training on masked pronouns")
        recipes = (replace(RECIPES[f"manela2021-{kind}"], **settings) for kind in ("augmented", "unaugmented"))
        augmented, unaugmented = (bias_debiased_model(recipe, documents) for recipe in recipes)
        return augmented, unaugmented

    return pair


@pytest.fixture(scope="session")
def bias_seed(pytestconfig: pytest.Config) -> int:
    """The seed of every resampling and permutation."""
    return settings_of(pytestconfig).seed


@pytest.fixture(scope="session")
def bias_paper_sizes(pytestconfig: pytest.Config) -> bool:
    """Whether suites take as many words as their paper did (``--bias-paper-sizes``), instead of enough for a gate."""
    return settings_of(pytestconfig).paper_sizes


@pytest.fixture(scope="session")
def bias_share(pytestconfig: pytest.Config) -> float:
    """How much to ask of the published benchmark items that a suite would ask (``--bias-share``); 1 is all of them."""
    return settings_of(pytestconfig).share


@pytest.fixture(scope="session")
def bias_data(pytestconfig: pytest.Config) -> Path:
    """The folder with the published data sets; a test that needs it is skipped where there is none."""
    folder = settings_of(pytestconfig).data
    if folder is None:
        pytest.skip("needs the published data sets: pass --bias-data DIR or set BIASCHECK_DATA")
    if not folder.is_dir():
        raise pytest.UsageError(f"--bias-data {folder}: no such folder")
    return folder


@pytest.fixture(scope="session")
def bias_baseline(pytestconfig: pytest.Config) -> Callable[[Result], Result]:
    """Find the entry of ``--bias-baseline`` for a result, to be handed to ``assert_no_regression``.

    While the baseline is being written, every result is its own entry.
    """
    from biascheck.plugin.session import SESSION

    baseline = pytestconfig.stash[SESSION].baseline
    _ = baseline.path  # without a baseline, say so before the first measure
    return baseline.entry


@pytest.fixture(scope="module")
def bias_margins(request: pytest.FixtureRequest) -> Margins:
    """The margins of the suite: ``margins.toml`` beside the test or in a folder above it."""
    from biascheck.gates.margins import Margins

    with in_one_line():
        profile = settings_of(request.config).profile
        return Margins.nearest(request.path, stop=request.config.rootpath, profile=profile)


@pytest.fixture(scope="module")
def bias_published(request: pytest.FixtureRequest) -> PublishedFigures:
    """The published figures of the suite: ``published.toml`` beside the test or in a folder above it."""
    from biascheck.results.published import PublishedFigures

    with in_one_line():
        return PublishedFigures.nearest(request.path, stop=request.config.rootpath)


@pytest.fixture(scope="session")
def bias_skip_unless_readable() -> Callable[..., Any]:
    """Skip a test whose model cannot read the corpus, instead of failing it.

    ``bias_skip_unless_readable(result, "German")`` hands back a result that was read; ``what`` names the corpus in the
    reason of the skip. ``bias_skip_unless_readable(measures.association, bias_model, corpus, "German")`` skips before
    anything is measured: the check takes seconds where the measure may take minutes. A plan counts the measure all the
    same.
    """
    from biascheck.results.result import Result

    def skip_unless_readable(of: Result | Measure[Any, Any], *given: Any, **named: Any) -> Any:
        if isinstance(of, Result):
            return _read_result(of, *given, **named)
        return _read_by(of, *given, **named)

    return skip_unless_readable


def _read_result(result: Result, what: str = "this corpus") -> Result:
    from biascheck.models.scoring.cost import active_estimate

    if result.competence is not None and not result.competence.passed:
        if active_estimate() is not None:
            pytest.skip("planned up to here: figures of a plan are made up")
        _skip_unread(result.model_label, result.competence, what)
    return result


def _read_by(measure: Measure[Any, Any], model: Any, corpus: CorpusLike, what: str = "this corpus") -> None:
    from biascheck.models.scoring.cost import active_estimate
    from biascheck.results.key import model_label

    if active_estimate() is not None:
        return
    found = measure.readability(model, corpus)
    if found is not None and not found.passed:
        _skip_unread(model_label(model.name, getattr(model, "treatment", ())), found, what)


def _skip_unread(label: str, found: Readability, what: str) -> NoReturn:
    pytest.skip(f"{label} {found.lack.replace('this corpus', what)}: {found.finding}")


# The measurement card of a suite, as a fixture.


@pytest.fixture(scope="module")
def bias_card(request: pytest.FixtureRequest) -> Table:
    """The measurement card of the suite, to be attached to a result: ``card.toml`` beside the test or above it."""
    from biascheck.results.measurement_card import MeasurementCard

    with in_one_line():
        return MeasurementCard.nearest(request.path, stop=request.config.rootpath).as_table()


# Fixtures: the shipped corpora under their own names.


@pytest.fixture(scope="session")
def bec_pro() -> Corpus:
    """BEC-Pro, English: 2,700 pairs over 60 professions."""
    from biascheck import corpora

    return corpora.bec_pro("en")


@pytest.fixture(scope="session")
def bec_pro_german() -> Corpus:
    """BEC-Pro, German: 2,700 pairs over 60 professions, with a validity warning."""
    from biascheck import corpora

    return corpora.bec_pro("de")


@pytest.fixture(scope="session")
def religion() -> Corpus:
    """Three religious groups over traits: a corpus with more than two groups."""
    from biascheck import corpora

    return corpora.religion()


@pytest.fixture(scope="session")
def winograd_t1() -> Corpus:
    """Winograd sentences of kind T1, resolved by meaning: 480 pairs over 40 occupations."""
    from biascheck import corpora

    return corpora.winograd("T1")


@pytest.fixture(scope="session")
def winograd_t2() -> Corpus:
    """Winograd sentences of kind T2, resolved by syntax: 480 pairs over 40 occupations."""
    from biascheck import corpora

    return corpora.winograd("T2")
