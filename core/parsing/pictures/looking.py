"""Pages looked at in the worker: what of them is picture and ink, their pictures for OCR, files that are pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from io import BytesIO
from typing import Any

from core.parsing.magic_bytes import HEIF_BRANDS, identify
from core.parsing.pdf.lines import Box

COVERED = 0.5  # of a page, by pictures: from here on it may be a scan
LEAST_INK = 0.0004  # of the page: below it lie dust and the shadow of a sheet's edge
_CELLS = 24  # of a page, across and down, in which it is looked for what pictures cover
_LOOK = 500.0  # pixels of the longer side: enough to see ink, too few to read it
_FAINT = 40  # levels of grey by which ink differs from paper
_TINY = 2.0  # points
_CLEAR, _WHITE = 16, 245  # of 255: how much ink letters have, and how little colour
_PLACE = 1000.0  # pixels of the longer side: enough to see whether something stands at a place
_FAINTEST = 12  # levels of a colour between letters and what they stand on
_UNDECODED, _FAILED = "cannot decode", " error: "  # in what the library complains of
_DPI, _LEAST_SIDE, _MOST_SIDE = 200, 1000, 3600  # pixels of a picture for OCR


def opened_picture(data: bytes) -> Any | None:
    """A file that is a picture as a document of its pages; ``None`` for any other."""
    import pymupdf

    found = identify(data)
    if not found or found.kind != "image":
        return None
    if data[8:12] in {b"WEBP", *HEIF_BRANDS}:  # which MuPDF does not read
        from pi_heif import register_heif_opener
        from PIL import Image

        register_heif_opener(decode_threads=1)
        turned = BytesIO()
        Image.open(BytesIO(data)).convert("RGB").save(turned, "png")
        data = turned.getvalue()
    return pymupdf.open(stream=data)


def warm_picture() -> bytes:
    """A small picture of the kind that takes the longest way: what libraries load late is loaded with it."""
    from PIL import Image

    held = BytesIO()
    Image.new("RGB", (40, 40), "white").save(held, "webp")
    return held.getvalue()


def signs(page: Any, lines: Sequence[Box], *, told: bool) -> tuple[float, float, float] | None:
    """Shares of a page: under pictures, of ink, and of that ink outside ``lines``; 0 where nobody has to look.

    ``None`` for a page that shows nothing because its picture cannot be decoded. ``lines``: boxes of its text layer on
    the shown page, ``told`` where they hold letters.
    """
    import pymupdf

    pictures = [_on_shown(page, item["bbox"]) for item in page.get_image_info()]
    wide, high = page.rect.width / _CELLS, page.rect.height / _CELLS
    middles = [((column + 0.5) * wide, (row + 0.5) * high) for row in range(_CELLS) for column in range(_CELLS)]
    hidden = sum(any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in pictures) for x, y in middles)
    covered = hidden / len(middles)
    if told and covered < COVERED:
        return covered, 0.0, 0.0
    ink, beside = _ink(page, lines)
    failed = _FAILED in pymupdf.TOOLS.mupdf_warnings() and (pictures or (page.parent.is_pdf and page.get_images()))
    if failed and ink * beside < LEAST_INK:
        return None
    return covered, ink, beside


def _on_shown(page: Any, box: Sequence[float]) -> Box:
    import pymupdf

    x0, y0, x1, y1 = pymupdf.Rect(box) * page.rotation_matrix
    return x0, y0, x1, y1


def drawn(page: Any, scale: float, turn: int = 0, *, grey: bool = False) -> Any:
    """A page as a pixmap, turned clockwise by ``turn`` degrees, a multiple of 90.

    Where MuPDF cannot decode a picture of the page, or draws nothing at all, and pdfium does, the drawing is pdfium's.
    """
    import pymupdf

    colours = pymupdf.csGRAY if grey else pymupdf.csRGB
    pymupdf.TOOLS.reset_mupdf_warnings()
    matrix = pymupdf.Matrix(scale, scale).prerotate(turn)
    pixels = page.get_pixmap(matrix=matrix, colorspace=colours, alpha=False)
    undecoded = _UNDECODED in pymupdf.TOOLS.mupdf_warnings(reset=False)
    if page.parent.is_pdf and (undecoded or (pixels.is_unicolor and page.get_images())):
        other = drawn_by_pdfium(page, scale, turn, colours)
        if other and not other.is_unicolor:
            return other
    return pixels


def drawn_by_pdfium(page: Any, scale: float, turn: int, colours: Any) -> Any | None:
    """A page of a PDF as ``drawn`` makes it, by the other engine; ``None`` where that cannot open it."""
    import pymupdf
    import pypdfium2

    try:
        with pymupdf.open() as alone:  # which no password locks
            alone.insert_pdf(page.parent, from_page=page.number, to_page=page.number, links=False)
            data = alone.tobytes()
        with closing(pypdfium2.PdfDocument(data)) as document:
            image = document[0].render(scale=scale, rotation=turn % 360).to_pil().convert("RGB")
    except (pypdfium2.PdfiumError, pymupdf.mupdf.FzErrorBase, RuntimeError, ValueError):
        return None
    return pymupdf.Pixmap(colours, pymupdf.Pixmap(pymupdf.csRGB, *image.size, image.tobytes(), False))


def _ink(page: Any, lines: Sequence[Box]) -> tuple[float, float]:
    scale = _LOOK / max(page.rect.width, page.rect.height, 1.0)
    picture = drawn(page, scale, grey=True)
    levels = bytes(picture.samples)
    paper = Counter(levels).most_common(1)[0][0] if levels else 0
    ink = bytearray(levels.translate(bytes(abs(level - paper) > _FAINT for level in range(256))))
    there = ink.count(1)
    for x0, y0, x1, y1 in lines:
        left, right = (min(max(round(x * scale), 0), picture.width) for x in (x0 - 1, x1 + 1))
        for row in range(max(0, round((y0 - 1) * scale)), min(picture.height, round((y1 + 1) * scale))):
            start = row * picture.stride
            ink[start + left : start + right] = bytes(right - left)
    return there / max(1, len(ink)), ink.count(1) / max(1, there)


def unseen(page: Any, raw: Mapping[str, Any]) -> tuple[str, ...]:
    """The texts of a page that nobody sees: too small to read, or no other than the paper where they stand.

    ``raw``: the page's text as a dictionary. Only white and transparent letters are looked at in a picture: those on a
    dark ground, and a layer of words over a scan, have something to see where they stand.
    """
    import pymupdf

    spans = [span for block in raw["blocks"] for line in block.get("lines", ()) for span in line["spans"]]
    spans = [span for span in spans if span["text"].strip()]
    found = [span for span in spans if _is_tiny(span)]
    doubtful = [span for span in spans if span["alpha"] < _CLEAR or _is_white(span["color"])]
    if doubtful:
        scale = _PLACE / max(page.rect.width, page.rect.height, 1.0)
        picture = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), colorspace=pymupdf.csRGB, alpha=False)
        levels = bytes(picture.samples)
        for span in doubtful:
            x0, y0, x1, y1 = (round(place * scale) for place in _on_shown(page, span["bbox"]))
            rows = range(max(0, y0), min(picture.height, y1 + 1))
            left, right = 3 * max(0, x0), 3 * min(picture.width, x1 + 1)
            there = b"".join(levels[row * picture.stride + left : row * picture.stride + right] for row in rows)
            apart = max((max(part) - min(part) for part in (there[0::3], there[1::3], there[2::3]) if part), default=0)
            found += [span] if apart < _FAINTEST and not _is_tiny(span) else []
    return tuple(span["text"] for span in found)


def _is_tiny(span: Mapping[str, Any]) -> bool:
    """By its letters' widths, too: fonts of drawings have sizes that say nothing."""
    return bool(span["size"] < _TINY and span["bbox"][2] - span["bbox"][0] < _TINY * len(span["text"]))


def _is_white(colour: int) -> bool:
    return min(colour >> 16 & 255, colour >> 8 & 255, colour & 255) >= _WHITE


def picture_of(page: Any, turn: int) -> tuple[bytes, float]:
    """A page as a JPEG, turned clockwise by ``turn`` degrees, and its pixels to a point.

    As fine as the finest picture on it, within bounds: nothing is gained by more pixels than were scanned.
    """
    import pymupdf

    longest = max(page.rect.width, page.rect.height, 1.0)
    finest = [
        (item["width"] * item["height"] / max(1.0, pymupdf.Rect(item["bbox"]).get_area())) ** 0.5
        for item in page.get_image_info()
    ]
    side = min(max(longest * min(_DPI / 72, max(finest, default=_DPI / 72)), _LEAST_SIDE), _MOST_SIDE)
    scale = side / longest
    picture = drawn(page, scale, turn)
    return picture.tobytes("jpg", jpg_quality=92), scale
