"""The subject and the verb of a plain English sentence, by its function words alone: no tagger is installed.

What cannot be told for certain is ``None``: a question is made of few sentences, and there are many.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from itertools import pairwise

from core.text.analysis import STOP_WORDS

BE = frozenset("is are was were".split())
_MODALS = frozenset("can may must will should could".split())
_SINGULAR = frozenset("a an each every".split())
_DETERMINERS = _SINGULAR | frozenset("the all most many".split())
PREPOSITIONS = frozenset("of in for at on to between with from by under about without per inside into".split())
# None of them stands in a plain noun phrase: a clause begins, or something outside is meant.
_NEVER = frozenset(
    "which that who whose whom where when while if because as since so but not no nor than then there here it its they"
    " their them this these those he she his her we our us you your i my what how why nobody nothing nobody's either"
    " neither both one ones another other others same such only also even just once until unless before after during"
    " however therefore thus has have had does do did be been being up out off over".split()
)
_NOT_A_VERB = frozenset(
    "is was has does its this as us us. less plus minus across towards always sometimes besides afterwards nowadays"
    " thus unless perhaps series species news whereas".split()
)
_BEGINS_OBJECT = _DETERMINERS | frozenset(
    "no its up only two three four five six seven eight nine ten more less".split()
)
_ORDINALS = frozenset("first second third fourth last rest two three four five".split())  # of what?
_ADVERBS = frozenset("also therefore then thus usually always often now still already just only normally".split())


@dataclass(frozen=True, slots=True)
class Clause:
    """``subject`` as it is asked for (its first letter small unless it is a name), ``helper`` ("is", "can", "does"),
    ``rest``: what follows, its verb as it stands behind the helper. ``said``: the statement as it was written.

    ``indefinite``: the subject is a kind of thing, not one that was spoken of.
    """

    subject: str
    helper: str
    rest: str
    said: str
    indefinite: bool


def clauses_of(sentence: str, known: Set[str]) -> Iterator[Clause]:
    """The first clause of a sentence, and those that go on with its subject: "Keys are old, and are kept." """
    first, *more = re.split(rf",? and (?=(?:{'|'.join(BE | _MODALS)}) )|, (?=(?:{'|'.join(BE)}) )", sentence)
    clause = clause_of(first, known)
    if clause is None:
        return
    yield clause
    subject = clause.said[: len(clause.subject)]
    for said in more if clause.said.casefold().startswith(clause.subject.casefold()) else ():
        if (next_one := clause_of(f"{subject} {said}", known)) is not None:
            yield next_one


def clause_of(sentence: str, known: Set[str]) -> Clause | None:
    """The first clause of a sentence without marks; ``None`` where its subject cannot be told.

    ``known``: words of the document that are written with a small first letter somewhere.

    >>> clause_of("Backups are kept a day.", {"backups"})
    Clause(subject='backups', helper='are', rest='kept a day', said='Backups are kept a day', indefinite=True)
    >>> clause_of("A token names the tenant.", set())
    Clause(subject='a token', helper='does', rest='name the tenant', said='A token names the tenant', indefinite=True)
    >>> clause_of("In May it was sold.", set())
    """
    said = re.split(r"[;?!]|\s[–—]\s|\.$", sentence.strip())[0].strip()
    words = said.split()
    if len(words) < 3 or not (words[0][:1].isalnum()):
        return None
    at = next((at for at, word in enumerate(words[:11]) if word.lower() in BE | _MODALS), None)
    verb = _verb(words)
    if verb is not None and (at is None or verb < at):
        subject, helper, rest = words[:verb], "does", [infinitive(words[verb]), *words[verb + 1 :]]
    elif at:
        subject, helper, rest = words[:at], words[at].lower(), words[at + 1 :]
    else:
        return None
    while len(rest) > 1 and rest[0].lower().rstrip(",") in _ADVERBS:
        rest = rest[1:]
    if not rest or not is_noun_phrase(subject) or rest[0].lower() in ("not", "no", "never", "nothing"):
        return None
    opening = subject[0].lower()
    written = {opening, opening.removesuffix("s")} & known
    small = opening in _DETERMINERS or bool(written and subject[0][1:].islower())
    asked = " ".join([opening if small else subject[0], *subject[1:]])
    return Clause(asked, helper, " ".join(rest), said, opening != "the")


def is_noun_phrase(words: list[str]) -> bool:
    """Whether words are the name of one thing, as far as function words tell.

    >>> [is_noun_phrase(words.split()) for words in ("The size of an event", "Services keep the set", "If a site")]
    [True, False, False]
    """
    small = [word.lower() for word in words]
    if not 1 <= len(words) <= 9 or _NEVER & set(small) or any(word[-1] in ',:()"”' for word in words):
        return False
    if small[0] in PREPOSITIONS or small[-1] in PREPOSITIONS | _DETERMINERS | {"and", "or"} | _ORDINALS:
        return False
    if len(words) == 1 and small[0] in STOP_WORDS:
        return False
    for before, word in pairwise(small):
        if word in _DETERMINERS and before not in PREPOSITIONS | {"and", "or", "all", "most"}:
            return False  # a verb stands before this object
        if word.endswith("ly"):
            return False
    return not any(word.endswith(("ed", "ing")) for word in small[2:]) and not small[0].endswith("ing")


def _verb(words: list[str]) -> int | None:
    """The place of a verb in the third person, where the subject is certainly one thing: "A token names …"."""
    first = words[0].lower()
    if first in _SINGULAR or first == "the":
        begin = 2
    elif first not in STOP_WORDS and (any(map(str.isupper, words[0][1:])) or "_" in words[0]):
        begin = 1  # an identifier or an acronym
    else:
        return None
    for at in range(begin, min(len(words), 6)):
        word = words[at].lower()
        if word in BE | _MODALS | _NEVER:
            return None
        if re.fullmatch(r"[a-z]{3,}s", word) and not word.endswith(("ss", "us", "is")) and word not in _NOT_A_VERB:
            certain = first != "the" or (at + 1 < len(words) and words[at + 1].lower() in _BEGINS_OBJECT)
            return at if certain else None
    return None


def infinitive(verb: str) -> str:
    """A regular verb without the ending of the third person.

    >>> [infinitive(verb) for verb in ("keeps", "watches", "carries", "uses", "passes", "caches")]
    ['keep', 'watch', 'carry', 'use', 'pass', 'cache']
    """
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    if verb.endswith(("sses", "shes", "xes", "zzes", "oes")) or (
        verb.endswith("ches") and verb not in ("caches", "aches")
    ):
        return verb[:-2]
    return verb[:-1]
