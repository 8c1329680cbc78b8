"""Table 5: the share of titles, traits and skills that lean to men."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from biascheck import stats
from biascheck.corpora import Corpus, published_employment
from biascheck.errors import ScoreError
from biascheck.measures import positive_share
from biascheck.models.capabilities import MaskedModel, require_capability
from biascheck.models.scoring.queries import Answer, MaskedQuery, Refusal
from biascheck.reproduce.cells import Shown, Value
from biascheck.reproduce.kurita2019.effect_tables import KURITA_CHECKED, passes_of_a_pair
from biascheck.reproduce.paper import Work
from biascheck.reproduce.setting import Setting
from biascheck.results.summaries import LEVEL
from biascheck.spans import Span

__all__ = ["employment_work", "table_5"]

LISTS: dict[str, tuple[str, dict[str, Any], str]] = {
    "Salary": (
        "titles",
        {"best_paid": None},
        "all different titles of the file; the paper has 921 of them",
    ),
    "Salary, 1,000 best-paid rows": ("titles", {}, "the list that the text describes; the paper has no figure for it"),
    "Pos-Traits": ("positive_traits", {}, ""),
    "Neg-Traits": ("negative_traits", {}, "each once; the paper's figure counts two twice"),
    "Skills": ("onet_skills", {}, "“can do”; O*NET's Technology Skills.txt goes to onet/ in the data folder"),
    "Skills, the authors' file": ("skills", {}, "“is good at”; 25 skills of LinkedIn"),
}


def table_5(setting: Setting) -> Iterator[Shown]:
    """The share of titles, traits and skills that lean to men."""
    for row, (kind, options, note) in LISTS.items():
        loaded = setting.tried(published_employment, kind, setting.tried(_data, setting), **options)
        corpus = setting.tried(lambda found: setting.part_of(found.corpus, least=20), loaded)
        comparable = kind != "titles" or bool(options)
        yield setting.cell(
            row,
            ours=setting.tried(positive_share, setting.model, corpus, seed=setting.seed),
            as_published=setting.tried(_share_as_coded, setting, corpus, "can do" if kind == "onet_skills" else "is"),
            published=f"kurita2019.{kind}" if comparable else "",
            note=note,
        )


def employment_work(setting: Setting) -> Work:
    """Five lists of about 1,800 attributes, each beside he and she."""
    pairs = setting.scaled(1_800, least=100)
    return Work(read=2 * pairs * (passes_of_a_pair(setting) + 1) + len(LISTS) * KURITA_CHECKED, tokens=7)


def _data(setting: Setting) -> Any:
    return setting.folder(".")


def _share_as_coded(setting: Setting, corpus: Corpus, verb: str) -> Value:
    """The share as the authors' code has it: one prior for all attributes, read left of a single mask for them."""
    require_capability(setting.model, ("fills masks",), "the authors' procedure")
    model: MaskedModel = setting.model  # type: ignore[assignment]
    sentences = [pair.sentences[group] for pair in corpus for group in corpus.groups]
    found = iter(model.fill([MaskedQuery(sentence.text, sentence.target) for sentence in sentences]))
    prior = _gap(*model.fill([_prior(word, verb) for word in ("He", "She")]))
    gaps = [gap for _ in corpus if (gap := _gap(next(found), next(found))) is not None]
    if prior is None or not gaps:
        raise ScoreError(f"{model.name} knows no probability of he and she here")
    share = sum(gap >= prior for gap in gaps) / len(gaps)
    return Value(share, stats.wilson_interval(share, len(gaps), level=LEVEL), n=len(gaps))


def _prior(word: str, verb: str) -> MaskedQuery:
    text = f"{word} {verb} it"
    left = Span(text.rindex(" ", 0, -3) + 1, len(text) - 3)
    return MaskedQuery(text, Span(0, len(word)), (Span(len(text) - 2, len(text)),), read_at=left)


def _gap(male: Answer | Refusal, female: Answer | Refusal) -> float | None:
    if isinstance(male, Refusal) or isinstance(female, Refusal):
        return None
    return male.log_probability - female.log_probability
