"""What comes in to documents that are cut and wait for their vectors: itself, and the files attached to it."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.cancellation import watched
from core.chunking import cut_edited, recipe_fingerprint
from core.chunking.auditing import audit as audit_tree
from core.chunking.edits.replay import Replayed
from core.chunking.plan import BY_VECTORS, ChunkerResources, SectionStarts, Writer
from core.chunking.prefixes import encoder_inputs
from core.chunking.prepared_document import PreparedDocument
from core.chunking.situating import with_aliases
from core.embedding import CachedEncoder, EmbeddingModel
from core.enriching import enrich
from core.errors import CancelledError, LecternError, ModelError, ParseError, PasswordNeededError, StorageError
from core.ingest.cached_writer import KeptWriter
from core.ingest.file_reading import HEAD_BYTES, MOST_TEXT_BYTES, kind_of, read_incoming, require_size
from core.ingest.passwords import Passwords
from core.ingest.prepared import Cut, DocumentRecipe, Incoming, Member, Prepared, describe
from core.ingest.teaching_section_starts import Progress, starts_for
from core.parsing import parse, parser_fingerprint
from core.parsing.file_kinds import detect_kind
from core.parsing.file_names import distinct_names
from core.parsing.sandbox.syntax import SandboxedSyntax
from core.settings import ParsingSettings, Settings
from core.storage.catalogue import chunks, documents, sources, tiers, trash
from core.storage.catalogue.chunks import Recipe
from core.storage.catalogue.edits import edits_ahead
from core.storage.catalogue.following_judgments import VersionText
from core.storage.catalogue.meaning import lacks_meaning
from core.storage.catalogue.names import BEHIND
from core.storage.catalogue.recipes import own_chunking
from core.storage.faults import disk_faults
from core.storage.index.cache import CatalogueVectors
from core.storage.store import Store
from core.types import Attachment, Document, Encoder, TokenCounter

_LOG = logging.getLogger(__name__)

DEEPEST = 5  # mails in mails: what lies deeper is named in the notes of the last one

Tell = Callable[[str, int, int], None]
Parse = Callable[[bytes, str, ParsingSettings, Tell | None, str | None], Document]  # as ``core.parsing.parse``


@dataclass(frozen=True, slots=True)
class Preparer:
    """Reads, parses and cuts. ``recut``: versions that are in the library, each by itself, attachments left alone.

    ``teaches``: what the library has to teach a chunker is learned where it never was, and a language model is asked
    what it never was; a mere look goes without, and notes in ``wanted`` the tokens of each prompt that it left.
    ``parse``: reads files, ``None``: as ever.
    """

    store: Store
    model: EmbeddingModel
    settings: Settings
    generation: int
    passwords: Passwords
    recut: bool = False
    teaches: bool = True
    writer: Writer | None = None
    parse: Parse | None = None
    wanted: list[int] = field(default_factory=list)
    _recipes: dict[tuple[str, DocumentRecipe], Recipe] = field(default_factory=dict)
    _starts: dict[str, SectionStarts | None] = field(default_factory=dict)

    def prepare(self, index: int, item: Incoming, tell: Tell, first: Callable[[str], None]) -> Prepared | None:
        """The item's documents; ``None`` for a version to be cut anew that has left the library.

        ``first(version)`` must store a version that still waits, so that it is read and titled by its first name.
        Raises ``LecternError`` with a sentence, and whatever ``tell(stage, done, total)`` raises.
        """
        tell("reading", 0, 1)
        data, stamp = read_incoming(item)
        version_id = item.content_hash or hashlib.sha256(data or b"").hexdigest()
        if self.recut and documents.version(self.store, version_id) is None:
            return None  # its last source was removed meanwhile
        # What is in the catalogue comes by its shown name: an attachment is read and titled by its own.
        own = item.name.rpartition(BEHIND)[2] if self.recut or item.source is not None else item.name
        stays = self.recut or item.source is not None
        before = None if stays else sources.predecessor(self.store, name=own, path=item.path)
        head = Member(item.name, own, version_id, path=item.path, stamp=stamp, source=item.source, before=before)
        run = _Run(self, tell, first)
        run.add(head, data, depth=0)
        return Prepared(index, item, tuple(run.members), tuple(run.failed))

    def document_recipe(
        self, version_id: str, kind: str, text: str | None = None, before: str | None = None
    ) -> DocumentRecipe:
        """How a version of this kind is cut now: by its own recipe, else its kind's, else the library's settings.

        ``text``: what it is to be stored with, ``None`` where it is stored already. ``before``: the version its source
        is about to leave for it, which hands its edits and own recipe on; ``None`` where none does.
        """
        chunking = own_chunking(self.store, kind, version_id, before) or self.settings.chunking
        new = None if text is None else VersionText(text, documents.text_hash(text))
        return DocumentRecipe(chunking, tuple(edits_ahead(self.store, version_id, new, before)))

    def recipe(self, parser: str, recipe: DocumentRecipe) -> Recipe:
        """The recipe of a document of this parser, as it is kept."""
        if (parser, recipe) not in self._recipes:
            resources = self.chunker_resources(recipe.chunking.chunker, self.model.encoder)
            fingerprint = recipe_fingerprint(
                parser, recipe.chunking, self.model.counter.fingerprint, resources, recipe.edits
            )
            values: dict[str, object] = {"parser": parser, "chunking": asdict(recipe.chunking)}
            if recipe.edits:
                values["edits"] = len(recipe.edits)
            self._recipes[parser, recipe] = Recipe(fingerprint, describe(recipe.chunking, len(recipe.edits)), values)
        return self._recipes[parser, recipe]

    def chunker_resources(
        self, chunker: str, encoder: Encoder, progress: Progress | None = None, version_id: str = ""
    ) -> ChunkerResources:
        """What a chunker is handed for a document. What is to be learned for it is learned here; ``progress`` may raise
        to stop.
        """
        if chunker not in self._starts:
            self._starts[chunker] = starts_for(self.store, self.model, chunker, progress, learn=self.teaches)
        syntax = SandboxedSyntax(self.settings.parsing)
        kept = self.writer and KeptWriter(self.store, self.writer, version_id, self.teaches, self.wanted)
        resources = ChunkerResources(encoder, self._starts[chunker], kept, kept, syntax)
        return replace(resources, tell=progress) if progress else resources

    def is_cut(self, version_id: str, parser: str, recipe: DocumentRecipe, *, left: bool = False) -> bool:
        """Whether a version is cut as it would be cut now, and encoded, unless it is ``left`` to its words."""
        stored = chunks.recipe(self.store, version_id, self.generation)
        cut = stored is not None and stored.fingerprint == self.recipe(parser, recipe).fingerprint
        return cut and (left or not lacks_meaning(self.store, version_id, self.generation))

    def is_left(self, member: Member) -> bool:
        """Whether a document is left to its words, once its source points to it."""
        if self.recut:
            return tiers.is_left(self.store, member.version_id)
        found = sources.find_source(self.store, name=member.name, path=member.path, parent=member.parent)
        source = found if member.source is None else member.source
        return source is not None and tiers.is_left(self.store, member.version_id, source)

    def cut(
        self,
        document: Document,
        parser: str,
        recipe: DocumentRecipe,
        tell: Callable[[str, int, int], None] | None = None,
    ) -> tuple[Replayed, int]:
        """A document cut this way, and how many sentences were encoded to find out where.

        ``tell(stage, done, total)`` may raise to stop.
        """
        counter: TokenCounter = self.model.counter
        progress = partial(tell, "chunking") if tell else None
        if tell:
            counter = _Telling(counter, lambda: tell("chunking", 0, 1))
        own = self.model.encoder
        encoder = CachedEncoder(own, CatalogueVectors(self.store), writable=self.store.writable, progress=progress)
        resources = self.chunker_resources(recipe.chunking.chunker, encoder, progress, document.version_id)
        prepared = PreparedDocument(document, counter, resources)
        made = cut_edited(prepared, recipe.chunking, recipe.edits, parser, own.max_tokens)
        return made, encoder.encoded


@dataclass(slots=True)
class _Run:
    """The documents of one item, as they are found."""

    by: Preparer
    tell: Tell
    first: Callable[[str], None]
    members: list[Member] = field(default_factory=list)
    failed: list[tuple[str, LecternError]] = field(default_factory=list)

    def add(self, member: Member, data: bytes | None, depth: int) -> None:
        """Add a document and what is attached to it. ``data`` ``None``: its bytes are staged."""
        version_id, store = member.version_id, self.by.store
        if any(other.version_id == version_id for other in self.members):
            self.members.append(member)  # attached twice: one document, two sources
            return
        self.first(version_id)
        known = documents.version(store, version_id)
        parser = parser_fingerprint(known.kind, self.by.settings.parsing) if known else ""
        # Handed in again, a document of which pages are unread gets another chance: a busy machine may have cost them.
        again = data is not None and known and any(p.reading == "unread" for p in documents.pages(store, version_id))
        if known is None or again or known.parser != parser:
            if data is None:
                path = store.files.path(version_id)
                with disk_faults(path):
                    size = path.stat().st_size if path.is_file() else 0  # what is gone, reading it tells
                    if size > MOST_TEXT_BYTES:
                        require_size(member.shown, size, kind_of(path, size, member.name))
                data = store.files.read(version_id)
            elif len(data) > MOST_TEXT_BYTES:
                require_size(member.shown, len(data), detect_kind(data[:HEAD_BYTES], member.name))
            self._read(member, data, depth)
            return
        if data is not None:
            store.files.stage(data)  # heals an original that was lost
        recipe = self.by.document_recipe(version_id, known.kind, before=member.before)
        # A recipe is named by what was learned: where that takes minutes, it can be watched and stopped here.
        self.by.chunker_resources(recipe.chunking.chunker, self.by.model.encoder, partial(self.tell, "chunking"))
        if self.by.is_cut(version_id, known.parser, recipe, left=self.by.is_left(member)):
            self.members.append(member)
        else:
            document = documents.document(store, version_id)
            self.members.append(replace(member, cut=self._cut(member, document, recipe, known.size_bytes, None)))
        if self.by.recut:
            return
        for attached in trash.attachments(store, version_id):
            if attached.along or not attached.trashed:
                source = attached.source if attached.trashed else None
                below = self._attached(member, attached.name, attached.version_id, source)
                error = self._try(below, None, depth + 1)
                if error is not None:
                    self.failed.append((below.shown, error))

    def _read(self, member: Member, data: bytes, depth: int) -> None:
        """A document not in the library yet, or read by an older parser."""
        parsing, read = self.by.settings.parsing, self.by.parse or parse
        with defects_told(member.shown):
            document = self.by.passwords.open(
                member.version_id, lambda password: read(data, member.name, parsing, self.tell, password)
            )
        place = len(self.members)
        self.members.append(member)
        aside = {
            other.name
            for other in trash.attachments(self.by.store, member.version_id)
            if other.trashed and not other.along
        }
        notes = list(document.notes)
        # The catalogue tells attachments apart by name.
        apart = distinct_names(attachment.name for attachment in document.attachments)
        names = [
            name
            for name, attachment in zip(apart, document.attachments, strict=True)
            if name in aside or self._attach(member, replace(attachment, name=name), depth, notes)
        ]
        document = replace(document, notes=tuple(notes), attachments=())
        recipe = self.by.document_recipe(member.version_id, document.kind, document.text, member.before)
        self.members[place] = replace(member, cut=self._cut(member, document, recipe, len(data), tuple(names)))
        self.by.store.files.stage(data)

    def _attach(self, mail: Member, attachment: Attachment, depth: int, notes: list[str]) -> bool:
        """Add an attachment; one that cannot be read fails alone and is named in the mail's notes."""
        said = f"The attachment {attachment.name} was not read"
        if depth >= DEEPEST:
            notes.append(f"{said}: it lies more than {DEEPEST} mails deep.")
            return False
        version_id = hashlib.sha256(attachment.data).hexdigest()
        error = self._try(self._attached(mail, attachment.name, version_id, None), attachment.data, depth + 1)
        if isinstance(error, PasswordNeededError):
            notes.append(f"{said}: it is encrypted. Save it as a file and add that with its password.")
        elif error is not None:
            notes.append(f"{said}: {error.problem}")
        return error is None

    def _attached(self, mail: Member, name: str, version_id: str, source: int | None) -> Member:
        before = mail.before and sources.predecessor(self.by.store, name=name, parent=mail.before)
        shown = mail.shown + BEHIND + name
        return Member(shown, name, version_id, parent=mail.version_id, source=source, before=before)

    def _try(self, member: Member, data: bytes | None, depth: int) -> LecternError | None:
        """Add an attachment and what is in it, or return why it cannot be read and add nothing."""
        before = len(self.members)
        try:
            self.add(member, data, depth)
        except (CancelledError, StorageError, ModelError):
            raise
        except LecternError as error:
            del self.members[before:]
            return error
        return None

    def _cut(
        self,
        member: Member,
        document: Document,
        recipe: DocumentRecipe,
        size_bytes: int,
        attached: tuple[str, ...] | None,
    ) -> Cut:
        parser = parser_fingerprint(document.kind, self.by.settings.parsing)
        model = self.by.model
        asks = recipe.chunking.asks or recipe.chunking.chunker in (*BY_VECTORS, "learned", "proposed")
        tell = self.tell if asks else given_up_after(self.by.settings.parsing.timeout_seconds, self.tell, "Cutting")
        with defects_told(member.shown), watched(partial(tell, "chunking", 0, 1)):
            made, sentences = self.by.cut(document, parser, recipe, tell)
            audit = audit_tree(made.tree, made.switched_off)
            found = enrich(made.tree)
            inputs = encoder_inputs(made.tree, recipe.chunking, model.counter, model.encoder.max_tokens)
            texts = () if self.by.is_left(member) else with_aliases(made.tree, inputs)
        return Cut(
            made.tree, audit, self.by.recipe(parser, recipe), parser, size_bytes, texts, attached, found, sentences
        )


def given_up_after(seconds: float, tell: Tell, what: str) -> Tell:
    """``tell``, until so long has passed: a document that takes longer costs the others no more."""
    started = time.monotonic()

    def told(stage: str, done: int, total: int) -> None:
        tell(stage, done, total)
        if time.monotonic() - started > seconds:
            raise ParseError(
                f"{what} it took more than {seconds:g} s and was given up.", "Split the file and add its parts."
            )

    return told


class _Telling:
    """A ``TokenCounter`` that tells whenever it is asked, so that a long document can be cancelled while it is cut."""

    def __init__(self, counter: TokenCounter, tell: Callable[[], None]) -> None:
        self.fingerprint = counter.fingerprint
        self.specials = counter.specials
        self._counter = counter
        self._tell = tell

    def offsets(self, text: str) -> NDArray[np.int64]:
        self._tell()
        return self._counter.offsets(text)

    def count(self, texts: Sequence[str]) -> list[int]:
        self._tell()
        return self._counter.count(texts)


@contextmanager
def defects_told(name: str) -> Iterator[None]:
    """A file on which a parser or chunker proves defective fails alone: a batch never stops at one bad file."""
    try:
        yield
    except LecternError:
        raise
    except Exception as error:  # whatever hostile bytes bring about; logged whole, and the other files go on
        _LOG.exception("%s could not be read.", name)
        raise ParseError(
            f"{name} could not be read: Lectern made a mistake ({type(error).__name__}: {str(error)[:200]}).",
            "Please report it; the other files are not touched.",
        ) from error
