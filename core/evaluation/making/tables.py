"""Questions of tables: the cell that stands in a row and below a header."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass
from itertools import islice

from core.evaluation.making.draft import Draft, plain
from core.search.answer.rows import Row, rows_of
from core.text.analysis import STOP_WORDS, analyse
from core.text.calendar_names import MONTHS, SHORT_MONTHS
from core.types import Block, Span

_PERIOD = re.compile(
    rf"(?:{'|'.join((*MONTHS, *SHORT_MONTHS))})\.?(?: \d{{4}})?|Q[1-4](?: \d{{4}})?|(?:FY ?)?(?:19|20)\d\d",
    re.IGNORECASE,
)
_LATIN = re.compile(r"[\x20-\u024f\u2010-\u2027]+")  # the scripts that an English question can hold
_EMPTY = frozenset("none no yes - – — n/a na ? x same nil".split())
_AS_BESIDE = re.compile(r"(?:the )?same\b|both\b|ditto\b|see\b|as (?:above|below|before)\b", re.IGNORECASE)
_TOTALS = frozenset("total together sum all".split())
_LONGEST_LABEL, _LONGEST_HEADER, _LONGEST_VALUE = 7, 5, 30  # words
_MOST_ROWS = 2000
_FEW_ROWS, _COMMON = 6, 4  # a value that a quarter of more rows than these share is common


def table_drafts(text: str, table: Block, known: Set[str]) -> Iterator[Draft]:
    """The questions a table answers. ``known``: the words that the document writes small somewhere.

    A row must be named by its first cell, or by that and a period beside it, as no other row is; a header must be one
    that can be asked for.
    """
    rows = list(islice(rows_of(table, Span(table.start, table.end)), _MOST_ROWS))
    common = Counter((cell.column, str(cell.value)) for row in rows for cell in row.cells)
    named = Counter(_label(row, text)[0] for row in rows)
    for row in rows:
        label, used = _label(row, text)
        first = plain(row.headers[0])
        if named[label] > 1 or not _askable(label) or not first or _PERIOD.fullmatch(first):
            continue
        values = [plain(text[cell.start : cell.end]) for cell in row.cells]
        headers = Counter(row.headers)
        shapes = Counter(
            _shape(value) for value, header in zip(values, row.headers, strict=True) if not _PERIOD.fullmatch(header)
        )
        figures = [value for value in values if re.fullmatch(r"[\d.,]+", value)]
        for cell, value, header in list(zip(row.cells, values, row.headers, strict=True))[used:]:
            if len(rows) > _FEW_ROWS and _COMMON * common[cell.column, str(cell.value)] > len(rows):
                continue  # what nearly every row says is guessed, not found
            if headers[header] > 1 or not value or value.lower() in _EMPTY or len(value.split()) > _LONGEST_VALUE:
                continue
            if _AS_BESIDE.match(value):
                continue
            if _shape(value) and shapes[_shape(value)] > 1 and not _PERIOD.fullmatch(header):
                continue  # the same thing under several conditions, not several things
            bare = re.fullmatch(r"[\d.,]+", value)
            if bare and len(figures) > 1 and not plain(header).rstrip(")").endswith("s"):
                continue
            question = _question(re.sub(r" ?\([^()]*\)", "", plain(header)), _Label(label, first, known), value)
            if question:
                yield Draft("table", question, row.span, value)


def _shape(value: str) -> str:
    """What a figure is of; "" for words and bare numbers.

    >>> _shape("99.9 %"), _shape("EUR 38"), _shape("4,500"), _shape("north")
    ('%', 'EUR', '', '')
    """
    found = re.fullmatch(r"(\D{0,4}?) ?[+-]?\d[\d.,]*(?: ?(\D{0,10}))?", value)
    return (found[1] or found[2] or "").strip() if found else ""


def _label(row: Row, text: str) -> tuple[str, int]:
    """What names a row, and how many cells that takes."""
    cells = [plain(text[cell.start : cell.end]) for cell in row.cells]
    if len(cells) > 2 and row.headers[1].lower() in _PERIODS and _PERIOD.fullmatch(cells[1]):
        return f"{cells[0]} in {cells[1]}", 2
    return cells[0], 1


def _askable(label: str) -> bool:
    """Whether a row's name names something: words or an identifier, no number, no total, not a sentence.

    >>> _askable("Ledger, memory"), _askable("heron-0017"), _askable("17"), _askable("Total")
    (True, True, False, False)
    """
    return (
        any(map(str.isalpha, label))
        and label.lower() not in _TOTALS | _EMPTY
        and len(label.split()) <= _LONGEST_LABEL
        and label[-1] not in ".:"
    )


@dataclass(frozen=True, slots=True)
class _Label:
    """What a row is called, below which header, and the words that the document writes small."""

    label: str
    first: str
    known: Set[str]

    @property
    def thing(self) -> str:
        """The row as it stands in a question: "the service ledger", "raw events"."""
        words = self.label.split()
        kind = self.first.lower()
        names = kind.isalpha() and not kind.endswith("ly") and kind not in _NO_KINDS
        names = names and words[0].lower() not in STOP_WORDS  # "the service the pump" is no name
        if names and len(words) <= 7 and not set(analyse(kind)) & set(analyse(self.label)):
            return f"the {kind} {self.label if len(words) == 1 or ' in ' in self.label else self.small}"
        return self.small

    @property
    def small(self) -> str:
        """The label as it stands inside a sentence: "size of a batch", but "Ledger" where no one writes it small."""
        bare = re.split(r"[, -]", self.label)[0]
        known = bare.lower() in self.known or bare.lower() in STOP_WORDS
        joined = self.label.split()[1:2] and self.label.split()[1] in ("of", "for", "from", "to", "in", "per", "that")
        ordinary = (bare[1:].islower() or len(bare) == 1) and (known or joined)
        return self.label[0].lower() + self.label[1:] if ordinary and " " in self.label else self.label

    @property
    def plural(self) -> bool:
        """Whether it is told of in the plural: "raw events", "recordings of sessions"."""
        head = re.split(r" (?:of|in|for|to|and) |, ", self.label)[0]
        return self.thing == self.small and head.endswith("s") and not head.endswith("ss")


def _question(header: str, row: _Label, value: str) -> str:
    """The question for a cell; "" where its header cannot be asked for."""
    words = header.split()
    small = [word.lower() for word in words]
    if (
        not words
        or len(words) > _LONGEST_HEADER
        or not any(map(str.isalpha, header))
        or small == row.first.lower().split()
    ):
        return ""
    if not _LATIN.fullmatch(header + row.label):
        return ""
    be = "are" if row.plural else "is"
    if _PERIOD.fullmatch(header):
        measured = row.small if " of " in row.label else f"figure for {row.thing}"
        return f"What was the {measured} in {header}?"
    if len(words) == 1 and small[0] in _VERBS:
        return f"What {'do' if row.plural else 'does'} {row.thing} {_VERBS[small[0]]}?"
    if (
        len(words) == 2
        and re.fullmatch(r"[a-z]+(?:ed|en|pt|ld)", small[0])
        and small[1] in ("by", "in", "for", "after")
    ):
        if small[1] in ("for", "after") and not re.search(r"\d.*[a-z]|\b(?:day|week|month|year)s?\b", value):
            return ""
        return {
            "for": f"How long {be} {row.thing} {small[0]}?",
            "after": f"After how long {be} {row.thing} {small[0]}?",
        }.get(small[1], f"What {be} {row.thing} {small[0]} {small[1]}?")
    if len(words) == 1 and small[0].endswith("ed"):
        dated = re.search(r"\b(?:19|20)\d\d\b", value)
        return f"When {'were' if row.plural else 'was'} {row.thing} {small[0]}?" if dated else ""
    if small == ["value"]:
        # "Limit | Value": the limit for a thing.
        noun = row.first.lower()
        asked = noun if noun.isalpha() and noun not in _NO_NOUNS else "value"
        return f"What is the {asked} for {row.small}?" if len(analyse(row.label)) >= _FEWEST_OWN else ""
    inner = set(small) & ((STOP_WORDS | {"per", "inside", "without"}) - {"of", "in"})
    if (
        inner
        or small[0] in ("of", "in")
        or small[-1] in ("of", "in")
        or set(small) & _NOT_ASKED
        or not header[-1].isalnum()
    ):
        return ""
    if small[-1].endswith("ly"):
        return ""
    plural = any(word.endswith("s") and not word.endswith(("ss", "us", "is")) for word in (small[0], small[-1]))
    asked = header if not header[1:].islower() and " " not in header else header[0].lower() + header[1:]
    if plural and re.fullmatch(r"[\d.,]+", value):
        return f"What is the number of {asked} for {row.thing}?"
    if small[-1] in _HOLDERS and re.fullmatch(r"[A-Z][\w’-]+(?: [\w’-]+)? [A-Z][\w’-]+", value):
        return f"Who is the {asked} of {row.thing}?"
    joint = "of" if row.thing.startswith("the ") or " " not in row.label else "for"
    return f"What {'are' if plural else 'is'} the {asked} {joint} {row.thing}?"


_PERIODS = frozenset("month year quarter period date week day season half".split())
_VERBS = {"does": "do"} | {
    f"{verb}s": verb for verb in "allow mean return require need accept contain cover describe control set".split()
}
_NO_KINDS = frozenset("name item quantity what value assumption figure data limit id key way resource measure".split())
_NO_NOUNS = frozenset("name item what key id data way value thing".split())
_NOT_ASKED = frozenset(
    "who what when where how why which met note notes comment comments remark remarks source sources reference eur usd"
    " roughly example examples description details total change unnamed column data one".split()
)
_HOLDERS = frozenset("owner author manager holder lead leader director editor chair contact maintainer head".split())
_FEWEST_OWN = 2  # words of a label of which no header says what it is
