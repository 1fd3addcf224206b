"""Chunks code by its syntax: parents are functions, classes and tests, leaves are cut between statements.

Covers code files, fenced code in other documents, and notebook cells; all other text is cut as in ``structure``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.chunking.atoms import (
    CUT_LEAD_IN,
    CUT_LINE,
    CUT_PARAGRAPH,
    CUT_ROW,
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

_TINY = 3  # the head of a type is short up to a third of max_tokens
_AFTER_HEAD = 1.0  # cost of a cut after a short head of a type: it stays with the first method where both fit
_LARGE = 3  # two neighbours of more than a third of a parent each never share one
_SIGNATURE = "signature"
_DEEPER = 0.08  # cost for each level of nesting
_CUT_INSIDE_LINE = 0.3
_AFTER_BLANK = 0.1  # discount after a blank line
_OPENS = "([{<,;"
_FENCES = ("```", "~~~")
_COMMENT = ("#", "//", "/*", "*", "--")
_MARKS = 3  # a line of at most so many characters, none a letter or digit, parts the paragraphs of a comment


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
            if syntax == Unread.COSTLY:
                reason = "the syntax of this text could not be read in time"
            return structured(context).as_fallback("structure", reason)
        atoms = _Atomiser(context, syntax, 0).atoms(syntax.units)
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
        atoms = _Atomiser(context, syntax, inner.start, heading, room, number).atoms(syntax.units)
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


def _paragraphs(text: str, rows: Sequence[Span]) -> Iterator[Span]:
    r"""Runs of lines: they end at a blank line, at a line of marks alone, and where comments and code meet.

    >>> rows = [Span(0, 5), Span(6, 7), Span(8, 13), Span(14, 19)]
    >>> list(_paragraphs("# one\n#\n# two\nthree", rows))
    [Span(start=0, end=7), Span(start=8, end=13), Span(start=14, end=19)]
    """
    start = 0
    for number, row in enumerate(rows):
        after = rows[number + 1] if number + 1 < len(rows) else None
        words = text[row.start : row.end]
        if (
            after is None
            or text.count("\n", row.end, after.start) > 1
            or (number > start and len(words) <= _MARKS and not any(map(str.isalnum, words)))
            or text.startswith(_COMMENT, row.start) != text.startswith(_COMMENT, after.start)
        ):
            yield Span(rows[start].start, row.end)
            start = number + 1


def _kinds(units: Sequence[Unit]) -> dict[str, tuple[str, ...]]:
    return {"unit": tuple(dict.fromkeys(unit.kind for unit in units))}


@dataclass(slots=True)
class _Run:
    """A unit that fits a parent, or a part of one that does not.

    ``size``: in tokens. ``header``: the signature of the unit around it. ``within``: the path of its innermost unit.
    """

    unit: Unit
    size: int
    header: Span | None
    within: str


class _Atomiser:
    """Turns syntax units into atoms, each of which fits a leaf that begins with it.

    ``base``: offset of the code in the document, added to the spans of units. ``limit``: tokens of an atom inside a
    code block of another document; 0 means that the document is code.
    """

    def __init__(
        self, context: ChunkingContext, syntax: Syntax, base: int, heading: int = -1, limit: int = 0, item: int = 0
    ) -> None:
        self._context, self._syntax, self._base = context, syntax, base
        self._heading, self._item = heading, item
        self._section_room = room = context.room(heading)
        self._limit = limit or max(1, room - context.overlap(room))
        self._splitter = Splitter(context.tokens)
        self._is_code_file = not limit

    def atoms(self, units: Sequence[Unit]) -> list[Atom]:
        """The atoms of the units in order."""
        runs: list[_Run] = []
        self._flatten(units, None, "", runs)
        atoms: list[Atom] = []
        before: _Run | None = None
        for number, run in enumerate(runs):
            run_atoms = self._run(run, self._item + number if self._is_code_file else self._item)
            if before is not None:
                self._price_boundary(run_atoms[0], run, before)
            for atom in run_atoms:
                atom.flow, atom.heading = number, self._heading
            atoms.extend(run_atoms)
            before = run
        return atoms

    def _price_boundary(self, atom: Atom, run: _Run, before: _Run) -> None:
        """Sets the cost of a cut between two units; forces one where either is larger than a leaf.

        So small neighbours share a leaf, and no leaf mixes the end of a large unit with the beginning of the next.
        """
        if before.unit.kind == "statements" and self._is_comment(before.unit):
            atom.cut = CUT_TITLE
            return
        if before.unit.kind.startswith("head of ") and before.size <= self._context.settings.max_tokens // _TINY:
            atom.cut = _AFTER_HEAD
            return
        atom.cut = CUT_PARAGRAPH
        if max(run.size, before.size) > self._limit:
            atom.why = f"{run.unit.title} starts here"
        if min(run.size, before.size) > self._context.settings.parent_room // _LARGE and self._is_code_file:
            atom.parent_why = atom.why

    def _is_comment(self, unit: Unit) -> bool:
        """Whether a unit is a short comment, which belongs to the unit after it."""
        text = self._context.document.text
        rows = lines(text, unit.start + self._base, unit.end + self._base)
        return len(rows) <= 3 and all(text.startswith(_COMMENT, row.start) for row in rows)

    def _flatten(self, units: Sequence[Unit], header: Span | None, within: str, runs: list[_Run]) -> None:
        """Appends the units to ``runs``; one too large to stay whole is replaced by its nested units.

        A function stays whole up to a parent, because its statements belong together; a class up to a leaf.
        """
        for unit in units:
            size = self._context.tokens.count(unit.start + self._base, unit.end + self._base)
            is_function = unit.kind in {"function", "method", "test"}
            most = self._context.settings.parent_room if is_function else self._limit
            if unit.children and size > most:
                self._flatten(unit.children, self._shifted(unit.signature), unit.path, runs)
            else:
                runs.append(_Run(unit, size, header, unit.path or within))

    def _shifted(self, span: Span) -> Span:
        return Span(span.start + self._base, span.end + self._base)

    def _run(self, run: _Run, item: int) -> list[Atom]:
        """The atoms of one unit: a single one where it fits, else its statements."""
        unit, context = run.unit, self._context
        span = self._shifted(unit.span)
        header = run.header if run.header is not None and run.header.end <= span.start else None
        limit = self._room(header)
        if run.size <= limit:
            atoms = [Atom(span.start, span.end, unit.title, item, CUT_PARAGRAPH)]
            self._annotate(atoms, run, header)
            return atoms
        signature = self._shifted(unit.signature)
        has_signature = bool(unit.name) and signature.end < span.end
        limit = min(limit, self._room(signature if has_signature else header))
        atoms = []
        for (start, cut), (end, _) in pairwise(self._edges(unit, span, limit)):
            piece = trim(context.document.text, start, end)
            if piece is None:
                continue
            name = f"statement of {unit.title}" if atoms else unit.title
            if context.tokens.count(piece.start, piece.end) <= limit:
                atoms.append(Atom(piece.start, piece.end, name, item, cut))
            else:
                atoms.extend(self._of_prose(piece, name, item, limit, cut))
        self._annotate(atoms, run, header)
        if has_signature:
            for atom in atoms[1:]:
                if signature.end <= atom.start:
                    atom.header = signature
        return atoms

    def _of_prose(self, piece: Span, name: str, item: int, limit: int, cut: float) -> list[Atom]:
        """The atoms of a piece with no statement to cut at: of each paragraph of its comments or string the sentences,
        of code beside them the lines.
        """
        text, atoms = self._context.document.text, list[Atom]()
        for span in _paragraphs(text, lines(text, piece.start, piece.end)):
            price = CUT_ROW if atoms else cut
            atoms += self._splitter.whole_or_sentences(span, name, item, price, limit, limit)
        return atoms

    def _room(self, header: Span | None) -> int:
        """The token budget of an atom whose leaf repeats this header."""
        if header is None:
            return self._limit
        header_tokens = self._section_room - self._context.room(self._heading, header, kind=_SIGNATURE)
        return max(1, self._limit - header_tokens)

    def _edges(self, unit: Unit, span: Span, limit: int) -> list[tuple[int, float]]:
        """Where the unit may be cut, with the cost of each cut; its own start and end included."""
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
            if at < signature_end or not (text[at - 1].isspace() or text[at - 1] in _OPENS):
                continue  # not between a name and its arguments
            line = text.rfind("\n", 0, at) + 1
            blank = not text[max(0, line - 2) : line].strip()
            cut = CUT_LINE / 3 + min(depth, 5) * _DEEPER
            cut += 0.0 if not text[line:at].strip() else _CUT_INSIDE_LINE
            cut = max(0.02, cut - _AFTER_BLANK) if blank else cut
            if first and unit.name:
                cut = CUT_LEAD_IN  # the body's first words stay with the signature
            elif doc is not None and doc.end <= at and not text[doc.end : at].strip():
                cut = CUT_TITLE
            first = False
            edges.append((at, cut))
        return [*edges, (span.end, 0.0)]

    def _annotate(self, atoms: Sequence[Atom], run: _Run, header: Span | None) -> None:
        """Sets the header and metadata of a unit's atoms."""
        for atom in atoms:
            atom.header, atom.header_kind = header, _SIGNATURE
            facts = self._syntax.metadata(atom.start - self._base, atom.end - self._base)
            facts["unit"] = (run.unit.kind,)
            if run.within:
                facts["within"] = (run.within,)
            atom.metadata = facts
