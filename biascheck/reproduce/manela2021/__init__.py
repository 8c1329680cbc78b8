"""De Vassimon Manela et al. 2021, Stereotype and Skew: Tables 1 to 3, Figures 1 to 4 and the accuracies of §4.3.2."""

from __future__ import annotations

from biascheck.reproduce.manela2021.manela_figures import certainties, sentences, trade_off
from biascheck.reproduce.manela2021.manela_tables import accuracies, bias, competence, names
from biascheck.reproduce.manela2021.manela_trained import FEWEST_DOCUMENTS, FEWEST_SENTENCES, MANELA_EPOCHS
from biascheck.reproduce.paper import Paper, PaperTable, Work
from biascheck.reproduce.setting import Setting

__all__ = ["PAPER"]

LINES_OF_A_CORPUS, MANELA_CHECKED = 390, 400
"""Sentences of one kind that a rule keeps, and those that a model reads to show that it can read such sentences."""
DOCUMENTS, SENTENCES_OF_A_DOCUMENT = 2_454, 5
"""Of GAP's documents, sentences with a pronoun: in the text for -U, and twice as many in the text for -A."""
MANELA_TRAINED = (
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


def _work(setting: Setting, corpora: int, *, online: bool = True, trained: bool = True) -> Work:
    """Each model reads every corpus, once more to be checked, and more often under online mitigation."""
    masked = setting.can("fills masks")
    passes = {(True, False): 1, (True, True): 3, (False, False): 2, (False, True): 8}[masked, online]
    models = 3 if masked and trained else 1
    lines = setting.scaled(LINES_OF_A_CORPUS, least=FEWEST_SENTENCES)
    texts = setting.scaled(DOCUMENTS, least=FEWEST_DOCUMENTS) * setting.scaled(MANELA_EPOCHS) * SENTENCES_OF_A_DOCUMENT
    shared = (("-U and -A", texts),) if models > 1 else ()
    return Work(models * corpora * (passes * lines + MANELA_CHECKED), tokens=20, shared=shared)


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
            work=lambda setting: _work(setting, 2, online=False, trained=False),
            needs=("winobias",),
        ),
        PaperTable(
            "table 1",
            "F1 where professions are replaced by Alice and Bob",
            names,
            about=f"{LINES} {MANELA_TRAINED}",
            work=lambda setting: _work(setting, 4),
            needs=("winobias", "gap", "cds", "ontonotes"),
        ),
        PaperTable(
            "table 2",
            "F1, stereotype and skew on Test Set 2",
            bias,
            about=f"{LINES} Ours leaves out sentences with |P(male) − P(female)| below 0.1, as the paper says; as "
            f"published has no cut-off, as the authors' code. {MANELA_TRAINED}",
            work=lambda setting: _work(setting, 4),
            needs=("winobias", "gap", "cds", "ontonotes"),
        ),
        PaperTable(
            "figure 4",
            "Skew and stereotype of the models as they come",
            trade_off,
            about=LINES,
            work=lambda setting: _work(setting, 3, online=False, trained=False),
            needs=("winobias",),
        ),
        PaperTable(
            "section 4.3.2",
            "Accuracy of the fine-tuned models on masked pronouns",
            accuracies,
            about=f"The share of pronouns that are the most probable token, on the text kept aside. {MANELA_TRAINED}",
            work=lambda setting: _work(setting, 0),
            needs=("gap", "cds", "ontonotes"),
        ),
        PaperTable(
            "table 3",
            "Share of female pronouns by competence",
            competence,
            about="As published: T2 labelled by the raters' votes in manela/competency.csv of the data (a column id, "
            "as T2/17 for line 17, and one for each rater), both people “the person”. Ours: 243 sentences of our own, "
            f"written for their class. {MANELA_TRAINED}",
            work=lambda setting: _work(setting, 2, online=False),
            needs=("winobias", "manela", "gap", "cds", "ontonotes"),
        ),
    ),
)
