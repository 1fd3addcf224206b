"""Writes Markdown that is part of another file, such as a notebook's cell, into canonical text."""

from __future__ import annotations

from dataclasses import replace

from core.parsing.flow import Flow
from core.parsing.plain.markdown import read_blocks
from core.text.spans import trim
from core.types import Block, BlockKind, Span


def write_apart(flow: Flow, text: str) -> Span | None:
    """Append text after a blank line, without blank edges. Returns its span, ``None`` for blank text."""
    body = trim(text, 0, len(text))
    if body is None:
        return None
    if flow.length:
        flow.write("\n\n")
    return flow.write(text[body.start : body.end])


def write_markdown(flow: Flow, text: str, *, keeps_headings: bool = True) -> None:
    """Append the blocks and links of Markdown. ``keeps_headings``: whether headings do not become paragraphs."""
    if (span := write_apart(flow, text)) is None:
        return
    blocks, links = read_blocks(text.strip())
    for block in blocks:
        moved = _moved(block, span.start)
        if moved.kind is BlockKind.HEADING and not keeps_headings:
            moved = replace(moved, kind=BlockKind.PARAGRAPH, level=0)
        flow.blocks.append(moved)
    flow.links += [replace(link, start=link.start + span.start, end=link.end + span.start) for link in links]


def _moved(block: Block, by: int) -> Block:
    """The block where it stands in the whole."""
    return replace(
        block,
        start=block.start + by,
        end=block.end + by,
        parts=tuple(Span(part.start + by, part.end + by) for part in block.parts),
        header=Span(block.header.start + by, block.header.end + by) if block.header else None,
        cells=tuple(replace(cell, start=cell.start + by, end=cell.end + by) for cell in block.cells),
    )
