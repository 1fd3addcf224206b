"""The words of a sentence as claims compare them: stems, what stands side by side, names, figures and conditions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from core.text.analysis import STOP_WORDS, analyse
from core.types import Span

# Words of one property count as the same word.
_PROPERTIES = {
    "lifetime": "expire expires expired expiry expiration expiring valid validity lifetime live lives last lasts ttl",
    "retention": "keep keeps kept retain retains retained retention store stored stores",
    "deletion": "delete deletes deleted deletion erase erased purge purged",
    "timeout": "timeout timeouts timed",
    "limit": "limit limits limited maximum max cap capped minimum min allowed most least",
    "cost": "cost costs price prices priced fee fees charge charges charged",
    "default": "default defaults",
    "need": "require requires required requirement requirements need needs needed",
    "interval": "every interval intervals period",
    "release": "release releases released publish published publishes publication",
    "start": "start starts started begin begins began launch launched launches",
    "end": "end ends ended close closes closed finish finishes",
}
_PROPERTY = {word: f"={name}" for name, words in _PROPERTIES.items() for word in words.split()}
# Every engineer reads these as the same thing.
_ALIASES = {
    "jwt": "token",
    "jwts": "token",
    "repo": "repository",
    "repos": "repository",
    "db": "database",
    "config": "configuration",
}

_WORD = re.compile(r"[^\W_]+(?:[_.'’:/-]+[^\W_]+)*")
_RESTRICTS = re.compile(
    r"\b(?:if|when|whenever|unless|during|while|whilst|except|in case|provided|once|only)\s(?P<words>[^,;:.()]*)",
    re.IGNORECASE,
)
OPENS = re.compile(
    r"[\s(]*(?:after|before|without|with|under|above|below|at|on|in|for|from|by|as|since|until|till|"
    r"through|outside|inside|"
    r"within|via|per|among|of|to)\s(?P<words>[^,;:.()]*)",
    re.IGNORECASE,
)

# What may restrict a value behind it; "of" tells of what it is.
_BEHIND = re.compile(
    r"\s(?P<how>after|before|without|with|under|over|above|below|at|on|in|for|from|by|since|until|till|through|outside|"
    r"inside|within|via|per|among|to)\s",
    re.IGNORECASE,
)
_CLAUSE_ENDS = re.compile(r"[,;:.()!?]|\s(?:and|but|or|while|whereas|which|because|so)\s", re.IGNORECASE)
_OPPOSED = frozenset(
    frozenset(pair.split("/"))
    for pair in "in/outside inside/outside within/outside with/without before/after above/below over/under".split()
)


def conditions_of(text: str) -> frozenset[str]:
    """Words of what stands after "if" and its like anywhere, or after a preposition that opens the sentence."""
    found = [match["words"] for match in _RESTRICTS.finditer(text)]
    if (opening := OPENS.match(text)) is not None:
        found.append(opening["words"])
    return frozenset(stem for words in found for stem in stems_of(words))


def apart_behind(one: str, other: str) -> bool:
    """Whether what stands behind two values restricts them to different cases: each phrase of one preposition has words
    that the other lacks, or the prepositions are opposed.

    >>> apart_behind(" by train.", " by car."), apart_behind(" in towns.", " outside towns.")
    (True, True)
    >>> apart_behind(" in the archive.", " in the archive of Delft."), apart_behind(" by train.", ".")
    (False, False)
    """
    phrases, others = _phrases_of(one), _phrases_of(other)
    if any(frozenset((how, against)) in _OPPOSED for how in phrases for against in others):
        return True
    pairs = [(phrases[how], others[how]) for how in phrases.keys() & others.keys()]
    return any(words - against and against - words for words, against in pairs)


@lru_cache(maxsize=4096)
def _phrases_of(text: str) -> dict[str, frozenset[str]]:
    """The words behind each preposition of a clause's end."""
    end = _CLAUSE_ENDS.search(text)
    _, *parts = _BEHIND.split(text[: end.start()] if end else text)
    found: dict[str, frozenset[str]] = {}
    for how, words in zip(parts[::2], parts[1::2], strict=True):
        found[how.lower()] = found.get(how.lower(), frozenset()) | frozenset(stems_of(words))
    return found


def blank(text: str, spans: Sequence[Span]) -> str:
    """The text with the spans emptied, so that offsets stay."""
    for span in spans:
        text = text[: span.start] + " " * span.length + text[span.end :]
    return text


def stems_of(text: str) -> list[str]:
    """Content words of a text in order, as claims hold them.

    >>> stems_of("Access tokens, and the JWTs expire")
    ['access', 'token', 'token', '=lifetime']
    """
    return [stem for stem, _ in stems_with_text(text)]


def stems_with_text(text: str) -> list[tuple[str, str]]:
    """Content words in order: the stem, the property or the alias of each, and the word itself in lower case.

    >>> stems_with_text("The JWTs expire")
    [('token', 'jwts'), ('=lifetime', 'expire')]
    """
    return [(stem, match.group().lower()) for match in _WORD.finditer(text) if (stem := _stem(match.group().lower()))]


_LIGHT = STOP_WORDS | frozenset(
    "must shall also one always exactly currently now per via every upon within without cannot".split()
)


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    """One token for a word, "" for a function word or a number."""
    if word in _PROPERTY:
        return _PROPERTY[word]
    if word in _ALIASES:
        return _ALIASES[word]
    if word in _LIGHT or word.isdigit() or word.endswith(("n't", "n’t")):
        return ""
    return "".join(analyse(word)[:1])


def neighbours_of(text: str) -> frozenset[tuple[str, str]]:
    """Pairs of content words with nothing but spaces between them."""
    pairs: set[tuple[str, str]] = set()
    last, end = "", -1
    for match in _WORD.finditer(text):
        stem = _stem(match.group().lower())
        if stem and last and text[end : match.start()] in {" ", "-"}:
            pairs.add((last, stem))
        last, end = stem, match.end()
    return frozenset(pairs)


def names_of(text: str) -> Iterator[str]:
    """Stems of what is written like a name within the sentence, of identifiers, and of numbers that count nothing."""
    words = list(_WORD.finditer(text))
    for at, match in enumerate(words):
        word = match.group()
        if "_" in word or "::" in word or re.search(r"[a-z][A-Z]", word):
            yield _stem(word.lower()) or word.lower()
        elif at and word[0].isupper() and (word.isupper() or text[match.start() - 1] in " (\"'“-"):
            stem = _stem(word.lower())
            if stem and not text[: match.start()].rstrip().endswith((".", ":", "!", "?")):
                yield stem


def figures_of(text: str) -> Iterator[str]:
    """Words with a digit: years, numbers of things, codes. A sentence that names one speaks of nothing else."""
    for match in _WORD.finditer(text):
        if any(character.isdigit() for character in match.group()):
            yield f"#{match.group().lower()}"
