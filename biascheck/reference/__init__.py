"""Reference models: their bias is known by construction. Measures and gates are calibrated on them."""
