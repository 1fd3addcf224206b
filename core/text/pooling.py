"""What an encoder reads, a text by itself or a stretch of a window read with what stands around it; and its vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.types import Span, TokenCounter, Vectors


@dataclass(frozen=True, slots=True)
class Pooled:
    """``[start, end)`` of a window: its vector is the mean of its tokens' states as the whole window was read."""

    window: str
    start: int
    end: int


EncoderInput = str | Pooled


def of_unit_length(vectors: Vectors) -> Vectors:
    """Each row divided by its norm, in float32: in half precision norms are off by a thousandth. Zeros stay.

    >>> of_unit_length(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(norms > 0, norms, 1), dtype=np.float32)


def pooled(text: str, spans: Sequence[Span], counter: TokenCounter, room: int) -> tuple[Pooled, ...]:
    """Each span inside the window of ``text`` that it is most central in: late chunking's input.

    Windows have at most ``room`` tokens and begin every half of that, at a word; a span that none of them holds gets a
    window that begins with it. The windows depend on the text alone, so another cut of it reads the same ones. After
    Günther et al., "Late Chunking: Contextual Chunk Embeddings" (2024), whose long texts are read in overlapping
    windows likewise (section 3.1).
    """
    offsets = np.asarray(counter.offsets(text), dtype=np.int64).reshape(-1, 2)
    windows = _windows(text, offsets, room)
    starts = np.array([window.start for window in windows], dtype=np.int64)
    found: list[Pooled] = []
    for span in spans:
        last = int(np.searchsorted(starts, span.start, side="right"))
        holding = [window for window in windows[max(0, last - 4) : last] if window.contains(span)]
        if holding:
            window = min(holding, key=lambda one: (abs((one.start + one.end) - (span.start + span.end)), one.start))
        else:
            window = _window_at(text, offsets, int(np.searchsorted(offsets[:, 0], span.start)), room, span)
        found.append(Pooled(text[window.start : window.end], span.start - window.start, span.end - window.start))
    return tuple(found)


def _windows(text: str, offsets: np.ndarray, room: int) -> list[Span]:
    windows: list[Span] = []
    at, stride = 0, max(1, room // 2)
    while at < len(offsets):
        first = at
        while first > 0 and first > at - stride // 2 and not _opens_word(text, int(offsets[first, 0])):
            first -= 1
        windows.append(_span(offsets, first, room))
        if first + room >= len(offsets):
            break
        at += stride
    return windows


def _window_at(text: str, offsets: np.ndarray, first: int, room: int, span: Span) -> Span:
    """A window for a span that is larger than those that overlap, or that no token begins in."""
    if first >= len(offsets) or offsets[first, 0] >= span.end:
        return span
    found = _span(offsets, first, room)
    return Span(min(span.start, found.start), max(span.end, found.end))


def _span(offsets: np.ndarray, first: int, room: int) -> Span:
    last = min(len(offsets), first + room) - 1
    return Span(int(offsets[first, 0]), int(offsets[last, 1]))


def _opens_word(text: str, position: int) -> bool:
    return position == 0 or text[position - 1].isspace()
