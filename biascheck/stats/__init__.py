"""Numbers in, numbers out: effects, intervals, rank tests, corrections, verdicts.

Everything here takes plain arrays and returns named frozen values, independent of what was measured.
Randomness arrives as a ``numpy.random.Generator``, never from a global state. Names are declared in ``__init__.pyi``
and resolve on first use, so that ``Interval`` and ``verdict_of`` do not import scipy.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
