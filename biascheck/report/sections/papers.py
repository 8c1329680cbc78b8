"""The papers that the suites repeat, and which result belongs to which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from biascheck.gates.gate import Gate
from biascheck.results.result import Result

__all__ = ["OWN", "PAPERS", "CitedPaper", "paper_of"]


@dataclass(frozen=True)
class CitedPaper:
    """A paper: its key is the name of its suite's folder."""

    key: str
    name: str
    question: str
    title: str


PAPERS = (
    CitedPaper(
        key="kurita2019",
        name="Kurita et al. 2019",
        question="Which words does a profession or a trait call for?",
        title="Measuring Bias in Contextualized Word Representations. Gender Bias in NLP, 2019",
    ),
    CitedPaper(
        key="bartl2020",
        name="Bartl et al. 2020",
        question="Do professions pull person words towards one gender?",
        title="Unmasking Contextual Stereotypes: Measuring and Mitigating BERT’s Gender Bias. Gender Bias in NLP, 2020",
    ),
    CitedPaper(
        key="manela2021",
        name="de Vassimon Manela et al. 2021",
        question="One pronoun for everyone, or the expected one?",
        title="Stereotype and Skew: Quantifying Gender Bias in Pre-trained and Fine-tuned Language Models. EACL, 2021",
    ),
    CitedPaper(
        key="jentzsch2022",
        name="Jentzsch & Turan 2022",
        question="Does the same review read better of a man or of a woman?",
        title="Gender Bias in BERT: Measuring and Analysing Biases through Sentiment Rating in a Realistic "
        "Downstream Classification Task. Gender Bias in NLP, 2022",
    ),
    CitedPaper(
        key="basta2019",
        name="Basta et al. 2019",
        question="Is gender a direction among the vectors?",
        title="Evaluating the Underlying Gender Bias in Contextualized Word Embeddings. Gender Bias in NLP, 2019",
    ),
    CitedPaper(
        key="nangia2020",
        name="CrowS-Pairs (Nangia et al. 2020)",
        question="Is the stereotypical of two sentences the more probable one?",
        title="CrowS-Pairs: A Challenge Dataset for Measuring Social Biases in Masked Language Models. EMNLP, 2020",
    ),
    CitedPaper(
        key="nadeem2021",
        name="StereoSet (Nadeem et al. 2021)",
        question="A stereotype, its opposite, or nonsense?",
        title="StereoSet: Measuring Stereotypical Bias in Pretrained Language Models. ACL, 2021",
    ),
    CitedPaper(
        key="parrish2022",
        name="BBQ (Parrish et al. 2022)",
        question="Who did it, where nobody said so?",
        title="BBQ: A Hand-built Bias Benchmark for Question Answering. Findings of ACL, 2022",
    ),
    CitedPaper(
        key="rudinger2018",
        name="Winogender (Rudinger et al. 2018)",
        question="Which pronoun does an occupation call for: he, she or they?",
        title="Gender Bias in Coreference Resolution. NAACL, 2018",
    ),
    CitedPaper(
        key="caliskan2017",
        name="WEAT and SEAT (Caliskan et al. 2017, May et al. 2019)",
        question="Which words lie near which others?",
        title="Semantics Derived Automatically from Language Corpora Contain Human-like Biases. Science, 2017. On "
        "Measuring Social Biases in Sentence Encoders. NAACL, 2019",
    ),
    CitedPaper(
        key="tamkin2023",
        name="discrim-eval (Tamkin et al. 2023)",
        question="Does a decision depend on who is decided about?",
        title="Evaluating and Mitigating Discrimination in Language Model Decisions. 2023",
    ),
)

OWN = CitedPaper(
    key="own",
    name="Other measures",
    question="Measures of your own",
    title="Results that belong to none of the papers above.",
)


def paper_of(judged: Result | Gate, tests: Sequence[str] = ()) -> CitedPaper:
    """The paper of a result: by the folder of the tests that judged it, else by what its measure says of itself."""
    folders = {folder for test in tests for folder in test.split("::")[0].split("/")}
    by_folder = (paper for paper in PAPERS if paper.key in folders)
    by_description = (paper for paper in PAPERS if paper.key == judged.description.shown_under)
    return next(by_folder, None) or next(by_description, OWN)
