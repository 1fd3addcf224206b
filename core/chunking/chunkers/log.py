"""Logs: sessions as parents, windows of minutes as leaves, entries whole where they fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.chunking.chunkers.structure import structure
from core.chunking.plan import ChunkingContext, Plan
from core.chunking.signals.log_lines import Entry, log_entries, sessions, tickets, windows
from core.chunking.units import Unit, by_units, planned
from core.text.spans import touching
from core.types import BlockKind

_FEWEST = 2
_TAKEN = frozenset(BlockKind) - {BlockKind.HEADING, BlockKind.TABLE, BlockKind.FRONT_MATTER, BlockKind.FURNITURE}


def log(context: ChunkingContext) -> Plan:
    """Sessions (by id, or by a silence of ``log_gap_minutes``), in each windows of ``log_minutes``, in those entries.

    An entry is a stamped line with what continues it, such as a stack trace; one that is larger than a leaf is cut at
    its lines. Windows that hold more than ``max_tokens`` are several leaves. A chunk is one stretch of the text, so
    sessions whose entries interleave cannot be chunks: time alone decides then, and a note says so; each chunk names
    the sessions it has entries of, and what is read may bring the others (``expansion.brings``). Metadata: the sessions
    and tickets, first and last time and levels in a chunk. Windows of 5 to 15 minutes within sessions are what the
    practice of log anomaly detection groups by (He et al., "Experience Report: System Log Analysis for Anomaly
    Detection", ISSRE 2016: fixed, sliding and session windows).
    """
    text, settings = context.document.text, context.settings
    entries = [entry for region in context.regions for entry in log_entries(text, region.start, region.end)]
    if len(entries) < _FEWEST:
        return structure(context).instead("structure", "this text has no lines that begin with a time")
    found = sessions(entries, settings.log_gap_minutes)
    window = windows(entries, found, settings.log_minutes)
    units = [
        Unit(entry.start, entry.end, "log entry", why=why, parent_why=first)
        for entry, why, first in zip(entries, window, found.first, strict=True)
    ]

    def metadata(start: int, end: int) -> Mapping[str, tuple[str, ...]]:
        within = touching(entries, start, end)
        return _described(entries[within], found.names[within], tickets(text, start, end))

    return planned(context, by_units(context, units, _TAKEN), metadata, (found.note,))


def _described(held: Sequence[Entry], names: Sequence[str], cases: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    if not held:
        return {}
    told = {
        "session": tuple(dict.fromkeys(filter(None, names))),
        "ticket": cases,
        "first_time": (held[0].iso,),
        "last_time": (held[-1].iso,),
        "levels": tuple(dict.fromkeys(entry.level for entry in held if entry.level)),
    }
    return {name: values for name, values in told.items() if values}
