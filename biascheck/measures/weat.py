"""Word and sentence embedding association tests (Caliskan et al. 2017; May et al. 2019; Kurita et al. 2019, §3.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import sqrt
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from biascheck import stats
from biascheck.core.errors import ScoreError, UsageError
from biascheck.core.spans import Span
from biascheck.corpora.lexicon import Context
from biascheck.corpora.weat import WeatTest
from biascheck.measures.measure import draft, measure
from biascheck.measures.subspace import embedding_of, states_of
from biascheck.models.base import Embedding, Encoder, embeds_in_context, is_static
from biascheck.models.local.encoder import cached_states
from biascheck.models.scoring.queries import Refusal, State, WordQuery
from biascheck.results.attachments import Facts, Table
from biascheck.results.items import ItemScore, Skipped
from biascheck.results.result import Result
from biascheck.results.summaries import summarise

Level = Literal["word", "context", "sentence"]
WeatStates = Mapping[str, NDArray[np.float64] | Refusal]
NOT_WHOLE = "{word!r} is {pieces} tokens, so it is not in this model's vocabulary as a word (whole_words=True)"


@measure(
    "WEAT",
    version=2,
    about="Whether one set of words (flowers, male names) lies nearer to one set of attributes than another set does, "
    "by the cosine of their vectors.",
    limits=(
        "With eight targets per set the interval is ± 0.9 wide around zero, and large effects come by chance.",
        "Standardised: tiny differences that are very regular give a large effect.",
        "Cosines of contextual states are a weak measure: Kurita et al. 2019 found no significant effect in BERT.",
        "Figures of two models are hard to compare: their vector spaces have different shapes.",
    ),
    statistic="standardised_difference",
    direction="from parity",
    unit="standard deviations",
    smallest_change=0.2,
    smallest_change_reason="a small effect by Cohen (1988)",
    plain="{first} and {second} lie at different distances from the two sets of attributes: by {by} "
    "standard deviations; allowed: {allowed}.",
    sign="A score is how much nearer a target lies to the first set of attributes than to the second. The estimate "
    "compares the two sets of targets, {first} minus {second}, in standard deviations: positive means that {first} go "
    "with the first attributes.",
    paper="kurita2019",
    needs=("embeds words",),
)
def weat(
    model: Any,
    test: WeatTest,
    *,
    level: Level | None = None,
    whole_words: bool = False,
    balance: bool = False,
    seed: int = 0,
) -> Result:
    """How much nearer the targets X lie to attributes A than to B, compared with the targets Y.

    For every target t, and d over the targets::

        s(t) = mean cos(t, a) over A − mean cos(t, b) over B
        d    = (mean of s over X − mean of s over Y) / standard deviation of s over X ∪ Y  (n − 1)

    Positive: X goes with A (flowers with pleasant, male with career). p is two-sided, from all partitions of
    X ∪ Y where they can be enumerated. ``level`` says what a word's vector is: "word" the static vector, or the state
    of the bare word; "context" the mean of its states in the templates, the other word masked (Kurita §3.1) or replaced
    by a filler where a model has no mask; "sentence" the mean of the vectors of bleached sentences (SEAT). Static
    vectors default to "word", encoders to "context".

    ``whole_words`` drops targets and attributes that are not one token of the model's vocabulary and ``balance`` then
    drops random targets of the larger set, as Kurita et al. did (the paper says of the smaller, which cannot make
    them equal). ``weat_test(stimuli=WeatStimuli(…), templates=[…])`` takes your own words. The bare word and the first
    word of a decoder see no context; SEAT treats sentences as independent, here they are averaged for each word.
    :func:`assert_weat_within` judges it.

    Source: Caliskan et al. 2017; May et al. 2019; Kurita et al. 2019, §3.1.
    """
    embedding = embedding_of(model)
    chosen = _level(embedding, level)
    stimuli = test.stimuli
    read = _reader(embedding, test, chosen, whole_words)
    targets = read((*stimuli.x, *stimuli.y), "target")
    attributes = read((*stimuli.a, *stimuli.b), "attribute")
    a, b = (_directions(attributes, words, test) for words in (stimuli.a, stimuli.b))
    skipped = [
        Skipped(word, found.reason) for word, found in {**targets, **attributes}.items() if isinstance(found, Refusal)
    ]
    sides = [[word for word in words if not isinstance(targets[word], Refusal)] for words in (stimuli.x, stimuli.y)]
    if balance:
        skipped += _balanced(sides, seed)
    items = [
        _item(word, side, targets, a, b, test.clusters.get(word, word))
        for side, words in zip("AB", sides, strict=True)
        for word in words
    ]
    form = draft(
        embedding,
        test,
        items,
        skipped,
        contrast=(stimuli.x_name, stimuli.y_name),
        seed=seed,
        unit="targets",
    )
    found = summarise(form)
    return found.with_attachments(_sizes(test, sides, attributes, chosen), _other_deviation(found))


def _level(embedding: Embedding, level: Level | None) -> Level:
    static = is_static(embedding)
    if level is None:
        return "word" if static else "context"
    if level not in get_args(Level):
        raise UsageError(f"level is one of {', '.join(get_args(Level))}, not {level!r}")
    if static and level != "word":
        raise UsageError(f"{embedding.name} has one vector for a word, whatever its sentence; use level='word'")
    return level


def _reader(
    embedding: Embedding, test: WeatTest, level: Level, whole_words: bool
) -> Callable[[Sequence[str], str], WeatStates]:
    """From words at a slot to their vectors, or the reason why they have none."""

    def read(words: Sequence[str], slot: str) -> WeatStates:
        bare = states_of(embedding, [Context(word, Span(0, len(word))) for word in words]) if level == "word" else []
        found: dict[str, NDArray[np.float64] | Refusal] = {}
        if level == "word":
            found = {word: _vector([state]) for word, state in zip(words, bare, strict=True)}
        else:
            assert embeds_in_context(embedding)
            in_text = _in_templates if level == "context" else _in_sentences
            found = in_text(embedding, test, words, slot)
        if whole_words:
            # in the middle of a sentence: tokenizers that mark the space before a word have it only in that form
            inside = [Context(f"a {word}", Span(2, 2 + len(word))) for word in words]
            found |= _split_words(words, states_of(embedding, inside))
        return found

    return read


def _in_templates(
    encoder: Encoder, test: WeatTest, words: Sequence[str], slot: str
) -> dict[str, NDArray[np.float64] | Refusal]:
    queries: list[WordQuery] = []
    for word in words:
        for context, hidden in test.in_templates(word, slot, test.fillers[0]):
            queries.append(WordQuery(context.text, context.span, (hidden,) if encoder.can_mask else ()))
    states = cached_states(encoder, queries)
    size = len(test.templates)
    return {word: _vector(states[n * size : (n + 1) * size]) for n, word in enumerate(words)}


def _in_sentences(
    encoder: Encoder,
    test: WeatTest,
    words: Sequence[str],
    slot: str,  # noqa: ARG001 - a bleached sentence has one slot
) -> dict[str, NDArray[np.float64] | Refusal]:
    states = encoder.sentences([text for word in words for text in test.in_bleached(word)])
    size = len(test.bleached)
    return {word: _vector(states[n * size : (n + 1) * size]) for n, word in enumerate(words)}


def _split_words(words: Sequence[str], states: Sequence[State | Refusal]) -> dict[str, Refusal]:
    return {
        word: state if isinstance(state, Refusal) else Refusal(NOT_WHOLE.format(word=word, pieces=state.pieces))
        for word, state in zip(words, states, strict=True)
        if isinstance(state, Refusal) or state.pieces > 1
    }


def _vector(states: Sequence[State | Refusal]) -> NDArray[np.float64] | Refusal:
    """The mean over sentences, or the first refusal."""
    for state in states:
        if isinstance(state, Refusal):
            return state
    vectors = [state.vector for state in states if isinstance(state, State)]
    return np.asarray(np.mean(vectors, axis=0, dtype=np.float64))


def _directions(found: WeatStates, words: Sequence[str], test: WeatTest) -> NDArray[np.float64]:
    vectors = [vector for word in words if not isinstance(vector := found[word], Refusal)]
    if not vectors:
        reasons = [reason.reason for word in words if isinstance(reason := found[word], Refusal)]
        raise ScoreError(f"{test.name}: none of the attributes {', '.join(words)} has a vector, e.g. {reasons[0]}")
    return stats.unit_rows(np.stack(vectors))


def _item(
    word: str, side: str, targets: WeatStates, a: NDArray[np.float64], b: NDArray[np.float64], cluster: str
) -> ItemScore:
    vector = targets[word]
    assert not isinstance(vector, Refusal)
    near_a, near_b = float(stats.cosines(a, vector).mean()), float(stats.cosines(b, vector).mean())
    return ItemScore(id=word, score=near_a - near_b, cluster=cluster, groups={"A": near_a, "B": near_b}, side=side)


def _balanced(sides: list[list[str]], seed: int) -> list[Skipped]:
    """Drop random targets of the larger set until both have one size; return the dropped ones."""
    rng = np.random.default_rng(seed)
    size = min(map(len, sides))
    dropped: list[Skipped] = []
    for words in sides:
        for word in rng.permutation(sorted(words))[size:].tolist():
            words.remove(word)
            dropped.append(Skipped(word, "dropped at random so that both sets of targets have one size (balance=True)"))
    return dropped


def _sizes(test: WeatTest, sides: Sequence[Sequence[str]], attributes: WeatStates, level: Level) -> Table:
    stimuli = test.stimuli
    rows = tuple(
        (name, kept, len(words), level)
        for name, words, kept in (
            (stimuli.x_name, stimuli.x, len(sides[0])),
            (stimuli.y_name, stimuli.y, len(sides[1])),
            (stimuli.a_name, stimuli.a, _known(attributes, stimuli.a)),
            (stimuli.b_name, stimuli.b, _known(attributes, stimuli.b)),
        )
    )
    return Table(columns=("set", "words measured", "words of the set", "level"), rows=rows)


def _other_deviation(found: Result) -> Facts:
    """The same effect size over the population's deviation, as WEFE and Caliskan's code divide."""
    by_n = found.estimate * sqrt(found.n / (found.n - 1)) if found.n > 1 else found.estimate
    return Facts(facts={"d (deviation over n − 1, ours)": found.estimate, "d (deviation over n, WEFE)": by_n})


def _known(found: WeatStates, words: Sequence[str]) -> int:
    return sum(not isinstance(found[word], Refusal) for word in words)
