"""The inputs of an encoder: a text by itself, or a span of a window whose token states are pooled (late chunking)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.types import Span, TokenCounter, Vectors


@dataclass(frozen=True, slots=True)
class Pooled:
    """The span ``[start, end)`` of a window; its vector is the mean of its token states when all of it is read."""

    window: str
    start: int
    end: int


EncoderInput = str | Pooled


def of_unit_length(vectors: Vectors) -> Vectors:
    """Each row divided by its norm, as float32, since half precision is off by a thousandth. Zero rows stay.

    >>> of_unit_length(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(norms > 0, norms, 1), dtype=np.float32)


def pooled(text: str, spans: Sequence[Span], counter: TokenCounter, room: int) -> tuple[Pooled, ...]:
    """Each span in the window of ``text`` where it is most central: the inputs of late chunking.

    Windows have at most ``room`` tokens and begin every half of that, at a word; a span in none of them gets a window
    that begins with it. The windows depend on the text alone, so other chunks of it share their encodings. After
    Günther et al., "Late Chunking: Contextual Chunk Embeddings" (2024), section 3.1.
    """
    offsets = np.asarray(counter.offsets(text), dtype=np.int64).reshape(-1, 2)
    windows = _windows(text, offsets, room)
    starts = np.array([window.start for window in windows], dtype=np.int64)
    inputs: list[Pooled] = []
    for span in spans:
        last = int(np.searchsorted(starts, span.start, side="right"))
        candidates = [window for window in windows[max(0, last - 4) : last] if window.contains(span)]
        if candidates:
            window = min(candidates, key=lambda one: (abs((one.start + one.end) - (span.start + span.end)), one.start))
        else:
            window = _window_at(offsets, int(np.searchsorted(offsets[:, 0], span.start)), room, span)
        inputs.append(Pooled(text[window.start : window.end], span.start - window.start, span.end - window.start))
    return tuple(inputs)


def _windows(text: str, offsets: np.ndarray, room: int) -> list[Span]:
    """Overlapping windows of at most ``room`` tokens over the whole text."""
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


def _window_at(offsets: np.ndarray, first: int, room: int, span: Span) -> Span:
    """A window for a span that fits none of the overlapping windows; the span itself where it has no token."""
    if first >= len(offsets) or offsets[first, 0] >= span.end:
        return span
    window = _span(offsets, first, room)
    return Span(min(span.start, window.start), max(span.end, window.end))


def _span(offsets: np.ndarray, first: int, room: int) -> Span:
    last = min(len(offsets), first + room) - 1
    return Span(int(offsets[first, 0]), int(offsets[last, 1]))


def _opens_word(text: str, position: int) -> bool:
    return position == 0 or text[position - 1].isspace()
