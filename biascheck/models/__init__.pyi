from .local.encoder import encoder_of as encoder_of
from .local.vectors import WordVectors as WordVectors
from .wrappers import TextClassifier as TextClassifier, as_classifier as as_classifier, online as online
