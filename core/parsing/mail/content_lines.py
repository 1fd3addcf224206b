"""The lines of calendars (RFC 5545) and contacts (RFC 6350), as vobject reads them: components, which hold lines.

Only its lines are used. Its components need a whole and valid file, and both it and icalendar open the system's time
zones while they read, which the sandbox forbids.
"""

from __future__ import annotations

import re
from binascii import Error as BinasciiError
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from io import StringIO

from vobject.base import ContentLine, getLogicalLines, textLineToContentLine
from vobject.base import ParseError as LineError
from vobject.icalendar import stringToTextValues

from core.text.normalise import decode

_MOST_NESTED = 20
_ENCODED = re.compile(r"[A-Za-z0-9+/=]{20,}")


@dataclass(slots=True)
class Component:
    """A component ("VEVENT", "VCARD"), its lines and the components in it. ``unread``: lines that cannot be read."""

    name: str
    lines: list[ContentLine] = field(default_factory=list)
    components: list[Component] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def all(self, *names: str) -> Iterator[ContentLine]:
        """The lines of these names, which are in capitals, in the order of the names."""
        return (line for name in names for line in self.lines if line.name == name)

    def text(self, *names: str) -> str:
        """The first text of these names, on one line; "" for none."""
        return next((said for line in self.all(*names) if (said := " ".join(text_of(line).split()))), "")


def text_of(line: ContentLine) -> str:
    """The value of a line without escapes."""
    return "".join(stringToTextValues(line.value, listSeparator="\0"))


def fields_of(line: ContentLine) -> list[str]:
    """The parts of a name, an address or an organisation, without escapes."""
    return [" ".join(one.split()) for one in stringToTextValues(line.value, listSeparator=";")]


def parameter(line: ContentLine, name: str) -> str:
    """The first value of a parameter, "" for none."""
    return str(next(iter(line.params.get(name, ())), "")).strip('"')


def read_components(data: bytes, name: str) -> list[Component]:
    """The outermost components of a file. Raises ``ParseError`` where it is no text.

    >>> found = read_components(b"BEGIN:VCALENDAR\\nBEGIN:VEVENT\\nSUMMARY:Ducks\\\\, two\\nEND:VEVENT", "a.ics")
    >>> found[0].components[0].text("SUMMARY")
    'Ducks, two'
    """
    path = [Component("")]
    for written, number in getLogicalLines(StringIO(decode(data, name).text)):
        try:
            if ":" not in written:  # in which vobject's pattern would look for one for minutes
                raise LineError(written)
            line = textLineToContentLine(written, number)
        except (LineError, BinasciiError, ValueError, LookupError):
            path[-1].unread.append(written.strip())
            continue
        if line.name == "BEGIN" and len(path) < _MOST_NESTED:
            path.append(Component(line.value.strip().upper()))
            path[-2].components.append(path[-1])
        elif line.name == "END":
            names = [component.name for component in path]
            if (ended := line.value.strip().upper()) in names[1:]:
                del path[len(names) - 1 - names[::-1].index(ended) :]
        else:
            path[-1].lines.append(line)
    return path[0].components


def unread_note(components: Sequence[Component]) -> tuple[str, ...]:
    """The note on lines that cannot be read, those of pictures apart; () for none."""
    within = [one for component in components for one in (component, *component.components)]
    lines = [line for one in within for line in one.unread if not _ENCODED.fullmatch(line)]
    return (f"Lines that are damaged were left out: {'; '.join(lines)[:200]}.",) if lines else ()
