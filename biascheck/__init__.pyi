"""The public names of biascheck, declared once: type checkers read this file, and so does the package itself."""

from . import (
    corpora as corpora,
    extend as extend,
    measures as measures,
    mitigation as mitigation,
    models as models,
    testing as testing,
)
from .core.errors import (
    BiasAssertionError as BiasAssertionError,
    BiascheckError as BiascheckError,
    BiascheckWarning as BiascheckWarning,
    CapabilityError as CapabilityError,
    CorpusError as CorpusError,
    DataNotFoundError as DataNotFoundError,
    EndpointError as EndpointError,
    InconclusiveWarning as InconclusiveWarning,
    ModelError as ModelError,
    ResultError as ResultError,
    ScoreError as ScoreError,
    UsageError as UsageError,
)
from .core.release import __version__ as __version__
from .gates.changes import (
    assert_no_regression as assert_no_regression,
    assert_reduced as assert_reduced,
    assert_utility_kept as assert_utility_kept,
)
from .gates.check import (
    assert_absolute_delta_below as assert_absolute_delta_below,
    assert_all_within as assert_all_within,
    assert_association_within as assert_association_within,
    assert_below as assert_below,
    assert_classifier_accuracy_below as assert_classifier_accuracy_below,
    assert_cluster_accuracy_below as assert_cluster_accuracy_below,
    assert_contrast_within as assert_contrast_within,
    assert_direct_bias_below as assert_direct_bias_below,
    assert_effect_size_within as assert_effect_size_within,
    assert_neighbour_correlation_below as assert_neighbour_correlation_below,
    assert_no_sentiment_delta as assert_no_sentiment_delta,
    assert_share_within as assert_share_within,
    assert_skew_below as assert_skew_below,
    assert_stereotype_below as assert_stereotype_below,
    assert_trade_off as assert_trade_off,
    assert_typical_gap_below as assert_typical_gap_below,
    assert_weat_within as assert_weat_within,
    assert_within_margin as assert_within_margin,
)
from .gates.families import show as show
from .gates.gate import Gate as Gate
from .loading import load as load
from .measures.measure import measure as measure
from .models.local.encoder import encoder_of as encoder_of
from .models.local.vectors import load_vectors as load_vectors
from .models.scoring.engine_choice import engine as engine
from .models.served.model import load_served as load_served
from .models.wrappers import as_classifier as as_classifier
from .results.compare import Comparison as Comparison, compare as compare
from .results.result import Result as Result
from .runs.file import read_results as read_results, write_results as write_results
from .worst_cases import strategies as strategies
from .worst_cases.assertion import assert_invariant as assert_invariant
