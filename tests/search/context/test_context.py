"""The laws of a context: never over the room, never a character twice, everything accounted for."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.search.context import filling
from core.search.context.assembling import SHORTEST_CUT, assemble
from core.search.context.filling import merge_span
from core.search.context.prompt import arrange, heading_line, render_prompt, widest_number
from core.search.expansion.expanding import expand
from core.settings import ORDERS, AssemblySettings, ExpansionSettings
from core.types import Span
from tests.search.context.worlds import worlds

EXPANSIONS = st.builds(ExpansionSettings, st.sampled_from(["flat", "parent"]), st.floats(0.01, 1))


def filled(world, expansion, budget, settings=None):
    leaves = world.ranking.leaves
    sizes = leaves.tokens if budget.unit == "tokens" else leaves.ends - leaves.starts
    extents = expand(world.ranking, expansion, sizes, budget.amount, world)
    settings = settings or AssemblySettings(unit="passages")  # small rooms are filled with sentences: test_sentences.py
    return extents, assemble(world.ranking, extents, budget, world, settings)


def check(world, extents, made, budget):
    leaves = world.ranking.leaves
    assert made.used <= budget.amount
    assert made.used == sum(passage.tokens for passage in made.passages)
    runs: dict[str, list[Span]] = {}
    for rank, passage in enumerate(made.passages, start=1):
        document = leaves.version_ids.index(passage.version_id)
        assert passage.rank == rank
        assert passage.text == world.texts[document][passage.start : passage.end]
        assert passage.text.strip()
        assert passage.document == leaves.titles[document]
        assert passage.source == leaves.names[document]
        assert passage.page == world.page(document, passage.start)
        assert len(passage.children) == len(passage.chunk_ids) >= 1
        assert all(Span(passage.start, passage.end).contains(child) for child in passage.children)
        runs.setdefault(passage.version_id, []).append(Span(passage.start, passage.end))
    for spans in runs.values():
        spans.sort()
        assert all(before.end <= after.start for before, after in pairwise(spans))
    assert list(made.fates) == [extent.child for extent in extents], "one fate for each child, best first"
    cut = [passage for passage in made.passages for child in passage.children if (child not in whole_spans(leaves))]
    assert len(cut) <= 1, "only where the budget ends is a child cut"
    shown = {chunk for passage in made.passages for chunk in passage.chunk_ids}
    for extent in extents:
        child = Span(int(leaves.starts[extent.child]), int(leaves.ends[extent.child]))
        spans = runs.get(leaves.version_ids[int(leaves.documents[extent.child])], [])
        inside = any(run.contains(child) for run in spans)
        kept = made.fates[extent.child] == "kept"
        assert kept == (f"chunk-{extent.child}" in shown)
        if inside:
            assert kept
        if kept and not inside:
            assert any(run.start <= child.start and run.end - child.start >= SHORTEST_CUT for run in spans)


def whole_spans(leaves):
    return {Span(int(start), int(end)) for start, end in zip(leaves.starts, leaves.ends, strict=True)}


@given(worlds(), EXPANSIONS, st.integers(1, 1200))
def test_laws_in_characters(world, expansion, amount):
    budget = filling.character_budget(amount)
    extents, made = filled(world, expansion, budget)
    check(world, extents, made, budget)
    assert sum(len(passage.text) for passage in made.passages) <= amount


@given(worlds(), EXPANSIONS, st.integers(50, 400), st.sampled_from(ORDERS))
def test_laws_in_tokens(counter, world, expansion, amount, order):
    budget = filling.token_budget(amount, counter)
    extents, made = filled(world, expansion, budget)
    check(world, extents, made, budget)
    arranged = arrange(made.passages, order)
    assert sorted(passage.rank for passage in arranged) == list(range(1, len(made.passages) + 1))
    prompt = render_prompt("a question", arranged)
    body = prompt.split("\n\n", 1)[1].removesuffix("Question: a question")
    assert counter.count([body])[0] <= amount, "the passages as they stand in the prompt"
    assert all(passage.text in prompt for passage in arranged)


@given(worlds(overlapping=False), EXPANSIONS, st.integers(1, 1200))
def test_without_overlap_kept_is_being_there(world, expansion, amount):
    budget = filling.character_budget(amount)
    extents, made = filled(world, expansion, budget)
    leaves = world.ranking.leaves
    for extent in extents:
        version = leaves.version_ids[int(leaves.documents[extent.child])]
        start = int(leaves.starts[extent.child])
        there = any(item.version_id == version and item.start <= start < item.end for item in made.passages)
        assert (made.fates[extent.child] == "kept") == there


@given(worlds(), st.integers(1, 1200))
def test_flat_passages_are_unions_of_retrieved_leaves(world, amount):
    budget = filling.character_budget(amount)
    _, made = filled(world, ExpansionSettings("flat"), budget)
    leaves = world.ranking.leaves
    spans = whole_spans(leaves)
    for passage in made.passages:
        if any(child not in spans for child in passage.children):
            continue  # the one that was cut
        document = leaves.version_ids.index(passage.version_id)
        assert join(world.texts[document], passage.children) == [Span(passage.start, passage.end)]


@given(worlds(overlapping=False), st.integers(1, 1200))
def test_a_passage_of_several_chunks_does_not_say_that_it_is_one_alone(world, amount):
    _, made = filled(world, ExpansionSettings("flat"), filling.character_budget(amount))
    for passage in made.passages:
        alone = passage.reason.startswith(("the child alone", "cut where"))
        assert alone == (len(passage.children) == 1)
        assert alone or passage.reason.startswith(f"{len(passage.children)} found chunks that touch")


@given(worlds(overlapping=False), st.floats(0.01, 1), st.integers(100, 1200))
def test_relevance_decides_what_gets_the_room(world, share, amount):
    """No child is left out while a less relevant one was put in by itself."""
    budget = filling.character_budget(amount)
    extents, made = filled(world, ExpansionSettings("parent", share), budget)
    ended = [at for at, extent in enumerate(extents) if made.fates[extent.child] != "kept"]
    if not ended:
        return
    leaves = world.ranking.leaves
    lit_by_better = {
        (int(leaves.documents[extent.child]), place)
        for at, extent in enumerate(extents[: ended[0]])
        for place in range(len(leaves))
        if (leaves.documents[place] == extent.document)
        & (extent.start <= leaves.starts[place] < leaves.ends[place] <= extent.end)
    }
    for extent in extents[ended[0] :]:
        if made.fates[extent.child] == "kept":
            assert (int(leaves.documents[extent.child]), extent.child) in lit_by_better


def join(text, spans):
    """The union of spans as ``merge_span`` makes it, one after the other."""
    runs = []
    for span in spans:
        low, high, joined = merge_span(text, runs, span)
        runs[low:high] = [joined]
    return runs


@given(st.text(alphabet="ab \n", max_size=40), st.data())
def test_runs_are_the_union_of_their_spans_in_whatever_order_these_come(text, data):
    ends = st.integers(0, len(text))
    spans = [Span(*sorted(pair)) for pair in data.draw(st.lists(st.tuples(ends, ends), max_size=8))]
    spans = [span for span in spans if text[span.start : span.end].strip()]
    joined = join(text, spans)
    assert joined == join(text, data.draw(st.permutations(spans)))
    covered = {place for span in spans for place in range(span.start, span.end)}
    shown = {place for span in joined for place in range(span.start, span.end)}
    assert covered <= shown
    assert all(text[place].isspace() for place in shown - covered)
    for before, after in pairwise(joined):
        assert text[before.end : after.start].strip(), "blanks alone part nothing"


@given(worlds(), st.integers(1, 40))
def test_hopeless_budgets_give_nothing_or_little(world, amount):
    budget = filling.character_budget(amount)
    _, made = filled(world, ExpansionSettings("parent", 1.0), budget)
    assert sum(len(item.text) for item in made.passages) <= amount


@pytest.mark.parametrize("count", [1, 9, 10, 99, 100, 342, 343, 999, 1000])
def test_no_passage_number_costs_more_than_was_counted(counter, count):
    numbers = [*range(1, count + 1), widest_number(count, filling.token_budget(2000, counter))]
    sizes = counter.count([heading_line(number, "Handbook", ("Limits",), 3) for number in numbers])
    assert max(sizes) == sizes[-1]
