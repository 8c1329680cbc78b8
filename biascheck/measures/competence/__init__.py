"""Can the model read this? One check a file; a measure names the one that makes its figure meaningful."""

from biascheck.measures.competence.checks import READABILITY_CHECKS, readability_of

__all__ = ["READABILITY_CHECKS", "readability_of"]
