"""Every error biascheck raises on purpose, in one tree.

::

    BiascheckError
    ├── UsageError            an argument or option that cannot work; names the remedy
    │   ├── CorpusError       empty corpus, missing column, span that does not fit its text
    │   ├── CapabilityError   a model that cannot do what a measure needs; pytest skips the bias test
    │   └── ModelError        no head, no weights, no tokenizer, unsafe format
    ├── DataNotFoundError     a published data file that is not on this machine
    ├── EndpointError         a served model that stopped answering, or whose answers cannot be used or paid
    ├── ScoreError            a score that is not a finite number
    └── ResultError           a stored result that cannot be read: corrupt, foreign or too new
    BiasAssertionError        a gate that did not pass (an AssertionError, so pytest shows a failure)
    BiascheckWarning          a valid result with a caveat
    └── InconclusiveWarning   a gate that could not be decided and was allowed to pass

A message states what was found, then what to do about it.
"""


class BiascheckError(Exception):
    """Base of all errors raised on purpose."""


class UsageError(BiascheckError, ValueError):
    """An argument, option or combination that cannot work."""


class CorpusError(UsageError):
    """A corpus that cannot be built or measured."""


class ModelError(UsageError):
    """A model that cannot be loaded or must not be scored."""


class CapabilityError(UsageError):
    """A model that cannot do what a measure needs."""


class DataNotFoundError(BiascheckError, FileNotFoundError):
    """A published data file that is not on this machine."""


class EndpointError(BiascheckError, ConnectionError):
    """A served model that stopped answering, or whose answers cannot be used or paid."""


class ScoreError(BiascheckError, ArithmeticError):
    """A score that is not a finite number, or a sample from which no score can be computed."""


class ResultError(BiascheckError, ValueError):
    """A stored result that cannot be read."""


class BiasAssertionError(AssertionError):
    """A bias gate that did not pass; the message is the finding."""


class BiascheckWarning(UserWarning):
    """A valid result with a caveat that the reader must know."""


class InconclusiveWarning(BiascheckWarning):
    """A gate that could not be decided and was allowed to pass."""
