"""Chunks logs: parents are sessions, leaves are windows of minutes; entries are whole where they fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.chunking.chunkers.structure import structure
from core.chunking.plan import ChunkingContext, Plan
from core.chunking.signals.log_lines import Entry, log_entries, sessions, tickets, windows
from core.chunking.units import Unit, atoms_by_units, plan_with_metadata
from core.text.spans import touching
from core.types import BlockKind

_FEWEST_ENTRIES = 2
_LOG_KINDS = frozenset(BlockKind) - {BlockKind.HEADING, BlockKind.TABLE, BlockKind.FRONT_MATTER, BlockKind.FURNITURE}


def log(context: ChunkingContext) -> Plan:
    """Parents are sessions (by id, or by a silence of ``log_gap_minutes``), leaves windows of ``log_minutes``.

    An entry is a line with a time stamp and the lines that continue it, such as a stack trace; one larger than a
    leaf is cut at its lines. A window of more than ``max_tokens`` becomes several leaves. A chunk is one span of the
    text, so interleaved sessions cannot be chunks: time alone decides then, and a note says so. Metadata: sessions,
    tickets, first and last time and levels of a chunk; search may add the other chunks of a session
    (``expansion.brings``). Windows of 5 to 15 minutes within sessions are common in log anomaly detection (He et al.,
    "Experience Report: System Log Analysis for Anomaly Detection", ISSRE 2016).
    """
    text, settings = context.document.text, context.settings
    entries = [entry for region in context.regions for entry in log_entries(text, region.start, region.end)]
    if len(entries) < _FEWEST_ENTRIES:
        return structure(context).as_fallback("structure", "this text has no lines with a time stamp")
    by_session = sessions(entries, settings.log_gap_minutes)
    leaf_reasons = windows(entries, by_session, settings.log_minutes)
    units = [
        Unit(entry.start, entry.end, "log entry", why=why, parent_why=parent_why)
        for entry, why, parent_why in zip(entries, leaf_reasons, by_session.begins, strict=True)
    ]

    def metadata(start: int, end: int) -> Mapping[str, tuple[str, ...]]:
        within = touching(entries, start, end)
        return _facts(entries[within], by_session.names[within], tickets(text, start, end))

    return plan_with_metadata(context, atoms_by_units(context, units, _LOG_KINDS), metadata, (by_session.note,))


def _facts(entries: Sequence[Entry], names: Sequence[str], ticket_ids: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """A chunk's metadata. ``names``: the session of each entry, "" for none."""
    if not entries:
        return {}
    facts = {
        "session": tuple(dict.fromkeys(filter(None, names))),
        "ticket": ticket_ids,
        "first_time": (entries[0].iso,),
        "last_time": (entries[-1].iso,),
        "levels": tuple(dict.fromkeys(entry.level for entry in entries if entry.level)),
    }
    return {name: values for name, values in facts.items() if values}
