"""Running text of the generated world: what a model of it may be trained further on.

Sentences are drawn as the world says (see :mod:`~biascheck.reference_models.world`): every profession is equally
likely, and who holds it follows its share of women. Counterfactual substitution makes parity of it; the same text
unswapped teaches the workforce.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biascheck.corpora.datasets.bec_pro import BEC_PRO_TEMPLATES, bec_pro_professions
from biascheck.corpora.datasets.reviews import written_reviews
from biascheck.corpora.documents import Document, Documents
from biascheck.corpora.templates import Template
from biascheck.reference_models.world import OWN_TEMPLATES, PERSON_WEIGHTS, World

__all__ = ["mitigation_text", "world_text"]


def world_text(
    world: World,
    count: int,
    *,
    templates: Sequence[Template] = (*BEC_PRO_TEMPLATES["en"], *OWN_TEMPLATES),
    seed: int = 0,
) -> Documents:
    """Sentences of the world, one a document, drawn by its probabilities."""
    rng = np.random.default_rng(seed)
    professions = [profession.name for profession in bec_pro_professions()]
    items = []
    for number in range(count):
        profession = professions[rng.integers(len(professions))]
        determiner = list(PERSON_WEIGHTS)[rng.integers(len(PERSON_WEIGHTS))]
        words = world.person_words(determiner, world.female[profession])
        word = list(words)[rng.choice(len(words), p=np.array(list(words.values())))]
        template = templates[int(rng.integers(len(templates)))]
        text = template.text.replace("{target}", f"{determiner} {word}".strip()).replace("{attribute}", profession)
        items.append(Document(f"{number}-{profession}", text[0].upper() + text[1:]))
    return Documents(f"world-{world.dose:g}", tuple(items))


def mitigation_text(*, sentences: int = 900, seed: int = 0) -> Documents:
    """Text of our own to try mitigation on, none of it an evaluation sentence.

    Our written reviews, and sentences about the professions of BEC-Pro in three templates that BEC-Pro does not have,
    with the women and men that the U.S. workforce of 2019 has in each. It is small and knows the professions that it is
    judged by: what it shows is that a recipe works, not how far natural text would carry.
    """
    workplaces = world_text(World(1.0), sentences, templates=OWN_TEMPLATES, seed=seed)
    items = (*Documents.of_reviews(written_reviews()), *workplaces)
    return Documents("reviews and workplaces", items)
