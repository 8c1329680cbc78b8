"""What a model still knows: losses on held-out text, to be compared before and after fine-tuning.

All of them are **losses**: 0 is perfect, more is worse, one item is one document. So :func:`biascheck.compare` reads
them like any other distance, and :func:`biascheck.assert_utility_kept` keeps their increase below a margin. A model can
become unbiased by forgetting the language; these figures are what it pays with.
"""
