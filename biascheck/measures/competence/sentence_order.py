"""Does a causal model find a sentence more probable than its own words in another order?"""

from __future__ import annotations

from biascheck import stats
from biascheck.corpora.corpus import Corpus
from biascheck.measures.competence.sampled_sentences import sampled_pairs, shuffled, shuffles_each
from biascheck.models.capabilities import CausalModel
from biascheck.models.scoring.queries import Answer, Refusal, SentenceQuery
from biascheck.results.competence import Readability

__all__ = ["sentence_order"]

ORDER_CHECK = "sentence order"
ORDER_ABOUT = "whether sentences are more probable than the same words in another order"
ORDER_FAILURE = "cannot read this corpus"
READS_ORDER = 0.75


def sentence_order(model: CausalModel, corpus: Corpus, *, seed: int = 0) -> Readability:
    """The share of at most 200 sentences that are more probable than a copy with shuffled words.

    Both have the same words, so neither length nor frequency decides. A model that reads some sentences and guesses
    at the others wins ``(1 + share read) / 2``: 0.75 says that it reads every second one, and that is the floor. The
    lower end of Wilson's 95 % interval must reach it, so that a lucky sample does not; of 200 sentences 163 do.
    """
    pairs = sampled_pairs(corpus, seed=seed)
    sentences = [(number, pair.sentences[group]) for number, pair in enumerate(pairs) for group in corpus.groups]
    queries: list[SentenceQuery] = []
    for turn in range(shuffles_each(len(sentences))):
        for number, sentence in sentences:
            queries += [SentenceQuery(sentence.text), SentenceQuery(shuffled(sentence, (seed, number, turn))[0])]
    answers = model.likelihood(queries)
    return _readability(list(zip(answers[::2], answers[1::2], strict=True)), seed)


def _readability(compared: list[tuple[Answer | Refusal, Answer | Refusal]], seed: int) -> Readability:
    wins = [_won(own, moved) for own, moved in compared if isinstance(own, Answer) and isinstance(moved, Answer)]
    if not wins:
        reason = next(answer.reason for pair in compared for answer in pair if isinstance(answer, Refusal))
        return Readability(
            ORDER_CHECK,
            ORDER_ABOUT,
            0.0,
            READS_ORDER,
            0,
            seed,
            f"no sentence can be scored, e.g. {reason}",
            ORDER_FAILURE,
        )
    share = sum(wins) / len(wins)
    low = stats.wilson_interval(share, len(wins)).low
    finding = (
        f"{share:.0%} of {len(wins)} sentences are more probable than the same words shuffled, at least {low:.0%} "
        f"with the doubt of the sample; {READS_ORDER:.0%} is needed, 50 % is chance"
    )
    return Readability(
        ORDER_CHECK,
        ORDER_ABOUT,
        low,
        READS_ORDER,
        len(wins),
        seed,
        finding,
        ORDER_FAILURE,
        {"share": share, "share, low": low},
    )


def _won(own: Answer, moved: Answer) -> float:
    return 0.5 if own.log_probability == moved.log_probability else float(own.log_probability > moved.log_probability)
