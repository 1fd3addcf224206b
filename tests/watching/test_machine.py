"""Any order of what people do to files, a look in between or not: in the end folder and library are equal."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from core.library import Library
from tests.fast_encoder import FastEncoder
from tests.watching.keeper import held, keep, sweep, there, touch, work, write

FOLDERS = ("notes", "archive")
WAYS = st.sampled_from(["a.md", "b.md", "deep/a.md", "deep/b.md", "deep/er/c.md"])
TEXTS = st.sampled_from([f"The {animal} lives by the river.\n" for animal in ("otter", "heron", "badger", "vole")])
PLACES = st.sampled_from(FOLDERS)


class Files(RuleBasedStateMachine):
    """Two folders in step with one library. ``texts``: all that ever stood in a file."""

    @initialize()
    def open(self) -> None:
        self.root = Path(tempfile.mkdtemp())
        self.encoder = FastEncoder()
        self.library = Library.open(self.root / "library", encoder=self.encoder)
        self.texts: set[str] = set()
        for name in FOLDERS:
            (self.root / name).mkdir()
            self.library.folders.add(self.root / name)

    def teardown(self) -> None:
        if hasattr(self, "library"):
            self.equal()
            assert self.library.verify() == []
            self.library.close()
            shutil.rmtree(self.root)

    @rule(place=PLACES, way=WAYS, text=TEXTS)
    def write(self, place, way, text) -> None:
        """Create a file, or change one."""
        write(self.root / place / way, text)
        self.texts.add(text)

    @rule(place=PLACES, way=WAYS)
    def delete(self, place, way) -> None:
        (self.root / place / way).unlink(missing_ok=True)

    @rule(place=PLACES, way=WAYS)
    def touch(self, place, way) -> None:
        if (self.root / place / way).exists():
            touch(self.root / place / way)

    @rule(place=PLACES, way=WAYS, to_place=PLACES, to_way=WAYS)
    def move(self, place, way, to_place, to_way) -> None:
        """Rename a file, also over another one and into the other folder; its time stays as it was."""
        source, target = self.root / place / way, self.root / to_place / to_way
        if source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            source.replace(target)

    @rule(place=PLACES, away=st.sampled_from(["deep", "deep/er"]), name=st.sampled_from(["deep", "other", "deep/er"]))
    def rename_folder(self, place, away, name) -> None:
        source, target = self.root / place / away, self.root / place / name
        if source.exists() and not target.exists() and target.parent.exists() and source not in target.parents:
            source.rename(target)

    @rule()
    def look(self) -> None:
        sweep(self.library, sure=True)

    @rule()
    def read(self) -> None:
        work(self.library)

    @rule()
    def equal(self) -> None:
        for _ in range(2):
            keep(self.library, sure=True)
        for name in FOLDERS:
            assert held(self.library, self.root / name) == there(self.root / name)
        assert self.library.queue.jobs() == []
        assert all(each.reading == each.failed == each.left == 0 for each in self.library.folders.standing())
        assert len(self.encoder.texts) <= len(self.texts)  # each text once, wherever it went


TestFiles = Files.TestCase
_THOROUGH = settings().max_examples >= 1000
# Longer lives than these are more than Hypothesis draws for one example.
TestFiles.settings = settings(max_examples=50 if _THOROUGH else 15, stateful_step_count=150 if _THOROUGH else 40)
