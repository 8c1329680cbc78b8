"""Something to compute that counts how often it was."""

from biascheck.core.store import digest_of

KEY = digest_of("a key")
DOCUMENT = {"estimate": 0.5, "name": "größe", "rows": [1, None, True]}


class Work:
    """Something to compute that counts how often it was."""

    def __init__(self, document=DOCUMENT):
        self.times = 0
        self._document = document

    def __call__(self):
        self.times += 1
        return self._document
