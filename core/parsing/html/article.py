"""The reader of HTML that marks everything outside a page's article, as trafilatura extracts it, as ``aside``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, groupby, pairwise

from trafilatura import bare_extraction

from core.parsing.flow import ParsedFile, Piece
from core.parsing.html.encoding import page_text
from core.parsing.html.reader import parsed_page
from core.parsing.html.source import parse_source
from core.text.alignment import align
from core.types import BlockKind

_PROSE = (BlockKind.PARAGRAPH, BlockKind.QUOTE)
_FAILURES = (ValueError, TypeError, AttributeError, LookupError, RecursionError)
_MAX_CHARACTERS = 5_000_000  # of a page with its markup; a longer one would take minutes
_MIN_SHARE = 0.5  # of a piece's letters that are in the article, for the piece to be part of it
_MIN_PROSE = 250  # characters of an article's paragraphs, as in trafilatura
_MIN_PROSE_SHARE = 0.3  # of what is kept; a page with less is a list, a table or a reference
_MIN_PARAGRAPH = 40  # characters of a paragraph of prose; a shorter one is a label
_MIN_UNLINKED = 100  # characters of a paragraph without links that is no notice and no teaser
_MIN_BOOK = 5_000  # characters of prose outside a shorter article: it is only a chapter of the page
_MAX_SHORT_GAP = 40  # characters between two parts of the article that are kept with it
_MAX_GAPS = 12  # within an article; with more, the page is a list of names with a line about each
_MIN_FORM_FIELDS = 10  # of a page that is a form; a comment, a search or a newsletter has fewer


def read(data: bytes, name: str) -> ParsedFile:
    """A page as ``core.parsing.html.reader`` reads it; pieces outside its article are marked ``aside``.

    Raises ``ParseError`` for empty and for binary input.
    """
    page = page_text(data, name)
    source = parse_source(page)
    reading = parsed_page(source)
    if source.form_fields >= _MIN_FORM_FIELDS or any(piece.kind is BlockKind.CODE for piece in reading.pieces):
        return reading
    return replace(reading, pieces=set_aside(reading.pieces, article_text(page), reading.title))


def warm_up() -> None:
    """Have the library load everything that it loads lazily."""
    article_text("<p>Ducks swim.<table><tr><th>Duck<tr><td>Teal</table>")


def article_text(page: str) -> str:
    """The text of a page's article as trafilatura extracts it, with readers' comments; "" where it finds none.

    Nothing is fetched. trafilatura's fallbacks, readability and jusText, are off: they make it slower and not better.
    """
    try:
        article = bare_extraction(page, fast=True) if len(page) <= _MAX_CHARACTERS else None
    except _FAILURES:  # the page is then read without an article
        return ""
    return (article.text or "") if article is not None and not isinstance(article, dict) else ""


def set_aside(pieces: Sequence[Piece], article: str, title: str = "") -> tuple[Piece, ...]:
    """The same pieces in the same order; those outside ``article``, the article's text, are marked ``aside``.

    A piece is part of the article if most of it is in the article's text, aligned in order. A heading is kept if the
    piece after it is, or if it is the page's title. Long paragraphs next to the article and short gaps inside it are
    kept too. Nothing is marked where the article is no prose (an index, a reference), has too many gaps, or is less
    than half of the page's prose.

    >>> from core.parsing.flow import Words
    >>> menu, text = Piece(BlockKind.PARAGRAPH, Words("Home")), Piece(BlockKind.PARAGRAPH, Words("Ducks swim. " * 30))
    >>> [piece.aside for piece in set_aside((menu, text), text.words.text)]
    [True, False]
    """
    texts = [_words(piece) for piece in pieces]
    kept = [share >= _MIN_SHARE for share in _shares(texts, article)]
    kept_texts = {text for text, keep in zip(texts, kept, strict=True) if keep and len(text) >= _MIN_UNLINKED}
    kept = [keep or text in kept_texts for text, keep in zip(texts, kept, strict=True)]  # the article has repeats once
    for index, piece in enumerate(pieces):
        if piece.kind is BlockKind.HEADING and title.casefold().startswith(texts[index].casefold()):
            kept[index] = True
            break
    for index in range(len(pieces) - 2, -1, -1):
        kept[index] = kept[index] or (pieces[index].kind is BlockKind.HEADING and kept[index + 1])
    if not _is_prose([piece for piece, keep in zip(pieces, kept, strict=True) if keep]) or _is_part(kept, pieces):
        return tuple(pieces)
    _take_neighbours(kept, pieces)
    if _close_gaps(kept, pieces, texts) > _MAX_GAPS:
        return tuple(pieces)
    return tuple(
        piece if keep or piece.kind is BlockKind.FURNITURE else replace(piece, aside=True)
        for piece, keep in zip(pieces, kept, strict=True)
    )


def _words(piece: Piece) -> str:
    """A piece's text with the line breaks that trafilatura writes."""
    if piece.items:
        return "\n".join(" ".join(item.words.text.split()) for item in piece.items)
    if piece.rows:
        return "\n".join(" | ".join(" ".join(cell.words.text.split()) for cell in row) for row in piece.rows)
    return "\n".join(" ".join(line.split()) for line in piece.words.text.splitlines())


def _shares(texts: Sequence[str], article: str) -> Iterator[float]:
    """For each text the share of its letters and digits that are in the article, when all are aligned in order."""
    page = "\n".join(texts)
    covered = bytearray(len(page))
    for match in align(page, article):
        covered[match.old : match.old + match.length] = b"\1" * match.length
    starts = accumulate((len(text) + 1 for text in texts), initial=0)
    for start, text in zip(starts, texts, strict=False):
        offsets = [offset for offset, char in enumerate(text, start) if char.isalnum()]
        yield sum(covered[offset] for offset in offsets) / max(1, len(offsets))


def _is_prose(kept: Sequence[Piece]) -> bool:
    """Whether the pieces have enough running text, not counting links."""
    prose = sum(
        len(piece.words.text) - sum(end - start for start, end, _ in piece.words.links)
        for piece in kept
        if piece.kind in _PROSE and len(piece.words.text) >= _MIN_PARAGRAPH
    )
    return prose >= max(_MIN_PROSE, _MIN_PROSE_SHARE * sum(len(_words(piece)) for piece in kept))


def _is_part(kept: Sequence[bool], pieces: Sequence[Piece]) -> bool:
    """Whether more running text would be marked ``aside`` than is kept."""
    characters = {True: 0, False: 0}
    for keep, piece in zip(kept, pieces, strict=True):
        characters[keep] += len(piece.words.text) if _is_running_text(piece) else 0
    return characters[False] > max(_MIN_BOOK, characters[True])


def _is_running_text(piece: Piece) -> bool:
    return piece.kind in _PROSE and len(piece.words.text) >= _MIN_UNLINKED and not piece.words.links


def _take_neighbours(kept: list[bool], pieces: Sequence[Piece]) -> None:
    """Keep long paragraphs without links next to what is kept."""
    for order in (range(len(pieces)), range(len(pieces) - 1, -1, -1)):
        for neighbour, index in pairwise(order):
            kept[index] = kept[index] or (_is_running_text(pieces[index]) and kept[neighbour])


def _close_gaps(kept: list[bool], pieces: Sequence[Piece], texts: Sequence[str]) -> int:
    """Keep gaps between parts of the article that are short or illustrate it. Returns the number of longer gaps."""
    gaps = 0
    runs = [(keep, [index for index, _ in run]) for keep, run in groupby(enumerate(kept), key=lambda entry: entry[1])]
    for keep, indices in runs[1:-1]:
        is_short = sum(len(texts[index]) for index in indices) <= _MAX_SHORT_GAP
        gaps += not (keep or is_short)
        keep_run = keep or is_short or all(_illustrates(pieces[index]) for index in indices)
        for index in indices:
            kept[index] = keep_run
    return gaps


def _illustrates(piece: Piece) -> bool:
    """Whether a piece is a caption, or a table with a header or without links. trafilatura often leaves these out."""
    is_navigation = not piece.header_rows and any(cell.words.links for row in piece.rows for cell in row)
    return piece.kind is BlockKind.CAPTION or (piece.kind is BlockKind.TABLE and not is_navigation)
