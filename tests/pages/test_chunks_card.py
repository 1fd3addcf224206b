"""What is said of a chunk is what the encoder read, and what was found out; never nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from threading import Event
from typing import Any

import pytest

from core.chunking.prefixes import encoder_inputs
from core.inspecting.findings import Defect
from core.library import Incoming, Library
from core.settings import ChunkingSettings
from pages.ui.chunks import card as chunks_card
from pages.ui.chunks.cuts import Cut, DocumentCutter, applied_cut, applied_reading
from pages.ui.shared import services

MILL = "The mill stands by the river Aa and has ground flour for the whole valley since 1780, but for two cold winters."
SENTENCE = "The gauge at the weir was read at noon by the keeper, and the level was noted in the book. "
WEIR = (
    f"# Weir\n\n## Level\n\n{SENTENCE * 40}\n\n## Gauge\n\n{SENTENCE * 9}\n\n| gauge | level |\n|---|---|\n"
    + "".join(f"| mark {number} | {number} cm |\n" for number in range(60))
)
RECIPES = {
    "default": ChunkingSettings(),
    "no prefix": ChunkingSettings(prefix=()),
    "title alone": ChunkingSettings(prefix=("title",)),
    "usual": ChunkingSettings("recursive", 1000, 0, 3000, (), unit="characters"),
    "characters": ChunkingSettings("recursive", 2000, 0, 6000, unit="characters", prefix_max_tokens=200),
    "late": ChunkingSettings(vectors="late"),
    "late, large": ChunkingSettings("recursive", 2000, 0, 6000, unit="characters", vectors="late"),
}


@pytest.fixture(autouse=True)
def _served(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages look at the test's library, with no app around them."""
    monkeypatch.setattr(services, "library", lambda: library)
    monkeypatch.setattr(services, "home", lambda: library.home)


def put(library: Library, **texts: str) -> list[str]:
    """The versions of Markdown files of these names and texts."""
    place = library.home.parent
    for name, text in texts.items():
        (place / f"{name}.md").write_text(text, encoding="utf-8")
    report = library.ingest([Incoming(f"{name}.md", path=place / f"{name}.md") for name in texts])
    return [document.version_id for document in report.documents]


def indexed(library: Library, version: str) -> Cut:
    source = next(row for row in library.sources() if row.version_id == version)
    return applied_cut(version, library.cutting.effective_chunking(version)[0], source.recipe_fingerprint)


def trial(library: Library, version: str, settings: ChunkingSettings) -> Cut:
    return DocumentCutter(library, library.document(version)).cut(settings, ())


def shown_prefix(data: dict[str, Any], leaf: int) -> list[str]:
    """The texts that the reader shows before a leaf."""
    words = [data["strings"][at] for at in data["lists"][data["leaves"][10 * leaf + 6]]]
    return words[1::2]


@pytest.mark.parametrize("name", RECIPES)
def test_the_reader_shows_what_the_encoder_reads_and_agrees_with_health(library: Library, name: str) -> None:
    (version,) = put(library, weir=WEIR)
    settings = RECIPES[name]
    cut, counter = trial(library, version, settings), library.model.counter
    data = json.loads(cut.reading.cut)
    tails = [tuple(data["tails"][at : at + 3]) for at in range(0, len(data["tails"]), 3)]
    assert tails == [(one.leaf, one.start, one.end) for one in cut.health.of(Defect.TRUNCATED)]
    assert bool(tails) == (settings.max_tokens == 2000), (
        "a recipe above the encoder's limit, and no other, is truncated"
    )
    inputs = encoder_inputs(cut.tree, replace(settings, vectors="chunk", prefix=settings.read_prefix), counter, 256)
    for at, (leaf, read) in enumerate(zip(cut.tree.leaves, inputs, strict=True)):
        assert isinstance(read, str)
        before = read.removesuffix(leaf.text)
        shown = shown_prefix(data, at)
        assert all(text in before for text in shown)
        assert bool(shown) == bool(before)
        assert leaf.encoder_tokens == counter.count([read])[0] + counter.specials
    library.cutting.apply("document", version, settings)
    assert applied_reading(version).cut == cut.reading.cut, "what is indexed is shown as the trial was"


def test_late_vectors_leave_no_room_for_a_prefix_that_nobody_reads(library: Library) -> None:
    (version,) = put(library, weir=WEIR)
    late, bare = (trial(library, version, RECIPES[name]).tree for name in ("late", "no prefix"))
    assert [leaf.span for leaf in late.leaves] == [leaf.span for leaf in bare.leaves]
    assert max(leaf.tokens for leaf in late.leaves) > ChunkingSettings().max_tokens - 8
    assert all(leaf.prefix for leaf in late.leaves[1:]), "whoever answers still gets the headings"


def test_what_nearly_repeats_a_chunk_stands_on_its_card_and_in_health(library: Library) -> None:
    (version,) = put(library, mill=f"# One\n\n{MILL}\n\n# Two\n\n{MILL}\n\n# Three\n\n{SENTENCE}\n")
    cut = indexed(library, version)
    assert len(cut.health.of(Defect.NEAR_DUPLICATE)) == 1
    cards = [chunks_card.card(cut, leaf) for leaf in cut.reading.leaves]
    assert [[twin for twin, _ in card["near_duplicates"]] for card in cards if card] == [[1], [0], []]


def test_a_long_document_says_what_is_known_indexed_or_tried(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    (version,) = put(library, long=f"{WEIR}\n\n## Note\n\n{SENTENCE * 1800}\n\n## Code\n\nAsk getUserName first.")
    held = indexed(library, version)
    assert len(held.tree.document.text) > 150_000
    tried = trial(library, version, ChunkingSettings(max_tokens=200))
    for cut in (held, tried):
        cut.features.result()
        card = chunks_card.card(cut, cut.reading.leaves[-1])
        assert card is not None
        assert dict(card["features"])["Symbols"] == "getUserName"
        assert card["notes"] == []
    monkeypatch.setattr("pages.ui.chunks.cuts.enrich", lambda *_: pytest.fail("what is stored is not found out again"))
    assert held.library.features(version) == indexed(library, version).features.result()


def test_while_it_is_found_out_the_card_says_so(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    (version,) = put(library, mill=f"# Mill\n\n{MILL}\n")
    go = Event()
    monkeypatch.setattr("pages.ui.chunks.cuts.enrich", lambda *_: go.wait(60) and {})
    cut = trial(library, version, ChunkingSettings(max_tokens=60))
    card = chunks_card.card(cut, cut.reading.leaves[0])
    assert card is not None
    assert (card["waiting"], card["notes"], card["features"]) == (True, [chunks_card.LOOKING], [])
    assert not chunks_card.complete(cut)
    go.set()
    cut.features.result()
    after = chunks_card.card(cut, cut.reading.leaves[0])
    assert after is not None
    assert (after["waiting"], after["notes"]) == (False, [chunks_card.STALE])
    assert chunks_card.complete(cut)


def test_references_and_terms_lead_to_their_places(library: Library) -> None:
    text = (
        "# Lease\n\n## 1 Terms\n\n1.1 “Monthly Rent” means 500 euros, paid on the first day of every month.\n\n"
        "## 2 Payment\n\n2.1 The tenant pays the Monthly Rent as section 1 says.[^note] "
        "Write to [us](mailto:a@b.org).\n\n"
        "[^note]: In coins or notes, counted twice before the witnesses of both sides.\n"
    )
    (version,) = put(library, lease=text)
    cut = trial(library, version, ChunkingSettings("clause", 40))
    whole = cut.tree.document.text
    index = next(at for at, leaf in enumerate(cut.tree.leaves) if "The tenant pays" in leaf.text)
    cut.features.result()
    card = chunks_card.card(cut, cut.reading.leaves[index])
    assert card is not None
    known = dict(card["features"])
    places = {words: whole[start:end] for label in ("Refers to", "Uses terms") for words, start, end, _ in known[label]}
    assert places["section 1"].startswith("## 1 Terms")
    assert "In coins or notes" in next(found for words, found in places.items() if words.startswith("note "))
    assert places["Monthly Rent"].startswith("1.1 “Monthly Rent” means") or "means 500 euros" in places["Monthly Rent"]
    assert "mailto:a@b.org" in dict(card["features"])["Links"]


def test_links_to_documents_of_the_library_open_them_at_their_heading(library: Library) -> None:
    text = (
        f"# One\n\n{MILL} See [the costs](two.md#2-costs), [all of it](./two.md), [itself](one.md#one), "
        "[a lost one](three.md), [the web](https://example.org/two.md).\n"
    )
    one, two = put(library, one=text, two=f"# Two\n\n{SENTENCE}\n\n## 2. Costs\n\nNone.\n")
    cut = indexed(library, one)
    card = chunks_card.card(cut, cut.reading.leaves[-1])
    assert card is not None
    places = {words: (start, version) for words, start, _, version in dict(card["features"])["Refers to"]}
    heading = library.document(two).text.index("## 2. Costs")
    assert places == {"the costs": (heading, two), "all of it": (0, two), "itself": (0, "")}
    assert dict(card["features"])["Links"] == "a lost one (three.md), the web (https://example.org/two.md)"
    library.trash([row.id for row in library.sources() if row.version_id == two])
    told = chunks_card.card(cut, cut.reading.leaves[-1])
    assert told is not None
    assert "the costs (two.md#2-costs)" in dict(told["features"])["Links"]
