"""The gender direction of vectors: states of words, the subspace of definitional pairs, direct bias."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from biascheck import stats
from biascheck.core.errors import ScoreError, UsageError
from biascheck.corpora.corpus import Corpus
from biascheck.corpora.lexicon import Context, Entry, Lexicon
from biascheck.measures.measure import draft, measure, shown
from biascheck.models.base import Embedding, embeds_in_context, is_static
from biascheck.models.local.encoder import cached_states, encoder_of
from biascheck.models.scoring.queries import Refusal, State, WordQuery
from biascheck.results.attachments import Draws, ExplainedVariance, Table
from biascheck.results.definition import Readability
from biascheck.results.items import ItemScore, Shown, Skipped
from biascheck.results.result import Result
from biascheck.results.summaries import summarise
from biascheck.stats import ChanceBaseline, Subspace

# Vectors for words, from any source: a contextual encoder, a language model, a static table.

Matrix = NDArray[np.float64]


def embedding_of(model: Any) -> Embedding:
    """The model as a source of vectors; a language model gives the states of its last layer."""
    return model if is_static(model) else encoder_of(model)


def states_of(embedding: Embedding, contexts: Sequence[Context]) -> list[State | Refusal]:
    """The vector of each word in its sentence; a static table uses the word alone."""
    if is_static(embedding):
        return embedding.vectors([context.word for context in contexts])
    assert embeds_in_context(embedding)
    return cached_states(embedding, [WordQuery(context.text, context.span) for context in contexts])


@dataclass(frozen=True, eq=False)
class DrawnWords:
    """The words that have vectors, with one each for every draw: ``vectors[draw, word]``."""

    entries: tuple[Entry, ...]
    vectors: NDArray[np.float32]
    contexts: tuple[tuple[Context, ...], ...]
    skipped: tuple[Skipped, ...]


def draw_words(embedding: Embedding, lexicon: Lexicon, *, draws: int, seed: int) -> DrawnWords:
    """One sentence for each word, ``draws`` times, all of them in one plan: each distinct sentence runs once.

    A static table has one vector for a word, so it is drawn once. A word that is refused in one of its sentences is
    skipped in all.
    """
    dealt = lexicon.draws(1 if is_static(embedding) else draws, seed)
    states = states_of(embedding, [context for contexts in dealt for context in contexts])
    size = len(lexicon)
    refused: dict[int, str] = {}
    for place, state in enumerate(states):
        if isinstance(state, Refusal):
            refused.setdefault(place % size, state.reason)
    kept = [place for place in range(size) if place not in refused]
    skipped = [Skipped(left.id, left.reason) for left in lexicon.left_out]
    skipped += [Skipped(lexicon.entries[place].word, reason) for place, reason in sorted(refused.items())]
    if not kept:
        raise ScoreError(
            f"{embedding.name} × {lexicon.name}: no word has a vector, e.g. {next(iter(refused.values()))}"
        )
    rows = [states[draw * size + place] for draw in range(len(dealt)) for place in kept]
    vectors = np.stack([row.vector for row in rows if isinstance(row, State)])
    return DrawnWords(
        tuple(lexicon.entries[place] for place in kept),
        vectors.reshape(len(dealt), len(kept), -1),
        tuple(tuple(contexts[place] for place in kept) for contexts in dealt),
        tuple(skipped),
    )


def gender_differences(embedding: Embedding, pairs: Corpus) -> tuple[Matrix, list[int], list[Skipped]]:
    """First minus second group's vector of each pair, with the pairs, and those without vectors.

    A static table has the same vectors in every sentence, so only the first sentence of two words counts.
    """
    first, second = pairs.groups[:2]
    places = list(range(len(pairs.pairs)))
    if is_static(embedding):
        by_words = {
            tuple(pairs.pairs[i].sentences[g].target_text for g in (first, second)): i for i in reversed(places)
        }
        places = sorted(by_words.values())
    asked = [pairs.pairs[place].sentences[group] for place in places for group in (first, second)]
    states = iter(states_of(embedding, [Context(sentence.text, sentence.target) for sentence in asked]))
    rows: list[Matrix] = []
    kept: list[int] = []
    skipped: list[Skipped] = []
    for place in places:
        one, other = next(states), next(states)
        if isinstance(one, State) and isinstance(other, State):
            rows.append(one.vector.astype(np.float64) - other.vector.astype(np.float64))
            kept.append(place)
        else:
            reason = next(state.reason for state in (one, other) if isinstance(state, Refusal))
            skipped.append(Skipped(pairs.pairs[place].id, reason, dict(pairs.pairs[place].labels)))
    if not rows:
        raise ScoreError(f"{embedding.name} × {pairs.name}: no pair has vectors, e.g. {skipped[0].reason}")
    return np.stack(rows), kept, skipped


def gender_subspace_of(embedding: Embedding, pairs: Corpus) -> Subspace:
    """The principal axes of the differences of all pairs; the first points to the first group."""
    return stats.principal_subspace(gender_differences(embedding, pairs)[0])


# The share of the differences of definitional pairs in one direction (Basta et al. 2019, §5, Figure 1).

COMPONENTS = 10


@measure(
    "gender subspace",
    version=2,
    about="How concentrated gender is: the share of what sets he and she, man and woman, … apart that lies in one "
    "direction.",
    limits=(
        "A handful of pairs in many dimensions share a direction by chance: read it beside the random words.",
        "It says how concentrated gender is, not how much of it other words carry.",
        "Without the correction the interval takes the axis as given.",
        "Figures of two models are hard to compare: their vector spaces have different shapes.",
    ),
    statistic="ratio",
    direction="upwards",
    unit="share from 0 to 1",
    smallest_change=0.05,
    smallest_change_reason="a twentieth of the variance moves",
    scale="share",
    plain="One single direction carries {by} of what sets he and she, man and woman apart; allowed: {allowed}.",
    sign="The estimate is the share of what sets he and she, man and woman, … apart that lies in one direction, from 0 "
    "to 1. It has no sign.",
    paper="basta2019",
    needs=("embeds words",),
    competence="gender direction",
)
def gender_subspace(model: Any, lexicon: Lexicon, *, corrected: bool = False, draws: int = 10, seed: int = 0) -> Result:
    """The share of variance of the first principal component of he − she, man − woman, …

    The definitional word of a sentence is swapped for its partner and the two vectors are subtracted. With d the
    differences and g the first axis of their **uncentred** singular value decomposition::

        share = Σ (d · g)² / Σ |d|²

    All pairs of the lexicon together give the estimate; a draw takes one sentence for each pair of words. For
    comparison, the attached explained variance has the shares of as many differences between random words of the
    lexicon. An item is one pair in one sentence, its cluster the two words. Centring the differences would remove the
    very direction in which they agree.

    A dozen pairs in hundreds of dimensions overfit their axis, so the share is too high for other pairs
    of such words. ``corrected`` is the mean of this share and of the one with each pair projected on the
    axis of all others, which is too low by as much; its interval is one for pairs in general. An attached table
    then has all three shares.

    Source: Basta et al. 2019, §5, Figure 1.
    """
    embedding = embedding_of(model)
    rows, places, skipped = gender_differences(embedding, lexicon.pairs)
    subspace = stats.principal_subspace(rows)
    pairs = [lexicon.pairs.pairs[place] for place in places]
    names, whole = [pair.attribute for pair in pairs], (rows**2).sum(axis=1)
    fitted = (rows @ subspace.axes[0]) ** 2
    along = (fitted + stats.held_out_squares(rows, names)) / 2 if corrected else fitted
    items = [
        ItemScore(
            id=pair.id,
            score=float(part),
            cluster=pair.attribute,
            covariate=float(length),
            labels=dict(pair.labels),
            sentences=shown(pair),
        )
        for pair, part, length in zip(pairs, along, whole, strict=True)
    ]
    form = draft(embedding, lexicon, items, skipped, contrast=lexicon.groups, seed=seed, unit="pairs")
    random = _random_shares(embedding, lexicon, len(rows), seed)
    pair_shares = tuple(subspace.shares[:COMPONENTS].tolist())
    drawn_shares = [_share(rows[at], [names[n] for n in at], corrected) for at in _draws(names, draws, seed)]
    result = summarise(form).with_attachments(
        ExplainedVariance(pairs=pair_shares, random=tuple(random[:COMPONENTS])), Draws(values=tuple(drawn_shares))
    )
    if not corrected:
        return result
    shares = tuple(float(part.sum() / whole.sum()) for part in (fitted, 2 * along - fitted, along))
    columns = ("share along the axis of all", "of the others", "corrected")
    return result.with_attachments(Table(columns=columns, rows=(shares,)))


def _random_shares(embedding: Any, lexicon: Lexicon, count: int, seed: int) -> list[float]:
    """Shares of the differences of as many random pairs of words of the lexicon."""
    drawn = draw_words(embedding, lexicon, draws=1, seed=seed)
    words = drawn.vectors[0].astype(np.float64)
    if len(words) < 2:
        return []
    rng = np.random.default_rng(seed)
    pairs = [rng.choice(len(words), size=2, replace=False) for _ in range(count)]
    shares = stats.principal_subspace(np.stack([words[a] - words[b] for a, b in pairs])).shares
    return [float(share) for share in shares]


def _share(rows: Matrix, names: Sequence[str], corrected: bool) -> float:
    fitted = float(stats.principal_subspace(rows).shares[0])
    if not corrected:
        return fitted
    return (fitted + float(stats.held_out_squares(rows, names).sum() / (rows**2).sum())) / 2


def _draws(names: Sequence[str], draws: int, seed: int) -> list[list[int]]:
    """The indices of the pairs in each draw: one sentence for each pair of words."""
    rng = np.random.default_rng(seed)
    members: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        members.setdefault(name, []).append(place)
    return [[int(rng.choice(places)) for places in members.values()] for _ in range(draws)]


# Items from draws: one score for each word in each sentence drawn for it.


def drawn_items(
    drawn: DrawnWords, scores: NDArray[np.float64], *, covariate: bool = False, chosen: NDArray[np.bool_] | None = None
) -> list[ItemScore]:
    """One item for every word and draw, or for those ``chosen``; the word is the cluster.

    A sentence is stored only with the first item of each word: sentences make up most of a file.
    """
    items: list[ItemScore] = []
    for draw, row in enumerate(scores):
        for place in range(len(row)) if chosen is None else np.flatnonzero(chosen[draw]).tolist():
            entry, context = drawn.entries[place], drawn.contexts[draw][place]
            labels = {} if entry.bias is None else {"bias": entry.bias}
            sentence = Shown(context.text, context.span.start, context.span.end)
            items.append(
                ItemScore(
                    id=f"{entry.word}/{draw}",
                    score=float(row[place]),
                    cluster=entry.word,
                    covariate=entry.bias if covariate else None,
                    labels={**labels, **entry.labels},
                    sentences={"sentence": sentence} if draw == 0 else {},
                    draw=draw,
                )
            )
    return items


def baseline_table(baselines: Iterable[ChanceBaseline]) -> Table:
    """The table of permuted labels, for a report."""
    columns = ("permutations", "mean of permuted labels", "95 % of permuted labels below", "p")
    return Table(columns=columns, rows=tuple((b.permutations, b.mean, b.high, b.p) for b in baselines))


# The projection of neutral words on the gender direction (Bolukbasi et al. 2016, §5.2; Basta et al. 2019, §5).

ONE_SIDED = 0.7


@measure(
    "direct bias",
    version=1,
    about="How strongly words that should be neutral point along the axis of gender, on average.",
    limits=(
        "Never zero: random directions of d dimensions give √(2 / πd) on average, 0.11 for 50 dimensions and 0.04 for "
        "384. Models of different width are not on one scale.",
        "Hidden states that share one direction can all lean one way; the result then carries a warning.",
        "Words can carry gender outside this axis; clustering and classification find it.",
    ),
    statistic="mean_absolute",
    direction="upwards",
    unit="mean size of the cosine, from 0 to 1",
    smallest_change=0.02,
    smallest_change_reason="a fiftieth of the greatest possible projection",
    plain="Words that should be neutral lean to one gender: a mean cosine of {by}, where 1 is entirely; "
    "allowed: {allowed}.",
    sign="A cosine with the gender direction is positive towards {first} and negative towards {second}. The estimate "
    "is the mean of the magnitudes, whatever the sign; zero is parity.",
    paper="basta2019",
    needs=("embeds words",),
    competence="gender direction",
)
def direct_bias(model: Any, lexicon: Lexicon, *, strictness: float = 1.0, draws: int = 10, seed: int = 0) -> Result:
    """The mean of ``|cos(w, g)|^c`` over neutral words w, with g the first axis of the gender subspace.

    ``c`` is ``strictness``. The score of an item, one word in one draw, keeps its sign: positive leans to the first
    group (male). The estimate is the mean magnitude; items of one word are one cluster. What random directions give,
    √(2 / πd) on average, is in the attached table. Contextual states of many models share one dominant direction;
    where it is not orthogonal to the gender axis all words lean one way, and the result carries a warning.
    :func:`assert_direct_bias_below` judges it.

    Source: Bolukbasi et al. 2016, §5.2; Basta et al. 2019, §5.
    """
    if not strictness > 0:
        raise UsageError(f"strictness {strictness} counts every word alike; give a number above 0, 1 in the papers")
    embedding = embedding_of(model)
    direction = gender_subspace_of(embedding, lexicon.pairs).axes[0]
    drawn = draw_words(embedding, lexicon, draws=draws, seed=seed)
    cosines = np.stack([stats.cosines(vectors, direction) for vectors in drawn.vectors])
    scores = np.sign(cosines) * np.abs(cosines) ** strictness
    form = draft(
        embedding,
        lexicon,
        drawn_items(drawn, scores),
        drawn.skipped,
        contrast=lexicon.groups,
        seed=seed,
        unit="words in sentences",
    )
    form = replace(form, warnings=(*form.warnings, *_one_sided(cosines, lexicon.groups)))
    drawn_figures = Draws(values=tuple(np.abs(scores).mean(axis=1).tolist()))
    return summarise(form).with_attachments(drawn_figures, _table(cosines, len(direction)))


def _table(cosines: NDArray[np.float64], dimensions: int) -> Table:
    by_chance = float(np.sqrt(2 / (np.pi * dimensions)))
    columns = ("dimensions", "expected of random directions", "mean cosine with its sign")
    return Table(columns=columns, rows=((dimensions, by_chance, float(cosines.mean())),))


def _one_sided(cosines: NDArray[np.float64], groups: tuple[str, str]) -> tuple[str, ...]:
    """Warn if nearly all words lean the same way: that is a direction shared by all states, not their meaning."""
    mean, magnitude = float(cosines.mean()), float(np.abs(cosines).mean())
    if abs(mean) < ONE_SIDED * magnitude:
        return ()
    group = groups[0] if mean > 0 else groups[1]
    return (
        f"the words lean to {group} by {abs(mean):.2f} on average, most of the direct bias: these vectors share a "
        "direction that is not orthogonal to the gender axis, and the estimate says little about single words",
    )


# Do the vectors have a gender direction at all?

GENDER_DIRECTION_CHECK = "gender direction"
GENDER_DIRECTION_ABOUT = (
    "whether he − she, man − woman, … share one direction, more than differences between random words do"
)
GENDER_DIRECTION_FAILURE = "has no direction of gender"
DRAWS = 99
RANDOM_QUANTILE = 0.95


def gender_direction(model: Any, lexicon: Lexicon, *, seed: int = 0) -> Readability | None:
    """The share of a definitional pair's difference that the direction of all other pairs explains.

    With g₋ᵢ the first axis of the differences d without pair i: ``Σ (dᵢ · g₋ᵢ)² / Σ |dᵢ|²``, one mean difference for
    each two words. The same is done for as many differences of random words of the lexicon, 99 times; the floor is
    the 95th percentile of these draws. Without a common direction, nothing can lean along it.

    Not applicable to fewer than three pairs or four words.
    """
    embedding = embedding_of(model)
    try:
        rows, places, _ = gender_differences(embedding, lexicon.pairs)
    except ScoreError:
        return None
    pairs = _mean_by_name(rows, [lexicon.pairs.pairs[place].attribute for place in places])
    words = draw_words(embedding, lexicon, draws=1, seed=seed).vectors[0].astype(np.float64)
    if len(pairs) < 3 or len(words) < 4:
        return None
    rng = np.random.default_rng(seed)
    random = [_held_out_share(_random_differences(words, len(pairs), rng)) for _ in range(DRAWS)]
    share, floor = _held_out_share(pairs), float(np.quantile(random, RANDOM_QUANTILE))
    finding = (
        f"the direction of the other pairs explains {share:.0%} of a pair's difference; differences of random words "
        f"reach {floor:.0%} in one of twenty draws, and more than that is needed"
    )
    figures = {"share": share, "share of random words, mean": float(np.mean(random)), "share of random words": floor}
    return Readability(
        GENDER_DIRECTION_CHECK,
        GENDER_DIRECTION_ABOUT,
        share,
        float(np.nextafter(floor, 1)),
        len(pairs),
        seed,
        finding,
        GENDER_DIRECTION_FAILURE,
        figures,
    )


def _mean_by_name(rows: Matrix, names: list[str]) -> Matrix:
    members: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        members.setdefault(name, []).append(place)
    return np.stack([rows[places].mean(axis=0) for places in members.values()])


def _random_differences(words: Matrix, count: int, rng: np.random.Generator) -> Matrix:
    chosen = [rng.choice(len(words), size=2, replace=False) for _ in range(count)]
    return np.stack([words[one] - words[other] for one, other in chosen])


def _held_out_share(rows: Matrix) -> float:
    whole = float((rows**2).sum())
    if whole == 0:
        return 0.0  # all vectors are the same: there is no direction
    return float(stats.held_out_squares(rows, [str(n) for n in range(len(rows))]).sum()) / whole
