"""Reference standards: models whose bias is known by construction, and the calibration of measures against them.

A measuring instrument is trusted once it has been tried on something whose value is known. Here that is a
small generated world (:mod:`~biascheck.reference_models.world`) in which the probability of a woman in each profession
is set, and tiny models trained on exactly that world.
"""
