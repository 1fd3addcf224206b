"""Chunks conversations: leaves of whole turns; a question stays with its answer, parts of a turn name the speaker."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from itertools import groupby, pairwise

from core.chunking.atoms import Atom
from core.chunking.chunkers.structure import structure
from core.chunking.packing import PackItem, pack
from core.chunking.plan import ChunkingContext, Plan
from core.chunking.signals.series import skipped_spans
from core.chunking.signals.turns import Turn, find_turns
from core.chunking.units import Unit, atoms_by_units, plan_with_metadata
from core.text.spans import touching, trim
from core.types import BlockKind

_CUT_ANSWER = 3.0  # cost of a cut before an answer: more than two additional leaves


def conversation(context: ChunkingContext) -> Plan:
    """Leaves of whole turns, at most ``conversation_turns`` of them; text that is no turn is cut as in ``structure``.

    A backchannel ("Mm-hm.") does not count as a turn (Yngve, "On getting a word in edgewise", CLS 1970). A question
    stays with the beginning of its answer where both fit: adjacency pairs are the unit of conversation (Sacks,
    Schegloff and Jefferson, "A simplest systematics for the organization of turn-taking", Language 50, 1974). A turn
    larger than a leaf is cut at its sentences, and each part names the speaker in a prefix part. Metadata: a chunk's
    speakers, and its first and last time.
    """
    turns = _under_headings(context)
    if not turns:
        return structure(context).as_fallback("structure", "this text has no speakers who take turns")
    units = _units(turns)

    def metadata(start: int, end: int) -> Mapping[str, tuple[str, ...]]:
        touched = turns[touching(turns, start, end)]
        times = [turn.time for turn in touched if turn.time]
        facts = {
            "speaker": tuple(dict.fromkeys(turn.speaker for turn in touched if turn.speaker)),
            "first_time": tuple(times[:1]),
            "last_time": tuple(times[-1:]),
        }
        return {name: values for name, values in facts.items() if values}

    return plan_with_metadata(
        context, atoms_by_units(context, units), metadata, adjust=partial(_limit_turns, context, turns)
    )


def _under_headings(context: ChunkingContext) -> list[Turn]:
    """The turns, also over the edges of pages; a heading ends the turn before it."""
    text = context.document.text
    headings = [block.start for block in context.document.blocks if block.kind == BlockKind.HEADING]
    turns: list[Turn] = []
    for turn in find_turns(text, skipped=skipped_spans(context.document)):
        at = bisect_right(headings, turn.start)
        inside = at < len(headings) and headings[at] < turn.end
        span = trim(text, turn.start, headings[at]) if inside else None
        turns.append(replace(turn, end=max(turn.body, span.end)) if span else turn)
    return turns


def _units(turns: Sequence[Turn]) -> list[Unit]:
    """Turns as units, with a high cost for a cut between a question and its answer."""
    units: list[Unit] = []
    for at, turn in enumerate(turns):
        answers = at > 0 and turns[at - 1].asks and turn.speaker != turns[at - 1].speaker
        label = turn.label if turn.speaker else None
        units.append(Unit(turn.start, turn.end, "turn", _CUT_ANSWER if answers else 0.0, label=label))
    return units


def _limit_turns(context: ChunkingContext, turns: Sequence[Turn], atoms: list[Atom]) -> None:
    """Forces leaves to begin so that none has more than ``conversation_turns`` turns; other text is left alone."""
    starts = {turn.start for turn in turns if turn.counts and turn.speaker}
    for is_turn, run in groupby(atoms, key=lambda atom: bool(turns[touching(turns, atom.start, atom.end)])):
        if is_turn:
            _limit_turns_of_run(context, starts, list(run))


def _limit_turns_of_run(context: ChunkingContext, turn_starts: Set[int], run: list[Atom]) -> None:
    """The same for consecutive atoms of turns. ``turn_starts``: where the turns that count begin."""
    most, counted = context.settings.conversation_turns, [atom.start in turn_starts for atom in run]
    if sum(counted) <= most:
        return  # sizes alone decide
    items: list[PackItem] = []
    for atom in run:
        room = context.room(atom.heading, atom.header, kind=atom.header_kind)
        first_token, end_token = context.tokens.index(atom.start), context.tokens.index(atom.end)
        items.append(PackItem(first_token, end_token, max(1, room - context.overlap(room)), atom.cut))
    for (first, last), (following, _) in pairwise(pack(items, counted, most)):
        full = sum(counted[first:last]) >= most
        by_size = f"a {run[following].what} starts here, and no more fits before it"
        run[following].why = f"{most} turns make a leaf" if full else by_size
