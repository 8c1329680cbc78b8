"""biascheck: pytest for bias in language models.

The public names are declared in ``__init__.pyi`` and resolve on first use, so that importing the package, or having
the plugin installed, costs nothing: torch, transformers and scipy are loaded by the functions that need them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
