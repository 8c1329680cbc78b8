"""The published sets and the authors' answers, loaded once for all tests of a process."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path

from biascheck import corpora
from biascheck.models.wrappers import RecordedScores

bbq = cache(corpora.published_bbq)
triples = cache(corpora.published_triples)
preferences = cache(corpora.published_preferences)


def stereoset_scores(data: Path, model: str) -> RecordedScores:
    """The authors' scores of one model, by the id of the sentence."""
    (path,) = (data / "stereoset" / "predictions").glob(f"{model}_*.json.gz")
    parts = json.loads(gzip.decompress(path.read_bytes()))
    return RecordedScores(model, {row["id"]: row["score"] for rows in parts.values() for row in rows})
