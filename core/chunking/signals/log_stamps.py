"""Parses the time stamps that log lines begin with; all repetitions in the regular expressions are bounded.

The forms: RFC 3339 and ISO 8601, RFC 3164 (syslog), the common log format of Apache and nginx, Python's ``logging``,
log4j and Logback (and those of Spark and HDFS), MySQL's, Android's logcat, Proxifier's, glog, epoch seconds or
milliseconds, times without a date, and JSON lines; also after the name of the log's file, as grep and log collectors
write it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

from core.text.values.calendar_names import SHORT_MONTHS, SHORT_WEEKDAYS, month_of

HEAD = 300  # characters of a line that are searched for its stamp and level
DAY = 86_400.0
_LONGEST_JSON = 65_536
_EARLIEST, _LATEST = 946_684_800.0, 4_102_444_800.0  # years 2000 to 2099; other numbers are no epoch time
_LEAP_YEAR = 2000  # the year of stamps without one, so that 29 February is valid

LEVELS = "TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|CRITICAL|CRIT|FATAL|SEVERE|PANIC|ALERT|EMERG|FINE|FINER|FINEST"
_MONTH = f"(?P<month>{'|'.join(SHORT_MONTHS)})"
_CLOCK = r"(?P<h>[01]\d|2[0-3]):(?P<m>[0-5]\d):(?P<s>[0-5]\d|60)(?P<f>[.,]\d{1,9})?"
_UNPADDED_CLOCK = r"(?P<h>[01]?\d|2[0-3]):(?P<m>[0-5]?\d):(?P<s>[0-5]?\d|60)(?!\d)(?P<f>[.,]\d{1,9})?"
_ISO = (
    rf"(?P<year>\d{{4}})(?P<dash>[-/.])(?P<mon>\d\d)(?P=dash)(?P<day>\d\d)[T _:]{_CLOCK}"
    r"[ \t]?(?P<zone>Z\b|UTC\b|[+-]\d\d:?\d\d)?"
)
# What may precede a stamp: a level, a bracketed name, a syslog priority, a container's name and a bar, a file name.
_BEFORE = (
    rf"(?:(?:(?:{LEVELS})\b:?|\[[\w .:/-]{{1,40}}\]|<\d{{1,3}}>\d?|[\w.-]{{1,40}}[ \t]{{1,20}}\|"
    r"|[\w./-]{1,60}\.log(?:\.[\w.:-]{1,40})?(?:[ \t]|:(?:\d{1,9}:)?))"
    r"[ \t:|-]{0,20}){0,3}"
)
_OPEN = r"[\[(\"']?"

_FORMS = (
    re.compile(rf"[ \t]{{0,8}}{_BEFORE}{_OPEN}{_ISO}", re.IGNORECASE),
    re.compile(
        rf"(?:<\d{{1,3}}>)?{_OPEN}{_MONTH}[ ]{{1,2}}(?P<day>\d{{1,2}})(?:[ ,]{{1,2}}(?P<year>\d{{4}}))? {_CLOCK}"
    ),
    re.compile(
        rf"{_OPEN}(?:{'|'.join(SHORT_WEEKDAYS)}),? {_MONTH} {{1,2}}(?P<day>\d{{1,2}}) {_CLOCK}(?: (?P<year>\d{{4}}))?"
    ),
    re.compile(rf"[IWEF](?P<mon>0\d|1[0-2])(?P<day>\d\d) {_CLOCK}"),
    re.compile(rf"{_BEFORE}{_OPEN}(?P<year>\d{{4}})(?P<mon>\d\d)(?P<day>\d\d)[T _-]{_UNPADDED_CLOCK}"),
    re.compile(
        rf"{_BEFORE}{_OPEN}(?P<year>\d\d)(?P<mon>\d\d)(?P<day>\d\d) {{1,2}}"
        r"(?P<h>[01]\d|2[0-3])(?P<colon>:?)(?P<m>[0-5]\d)(?P=colon)(?P<s>[0-5]\d|60)(?P<f>[.,]\d{1,9})?(?!\d)"
    ),
    re.compile(rf"{_BEFORE}{_OPEN}(?P<year>\d\d)/(?P<mon>\d\d)/(?P<day>\d\d) {_CLOCK}"),
    re.compile(rf"{_OPEN}(?P<mon>\d\d)[-.](?P<day>\d\d) {_CLOCK}"),
    re.compile(rf"{_OPEN}(?P<day>\d\d?)[./](?P<mon>\d\d?)[./](?P<year>\d{{4}})[ T,]{{1,2}}{_CLOCK}"),
    re.compile(rf"{_BEFORE}{_OPEN}{_CLOCK}(?![\d:])(?!.{{0,14}}-->)"),
)
_ACCESS = re.compile(rf"\[(?P<day>\d\d)/{_MONTH}/(?P<year>\d{{4}}):{_CLOCK} ?(?P<zone>[+-]\d{{4}})?\]")
_EPOCH = re.compile(rf"{_BEFORE}{_OPEN}(?P<epoch>[1-3]\d{{9}}(?:\.\d{{1,9}})?|\d{{13}}|\d{{16}})(?=[\])\"'\s,:;|])")
_FIELD = re.compile(r"(?:^|[\s,;])@?(?:ts|time|timestamp|datetime)=[\"']?", re.IGNORECASE)
_EPOCH_VALUE = re.compile(r"(?P<epoch>[1-3]\d{9}(?:\.\d{1,9})?|\d{13}|\d{16})(?!\d)")
_HINT = re.compile(r"\d:[0-5]?\d:|\d{10}|\d{6} \d{6}")  # every form has a clock time or an epoch time
_TIME_KEYS = ("ts", "time", "timestamp", "@timestamp", "datetime", "date", "asctime", "t")


@dataclass(frozen=True, slots=True)
class Stamp:
    """A parsed time. ``seconds``: since 1970, in UTC where the stamp has a zone, else by the log's own clock.

    ``iso``: in ISO 8601, in the stamp's own zone, without a year or date where it has none. ``period``: seconds after
    which the stamp repeats: a day without a date, a year without a year, 0 for a full date.
    """

    seconds: float
    iso: str
    period: float = 0.0


def read_stamp(line: str) -> Stamp | None:
    """The time stamp that a log line begins with; ``None`` without one.

    >>> [read_stamp(line).iso for line in ("2026-11-21T18:10:07.5+01:00 up", "Nov 21 18:10:07 host cron[7]: up")]
    ['2026-11-21T18:10:07.5+01:00', '11-21T18:10:07']
    >>> read_stamp('1.2.3.4 - - [21/Nov/2026:18:10:07 +0000] "GET /"').iso, read_stamp('{"ts": 1795284607}').iso
    ('2026-11-21T18:10:07+00:00', '2026-11-21T18:10:07Z')
    >>> [read_stamp(line).iso for line in ("26/11/21 18:10:07 INFO up", "a.log:7:20261121-18:10:07 up")]
    ['2026-11-21T18:10:07', '2026-11-21T18:10:07']
    >>> read_stamp("On 2026-11-21 18:10:07 we met."), read_stamp("2026-11-21 we met.")
    (None, None)
    """
    if line.startswith("{"):
        fields = json_fields(line)
        return _of_fields(fields) if fields else None
    head = line[:HEAD]
    if not _HINT.search(head):
        return None
    for form in _FORMS:
        if match := form.match(head):
            return _of_match(match)
    if match := _EPOCH.match(head):
        return _of_epoch(match["epoch"])
    if (match := _ACCESS.search(head)) and "," not in head[: match.start()]:
        return _of_match(match)
    if match := _FIELD.search(head):
        return _of_value(head[match.end() :])
    return None


def json_fields(line: str) -> Mapping[str, object] | None:
    """The object on a JSON line; ``None`` where the line is no JSON object."""
    if len(line) > _LONGEST_JSON or not line.rstrip().endswith("}"):
        return None
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _of_fields(fields: Mapping[str, object]) -> Stamp | None:
    for key in _TIME_KEYS:
        value = fields.get(key)
        if isinstance(value, str) and (found := _of_value(value[:HEAD])):
            return found
        if isinstance(value, int | float) and not isinstance(value, bool) and (found := _of_epoch(f"{value:f}")):
            return found
    return None


def _of_value(value: str) -> Stamp | None:
    """The stamp that a field's value begins with."""
    for form in _FORMS:
        if match := form.match(value):
            return _of_match(match)
    return _of_epoch(match["epoch"]) if (match := _EPOCH_VALUE.match(value)) else None


def _of_epoch(digits: str) -> Stamp | None:
    whole, _, fraction = digits.partition(".")
    seconds = int(whole) / 10 ** max(0, len(whole) - 10) if len(whole) in {10, 13, 16} else 0.0
    seconds += float(f"0.{fraction}") if fraction and len(whole) == 10 else 0.0
    if not _EARLIEST <= seconds < _LATEST:
        return None
    moment = datetime.fromtimestamp(seconds, UTC)
    fraction = f"{seconds % 1:.3f}"[1:].rstrip("0").rstrip(".")
    return Stamp(seconds, f"{moment:%Y-%m-%dT%H:%M:%S}{fraction}Z")


def _of_match(match: re.Match[str]) -> Stamp | None:
    """The stamp of a match of ``_FORMS`` or ``_ACCESS``; ``None`` for an invalid date."""
    parts = match.groupdict()
    hour, minute, second = int(parts["h"]), int(parts["m"]), min(59, int(parts["s"]))
    fraction = (parts["f"] or "").replace(",", ".").rstrip("0").rstrip(".")
    clock = f"{hour:02}:{minute:02}:{parts['s']:>02}{fraction}"
    time_of_day = hour * 3600 + minute * 60 + second + (float(f"0{fraction}") if fraction else 0.0)
    month = int(parts["mon"]) if parts.get("mon") else month_of((parts.get("month") or "").lower())
    if not month:
        return Stamp(time_of_day, clock, DAY)
    year = int(parts.get("year") or _LEAP_YEAR)
    try:
        day = datetime(year if year > 99 else 2000 + year, month, int(parts["day"]), tzinfo=UTC)
    except ValueError:
        return None
    utc_offset, zone = _zone(parts.get("zone") or "")
    seconds = day.timestamp() + time_of_day - utc_offset
    if not parts.get("year"):
        return Stamp(seconds, f"{day:%m-%d}T{clock}{zone}", 366 * DAY)
    return Stamp(seconds, f"{day:%Y-%m-%d}T{clock}{zone}")


def _zone(written: str) -> tuple[float, str]:
    """The UTC offset in seconds, and the zone in ISO 8601; (0.0, "") without a valid zone."""
    if written[:1] not in {"+", "-"}:
        return 0.0, "Z" if written else ""
    digits = written[1:].replace(":", "")
    minutes = int(digits[:2]) * 60 + int(digits[2:])
    if minutes >= 24 * 60:
        return 0.0, ""
    shift = timedelta(minutes=minutes if written[0] == "+" else -minutes)
    return shift.total_seconds(), f"{written[0]}{digits[:2]}:{digits[2:]}" if timezone(shift) else ""
