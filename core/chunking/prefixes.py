"""The prefix of a chunk: title, headings and other context that the encoder reads before its text.

A prefix is not part of the chunk's text and offsets. Its size is capped (``settings.prefix_room``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from core.settings import PREFIX_KINDS, ChunkingSettings
from core.text.outline import Outline
from core.text.pooling import EncoderInput, pooled
from core.text.tokens import TokenMap
from core.types import Chunk, ChunkTree, Document, PrefixPart, Span, TokenCounter

SEPARATOR = " > "
PATH = ("title", "heading")  # kinds of parts that share one line
_WORD = re.compile(r"[^\W\d_]+")
_SMALLEST = 3  # tokens: a part shortened to fewer is dropped


def prefix_text(prefix: Sequence[PrefixPart], kinds: Sequence[str] = PREFIX_KINDS) -> str:
    """The prefix parts of these kinds as text: title and headings on one line, each other part on its own line.

    >>> prefix_text((PrefixPart("title", "Guide"), PrefixPart("heading", "Fees"), PrefixPart("table_header", "| a |")))
    'Guide > Fees\\n| a |'
    """
    path = SEPARATOR.join(part.text for part in prefix if part.kind in kinds and part.kind in PATH)
    headers = [part.text for part in prefix if part.kind in kinds and part.kind not in PATH]
    return "\n".join(([path] if path else []) + headers)


def key_path(prefix: Sequence[PrefixPart]) -> tuple[str, ...]:
    """The keys that a chunk of data stands under, outermost first; () for a chunk of anything else.

    >>> key_path((PrefixPart("title", "api.yaml"), PrefixPart("signature", "paths > /ducks")))
    ('paths', '/ducks')
    >>> key_path((PrefixPart("signature", "def f():", Span(0, 8)),))
    ()
    """
    paths = (part.text for part in prefix if part.kind == "signature" and part.source is None)
    return next((tuple(path.split(SEPARATOR)) for path in paths), ())


def encoder_input(chunk: Chunk, kinds: Sequence[str] = PREFIX_KINDS) -> str:
    """Exactly what the encoder reads for a leaf: its prefix parts of these kinds, then its text.

    ``kinds``: ``ChunkingSettings.read_prefix``; () is off.

    >>> encoder_input(Chunk("c", 0, None, 0, 2, "ab", 1, prefix=(PrefixPart("title", "T"),)))
    'T\\nab'
    """
    return below(prefix_text(chunk.prefix, kinds), chunk.text)


def encoder_inputs(
    tree: ChunkTree, settings: ChunkingSettings, counter: TokenCounter, reads: int
) -> tuple[EncoderInput, ...]:
    """One encoder input per leaf, in order. ``reads``: the encoder's input limit in tokens, special tokens included.

    With ``settings.vectors`` "late" a leaf's vector is pooled from a window of the document. The window gives the
    context that a prefix would, so prefixes are not read.
    """
    if settings.vectors == "late":
        spans = [leaf.span for leaf in tree.leaves]
        return pooled(tree.document.text, spans, counter, max(1, reads - counter.specials))
    return tuple(encoder_input(leaf, settings.read_prefix) for leaf in tree.leaves)


def below(prefix: str, text: str) -> str:
    """A text with its prefix on the lines above it; "" is no prefix.

    >>> below("Tokens > Access", "15 minutes."), below("", "30 days.")
    ('Tokens > Access\\n15 minutes.', '30 days.')
    """
    return f"{prefix}\n{text}" if prefix else text


def telling_title(document: Document) -> str:
    """The title if it says what the document is about, else "".

    A title found in the text qualifies. A title made from the file name needs at least two words: "val0" or
    "code_012.rs" before every leaf would only make the vectors of one file more alike.

    >>> telling_title(Document("v", "text", "Val0", "")), telling_title(Document("v", "pdf", "Annual report 2023", ""))
    ('', 'Annual report 2023')
    """
    title = " ".join(document.title.split())
    words = [word for word in _WORD.findall(title) if len(word) > 2]
    return title if document.title_span is not None or len(words) > 1 else ""


class Prefixes:
    """Builds the prefixes of one document's chunks, and predicts their size while chunks are planned."""

    def __init__(self, outline: Outline, settings: ChunkingSettings, tokens: TokenMap) -> None:
        self._outline = outline
        self._settings = settings
        self._kinds = settings.read_prefix
        self._path_room = settings.prefix_room // 2 if settings.is_written else settings.prefix_room
        self._tokens = tokens
        document = outline.document
        self._title = telling_title(document)
        texts = [">", self._title, *(heading.text for heading in outline.headings)]
        unique = list(dict.fromkeys(texts))
        self._counts = dict(zip(unique, tokens.counter.count(unique), strict=True))
        # Blanks and line ends cost no tokens, but count as characters.
        tokenized = settings.unit == "tokens"
        self._separator, self._line_end = (self._counts[">"], 0) if tokenized else (len(SEPARATOR), 1)
        # Called with the same arguments for every atom and leaf of a section or table.
        self.reserve = cache(self._reserve)
        self.header = cache(self._header)
        self.header_reserve = cache(self._header_reserve)
        self._path = cache(self._fitted_path)

    def count(self, text: str) -> int:
        """Tokens of one short text, cached."""
        if text not in self._counts:
            self._counts[text] = self._tokens.counter.count([text])[0]
        return self._counts[text]

    def line(self, text: str) -> int:
        """Tokens of a text on a line of its own."""
        return self.count(text) + self._line_end

    def _reserve(self, heading: int, inside: bool = False) -> int:
        """The most tokens that the title and headings before a leaf in this section can take.

        ``inside``: the leaf begins with the heading itself, so only its ancestors are repeated.
        """
        path = self._outline.path(heading)
        parts = self._path_parts(path[:-1] if inside else path, path)
        path_tokens = min(self._path_room, self._read_tokens(parts))
        reserve = self._settings.prefix_room if self._settings.is_written else path_tokens
        return reserve and reserve + self._line_end

    def _read_tokens(self, parts: Sequence[PrefixPart]) -> int:
        """Tokens of those parts on one line that the encoder reads, separators included."""
        return self._line_tokens([part for part in parts if part.kind in self._kinds])

    def _line_tokens(self, parts: Sequence[PrefixPart]) -> int:
        return sum(self.count(part.text) for part in parts) + self._separator * max(0, len(parts) - 1)

    def _path_parts(self, shown: Sequence[int], path: Sequence[int]) -> list[PrefixPart]:
        """The title, unless a heading of ``path`` is the same, and the headings ``shown``."""
        document, headings = self._outline.document, self._outline.headings
        parts: list[PrefixPart] = []
        heading_texts = {headings[at].text.casefold() for at in path}
        if self._title and self._title.casefold() not in heading_texts:
            parts.append(PrefixPart("title", self._title, document.title_span))
        parts.extend(PrefixPart("heading", headings[at].text, headings[at].source) for at in shown if headings[at].text)
        return parts

    def _header(self, header: Span | None, reserve: int, kind: str = "table_header") -> PrefixPart | None:
        """The repeated header as a prefix part, cut at a word to half of ``max_tokens`` less ``reserve``."""
        room = self._settings.max_tokens // 2 - reserve
        if header is None or room < _SMALLEST:
            return None
        end = self._tokens.cut(header.start, header.end, room)
        text = self._outline.document.text[header.start : end].rstrip()
        span = Span(header.start, header.start + len(text))
        if text not in self._counts:
            self._counts[text] = self._tokens.exact([span])[0]
        if not text or self._counts[text] > room:
            return None
        return PrefixPart(kind, text, span)

    def _header_reserve(self, header: Span | None, reserve: int, kind: str = "table_header") -> int:
        """Tokens that the encoder reads of a repeated header."""
        if header is None or kind not in self._kinds:
            return 0
        part = self.header(header, reserve, kind)
        return self.count(part.text) + self._line_end if part else 0

    def parts(
        self, start: int, end: int, header: Span | None = None, kind: str = "table_header", row_label: str = ""
    ) -> tuple[PrefixPart, ...]:
        """The prefix of the chunk ``[start, end)``, without what the chunk contains itself.

        ``header``, ``kind``: a header to repeat. ``row_label``: what the table row at the start is about, or the
        path of keys that the data at the start lies under; "" is off.
        """
        outline = self._outline
        heading, path = outline.body_heading(start, end), outline.path_over(start, end)
        shown = tuple([at for at in path if outline.blocks[at].end <= start or end <= outline.blocks[at].start])
        title = outline.document.title_span
        with_title = title is None or not title.overlap(Span(start, end))
        repeated = self.header(header, self.reserve(heading), kind) if header and header.end <= start else None
        label = PrefixPart("sentences" if kind == "table_header" else kind, row_label) if row_label else None
        return (*self._path(path, shown, with_title), *(part for part in (repeated, label) if part))

    def _fitted_path(self, path: tuple[int, ...], shown: tuple[int, ...], with_title: bool) -> tuple[PrefixPart, ...]:
        parts = self._path_parts(shown, path)
        if parts and parts[0].kind == "title" and not with_title:
            del parts[0]
        return self._fit(parts, self._path_room)

    def fitted_context(self, parts: Sequence[PrefixPart], text: str, free: int) -> str:
        """A written context cut at a word to what the cap leaves after ``parts``, at most ``free`` tokens.

        "" where fewer than ``_SMALLEST`` tokens of it fit.
        """
        cap = self._settings.prefix_room - self._line_tokens([part for part in parts if part.kind in PATH])
        return self._shortened(text, max(0, min(cap, free) - self._line_end))

    def tokens(self, parts: Sequence[PrefixPart]) -> int:
        """Tokens that the encoder reads of a whole prefix."""
        path = self._read_tokens([part for part in parts if part.kind in PATH])
        others = [part for part in parts if part.kind not in PATH and part.kind in self._kinds]
        return path + sum(self.count(part.text) for part in others)

    def _fit(self, parts: list[PrefixPart], room: int) -> tuple[PrefixPart, ...]:
        """The title and headings cut to ``room`` tokens.

        The title tells documents apart and the innermost heading says most about a leaf, so the outer headings are
        dropped first; then the longer of the two is shortened at a word.
        """
        first = 1 if parts and parts[0].kind == "title" else 0
        while len(parts) > first + 1 and self._line_tokens(parts) > room:
            del parts[first]
        while parts and self._line_tokens(parts) > room:
            longest = max(range(len(parts)), key=lambda at: self.count(parts[at].text))
            others = self._line_tokens(parts) - self.count(parts[longest].text)
            shorter = self._shortened(parts[longest].text, room - others) if room - others >= _SMALLEST else ""
            if shorter:
                parts[longest] = PrefixPart(parts[longest].kind, shorter, parts[longest].source)
                continue
            del parts[0 if len(parts) > 1 else longest]
        return tuple(parts)

    def _shortened(self, text: str, room: int) -> str:
        """The first words of a text within ``room`` tokens; "" where they are fewer than ``_SMALLEST`` tokens."""
        words = text.split(" ")[: room + 1]
        counts = self._tokens.counter.count(words)
        kept, used = 0, 0
        while kept < len(words) and used + counts[kept] <= room:
            used += counts[kept]
            kept += 1
        while kept and self.count(" ".join(words[:kept])) > room:
            kept -= 1
        return " ".join(words[:kept]) if used >= _SMALLEST else ""
