"""Code by its syntax: a function, class or test is a parent, and its leaves are cut between statements.

Documents of kind code, fenced code in any other document, and a notebook's cells; all else as ``structure`` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.chunking.atoms import (
    CUT_LEAD_IN,
    CUT_LINE,
    CUT_PARAGRAPH,
    CUT_TITLE,
    Atom,
    Splitter,
    lines,
)
from core.chunking.chunkers.structure import Item, structured
from core.chunking.leaves import build_groups
from core.chunking.plan import ChunkingContext, Plan
from core.syntax import Syntax, Unit, Unread, grammar_of
from core.text.spans import trim
from core.types import Block, BlockKind, Document, Span

_TINY = 3  # a type's first words are few where they take at most a third of max_tokens
_AFTER_HEAD = 1.0  # a type's first words stay with its first method where a leaf holds both
_LARGE = 3  # two neighbours of more than a third of a parent never share one
_KIND = "signature"
_DEEPER = 0.08
_TORN_LINE = 0.3
_AFTER_BLANK = 0.1
_FENCES = ("```", "~~~")


def code(context: ChunkingContext) -> Plan:
    """Parents are whole units where they fit, leaves their statements; a leaf parted from its signature repeats it.

    A unit that fits one leaf is whole, and shares it with neighbours that fit too. A larger one begins with its
    signature, docstring and first statements. A unit larger than a parent is split into those it holds. Without a
    grammar: ``structure``.
    """
    document = context.document
    if document.kind == "code":
        language = document.metadata.get("language", "")
        syntax = context.syntax([(language, Span(0, len(document.text)))])[0]
        if isinstance(syntax, Unread):
            why = f"no grammar here reads {language}" if language else "its language is not known"
            if syntax == Unread.COSTLY:
                why = "the syntax of this text could not be read in time"
            return structured(context).instead("structure", why)
        atoms = _Atomiser(context, syntax, 0).atoms(syntax.units)
        notes = (
            ()
            if _same(syntax, language)
            else (f"read as {syntax.language}: its name says {language}, its text does not",)
        )
        return Plan(build_groups(context, atoms), notes=notes)
    blocks = _Blocks(context)
    return structured(context, own=blocks.atoms).saying(*blocks.notes)  # known once they were cut


def _same(syntax: Syntax, language: str) -> bool:
    own = grammar_of(language)
    return own is None or own.name == syntax.language or syntax.language in own.kin


class _Blocks:
    """The code blocks of a document that is not code itself. ``read``: how many of them a grammar read."""

    def __init__(self, context: ChunkingContext) -> None:
        self._context = context
        self._costly: set[Span] = set()
        self.read = 0
        text = context.document.text
        whole = ((block.language, trim(text, block.start, block.end)) for block in _coded(context.document))
        context.syntax([(language, _inside(text, span)) for language, span in whole if span])  # all in one request

    @property
    def notes(self) -> tuple[str, ...]:
        """What is said of the blocks that were cut as ``structure`` does."""
        if count := len(self._costly):
            what = "this text" if not self.read else "a block of code" if count == 1 else f"{count} blocks of code"
            return (f"instead: structure; the syntax of {what} could not be read in time",)
        return () if self.read else ("instead: structure; this text holds no code that a grammar reads",)

    def atoms(self, item: Item, number: int, heading: int, limit: int, first: int) -> list[Atom] | None:
        """The block's units and statements, its fence with the first and last of them; ``None``: not ours."""
        block, context = item.block, self._context
        if item.kind != BlockKind.CODE or block is None or not block.language:
            return None
        inner = _inside(context.document.text, Span(item.start, item.end))
        syntax = context.syntax([(block.language, inner)])[0]
        if isinstance(syntax, Unread):
            if syntax == Unread.COSTLY:
                self._costly.add(inner)
            return None
        self.read += 1
        tokens = context.tokens
        if tokens.count(item.start, item.end) <= first:
            found = Atom(item.start, item.end, "code block", number, item.bound)
            found.metadata = {**syntax.metadata(0, inner.length), **_kinds(syntax.units)}
            return [found]
        fence = tokens.count(item.start, inner.start) + tokens.count(inner.end, item.end)
        room = min(limit, first) - fence
        if room < 1:
            return None
        atoms = _Atomiser(context, syntax, inner.start, heading, room, number).atoms(syntax.units)
        if not atoms:
            return None
        atoms[0].start, atoms[0].cut, atoms[-1].end = item.start, item.bound, item.end
        atoms[0].why = atoms[0].parent_why = ""
        return atoms


def _coded(document: Document) -> Iterator[Block]:
    return (block for block in document.blocks if block.kind == BlockKind.CODE and block.language)


def _inside(text: str, span: Span) -> Span:
    """What stands between a block's fences; all of it where it has none.

    >>> _inside("```py\\nx = 1\\n```", Span(0, 15))
    Span(start=6, end=11)
    """
    if not text.startswith(_FENCES, span.start):
        return span
    start = text.find("\n", span.start, span.end)
    end = text.rfind("\n", span.start, span.end)
    closed = text[end + 1 : span.end].strip()
    if end <= start or not closed.startswith(_FENCES):
        end = span.end
    return (trim(text, start, end) if start >= 0 else None) or span


def _kinds(units: Sequence[Unit]) -> dict[str, tuple[str, ...]]:
    return {"unit": tuple(dict.fromkeys(unit.kind for unit in units))}


@dataclass(slots=True)
class _Run:
    """A unit that a parent holds whole, or a part of one that none does. ``header``: the signature around it."""

    unit: Unit
    size: int
    header: Span | None
    within: str


class _Atomiser:
    """Units to atoms, each at most as large as the leaf it may begin. Spans are the document's: ``base`` is added."""

    def __init__(
        self, context: ChunkingContext, syntax: Syntax, base: int, heading: int = -1, limit: int = 0, item: int = 0
    ) -> None:
        self._context, self._syntax, self._base = context, syntax, base
        self._heading, self._item = heading, item
        self._room_here = room = context.room(heading)
        self._limit = limit or max(1, room - context.overlap(room))
        self._splitter = Splitter(context.tokens)
        self._in_code = not limit

    def atoms(self, units: Sequence[Unit]) -> list[Atom]:
        runs: list[_Run] = []
        self._flatten(units, None, "", runs)
        settings, made = self._context.settings, []
        before: _Run | None = None
        for number, run in enumerate(runs):
            found = self._run(run, self._item + number if self._in_code else self._item)
            if before is not None:
                self._part(found[0], run, before, settings.parent_room // _LARGE)
            for atom in found:
                atom.flow, atom.heading = number, self._heading
            made.extend(found)
            before = run
        return made

    def _part(self, atom: Atom, run: _Run, before: _Run, large: int) -> None:
        """What it takes to part two units: nothing, and where either fills more than a leaf they are parted.

        So small neighbours share a leaf, and no leaf holds the end of a unit and the beginning of the next.
        """
        if before.unit.kind == "statements" and self._is_remark(before.unit):
            atom.cut = CUT_TITLE
            return
        if before.unit.kind.startswith("head of ") and before.size <= self._context.settings.max_tokens // _TINY:
            atom.cut = _AFTER_HEAD
            return
        atom.cut = CUT_PARAGRAPH
        if max(run.size, before.size) > self._limit:
            atom.why = f"{run.unit.title} starts here"
        if min(run.size, before.size) > large and self._in_code:
            atom.parent_why = atom.why

    def _is_remark(self, unit: Unit) -> bool:
        text = self._context.document.text
        rows = lines(text, unit.start + self._base, unit.end + self._base)
        return len(rows) <= 3 and all(text.startswith(("#", "//", "/*", "*", "--"), row.start) for row in rows)

    def _flatten(self, units: Sequence[Unit], header: Span | None, within: str, runs: list[_Run]) -> None:
        """Units as large as a leaf or that hold no others stay; the rest are parted into those they hold."""
        for unit in units:
            size = self._context.tokens.count(unit.start + self._base, unit.end + self._base)
            runs_on = unit.kind in {"function", "method", "test"}  # its statements say one thing together
            most = self._context.settings.parent_room if runs_on else self._limit
            if unit.children and size > most:
                self._flatten(unit.children, self._shifted(unit.signature), unit.path, runs)
            else:
                runs.append(_Run(unit, size, header, unit.path or within))

    def _shifted(self, span: Span) -> Span:
        return Span(span.start + self._base, span.end + self._base)

    def _run(self, run: _Run, item: int) -> list[Atom]:
        unit, context = run.unit, self._context
        span = self._shifted(unit.span)
        header = run.header if run.header is not None and run.header.end <= span.start else None
        limit = self._room(header)
        if run.size <= limit:
            found = [Atom(span.start, span.end, unit.title, item, CUT_PARAGRAPH)]
            self._mark(found, run, header)
            return found
        own = self._shifted(unit.signature)
        signed = bool(unit.name) and own.end < span.end
        limit = min(limit, self._room(own if signed else header))
        edges = self._edges(unit, span, limit)
        found = []
        for (start, cut), (end, _) in pairwise(edges):
            piece = trim(context.document.text, start, end)
            if piece is None:
                continue
            name = f"statement of {unit.title}" if found else unit.title
            if context.tokens.count(piece.start, piece.end) <= limit:
                found.append(Atom(piece.start, piece.end, name, item, cut))
            else:
                rows = lines(context.document.text, piece.start, piece.end)
                found.extend(self._splitter.parts(rows, name, item, limit, limit, cut, CUT_LINE))
        self._mark(found, run, header)
        if signed:
            for atom in found[1:]:
                if own.end <= atom.start:
                    atom.header = own
        return found

    def _room(self, header: Span | None) -> int:
        if header is None:
            return self._limit
        lost = self._room_here - self._context.room(self._heading, header, kind=_KIND)
        return max(1, self._limit - lost)

    def _edges(self, unit: Unit, span: Span, limit: int) -> list[tuple[int, float]]:
        """Where the unit may be cut and what each cut costs; its ends included."""
        context, base, text = self._context, self._base, self._context.document.text

        def fits(start: int, end: int) -> bool:
            return context.tokens.count(start + base, end + base) <= limit

        signature_end = self._shifted(unit.signature).end if unit.name else span.start
        if context.tokens.count(span.start, signature_end) > limit // 2:
            signature_end = span.start
        doc = self._shifted(unit.doc) if unit.doc is not None else None
        edges: list[tuple[int, float]] = [(span.start, CUT_PARAGRAPH)]
        first = True
        for place, depth in self._syntax.cuts(unit.span, fits):
            at = place + base
            if at < signature_end:
                continue
            line = text.rfind("\n", 0, at) + 1
            blank = not text[max(0, line - 2) : line].strip()
            cut = CUT_LINE / 3 + min(depth, 5) * _DEEPER
            cut += 0.0 if not text[line:at].strip() else _TORN_LINE
            cut = max(0.02, cut - _AFTER_BLANK) if blank else cut
            if first and unit.name:
                cut = CUT_LEAD_IN  # the body's first words stay with the signature
            elif doc is not None and doc.end <= at and not text[doc.end : at].strip():
                cut = CUT_TITLE
            first = False
            edges.append((at, cut))
        return [*edges, (span.end, 0.0)]

    def _mark(self, atoms: Sequence[Atom], run: _Run, header: Span | None) -> None:
        for atom in atoms:
            atom.header, atom.header_kind = header, _KIND
            facts = self._syntax.metadata(atom.start - self._base, atom.end - self._base)
            facts["unit"] = (run.unit.kind,)
            if run.within:
                facts["within"] = (run.within,)
            atom.metadata = facts
