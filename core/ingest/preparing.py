"""``Preparer``: turns an item into parsed and chunked documents, its attachments included, ready to be encoded."""

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

from core.cancellation import cancellation_check
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
from core.ingest.cached_writer import CachedWriter
from core.ingest.file_reading import HEAD_BYTES, MAX_TEXT_BYTES, kind_of, read_incoming, require_size
from core.ingest.passwords import Passwords
from core.ingest.prepared import Cut, DocumentRecipe, Incoming, Member, Prepared, describe
from core.ingest.teaching_section_starts import Progress, starts_for
from core.parsing import parse, parser_fingerprint
from core.parsing.file_kinds import detect_kind
from core.parsing.file_names import distinct_names
from core.parsing.sandbox.syntax import SandboxedSyntax
from core.settings import ParsingSettings, Settings
from core.storage.catalogue.filing import sources, tiers, trash
from core.storage.catalogue.filing.names import NAME_SEPARATOR
from core.storage.catalogue.texts import chunks, documents
from core.storage.catalogue.texts.chunks import Recipe
from core.storage.catalogue.texts.edits import prospective_edits
from core.storage.catalogue.texts.following_judgments import VersionText
from core.storage.catalogue.texts.meaning import has_unencoded_leaves
from core.storage.catalogue.texts.recipes import own_chunking
from core.storage.faults import disk_faults
from core.storage.index.cache import CatalogueVectors
from core.storage.store import Store
from core.types import Attachment, Document, Encoder, TokenCounter, VectorCache

_LOG = logging.getLogger(__name__)

MAX_MAIL_DEPTH = 5  # of mails in mails; deeper attachments are only listed in the notes of their mail

Tell = Callable[[str, int, int], None]
Parse = Callable[[bytes, str, ParsingSettings, Tell | None, str | None], Document]  # as ``core.parsing.parse``


@dataclass(frozen=True, slots=True)
class Preparer:
    """Reads, parses and chunks items.

    ``recut``: the items are versions in the library, to be chunked again without their attachments. ``teaches``:
    ``False`` for a dry run: no chunker is trained and no language model is called; ``skipped_prompts`` then receives
    the approximate number of tokens of each prompt. ``parse``: the parser; ``None`` for ``core.parsing.parse``.
    ``lender``: as in ``Ingest``.
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
    lender: VectorCache | None = None
    skipped_prompts: list[int] = field(default_factory=list)
    _recipes: dict[tuple[str, DocumentRecipe], Recipe] = field(default_factory=dict)
    _starts: dict[str, SectionStarts | None] = field(default_factory=dict)

    def prepare(self, index: int, item: Incoming, tell: Tell, flush: Callable[[str], None]) -> Prepared | None:
        """The item's documents; ``None`` for a version to chunk again that was removed from the library meanwhile.

        ``flush(version_id)``: called before a version is looked up; it must store that version if it is still in a
        batch, so that a second source of the same bytes finds it. Raises ``LecternError``, and what
        ``tell(stage, done, total)`` raises.
        """
        tell("reading", 0, 1)
        data, stamp = read_incoming(item)
        version_id = item.content_hash or hashlib.sha256(data or b"").hexdigest()
        if self.recut and documents.version(self.store, version_id) is None:
            return None
        in_catalogue = self.recut or item.source is not None
        # Items from the catalogue have a display name; the parser needs an attachment's own name.
        own_name = item.name.rpartition(NAME_SEPARATOR)[2] if in_catalogue else item.name
        before = None if in_catalogue else sources.predecessor(self.store, name=own_name, path=item.path)
        head = Member(item.name, own_name, version_id, path=item.path, stamp=stamp, source=item.source, before=before)
        preparation = _ItemPreparer(self, tell, flush)
        preparation.add(head, data, depth=0)
        return Prepared(index, item, tuple(preparation.members), tuple(preparation.failed))

    def document_recipe(
        self, version_id: str, kind: str, text: str | None = None, before: str | None = None
    ) -> DocumentRecipe:
        """The current recipe of a version: its own, its kind's or the library's settings, with its manual edits.

        ``text``: the text it will be stored with; ``None`` if it is stored. ``before``: the version from which it will
        take over edits and own recipe, or ``None``.
        """
        chunking = own_chunking(self.store, kind, version_id, before) or self.settings.chunking
        new = None if text is None else VersionText(text, documents.text_hash(text))
        return DocumentRecipe(chunking, tuple(prospective_edits(self.store, version_id, new, before)))

    def recipe(self, parser: str, recipe: DocumentRecipe) -> Recipe:
        """The stored form of a document's recipe, with the fingerprint of everything that determines its chunks."""
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
        """What a chunker needs besides the document. May train the chunker, which ``progress`` may stop by raising."""
        if chunker not in self._starts:
            self._starts[chunker] = starts_for(self.store, self.model, chunker, progress, learn=self.teaches)
        syntax = SandboxedSyntax(self.settings.parsing)
        writer = self.writer and CachedWriter(self.store, self.writer, version_id, self.teaches, self.skipped_prompts)
        resources = ChunkerResources(encoder, self._starts[chunker], writer, writer, syntax)
        return replace(resources, tell=progress) if progress else resources

    def is_cut(self, version_id: str, parser: str, recipe: DocumentRecipe, *, left: bool = False) -> bool:
        """Whether a version is chunked by this recipe and, unless lexical-only (``left``), fully encoded."""
        stored = chunks.recipe(self.store, version_id, self.generation)
        up_to_date = stored is not None and stored.fingerprint == self.recipe(parser, recipe).fingerprint
        return up_to_date and (left or not has_unencoded_leaves(self.store, version_id, self.generation))

    def is_lexical_only(self, member: Member) -> bool:
        """Whether a document is lexical-only once its source points to it."""
        if self.recut:
            return tiers.is_lexical_only(self.store, member.version_id)
        source = member.source
        if source is None:
            source = sources.find_source(self.store, name=member.name, path=member.path, parent=member.parent)
        return source is not None and tiers.is_lexical_only(self.store, member.version_id, source)

    def cut(
        self,
        document: Document,
        parser: str,
        recipe: DocumentRecipe,
        tell: Callable[[str, int, int], None] | None = None,
    ) -> tuple[Replayed, int]:
        """Chunk a document; returns the result and the number of sentences encoded for it.

        ``tell(stage, done, total)`` may raise to stop.
        """
        counter: TokenCounter = self.model.counter
        progress = partial(tell, "chunking") if tell else None
        if tell:
            counter = _ReportingCounter(counter, lambda: tell("chunking", 0, 1))
        own = self.model.encoder
        cache = CatalogueVectors(self.store, self.lender)
        encoder = CachedEncoder(own, cache, writable=self.store.writable, progress=progress)
        resources = self.chunker_resources(recipe.chunking.chunker, encoder, progress, document.version_id)
        prepared = PreparedDocument(document, counter, resources)
        result = cut_edited(prepared, recipe.chunking, recipe.edits, parser, own.max_tokens)
        return result, encoder.encoded


@dataclass(slots=True)
class _ItemPreparer:
    """Collects the documents of one item in ``members``, and attachments that failed in ``failed``."""

    by: Preparer
    tell: Tell
    flush: Callable[[str], None]
    members: list[Member] = field(default_factory=list)
    failed: list[tuple[str, LecternError]] = field(default_factory=list)

    def add(self, member: Member, data: bytes | None, depth: int) -> None:
        """Add a document and its attachments. ``data``: ``None`` if its bytes are staged."""
        version_id, store = member.version_id, self.by.store
        if any(other.version_id == version_id for other in self.members):
            self.members.append(member)  # the same file attached twice: one document, two sources
            return
        self.flush(version_id)
        known = documents.version(store, version_id)
        parser = parser_fingerprint(known.kind, self.by.settings.parsing) if known else ""
        # Adding a file again retries unread pages, which may have failed on a busy machine.
        retry = data is not None and known and any(p.reading == "unread" for p in documents.pages(store, version_id))
        if known is None or retry or known.parser != parser:
            self._read(member, self._checked_data(member, data), depth)
            return
        if data is not None:
            store.files.stage(data)  # repairs a lost original
        recipe = self.by.document_recipe(version_id, known.kind, before=member.before)
        # The recipe's fingerprint depends on trained chunkers: train here, where progress is reported.
        self.by.chunker_resources(recipe.chunking.chunker, self.by.model.encoder, partial(self.tell, "chunking"))
        if self.by.is_cut(version_id, known.parser, recipe, left=self.by.is_lexical_only(member)):
            self.members.append(member)
        else:
            document = documents.document(store, version_id)
            self.members.append(replace(member, cut=self._cut(member, document, recipe, known.size_bytes, None)))
        if self.by.recut:
            return
        for attachment in trash.attachments(store, version_id):
            if attachment.along or not attachment.trashed:
                source = attachment.source if attachment.trashed else None
                child = self._attachment_member(member, attachment.name, attachment.version_id, source)
                error = self._try_add(child, None, depth + 1)
                if error is not None:
                    self.failed.append((child.shown, error))

    def _checked_data(self, member: Member, data: bytes | None) -> bytes:
        """The bytes to parse, read if they are staged. Raises ``ParseError`` if they are too large."""
        if data is not None:
            if len(data) > MAX_TEXT_BYTES:
                require_size(member.shown, len(data), detect_kind(data[:HEAD_BYTES], member.name))
            return data
        files = self.by.store.files
        path = files.path(member.version_id)
        with disk_faults(path):
            size = path.stat().st_size if path.is_file() else 0  # ``read`` below raises if it is missing
            if size > MAX_TEXT_BYTES:
                require_size(member.shown, size, kind_of(path, size, member.name))
        return files.read(member.version_id)

    def _read(self, member: Member, data: bytes, depth: int) -> None:
        """Parse a document that is new or was parsed by an older parser, and add it and its attachments."""
        parsing, read = self.by.settings.parsing, self.by.parse or parse
        with defects_as_parse_errors(member.shown):
            document = self.by.passwords.open(
                member.version_id, lambda password: read(data, member.name, parsing, self.tell, password)
            )
        index = len(self.members)
        self.members.append(member)
        in_trash = {
            other.name
            for other in trash.attachments(self.by.store, member.version_id)
            if other.trashed and not other.along
        }
        notes = list(document.notes)
        unique_names = distinct_names(attachment.name for attachment in document.attachments)
        names = [
            name
            for name, attachment in zip(unique_names, document.attachments, strict=True)
            if name in in_trash or self._attach(member, replace(attachment, name=name), depth, notes)
        ]
        document = replace(document, notes=tuple(notes), attachments=())
        recipe = self.by.document_recipe(member.version_id, document.kind, document.text, member.before)
        self.members[index] = replace(member, cut=self._cut(member, document, recipe, len(data), tuple(names)))
        self.by.store.files.stage(data)

    def _attach(self, mail: Member, attachment: Attachment, depth: int, notes: list[str]) -> bool:
        """Add an attachment. If it cannot be read, note that for its mail and return ``False``."""
        failure = f"The attachment {attachment.name} was not read"
        if depth >= MAX_MAIL_DEPTH:
            notes.append(f"{failure}: it lies more than {MAX_MAIL_DEPTH} mails deep.")
            return False
        version_id = hashlib.sha256(attachment.data).hexdigest()
        child = self._attachment_member(mail, attachment.name, version_id, None)
        error = self._try_add(child, attachment.data, depth + 1)
        if isinstance(error, PasswordNeededError):
            notes.append(f"{failure}: it is encrypted. Save it as a file and add that with its password.")
        elif error is not None:
            notes.append(f"{failure}: {error.problem}")
        return error is None

    def _attachment_member(self, mail: Member, name: str, version_id: str, source: int | None) -> Member:
        before = mail.before and sources.predecessor(self.by.store, name=name, parent=mail.before)
        shown = mail.shown + NAME_SEPARATOR + name
        return Member(shown, name, version_id, parent=mail.version_id, source=source, before=before)

    def _try_add(self, member: Member, data: bytes | None, depth: int) -> LecternError | None:
        """Add an attachment with its own attachments; if it cannot be read, add nothing and return the error."""
        count = len(self.members)
        try:
            self.add(member, data, depth)
        except (CancelledError, StorageError, ModelError):
            raise
        except LecternError as error:
            del self.members[count:]
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
        """Chunk a document, compute its features and collect the texts to encode. ``attached``: as in ``Cut``."""
        parser = parser_fingerprint(document.kind, self.by.settings.parsing)
        model = self.by.model
        uses_model = recipe.chunking.asks or recipe.chunking.chunker in (*BY_VECTORS, "learned", "proposed")
        tell = self.tell if uses_model else with_timeout(self.by.settings.parsing.timeout_seconds, self.tell, "Cutting")
        with defects_as_parse_errors(member.shown), cancellation_check(partial(tell, "chunking", 0, 1)):
            chunked, sentences = self.by.cut(document, parser, recipe, tell)
            tree = chunked.tree
            audit = audit_tree(tree, chunked.switched_off)
            found = enrich(tree)
            inputs = encoder_inputs(tree, recipe.chunking, model.counter, model.encoder.max_tokens)
            texts = () if self.by.is_lexical_only(member) else with_aliases(tree, inputs)
        return Cut(
            tree=tree,
            audit=audit,
            recipe=self.by.recipe(parser, recipe),
            parser=parser,
            size_bytes=size_bytes,
            texts=texts,
            attached=attached,
            found=found,
            sentences=sentences,
        )


def with_timeout(seconds: float, tell: Tell, what: str) -> Tell:
    """A ``tell`` that raises ``ParseError`` after so many seconds. ``what``: the activity, for the message."""
    started = time.monotonic()

    def limited(stage: str, done: int, total: int) -> None:
        tell(stage, done, total)
        if time.monotonic() - started > seconds:
            raise ParseError(
                f"{what} it took more than {seconds:g} s and was given up.", "Split the file and add its parts."
            )

    return limited


class _ReportingCounter:
    """A ``TokenCounter`` that reports on every call, so that chunking a long document can be cancelled."""

    def __init__(self, counter: TokenCounter, report: Callable[[], None]) -> None:
        self.fingerprint = counter.fingerprint
        self.specials = counter.specials
        self._counter = counter
        self._report = report

    def offsets(self, text: str) -> NDArray[np.int64]:
        self._report()
        return self._counter.offsets(text)

    def count(self, texts: Sequence[str]) -> list[int]:
        self._report()
        return self._counter.count(texts)


@contextmanager
def defects_as_parse_errors(name: str) -> Iterator[None]:
    """Turn unexpected exceptions of a parser or chunker into ``ParseError``, so that only this file fails."""
    try:
        yield
    except LecternError:
        raise
    except Exception as error:  # a bug, possibly triggered by a malicious file
        _LOG.exception("%s could not be read.", name)
        raise ParseError(
            f"{name} could not be read: Lectern made a mistake ({type(error).__name__}: {str(error)[:200]}).",
            "Please report it; the other files are not touched.",
        ) from error
