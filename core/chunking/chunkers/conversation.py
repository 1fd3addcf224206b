"""Conversations: leaves of whole turns, a question beside its answer, long turns under their speaker's name."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from itertools import groupby, pairwise

from core.chunking.atoms import Atom
from core.chunking.chunkers.structure import structure
from core.chunking.packing import Row, pack
from core.chunking.plan import ChunkingContext, Plan
from core.chunking.signals.turns import Turn, find_turns
from core.chunking.units import Unit, by_units, planned
from core.text.spans import touching, trim
from core.types import BlockKind, Span

_CUT_ANSWER = 3.0  # before an answer: dearer than two leaves more


def conversation(context: ChunkingContext) -> Plan:
    """Runs of whole turns, at most ``conversation_turns`` of them and ``max_tokens``; the rest by ``structure``.

    A backchannel ("Mm-hm.") is heard but does not count as a turn (Yngve, "On getting a word in edgewise", CLS 1970).
    A question stays with the beginning of its answer where both fit: adjacency pairs are the unit of conversation
    (Sacks, Schegloff and Jefferson, "A simplest systematics for the organization of turn-taking", Language 50, 1974).
    A turn larger than a leaf is cut at its sentences, and each part names its speaker in a prefix part. Metadata:
    speakers and times of a chunk.
    """
    turns = [turn for region in context.regions for turn in _under_headings(context, region)]
    if not turns:
        return structure(context).instead("structure", "this text has no speakers who take turns")
    units = _units(turns)

    def metadata(start: int, end: int) -> Mapping[str, tuple[str, ...]]:
        held = turns[touching(turns, start, end)]
        times = [turn.time for turn in held if turn.time]
        told = {
            "speaker": tuple(dict.fromkeys(turn.speaker for turn in held if turn.speaker)),
            "first_time": tuple(times[:1]),
            "last_time": tuple(times[-1:]),
        }
        return {name: values for name, values in told.items() if values}

    return planned(context, by_units(context, units), metadata, adjust=partial(_limit, context, turns))


def _under_headings(context: ChunkingContext, region: Span) -> list[Turn]:
    """The turns of one region; a heading ends the turn before it."""
    text = context.document.text
    headings = [block.start for block in context.document.blocks if block.kind == BlockKind.HEADING]
    turns: list[Turn] = []
    for turn in find_turns(text, region.start, region.end):
        at = bisect_right(headings, turn.start)
        inside = at < len(headings) and headings[at] < turn.end
        span = trim(text, turn.start, headings[at]) if inside else None
        turns.append(replace(turn, end=max(turn.body, span.end)) if span else turn)
    return turns


def _units(turns: Sequence[Turn]) -> list[Unit]:
    """Turns as units; an answer is dear to part from its question."""
    units: list[Unit] = []
    for at, turn in enumerate(turns):
        answers = at > 0 and turns[at - 1].asks and turn.speaker != turns[at - 1].speaker
        label = turn.label if turn.speaker else None
        units.append(Unit(turn.start, turn.end, "turn", _CUT_ANSWER if answers else 0.0, label=label))
    return units


def _limit(context: ChunkingContext, turns: Sequence[Turn], atoms: list[Atom]) -> None:
    """Forces leaves to begin at the atoms at which runs of turns are best cut, so that none holds more than
    ``conversation_turns`` of them; what is no turn is left alone.
    """
    counted = {turn.start for turn in turns if turn.counts and turn.speaker}
    for is_turn, run in groupby(atoms, key=lambda atom: bool(turns[touching(turns, atom.start, atom.end)])):
        if is_turn:
            _limit_run(context, counted, list(run))


def _limit_run(context: ChunkingContext, counting: Set[int], run: list[Atom]) -> None:
    most, counted = context.settings.conversation_turns, [atom.start in counting for atom in run]
    if sum(counted) <= most:
        return  # sizes alone decide
    rows: list[Row] = []
    for atom in run:
        room = context.room(atom.heading, atom.header, kind=atom.header_kind)
        begin, finish = context.tokens.index(atom.start), context.tokens.index(atom.end)
        rows.append(Row(begin, finish, max(1, room - context.overlap(room)), atom.cut))
    for (first, last), (at, _) in pairwise(pack(rows, counted, most)):
        full = sum(counted[first:last]) >= most
        early = f"a {run[at].what} starts here, and no more fits before it"
        run[at].why = f"{most} turns make a leaf" if full else early
