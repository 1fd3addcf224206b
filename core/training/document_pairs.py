"""Pairs of any documents: a heading asks for its section, a section's first sentence for what follows it.

The second is the inverse cloze task: Lee, Chang and Toutanova, "Latent retrieval for weakly supervised open domain
question answering", ACL 2019, section 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from core.errors import LecternError
from core.parsing import parse
from core.settings import ParsingSettings
from core.text.sentences import sentence_spans
from core.training.pairs import Pair
from core.types import BlockKind, Document

_LEAST, _MOST = 80, 4000  # characters of a section


def folder_pairs(folder: Path) -> list[Pair]:
    """Pairs of every document below the folder that can be read, in the order of their paths."""
    found: list[Pair] = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        try:
            document = parse(path.read_bytes(), path.name, ParsingSettings())
        except LecternError:
            continue  # a picture or a locked file has no sections to learn from
        found.extend(document_pairs(document))
    return found


def document_pairs(document: Document) -> Iterator[Pair]:
    """Pairs of one document's sections; none where it has neither headings nor paragraphs of several sentences."""
    pool = f"document:{document.title}"
    headings = [block for block in document.blocks if block.kind is BlockKind.HEADING]
    ends = [*(block.start for block in headings[1:]), len(document.text)]
    for heading, end in zip(headings, ends, strict=False):
        section = document.text[heading.end : end].strip()
        if _LEAST <= len(section) <= _MOST:
            yield Pair("headings", document.text[heading.start : heading.end].strip("# \n"), section, pool)
    for block in document.blocks:
        if block.kind is not BlockKind.PARAGRAPH or not _LEAST <= block.end - block.start <= _MOST:
            continue
        sentences = sentence_spans(document.text, block.start, block.end)
        for one, following in pairwise(sentences):
            asked, rest = document.text[one.start : one.end], document.text[following.start : block.end]
            if len(rest) >= _LEAST:
                yield Pair("sentences", asked.strip(), rest.strip(), pool)
