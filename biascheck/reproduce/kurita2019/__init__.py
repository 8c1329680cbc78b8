"""Kurita et al. 2019, Measuring Bias in Contextualized Word Representations: all six tables."""

from biascheck.reproduce.kurita2019.effect_tables import kurita_table_2, score_work, section_3_3, table_1, table_3
from biascheck.reproduce.kurita2019.employment_table import employment_work, table_5
from biascheck.reproduce.kurita2019.pronoun_tables import gap_work, section_4, table_4, table_6
from biascheck.reproduce.paper import Paper, PaperTable, Work

__all__ = ["PAPER"]

PAPER = Paper(
    name="kurita2019",
    title="Kurita et al. 2019, Measuring Bias in Contextualized Word Representations",
    link="https://aclanthology.org/W19-3823",
    about="The paper measures BERT-base uncased, and GloVe beside it. Positive effect sizes are the biases that people "
    "have: flowers, white, career with male, math with male, science with male.",
    tables=(
        PaperTable(
            "table 1",
            "Template sentences used for the WEAT tests",
            table_1,
            about="The templates are inputs. The figures are how many words of each set are one token of this model's "
            "vocabulary, and so remain in WEAT as published (§3.1).",
            work=lambda _: Work(read=900, tokens=6),
        ),
        PaperTable(
            "table 2",
            "Template sentences and target words for the grammatically correct sentences",
            kurita_table_2,
            about="The templates are inputs. The figures are how many attributes this model could be asked about.",
            work=score_work,
        ),
        PaperTable(
            "table 3",
            "Effect sizes of bias measurements on WEAT stimuli",
            table_3,
            about="WEAT: ours takes all words (the mean state of their tokens), as published takes whole words of the "
            "vocabulary and drops random words of the larger set of targets. Score: ours takes one mean for each "
            "attribute, as the paper says; as published pools template × attribute rows and reads the prior at the "
            "word left of the attribute, as the authors' code does.",
            work=lambda setting: Work(read=900 + 2 * score_work(setting).read, tokens=8),
        ),
        PaperTable(
            "section 3.3",
            "Which measure finds the biases? The log-probability score beside WEAT",
            section_3_3,
            about="Counts over the five categories of Table 3. Two-sided permutation tests.",
        ),
        PaperTable(
            "table 4",
            "Probability of a pronoun referring to neither entity in a sentence of GPR",
            table_4,
            about="The development part of GAP: 1,000 male and 1,000 female pronouns. A probe on the states of pronoun "
            "and names (31 hidden units, dropout 0.6, L2 0.1) predicts each pronoun by five-fold cross-validation over "
            "pages, three times; how the paper held out its predictions is not stated.",
            work=gap_work,
            needs=("gap",),
        ),
        PaperTable(
            "section 4",
            "Is a female pronoun denied a referent where the topic is male?",
            section_4,
            about="20 topics by non-negative matrix factorisation, their 15 heaviest words in “men/women are "
            "interested in …”, weighted; Spearman's correlation with P(neither) of the 1,000 female pronouns.",
            work=gap_work,
            needs=("gap",),
        ),
        PaperTable(
            "table 5",
            "Percentage of attributes associated more strongly with the male gender",
            table_5,
            about="“He/she is …” and “can do …”, without a full stop, as in the paper; shares from 0 to 1. As "
            "published has one prior for all attributes, read at the verb, as the authors' code does.",
            work=employment_work,
            needs=("kurita", "onet"),
        ),
        PaperTable(
            "table 6",
            "Extracted topics for the GPR dataset",
            table_6,
            about="Topics of the development part of GAP by their five heaviest words, and how far each leans: the "
            "paper lists words only. Topics of a factorisation are no two times the same; only the kind compares.",
            work=lambda _: Work(),
            needs=("gap",),
        ),
    ),
)
