"""What the reader is given is the document, whole and with its own offsets."""

from __future__ import annotations

from pathlib import Path

from core.chunking.auditing import UNEXPLAINED
from core.library import Incoming, Library
from core.types import Audit, BlockKind, Gap
from pages.ui.reader import reader_data

TEXT = "---\nowner: me\n---\n\n# Rocket 🚀\n\n## Part one\n\nFirst *words* here.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"


def payload(library: Library, folder: Path) -> tuple[dict[str, object], Library]:
    (folder / "rocket.md").write_text(TEXT, encoding="utf-8")
    report = library.ingest([Incoming("rocket.md", path=folder / "rocket.md")])
    version = report.documents[0].version_id
    return reader_data(library.tree(version), library.audit(version), 256, "recipe"), library


def test_every_leaf_keeps_its_span_and_words(library: Library, tmp_path: Path) -> None:
    data, library = payload(library, tmp_path)
    version = library.sources()[0].version_id
    leaves, strings = data["leaves"], data["strings"]
    assert isinstance(leaves, list)
    assert isinstance(strings, list)
    for row, leaf in zip(leaves, library.tree(version).leaves, strict=True):
        assert data["text"][row[0] : row[1]] == leaf.text  # type: ignore[index]
        assert row[5] == leaf.chunk_id
        assert tuple(strings[index] for index in row[6]) == leaf.headings
        assert tuple(strings[index] for _, index in row[7]) == tuple(part.text for part in leaf.prefix)
        assert tuple(strings[index] for index in row[8]) == leaf.reasons


def test_what_is_set_aside_by_rule_is_told_from_what_is_lost(library: Library, tmp_path: Path) -> None:
    data, library = payload(library, tmp_path)
    tree = library.tree(library.sources()[0].version_id)
    assert [row[3] for row in data["gaps"]] == [False]  # type: ignore[index, attr-defined]
    lossy = reader_data(tree, Audit(9, 8, (Gap(0, 1, UNEXPLAINED),)), 256, "recipe")
    assert [row[3] for row in lossy["gaps"]] == [True]


def test_parents_are_named_by_position_and_gaps_by_reason(library: Library, tmp_path: Path) -> None:
    data, library = payload(library, tmp_path)
    version = library.sources()[0].version_id
    tree, audit = library.tree(version), library.audit(version)
    parents = [chunk for chunk in tree.chunks if chunk.level]
    for row, leaf in zip(data["leaves"], tree.leaves, strict=True):  # type: ignore[call-overload]
        expected = leaf.parent_id
        assert (parents[row[2]].chunk_id if row[2] >= 0 else None) == expected
    reasons = [data["strings"][row[2]] for row in data["gaps"]]  # type: ignore[index, attr-defined]
    assert reasons == [gap.reason for gap in audit.gaps]
    assert [row[2] for row in data["blocks"]] == [str(block.kind) for block in tree.document.blocks]  # type: ignore[attr-defined]
    assert str(BlockKind.TABLE) in {row[2] for row in data["blocks"]}  # type: ignore[attr-defined]
