"""Conversations: leaves of whole turns, a question beside its answer, long turns under their speaker's name."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from core.chunking.atoms import Atom
from core.chunking.chunkers.structure import structure
from core.chunking.packing import Row, pack
from core.chunking.plan import ChunkingContext, Plan
from core.chunking.signals.turns import Turn, find_turns
from core.chunking.units import Covering, Unit, by_units, planned
from core.text.spans import trim
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
    covering = Covering([Span(turn.start, turn.end) for turn in turns])

    def metadata(start: int, end: int) -> Mapping[str, tuple[str, ...]]:
        held = [turns[at] for at in covering.of(start, end)]
        times = [turn.time for turn in held if turn.time]
        told = {
            "speaker": tuple(dict.fromkeys(turn.speaker for turn in held if turn.speaker)),
            "first_time": tuple(times[:1]),
            "last_time": tuple(times[-1:]),
        }
        return {name: values for name, values in told.items() if values}

    return planned(context, by_units(context, units), metadata, adjust=_Limiter(context, turns, covering).limit)


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


class _Limiter:
    """Forces leaves to begin so that none holds more than ``conversation_turns`` turns."""

    def __init__(self, context: ChunkingContext, turns: Sequence[Turn], covering: Covering) -> None:
        self._context = context
        self._most = context.settings.conversation_turns
        self._counted = {turn.start for turn in turns if turn.counts and turn.speaker}
        self._turns = covering

    def limit(self, atoms: list[Atom]) -> None:
        """Sets the ``why`` of the atoms at which runs of turns are best cut; what is no turn is left alone."""
        first = 0
        for at in range(len(atoms) + 1):
            if at == len(atoms) or not self._turns.of(atoms[at].start, atoms[at].end):
                self._limit_run(atoms[first:at])
                first = at + 1

    def _limit_run(self, run: list[Atom]) -> None:
        counted = [atom.start in self._counted for atom in run]
        if sum(counted) <= self._most:
            return  # sizes alone decide
        context, rows = self._context, list[Row]()
        for atom in run:
            room = context.room(atom.heading, atom.header, kind=atom.header_kind)
            begin, finish = context.tokens.index(atom.start), context.tokens.index(atom.end)
            rows.append(Row(begin, finish, max(1, room - context.overlap(room)), atom.cut))
        for (first, last), (at, _) in pairwise(pack(rows, counted, self._most)):
            full = sum(counted[first:last]) >= self._most
            early = f"a {run[at].what} starts here, and no more fits before it"
            run[at].why = f"{self._most} turns make a leaf" if full else early
