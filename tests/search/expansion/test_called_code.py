"""What code calls, found in other files and brought: what is imported or stands beside it, and never by guess."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ingest.prepared import Incoming
from core.library import Library
from core.settings import ExpansionSettings
from core.storage.catalogue.texts.symbols import SymbolTable

FILES = {
    "shop/cart.py": "from shop.prices import rounded\n\n\nclass Cart:\n    def total(self):\n"
    '        """What the herons in the basket cost."""\n'
    "        return rounded(sum(self.herons)) + self.parcel.weighed() + len(close(self))\n",
    "shop/prices.py": "def rounded(amount):\n    return amount // 5 * 5\n\n\ndef close(till):\n    return till\n",
    "other/prices.py": "def close(till):\n    till.lock()\n",
    "coins/main.go": "package main\n\n// How otters on board are counted.\nfunc Otters() int { return Counted(7) }\n",
    "coins/tally.go": "package main\n\nfunc Counted(n int) int { return n * 12 }\n",
    "shop/parcel.rs": "impl Parcel {\n    pub fn weighed(&self) -> i32 { self.grams / 1000 }\n}\n",
}


def code_library(library: Library, folder: Path, chunker: str = "code") -> Library:
    library.apply(library.settings.with_values({"chunking.chunker": chunker}))
    incoming = []
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        incoming.append(Incoming(name, path))
    library.ingest(incoming)
    return library


def read(library: Library, question: str, brings: tuple[str, ...] = ("calls",), collection: str = "") -> str:
    settings = replace(
        library.settings,
        expansion=ExpansionSettings("flat", max_share=1.0, brings=brings),
        retrieval=replace(library.settings.retrieval, k=1),
        assembly=replace(library.settings.assembly, stop_below=0.0),
    )
    return "\n".join(passage.text for passage in library.search(question, settings).passages)


def test_what_code_calls_is_read_with_it_from_other_files_in_any_language(library: Library, tmp_path: Path) -> None:
    library = code_library(library, tmp_path)
    cart = "What do the herons in the basket cost"
    found = read(library, cart)
    assert "amount // 5" in found, "what the file imports"
    assert "grams / 1000" not in found, "a method of that name in a file which is not imported may be another one"
    assert "till.lock" not in found, "of two functions of a name that of a file which is not imported is not meant"
    assert "n * 12" in read(library, "How are otters on board counted")
    assert "amount // 5" not in read(library, cart, brings=())


def test_what_was_not_cut_by_its_syntax_brings_nothing(library: Library, tmp_path: Path) -> None:
    cart = "What do the herons in the basket cost"
    assert "amount // 5" not in read(code_library(library, tmp_path, "structure"), cart)


NAMES = {"1": "a/one.py", "2": "a/two.py", "3": "b/two.py", "4": "b\\four.py"}


@pytest.mark.parametrize(
    ("defined", "imported", "found"),
    [
        ({"1": "f", "2": "f"}, [], "1"),  # its own
        ({"2": "A.f", "3": "f"}, ["two"], None),  # two files are called so
        ({"2": "f", "4": "f"}, ["pack.four"], "4"),
        ({"2": "f", "3": "f"}, ["x/b"], "3"),  # by its folder, as Go imports
        ({"3": "A::f"}, ["b::two"], "3"),
        ({"2": "f"}, [], "2"),  # beside it
        ({"2": "A.f"}, [], None),  # a method beside it
        ({"3": "f"}, [], None),
        ({"5": "f"}, [], None),  # of no file that is looked at
    ],
)
def test_a_name_means_the_nearest_definition_where_there_is_just_one(defined, imported, found) -> None:
    cut = [(version, 0, 9, [path], [], []) for version, path in defined.items()]
    table = SymbolTable.of([*cut, ("1", 9, 12, [], [], imported)])
    meant = table.find("f", "1", NAMES)
    assert (meant and meant.version_id) == found


@given(st.lists(st.tuples(st.sampled_from("AB"), st.integers(1, 9), st.sampled_from(["", "f", "g"]), st.booleans())))
def test_a_definition_is_a_run_of_leaves_from_where_it_is_declared(told) -> None:
    """Whatever was cut, a span begins at a leaf that declares it and holds leaves of its unit alone."""
    leaves, ends = [], {"A": 0, "B": 0}
    for version, length, name, declares in sorted(told, key=lambda one: one[0]):
        start = ends[version]
        ends[version] = start + length
        leaves.append((version, start, start + length, [name] if name and declares else [], [name] if name else [], []))
    for name, found in SymbolTable.of(leaves).definitions.items():
        for one in found:
            inside = [leaf for leaf in leaves if leaf[0] == one.version_id and one.span.start <= leaf[1] < one.span.end]
            assert (inside[0][1], inside[-1][2]) == (one.span.start, one.span.end)
            assert name in inside[0][3]
            assert all(name in leaf[4] for leaf in inside)
