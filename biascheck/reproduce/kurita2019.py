"""Kurita et al. 2019, Measuring Bias in Contextualized Word Representations: Tables 1 to 5 and the figures of §4."""

from __future__ import annotations

from collections.abc import Iterator

from biascheck.corpora import kurita_weat
from biascheck.measures import effect_size
from biascheck.reproduce.cells import Shown
from biascheck.reproduce.paper import Paper, PaperTable, Work
from biascheck.reproduce.setting import Setting

__all__ = ["PAPER"]

CATEGORIES = {
    "flowers-insects": (1, "Pleasant/Unpleasant (Insects/Flowers)"),
    "white-black": (3, "Pleasant/Unpleasant (EA/AA)"),
    "career-family": (6, "Career/Family (Male/Female)"),
    "math-arts": (7, "Math/Arts (Male/Female)"),
    "science-arts": (8, "Science/Arts (Male/Female)"),
}


def table_3(setting: Setting) -> Iterator[Shown]:
    """Effect sizes on the WEAT stimuli."""
    for name, (number, title) in CATEGORIES.items():
        corpus = kurita_weat(number)
        ours = setting.tried(effect_size, setting.model, corpus, seed=setting.seed)
        published = setting.tried(
            effect_size, setting.model, corpus, variant="as published (Kurita 2019)", seed=setting.seed
        )
        yield setting.cell(
            title, "log-probability bias score", ours=ours, as_published=published, published=f"kurita2019.{name}"
        )


PAPER = Paper(
    name="kurita2019",
    title="Kurita et al. 2019, Measuring Bias in Contextualized Word Representations",
    link="https://aclanthology.org/W19-3823",
    tables=(
        PaperTable(
            "table 3",
            "Effect sizes of bias measurements on WEAT stimuli",
            table_3,
            work=lambda _: Work(read=2_000, tokens=8),
        ),
    ),
)
