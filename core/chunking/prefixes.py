"""What is put before a leaf for the embedder and the reader, outside its offsets and within a cap."""

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
PATH = ("title", "heading")  # the parts that share a line
_WORD = re.compile(r"[^\W\d_]+")
_SMALLEST = 3  # tokens below which a shortened part says nothing


def prefix_text(prefix: Sequence[PrefixPart], kinds: Sequence[str] = PREFIX_KINDS) -> str:
    """The prefix as an audience that sees ``kinds`` reads it: the path on one line, each other part on its own.

    >>> prefix_text((PrefixPart("title", "Guide"), PrefixPart("heading", "Fees"), PrefixPart("table_header", "| a |")))
    'Guide > Fees\\n| a |'
    """
    path = SEPARATOR.join(part.text for part in prefix if part.kind in kinds and part.kind in PATH)
    headers = [part.text for part in prefix if part.kind in kinds and part.kind not in PATH]
    return "\n".join(([path] if path else []) + headers)


def encoder_input(chunk: Chunk, kinds: Sequence[str] = PREFIX_KINDS) -> str:
    """Exactly what the encoder reads for a leaf: its prefix parts of the given kinds, then its text.

    ``kinds``: ``ChunkingSettings.read_prefix``; () is off.

    >>> encoder_input(Chunk("c", 0, None, 0, 2, "ab", 1, prefix=(PrefixPart("title", "T"),)))
    'T\\nab'
    """
    return below(prefix_text(chunk.prefix, kinds), chunk.text)


def encoder_inputs(
    tree: ChunkTree, settings: ChunkingSettings, counter: TokenCounter, reads: int
) -> tuple[EncoderInput, ...]:
    """One input a leaf, in order. ``reads``: tokens the encoder reads at once, its special ones included.

    With ``settings.vectors`` "late" a leaf's vector is pooled from a window of the document, which says what a prefix
    otherwise would: prefixes are not read then.
    """
    if settings.vectors == "late":
        spans = [leaf.span for leaf in tree.leaves]
        return pooled(tree.document.text, spans, counter, max(1, reads - counter.specials))
    return tuple(encoder_input(leaf, settings.read_prefix) for leaf in tree.leaves)


def below(prefix: str, text: str) -> str:
    """What a model reads of a text with a prefix above it; "" is none.

    >>> below("Tokens > Access", "15 minutes."), below("", "30 days.")
    ('Tokens > Access\\n15 minutes.', '30 days.')
    """
    return f"{prefix}\n{text}" if prefix else text


def telling_title(document: Document) -> str:
    """The title where it says what the document is about, else "".

    A title that stands in the text does. One made of the file's name does when it has at least two words: "val0" or
    "code_012.rs" before every leaf only brings the leaves of one file closer together.

    >>> telling_title(Document("v", "text", "Val0", "")), telling_title(Document("v", "pdf", "Annual report 2023", ""))
    ('', 'Annual report 2023')
    """
    title = " ".join(document.title.split())
    words = [word for word in _WORD.findall(title) if len(word) > 2]
    return title if document.title_span is not None or len(words) > 1 else ""


class Prefixes:
    """The prefix of any span of one document, and how many tokens to keep free for it beforehand."""

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
        # Tokenizers pass over blanks; characters count them.
        tokenized = settings.unit == "tokens"
        self._separator, self._line_end = (self._counts[">"], 0) if tokenized else (len(SEPARATOR), 1)
        # Asked for every atom and leaf of one section or table.
        self.reserve = cache(self._reserve)
        self.header = cache(self._header)
        self.header_reserve = cache(self._header_reserve)
        self._path = cache(self._fitted_path)

    def count(self, text: str) -> int:
        """Tokens of one short text, remembered."""
        if text not in self._counts:
            self._counts[text] = self._tokens.counter.count([text])[0]
        return self._counts[text]

    def line(self, text: str) -> int:
        """Tokens of a text on a line of its own."""
        return self.count(text) + self._line_end

    def _reserve(self, heading: int, inside: bool = False) -> int:
        """The most tokens the title and path of a leaf in this section can take from the embedder.

        ``inside``: the leaf begins with the heading itself, so only its ancestors are repeated.
        """
        path = self._outline.path(heading)
        parts = self._path_parts(path[:-1] if inside else path, path)
        read = min(self._path_room, self._read(parts))
        taken = self._settings.prefix_room if self._settings.is_written else read
        return taken and taken + self._line_end

    def _read(self, parts: Sequence[PrefixPart]) -> int:
        """Tokens of the parts the embedder reads, separators included."""
        return self._line([part for part in parts if part.kind in self._kinds])

    def _line(self, parts: Sequence[PrefixPart]) -> int:
        return sum(self.count(part.text) for part in parts) + self._separator * max(0, len(parts) - 1)

    def _path_parts(self, shown: Sequence[int], path: Sequence[int]) -> list[PrefixPart]:
        document, headings = self._outline.document, self._outline.headings
        parts: list[PrefixPart] = []
        named = {headings[at].text.casefold() for at in path}
        if self._title and self._title.casefold() not in named:
            parts.append(PrefixPart("title", self._title, document.title_span))
        parts.extend(PrefixPart("heading", headings[at].text, headings[at].source) for at in shown if headings[at].text)
        return parts

    def _header(self, header: Span | None, reserve: int, kind: str = "table_header") -> PrefixPart | None:
        """What a leaf is parted from as a prefix part, cut at a word to half of ``max_tokens`` less ``reserve``."""
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
        """Tokens the embedder reads of a repeated header."""
        if header is None or kind not in self._kinds:
            return 0
        part = self.header(header, reserve, kind)
        return self.count(part.text) + self._line_end if part else 0

    def parts(
        self, start: int, end: int, header: Span | None = None, kind: str = "table_header", said: str = ""
    ) -> tuple[PrefixPart, ...]:
        """The prefix of the chunk ``[start, end)``: what stands in the chunk itself is not repeated."""
        outline = self._outline
        heading, path = outline.body_heading(start, end), outline.path_over(start, end)
        shown = tuple([at for at in path if outline.blocks[at].end <= start or end <= outline.blocks[at].start])
        title = outline.document.title_span
        titled = title is None or not title.overlap(Span(start, end))
        repeated = self.header(header, self.reserve(heading), kind) if header and header.end <= start else None
        told = PrefixPart("sentences", said) if said else None
        return (*self._path(path, shown, titled), *(part for part in (repeated, told) if part))

    def _fitted_path(self, path: tuple[int, ...], shown: tuple[int, ...], titled: bool) -> tuple[PrefixPart, ...]:
        parts = self._path_parts(shown, path)
        if parts and parts[0].kind == "title" and not titled:
            del parts[0]
        return self._fit(parts, self._path_room)

    def beside(self, parts: Sequence[PrefixPart], text: str, free: int) -> str:
        """A text cut at a word to what the cap leaves beside a leaf's path, at most ``free`` tokens; "" for too few."""
        cap = self._settings.prefix_room - self._line([part for part in parts if part.kind in PATH])
        return self._shortened(text, max(0, min(cap, free) - self._line_end))

    def tokens(self, parts: Sequence[PrefixPart]) -> int:
        """Tokens the embedder reads of a whole prefix."""
        headers = [part for part in parts if part.kind not in PATH and part.kind in self._kinds]
        return self._read([part for part in parts if part.kind in PATH]) + sum(
            self.count(part.text) for part in headers
        )

    def _fit(self, parts: list[PrefixPart], room: int) -> tuple[PrefixPart, ...]:
        """The parts within ``room`` tokens.

        The innermost heading says most of a leaf and the title tells documents apart, so outer headings go first;
        then the longer of the two is shortened at a word.
        """
        first = 1 if parts and parts[0].kind == "title" else 0
        while len(parts) > first + 1 and self._line(parts) > room:
            del parts[first]
        while parts and self._line(parts) > room:
            longest = max(range(len(parts)), key=lambda at: self.count(parts[at].text))
            others = self._line(parts) - self.count(parts[longest].text)
            shorter = self._shortened(parts[longest].text, room - others) if room - others >= _SMALLEST else ""
            if shorter:
                parts[longest] = PrefixPart(parts[longest].kind, shorter, parts[longest].source)
                continue
            del parts[0 if len(parts) > 1 else longest]
        return tuple(parts)

    def _shortened(self, text: str, room: int) -> str:
        words = text.split(" ")[: room + 1]
        counts = self._tokens.counter.count(words)
        kept, used = 0, 0
        while kept < len(words) and used + counts[kept] <= room:
            used += counts[kept]
            kept += 1
        while kept and self.count(" ".join(words[:kept])) > room:
            kept -= 1
        return " ".join(words[:kept]) if used >= _SMALLEST else ""
