"""The reader of contacts (vCard 2.1 to 4.0, RFC 6350): each person under their name as heading."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vobject.base import ContentLine

from core.errors import ParseError
from core.parsing.flow import Item, ParsedFile, Piece, Words
from core.parsing.mail.content_lines import Component, fields_of, parameter, read_components, text_of, unread_note
from core.text.values.calendar_names import day_in_words
from core.types import BlockKind

_LABELS = dict(
    pair.split("=")
    for pair in "TEL=phone;EMAIL=email;ADR=address;URL=website;ORG=organisation;BDAY=born;TITLE=job title;IMPP=chat;"
    "CATEGORIES=groups;LANG=language;GEO=place;FN=name;ABDATE=date;ABRELATEDNAMES=related;TZ=time zone;IMADDRESS=chat;"
    "CELL=mobile;HOME=home;WORK=work;FAX=fax;PAGER=pager;MAIN=main;OTHER=other;SCHOOL=school".split(";")
)
_KINDS = frozenset("CELL HOME WORK FAX PAGER MAIN OTHER SCHOOL".split())
_STRUCTURED = frozenset({"ADR", "ORG", "GENDER"})
_DATES = frozenset({"BDAY", "ANNIVERSARY", "ABDATE"})
# What programs keep for themselves, pictures and sounds, and copies of what other properties say.
_RECORD = frozenset(
    "VERSION PRODID UID REV N SORT-STRING LABEL AGENT PHOTO LOGO SOUND KEY SOURCE KIND CLASS MAILER CALURI FBURL "
    "X-ABLABEL X-ABADR X-ABUID X-ID X-ETAG X-ABSHOWAS X-ABCROP-RECTANGLE X-MS-CARDPICTURE X-MS-OL-DESIGN "
    "X-MS-OL-DEFAULT-POSTAL-ADDRESS X-FC-TAGS X-FC-LIST-ID PROFILE CLIENTPIDMAP XML".split()
)
_MARKED = re.compile(r"_\$!<(.*)>!\$_")  # Apple's labels that its programs translate
_LONGEST_LABEL = 30  # longer names of properties are codes
_DAY = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)")


def read(data: bytes, name: str) -> ParsedFile:
    """The contacts in the file's order. Raises ``ParseError`` where there is none.

    >>> card = b"FN:Ada Lovelace\\nTEL;TYPE=CELL:555 1\\nBDAY:18151210\\nADR;HOME:;;1 Pond Street;London;;;"
    >>> found = read(b"BEGIN:VCARD\\n%b\\nEND:VCARD" % card, "a.vcf").pieces
    >>> found[0].words.text, [item.words.text for item in found[1].items]
    ('Ada Lovelace', ['Mobile phone: 555 1', 'Born: 10 December 1815', 'Home address: 1 Pond Street, London'])
    """
    cards = [one for one in read_components(data, name) if one.name == "VCARD"]
    if not cards:
        raise ParseError(f"{name} holds no contact.", "Export the contacts again and add that.")
    names = [_name(card) for card in cards]
    pieces = [piece for card, named in zip(cards, names, strict=True) for piece in _contact(card, named)]
    return ParsedFile(
        tuple(pieces),
        title=names[0] if len(cards) == 1 else "",
        metadata={"contacts": str(len(cards))},
        notes=unread_note(cards),
    )


def _name(card: Component) -> str:
    """The name as it is displayed; else the parts of the name, the organisation, or an address."""
    parts = next(map(fields_of, card.all("N")), [])
    family, given, *others = (*parts, *[""] * 5)[:5]
    written = " ".join(filter(None, (*others[1:2], given, others[0], family, *others[2:3])))
    return card.text("FN") or written or card.text("ORG", "NICKNAME", "EMAIL", "TEL") or "Contact"


def _contact(card: Component, named: str) -> Iterator[Piece]:
    groups = {one.group: text_of(one) for one in card.all("X-ABLABEL") if one.group}
    others = (one for one in card.lines if one.name != "NOTE")
    told = [line for one in others if (line := _line(one, groups.get(one.group, ""), named))]
    yield Piece(BlockKind.HEADING, Words(named), level=1)
    yield Piece(BlockKind.LIST, items=tuple(Item(Words(line), "") for line in told))
    yield from (Piece(BlockKind.PARAGRAPH, Words(text_of(note))) for note in card.all("NOTE"))


def _line(one: ContentLine, label: str, named: str) -> str:
    """A line as it is told, "" where it tells nothing. ``label``: the person's own for it."""
    if (
        one.name in _RECORD
        or parameter(one, "ENCODING").upper() in ("B", "BASE64")
        or "BASE64" in map(str.upper, one.singletonparams)
    ):
        return ""
    said = _said(one)
    if not said or (one.name == "FN" and said == named):
        return ""
    plain = re.sub(r"^X-(?:MS-|ANDROID-|AB(?=[A-Z]))?(?:OL-)?", "", one.name) if one.name.startswith("X-") else one.name
    what = _LABELS.get(plain, plain.replace("-", " ").lower() if len(plain) <= _LONGEST_LABEL else "other")
    given = ",".join((*one.singletonparams, *one.params.get("TYPE", ()))).upper().split(",")
    kinds = sorted((_LABELS[kind] for kind in dict.fromkeys(given) if kind in _KINDS), key="fax pager".find)
    if kinds and kinds[-1] in ("fax", "pager"):
        what = ""
    label = marked[1] if (marked := _MARKED.fullmatch(label)) else label
    what = "" if what and label.lower().endswith(what) else what
    head = " ".join(filter(None, (label, *kinds, what)))
    return f"{head[:1].upper()}{head[1:]}: {said}"


def _said(one: ContentLine) -> str:
    """The value of a property, its parts apart by commas, as one or more lines."""
    if one.name in _STRUCTURED:
        return ", ".join(filter(None, fields_of(one)))
    stated = _DAY.match(one.value.strip()) if one.name.removeprefix("X-").removeprefix("MS-") in _DATES else None
    if stated and 0 < int(stated[2]) < 13:
        return day_in_words(*map(int, stated.groups()))
    text = text_of(one).strip().replace("\\:", ":")
    return re.sub(r"^(?:tel|mailto|geo):", "", text) if parameter(one, "VALUE").lower() == "uri" else text
