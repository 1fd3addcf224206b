"""Single sentences as what fills the room: the same laws as of passages, and the better sentence first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.search.context import filling
from core.search.context.candidates import SMALL, sentence_candidates
from core.search.context.prompt import arrange
from core.search.expansion.expanding import expand
from core.search.expansion.growth import Extent
from core.settings import ORDERS, AssemblySettings, ExpansionSettings
from core.text.sentences import is_in_sentences, sentence_spans
from core.types import Span
from tests.search.context.test_context import filled
from tests.search.context.worlds import SAYINGS, repeating_worlds, world_of, worlds

TALK = (
    "Ada: I think that the mill should grind wheat first. Rye can wait for a day.",
    "Ben: We have more rye than wheat, though. I would begin with it.",
    "Ada: The baker asked for wheat. He was here this morning, you know.",
    "Ben: Then wheat it is. Shall I tell him that it comes tomorrow?",
    "Ada: Please do. And ask him how many sacks he wants this time.",
    "Ben: I will. Last week it was nine, and that was too few.",
)
SENTENCES = AssemblySettings(unit="sentences")
EXPANSIONS = st.builds(ExpansionSettings, st.sampled_from(["flat", "parent"]), st.floats(0.01, 1))


@given(worlds() | repeating_worlds(), EXPANSIONS, st.integers(1, 1500), st.booleans(), st.sampled_from(ORDERS))
def test_laws(counter, world, expansion, amount, in_tokens, order):
    budget = filling.token_budget(50 + amount // 4, counter) if in_tokens else filling.character_budget(amount)
    extents, made = filled(world, expansion, budget, SENTENCES)
    assert made.used == sum(passage.tokens for passage in made.passages) <= amount + 50
    assert made.used <= budget.amount
    assert [passage.rank for passage in made.passages] == list(range(1, len(made.passages) + 1))
    read = set()
    for passage in made.passages:
        document = world.ranking.leaves.version_ids.index(passage.version_id)
        assert passage.text == world.texts[document][passage.start : passage.end]
        places = {(document, place) for place in range(passage.start, passage.end)}
        assert not places & read, "never a character twice"
        read |= places
        assert all(Span(passage.start, passage.end).contains(child) for child in passage.children)
    shown = {chunk for passage in made.passages for chunk in passage.chunk_ids}
    assert list(made.fates) == [extent.child for extent in extents]
    for child, fate in made.fates.items():
        assert (fate == "kept") == (f"chunk-{child}" in shown)
    assert sorted(arrange(made.passages, order), key=lambda item: item.rank) == list(made.passages)
    assert made == filled(world, expansion, budget, SENTENCES)[1], "the same every time"


@given(repeating_worlds(), EXPANSIONS)
def test_with_room_for_all_the_same_text_is_read(world, expansion):
    budget = filling.character_budget(10**6)
    _, whole = filled(world, expansion, budget)
    _, single = filled(world, expansion, budget, SENTENCES)

    def read(made):
        return {
            (passage.version_id, place)
            for passage in made.passages
            for place in range(passage.start, passage.end)
            if not passage.text[place - passage.start].isspace()
        }

    assert read(single) == read(whole)


@given(repeating_worlds(), EXPANSIONS)
def test_each_sentence_is_a_candidate_once_the_best_first(world, expansion):
    leaves = world.ranking.leaves
    extents = expand(world.ranking, expansion, leaves.ends - leaves.starts, 1500, world)
    candidates = [one for one in sentence_candidates(world.ranking, extents, world) if one.is_sentence]
    assert len({(candidate.document, candidate.core) for candidate in candidates}) == len(candidates)
    relevances = [candidate.relevance for candidate in candidates]
    assert relevances == sorted(relevances, reverse=True)


def test_a_sentence_is_raised_by_its_own_words_and_its_neighbours():
    text = " ".join(SAYINGS)
    world = world_of([text], [(0, 0, len(text), -1)])
    spans = sentence_spans(text)
    ranking = replace(world.ranking, question=text[spans[2].start : spans[2].end])
    candidates = sentence_candidates(ranking, [Extent(0, 0, 0, len(text), "", 1.0)], world)
    order = [spans.index(candidate.core) for candidate in candidates]
    assert order[0] == 2
    assert set(order[1:3]) == {1, 3}, "then its neighbours"


@given(worlds(), st.integers(50, 800))
def test_what_is_no_prose_is_read_as_passages_are(world, amount):
    """Where no extent is prose, both units give the same."""
    budget = filling.character_budget(amount)
    extents, whole = filled(world, ExpansionSettings("parent"), budget)
    texts = [(world.texts[extent.document], Span(extent.start, extent.end)) for extent in extents]
    if any(is_in_sentences(text, span) for text, span in texts):
        return
    _, single = filled(world, ExpansionSettings("parent"), budget, SENTENCES)
    assert [(item.version_id, item.start, item.end) for item in single.passages] == [
        (item.version_id, item.start, item.end) for item in whole.passages
    ]


@given(repeating_worlds(), EXPANSIONS, st.integers(50, 1500))
def test_code_stays_whole_however_much_of_it_is_comments(world, expansion, amount):
    listings, budget = replace(world, sort="code"), filling.character_budget(amount)
    assert filled(listings, expansion, budget, SENTENCES)[1] == filled(listings, expansion, budget)[1]


@given(st.integers(50, 1500), st.integers(0, len(TALK) - 1))
def test_what_people_say_in_turns_stays_whole(amount, first):
    said = [*TALK[first:], *TALK[:first]]
    text = "\n".join(said)
    ends = np.cumsum([len(turn) + 1 for turn in said]) - 1
    starts = [0, *(ends[:-1] + 1)]
    world = world_of([text], [(0, int(start), int(end), -1) for start, end in zip(starts, ends, strict=True)])
    assert all(is_in_sentences(text, Span(int(start), int(end))) for start, end in zip(starts, ends, strict=True))
    budget = filling.character_budget(amount)
    _, single = filled(world, ExpansionSettings("flat"), budget, SENTENCES)
    assert single == filled(world, ExpansionSettings("flat"), budget)[1]


@given(repeating_worlds(), st.integers(900, 1100))
def test_auto_is_sentences_up_to_a_small_budget_and_passages_beyond(world, amount):
    budget = filling.character_budget(amount)
    expected = SENTENCES if amount <= SMALL["characters"] else None
    _, auto = filled(world, ExpansionSettings("parent"), budget, AssemblySettings(unit="auto"))
    assert auto == filled(world, ExpansionSettings("parent"), budget, expected)[1]
