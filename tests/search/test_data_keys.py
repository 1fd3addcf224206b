"""What is found in data says under which keys it stands."""

from __future__ import annotations

from core.library import Incoming, Library
from tests.chunking.test_data import OPENAPI
from tests.fast_encoder import FastEncoder


def test_a_hit_in_data_has_the_path_of_its_keys(tmp_path):
    file = tmp_path / "api.yaml"
    file.write_text(OPENAPI, encoding="utf-8")
    with Library.open(tmp_path / "home", encoder=FastEncoder()) as library:
        library.ingest([Incoming("api.yaml", path=file)])
        result = library.search("What the fish of the pond is", library.settings)
    hit = next(hit for hit in result.hits if "name: fish" in hit.text)
    assert hit.headings[:1] == ("paths",)
