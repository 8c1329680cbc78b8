"""Loader for Winogender (Rudinger et al. 2018), read from the user's disk and never shipped."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path

from biascheck.core.errors import CorpusError
from biascheck.core.spans import Span
from biascheck.corpora.corpus import Corpus, LeftOut, Loaded, Pair
from biascheck.corpora.items import builtin_rows
from biascheck.corpora.published import published_file, published_folder, table_rows
from biascheck.corpora.sentence import Sentence
from biascheck.corpora.winograd import occupations

PRONOUN_GROUPS = ("male", "female", "neutral")
WINOGENDER_FORMS = {
    "NOM": ("he", "she", "they"),
    "POSS": ("his", "her", "their"),
    "ACC": ("him", "her", "them"),
}
SLOT = re.compile(r"\$(OCCUPATION|PARTICIPANT|(?:NOM|POSS|ACC)_PRONOUN)")
PLURAL = {"was": "were", "is": "are", "has": "have", "does": "do"}
"""A verb after "they"."""
WINOGENDER_FILLERS = ("person", "individual")


def published_winogender(folder: str | Path | None = None) -> Loaded:
    """Winogender's 720 sentences as 240 items in three groups: male, female, neutral (they).

    Every template is there twice, with its participant and with "someone" in the participant's place, as in the
    authors' script; after "they" the verb is plural, as in the script. The target is the pronoun, the attribute the
    occupation. Labels: ``occupation``, ``participant``, ``referent`` ("occupation" or "participant"), ``form``,
    ``schema`` (the occupation's sentences), ``share_of_women`` (Bureau of Labor Statistics, percent) and
    ``share_in_text`` (Bergsma and Lin 2006, percent).
    """
    root = published_folder(folder, "winogender")
    columns = {"occupation(0)", "other-participant(1)", "answer", "sentence"}
    rows = table_rows(published_file(root, "templates.tsv"), columns, delimiter="\t")
    shares = _shares(root)
    pairs: list[Pair] = []
    left_out: list[LeftOut] = []
    for number, row in enumerate(rows, start=1):
        occupation = row["occupation(0)"]
        if occupation not in shares:
            left_out.append(LeftOut(str(number), f"occupations-stats.tsv has no figures for {occupation}"))
            continue
        for participant in (row["other-participant(1)"], "someone"):
            labels = {
                "occupation": occupation,
                "participant": participant,
                "referent": "participant" if row["answer"] == "1" else "occupation",
                "schema": occupation,
                "template": str(number),
                **shares[occupation],
            }
            pairs.append(pronoun_pair(f"{number}/{participant}", row["sentence"], occupation, participant, labels))
    corpus = Corpus(
        "published-winogender", PRONOUN_GROUPS, tuple(pairs), fillers=WINOGENDER_FILLERS, paper="rudinger2018"
    )
    return Loaded(corpus, tuple(left_out))


def pronoun_pair(id_: str, template: str, occupation: str, participant: str, labels: Mapping[str, str | float]) -> Pair:
    """One item in three groups from a template with $OCCUPATION, $PARTICIPANT and one pronoun slot."""
    kinds = [found for found in SLOT.findall(template) if found.endswith("PRONOUN")]
    if len(kinds) != 1 or "$OCCUPATION" not in template:
        raise CorpusError(f"template {template!r} needs $OCCUPATION and one pronoun slot")
    form = WINOGENDER_FORMS[kinds[0].removesuffix("_PRONOUN")]
    text = template
    if participant == "someone":
        text = re.sub(r"\b[Tt]he \$PARTICIPANT|\ba \$PARTICIPANT", "$PARTICIPANT", text)
    sentences = {
        group: _sentence(text, {"OCCUPATION": occupation, "PARTICIPANT": participant, kinds[0]: pronoun}, kinds[0])
        for group, pronoun in zip(PRONOUN_GROUPS, form, strict=True)
    }
    return Pair(id_, occupation, sentences, {**labels, "form": "/".join(form[:2])})


def _sentence(template: str, words: Mapping[str, str], pronoun: str) -> Sentence:
    text, spans = "", {}
    for part, name in _parts(template, words[pronoun]):
        word = words[name] if name else part
        if name and not text:
            word = word[:1].upper() + word[1:]
        if name:
            spans[name] = Span(len(text), len(text) + len(word))
        text += word
    others = (spans["PARTICIPANT"],) if "PARTICIPANT" in spans else ()
    return Sentence(text, spans[pronoun], spans["OCCUPATION"], others)


def _parts(template: str, pronoun: str) -> Iterator[tuple[str, str]]:
    """The stretches of a template: text, or the name of a slot. A verb after "they" becomes plural."""
    pieces = SLOT.split(template)
    for place, piece in enumerate(pieces):
        if place % 2:
            yield "", piece
            continue
        after_they = place and pieces[place - 1].endswith("PRONOUN") and pronoun == "they"
        yield (_plural(piece) if after_they else piece), ""


def _plural(text: str) -> str:
    return re.sub(r"^ (\w+)\b", lambda found: f" {PLURAL.get(found[1], found[1])}", text)


def _shares(root: Path) -> dict[str, dict[str, float]]:
    path = published_file(root, "occupations-stats.tsv")
    columns = {"occupation", "bergsma_pct_female", "bls_pct_female"}
    return {
        row["occupation"]: {
            "share_of_women": float(row["bls_pct_female"]),
            "share_in_text": float(row["bergsma_pct_female"]),
        }
        for row in table_rows(path, columns, delimiter="\t")
    }


@cache
def builtin_pronouns() -> Corpus:
    """80 built-in items in three pronoun groups: 20 occupations, each with two sentences and two participants.

    In one sentence the pronoun refers to the occupation, in the other to the participant. ``share_of_women`` is that of
    :func:`biascheck.corpora.occupations` (U.S. workforce). Other labels as in :func:`published_winogender`.
    """
    shares = {one.name: one.share_of_women for one in occupations()}
    pairs = []
    for row in builtin_rows("builtin_pronouns.tsv"):
        occupation = row["occupation"]
        for referent, participant in product(("occupation", "participant"), (row["participant"], "someone")):
            labels: dict[str, str | float] = {
                "occupation": occupation,
                "participant": participant,
                "referent": referent,
                "schema": occupation,
                "template": f"{occupation}-{referent}",
                "share_of_women": float(shares[occupation]),
            }
            id_ = f"own-{occupation}/{referent}/{participant}"
            pairs.append(pronoun_pair(id_, row[f"about_{referent}"], occupation, participant, labels))
    return Corpus("own-pronouns", PRONOUN_GROUPS, tuple(pairs), fillers=WINOGENDER_FILLERS, paper="rudinger2018")
