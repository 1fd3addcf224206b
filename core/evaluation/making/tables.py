"""Drafts from tables: questions for the cell in a row and column."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass
from itertools import islice

from core.evaluation.making.draft import MOST_ROWS, Draft, is_common, plain
from core.search.answer.rows import Row, rows_of
from core.text.analysis import STOP_WORDS, analyse
from core.text.calendar_names import MONTHS, SHORT_MONTHS
from core.types import Block, Span

_PERIOD = re.compile(
    rf"(?:{'|'.join((*MONTHS, *SHORT_MONTHS))})\.?(?: \d{{4}})?|Q[1-4](?: \d{{4}})?|(?:FY ?)?(?:19|20)\d\d",
    re.IGNORECASE,
)
_LATIN = re.compile(r"[\x20-\u024f\u2010-\u2027]+")  # the scripts that an English question can hold
_EMPTY_VALUES = frozenset("none no yes - – — n/a na ? x same nil".split())
_REFERENCE = re.compile(r"(?:the )?same\b|both\b|ditto\b|see\b|as (?:above|below|before)\b", re.IGNORECASE)
_NUMBER = re.compile(r"[\d.,]+")
_TOTALS = frozenset("total together sum all".split())
_LONGEST_LABEL, _LONGEST_HEADER, _LONGEST_VALUE = 7, 5, 30  # words


def table_drafts(text: str, table: Block, lower_case: Set[str]) -> Iterator[Draft]:
    """The drafts of a table. ``lower_case``: the lower-case words of the document.

    A row is used if its first cell, with a period in the second cell where there is one, identifies it; a cell, if its
    value is specific and its header can be put into a question.
    """
    rows = list(islice(rows_of(table, Span(table.start, table.end)), MOST_ROWS))
    value_counts = Counter((cell.column, str(cell.value)) for row in rows for cell in row.cells)
    label_counts = Counter(_label(row, text)[0] for row in rows)
    for row in rows:
        label, label_cells = _label(row, text)
        first_header = plain(row.headers[0])
        if label_counts[label] > 1 or not _askable(label) or not first_header or _PERIOD.fullmatch(first_header):
            continue
        values = [plain(text[cell.start : cell.end]) for cell in row.cells]
        headers = Counter(row.headers)
        units = Counter(
            _unit(value) for value, header in zip(values, row.headers, strict=True) if not _PERIOD.fullmatch(header)
        )
        numbers = sum(bool(_NUMBER.fullmatch(value)) for value in values)
        for cell, value, header in list(zip(row.cells, values, row.headers, strict=True))[label_cells:]:
            if is_common(value_counts[cell.column, str(cell.value)], len(rows)):
                continue  # a common value can be guessed
            if headers[header] > 1 or not value or value.lower() in _EMPTY_VALUES or _REFERENCE.match(value):
                continue
            if len(value.split()) > _LONGEST_VALUE:
                continue
            if _unit(value) and units[_unit(value)] > 1 and not _PERIOD.fullmatch(header):
                continue  # several figures of one unit are one quantity under several conditions
            if _NUMBER.fullmatch(value) and numbers > 1 and not plain(header).rstrip(")").endswith("s"):
                continue  # of several bare numbers, only the header of a count ("Seats") says what one means
            question = _question(
                re.sub(r" ?\([^()]*\)", "", plain(header)), _Label(label, first_header, lower_case), value
            )
            if question:
                yield Draft("table", question, row.span, value)


def _unit(value: str) -> str:
    """The unit of a figure; "" for words and bare numbers.

    >>> _unit("99.9 %"), _unit("EUR 38"), _unit("4,500"), _unit("north")
    ('%', 'EUR', '', '')
    """
    match = re.fullmatch(r"(\D{0,4}?) ?[+-]?\d[\d.,]*(?: ?(\D{0,10}))?", value)
    return (match[1] or match[2] or "").strip() if match else ""


def _label(row: Row, text: str) -> tuple[str, int]:
    """The name of a row, and how many of its cells that takes."""
    cells = [plain(text[cell.start : cell.end]) for cell in row.cells]
    if len(cells) > 2 and row.headers[1].lower() in _PERIODS and _PERIOD.fullmatch(cells[1]):
        return f"{cells[0]} in {cells[1]}", 2
    return cells[0], 1


def _askable(label: str) -> bool:
    """Whether a row's name can stand in a question: words or an identifier, not a number, a total or a sentence.

    >>> _askable("Ledger, memory"), _askable("heron-0017"), _askable("17"), _askable("Total")
    (True, True, False, False)
    """
    return (
        any(map(str.isalpha, label))
        and label.lower() not in _TOTALS | _EMPTY_VALUES
        and len(label.split()) <= _LONGEST_LABEL
        and label[-1] not in ".:"
    )


@dataclass(frozen=True, slots=True)
class _Label:
    """A row's name, the header above it (``kind_header``), and the document's lower-case words (``lower_case``)."""

    label: str
    kind_header: str
    lower_case: Set[str]

    @property
    def thing(self) -> str:
        """The row as a noun phrase: "the service ledger", "raw events"."""
        words = self.label.split()
        kind = self.kind_header.lower()
        takes_kind = kind.isalpha() and not kind.endswith("ly") and kind not in _VAGUE_KINDS
        takes_kind = takes_kind and words[0].lower() not in STOP_WORDS  # not "the service the pump"
        if takes_kind and len(words) <= 7 and not set(analyse(kind)) & set(analyse(self.label)):
            return f"the {kind} {self.label if len(words) == 1 or ' in ' in self.label else self.small}"
        return self.small

    @property
    def small(self) -> str:
        """The label inside a sentence: "size of a batch", but "Ledger" where the document has no "ledger"."""
        first, words = re.split(r"[, -]", self.label)[0], self.label.split()
        is_known = first.lower() in self.lower_case or first.lower() in STOP_WORDS
        has_preposition = len(words) > 1 and words[1] in ("of", "for", "from", "to", "in", "per", "that")
        is_common_noun = (first[1:].islower() or len(first) == 1) and (is_known or has_preposition)
        return self.label[0].lower() + self.label[1:] if is_common_noun and " " in self.label else self.label

    @property
    def plural(self) -> bool:
        """Whether the phrase takes a plural verb: "raw events", "recordings of sessions"."""
        head = re.split(r" (?:of|in|for|to|and) |, ", self.label)[0]
        return self.thing == self.small and head.endswith("s") and not head.endswith("ss")


def _question(header: str, row: _Label, value: str) -> str:
    """The question for a cell; "" where its header cannot be put into one. ``row``: names the cell's row."""
    words = header.split()
    small = [word.lower() for word in words]
    if not words or len(words) > _LONGEST_HEADER or not any(map(str.isalpha, header)):
        return ""
    if small == row.kind_header.lower().split():
        return ""
    if not _LATIN.fullmatch(header + row.label):
        return ""
    be = "are" if row.plural else "is"
    if _PERIOD.fullmatch(header):
        measured = row.small if " of " in row.label else f"figure for {row.thing}"
        return f"What was the {measured} in {header}?"
    if len(words) == 1 and small[0] in _VERBS:
        return f"What {'do' if row.plural else 'does'} {row.thing} {_VERBS[small[0]]}?"
    is_participle = re.fullmatch(r"[a-z]+(?:ed|en|pt|ld)", small[0])
    if is_participle and len(words) == 2 and small[1] in ("by", "in", "for", "after"):
        if small[1] in ("for", "after") and not re.search(r"\d.*[a-z]|\b(?:day|week|month|year)s?\b", value):
            return ""
        return {
            "for": f"How long {be} {row.thing} {small[0]}?",
            "after": f"After how long {be} {row.thing} {small[0]}?",
        }.get(small[1], f"What {be} {row.thing} {small[0]} {small[1]}?")
    if len(words) == 1 and small[0].endswith("ed"):
        is_date = re.search(r"\b(?:19|20)\d\d\b", value)
        return f"When {'were' if row.plural else 'was'} {row.thing} {small[0]}?" if is_date else ""
    if small == ["value"]:
        # In a table "Limit | Value" the question is for the limit of something.
        noun = row.kind_header.lower()
        quantity = noun if noun.isalpha() and noun not in _VAGUE_NOUNS else "value"
        return f"What is the {quantity} for {row.small}?" if len(analyse(row.label)) >= _MIN_LABEL_WORDS else ""
    if set(small) & (_NOT_ASKED | ((STOP_WORDS | {"per", "inside", "without"}) - {"of", "in"})):
        return ""
    if {small[0], small[-1]} & {"of", "in"} or small[-1].endswith("ly") or not header[-1].isalnum():
        return ""
    plural = any(word.endswith("s") and not word.endswith(("ss", "us", "is")) for word in (small[0], small[-1]))
    quantity = header if not header[1:].islower() and " " not in header else header[0].lower() + header[1:]
    if plural and _NUMBER.fullmatch(value):
        return f"What is the number of {quantity} for {row.thing}?"
    if small[-1] in _HOLDERS and re.fullmatch(r"[A-Z][\w’-]+(?: [\w’-]+)? [A-Z][\w’-]+", value):
        return f"Who is the {quantity} of {row.thing}?"
    preposition = "of" if row.thing.startswith("the ") or " " not in row.label else "for"
    return f"What {'are' if plural else 'is'} the {quantity} {preposition} {row.thing}?"


_PERIODS = frozenset("month year quarter period date week day season half".split())
_VERBS = {"does": "do"} | {
    f"{verb}s": verb for verb in "allow mean return require need accept contain cover describe control set".split()
}
_VAGUE_KINDS = frozenset(
    "name item quantity what value assumption figure data limit id key way resource measure".split()
)
_VAGUE_NOUNS = frozenset("name item what key id data way value thing".split())
_NOT_ASKED = frozenset(
    "who what when where how why which met note notes comment comments remark remarks source sources reference eur usd"
    " roughly example examples description details total change unnamed column data one".split()
)
_HOLDERS = frozenset("owner author manager holder lead leader director editor chair contact maintainer head".split())
_MIN_LABEL_WORDS = 2  # words of a label below the header "Value", which does not say what the row is
