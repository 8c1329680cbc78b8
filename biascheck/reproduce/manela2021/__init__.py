"""De Vassimon Manela et al. 2021, Stereotype and Skew: Tables 1 to 3, Figures 1 to 4 and the accuracies of §4.3.2."""

from __future__ import annotations

from biascheck.reproduce.manela2021.manela_figures import certainties, sentences, trade_off
from biascheck.reproduce.manela2021.manela_tables import accuracies, bias, competence, names
from biascheck.reproduce.manela2021.manela_trained import EPOCHS
from biascheck.reproduce.paper import Paper, PaperTable, Work
from biascheck.reproduce.setting import Setting

__all__ = ["PAPER"]

T1_AND_T2, T2 = 1_518, 777
"""Sentences of the test split that our rule and the authors' keep together."""
PASSES = 9
"""Each of three models (as it comes, -U, -A) reads a sentence once, and twice more under online mitigation."""
TRAINED_ON = 3 * 4_000
"""Sentences with a pronoun in GAP, about; -A reads them twice."""
TRAINED = (
    "-U and -A are fine-tuned on masked pronouns of anonymised text, -A also on gender-swapped copies (§3.3, appendix "
    "A: of 10 epochs the one with the highest pronoun accuracy on a fifth kept aside; rate, batch and warm-up of the "
    "authors' notebook). The paper's text is OntoNotes 5.0, which needs a licence: it is taken from ontonotes/text.txt "
    "of the data (one document per line), else GAP is."
)
LINES = (
    "Ours keeps the lines whose two versions differ in the pronoun alone (T1 367, T2 386) and, under -O, reads the "
    "prior at the pronoun. As published keeps all lines with one bracketed pronoun (T1 374, T2 391) and reads it at "
    "the first mask of the sentence, a person's."
)


def _measured(count: int, *, trained: bool = True) -> Work:
    return Work(read=count, trained=EPOCHS * TRAINED_ON if trained else 0, tokens=20)


def _scaled(count: int, setting: Setting, *, trained: bool = True) -> Work:
    part = setting.scale
    found = _measured(round(count * part), trained=trained)
    return Work(found.read, round(found.trained * part * part), found.tokens)


PAPER = Paper(
    name="manela2021",
    title="De Vassimon Manela et al. 2021, Stereotype and Skew: Quantifying Gender Bias in Pre-trained and Fine-tuned "
    "Language Models",
    link="https://aclanthology.org/2021.eacl-main.190",
    about="All sentences are those of the WinoBias test split. Figures are shares from 0 to 1; the paper prints per "
    "cent. A row of another model than the one tested says so; run the command on that model to fill it.",
    tables=(
        PaperTable(
            "figure 1",
            "Sentences of Test Set 1",
            sentences("T1"),
            about="The figure shows two examples. Here: how many lines each rule keeps.",
            needs=("winobias",),
        ),
        PaperTable(
            "figure 2",
            "Sentences of Test Set 2",
            sentences("T2"),
            about="The figure shows two examples. Here: how many lines each rule keeps.",
            needs=("winobias",),
        ),
        PaperTable(
            "figure 3",
            "Histogram of absolute differences in gendered pronoun assignment",
            certainties,
            about=f"{LINES} The paper draws no numbers and names no model.",
            work=lambda setting: _scaled(T2, setting, trained=False),
            needs=("winobias",),
        ),
        PaperTable(
            "table 1",
            "F1 where professions are replaced by Alice and Bob",
            names,
            about=f"{LINES} {TRAINED}",
            work=lambda setting: _scaled(PASSES * T1_AND_T2, setting),
            needs=("winobias", "gap", "cds", "ontonotes"),
        ),
        PaperTable(
            "table 2",
            "F1, stereotype and skew on Test Set 2",
            bias,
            about=f"{LINES} Ours leaves out sentences with |P(male) − P(female)| below 0.1, as the paper says; as "
            f"published has no cut-off, as the authors' code. {TRAINED}",
            work=lambda setting: _scaled(2 * PASSES * T2, setting),
            needs=("winobias", "gap", "cds", "ontonotes"),
        ),
        PaperTable(
            "figure 4",
            "Skew and stereotype of the models as they come",
            trade_off,
            about=LINES,
            work=lambda setting: _scaled(2 * T2, setting, trained=False),
            needs=("winobias",),
        ),
        PaperTable(
            "section 4.3.2",
            "Accuracy of the fine-tuned models on masked pronouns",
            accuracies,
            about=f"The share of pronouns that are the most probable token, on the text kept aside. {TRAINED}",
            work=lambda setting: _scaled(0, setting),
            needs=("gap", "cds", "ontonotes"),
        ),
        PaperTable(
            "table 3",
            "Share of female pronouns by competence",
            competence,
            about="As published: T2 labelled by the raters' votes in manela/competency.csv of the data (a column id, "
            "as T2/17 for line 17, and one for each rater), both people “the person”. Ours: 243 sentences of our own, "
            f"written for their class. {TRAINED}",
            work=lambda setting: _scaled(3 * 630, setting),
            needs=("winobias", "manela", "gap", "cds", "ontonotes"),
        ),
    ),
)
