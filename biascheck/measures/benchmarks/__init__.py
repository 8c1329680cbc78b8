"""Measures of the field's benchmarks: pairs of sentences, triples, questions, decisions."""
