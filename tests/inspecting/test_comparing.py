"""Two trees of one text: cuts partition, gold is counted in leaves, and a tree agrees with itself everywhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.chunking import chunk
from core.errors import SpanError
from core.inspecting.boundaries import cuts
from core.inspecting.comparing import Agreement, compare
from core.settings import ChunkingSettings
from core.types import ChunkTree, Document, Span
from tests.chunking import generated
from tests.inspecting.planting import WordCounter, cut_tree, document_of, tree_of

COUNTER = WordCounter()


def cut(document, dials):
    return chunk(document, dials, generated.ThirdsCounter())


@given(generated.documents(), generated.settings("structure"), generated.settings("fixed"), st.data())
def test_cuts_partition_and_gold_is_counted(document, one, other, data):
    a, b = cut(document, one), cut(document, other)
    places = st.integers(0, len(document.text))
    gold = [Span(*sorted((data.draw(places), data.draw(places)))) for _ in range(3)]
    found = compare(a, b, gold)
    agreed, removed, added = ({cut.position for cut in found.of(kind)} for kind in Agreement)
    assert agreed | removed == set(cuts(a))
    assert agreed | added == set(cuts(b))
    assert len(agreed) + len(removed) + len(added) == len(agreed | removed | added)
    assert [cut.position for cut in found.cuts] == sorted(agreed | removed | added)
    for judged in found.gold:
        for tree, whole in ((a, judged.whole_a), (b, judged.whole_b)):
            assert whole == any(leaf.span.contains(judged.span) for leaf in tree.leaves)


@given(generated.documents(), generated.settings())
def test_a_tree_agrees_with_itself(document, dials):
    tree = cut(document, dials)
    found = compare(tree, tree)
    assert {place.agreement for place in found.cuts} <= {Agreement.AGREED}
    assert found.sizes_a == found.sizes_b


@given(generated.documents(), generated.settings("recursive"), generated.settings("structure"))
def test_the_other_way_round_added_is_removed(document, one, other):
    a, b = cut(document, one), cut(document, other)
    there, back = compare(a, b), compare(b, a)
    assert [place.position for place in there.of(Agreement.ADDED)] == [
        place.position for place in back.of(Agreement.REMOVED)
    ]


def test_blanks_between_two_leaves_do_not_move_a_cut():
    document = document_of("One here.\n\n\nTwo there.")
    a = tree_of(document, [(0, 9), (12, len(document.text))])
    b = tree_of(document, [(0, 10), (10, len(document.text))])
    assert [place.agreement for place in compare(a, b).cuts] == [Agreement.AGREED]


def test_gold_severed_by_one_and_not_by_the_other():
    a, b = (
        cut_tree("The pump starts. ¦It hums. The valve opens."),
        cut_tree("The pump starts. It hums. ¦The valve opens."),
    )
    text = a.document.text
    answer = Span(0, text.index(" The valve") + 1)  # a blank at its end, which does not count
    found = compare(a, b, [answer, Span(16, 17)])
    assert found.severed_a == (Span(0, answer.end - 1),)
    assert found.severed_b == ()
    assert len(found.gold) == 1


def test_gold_in_no_leaf_is_in_no_leaf():
    document = document_of("The pump starts. The valve opens. The tide turns.")
    holed = tree_of(document, [(0, 16), (34, len(document.text))])
    [judged] = compare(holed, holed, [Span(17, 33)]).gold
    assert (judged.whole_a, judged.whole_b) == (False, False)


def test_different_texts_are_not_compared():
    with pytest.raises(SpanError, match="two different texts"):
        compare(cut_tree("One text."), cut_tree("Another text."))


def test_trees_without_leaves_agree():
    empty = ChunkTree(Document("v", "text", "T", ""), ())
    found = compare(empty, empty)
    assert found.cuts == ()
    assert chunk(empty.document, ChunkingSettings(), COUNTER).leaves == ()
