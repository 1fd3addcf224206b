"""Edits by hand on chunk trees: what each kind does, what survives another cut, what conflicts, and the laws."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import settings as profile
from hypothesis import strategies as st

from core.chunking import cut, cut_edited, recipe_fingerprint
from core.chunking.auditing import audit
from core.chunking.chunkers import CHUNKERS
from core.chunking.edits.edited_tree import ChunkBuilder
from core.chunking.edits.edits import Edit, disable, edits_fingerprint, merge, move, pin, split
from core.chunking.edits.following import follow_edits
from core.chunking.edits.replay import replay
from core.chunking.prepared_document import PreparedDocument
from core.embedding.tokenizer import packaged_counter
from core.errors import LecternError
from core.settings import ChunkingSettings
from core.types import Block, BlockKind, ChunkTree, Document, Span
from tests.chunking import checker, generated

PATIENT = profile(deadline=None, suppress_health_check=list(HealthCheck))
SENTENCES = [
    f"The {animal} lives by the river and sleeps all day." for animal in ("otter", "falcon", "badger", "heron")
]
TEXT = "\n\n".join(SENTENCES) + "\n"
SMALL = ChunkingSettings(chunker="recursive", max_tokens=14, parent_max_tokens=60, prefix=(), prefix_max_tokens=0)
LARGE = replace(SMALL, max_tokens=60)


def document(text: str = TEXT, blocks: tuple[Block, ...] = ()) -> Document:
    return Document("v" * 64, "text", "T", text, blocks)


def piece(text: str = TEXT, blocks: tuple[Block, ...] = ()) -> PreparedDocument:
    return PreparedDocument(document(text, blocks), packaged_counter())


def words(tree: ChunkTree) -> list[str]:
    """Who every leaf is about: the animals in it, joined."""
    names = ("otter", "falcon", "badger", "heron")
    return ["+".join(name for name in names if name in leaf.text) for leaf in tree.leaves]


def at(number: int) -> int:
    """Where sentence ``number`` begins."""
    return TEXT.index(SENTENCES[number])


def sentences_of(replayed) -> list[str]:
    return [conflict.sentence for conflict in replayed.conflicts]


def edited(made, dials: ChunkingSettings = SMALL, work: PreparedDocument | None = None, reads: int = 0):
    return cut_edited(work or piece(), dials, made, reads=reads)


def test_a_merge_joins_two_leaves_and_says_so() -> None:
    assert words(cut(piece(), SMALL)) == ["otter", "falcon", "badger", "heron"]
    done = edited([merge(document(), at(1))], reads=20)
    assert words(done.tree) == ["otter+falcon", "badger", "heron"]
    leaf = done.tree.leaves[0]
    assert leaf.metadata["edited"] == ("merged",)
    assert leaf.tokens == packaged_counter().count([leaf.text])[0]
    assert leaf.reasons[2:] == (
        "edited: merged by hand",
        "edited: larger than the dials allow (22 > 14 tokens)",
        "edited: the encoder reads only 20 of its 24 tokens",
    )
    before = cut(piece(), SMALL)
    assert done.tree.leaves[1:] == before.leaves[2:], "what no edit touches is the same chunk"


def test_a_split_holds_whatever_the_dials() -> None:
    wish = [split(document(), at(2))]
    for dials in (LARGE, replace(LARGE, chunker="fixed"), replace(LARGE, chunker="structure")):
        done = edited(wish, dials)
        assert words(done.tree) == ["otter+falcon", "badger+heron"]
        assert [leaf.metadata["edited"] for leaf in done.tree.leaves] == [("split",), ("split",)]
        assert done.tree.leaves[0].reasons[1] == "ends: split by hand"
        assert done.tree.leaves[1].reasons[0] == "begins: split by hand"
    already = edited(wish, SMALL)
    assert (already.tree, already.applied) == (cut(piece(), SMALL), tuple(wish)), "it is so already"


def test_a_boundary_is_moved() -> None:
    place = TEXT.index("and sleeps", at(1))
    done = edited([move(document(), at(1), place)])
    assert [leaf.text.split()[0] for leaf in done.tree.leaves] == ["The", "and", "The", "The"]
    assert [leaf.metadata.get("edited") for leaf in done.tree.leaves] == [("moved",), ("moved",), None, None]
    beyond = edited([move(document(), at(1), TEXT.index("and sleeps", at(2)))])
    assert sentences_of(beyond) == ["Another boundary now lies between the two places."]
    assert beyond.tree == cut(piece(), SMALL)


def test_a_move_that_goes_on_from_a_move_is_one_move() -> None:
    first, second = TEXT.index("and sleeps", at(1)), TEXT.index("lives", at(1))
    made = [move(document(), at(1), first), move(document(), first, second)]
    done = edited(made)
    assert [leaf.text.split()[0] for leaf in done.tree.leaves] == ["The", "lives", "The", "The"]
    assert done.conflicts == ()


def test_a_passage_is_switched_off_and_audited() -> None:
    done = edited([disable(document(), at(1), at(2))], LARGE)
    assert words(done.tree) == ["otter", "badger+heron"]
    assert [leaf.metadata["edited"] for leaf in done.tree.leaves] == [("trimmed",), ("trimmed",)]
    (gap,) = audit(done.tree, done.switched_off).gaps
    assert (TEXT[gap.start : gap.end], gap.reason) == (SENTENCES[1], "switched off by hand")
    nothing = edited([disable(document(), 0, len(TEXT))])
    assert nothing.tree.chunks == ()
    assert audit(nothing.tree, nothing.switched_off).covered == 0


def test_a_pinned_chunk_stays_through_other_dials() -> None:
    wish = [pin(document(), at(1), at(3))]
    for dials in (SMALL, LARGE, replace(SMALL, chunker="fixed", max_tokens=9, overlap_tokens=2)):
        done = edited(wish, dials)
        assert "falcon+badger" in words(done.tree)
        (leaf,) = [leaf for leaf in done.tree.leaves if "pinned" in leaf.metadata.get("edited", ())]
        assert leaf.text == TEXT[at(1) : at(3)].strip()


def test_the_later_of_two_edits_wins_and_the_earlier_is_listed() -> None:
    both = [merge(document(), at(1)), split(document(), at(1))]
    done = edited(both, LARGE)
    assert (done.applied, words(done.tree)) == ((both[1],), ["otter", "falcon+badger+heron"])
    assert sentences_of(done) == ["A later edit cuts the text at this place."]
    turned = edited(both[::-1])
    assert words(turned.tree)[0] == "otter+falcon"
    pins = edited([pin(document(), 0, at(2)), pin(document(), at(1), at(3))])
    assert sentences_of(pins) == ["A later edit pins another chunk here."]
    off = edited([split(document(), at(1) + 4), disable(document(), at(1), at(2))])
    assert sentences_of(off) == ["The text at this place is switched off by another edit."]


def test_a_boundary_that_a_pin_holds_is_moved_nowhere_whatever_cut_it() -> None:
    """Found by the property below: the pin makes the boundary that the move would take away."""
    wishes = [move(document(), TEXT.index("otter"), at(2)), pin(document(), 0, 3)]
    done = edited(wishes)
    assert done.applied == (wishes[1],)
    assert [leaf.text.split()[0] for leaf in done.tree.leaves][:3] == ["The", "otter", "The"]
    assert cut_again(piece(), SMALL, wishes, done.tree).conflicts == done.conflicts


def test_a_later_edit_that_does_not_fit_overrules_nothing() -> None:
    wishes = [split(document(), at(1) + 4), move(document(), at(1) + 4, TEXT.index("sleeps", at(3)))]
    done = edited(wishes)
    assert done.applied == (wishes[0],)
    assert [leaf.text.split()[0] for leaf in done.tree.leaves][:3] == ["The", "The", "falcon"]


def test_what_is_never_cut_is_not_joined_over() -> None:
    furniture = Block(BlockKind.FURNITURE, at(1), at(1) + len(SENTENCES[1]))
    work = piece(TEXT, (furniture,))
    done = edited(
        [merge(work.document, at(2)), split(work.document, at(1) + 4), pin(work.document, 0, at(3))], SMALL, work
    )
    assert sentences_of(done) == [
        "There is text that is never cut before this place, so nothing can be joined to it.",
        "No chunk reaches this place: it is switched off, front matter or a running header.",
        "It holds text that is never cut, such as front matter or a running header.",
    ]
    assert done.tree == cut(work, SMALL)


def test_a_merge_over_parents_goes_to_the_one_that_holds_most() -> None:
    text = "# A\n\nOne two.\n\n# B\n\nThree four five six seven eight nine ten.\n\nMore of it.\n"
    blocks = tuple(Block(BlockKind.HEADING, text.index(mark), text.index(mark) + 3, 1) for mark in ("# A", "# B"))
    dials = ChunkingSettings(max_tokens=18, parent_max_tokens=18, prefix=(), prefix_max_tokens=0)
    work = piece(text, blocks)
    whole = cut(work, dials)
    assert len([chunk for chunk in whole.chunks if chunk.level == 1]) > 1
    done = edited([merge(work.document, text.index("# B"))], dials, work)
    joined = done.tree.leaves[0]
    assert joined.text.startswith("# A")
    (parent,) = [chunk for chunk in done.tree.chunks if chunk.chunk_id == joined.parent_id]
    assert parent.start == 0
    assert "edited: larger than the dials allow" in " ".join(parent.reasons)


def test_what_cannot_be_is_refused_with_a_sentence() -> None:
    with pytest.raises(LecternError, match="tear one character"):
        split(document("a e\u0301 b"), 3)
    for position in (0, 2, len(TEXT)):
        with pytest.raises(LecternError, match="one side of this place"):
            split(document("  " + TEXT), 2 if position < 3 else position + 2)
    with pytest.raises(LecternError, match="outside the document"):
        merge(document(), len(TEXT) + 1)
    with pytest.raises(LecternError, match="would stay"):
        move(document(), at(1), at(1) - 1)
    with pytest.raises(LecternError, match="nothing but blanks"):
        disable(document(), at(1) - 2, at(1))
    with pytest.raises(LecternError, match="not one of this document"):
        pin(document(), 3, 3)


def test_edits_follow_a_changed_text_or_are_listed() -> None:
    wishes = [
        replace(edit, text_hash="old")
        for edit in (
            merge(document(), at(1)),
            split(document(), TEXT.index("and", at(2))),
            disable(document(), at(3), len(TEXT)),
        )
    ]
    new = "A word before.\n\n" + TEXT.replace("badger lives", "badger, they say, lives")
    moved = follow_edits(wishes, TEXT, "old", new, "new")
    assert {edit.text_hash for edit in moved} == {"new"}
    done = edited(moved, SMALL, piece(new))
    assert done.conflicts == ()
    assert [leaf.text for leaf in done.tree.leaves if "and sleeps all day." in leaf.text][-1] == "and sleeps all day."
    assert any("otter" in leaf.text and "falcon" in leaf.text for leaf in done.tree.leaves)
    assert not any("heron" in leaf.text for leaf in done.tree.leaves)

    gone = follow_edits(moved, new, "new", new.replace(SENTENCES[3], "").replace(SENTENCES[0], ""), "third")
    assert [edit.text_hash for edit in gone] == ["new", "third", "new"], "the merge lost a side, the other its words"
    listed = edited(gone, SMALL, piece(new.replace(SENTENCES[3], "").replace(SENTENCES[0], "")))
    assert sentences_of(listed) == ["The words it was made on are no longer in the text."] * 2
    again = follow_edits(gone, None, "third", new, "new")
    assert [edit.at for edit in again] == [edit.at for edit in moved], "what comes back is found again"


def test_text_put_between_two_sides_parts_a_merge_but_not_a_split() -> None:
    wishes = [replace(make(document(), at(1)), text_hash="old") for make in (merge, split)]
    new = TEXT.replace(SENTENCES[1], "Something else.\n\n" + SENTENCES[1])
    lost, kept = follow_edits(wishes, TEXT, "old", new, "new")
    assert (lost.text_hash, kept.text_hash) == ("old", "new")
    assert kept.at.end == new.index(SENTENCES[1])


def test_the_fingerprint_names_what_is_asked() -> None:
    one = merge(document(), at(1))
    assert edits_fingerprint([one]) == edits_fingerprint([replace(one, id=7)])
    assert edits_fingerprint([one]) != edits_fingerprint([merge(document(), at(2))])


@st.composite
def cases(draw):
    """A document, dials, and drafts of edits: some on the boundaries of its leaves, some anywhere."""
    whole = draw(generated.documents())
    dials = draw(generated.settings(draw(st.sampled_from(sorted(CHUNKERS)))))
    work = PreparedDocument(whole, packaged_counter())
    leaves = cut(work, dials).leaves
    assume(leaves)
    places = st.one_of(st.integers(0, len(whole.text)), st.sampled_from([leaf.start for leaf in leaves]))
    edits: list[Edit] = []
    for kind in draw(st.lists(st.sampled_from("merge split move disable pin".split()), min_size=1, max_size=6)):
        first, second = draw(places), draw(places)
        low, high = sorted((first, second))
        try:
            match kind:
                case "merge":
                    made = merge(whole, first)
                case "split":
                    made = split(whole, first)
                case "move":
                    made = move(whole, first, second)
                case "disable":
                    made = disable(whole, low, min(high, low + 60))
                case _:
                    made = pin(whole, low, min(high, low + 90))
        except LecternError:
            continue
        edits.append(replace(made, id=len(edits) + 1))
    assume(edits)
    return work, dials, edits


@PATIENT
@given(case=cases())
def test_the_laws_hold_and_replaying_again_changes_nothing(case) -> None:
    work, dials, edits = case
    done = cut_edited(work, dials, edits, "p")
    text, tree = work.document.text, done.tree
    assert len(done.applied) + len(done.conflicts) == len(edits)
    assert all(conflict.sentence.endswith(".") for conflict in done.conflicts)
    checker.check_levels(tree.chunks, {chunk.chunk_id: chunk for chunk in tree.chunks})
    checker.check_headings(work.document, tree.chunks)
    checker.check_prefixes(work.document, tree.chunks, dials)
    for chunk in tree.chunks:
        assert chunk.text == text[chunk.start : chunk.end].strip()
    assert [leaf.tokens for leaf in tree.leaves] == work.counter.count([leaf.text for leaf in tree.leaves])
    inputs = [checker.read_by_encoder(leaf, dials.read_prefix) for leaf in tree.leaves]
    assert [leaf.encoder_tokens for leaf in tree.leaves] == [
        count + work.counter.specials for count in work.counter.count(inputs)
    ]
    reasons = {gap.reason for gap in audit(tree, done.switched_off).gaps}
    assert "not covered: please report" not in reasons
    asked_for(done, text)
    # An edit that did not fit this cut may fit the edited one: the law is of those that were carried out.
    refused = {id(one.edit) for one in done.conflicts if not one.sentence.startswith("A later edit ")}
    again = cut_again(work, dials, [edit for edit in edits if id(edit) not in refused], tree)
    assert again.tree == tree
    assert again.applied == done.applied
    assert cut_edited(work, dials, [], "p").tree == cut(work, dials, "p"), "undone, it is as it was"


def cut_again(work, dials, edits, tree):
    recipe = recipe_fingerprint("p", dials, work.counter.fingerprint)
    return replay(tree, edits, ChunkBuilder(work.context(dials), recipe, work.counter))


def asked_for(done, text) -> None:
    """Every edit in force is seen in the leaves' own text, by the definition of its kind."""
    leaves, covered, bodies = done.tree.leaves, 0, []
    for leaf in leaves:
        start = max(leaf.start, covered)
        while start < leaf.end - 1 and text[start].isspace():
            start += 1
        bodies.append(Span(start, leaf.end))
        covered = max(covered, leaf.end)
    later = {edit.at.end for edit in done.applied if edit.kind == "move"}
    for edit in done.applied:
        place = edit.at.end
        if edit.kind in {"merge", "move"}:
            assert all(body.start != place for body in bodies) or any(
                other.kind != "merge" and (other.to or other.at).end == place for other in done.applied
            )
        if edit.kind == "split" or edit.to:
            cut_at = (edit.to or edit.at).end
            assert any(body.start == cut_at for body in bodies) or cut_at in later
        if edit.kind == "disable":
            assert not any(leaf.span.overlap(edit.at.span) for leaf in leaves)
        if edit.kind == "pin":
            assert any(leaf.span == edit.at.span for leaf in leaves)


@PATIENT
@given(case=cases(), order=st.randoms(use_true_random=False))
def test_the_order_of_independent_edits_does_not_matter(case, order) -> None:
    work, dials, edits = case
    independent: list[Edit] = []
    for edit in edits:
        reach = reach_of(edit)
        if not any(reach.overlap(reach_of(other)) for other in independent):
            independent.append(edit)
    turned = list(independent)
    order.shuffle(turned)
    one, other = cut_edited(work, dials, independent), cut_edited(work, dials, turned)
    assert one.tree == other.tree
    assert set(one.applied) == set(other.applied)


def reach_of(edit: Edit) -> Span:
    ends = [edit.at.start, edit.at.end, *((edit.to.start, edit.to.end) if edit.to else ())]
    return Span(max(0, min(ends) - 1), max(ends) + 1)
