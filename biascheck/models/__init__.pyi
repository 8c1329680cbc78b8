from .adapters.encoders import encoder_of as encoder_of
from .adapters.functions import TextClassifier as TextClassifier, as_classifier as as_classifier
from .adapters.online import online as online
from .adapters.word_vectors import WordVectors as WordVectors
