"""Parses log entries (a line with a time stamp and the lines that continue it), and groups them by session and time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from core.chunking.signals.log_stamps import DAY, HEAD, LEVELS, Stamp, json_fields, read_stamp
from core.text.spans import line_bounds, trim
from core.types import Span

_LEVEL = re.compile(
    rf"(?<![\w.])(?:{LEVELS})(?![\w.])|(?<=level=)\w{{3,9}}|(?<=level=\")\w{{3,9}}|(?<=\[)(?:{LEVELS.lower()})(?=\])"
)
_GLOG = re.compile(r"([IWEF])\d{4} ")
_GLOG_LEVELS = {"I": "INFO", "W": "WARN", "E": "ERROR", "F": "FATAL"}
_SAME_LEVEL = {"WARNING": "WARN", "ERR": "ERROR", "CRIT": "CRITICAL"}
_ID_NAME = r"(?:session|sess|request|req|trace|correlation|transaction|connection|conn|conversation|job|task)"
_Id = tuple[str, re.Pattern[str]]
_IDS: tuple[_Id, ...] = (
    (
        "session",
        re.compile(r"\b(?:session|sess|sid)(?:[_-]?id)?[\"']?[=:][ \t\"']{0,3}([\w.:/+-]{2,64})", re.IGNORECASE),
    ),
    (
        "request",
        re.compile(
            rf"(?<![A-Za-z]){_ID_NAME}(?:[_-]?id)?[\"']?[=:][ \t\"']{{0,3}}([\w.:/+-]{{2,64}})"
            rf"|\[{_ID_NAME}[-_:/ ]([\w.-]{{2,64}})\]",
            re.IGNORECASE,
        ),
    ),
    ("id", re.compile(r"\b([0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12})\b")),
    (
        "thread",
        re.compile(
            r"\[((?:[\w.-]{0,40}-)?(?:thread|exec|worker|pool)[\w.-]{0,40})\]|\btid[=: ](\d{1,10})", re.IGNORECASE
        ),
    ),
)
# Ids of tickets: "OPS-1234", "ticket 881", "INC0012345"; no encodings, hashes and time zones.
_TICKET = re.compile(
    r"(?<![\w-])(?!(?:UTF|ISO|SHA|MD|HTTP|UTC|GMT|RFC|AES|RSA|TLS|IPV|CVE)-)[A-Z][A-Z0-9]{1,9}-\d{1,7}(?![\w-])"
    r"|(?<![\w-])(?:INC|CHG|PRB|REQ)\d{5,10}(?!\w)"
    r"|(?i:\b(?:ticket|incident|case)(?:[ _]?(?:id|no|number))?[ :=#]{1,3}\d{2,10}\b)"
)
_IDS_SAMPLE = 200  # entries; a kind of id that none of them has is not searched in the others
_ID_SAMPLE = 1000  # characters of an entry that are searched for ids
_JSON_SESSION = ("session", "session_id", "sessionId", "sid")
_JSON_REQUEST = ("request_id", "requestId", "req_id", "trace_id", "traceId", "correlation_id", "correlationId")
_NAMED_SHARE = 0.6  # the least share of entries with an id for sessions by id
_SESSION_ENTRIES = 4  # the least mean number of entries per session; shorter ones are single requests
_FIELD_SAMPLE, _FEWEST_LINES = 100, 8  # lines that are searched for the field of their stamps, and fewest of them
_FIELDS = 6  # blank-separated fields that are tried
_STAMPED_SHARE, _FIELD_SHARE = 0.5, 0.9  # of the lines: stamped at their beginning, or in one field
_ROLLOVER = 0.5  # of a stamp's period (a day or year): a step back this large is midnight or New Year


@dataclass(frozen=True, slots=True)
class Entry:
    """A log entry ``[start, end)``, trimmed. ``seconds``: its time, comparable within one log.

    ``iso``: the time as written, in ISO 8601. ``level``: upper case, "" for none. ``ids``: by kind of id.
    """

    start: int
    end: int
    seconds: float
    iso: str
    level: str
    ids: Mapping[str, str]


def log_entries(text: str, start: int = 0, end: int | None = None) -> list[Entry]:
    """The entries of ``[start, end)`` in order. A line without a time stamp continues the entry before it.

    Stamps are at the beginning of lines, or, where few lines begin with one, in the same field of nearly all lines.
    Lines before the first stamp belong to no entry. ``seconds`` of stamps without year or date keep rising past New
    Year and midnight.

    >>> text = "10:00:01 INFO up\\n10:00:02 ERROR down\\n  at main.c:7\\n"
    >>> [(text[one.start : one.end], one.iso, one.level) for one in log_entries(text)]
    [('10:00:01 INFO up', '10:00:01', 'INFO'), ('10:00:02 ERROR down\\n  at main.c:7', '10:00:02', 'ERROR')]
    """
    stop = len(text) if end is None else end
    bounds = [bound for bound in line_bounds(text, start, stop) if not text[bound[0]].isspace()]
    field = _stamp_field([text[at:line_end] for at, line_end in bounds[:_FIELD_SAMPLE]])
    heads = [(at, stamp) for at, line_end in bounds if (stamp := _stamp_in(text[at:line_end], field))]
    entries: list[Entry] = []
    seen_ids: list[_Id] = []
    shift, before = 0.0, 0.0
    for number, (begin, stamp) in enumerate(heads):
        span = trim(text, begin, heads[number + 1][0] if number + 1 < len(heads) else stop)
        if span is None:
            continue
        if stamp.period and entries and stamp.seconds + shift < before - _ROLLOVER * stamp.period:
            shift += stamp.period
        before = stamp.seconds + shift
        patterns = _IDS if number < _IDS_SAMPLE else seen_ids
        entry = Entry(span.start, span.end, before, stamp.iso, *_level_and_ids(text, span, patterns))
        if number < _IDS_SAMPLE:
            seen_ids = [one for one in _IDS if one in seen_ids or one[0] in entry.ids]
        entries.append(entry)
    return entries


def _stamp_field(lines: Sequence[str]) -> int:
    """The index of the blank-separated field in which nearly all lines have a date and time.

    0, the beginning, where many lines have a stamp there, or no field has one.

    >>> _stamp_field([f"- host{number} 2026-11-21 18:10:0{number} up" for number in range(8)])
    2
    """
    if len(lines) < _FEWEST_LINES or sum(map(bool, map(read_stamp, lines))) >= _STAMPED_SHARE * len(lines):
        return 0
    for field in range(1, _FIELDS):
        stamps = [_stamp_in(line, field) for line in lines]
        # A time of day alone, in the middle of a line, is too often another number.
        if sum(stamp is not None and stamp.period != DAY for stamp in stamps) >= _FIELD_SHARE * len(lines):
            return field
    return 0


def _stamp_in(line: str, field: int) -> Stamp | None:
    """The stamp that begins with this blank-separated field of the line."""
    fields = line[:HEAD].split(None, field)
    return read_stamp(line if not field else fields[field]) if len(fields) > field else None


def _level_and_ids(text: str, span: Span, patterns: Sequence[_Id]) -> tuple[str, dict[str, str]]:
    """The level of an entry, "" for none, and its ids by kind."""
    head = text[span.start : min(span.end, span.start + _ID_SAMPLE)]
    fields = json_fields(text[span.start : span.end]) if head.startswith("{") else None
    if fields is not None:
        level = fields.get("level") or fields.get("severity") or fields.get("levelname")
        ids = {
            kind: str(fields[key])
            for kind, keys in (("request", _JSON_REQUEST), ("session", _JSON_SESSION))
            for key in keys
            if isinstance(fields.get(key), str | int)
        }
        return _normal_level(level) if isinstance(level, str) else "", ids
    if match := _LEVEL.search(head[:HEAD]):
        level = match[0]
    else:
        level = _GLOG_LEVELS.get(glog[1], "") if (glog := _GLOG.match(head)) else ""
    ids = {kind: match[match.lastindex or 0] for kind, pattern in patterns if (match := pattern.search(head))}
    return _normal_level(level), ids


def _normal_level(written: str) -> str:
    """The level in upper case, with one name for each level."""
    upper = written.upper()[:12]
    return _SAME_LEVEL.get(upper, upper)


def tickets(text: str, start: int, end: int) -> tuple[str, ...]:
    """The ticket ids in ``[start, end)``, each once, as written.

    >>> tickets("OPS-12 reopened as ticket #881, in UTF-8; see OPS-12 and INC0012345.", 0, 68)
    ('OPS-12', 'ticket #881', 'INC0012345')
    """
    return tuple(dict.fromkeys(found.group() for found in _TICKET.finditer(text, start, end)))


def share_of_entries(text: str, entries: Sequence[Entry]) -> float:
    """The share of the unindented lines that begin an entry; 0 without any."""
    unindented = sum(1 for line in text.split("\n") if line[:1].strip())
    return len(entries) / unindented if unindented else 0.0


@dataclass(frozen=True, slots=True)
class Sessions:
    """The sessions of a log. ``begins``: for each entry the reason why a session begins with it, or "".

    ``names``: for each entry its session id, or ""; where sessions are made by time, ids may differ within one.
    ``is_timed``: whether windows of minutes make sense inside. ``note``: why sessions are not made by id, or not made
    at all; "" where there is nothing to say.
    """

    begins: tuple[str, ...]
    names: tuple[str, ...]
    is_timed: bool
    note: str


def sessions(entries: Sequence[Entry], gap_minutes: float) -> Sessions:
    """Sessions by id where most entries have one and sessions do not interleave, else by silences of ``gap_minutes``.

    Ids are tried in this order: session, request or trace, a bare UUID, thread. Where entries are usually further apart
    than the silence, the whole log is one session.
    """
    note = ""
    interleaved = [""] * len(entries)  # ids that most entries have, although no sessions can be made by them
    for kind in ("session", "request", "id", "thread"):
        named = [entry.ids.get(kind, "") for entry in entries]
        if sum(map(bool, named)) < _NAMED_SHARE * len(entries) or len(set(filter(None, named))) < 2:
            continue
        interleaved = interleaved if any(interleaved) else named
        names = _filled(named)
        runs = 1 + sum(one != other for one, other in pairwise(names))
        distinct = len(set(names))
        if runs * _SESSION_ENTRIES > len(entries) and distinct * _SESSION_ENTRIES > len(entries):
            continue
        if runs > 1.25 * distinct + 1:
            reason = f"windows of time alone: entries of {distinct} {kind} ids interleave, and a chunk is one stretch"
            note = note or reason
            continue
        begins = ["", *(f"{kind} {name} starts here" if name != before else "" for before, name in pairwise(names))]
        return Sessions(tuple(begins), tuple(names), True, "")
    gaps = [after.seconds - before.seconds for before, after in pairwise(entries)]
    silence = gap_minutes * 60
    if gaps and median(gaps) >= silence > 0:
        note = f"entries packed by size: they usually lie over {gap_minutes:g} minutes apart, so a silence says nothing"
        return Sessions(("",) * len(entries), tuple(interleaved), False, note)
    begins = ["", *(f"{gap / 60:.0f} minutes of silence lie here" if gap > silence > 0 else "" for gap in gaps)]
    return Sessions(tuple(begins[: len(entries)]), tuple(interleaved), True, note)


def _filled(names: Sequence[str]) -> list[str]:
    """The names with every "" replaced by the last name before it, or at the head by the first name."""
    filled: list[str] = []
    last = next(filter(None, names), "")
    for name in names:
        last = name or last
        filled.append(last)
    return filled


def windows(entries: Sequence[Entry], session: Sessions, minutes: float) -> list[str]:
    """For each entry the reason why a window of ``minutes`` begins with it, or ""; 0 minutes is off.

    Windows are counted from the first entry of each session.
    """
    reasons = [""] * len(entries)
    length = minutes * 60
    if not session.is_timed or length <= 0:
        return reasons
    window_start = entries[0].seconds if entries else 0.0
    for at, entry in enumerate(entries):
        if session.begins[at]:
            window_start = entry.seconds
        elif abs(entry.seconds - window_start) >= length:
            window_start += (entry.seconds - window_start) // length * length
            reasons[at] = f"a window of {minutes:g} minutes starts here"
    return reasons
