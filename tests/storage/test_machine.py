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
from core.storage.catalogue.filing.labels import Labels
from core.storage.catalogue.filing.names import Scope, versions_in
from core.storage.catalogue.filing.sources import remove_source, sources, trashed
from core.storage.catalogue.filing.trash import empty_trash, revive_source, trash_sources
from core.storage.catalogue.texts.chunks import recipe, tree
from core.storage.catalogue.texts.documents import document as stored_document
from core.storage.catalogue.texts.generations import begin_generation
from core.storage.index.leaves import load_leaves
from core.storage.index.lexical import FtsIndex
from core.storage.index.outbox import apply_outbox, pending
from core.storage.store import Store
from core.storage.verify import verify
from tests.storage.builders import (
    CAPTION,
    DIMENSION,
    EMBEDDER,
    cut,
    document,
    ingest,
    keep_vectors,
    nearest,
    swap,
    vector,
    words,
)

NAMES = st.sampled_from(["a.txt", "b.txt", "folder/a.txt", "ünïcode.txt"])
WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta", "straße", "naïve", "x1"])
TEXTS = st.lists(WORDS, max_size=12).map(" ".join)
SIZES = st.integers(5, 40)
TAGS = ("urgent", "read")
COLLECTIONS = ("home", "work")


class CrashError(Exception):
    """Stands for the process's death inside a transaction."""


class Library(RuleBasedStateMachine):
    """``held``: the text of each live name; ``binned``: of each in the trash; ``cuts``: the size of a text's cut;
    ``labelled``: the tags and collections of each name, live or not.
    """

    @initialize()
    def open(self) -> None:
        self.root = Path(tempfile.mkdtemp())
        self.turns = 0
        self.store = Store.open(self.root / "0", write=True)
        begin_generation(self.store, EMBEDDER, DIMENSION)
        self.held: dict[str, str] = {}
        self.binned: dict[str, str] = {}
        self.labelled: dict[str, set[str]] = {}
        self.collections = {name: Labels(self.store).create_collection(name) for name in COLLECTIONS}
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
        name = f"path {name}" if as_path else name
        self.held[name] = text
        self.binned.pop(name, None)
        self.labelled.setdefault(name, set())
        self.cuts[text] = size

    def id_of(self, name: str) -> int:
        return next(row.id for row in (*sources(self.store), *trashed(self.store)) if row.name == name)

    @precondition(lambda self: self.labelled)
    @rule(data=st.data())
    def remove(self, data) -> None:
        name = data.draw(st.sampled_from(sorted(self.labelled)))
        remove_source(self.store, self.id_of(name))
        self.forget(name)

    def forget(self, name: str) -> None:
        for known in (self.held, self.binned, self.labelled):
            known.pop(name, None)

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def trash(self, data) -> None:
        names = data.draw(st.lists(st.sampled_from(sorted(self.held)), unique=True, min_size=1))
        assert trash_sources(self.store, [self.id_of(name) for name in names]) == len(names)
        for name in names:
            self.binned[name] = self.held.pop(name)

    @precondition(lambda self: self.binned)
    @rule(data=st.data(), size=SIZES)
    def restore(self, data, size) -> None:
        name = data.draw(st.sampled_from(sorted(self.binned)))
        text = self.binned[name]
        with self.store.transaction():
            if recipe(self.store, document(text).version_id) is None:
                keep_vectors(self.store, cut(document(text), size))
                swap(self.store, cut(document(text), size))
                self.cuts[text] = size
            revive_source(self.store, self.id_of(name))
        self.held[name] = self.binned.pop(name)

    @rule()
    def empty(self) -> None:
        assert empty_trash(self.store) == len(self.binned)
        for name in list(self.binned):
            self.forget(name)

    @precondition(lambda self: self.labelled)
    @rule(data=st.data(), label=st.sampled_from(sorted({*TAGS, *COLLECTIONS})), putting=st.booleans())
    def label(self, data, label, putting) -> None:
        names = data.draw(st.lists(st.sampled_from(sorted(self.labelled)), unique=True))
        chosen = [self.id_of(name) for name in names]
        labels = Labels(self.store)
        if label in COLLECTIONS:
            (labels.collect if putting else labels.uncollect)(chosen, self.collections[label])
        else:
            (labels.tag if putting else labels.untag)(chosen, label)
        for name in names:
            (self.labelled[name].add if putting else self.labelled[name].discard)(label)

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
        rows, _ = FtsIndex(self.store, 1).search([word])
        table = load_leaves(self.store)
        expected = {
            int(row)
            for row, place, start, end in zip(table.rows, table.documents, table.starts, table.ends, strict=True)
            if word in self.text_at(table, place)[start:end].split()
        }
        assert {row for row in rows if row in expected} == expected
        assert set(FtsIndex(self.store, 1).search(words(CAPTION))[0]) >= set(table.rows.tolist())
        if len(table):
            apply_outbox(self.store)
            found, similarities = nearest(self.store, vector(word), 3)
            exact = np.sort(table.vectors.of() @ vector(word))[::-1][:3]
            assert set(found) <= set(table.rows.tolist())
            np.testing.assert_allclose(similarities, exact, atol=1e-4)

    def text_at(self, table, place) -> str:
        return stored_document(self.store, table.version_ids[place]).text

    @invariant()
    def the_library_is_the_model(self) -> None:
        if not hasattr(self, "store"):
            return
        live, binned = sources(self.store), trashed(self.store)
        for rows, held in ((live, self.held), (binned, self.binned)):
            assert {row.name: stored_document(self.store, row.version_id).text for row in rows} == held
            assert {row.name: {*row.tags, *row.collections} for row in rows} == {
                name: self.labelled[name] for name in held
            }
        for label in (*TAGS, *COLLECTIONS):
            scope = Scope((self.collections[label],)) if label in COLLECTIONS else Scope(tags=(label.upper(),))
            assert set(versions_in(self.store, scope)) == {
                document(text).version_id for name, text in self.held.items() if label in self.labelled[name]
            }
        versions = {document(text).version_id for text in (*self.held.values(), *self.binned.values())}
        assert set(self.store.files.hashes()) - self.store.files.fresh <= versions
        for text in set(self.held.values()):
            assert tree(self.store, document(text).version_id) == cut(document(text), self.cuts[text])
        before, self.table = self.table, load_leaves(self.store, self.table)
        assert set(self.table.version_ids) == {document(text).version_id for text in self.held.values()}
        rows = set(self.table.rows.tolist())
        # A row that was gone once never comes back.
        assert not rows & (self.rows_seen - set(before.rows.tolist()))
        self.rows_seen |= rows
        self.table.vectors.load()  # what is kept is carried from state to state, also over the death of a process
        assert np.array_equal(self.table.vectors.of(), load_leaves(self.store).vectors.of())


Library.TestCase.settings = settings(
    max_examples=settings.default.max_examples // 3, stateful_step_count=30, deadline=None
)
test_a_library_is_what_was_done_to_it = Library.TestCase
