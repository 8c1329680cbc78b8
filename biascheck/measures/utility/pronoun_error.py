"""How often a model prefers the other gender's pronoun in running text (Manela et al. 2021, appendix A)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from biascheck.corpora.documents import Document, Documents
from biascheck.corpora.rewriting.rewriter import Rewriter
from biascheck.corpora.rewriting.terms import gender_terms
from biascheck.corpora.words import sentences_of
from biascheck.measures.declaration import measure
from biascheck.measures.utility.losses import losses_of
from biascheck.models.capabilities import MaskedModel
from biascheck.models.scoring.chunks import asked_in_chunks
from biascheck.models.scoring.queries import Answer, MaskedQuery, Refusal
from biascheck.results.result import Result
from biascheck.spans import Span

__all__ = ["pronoun_error"]


@measure(
    "pronoun error",
    version=1,
    about="How often the model prefers the other gender's pronoun to the one that the text has.",
    limits=(
        "It shows whether a model still knows its language, not whether it is fair: read it beside the gaps.",
        "It is about the texts that were held out, and they are few.",
    ),
    direction="upwards",
    unit="share from 0 to 1",
    smallest_change=0.02,
    smallest_change_reason="two more pronouns in a hundred are wrong",
    sign="The estimate is a loss: zero is perfect, one half is chance.",
    paper="manela2021",
    needs=("fills masks",),
)
def pronoun_error(model: MaskedModel, documents: Documents, *, seed: int = 0) -> Result:
    """The share of gendered pronouns in running text for which a masked model prefers the other gender.

    Each pronoun is masked alone and P of the pronoun is compared with P of its counterpart at that place (he–she,
    him–her, his–her …). The score of a document is the share of its pronouns on which the counterpart is more
    probable, a tie counting one half. A document without a pronoun is skipped. For the utility of a causal model
    measure :func:`held_out_loss`.
    """
    asked = [list(_pronoun_queries(document)) for document in documents]
    answers = asked_in_chunks(model.fill, (query for queries in asked for pair in queries for query in pair))
    found = [[(next(answers), next(answers)) for _ in queries] for queries in asked]
    return losses_of(model, documents, [_error(pairs) for pairs in found], seed)


def _pronoun_queries(document: Document) -> Iterator[tuple[MaskedQuery, MaskedQuery]]:
    for sentence in sentences_of(document.text):
        for edit in _pronouns().edits(sentence):
            start, end = edit.span.start, edit.span.end
            other = f"{sentence[:start]}{edit.replacement}{sentence[end:]}"
            place = Span(start, start + len(edit.replacement))
            yield MaskedQuery(sentence, edit.span), MaskedQuery(other, place)


@cache
def _pronouns() -> Rewriter:
    return Rewriter(gender_terms("pro"))


def _error(pairs: Sequence[tuple[Answer | Refusal, Answer | Refusal]]) -> float | str:
    wrong: list[float] = []
    for there, other in pairs:
        if isinstance(there, Answer) and isinstance(other, Answer):
            gap = other.log_probability - there.log_probability
            wrong.append(0.5 if gap == 0 else float(gap > 0))
    if not wrong:
        refused = (answer.reason for pair in pairs for answer in pair if isinstance(answer, Refusal))
        return next(refused, "no gendered pronoun in it")
    return sum(wrong) / len(wrong)
