"""Lists as token ids in one file: what a graphics processor reads, with no tokenizer, no search and no text beside it.

Every piece and every question stands in it once; a list names them by number.
"""

from __future__ import annotations

import lzma
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.atomic_files import written_whole

PLACES = 4  # of an answer that stands in its passage several times, so many are kept


@dataclass(frozen=True, slots=True)
class Packed:
    """``n`` lists over ``p`` pieces and ``q`` questions.

    ``pieces``, ``questions``: token ids one after the other, without the special ones; ``piece_ends`` ``(p,)`` and
    ``question_ends`` ``(q,)``: where each ends. ``asked``, ``missed``: ``(n,)`` numbers of questions, -1 for none.
    ``passages``: ``(n, most)`` numbers of pieces, the one that answers first, -1 where the list is shorter. ``marked``:
    ``(n,)`` whether it is known where the answer stands, or that there is none. ``spans``: ``(n, PLACES, 2)`` first and
    last token of the answer in the first piece, -1 for none. ``sources``: ``(n,)`` numbers of sources; ``held_out``:
    ``(n,)`` lists that only tell how training goes.
    """

    pieces: NDArray[np.uint16]
    piece_ends: NDArray[np.int32]
    questions: NDArray[np.uint16]
    question_ends: NDArray[np.int32]
    asked: NDArray[np.int32]
    missed: NDArray[np.int32]
    passages: NDArray[np.int32]
    marked: NDArray[np.bool_]
    spans: NDArray[np.int16]
    sources: NDArray[np.int16]
    held_out: NDArray[np.bool_]

    def write(self, path: Path) -> None:
        """Write it, packed tightly, through a temporary file."""
        with written_whole(path) as unfinished, lzma.open(unfinished, "wb", preset=6) as file:
            for field in fields(self):
                np.save(file, getattr(self, field.name))

    @classmethod
    def read(cls, path: Path) -> Packed:
        """What ``write`` wrote."""
        with lzma.open(path) as file:
            return cls(*(np.load(file) for _ in fields(cls)))
