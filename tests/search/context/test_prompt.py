"""The prompt: what stands above a passage is said once, counted, and belongs to the text below it."""

from __future__ import annotations

import pytest

from core.search.context import filling
from core.search.context.assembling import assemble
from core.search.context.prompt import INSTRUCTION, render_prompt
from core.search.expansion.growth import Extent
from core.settings import AssemblySettings
from core.types import PrefixPart, Span
from tests.search.context.worlds import world_of

HEADER = "| zone | fee |\n| --- | --- |"
ROWS = [f"| {zone} | {fee} |" for zone, fee in zip("ABCDEFGHIJ", range(10, 20), strict=True)]
AFTER = "Fees hold for a year."
TABLE = "\n".join([HEADER, *ROWS]) + f"\n\n{AFTER}"
SECOND = TABLE.index(ROWS[5])
PREFIX = (PrefixPart("title", "Fees"), PrefixPart("table_header", HEADER, Span(0, len(HEADER))))


@pytest.fixture
def rates():
    """A table in two leaves; the second begins inside it, and goes on behind it."""
    leaves = [(0, 0, SECOND - 1, 0), (0, SECOND, len(TABLE), 0)]
    return world_of([TABLE], leaves, prefixes={1: PREFIX})


def made_of(world, start, end, budget, child=1):
    made = assemble(world.ranking, [Extent(child, 0, start, end, "", 1.0)], budget, world, AssemblySettings())
    return made, render_prompt("Which fee?", made.passages)


@pytest.mark.parametrize("start", [SECOND, TABLE.index(ROWS[7])])
def test_a_passage_that_begins_inside_a_table_has_its_header_above(rates, counter, start):
    made, prompt = made_of(rates, start, TABLE.index(AFTER) - 2, filling.token_budget(400, counter))
    line = "[1] Document 0 › Part"
    assert f"\n{HEADER}\n{TABLE[start : TABLE.index(AFTER) - 2]}\n\nQuestion: Which fee?" in prompt
    assert prompt.startswith(f"{INSTRUCTION}\n\n{line}")
    body = prompt.removeprefix(f"{INSTRUCTION}\n\n").removesuffix("\n\nQuestion: Which fee?")
    assert made.used == counter.count([body])[0], "and it is counted"


def test_a_passage_that_begins_behind_the_table_or_holds_its_header_has_none_above(rates, counter):
    budget = filling.token_budget(400, counter)
    for start, child in ((TABLE.index(AFTER), 1), (0, 0)):
        made, prompt = made_of(rates, start, len(TABLE), budget, child)
        assert prompt.count(HEADER) == (start == 0)
        assert all(part.kind == "title" for part in made.passages[0].prefix)


def test_the_header_takes_its_room(rates, counter):
    end = TABLE.index(AFTER) - 2
    whole, _ = made_of(rates, SECOND, end, filling.token_budget(400, counter))
    assert made_of(rates, SECOND, end, filling.token_budget(whole.used, counter))[0].passages[0].end == end
    less, _ = made_of(rates, SECOND, end, filling.token_budget(whole.used - 1, counter))
    assert all(passage.end < end for passage in less.passages)


@pytest.mark.parametrize("kind", ["signature", "speaker"])
def test_a_signature_and_a_speaker_stand_above_what_was_parted_from_them_and_nowhere_else(kind, counter):
    text = "    return flour\n\n    # and so on for rye\n    return rye"
    said = {0: (PrefixPart(kind, "def grind(wheat):"),)}
    world = world_of([text], [(0, 0, len(text), 0)], prefixes=said)
    budget = filling.token_budget(200, counter)
    assert "def grind(wheat):\n    return" in made_of(world, 0, len(text), budget, 0)[1]
    assert "def grind" not in made_of(world, text.index("return rye"), len(text), budget, 0)[1]


def test_characters_count_the_text_alone(rates):
    made, prompt = made_of(rates, SECOND, len(TABLE), filling.character_budget(10_000))
    assert made.used == len(TABLE) - SECOND
    assert HEADER in prompt, "though the reader still gets the header"
