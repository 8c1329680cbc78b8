"""What you need to test your own measures and corpora: models whose answers you choose.

>>> from biascheck.testing import TableModel
>>> model = TableModel({"nurse": {"he": 0.2, "she": 0.8}}, prior={"he": 0.5, "she": 0.5})

Measured on "He is a nurse." / "She is a nurse.", its association gap is ln(0.2 / 0.5) − ln(0.8 / 0.5) = −ln 4.
"""

from biascheck.models.fakes import ContinuationTable, FunctionEncoder, ReplyTable, SentenceTable, TableModel
from biascheck.models.wrappers import TextClassifier

__all__ = [
    "ContinuationTable",
    "FunctionEncoder",
    "ReplyTable",
    "SentenceTable",
    "TableModel",
    "TextClassifier",
]
