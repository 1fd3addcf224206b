"""A library of files in files under every order of events, against a model that knows only what contains what."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from core.chunking.edits.edits import pin
from core.errors import CancelledError
from core.library import Incoming, Library, SourceRow
from core.storage import backups
from tests.fast_encoder import FastEncoder
from tests.parcels import install, parcel

PLAIN = [f"The {animal} lives by the river.".encode() for animal in ("otter", "heron", "badger")]
INNER = parcel("An inner letter.", {"a.txt": PLAIN[0], "b.txt": PLAIN[1]})
OUTER = parcel("An outer letter.", {"inner.eml": INNER, "a.txt": PLAIN[0]})
TWIN = parcel("A twin letter.", {"x": INNER, "y": PLAIN[2]})
HOLDS: dict[bytes, dict[str, bytes]] = {
    **{plain: {} for plain in PLAIN},
    INNER: {"a.txt": PLAIN[0], "b.txt": PLAIN[1]},
    OUTER: {"inner.eml": INNER, "a.txt": PLAIN[0]},
    TWIN: {"x": INNER, "y": PLAIN[2]},
}
CONTENTS = st.sampled_from(list(HOLDS))
NAMES = st.sampled_from(["a.txt", "b.txt", "c/a.txt"])
VERSION = {hashlib.sha256(content).hexdigest(): content for content in HOLDS}
Attached = tuple[bytes, str]  # the mail, and the attachment's name in it


class FilesInFiles(RuleBasedStateMachine):
    """``held``, ``binned``: the content of each upload, live or in the trash. ``aside``: attachments that were put in
    the trash by themselves; ``gone``: that were removed there. ``judged``: contents that judgments name. ``edited``:
    how many edits name a content. ``copied``: all this as it was at the last backup.
    """

    @initialize()
    def open(self) -> None:
        self.patch = pytest.MonkeyPatch()
        install(self.patch)
        self.root = Path(tempfile.mkdtemp())
        self.turns = 0
        self.encoder = FastEncoder()
        self.library = Library.open(self.root / "0", encoder=self.encoder)
        self.held: dict[str, bytes] = {}
        self.binned: dict[str, bytes] = {}
        self.aside: set[Attached] = set()
        self.gone: set[Attached] = set()
        self.judged: set[bytes] = set()
        self.edited: Counter[bytes] = Counter()
        self.copied: tuple = ()

    def teardown(self) -> None:
        if hasattr(self, "library"):
            assert self.library.verify() == []
            self.library.close()
            shutil.rmtree(self.root)
            self.patch.undo()

    def live(self) -> set[bytes]:
        """Contents with a live source, by what holds them."""
        found = set(self.held.values())
        while more := {HOLDS[mail][own] for mail, own in self.attached(found)} - found:
            found |= more
        return found

    def attached(self, mails: set[bytes]) -> set[Attached]:
        return {(mail, own) for mail in mails for own in HOLDS[mail]} - self.aside - self.gone

    def there(self) -> set[bytes]:
        """Contents with any source at all."""
        found = {*self.held.values(), *self.binned.values()}
        while (
            more := {HOLDS[mail][own] for mail in found for own in HOLDS[mail] if (mail, own) not in self.gone} - found
        ):
            found |= more
        return found

    def settle(self) -> None:
        """What was noted of attachments goes with their mail; judgments and edits wait for their content."""
        there = self.there()
        self.aside = {(mail, own) for mail, own in self.aside if mail in there}
        self.gone = {(mail, own) for mail, own in self.gone if mail in there}

    def rows(self) -> Iterator[tuple[SourceRow, str | Attached]]:
        """Every listed source with what the model calls it."""
        for row in (*self.library.sources(), *self.library.trashed()):
            own = row.name.rpartition(" › ")[2]
            yield row, row.name if row.parent is None else (VERSION[row.parent], own)

    def id_of(self, called: str | Attached) -> int:
        return next(row.id for row, name in self.rows() if name == called)

    @rule(name=NAMES, content=CONTENTS, promptly=st.booleans())
    def put(self, name, content, promptly) -> None:
        report = self.library.ingest([Incoming(name, content_hash=self.library.stage(content))], promptly=promptly)
        assert report.failures == ()
        self.arrived(name, content)

    def arrived(self, name: str, content: bytes) -> None:
        """An upload has this content now. Judgments and edits of one that nothing live holds any more follow it there;
        those of what was attached stay, for here an attachment of the same name is the same content.
        """
        before = self.held.get(name, self.binned.pop(name, content))
        self.held[name] = content
        if before not in self.live():
            if before in self.judged:
                self.judged = self.judged - {before} | {content}
            self.edited[content] += self.edited.pop(before, 0)
        self.settle()

    def is_new(self, name: str, content: bytes) -> bool:
        """Whether nothing the library holds goes by this name or is in this content."""
        parts = {content}
        while more := {own for mail in parts for own in HOLDS[mail].values()} - parts:
            parts |= more
        twice = sum(len(HOLDS[part]) for part in parts) >= len(parts)  # an attachment of two mails is held at once
        return name not in {*self.held, *self.binned} and not parts & self.there() and not twice

    @rule(
        name=NAMES,
        content=CONTENTS,
        stage=st.sampled_from(["reading", "encoding", "storing", "finished"]),
        promptly=st.booleans(),
    )
    def put_and_stop(self, name, content, stage, promptly) -> None:
        class Stop:
            def stage(self, index, told, done, total):
                if told == stage:
                    raise CancelledError("stop")

            def finished(self, index, outcome):
                if stage == "finished":
                    raise CancelledError("stop")

        by_words = promptly and stage != "reading" and self.is_new(name, content)
        with suppress(CancelledError):
            staged = Incoming(name, content_hash=self.library.stage(content))
            report = self.library.ingest([staged], Stop(), promptly=promptly)
            assert report.failures == ()
            by_words = False
            self.arrived(name, content)
        if by_words:
            self.held[name] = content
            assert any(row.name == name and row.by_words for row in self.library.sources())

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def trash(self, data) -> None:
        name = data.draw(st.sampled_from(sorted(self.held)))
        self.library.trash([self.id_of(name)])
        self.binned[name] = self.held.pop(name)

    @precondition(lambda self: self.attached(self.live()))
    @rule(data=st.data())
    def trash_attachment(self, data) -> None:
        chosen = data.draw(st.sampled_from(sorted(self.attached(self.live()))))
        self.library.trash([self.id_of(chosen)])
        self.aside.add(chosen)

    @precondition(lambda self: self.binned or self.aside)
    @rule(data=st.data())
    def restore(self, data) -> None:
        choices = [*sorted(self.binned), *sorted(self.aside)]
        chosen = data.draw(st.lists(st.sampled_from(choices), unique=True, min_size=1))
        report = self.library.restore([self.id_of(called) for called in chosen])
        for called in chosen:
            if isinstance(called, str):
                self.held[called] = self.binned.pop(called)
        back = {called for called in chosen if not isinstance(called, str)}
        # What comes back may hold what else comes back.
        while more := {(mail, own) for mail, own in back & self.aside if mail in self.live()}:
            self.aside -= more
        refused = back & self.aside
        assert len(report.failures) == len(refused)
        assert report.encoded == 0

    @rule()
    def empty(self) -> None:
        assert self.library.empty_trash() == len(self.binned) + len(self.aside)
        self.binned.clear()
        self.gone |= self.aside
        self.aside.clear()
        self.settle()

    @precondition(lambda self: self.held or self.binned)
    @rule(data=st.data())
    def remove(self, data) -> None:
        name = data.draw(st.sampled_from(sorted({**self.held, **self.binned})))
        self.library.remove(self.id_of(name))
        self.held.pop(name, None)
        self.binned.pop(name, None)
        self.settle()

    @rule(size=st.sampled_from(["24", "110"]))
    def cut_anew(self, size) -> None:
        assert self.library.apply(self.library.settings.with_values({"chunking.max_tokens": size})).failures == ()

    @precondition(lambda self: self.live())
    @rule(data=st.data())
    def judge(self, data) -> None:
        content = data.draw(st.sampled_from(sorted(self.live())))
        self.library.judge("Who lives there?", hashlib.sha256(content).hexdigest(), 0, 8)
        self.judged.add(content)

    @precondition(lambda self: self.live())
    @rule(data=st.data(), undo=st.booleans())
    def edit(self, data, undo) -> None:
        content = data.draw(st.sampled_from(sorted(self.live())))
        version, cutting = hashlib.sha256(content).hexdigest(), self.library.cutting
        if undo:
            assert (cutting.undo(version) is None) == (self.edited[content] == 0)
            self.edited[content] = max(0, self.edited[content] - 1)
        elif not self.edited[content]:
            cutting.edit(pin(self.library.document(version), 4, 9))
            self.edited[content] += 1
        assert cutting.recut([version]).failures == ()

    @rule()
    def rebuild(self) -> None:
        assert self.library.rebuild().failures == ()

    def state(self) -> tuple:
        return deepcopy((self.held, self.binned, self.aside, self.gone, self.judged, self.edited))

    @rule()
    def back_up(self) -> None:
        self.library.back_up(if_due=False)
        self.copied = (self.there(), self.state())

    # What came in since would be set aside, and be said: that has tests of its own.
    @precondition(lambda self: self.copied and self.there() <= self.copied[0])
    @rule()
    def go_back(self) -> None:
        self.library.close()
        backups.restore(self.library.home, backups.named(self.library.home, ""))
        self.held, self.binned, self.aside, self.gone, self.judged, self.edited = deepcopy(self.copied[1])
        self.library = Library.open(self.library.home, encoder=self.encoder)

    @rule()
    def die(self) -> None:
        """What a killed process leaves: the directory as it lies, opened by another one."""
        self.turns += 1
        copy = self.root / str(self.turns)
        shutil.copytree(self.library.home, copy)
        self.library.close()
        self.library = Library.open(copy, encoder=self.encoder)

    @invariant()
    def the_library_is_the_model(self) -> None:
        if not hasattr(self, "library"):
            return
        live = self.live()
        attached = {(mail, own): HOLDS[mail][own] for mail, own in self.attached(live)}
        listed = {called: VERSION[row.version_id] for row, called in self.rows() if not row.trashed_at}
        assert listed == {**self.held, **attached}
        assert {called for row, called in self.rows() if row.trashed_at} == {*self.binned, *self.aside}
        stats = self.library.stats()
        assert (stats.sources, stats.documents) == (len(listed), len(live))
        assert stats.trash == len(self.binned) + len(self.aside)
        assert {VERSION[row.version_id] for row in self.library.judgments()} == self.judged
        for content in self.there():
            assert len(self.library.cutting.edits(hashlib.sha256(content).hexdigest())) == self.edited[content]
        hits = self.library.search("the river letter", self.library.settings.with_value("retrieval.k", 200)).hits
        found = {VERSION[hit.version_id] for hit in hits}
        # By words alone a text is not found by what most of the others say as well.
        by_words = {VERSION[row.version_id] for row in self.library.sources() if row.by_words}
        assert live - by_words <= found <= live
        assert {row.chunks > 0 for row in self.library.sources()} <= {True}


FilesInFiles.TestCase.settings = settings(
    max_examples=settings.default.max_examples // 3, stateful_step_count=20, deadline=None
)
test_files_in_files_are_what_was_done_to_them = FilesInFiles.TestCase
