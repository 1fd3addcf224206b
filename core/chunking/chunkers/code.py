"""Chunks code by its syntax: parents are functions, classes and tests, leaves are cut between statements.

Covers code files, fenced code in other documents, and notebook cells; all other text is cut as in ``structure``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.chunking.atoms import Atom
from core.chunking.chunkers.structure import Item, structured
from core.chunking.leaves import build_groups
from core.chunking.plan import ChunkingContext, Plan
from core.chunking.syntax_atoms import SyntaxAtomiser
from core.syntax import Syntax, Unit, Unread, grammar_of
from core.text.spans import trim
from core.types import Block, BlockKind, Document, Span

_FENCES = ("```", "~~~")


def code(context: ChunkingContext) -> Plan:
    """Parents are whole units (functions, classes, tests) where they fit; leaves are runs of their statements.

    Small neighbouring units share a leaf. A unit larger than a leaf begins with its signature, docstring and first
    statements, and its other leaves repeat the signature as a prefix part. A unit larger than a parent is split into
    its nested units. Without a grammar for the language, or in time: ``structure``.
    """
    document = context.document
    if document.kind == "code":
        language = document.metadata.get("language", "")
        syntax = context.syntax([(language, Span(0, len(document.text)))])[0]
        if isinstance(syntax, Unread):
            reason = f"no grammar here reads {language}" if language else "its language is not known"
            if grammar_of(language) is not None:
                reason = f"this is not {language} as its grammar has it"
            if syntax == Unread.COSTLY:
                reason = "the syntax of this text could not be read in time"
            return structured(context).as_fallback("structure", reason)
        atoms = SyntaxAtomiser(context, syntax, 0).atoms(syntax.units)
        notes: tuple[str, ...] = ()
        if not _is_expected(syntax, language):
            notes = (f"read as {syntax.language}: its name says {language}, its text does not",)
        return Plan(build_groups(context, atoms), notes=notes)
    blocks = _CodeBlocks(context)
    plan = structured(context, blocks.atoms)
    return plan.with_notes(*blocks.notes)  # the notes are complete once all blocks are cut


def _is_expected(syntax: Syntax, language: str) -> bool:
    """Whether the grammar that parsed the text is the one of ``language``, or a relative; true where there is none."""
    grammar = grammar_of(language)
    return grammar is None or grammar.name == syntax.language or syntax.language in grammar.related


class _CodeBlocks:
    """The code blocks of a document that is not a code file. ``parsed``: how many of them have a syntax tree."""

    def __init__(self, context: ChunkingContext) -> None:
        self._context = context
        self._costly: set[Span] = set()
        self.parsed = 0
        text = context.document.text
        blocks = ((block.language, trim(text, block.start, block.end)) for block in _code_blocks(context.document))
        # Parses all blocks in one call, which fills the cache.
        context.syntax([(language, _without_fences(text, span)) for language, span in blocks if span])

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes on blocks that ``structure`` cut."""
        if count := len(self._costly):
            what = "this text" if not self.parsed else "a block of code" if count == 1 else f"{count} blocks of code"
            return (f"instead: structure; the syntax of {what} could not be read in time",)
        return () if self.parsed else ("instead: structure; this text holds no code that a grammar reads",)

    def atoms(self, item: Item, number: int, heading: int, limit: int, first_limit: int) -> list[Atom] | None:
        """The atoms of a code block (see ``BlockAtoms``), fences included; ``None`` for other blocks."""
        block, context = item.block, self._context
        if item.kind != BlockKind.CODE or block is None or not block.language:
            return None
        inner = _without_fences(context.document.text, Span(item.start, item.end))
        syntax = context.syntax([(block.language, inner)])[0]
        if isinstance(syntax, Unread):
            if syntax == Unread.COSTLY:
                self._costly.add(inner)
            return None
        self.parsed += 1
        tokens = context.tokens
        if tokens.count(item.start, item.end) <= first_limit:
            atom = Atom(item.start, item.end, "code block", number, item.bound)
            atom.metadata = {**syntax.metadata(0, inner.length), **_kinds(syntax.units)}
            return [atom]
        fences = tokens.count(item.start, inner.start) + tokens.count(inner.end, item.end)
        room = min(limit, first_limit) - fences
        if room < 1:
            return None
        atoms = SyntaxAtomiser(context, syntax, inner.start, heading, room, number).atoms(syntax.units)
        if not atoms:
            return None
        atoms[0].start, atoms[0].cut, atoms[-1].end = item.start, item.bound, item.end
        atoms[0].why = atoms[0].parent_why = ""
        return atoms


def _code_blocks(document: Document) -> Iterator[Block]:
    return (block for block in document.blocks if block.kind == BlockKind.CODE and block.language)


def _without_fences(text: str, span: Span) -> Span:
    """The span between a block's fences; the whole block where it has none.

    >>> _without_fences("```py\\nx = 1\\n```", Span(0, 15))
    Span(start=6, end=11)
    """
    if not text.startswith(_FENCES, span.start):
        return span
    start = text.find("\n", span.start, span.end)
    end = text.rfind("\n", span.start, span.end)
    last_line = text[end + 1 : span.end].strip()
    if end <= start or not last_line.startswith(_FENCES):
        end = span.end
    return (trim(text, start, end) if start >= 0 else None) or span


def _kinds(units: Sequence[Unit]) -> dict[str, tuple[str, ...]]:
    return {"unit": tuple(dict.fromkeys(unit.kind for unit in units))}
