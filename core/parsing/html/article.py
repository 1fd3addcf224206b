"""What of a saved page is its article, as trafilatura judges it, laid over the pieces of our own reading."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, groupby, pairwise

from trafilatura import bare_extraction

from core.parsing.flow import ParsedFile, Piece
from core.parsing.html.encoding import page_text
from core.parsing.html.reader import reading_of
from core.parsing.html.source import parse_source
from core.text.alignment import align
from core.types import BlockKind

_PROSE = (BlockKind.PARAGRAPH, BlockKind.QUOTE)
_FAILURES = (ValueError, TypeError, AttributeError, LookupError, RecursionError)
_LONGEST = 5_000_000  # characters of a page with its markup; a longer one would be judged for minutes
_SHARE = 0.5  # of a piece's letters that stand in the article, for the piece to be part of it
_LEAST_PROSE = 250  # characters of paragraphs that make an article: trafilatura's own measure of what is worth having
_PROSE_SHARE = 0.3  # of what is kept; below it the page is a list, a table or a reference
_PARAGRAPH = 40  # characters from which a paragraph is prose and no label
_UNLINKED = 100  # characters of a paragraph that is no notice and no teaser, as long as nothing in it is a link
_BOOK = 5_000  # characters of prose beside an article that holds less: the judge took a chapter for the page
_BETWEEN = 40  # characters between two parts of the article that are not worth parting it for
_MOST_GAPS = 12  # within an article; a page that is torn more often is a list of names with a line about each
_FORM_FIELDS = 10  # more than a comment, a search or an address for a newsletter asks for


def read(data: bytes, name: str) -> ParsedFile:
    """A page as ``core.parsing.html.reader`` reads it, what is not its article marked ``aside``.

    Raises ``ParseError`` for empty and for binary input.
    """
    page = page_text(data, name)
    source = parse_source(page)
    reading = reading_of(source)
    if source.form_fields >= _FORM_FIELDS or any(piece.kind is BlockKind.CODE for piece in reading.pieces):
        return reading
    return replace(reading, pieces=set_aside(reading.pieces, article_text(page), reading.title))


def warm_up() -> None:
    """Let the library load what it reads late."""
    article_text("<p>Ducks swim.<table><tr><th>Duck<tr><td>Teal</table>")


def article_text(page: str) -> str:
    """The article of a page as trafilatura extracts it, readers' comments included; "" where it finds none.

    Nothing is fetched, no date, author or address looked for. Its second opinions, of readability and jusText, are not
    asked: they make the judgment slower and no better.
    """
    try:
        found = bare_extraction(page, fast=True) if len(page) <= _LONGEST else None
    except _FAILURES:  # a page it cannot judge is read all the same
        return ""
    return (found.text or "") if found is not None and not isinstance(found, dict) else ""


def set_aside(pieces: Sequence[Piece], article: str, title: str = "") -> tuple[Piece, ...]:
    """The same pieces in the same order, those marked ``aside`` that are not of the article.

    Their words are looked for in the article's, in the order of both. Headings go with what stands under them, the one
    that is the page's title stays, and so do long paragraphs beside the article and a few words between two parts of
    it. All stay where the article is no prose (an index, a reference), stands in too many parts, or is less than half
    of the page's prose: a judge that takes a chapter for the page must not cost the book.

    >>> from core.parsing.flow import Words
    >>> menu, text = Piece(BlockKind.PARAGRAPH, Words("Home")), Piece(BlockKind.PARAGRAPH, Words("Ducks swim. " * 30))
    >>> [piece.aside for piece in set_aside((menu, text), text.words.text)]
    [True, False]
    """
    texts = [_words(piece) for piece in pieces]
    kept = [share >= _SHARE for share in _shares(texts, article)]
    told = {text for text, keep in zip(texts, kept, strict=True) if keep and len(text) >= _UNLINKED}
    kept = [keep or text in told for text, keep in zip(texts, kept, strict=True)]  # the judge takes a repeat once
    for place, piece in enumerate(pieces):
        if piece.kind is BlockKind.HEADING and title.casefold().startswith(texts[place].casefold()):
            kept[place] = True
            break
    for place in range(len(pieces) - 2, -1, -1):
        kept[place] = kept[place] or (pieces[place].kind is BlockKind.HEADING and kept[place + 1])
    if not _is_prose([piece for piece, keep in zip(pieces, kept, strict=True) if keep]) or _is_part(kept, pieces):
        return tuple(pieces)
    _take_neighbours(kept, pieces)
    if _close_gaps(kept, pieces, texts) > _MOST_GAPS:
        return tuple(pieces)
    return tuple(
        piece if keep or piece.kind is BlockKind.FURNITURE else replace(piece, aside=True)
        for piece, keep in zip(pieces, kept, strict=True)
    )


def _words(piece: Piece) -> str:
    """A piece's own words on as few lines as trafilatura writes them on."""
    if piece.items:
        return "\n".join(" ".join(item.words.text.split()) for item in piece.items)
    if piece.rows:
        return "\n".join(" | ".join(" ".join(cell.words.text.split()) for cell in row) for row in piece.rows)
    return "\n".join(" ".join(line.split()) for line in piece.words.text.splitlines())


def _shares(texts: Sequence[str], article: str) -> Iterator[float]:
    """Of each text, how much of its letters and digits stands in the article, in the order of all."""
    whole = "\n".join(texts)
    covered = bytearray(len(whole))
    for match in align(whole, article):
        covered[match.old : match.old + match.length] = b"\1" * match.length
    starts = accumulate((len(text) + 1 for text in texts), initial=0)
    for start, text in zip(starts, texts, strict=False):
        letters = [place for place, sign in enumerate(text, start) if sign.isalnum()]
        yield sum(covered[place] for place in letters) / max(1, len(letters))


def _is_prose(kept: Sequence[Piece]) -> bool:
    """Whether most of these are paragraphs, links aside."""
    prose = sum(
        len(piece.words.text) - sum(end - start for start, end, _ in piece.words.links)
        for piece in kept
        if piece.kind in _PROSE and len(piece.words.text) >= _PARAGRAPH
    )
    return prose >= max(_LEAST_PROSE, _PROSE_SHARE * sum(len(_words(piece)) for piece in kept))


def _is_part(kept: Sequence[bool], pieces: Sequence[Piece]) -> bool:
    """Whether more prose would be set aside than is kept."""
    held = {True: 0, False: 0}
    for keep, piece in zip(kept, pieces, strict=True):
        held[keep] += len(piece.words.text) if _is_running(piece) else 0
    return held[False] > max(_BOOK, held[True])


def _is_running(piece: Piece) -> bool:
    return piece.kind in _PROSE and len(piece.words.text) >= _UNLINKED and not piece.words.links


def _take_neighbours(kept: list[bool], pieces: Sequence[Piece]) -> None:
    """Keep long paragraphs without a link that stand beside what is kept: the judge stopped short of them."""
    for order in (range(len(pieces)), range(len(pieces) - 1, -1, -1)):
        for before, place in pairwise(order):
            kept[place] = kept[place] or (_is_running(pieces[place]) and kept[before])


def _close_gaps(kept: list[bool], pieces: Sequence[Piece], texts: Sequence[str]) -> int:
    """Keep what stands between two parts of the article and is short or illustrates it. How many gaps are left."""
    left = 0
    runs = [(keep, [place for place, _ in run]) for keep, run in groupby(enumerate(kept), key=lambda entry: entry[1])]
    for keep, places in runs[1:-1]:
        short = sum(len(texts[place]) for place in places) <= _BETWEEN
        stays = keep or short or all(_illustrates(pieces[place]) for place in places)
        left += not (keep or short)
        for place in places:
            kept[place] = stays
    return left


def _illustrates(piece: Piece) -> bool:
    """Whether a piece is a picture's caption, or a table with a header or without a link: a judge of prose passes over
    them.
    """
    leads = not piece.header_rows and any(cell.words.links for row in piece.rows for cell in row)
    return piece.kind is BlockKind.CAPTION or (piece.kind is BlockKind.TABLE and not leads)
