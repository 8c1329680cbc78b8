"""Loaders for published sentence pairs (BEC-Pro, EEC, CrowS-Pairs), read from the user's disk and never shipped."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from biascheck.core.errors import CorpusError
from biascheck.core.spans import Span
from biascheck.corpora.bec_pro import (
    ARTICLES,
    BEC_PRO_FILLERS,
    BEC_PRO_TEMPLATES,
    PERSONS,
    WARNINGS,
    bec_pro_professions,
    profession_labels,
)
from biascheck.corpora.corpus import Corpus, LeftOut, Loaded, Pair
from biascheck.corpora.published import caveats_of_file, data_file
from biascheck.corpora.sentence import Sentence
from biascheck.corpora.tables import read_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

SENTENCE_PAIR_GENDERS = ("male", "female")
DETERMINERS = ("this", "my", "dieser", "diese", "mein", "meine")

EEC_PERSONS = (
    ("he", "she"),
    ("him", "her"),
    ("this man", "this woman"),
    ("this boy", "this girl"),
    ("my brother", "my sister"),
    ("my son", "my daughter"),
    ("my husband", "my wife"),
    ("my boyfriend", "my girlfriend"),
    ("my father", "my mother"),
    ("my uncle", "my aunt"),
    ("my dad", "my mom"),
)

TextRow = dict[str, str]
Key = tuple[str, ...]
RowLabels = dict[str, str | float]


def published_bec_pro(folder_or_file: str | Path | None = None) -> Loaded:
    """The BEC-Pro file of Bartl et al. 2020, English or German, with spans from its own columns.

    The place of the person word and of the profession follows from the Template, Person and Profession
    columns; the published masks, 23 of which are wrong, are not read. Ids and labels are those of
    :func:`biascheck.corpora.bec_pro`. A row that does not fit its template, or has no partner, is left out.
    """
    path = data_file(folder_or_file, "becpro", "BEC-Pro_EN.tsv")
    rows = _rows(path, {"Sentence", "Template", "Person", "Gender", "Profession"})
    language = "de" if "Profession_EN" in rows[0] else "en"
    persons = {phrase: pair for pair in PERSONS[language] for phrase in pair}
    templates = _bec_templates(language)
    shares = {profession.name: profession_labels(profession) for profession in bec_pro_professions()}
    gathered = _Gathered()
    for number, row in enumerate(rows):
        sentence, phrase = _located(row, row["Profession"])
        profession = row.get("Profession_EN", row["Profession"])
        known = persons.get(phrase.lower() if language == "en" else phrase[:1].lower() + phrase[1:])
        if sentence is None or known is None or row["Template"] not in templates or profession not in shares:
            reason = f"does not fit its template or the person words: {row['Sentence']}"
            gathered.left_out.append(LeftOut(str(number), reason))
            continue
        together = "-".join(part.rpartition(" ")[2] for part in known)
        template = templates[row["Template"]]
        labels: RowLabels = {"template": template, "persons": together, **shares[profession]}
        key = (template, profession, together)
        gathered.add(key, str(number), row["Gender"], sentence, labels, profession)
    name = f"published-bec-pro-{language}"
    warnings = (*WARNINGS[language], *caveats_of_file("becpro", path, len(rows)))
    return gathered.loaded(name, SENTENCE_PAIR_GENDERS, language, BEC_PRO_FILLERS[language], warnings, "bartl2020")


def published_eec(folder_or_file: str | Path | None = None) -> Loaded:
    """The Equity Evaluation Corpus (Kiritchenko and Mohammad 2018) as male–female pairs.

    Noun phrases are paired by meaning (my uncle, my aunt), first names within their race in the order
    of the file, which is a convention and not a counterpart. The target is the noun or the name. The
    attribute is the emotion word; the four templates without one are attributes of their own. Labels:
    ``template``, ``persons``, ``race`` ("African-American", "European", "none") and ``emotion``
    ("none" if neutral).
    """
    path = data_file(folder_or_file, "eec", "Equity-Evaluation-Corpus.csv")
    rows = _rows(path, {"ID", "Sentence", "Template", "Person", "Gender", "Race", "Emotion", "Emotion word"})
    partners = _eec_partners(rows)
    gathered = _Gathered()
    for row in rows:
        sentence, _ = _located(row, row["Emotion word"])
        known = partners.get(row["Person"])
        if sentence is None or known is None:
            reason = "person has no partner" if known is None else "sentence does not fit its template"
            gathered.left_out.append(LeftOut(row["ID"], f"{reason}: {row['Sentence']}"))
            continue
        template, together = _slug(row["Template"]), "-".join(part.rpartition(" ")[2] for part in known)
        word = row["Emotion word"] or template
        labels: RowLabels = {"template": template, "persons": together}
        labels |= {"race": row["Race"] or "none", "emotion": row["Emotion"] or "none"}
        gathered.add((template, word, together), row["ID"], row["Gender"], sentence, labels, word)
    warning = (
        "the template found-himself-herself-in-a-an-situation shows the gender outside the target, so a "
        "masked target can be read off it; leave it out of association measures"
    )
    warnings = (warning, *caveats_of_file("eec", path, len(rows)))
    return gathered.loaded("published-eec", SENTENCE_PAIR_GENDERS, "en", ("normal", "familiar"), warnings)


def published_crows_pairs(folder_or_file: str | Path | None = None) -> Loaded:
    """CrowS-Pairs (Nangia et al. 2020): groups ``more`` and ``less`` stereotyping, target = what differs.

    A pair is used if the two sentences differ in one stretch of words: after the common beginning and end are removed,
    both have words left and no word in common. Other pairs are left out. Every pair is an attribute of its own. Labels:
    ``bias_type``, ``direction`` ("stereo" or "antistereo"). The paper scores the words that do *not* differ; a measure
    must state which words it uses.
    """
    path = data_file(folder_or_file, "crows_pairs", "crows_pairs_anonymized.csv")
    pairs, left_out = [], []
    rows = _rows(path, {"", "sent_more", "sent_less", "stereo_antistereo", "bias_type"})
    for row in rows:
        id = f"crows-{row['']}"  # noqa: A001
        sentences = _differing(row["sent_more"], row["sent_less"])
        if isinstance(sentences, str):
            left_out.append(LeftOut(id, sentences))
            continue
        labels: RowLabels = {"bias_type": row["bias_type"], "direction": row["stereo_antistereo"]}
        pairs.append(Pair(id, id, dict(zip(("more", "less"), sentences, strict=True)), labels))
    caveats = caveats_of_file("crows_pairs", path, len(rows))
    corpus = Corpus("published-crows-pairs", ("more", "less"), tuple(pairs), warnings=caveats)
    return Loaded(corpus, tuple(left_out))


class _Gathered:
    """Rows being gathered into pairs."""

    def __init__(self) -> None:
        self.sentences: dict[Key, dict[str, tuple[str, Sentence]]] = {}
        self.facts: dict[Key, tuple[str, RowLabels]] = {}
        self.left_out: list[LeftOut] = []

    def add(self, key: Key, id: str, group: str, sentence: Sentence, labels: RowLabels, attribute: str) -> None:  # noqa: A002
        members = self.sentences.setdefault(key, {})
        if group in members:
            self.left_out.append(LeftOut(id, f"repeats {'/'.join(key)} for group {group}: {sentence.text}"))
            return
        members[group] = (id, sentence)
        self.facts[key] = (attribute, labels)

    def loaded(
        self,
        name: str,
        groups: tuple[str, ...],
        language: str,
        fillers: tuple[str, ...],
        warnings: tuple[str, ...],
        paper: str = "",
    ) -> Loaded:
        pairs = []
        for key, members in self.sentences.items():
            if set(members) == set(groups):
                attribute, labels = self.facts[key]
                pairs.append(Pair("/".join(key), attribute, {group: members[group][1] for group in groups}, labels))
            else:
                reason = f"{'/'.join(key)} has only the groups {sorted(members)}"
                self.left_out += [LeftOut(row, reason) for row, _ in members.values()]
        corpus = Corpus(name, groups, tuple(pairs), language, fillers, warnings, paper)
        return Loaded(corpus, tuple(self.left_out))


def _rows(path: Path, needed: Iterable[str]) -> list[TextRow]:
    _, rows = read_rows(path)
    missing = sorted(set(needed) - set(rows[0]))
    if missing:
        raise CorpusError(f"{path} lacks the columns {missing}; it has {list(rows[0])}: is it the published file?")
    return [{column: "" if value is None else str(value) for column, value in row.items()} for row in rows]


def _located(row: Mapping[str, str], attribute: str) -> tuple[Sentence | None, str]:
    """The sentence, if it fits its template, and its person phrase."""
    match = re.fullmatch(_pattern(row["Template"], attribute), row["Sentence"])
    if match is None:
        return None, ""
    phrase, start = match["person"], match.start("person")
    determiner, _, word = phrase.rpartition(" ")
    named = row["Person"].rpartition(" ")[2]
    if word.lower() != named.lower() or (determiner and determiner.lower() not in DETERMINERS):
        return None, phrase
    target = Span(start + len(phrase) - len(word), start + len(phrase))
    place = Span(*match.span("attribute")) if "attribute" in match.groupdict() else None
    return Sentence(row["Sentence"], target, place), phrase


def _pattern(template: str, attribute: str) -> str:
    parts = re.split(r"(<[^<>]*>)", template.replace("himself/herself", "<reflexive>").replace("a/an", "<article>"))
    known = {"<reflexive>": "(?:himself|herself)", "<article>": "(?:a|an)"}
    pattern = ""
    for part in parts:
        if part.startswith("<person"):
            pattern += r"(?P<person>.+?)"
        elif part.startswith("<") and part not in known:
            pattern += f"(?P<attribute>{re.escape(attribute)})"
        else:
            pattern += known.get(part, re.escape(part))
    return pattern


def _bec_templates(language: str) -> dict[str, str]:
    """The Template column's texts, by the templates they are."""
    return {
        template.text.format(target="<person subject>", attribute="<profession>", article=article): template.id
        for template in BEC_PRO_TEMPLATES[language]
        for article in ARTICLES[language]
    }


def _eec_partners(rows: Iterable[Mapping[str, str]]) -> dict[str, tuple[str, str]]:
    partners = {phrase: pair for pair in EEC_PERSONS for phrase in pair}
    names: dict[str, dict[str, dict[str, None]]] = {}
    for row in rows:
        if row["Race"]:
            names.setdefault(row["Race"], {}).setdefault(row["Gender"], {})[row["Person"]] = None
    for of_race in names.values():
        for pair in zip(of_race.get("male", {}), of_race.get("female", {}), strict=False):
            partners |= dict.fromkeys(pair, pair)
    return partners


def _slug(template: str) -> str:
    return "-".join(re.findall(r"[a-z]+", re.sub(r"<[^<>]*>", "", template.lower())))


def _differing(more: str, less: str) -> tuple[Sentence, Sentence] | str:
    """The two sentences with what differs as target, or the reason why there is no such target."""
    left, right = ([(m.start(), m.end(), m[0]) for m in _TOKEN.finditer(text)] for text in (more, less))
    while left and right and left[-1][2] == right[-1][2]:
        del left[-1], right[-1]
    while left and right and left[0][2] == right[0][2]:
        del left[0], right[0]
    if not left and not right:
        return "the sentences have the same words"
    if not left or not right:
        return "one sentence only adds words, so the other has no target"
    if {token for *_, token in left} & {token for *_, token in right}:
        return "the sentences differ in more than one stretch of words"
    return Sentence(more, Span(left[0][0], left[-1][1])), Sentence(less, Span(right[0][0], right[-1][1]))


_TOKEN = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")
