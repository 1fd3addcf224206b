"""The second reading of calendars and contacts: their lines, unfolded, each by the name of its property."""

from __future__ import annotations

import re
from quopri import decodestring

from core.parsing.audit.gathering import WordCollector
from core.parsing.audit.packages import read_page
from core.text.normalise import decode
from core.text.values.calendar_names import day_in_words

_RECORDED, _TIMES = "what programs keep for themselves", "moments in UTC, told by the calendar's clock"
_CODES = "dates, rules and roles, told in words"
_PROPERTY = re.compile(r"(?:[\w-]+\.)?([\w-]+)((?:;(?:\"[^\"]*\"|[^:\";])*)*):(.*)", re.DOTALL)
_NAMED = re.compile(r";CN=(?:\"([^\"]*)\"|([^;:]*))", re.IGNORECASE)
_ESCAPED = re.compile(r"\\([nN;,\\:])")
_MOMENT = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d)(\d\d))?")
_SHOWN = frozenset("SUMMARY DESCRIPTION COMMENT LOCATION CATEGORIES CONTACT RESOURCES URL ORGANIZER ATTENDEE".split())
_OF_CALENDAR = frozenset({"X-WR-CALNAME", "X-WR-CALDESC", "NAME", "DESCRIPTION"})
_UNTOLD = ("VTIMEZONE", "VALARM", "VFREEBUSY", "VAVAILABILITY", "X-")  # components
_DATES = frozenset({"DTSTART", "DTEND", "DUE", "COMPLETED"})
_TOLD = frozenset({"RRULE", "EXDATE", "RDATE", "STATUS", "DURATION"})
_BORN = frozenset({"BDAY", "ANNIVERSARY", "X-ANNIVERSARY", "X-MS-ANNIVERSARY"})
_QUOTED = re.compile(r"^(?=[^:\n]*QUOTED-PRINTABLE)(?:.*=\n)+.*", re.MULTILINE | re.IGNORECASE)
_BINARY = re.compile(r"ENCODING=B|;BASE64", re.IGNORECASE)
_OF_CONTACT = frozenset(
    "FN TEL EMAIL ADR ORG TITLE ROLE NOTE URL NICKNAME CATEGORIES IMPP RELATED X-SPOUSE X-MANAGER X-ASSISTANT "
    "X-MS-MANAGER X-MS-ASSISTANT X-MS-IMADDRESS X-AIM X-ICQ X-SKYPE X-JABBER X-GTALK".split()
)


def _lines(data: bytes) -> list[tuple[str, str, str]]:
    """Name, parameters and value of each line, with the lines of quoted-printable joined."""
    text = re.sub(r"\n[ \t]", "", decode(data).text)
    text = _QUOTED.sub(lambda match: match[0].replace("=\n", ""), text)
    found = [
        (match[1].upper(), match[2], match[3]) for line in text.split("\n") if (match := _PROPERTY.fullmatch(line))
    ]
    return [
        (name, given, decodestring(value.encode()).decode("utf-8", "replace") if "QUOTED-P" in given.upper() else value)
        for name, given, value in found
    ]


def _plain(value: str) -> str:
    return _ESCAPED.sub(lambda match: "\n" if match[1] in "nN" else match[1], value)


def _put_date(value: str, collector: WordCollector, is_end: bool = False) -> None:
    """Collect a date as it is told: 2, January, 2024 for 20240102. ``is_end``: its day may be left out."""
    if moment := _MOMENT.match(value.strip()):
        year, month, day, hour, minute = moment.groups()
        told = day_in_words(int(year), int(month), int(day)) if 0 < int(month) < 13 else f"{int(day)} {month} {year}"
        reason = _TIMES if value.strip().endswith("Z") else ""
        collector.put(reason or (_CODES if is_end else ""), f"{told}\n")
        collector.put(reason, f"{hour or ''} {minute or ''}\n")


def read_calendar(data: bytes, collector: WordCollector) -> None:
    """Collect titles, places, people and texts of the entries, and their dates in words."""
    path: list[str] = []
    for name, given, value in _lines(data):
        if name == "BEGIN":
            path.append(value.strip().upper())
        elif name == "END":
            path = path[:-1]
        elif any(component.startswith(_UNTOLD) for component in path):
            collector.put(_RECORDED, f"{value}\n")
        elif name in _DATES:
            _put_date(value, collector, is_end=name == "DTEND")
        elif name in (_SHOWN if len(path) > 1 else _OF_CALENDAR):
            text = re.sub("^mailto:", "", _plain(value), flags=re.IGNORECASE)
            named = (one or other for one, other in _NAMED.findall(given))
            collector.put("", "".join(f"{one}\n" for one in named if one != text))
            if name == "DESCRIPTION" and ("</" in text or "<br" in text):
                read_page(text.encode(), collector)
            elif not (name in ("ORGANIZER", "ATTENDEE") and "EMAIL=" in given.upper()):
                collector.put("", f"{text}\n")
        else:
            collector.put(_CODES if name in _TOLD else _RECORDED, f"{value}\n")


def read_contacts(data: bytes, collector: WordCollector) -> None:
    """Collect names, addresses, numbers and notes of the contacts, and days of birth in words."""
    for name, given, value in _lines(data):
        if name in _BORN:
            _put_date(value.partition("T")[0], collector)
        elif name in _OF_CONTACT and not _BINARY.search(given):
            collector.put("", f"{re.sub('^(?:tel|mailto):', '', _plain(value))}\n")
        else:
            collector.put(_RECORDED, f"{value[:200]}\n")
