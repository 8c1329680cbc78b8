"""Worst cases: strategies that draw examples, the search for the worst of them, and the memory of what was found."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
