"""What passages bring from elsewhere: each kind finds what a person would look for, once, in half of the share."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.search.expansion.expanding import expand
from core.settings import BRINGS, ExpansionSettings
from core.types import Span
from tests.search.expansion.worlds import World, ranking_of, table, worlds

TALK = "Ada: When does the lock open?\n\nBob: At nine, on weekdays.\n\nAda: Good.\n\nBob: And it shuts at six.\n"
PROSE = "The weir was built in 1650. It holds back the river for two miles.\n\nNobody knows who paid for it then.\n"
CONTRACT = 'The "Rent" means five hundred a month.\n\nNothing here matters.\n\nThe Lessee pays the Rent at once.\n'
LOG = (
    "10:00:01 INFO request=a1 order taken\n10:00:02 INFO request=b2 order taken\n10:00:03 INFO request=c3 taken\n"
    "10:00:04 ERROR request=a1 card declined\n10:00:05 INFO request=b2 shipped\n"
)


def world_of(text, found, kind="md", question="q"):
    """A document cut at blank lines (a log: at each line), of which the leaf that holds ``found`` was retrieved."""
    parted = text.split("\n" if kind == "log" else "\n\n")
    rows, at = [], 0
    for part in parted:
        start = text.index(part, at)
        at = start + len(part)
        if part.strip():
            rows.append((0, start, at, 0))
    scores = [1.0 if found in text[start:end] else 0.0 for _, start, end, _ in rows]
    ranking = replace(ranking_of(table(rows), scores, [scores.index(1.0)]), question=question)

    class Read(World):
        def kind(self, document):
            return kind

    return Read((text,), ranking, ((),) * len(rows), {})


def brought(world, kind, budget=4000):
    settings = ExpansionSettings("flat", brings=(kind,))
    leaves = world.ranking.leaves
    extents = expand(world.ranking, settings, leaves.ends - leaves.starts, budget, world)
    return [world.texts[one.document][one.start : one.end] for one in extents[1:]]


@pytest.mark.parametrize(
    ("kind", "world", "wanted"),
    [
        ("question", world_of(TALK, "At nine"), ["Ada: When does the lock open?"]),
        ("question", world_of(TALK, "When does"), []),
        ("definitions", world_of(CONTRACT, "Lessee pays"), ['The "Rent" means five hundred a month.']),
        ("definitions", world_of(CONTRACT, "Nothing here"), []),
        (
            "session",
            world_of(LOG, "a1 card", kind="log", question="card declined"),
            ["10:00:01 INFO request=a1 order taken"],
        ),
        ("session", world_of(PROSE, "Nobody knows"), []),
    ],
)
def test_each_kind_brings_what_a_person_would_look_for(kind, world, wanted):
    assert [" ".join(one.split()) for one in brought(world, kind)] == [" ".join(one.split()) for one in wanted]


@given(worlds(), st.integers(1, 900), st.sets(st.sampled_from(BRINGS)), st.sampled_from(["flat", "needed", "parent"]))
def test_companions_keep_to_their_room_and_leave_the_passages_alone(world, budget, kinds, strategy):
    leaves = world.ranking.leaves
    settings = ExpansionSettings(strategy, brings=tuple(sorted(kinds)))
    bare = expand(world.ranking, replace(settings, brings=()), leaves.tokens, budget, world)
    extents = expand(world.ranking, settings, leaves.tokens, budget, world)
    extra = [extent for extent in extents if extent not in bare]
    assert [extent for extent in extents if extent not in extra] == bare
    spans = [(one.document, Span(one.start, one.end)) for one in extra]
    for at, (document, span) in enumerate(spans):
        assert 0 <= span.start < span.end <= len(world.texts[document])
        assert not any(other == document and one.contains(span) for other, one in spans[:at]), "nothing twice"
    assert not extra or kinds, "nothing is brought where nothing is asked for"
