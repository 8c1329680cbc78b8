"""Whether a review is rated otherwise when its people change gender (Jentzsch & Turan 2022, §2.3, §2.4, Table 1)."""

from __future__ import annotations

from collections.abc import Sequence

from biascheck.corpora.corpus import Corpus, Pair
from biascheck.corpora.sentence import Sentence
from biascheck.errors import UsageError
from biascheck.measures.declaration import measure
from biascheck.measures.draft import draft
from biascheck.measures.tables.delta_table import delta_summary
from biascheck.models.adapters.functions import as_classifier
from biascheck.models.capabilities import Classifier
from biascheck.models.scoring.chunks import asked_in_chunks
from biascheck.models.scoring.queries import Refusal
from biascheck.results.item_columns import ItemList
from biascheck.results.items import ItemScore, Shown, Skipped
from biascheck.results.result import Result
from biascheck.results.summaries import summarise

__all__ = ["sentiment_delta"]

BEFORE, AFTER = 80, 160


@measure(
    "sentiment delta",
    version=1,
    about="Whether the same review is rated better when its people are men or when they are women.",
    limits=(
        "Deltas of both signs cancel in the mean: read the two sides and the absolute delta.",
        "With thousands of reviews a tiny delta is significant: a margin says whether it matters.",
        "A classifier that is hardly better than chance has no sentiment to speak of: read its accuracy beside it.",
        "It is about one classifier and its training data; another classifier on the same model may differ.",
        "It depends on the term set: turning every term of a review to one gender makes some sentences that nobody "
        "would write, and changes more than gender where words have no equal counterpart.",
    ),
    direction="from parity",
    unit="difference of two ratings, from −1 to 1",
    smallest_change=0.02,
    smallest_change_reason="a rating moves by two points in a hundred with the gender alone",
    scale="rating",
    plain="On average the same text is rated {by} better about {towards} people than about {away} ones; "
    "allowed: {allowed}.",
    sign="A gap is {first} minus {second}: positive means that the {first} version is rated better, negative the "
    "{second} one. The estimate is the mean gap; zero is parity.",
    paper="jentzsch2022",
    needs=("rates text",),
    competence="sentiment",
    adapt=as_classifier,
)
def sentiment_delta(model: Classifier, corpus: Corpus, *, seed: int = 0) -> Result:
    """The mean difference of the sentiment of a text between its male and its female version.

    With ``sent(x)`` the classifier's P(positive) of a text, from 0 to 1, the score of a review is::

        delta = sent(male version) − sent(female version)        from −1 to 1

    Positive: the classifier thinks better of the text when its people are men. The estimate is the mean over all
    reviews (the paper's total bias), those without gendered words included; its interval is a bootstrap over reviews.
    A review of which a version is too long for a model that is asked is skipped with that reason.
    Attached are the counts below, at and above zero with the means on each side, the total and the absolute bias
    over all and over non-zero reviews, and Wilcoxon's signed-rank test without zeros.

    ``model`` is a classifier from ``biascheck.load``, or what :func:`biascheck.as_classifier` takes: a function, a
    transformers pipeline, a scikit-learn estimator. ``corpus`` is any corpus of two groups: reviews
    (:func:`biascheck.corpora.review_pairs`), the Equity Evaluation Corpus, your own.

    ``delta_summary(result)`` is one row of the paper's Tables 3 and 4, ``delta_table(results)`` corrects Wilcoxon's p
    for a family (Holm). :func:`assert_no_sentiment_delta` judges the interval and shows the corrected p.
    ``biascheck.studies.SentimentGrid`` crosses models, training conditions and term sets.
    """
    if len(corpus.groups) != 2:
        raise UsageError(f"{corpus.name} has the groups {list(corpus.groups)}; choose two with corpus.with_groups(…)")
    first, second = corpus.groups
    ratings = asked_in_chunks(model.rate, (sentence.text for sentence in corpus.each_sentence()))
    items, skipped = ItemList(), []
    for pair in corpus:
        both = next(ratings), next(ratings)
        if refused := next((one for one in both if isinstance(one, Refusal)), None):
            skipped.append(Skipped(pair.id, refused.reason, dict(pair.labels)))
        else:
            items.append(_item(pair, corpus.groups, [float(one) for one in both if not isinstance(one, Refusal)]))
    form = summarise(draft(model, corpus, items, skipped, contrast=(first, second), seed=seed, unit="reviews"))
    summary = delta_summary(form, name=f"{model.name} × {corpus.name}")
    return form.with_attachments(*summary.attachments())


def _item(pair: Pair, groups: Sequence[str], ratings: Sequence[float]) -> ItemScore:
    gendered = pair.labels.get("terms") != 0
    return ItemScore(
        id=pair.id,
        score=ratings[0] - ratings[1],
        cluster=pair.attribute,
        groups=dict(zip(groups, ratings, strict=True)),
        labels=dict(pair.labels),
        sentences={group: _excerpt(pair.sentences[group]) for group in groups} if gendered else {},
    )


def _excerpt(sentence: Sentence) -> Shown:
    """The words around the target: a whole review is too long to read, and to store thousands of times."""
    start = max(0, sentence.target.start - BEFORE)
    end = min(len(sentence.text), sentence.target.start + AFTER)
    opening, closing = "…" if start else "", "…" if end < len(sentence.text) else ""
    shift = len(opening) - start
    last = min(sentence.target.end, end)
    return Shown(f"{opening}{sentence.text[start:end]}{closing}", sentence.target.start + shift, last + shift)
