"""Bartl et al. 2020, Unmasking Contextual Stereotypes: Tables 1 to 8 and Figures 1 to 6."""

from __future__ import annotations

from collections.abc import Callable

from biascheck.reproduce.bartl2020.bartl_bench import BARTL_EPOCHS
from biascheck.reproduce.bartl2020.bartl_figures import bars_of_german, bars_of_jobs, steps, texts
from biascheck.reproduce.bartl2020.bartl_tables import english, german, hypotheses, masking, patterns, professions
from biascheck.reproduce.paper import Paper, PaperTable, Work
from biascheck.reproduce.setting import Setting

__all__ = ["PAPER"]

ENGLISH, GERMAN, CROSSED = 970, 1_901, 3_700
"""Different inputs of each corpus; the 10,800 of the paper are the same ones again."""
SENTENCES = 4 * 4_454
"""Sentences of GAP, about."""
MEASURED = (
    "Associations of 5,400 sentences. Ours masks a profession once for each of its tokens; as published masks it once "
    "a word, pads with attended masks and cuts at 16 tokens, as the authors' code did."
)
BARTL_TRAINED = (
    "Fine-tuned on every part of GAP that is there (4,454 texts in the paper) after substitution with first names: "
    "5e-5 with warm-up, 3 epochs, batches of one, nothing kept aside, the last epoch (section 4.6). Ours swaps each "
    "text with probability one half, first names where they are first names; as published swaps every text, with 2e-5 "
    "and no warm-up, as the authors' file and code have it."
)


def _trained(setting: Setting, *runs: str) -> Work:
    sentences = setting.scaled(BARTL_EPOCHS) * setting.scaled(SENTENCES, least=240)
    shared = tuple((run, sentences) for run in runs or ("ours",))
    return Work(round(4 * ENGLISH * setting.scale), tokens=24, shared=shared)


def _read(count: int) -> Callable[[Setting], Work]:
    return lambda setting: Work(setting.scaled(count, least=200))


PAPER = Paper(
    name="bartl2020",
    title="Bartl, Nissim and Gatt 2020, Unmasking Contextual Stereotypes: Measuring and Mitigating BERT's Gender Bias",
    link="https://aclanthology.org/2020.gebnlp-1.1",
    about="Tables 4 and 5 of the paper are about BERT-base uncased and German BERT. A model that does not read German "
    "has figures there that mean nothing, and the cells say so.",
    tables=(
        PaperTable("figure 1", "A text of GAP", texts, about="The figure shows one text.", needs=("gap",)),
        PaperTable("table 1", "Sentence patterns", patterns, about="Nine pairs of person words, 60 professions."),
        PaperTable("table 2", "Masking", masking, about="English sentences, in three stages."),
        PaperTable("figure 2", "The score of a sentence", steps, about=MEASURED, work=_read(ENGLISH)),
        PaperTable(
            "table 3",
            "Hypotheses",
            hypotheses,
            about=f"Mean associations and their change. {BARTL_TRAINED}",
            work=_trained,
            needs=("gap", "cds"),
        ),
        PaperTable(
            "table 4",
            "English associations before and after fine-tuning",
            english,
            about=f"{MEASURED} {BARTL_TRAINED} V is the rank sum where the change of female words is larger than that "
            "of male words, over the 900 ordered pairs of a group; r = |z| / √1800.",
            work=lambda setting: _trained(setting, "ours", "as published"),
            needs=("gap", "cds"),
        ),
        PaperTable(
            "figure 3",
            "Male professions before and after",
            bars_of_jobs("male", "Figure 3"),
            about=BARTL_TRAINED,
            work=_trained,
            needs=("gap", "cds"),
        ),
        PaperTable(
            "figure 4",
            "Female professions before and after",
            bars_of_jobs("female", "Figure 4"),
            about=BARTL_TRAINED,
            work=_trained,
            needs=("gap", "cds"),
        ),
        PaperTable(
            "figure 5",
            "Balanced professions before and after",
            bars_of_jobs("balanced", "Figure 5"),
            about=BARTL_TRAINED,
            work=_trained,
            needs=("gap", "cds"),
        ),
        PaperTable(
            "table 5",
            "German associations",
            german,
            about=f"{MEASURED} Below: the gap with the grammar taken out, from both forms of every profession beside "
            "both genders.",
            work=_read(2 * GERMAN + CROSSED),
        ),
        PaperTable("table 6", "Female professions", professions("female"), about="U.S. workforce, 2019."),
        PaperTable("table 7", "Male professions", professions("male"), about="U.S. workforce, 2019."),
        PaperTable("table 8", "Balanced professions", professions("balanced"), about="U.S. workforce, 2019."),
        PaperTable("figure 6", "German professions", bars_of_german, about=MEASURED, work=_read(GERMAN)),
    ),
)
