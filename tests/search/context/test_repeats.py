"""Repeated sentences: each once in a context, and every passage still the text as it stands."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.search.context import filling
from core.search.context.filling import fresh, said
from core.settings import AssemblySettings, ExpansionSettings
from core.text.sentences import sentence_spans
from core.text.spans import merge_spans
from core.types import Span
from tests.search.context.test_context import check, filled
from tests.search.context.worlds import SAYINGS, repeating_worlds

ONCE = AssemblySettings(drop_repeats=True)
EXPANSIONS = st.builds(ExpansionSettings, st.sampled_from(["flat", "parent"]), st.floats(0.01, 1))


def sayings(text):
    """What the long sentences of a text say, each as often as it does."""
    found = (said(text[span.start : span.end]) for span in sentence_spans(text))
    return [words for words in found if words]


@given(repeating_worlds(), EXPANSIONS, st.integers(1, 1500), st.booleans())
def test_no_sentence_is_read_in_two_passages(counter, world, expansion, amount, in_tokens):
    budget = filling.tokens(50 + amount // 4, counter) if in_tokens else filling.characters(amount)
    _, made = filled(world, expansion, budget, ONCE)
    assert made.used <= budget.amount
    told = set()
    for passage in made.passages:
        document = world.ranking.leaves.version_ids.index(passage.version_id)
        assert passage.text == world.texts[document][passage.start : passage.end]
        says = set(sayings(passage.text))
        assert not says & told
        told |= says


@given(repeating_worlds(), EXPANSIONS)
def test_with_room_for_all_nothing_is_lost_but_repetitions(world, expansion):
    extents, whole = filled(world, expansion, filling.characters(10**6))
    _, once = filled(world, expansion, filling.characters(10**6), ONCE)
    said_whole = {words for passage in whole.passages for words in sayings(passage.text)}
    said_once = {words for passage in once.passages for words in sayings(passage.text)}
    # What stands around a child goes with it where better passages say all of the child.
    around = {
        words
        for extent in extents
        if "better passages say all of it" in once.fates[extent.child]
        for words in sayings(world.texts[extent.document][extent.start : extent.end])
    }
    assert said_once <= said_whole <= said_once | around
    leaves = world.ranking.leaves
    for extent in extents:
        child = world.texts[extent.document][leaves.starts[extent.child] : leaves.ends[extent.child]]
        assert set(sayings(child)) <= said_once
    shown = {chunk for passage in once.passages for chunk in passage.chunk_ids}
    for extent in extents:
        fate = once.fates[extent.child]
        assert (fate == "kept") == (f"chunk-{extent.child}" in shown)
        assert fate == "kept" or "better passages say all of it" in fate or "beside it" in fate


@given(repeating_worlds(), EXPANSIONS, st.integers(1, 1500))
def test_off_is_as_if_it_were_not_there(world, expansion, amount):
    budget = filling.characters(amount)
    extents, made = filled(world, expansion, budget)
    check(world, extents, made, budget)


@given(st.lists(st.sampled_from((*SAYINGS, "Yes.")), max_size=8), st.sets(st.sampled_from(SAYINGS)))
def test_parts_hold_what_is_new_and_nothing_twice(sentences, known):
    text = " ".join(sentences)
    read = {said(sentence) for sentence in known}
    parts, new = fresh(text, Span(0, len(text)), read)
    covered = sum(part.length for part in merge_spans(parts))
    assert covered == sum(part.length for part in parts), "parts do not overlap"
    told = [sayings(text[part.start : part.end]) for part in parts]
    assert {words for part in told for words in part} == new == set(sayings(text)) - read
    assert sum(len(set(part)) for part in told) == len(new), "each in one part alone"
    if not read:
        assert not text or covered == len(text), "what a passage repeats by itself stays"


def test_what_is_read_at_the_same_place_is_no_repetition():
    text = " ".join(SAYINGS[:3])
    held = Span(0, len(SAYINGS[0]))
    parts, _ = fresh(text, Span(0, len(text)), {said(SAYINGS[0])}, held.contains)
    assert parts == [Span(0, len(text))]
