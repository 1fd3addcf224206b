"""What a question names, to be looked for by its letters: names, years and other numbers, identifiers, what is quoted.

Meaning alone takes FM for AM and one year for the next: a passage that does not say what is named does not answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.text.analysis import fold
from core.text.numerals import in_words

_QUOTED = re.compile(r"`([^`\n]+)`|“([^”\n]+)”|\"([^\"\n]+)\"")
_IDENTIFIER = re.compile(r"(?<![\w.-])(?:--?[A-Za-z][\w-]*|\w+(?:_\w+)+|[A-Za-z_]\w*(?:\.\w+)+|\w*[a-z]\w*[A-Z]\w*)")
_CODE = re.compile(r"(?<![\w.])[A-Z][A-Z\d]*(?:[-/.][A-Z\d]+)*\b|(?<![\w.])\d+(?:[.,]\d+)*(?:[a-z]{1,2})?\b")
_NAME = re.compile(r"(?<=[a-z,;:)’'] )[A-Z][\w’'-]+(?: [A-Z][\w’'-]+)*")
_PLAIN_CAPITALS = frozenset("I A OK".split())


def keys(question: str) -> tuple[str, ...]:
    """What the question names, as it is written there, each once.

    A question without small letters names nothing by its capitals. A first word names nothing by its own.

    >>> keys("Who invented AM radio?"), keys("What was net revenue of Acme Corp in 2019?")
    (('AM',), ('Acme Corp', '2019'))
    >>> keys("What is the default of `max_lines` in textwrap.wrap?"), keys("How long is it?")
    (('max_lines', 'textwrap.wrap'), ())
    """
    shouted = not any(character.islower() for character in question)
    found: dict[str, None] = {}
    rest = question

    def take(pattern: re.Pattern[str]) -> None:
        nonlocal rest
        for match in pattern.finditer(rest):
            said = next((group for group in match.groups() if group), match[0]).strip(" .?!,;:")
            if said and said not in _PLAIN_CAPITALS and not (shouted and not any(map(str.isdigit, said))):
                found.setdefault(said)
        rest = pattern.sub(lambda match: " " * len(match[0]), rest)

    for pattern in (_QUOTED, _IDENTIFIER, _NAME, _CODE):
        take(pattern)
    return tuple(sorted(found, key=question.find))


def unmet(named: Iterable[str], texts: Iterable[str]) -> tuple[str, ...]:
    """Those of ``named`` that none of the texts says, in their order.

    Capitals count in a word that is made of them, so that "am" does not say "AM"; elsewhere neither they nor marks do.

    >>> unmet(("AM", "Edwin Armstrong", "1933"), ["I am told that Armstrong, Edwin's brother, had FM in 1933."])
    ('AM',)
    """
    texts = list(texts)
    return tuple(name for name in named if not any(says(text, name) for text in texts))


def says(text: str, name: str) -> bool:
    """Whether a text says a name: whole words, for a name of several its words in any order."""
    if name.isupper() and name.isalpha():
        return re.search(rf"(?<![A-Za-z]){re.escape(name)}s?(?![A-Za-z])", text) is not None
    if name[0].isdigit():
        plain = name.replace(",", "")
        said = re.search(rf"(?<![\d.]){re.escape(plain)}(?!\d|\.\d)", text.replace(",", "")) is not None
        return said or (plain.isdigit() and re.search(rf"\b{in_words(int(plain))}\b", text, re.IGNORECASE) is not None)
    if re.search(r"[_.]|\A-", name):
        return name.rsplit(".", 1)[-1].strip("()") in text
    words = [fold(word) for word in re.findall(r"[\w’'-]+", re.sub(r"[’']s\b", "", name))]
    held = {fold(word) for word in re.findall(r"[\w’'-]+", re.sub(r"[’']s\b", "", text))}
    return all(word in held for word in words)
