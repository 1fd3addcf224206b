"""How many words of scanned pages are read, and in which order, beside what Tesseract makes of the same pages.

    python -m benchmarks.scans [FILE.pdf[:PAGE,PAGE] ...] [--real FOLDER] [--kinds KIND,KIND]
        [--readers lectern,tesseract,lectern-tesseract]

Pages of PDFs that have a text layer are drawn as a scanner would see them, without their text layer; that layer, as
Lectern reads it, is what was expected. A page is drawn in several ways: at 300 and at 150 dots an inch, askew, turned
by 90 and 180 degrees, stamped across (with "Scanned with CamScanner" as its text layer), with noise on grey paper, and
as a camera held at an angle sees it. ``--real``: a folder of scans as people have them, pictures or PDFs, each with
FILE.txt beside it that holds its words.

- words: the share of the expected words that are found, each as often as it is expected.
- order: the longest common subsequence of expected and found words, as a share of the expected ones.
- s a scan: wall time, engines warm. Tesseract runs as a program, with its own page analysis (--psm 1),
  one thread, for its threads wait for each other on a busy machine.
"""

from __future__ import annotations

import argparse
import os
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from shutil import which
from time import perf_counter

import numpy as np
import pymupdf
from PIL import Image, ImageDraw, ImageFont
from rapidfuzz.distance import LCSseq

from core.errors import LecternError
from core.parsing import parse
from core.parsing.audit.word_audit import words_of
from core.parsing.ocr import pages
from core.settings import ParsingSettings

STAMP = "Scanned with CamScanner"


def drawn(page: pymupdf.Page, dpi: int) -> Image.Image:
    picture = page.get_pixmap(dpi=dpi, alpha=False)
    return Image.frombytes("RGB", (picture.width, picture.height), picture.samples)


def askew(image: Image.Image) -> Image.Image:
    return image.rotate(-2.0, Image.Resampling.BICUBIC, expand=True, fillcolor="white")


def noisy(image: Image.Image) -> Image.Image:
    """Grey paper, grains, a shadow along one edge, and what a sparing JPEG leaves of it."""
    grey = np.asarray(image.convert("L"), np.float32)
    grains = np.random.default_rng(7).normal(0, 22, grey.shape)
    shadow = np.linspace(-50, 0, grey.shape[1])[None, :]
    worn = np.clip(40 + grey * 0.75 + grains + shadow, 0, 255).astype(np.uint8)
    held = BytesIO()
    Image.fromarray(worn).save(held, "jpeg", quality=35)
    return Image.open(BytesIO(held.getvalue())).convert("RGB")


def photographed(image: Image.Image) -> Image.Image:
    """The page seen from below and from one side, on grey, grainy paper."""
    width, height = image.size
    corners = (-0.06 * width, -0.04 * height, 0, 1.02 * height, width, height, 1.08 * width, -0.02 * height)
    return noisy(
        image.transform(image.size, Image.Transform.QUAD, corners, Image.Resampling.BICUBIC, fillcolor="white")
    )


def stamped(image: Image.Image) -> Image.Image:
    """A red line of large letters across the page, through which its words can be seen."""
    over = Image.new("RGBA", image.size, (0, 0, 0, 0))
    font = ImageFont.load_default(size=image.width // 9)
    ImageDraw.Draw(over).text((image.width // 5, image.height // 2), "RECEIVED", (200, 0, 0, 110), font)
    over = over.rotate(25, center=(image.width / 2, image.height / 2))
    return Image.alpha_composite(image.convert("RGBA"), over).convert("RGB")


KINDS: dict[str, tuple[int, Callable[[Image.Image], Image.Image]]] = {
    "300 dpi": (300, lambda image: image),
    "150 dpi": (150, lambda image: image),
    "askew 2°": (300, askew),
    "turned 90°": (300, lambda image: image.transpose(Image.Transpose.ROTATE_270)),
    "turned 180°": (300, lambda image: image.transpose(Image.Transpose.ROTATE_180)),
    "stamped": (200, stamped),
    "noise 200 dpi": (200, noisy),
    "photographed": (200, photographed),
}


def scan_of(image: Image.Image, dpi: int, stamp: str) -> bytes:
    """A PDF of one page that is this picture."""
    held = BytesIO()
    image.save(held, "jpeg", quality=85, dpi=(dpi, dpi))
    with pymupdf.open() as document:
        page = document.new_page(width=image.width * 72 / dpi, height=image.height * 72 / dpi)
        page.insert_image(page.rect, stream=held.getvalue())
        if stamp:
            page.insert_text((20, page.rect.height - 12), stamp, fontsize=7)
        return bytes(document.tobytes())


def by_lectern(engine: str) -> Callable[[bytes], str]:
    def read(data: bytes) -> str:
        try:
            return parse(data, "scan.pdf", ParsingSettings(scans=engine)).text
        except LecternError:
            return ""

    return read


def by_tesseract(data: bytes) -> str:
    command, alone = ["tesseract", "stdin", "stdout", "--psm", "1"], {**os.environ, "OMP_THREAD_LIMIT": "1"}
    texts = []
    with pymupdf.open(stream=data, filetype="pdf") as document:
        for page in document:
            finest = max(72 * item["width"] / pymupdf.Rect(item["bbox"]).width for item in page.get_image_info())
            picture = page.get_pixmap(dpi=round(finest), alpha=False).tobytes("png")
            done = subprocess.run(command, input=picture, capture_output=True, check=False, env=alone)
            texts.append(done.stdout.decode("utf-8", "replace"))
    return "\n".join(texts)


READERS = {
    "lectern": by_lectern("packaged"),
    "tesseract": by_tesseract,
    "lectern-tesseract": by_lectern("tesseract"),
}


@dataclass(slots=True)
class Figures:
    expected: int = 0
    found: int = 0
    ordered: int = 0
    scans: int = 0
    seconds: float = 0.0


def pages_named(named: str) -> list[bytes]:
    """Each page as a PDF of its own: "report.pdf:2,5", or all of a file's pages."""
    path, _, numbers = named.partition(":")
    with pymupdf.open(path) as document:
        chosen = [int(number) - 1 for number in numbers.split(",")] if numbers else range(document.page_count)
        pages = []
        for number in chosen:
            with pymupdf.open() as one:
                one.insert_pdf(document, from_page=number, to_page=number)
                pages.append(bytes(one.tobytes()))
        return pages


def made(originals: Sequence[bytes], kind: str) -> Iterator[tuple[list[str], bytes]]:
    """The words of each page, and a scan of it."""
    dpi, worn = KINDS[kind]
    for original in originals:
        with pymupdf.open(stream=original, filetype="pdf") as document:
            image = worn(drawn(document[0], dpi))
        expected = words_of(parse(original, "page.pdf", ParsingSettings()).text)
        yield expected, scan_of(image, dpi, STAMP if kind == "stamped" else "")


def real(folder: Path) -> Iterator[tuple[list[str], bytes]]:
    """The same of scans that were not made here; a picture as a PDF."""
    for known in sorted(folder.glob("*.*.txt")):
        with pymupdf.open(known.with_suffix("")) as document:
            data = document.tobytes() if document.is_pdf else document.convert_to_pdf()
        yield words_of(known.read_text(encoding="utf-8")), bytes(data)


def measured(reader: str, scans: Iterable[tuple[list[str], bytes]]) -> Figures:
    figures = Figures()
    for expected, data in scans:
        started = perf_counter()
        found = words_of(READERS[reader](data))
        figures.seconds += perf_counter() - started
        figures.scans += 1
        figures.expected += len(expected)
        figures.found += (Counter(expected) & Counter(found)).total()
        figures.ordered += LCSseq.similarity(expected, found)
    return figures


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("files", nargs="*")
    options.add_argument("--real", type=Path)
    options.add_argument("--readers", default="lectern,tesseract")
    options.add_argument("--kinds", default=",".join(KINDS))
    asked = options.parse_args()
    pages.PAGE_SECONDS = 600.0  # what is read is measured, however busy the machine
    originals = [page for named in asked.files for page in pages_named(named)]
    kinds = [*(asked.kinds.split(",") if originals else ()), *(["real"] if asked.real else ())]
    print(f"{'':16}{'reader':20}{'scans':>6}{'words':>7}{'order':>7}{'s a scan':>10}")
    for kind in kinds:
        for reader in asked.readers.split(","):
            if "tesseract" in reader and not which("tesseract"):
                print(f"{kind:16}{reader:20}  not installed")
                continue
            made_or_real = real(asked.real) if kind == "real" else made(originals, kind)
            figures = measured(reader, made_or_real)
            words, order = figures.found / figures.expected, figures.ordered / figures.expected
            seconds = figures.seconds / figures.scans
            print(f"{kind:16}{reader:20}{figures.scans:>6}{words:7.3f}{order:7.3f}{seconds:10.2f}", flush=True)


if __name__ == "__main__":
    main()
