"""Can the model read this? One check a file; a measure names the one that makes its figure meaningful."""

from biascheck.measures.competence.checks import CHECKS, competence_of

__all__ = ["CHECKS", "competence_of"]
