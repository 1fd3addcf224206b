"""The reader of calendars (iCalendar, RFC 5545): each event, task and journal entry under its title as heading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from io import StringIO

from dateutil import parser as _loaded_with_time_zones  # noqa: F401 - in the sandbox, nothing is loaded later
from dateutil.tz import tzical
from vobject.base import ContentLine
from vobject.base import ParseError as LineError
from vobject.icalendar import stringToDurations

from core.errors import ParseError
from core.parsing.flow import Item, ParsedFile, Piece, Words
from core.parsing.mail.content_lines import Component, parameter, read_components, text_of, unread_note
from core.parsing.mail.pieces import html_pieces
from core.text.values.calendar_names import MONTHS, WEEKDAYS, day_in_words
from core.types import BlockKind

_ENTRIES = frozenset({"VEVENT", "VTODO", "VJOURNAL"})
_DAYS = dict(zip("MO TU WE TH FR SA SU".split(), WEEKDAYS, strict=True))
_UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year", "HOURLY": "hour"}
_ORDINALS = {"1": "first ", "2": "second ", "3": "third ", "4": "fourth ", "5": "fifth ", "-1": "last "}
_NUMBERS = frozenset(map(str, range(1, 13)))
_STAMP = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z?))?", re.IGNORECASE)
_STATES = {"CONFIRMED": "", "FINAL": "", "NEEDS-ACTION": "open"}  # usual ones are not told
_LISTED = {"LOCATION": "Where", "URL": "Link"}
_LISTED |= {name: name.capitalize() for name in ("CATEGORIES", "CONTACT", "RESOURCES")}


def read(data: bytes, name: str) -> ParsedFile:
    """The entries in the file's order. Raises ``ParseError`` where there is none.

    >>> event = b"SUMMARY:Ducks\\nDTSTART;VALUE=DATE:20240102\\nRRULE:FREQ=WEEKLY\\nLOCATION:Pond"
    >>> found = read(b"BEGIN:VCALENDAR\\nBEGIN:VEVENT\\n%b\\nEND:VEVENT\\nEND:VCALENDAR" % event, "a.ics").pieces
    >>> found[0].words.text, [item.words.text for item in found[1].items]
    ('Ducks', ['When: Tuesday, 2 January 2024, all day', 'Repeats: every week', 'Where: Pond'])
    """
    calendars = [one for one in read_components(data, name) if one.name == "VCALENDAR"]
    entries = [(calendar, one) for calendar in calendars for one in calendar.components if one.name in _ENTRIES]
    if not entries:
        raise ParseError(f"{name} holds no event.", "Export the calendar again and add that.")
    clocks = {id(calendar): _clock(calendar) for calendar in calendars}
    described = filter(None, (one.text("X-WR-CALDESC", "DESCRIPTION") for one in calendars))
    about = [Piece(BlockKind.PARAGRAPH, Words(text)) for text in described]
    told = (piece for calendar, one in entries for piece in _entry(one, clocks[id(calendar)], calendar, name))
    only = entries[0][1].text("SUMMARY") if len(entries) == 1 else ""
    return ParsedFile(
        (*about, *told),
        title=calendars[0].text("X-WR-CALNAME", "NAME") or only,
        metadata={"entries": str(len(entries))},
        notes=unread_note(calendars),
    )


@dataclass(frozen=True, slots=True)
class _Clock:
    """The time zone in which moments are told that the file has in UTC."""

    name: str = "UTC"
    zone: tzinfo | None = None


_UTC = _Clock()


def _clock(calendar: Component) -> _Clock:
    """That of the time zone that the calendar states, if it describes it."""
    stated = calendar.text("X-WR-TIMEZONE")
    for described in calendar.components:
        if stated and described.name == "VTIMEZONE" and described.text("TZID") == stated:
            with suppress(ValueError, LookupError, TypeError):
                if zone := tzical(StringIO(_written(described))).get(stated):
                    return _Clock(stated, zone)
    return _UTC


def _written(component: Component) -> str:
    lines = [f"{one.name}:{one.value}" for one in component.lines if not one.name.startswith("X-")]
    inner = [_written(one) for one in component.components]
    return "\n".join([f"BEGIN:{component.name}", *lines, *inner, f"END:{component.name}"])


def _entry(entry: Component, clock: _Clock, calendar: Component, name: str) -> Iterator[Piece]:
    lines = [line for line in _lines(entry, clock) if line]
    status = "CANCELLED" if calendar.text("METHOD").upper() == "CANCEL" else entry.text("STATUS").upper()
    if told := _STATES.get(status, status.replace("-", " ").lower()):
        lines.append(f"{'Task' if entry.name == 'VTODO' else 'Status'}: {told}")
    title = entry.text("SUMMARY") or {"VTODO": "Task", "VJOURNAL": "Journal entry"}.get(entry.name, "Event")
    yield Piece(BlockKind.HEADING, Words(title), level=1)
    yield Piece(BlockKind.LIST, items=tuple(Item(Words(line), "") for line in lines))
    for one in entry.all("DESCRIPTION", "COMMENT"):
        text = text_of(one)
        if "</" in text or "<br" in text:
            yield from html_pieces(b"", text, name)[0]
        else:
            yield from (Piece(BlockKind.PARAGRAPH, Words(part)) for part in text.split("\n\n"))


def _lines(entry: Component, clock: _Clock) -> Iterator[str]:
    """What is stated of an entry, one thing a line; "" for what is not."""
    starts, ends, due, done = (_first(entry, clock, name) for name in ("DTSTART", "DTEND", "DUE", "COMPLETED"))
    for lasts in entry.all("DURATION") if starts and not ends else ():
        with suppress(LineError, OverflowError):
            ends = starts + stringToDurations(lasts.value)[0]
    if starts:
        start = next(entry.all("DTSTART"))
        zone = clock.name if start.value.strip().upper().endswith("Z") else parameter(start, "TZID")
        yield f"When: {_period(starts, ends, zone)}"
    yield from (f"{label}: {_moment(day)}" for label, day in (("Due", due), ("Completed", done)) if day)
    for rule in entry.all("RRULE"):
        yield f"Repeats: {_repeats(rule.value, clock)}" if rule.value.strip() else ""
    for label, name in (("Also on", "RDATE"), ("Not on", "EXDATE")):
        days = [day for one in entry.all(name) for raw in one.value.split(",") if (day := _date(raw, clock))]
        yield f"{label}: {'; '.join(_moment(day) for day in days)}" if days else ""
    for name, label in _LISTED.items():
        said = ", ".join(filter(None, (" ".join(text_of(one).split()) for one in entry.all(name))))
        yield f"{label}: {said}" if said else ""
    for name, label in (("ORGANIZER", "Organiser"), ("ATTENDEE", "Invited")):
        people = "; ".join(filter(None, map(_person, entry.all(name))))
        yield f"{label}: {people}" if people else ""


def _person(one: ContentLine) -> str:
    address = parameter(one, "EMAIL") or one.value.strip()
    address = address[7:] if address.lower().startswith("mailto:") else address
    named = " ".join(parameter(one, "CN").split())
    person = f"{named} <{address}>" if named and named != address else address
    answer = parameter(one, "PARTSTAT").lower()
    return person if not person or answer in ("", "needs-action") else f"{person} ({answer.replace('-', ' ')})"


def _first(entry: Component, clock: _Clock, name: str) -> date | None:
    return next((day for one in entry.all(name) if (day := _date(one.value, clock))), None)


def _date(raw: str, clock: _Clock) -> date | None:
    """A day or a moment, those in UTC by ``clock``; ``None`` for other text."""
    if not (stated := _STAMP.match(raw.strip())):
        return None
    with suppress(ValueError, OverflowError):
        year, month, day, hour, minute, second = (int(part or 0) for part in stated.groups()[:6])
        moment = datetime(year, month, day, hour, minute, second)  # noqa: DTZ001 - as the file states it
        if stated[4] is None:
            return moment.date()
        zone = clock.zone if stated[7] else None
        return zone.fromutc(moment.replace(tzinfo=zone)).replace(tzinfo=None) if zone else moment
    return None


def _day(day: date) -> str:
    return f"{WEEKDAYS[day.weekday()]}, {day_in_words(day.year, day.month, day.day)}"


def _moment(day: date) -> str:
    return f"{_day(day)}, {day:%H:%M}" if isinstance(day, datetime) else _day(day)


def _period(starts: date, ends: date | None, zone: str) -> str:
    if not isinstance(starts, datetime):
        last = ends - timedelta(days=1) if ends and not isinstance(ends, datetime) else starts  # the end is exclusive
        return f"{_day(starts)} to {_day(last)}" if last > starts else f"{_day(starts)}, all day"
    told = _moment(starts)
    if isinstance(ends, datetime) and ends != starts:
        told += f" to {ends:%H:%M}" if ends.date() == starts.date() else f" to {_moment(ends)}"
    return f"{told} ({zone})" if zone else told


def _repeats(rule: str, clock: _Clock) -> str:
    """A rule of recurrence in words, or as it is written."""
    parts = dict(part.upper().partition("=")[::2] for part in rule.split(";"))
    unit, every = _UNITS.get(parts.get("FREQ", "")), parts.get("INTERVAL", "1")
    if not unit:
        return rule
    told = f"every {unit}" if every == "1" else f"every {every} {unit}s"
    days = [(day[:-2].lstrip("+"), _DAYS.get(day[-2:], day[-2:])) for day in parts.get("BYDAY", "").split(",") if day]
    if days:
        told += " on " + ", ".join(f"the {_ORDINALS.get(nth, f'{nth}. ')}{day}" if nth else day for nth, day in days)
    if monthly := parts.get("BYMONTHDAY"):
        told += f" on day {monthly.replace(',', ', ')}"
    months = [MONTHS[int(one) - 1] for one in parts.get("BYMONTH", "").split(",") if one in _NUMBERS]
    told += f" in {', '.join(months)}" if months else ""
    if count := parts.get("COUNT"):
        return f"{told}, {count} times"
    until = _date(parts.get("UNTIL", ""), clock)
    return f"{told}, until {_day(until)}" if until else told
