"""Finds the defined terms of a contract: where each is defined, and where it is used."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.text.sentences import sentence_spans
from core.types import Span

_LONGEST = 60
_MOST_WORDS = 7
_OPEN, _CLOSE = "[\"“„«»‚'‘]", "[\"”“»«’']"
_QUOTED = rf"{_OPEN}(?P<term>[^\n\"“”„«»]{{2,{_LONGEST}}}?){_CLOSE}"
_BOLD = rf"\*\*{_OPEN}?(?P<bold>[^\n*\"“”„«»]{{2,{_LONGEST}}}?){_CLOSE}?\*\*"
_MEANS = (
    r"(?:shall[ \n]mean|means?|has[ \n]the[ \n](?:same[ \n])?meanings?|have[ \n]the[ \n]meanings?|refers?[ \n]to"
    r"|shall[ \n]refer[ \n]to|shall[ \n]have[ \n]the[ \n]meaning"
    r"|is[ \n]defined[ \n]as|includes?|bezeichnet|bedeutet|meint|désigne"
    r"|signifie|significa|означает)\b"
)
# A term and its verb: "Lessee" means ...; „Mietsache“ bezeichnet ...
_BY_VERB = re.compile(rf"(?:{_QUOTED}|{_BOLD})(?:[ ]?\([^()\n]{{1,60}}\))?,?[ \n]{{1,3}}{_MEANS}", re.IGNORECASE)
# A term in brackets after what it names: (the "Services"), (im Folgenden „Mieter“ genannt)
_IN_BRACKETS = re.compile(
    rf"\((?=[^()\n]{{0,160}}{_OPEN})(?P<lead>[^()\"“„«»\n]{{0,80}}){_QUOTED}"
    r"(?:[ ]?(?:[,;]|or\b|and\b|und\b|oder\b|genannt|bezeichnet)[^()\n]{0,120})?\)",
    re.IGNORECASE,
)
_LEADS = re.compile(
    r"\s*(?:(?:and|or|collectively|together|individually|hereinafter|hereafter|herein|each|all|being|such|as|referred|to|called|the"
    r"|an?|its|with|im|in|folgenden|nachfolgend|nachstehend|auch|genannt|der|die|das|den|dem|kurz|gemeinsam|zusammen|jeweils|ein|eine"
    r"|ci-après|le|la|les|el|los|las|en|adelante|далее)[\s,:;–-]*){0,12}",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:[-’'][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Term:
    """A defined term as written, and the sentence that defines it."""

    name: str
    definition: Span


def find_terms(text: str, start: int = 0, end: int | None = None) -> list[Term]:
    """The terms defined in ``[start, end)`` in order, each with its first definition.

    >>> text = 'Ada Ltd (the "Lessor") lets. "Rent" means 500 a month. He said "no" to it. Sie (im Folgenden „Mieter“).'
    >>> [(term.name, text[term.definition.start : term.definition.end]) for term in find_terms(text)][:2]
    [('Lessor', 'Ada Ltd (the "Lessor") lets.'), ('Rent', '"Rent" means 500 a month.')]
    >>> [term.name for term in find_terms(text)]
    ['Lessor', 'Rent', 'Mieter']
    """
    stop = len(text) if end is None else end
    definitions: dict[str, tuple[int, int]] = {}
    for match in _BY_VERB.finditer(text, start, stop):
        _add_term(definitions, match["term"] or match["bold"], match.start(), match.end())
    for match in _IN_BRACKETS.finditer(text, start, stop):
        lead = _LEADS.fullmatch(match["lead"])
        if lead is not None:
            _add_term(definitions, match["term"], match.start(), match.end())
    in_order = sorted((at, last, name) for name, (at, last) in definitions.items())
    return [Term(name, _sentence(text, at, last, start, stop)) for at, last, name in in_order]


def _add_term(definitions: dict[str, tuple[int, int]], written: str, start: int, end: int) -> None:
    """Adds a term if it looks like a name, and has no earlier definition."""
    name = " ".join(written.split()).strip(" ,.;:")
    if (
        name
        and name[0].isupper()
        and len(name.split()) <= _MOST_WORDS
        and (name not in definitions or start < definitions[name][0])
    ):
        definitions[name] = (start, end)


def _sentence(text: str, at: int, last: int, start: int, stop: int) -> Span:
    """The sentence around ``[at, last)``, within its paragraph and 1,000 characters on each side."""
    low, high = max(start, at - 1000), min(stop, last + 1000)
    low = max(low, text.rfind("\n\n", low, at) + 1)
    break_after = text.find("\n\n", last, high)
    high = break_after if break_after >= 0 else high
    for span in sentence_spans(text, low, high):
        if span.end > at:
            return Span(min(span.start, at), max(span.end, last))
    return Span(at, last)


class TermFinder:
    """Finds uses of terms, as written or in the plural with -s, outside of their own definitions."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self._by_first: dict[str, list[tuple[list[str], Term]]] = {}
        for term in terms:
            parts = _WORD.findall(term.name)
            for first in {parts[0], f"{parts[0]}s"} if parts else ():
                self._by_first.setdefault(first, []).append((parts, term))

    def uses(self, text: str, start: int, end: int) -> list[Term]:
        """The terms used in ``[start, end)``, in order of first use.

        >>> text = '"Rent" means 500. The Rents of the rent.'
        >>> finder = TermFinder(find_terms(text))
        >>> [term.name for term in finder.uses(text, 17, len(text))], finder.uses(text, 0, 17)
        (['Rent'], [])
        """
        if not self._by_first or self._by_first.keys().isdisjoint(_WORD.findall(text, start, end)):
            return []
        used: dict[str, Term] = {}
        for match in _WORD.finditer(text, start, end):
            if (word := match[0]) not in self._by_first:
                continue
            at = match.start()
            for parts, term in self._by_first[word]:
                if term.name in used or term.definition.start <= at < term.definition.end:
                    continue
                following = _WORD.findall(text, at, min(end, at + 2 * _LONGEST))[: len(parts)]
                if len(following) == len(parts) and all(map(_is_form, following, parts)):
                    used[term.name] = term
        return list(used.values())


def _is_form(word: str, part: str) -> bool:
    return word in {part, f"{part}s"}
