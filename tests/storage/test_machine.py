"""A library under every order of events, against a model in memory: FTS, Chroma and originals always agree with it."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from core.errors import CancelledError
from core.storage.chunks import tree
from core.storage.documents import document as stored_document
from core.storage.generations import begin_generation
from core.storage.leaves import load_leaves
from core.storage.lexical import FtsIndex
from core.storage.outbox import apply_outbox, pending, query_projection
from core.storage.sources import remove_source, sources
from core.storage.store import Store
from core.storage.verify import verify
from tests.storage.builders import DIMENSION, EMBEDDER, cut, document, ingest, keep_vectors, swap, vector

NAMES = st.sampled_from(["a.txt", "b.txt", "folder/a.txt", "ünïcode.txt"])
WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta", "straße", "naïve", "x1"])
TEXTS = st.lists(WORDS, max_size=12).map(" ".join)
SIZES = st.integers(5, 40)


class CrashError(Exception):
    """Stands for the process's death inside a transaction."""


class Library(RuleBasedStateMachine):
    """``held``: what each name should hold, as (text, size of the cut of that text)."""

    @initialize()
    def open(self) -> None:
        self.root = Path(tempfile.mkdtemp())
        self.turns = 0
        self.store = Store.open(self.root / "0", write=True)
        begin_generation(self.store, EMBEDDER, DIMENSION)
        self.held: dict[str, str] = {}
        self.cuts: dict[str, int] = {}
        self.rows_seen: set[int] = set()
        self.table = load_leaves(self.store)

    def teardown(self) -> None:
        if hasattr(self, "store"):
            apply_outbox(self.store)
            assert verify(self.store) == []
            self.store.close()
            shutil.rmtree(self.root)

    @rule(name=NAMES, text=TEXTS, size=SIZES, as_path=st.booleans())
    def put(self, name, text, size, as_path) -> None:
        """Add a document, replace one, or give the same bytes a second name."""
        path = self.root / name if as_path else None
        ingest(self.store, f"path {name}" if as_path else name, text, size, path)
        self.held[f"path {name}" if as_path else name] = text
        self.cuts[text] = size

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def remove(self, data) -> None:
        name = data.draw(st.sampled_from(sorted(self.held)))
        remove_source(self.store, next(row.id for row in sources(self.store) if row.name == name))
        del self.held[name]

    @precondition(lambda self: self.held)
    @rule(data=st.data(), size=SIZES)
    def cut_anew(self, data, size) -> None:
        text = data.draw(st.sampled_from(sorted(set(self.held.values()))))
        pieces = cut(document(text), size)
        keep_vectors(self.store, pieces)
        swap(self.store, pieces)
        self.cuts[text] = size

    @rule(name=NAMES, text=TEXTS)
    def fail_inside(self, name, text) -> None:
        """The disk, the parser or the power fails after everything was written and before the commit."""
        with suppress(CrashError), self.store.transaction():
            ingest(self.store, name, text + " never", 9)
            raise CrashError

    @rule()
    def carry(self) -> None:
        apply_outbox(self.store)
        assert pending(self.store) == 0

    @rule()
    def carry_and_stop(self) -> None:
        def stop(done: int, total: int) -> None:
            raise CancelledError("stop")

        with suppress(CancelledError):
            apply_outbox(self.store, stop)

    @rule()
    def reopen(self) -> None:
        home = self.store.home
        self.store.close()
        self.store = Store.open(home, write=True)

    @rule()
    def die(self) -> None:
        """What a killed process leaves: the directory as it lies, log and all, opened by another one."""
        self.turns += 1
        copy = self.root / str(self.turns)
        (self.store.files.root / "incoming-half").write_bytes(b"half")
        self.store.files.stage(b"staged and never named")
        shutil.copytree(self.store.home, copy)
        self.store.close()
        shutil.rmtree(self.store.home)
        self.store = Store.open(copy, write=True)

    @rule(word=WORDS)
    def ask(self, word) -> None:
        rows, _ = FtsIndex(self.store, 1).search([word], {})
        table = load_leaves(self.store)
        expected = {
            int(row)
            for row, place, start, end in zip(table.rows, table.documents, table.starts, table.ends, strict=True)
            if word in self.text_at(table, place)[start:end].split()
        }
        assert {row for row in rows if row in expected} == expected
        if len(table):
            found, similarities = query_projection(self.store, vector(word), 3)
            exact = np.sort(table.vectors @ vector(word))[::-1][:3]
            assert set(found) <= set(table.rows.tolist())
            np.testing.assert_allclose(similarities, exact, atol=1e-4)

    def text_at(self, table, place) -> str:
        return stored_document(self.store, table.version_ids[place]).text

    @invariant()
    def the_library_is_the_model(self) -> None:
        if not hasattr(self, "store"):
            return
        found = {row.name: stored_document(self.store, row.version_id).text for row in sources(self.store)}
        assert found == self.held
        versions = {document(text).version_id for text in self.held.values()}
        assert set(self.store.files.hashes()) - self.store.files.fresh <= versions
        for text in set(self.held.values()):
            assert tree(self.store, document(text).version_id) == cut(document(text), self.cuts[text])
        before, self.table = self.table, load_leaves(self.store, self.table)
        rows = set(self.table.rows.tolist())
        # A row that was gone once never comes back.
        assert not rows & (self.rows_seen - set(before.rows.tolist()))
        self.rows_seen |= rows
        assert np.array_equal(self.table.vectors, load_leaves(self.store).vectors)


Library.TestCase.settings = settings(max_examples=12, stateful_step_count=25, deadline=None)
test_a_library_is_what_was_done_to_it = Library.TestCase
