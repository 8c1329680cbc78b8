"""The field's benchmarks in their published formats, and small sets of our own in the same form."""
