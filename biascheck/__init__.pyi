"""The public names of biascheck, declared once: type checkers read this file, and so does the package itself."""

from . import corpora as corpora
from . import debias as debias
from . import extend as extend
from . import measures as measures
from . import models as models
from . import strategies as strategies
from . import testing as testing
from .engines.engine_choice import engine as engine
from .errors import (
    BiasAssertionError as BiasAssertionError,
)
from .errors import (
    BiascheckError as BiascheckError,
)
from .errors import (
    BiascheckWarning as BiascheckWarning,
)
from .errors import (
    CapabilityError as CapabilityError,
)
from .errors import (
    CorpusError as CorpusError,
)
from .errors import (
    DataNotFoundError as DataNotFoundError,
)
from .errors import (
    EndpointError as EndpointError,
)
from .errors import (
    InconclusiveWarning as InconclusiveWarning,
)
from .errors import (
    ModelError as ModelError,
)
from .errors import (
    ResultError as ResultError,
)
from .errors import (
    ScoreError as ScoreError,
)
from .errors import (
    UsageError as UsageError,
)
from .gates.assertions import (
    assert_absolute_delta_below as assert_absolute_delta_below,
)
from .gates.assertions import (
    assert_all_within as assert_all_within,
)
from .gates.assertions import (
    assert_association_within as assert_association_within,
)
from .gates.assertions import (
    assert_below as assert_below,
)
from .gates.assertions import (
    assert_classifier_accuracy_below as assert_classifier_accuracy_below,
)
from .gates.assertions import (
    assert_cluster_accuracy_below as assert_cluster_accuracy_below,
)
from .gates.assertions import (
    assert_contrast_within as assert_contrast_within,
)
from .gates.assertions import (
    assert_direct_bias_below as assert_direct_bias_below,
)
from .gates.assertions import (
    assert_effect_size_within as assert_effect_size_within,
)
from .gates.assertions import (
    assert_neighbour_correlation_below as assert_neighbour_correlation_below,
)
from .gates.assertions import (
    assert_no_regression as assert_no_regression,
)
from .gates.assertions import (
    assert_no_sentiment_delta as assert_no_sentiment_delta,
)
from .gates.assertions import (
    assert_reduced as assert_reduced,
)
from .gates.assertions import (
    assert_share_within as assert_share_within,
)
from .gates.assertions import (
    assert_skew_below as assert_skew_below,
)
from .gates.assertions import (
    assert_stereotype_below as assert_stereotype_below,
)
from .gates.assertions import (
    assert_trade_off as assert_trade_off,
)
from .gates.assertions import (
    assert_typical_gap_below as assert_typical_gap_below,
)
from .gates.assertions import (
    assert_utility_kept as assert_utility_kept,
)
from .gates.assertions import (
    assert_weat_within as assert_weat_within,
)
from .gates.assertions import (
    assert_within_margin as assert_within_margin,
)
from .gates.gate import Gate as Gate
from .gates.recording import show as show
from .gates.run_files import read_results as read_results
from .gates.run_files import write_results as write_results
from .measures.declaration import measure as measure
from .model_specs import load as load
from .model_specs import load_served as load_served
from .model_specs import load_vectors as load_vectors
from .models.adapters.encoders import encoder_of as encoder_of
from .models.adapters.functions import as_classifier as as_classifier
from .release import __version__ as __version__
from .results.comparison import Comparison as Comparison
from .results.comparison import compare as compare
from .results.result import Result as Result
from .search.assertion import assert_invariant as assert_invariant
