"""What one needs to write a measure, a corpus or a model of one's own. Public and pinned.

- A measure: decorate ``(model, corpus, **options) -> Result`` with :func:`measure`, make items, then
  ``summarise(draft(…))``. ``about``, ``limits`` and the rest of its :class:`Description` appear in reports.
- A measure made from the result of another: decorate ``(result, **options) -> Result`` with :func:`derived_measure`.
- A corpus: :class:`Corpus` of :class:`Pair`, whose :class:`Sentence` know the :class:`Span` of their target; or
  templates, crossed with :func:`cross`.
- A model: any object with a name, a fingerprint and one of the capabilities in :mod:`biascheck.models.base`.
"""

from biascheck.core.spans import Span
from biascheck.corpora.corpus import Corpus, LeftOut, Loaded, Pair
from biascheck.corpora.lexicon import Context, Entry, Lexicon
from biascheck.corpora.sentence import Sentence
from biascheck.corpora.templates import Attribute, Target, Template, cross
from biascheck.measures.measure import CorpusLike, derived_measure, draft, measure, shown
from biascheck.models.base import (
    CausalModel,
    ChatModel,
    Classifier,
    ContinuationModel,
    Encoder,
    Generator,
    MaskedModel,
    Model,
    StaticVectors,
    capabilities_of,
    require_capability,
)
from biascheck.models.scoring.continuations import Choice, ChoiceQuery, choose
from biascheck.models.scoring.queries import (
    Answer,
    ContinuationQuery,
    MaskedQuery,
    Masking,
    Refusal,
    SentenceQuery,
    State,
    WordQuery,
)
from biascheck.models.wrappers import RecordedScores
from biascheck.results.attachments import (
    Correlations,
    Draws,
    ExplainedVariance,
    Facts,
    Groups,
    Histogram,
    MapPoint,
    PersonGroup,
    Point,
    ProfessionBar,
    ProfessionBars,
    Published,
    Scatter,
    SideBias,
    Table,
    TwoSided,
    WordMap,
)
from biascheck.results.definition import Description
from biascheck.results.items import ItemScore, Shown, Skipped
from biascheck.results.key import Label
from biascheck.results.result import Result
from biascheck.results.summaries import summarise
from biascheck.stats import Interval, Sample

__all__ = [
    "Answer",
    "Attribute",
    "CausalModel",
    "ChatModel",
    "Choice",
    "ChoiceQuery",
    "Classifier",
    "Context",
    "ContinuationModel",
    "ContinuationQuery",
    "Corpus",
    "CorpusLike",
    "Correlations",
    "Description",
    "Draws",
    "Encoder",
    "Entry",
    "ExplainedVariance",
    "Facts",
    "Generator",
    "Groups",
    "Histogram",
    "Interval",
    "ItemScore",
    "Label",
    "LeftOut",
    "Lexicon",
    "Loaded",
    "MapPoint",
    "MaskedModel",
    "MaskedQuery",
    "Masking",
    "Model",
    "Pair",
    "PersonGroup",
    "Point",
    "ProfessionBar",
    "ProfessionBars",
    "Published",
    "RecordedScores",
    "Refusal",
    "Result",
    "Sample",
    "Scatter",
    "Sentence",
    "SentenceQuery",
    "Shown",
    "SideBias",
    "Skipped",
    "Span",
    "State",
    "StaticVectors",
    "Table",
    "Target",
    "Template",
    "TwoSided",
    "WordMap",
    "WordQuery",
    "capabilities_of",
    "choose",
    "cross",
    "derived_measure",
    "draft",
    "measure",
    "require_capability",
    "shown",
    "summarise",
]
