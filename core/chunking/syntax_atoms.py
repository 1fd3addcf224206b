"""Turns the units of a syntax tree into atoms: code between statements, data between keys, with what is around them."""

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
from core.chunking.plan import ChunkingContext
from core.syntax import Syntax, Unit, above_comments, grammar_of
from core.text.spans import trim
from core.types import Span

_TINY = 3  # the head of a type is short up to a third of max_tokens
_AFTER_HEAD = 1.0  # cost of a cut after a short head of a type: it stays with the first method where both fit
_LARGE = 3  # two neighbours of more than a third of a parent each never share one
_LEAVES_KEY = 3.0  # cost of a leaf that goes on from the end of one large key of data into the next
_SIGNATURE = "signature"
_DEEPER, _DEEPEST = 0.08, 5  # cost for each level of nesting, and the levels that cost more
_CUT_INSIDE_LINE = 0.3
_AFTER_BLANK = 0.1  # discount after a blank line
_OPENS = "([{<,;"
_COMMENT = ("#", "//", "/*", "*", "--")
_MARKS = 3  # a line of at most so many characters, none a letter or digit, parts the paragraphs of a comment


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


def _title(unit: Unit, inside: bool = False) -> str:
    """What a reason calls a unit, or a part inside it."""
    if unit.kind == "statements":
        return "statement" if inside else "run of statements"
    return f"statement of {unit.title}" if inside else unit.title


@dataclass(slots=True)
class _Run:
    """A unit that fits a parent, or a part of one that does not.

    ``size``: in tokens. ``header``: the signature of the unit around it. ``within``: the path of its innermost unit;
    ``above``: of the unit around it, ``depth`` names deep. ``opens``: whether a unit that is not whole begins with it.
    """

    unit: Unit
    size: int
    header: Span | None
    within: str
    above: str
    depth: int
    opens: bool = False


class SyntaxAtomiser:
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
        grammar = grammar_of(syntax.language)
        self._separator = grammar.separator if grammar is not None and grammar.is_data else ""  # "" is no data

    def atoms(self, units: Sequence[Unit]) -> list[Atom]:
        """The atoms of the units in order."""
        runs: list[_Run] = []
        self._flatten(units, None, ("", ""), runs, 0)
        atoms: list[Atom] = []
        before: _Run | None = None
        for number, run in enumerate(runs):
            run_atoms = self._run(run, self._item + number if self._is_code_file else self._item)
            if before is not None:
                self._price_boundary(run_atoms[0], run, before)
            for atom in run_atoms:
                atom.flow, atom.heading = number, self._heading
                if self._separator and self._is_code_file:
                    atom.level = run.depth + run.opens
            if self._separator and self._is_code_file and run.opens:
                run_atoms[0].opens, run_atoms[0].sibling = run.depth + 1, _LEAVES_KEY
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
        atom.cut = CUT_PARAGRAPH + (min(run.depth, _DEEPEST) * _DEEPER if self._separator else 0.0)
        leaves_key = self._separator and not run.depth and before.depth
        if leaves_key or max(run.size, before.size) > self._limit:
            atom.why = f"{_title(run.unit)} starts here"
        if min(run.size, before.size) > self._context.settings.parent_room // _LARGE and self._is_code_file:
            atom.parent_why = atom.why

    def _is_comment(self, unit: Unit) -> bool:
        """Whether a unit is a short comment, which belongs to the unit after it."""
        text = self._context.document.text
        rows = lines(text, unit.start + self._base, unit.end + self._base)
        return len(rows) <= 3 and all(text.startswith(_COMMENT, row.start) for row in rows)

    def _flatten(
        self, units: Sequence[Unit], header: Span | None, around: tuple[str, str], runs: list[_Run], depth: int
    ) -> None:
        """Appends the units to ``runs``; one too large to stay whole is replaced by its nested units.

        A function stays whole up to a parent, because its statements belong together; a class up to a leaf.
        ``around``: the path of the unit they are in, and of the one around that.
        """
        within, beyond = around
        for unit in units:
            size = self._context.tokens.count(unit.start + self._base, unit.end + self._base)
            is_function = unit.kind in {"function", "method", "test"}
            is_head = unit.kind.startswith("head of ")
            most = self._context.settings.parent_room if is_function else self._limit - self._label_room(within)
            if unit.children and size > most:
                inside, named = (unit.path or within, within), bool(unit.name)
                self._flatten(unit.children, self._shifted(unit.signature), inside, runs, depth + named)
            else:
                above = beyond if is_head else within
                opens = is_head and bool(unit.path)
                runs.append(_Run(unit, size, header, unit.path or within, above, depth - opens, opens))

    def _label(self, path: str) -> str:
        """The path that is repeated before a part of data, without the outer names for which there is no room."""
        names = path.split(self._separator) if self._separator and path else []
        prefixes = self._context.prefixes
        room = self._context.settings.prefix_room - prefixes.reserve(self._heading)
        while names and prefixes.line(label := self._separator.join(names)) > room:
            del names[0]
        return label if names else ""

    def _label_room(self, path: str) -> int:
        label = self._label(path)
        return self._context.prefixes.line(label) if label else 0

    def _shifted(self, span: Span) -> Span:
        return Span(span.start + self._base, span.end + self._base)

    def _run(self, run: _Run, item: int) -> list[Atom]:
        """The atoms of one unit: a single one where it fits, else its statements."""
        unit, context = run.unit, self._context
        span = self._shifted(unit.span)
        header = run.header if run.header is not None and run.header.end <= span.start else None
        if self._separator:  # its path says more than the line of the key around it
            header = None
        limit = self._room(header) - self._label_room(run.above)
        if run.size <= limit:
            atoms = [Atom(span.start, span.end, _title(unit), item, CUT_PARAGRAPH)]
            self._annotate(atoms, run, header)
            return atoms
        signature = self._shifted(unit.signature)
        has_signature = bool(unit.name) and signature.end < span.end and not self._separator
        limit = min(limit, self._room(signature if has_signature else header) - self._label_room(run.within))
        limit = max(1, limit)
        atoms = []
        for (start, cut), (end, _) in pairwise(self._edges(unit, span, limit)):
            piece = trim(context.document.text, start, end)
            if piece is None:
                continue
            name = _title(unit, inside=bool(atoms))
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
            at = above_comments(text, place + base) if self._syntax.language == "yaml" else place + base
            if at < signature_end or not (text[at - 1].isspace() or text[at - 1] in _OPENS):
                continue  # not between a name and its arguments
            line = text.rfind("\n", 0, at) + 1
            if self._separator and text[line:at].rstrip().endswith((":", "=")):
                continue  # nor between a key and its value
            blank = not text[max(0, line - 2) : line].strip()
            cut = CUT_LINE / 3 + min(depth, _DEEPEST) * _DEEPER
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
        """Sets the header, the path and the metadata of a unit's atoms."""
        text = self._context.document.text
        for number, atom in enumerate(atoms):
            atom.header, atom.header_kind = header, _SIGNATURE
            atom.row_label = self._label(run.within if number else run.above)
            if number and self._separator and not any(map(str.isalnum, text[atom.start : atom.end])):
                atom.cut = CUT_LEAD_IN  # closing brackets stay with what they close
            facts = self._syntax.metadata(atom.start - self._base, atom.end - self._base)
            facts["unit"] = (run.unit.kind,)
            if run.within:
                facts["within"] = (run.within,)
            atom.metadata = facts
