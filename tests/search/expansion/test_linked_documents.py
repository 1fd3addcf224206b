"""Links of a vault of notes, followed from one document into another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.ingest.prepared import Incoming
from core.library import Library
from core.settings import ExpansionSettings

VAULT = {
    "vault/Herons.md": "# Birds\n\nHerons\nare told in [[birds/Ducks#Feed|oats]], `[[Pond]]`, [ice](ice.md).\n",
    "vault/birds/Ducks.md": "---\naliases: [Teal]\n---\n# Ducks\n\n"
    + "Ducks swim on the water. " * 40
    + "\n\n## Feed\n\nOats and barley.\n",
    "vault/ice.md": "# Ice\n\nFrozen water bears nobody.\n",
    "vault/Pond.md": "# Pond\n\nReeds stand in it.\n",
}


def test_wiki_links_and_relative_ones_lead_into_other_documents(library: Library, tmp_path: Path) -> None:
    incoming = []
    for name, text in VAULT.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        incoming.append(Incoming(name, path))
    library.ingest(incoming)
    settings = replace(
        library.settings,
        expansion=ExpansionSettings(strategy="neighbours", confidence=1.0),
        retrieval=replace(library.settings.retrieval, k=1),
    )
    found = library.search("Herons are told in", settings)
    read = {passage.source: passage.text for passage in found.passages}
    assert "Oats and barley." in read["vault/birds/Ducks.md"]
    assert "bears nobody" in read["vault/ice.md"]
    assert "vault/Pond.md" not in read, "code is no link"
