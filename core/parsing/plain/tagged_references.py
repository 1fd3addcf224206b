"""The reader of references as RIS and PubMed write them, a tag at the start of each line: a heading for each entry."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from core.parsing.flow import ParsedFile
from core.parsing.pandoc.bibliography_reader import entry_pieces
from core.text.normalise import decode

_TAG = re.compile(r"([A-Z][A-Z0-9]{1,3}) *-(?: (.*)|)")
_RIS_START, _PUBMED_START = "TY", "PMID"
_ENDS = frozenset({"ER", "EF"})  # what stands after them, as before the first entry, is of the program alone
_TITLES, _ABSTRACTS, _DATES = ("TI", "T1", "CT", "BT", "ST"), ("AB", "N2"), ("DP", "PY", "Y1", "DA")
_CONTAINERS = ("T2", "JO", "JF", "J2")
_PEOPLE = {"author": ("FAU", "AU", "A1", "CN"), "editor": ("ED", "A2", "FED"), "translator": ("A4",)}
RECORD_TAGS = frozenset("TY OWN STAT DCOM LR EDAT MHDA CRDT PHST SB JID LK DA".split())
"""Tags that say how a database keeps the entry. Only ``DA`` is in the document, where no other tag has the date."""

_LABELS = {
    **dict.fromkeys(("JO", "JF", "T2", "JT"), "journal"),
    **dict.fromkeys(("J1", "J2", "JA", "TA"), "journal abbreviated"),
    **dict.fromkeys(("VL", "VI"), "volume"),
    **dict.fromkeys(("KW", "OT", "MH"), "keywords"),
    **dict.fromkeys(("UR", "L1", "L2", "L3"), "link"),
    **dict.fromkeys(("DO", "LID"), "DOI"),
    **dict.fromkeys(("N1", "RN"), "notes"),
    **dict.fromkeys(("AD", "C1"), "address"),
    **dict.fromkeys(("PB", "PL"), "publisher"),
    **dict.fromkeys(("CY", "PP"), "place"),
    **dict.fromkeys(("DB", "DP"), "database"),
    "T3": "series",
    "AU": "authors, abbreviated",  # where full names come first
    "IP": "issue",
    "SP": "first page",
    "EP": "last page",
    "PG": "pages",
    "SN": "ISSN or ISBN",
    "LA": "language",
    "ET": "edition",
    "M3": "kind",
    "PT": "kind",
    "ST": "short title",
    "SO": "source",
    "AN": "number in the database",
    "PMID": "PubMed",
    "PMC": "PubMed Central",
    "GR": "grant",
}


def read(data: bytes, name: str) -> ParsedFile:
    """For each entry: its title as heading, people and date, the abstract, and a list of the other fields.

    >>> entry = "TY  - JOUR\\nTI  - Ducks\\nAU  - Lee, A.\\nPY  - 2016\\nVL  - 3\\nAB  - They\\n  dive.\\nER  - "
    >>> pieces = read(entry.encode(), "a.ris").pieces
    >>> [piece.words.text for piece in pieces], [item.words.text for item in pieces[-1].items]
    (['Ducks', 'Written by Lee, A. 2016', 'They dive.', ''], ['volume: 3'])
    """
    return ParsedFile(tuple(piece for entry in entries(decode(data).text) for piece in entry_pieces(_csl(entry), name)))


def entries(text: str) -> Iterator[dict[str, list[str]]]:
    """The values of each entry by tag. A line without a tag goes on with the value above it.

    >>> list(entries("1.\\nTY  - BOOK\\nAU  - Lee\\nAU  - Ray\\nN1  - one\\ntwo\\nER  -\\n"))
    [{'TY': ['BOOK'], 'AU': ['Lee', 'Ray'], 'N1': ['one two']}]
    """
    entry: dict[str, list[str]] = {}
    values: list[str] = []
    for line in text.splitlines():
        match = _TAG.match(line)
        if match is None:
            if values and line.strip():
                values[-1] = f"{values[-1]} {line.strip()}".strip()
            continue
        tag, value = match[1], (match[2] or "").strip()
        if tag in _ENDS or tag in (_RIS_START, _PUBMED_START):
            if entry:
                yield entry
            entry, values = {}, []
        if tag not in _ENDS:
            values = entry.setdefault(tag, [])
            values.append(value)
    if entry:
        yield entry


def _csl(entry: Mapping[str, Sequence[str]]) -> dict[str, object]:
    """An entry in the words of CSL, which ``entry_pieces`` draws; other fields by their labels."""
    is_pubmed = _PUBMED_START in entry
    used, csl = set(RECORD_TAGS), dict[str, object]()

    def first(tags: Sequence[str]) -> Sequence[str]:
        """The values of the first of these tags that the entry has."""
        tag = next((tag for tag in tags if any(entry.get(tag, ()))), "")
        used.add(tag)
        return entry.get(tag, ())

    within = next((entry[tag][0] for tag in _CONTAINERS if any(entry.get(tag, ()))), "Untitled")
    csl["title"] = " ".join(first(_TITLES)) or within
    for role, tags in _PEOPLE.items():
        csl[role] = [{"literal": person} for person in first(tags)]
    csl["issued"] = {"raw": " ".join(first(_DATES if is_pubmed else _DATES[1:]))}
    csl["abstract"] = "\n\n".join(first(_ABSTRACTS))
    csl["id"] = " ".join(first(("ID",)))
    others: dict[str, list[str]] = {}
    for tag, values in entry.items():
        if tag not in used:
            label = ("ISSN" if is_pubmed else "issue") if tag == "IS" else _LABELS.get(tag, tag)
            others.setdefault(label, []).extend(filter(None, values))
    return csl | {label: values for label, values in others.items() if values}
