"""A note's own tags are tags of the library, and follow the note; what a person did to them stays."""

from __future__ import annotations

from pathlib import Path

from core.ingest.prepared import Incoming
from core.library import Library

NOTE = "---\ntags: [birds, Pond life]\n---\n# Ducks\n\nThey are out. #winter/ice `#not-this` #12\n\n```\n#define\n```\n"


def tags(library: Library) -> dict[str, tuple[str, ...]]:
    return {source.name: source.tags for source in library.sources()}


def test_tags_of_a_note_follow_it_and_a_persons_stay(library: Library, tmp_path: Path) -> None:
    note = tmp_path / "Ducks.md"
    note.write_text(NOTE)
    readme = tmp_path / "README.md"
    readme.write_text("# Chat\n\nAsk in #general about it.\n")
    library.ingest([Incoming(one.name, one) for one in (note, readme)])
    assert tags(library) == {"Ducks.md": ("birds", "Pond life", "winter/ice"), "README.md": ()}

    (source,) = (one.id for one in library.sources() if one.name == "Ducks.md")
    library.labels.tag([source], "mine")
    library.labels.untag([source], "birds")
    note.write_text(NOTE.replace(" #winter/ice", " #summer"))
    library.ingest([Incoming(note.name, note)])
    assert set(tags(library)["Ducks.md"]) == {"mine", "Pond life", "summer"}, "what was taken off stays off"
