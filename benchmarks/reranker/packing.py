"""From lists of text to lists of token ids."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.reranker.mining import MinedList, occurrences
from benchmarks.reranker.packed import PLACES, Packed
from core.atomic_files import written_whole
from core.embedding import layer_file


def packed(
    lists: Sequence[MinedList], sources: Sequence[int], held_out: Sequence[bool], most: int, tokenizer: Any
) -> Packed:
    """The lists, at most ``most`` passages each. ``sources``, ``held_out``: of each list.

    ``tokenizer``: a fast one; an answer that does not begin and end where tokens do is not marked.
    """
    piece_at = _numbered(passage for listed in lists for passage in listed.passages[:most])
    question_at = _numbered(one for listed in lists for one in (listed.question, listed.missed) if one)
    passages = np.full((len(lists), most), -1, np.int32)
    spans = np.full((len(lists), PLACES, 2), -1, np.int16)
    marked = np.array([listed.marked for listed in lists], np.bool_)
    for row, listed in enumerate(lists):
        some = listed.passages[:most]
        passages[row, : len(some)] = [piece_at[passage] for passage in some]
    answered = [row for row, listed in enumerate(lists) if listed.answer]
    for begin in range(0, len(answered), 4096):
        rows = answered[begin : begin + 4096]
        read = tokenizer(
            [lists[row].passages[0] for row in rows], add_special_tokens=False, return_offsets_mapping=True
        )
        for row, offsets in zip(rows, read["offset_mapping"], strict=True):
            found = _spans(lists[row].passages[0], lists[row].answer or "", offsets)[:PLACES]
            spans[row, : len(found)] = np.array(found, np.int16).reshape(-1, 2)
            marked[row] = bool(found)
    pieces, piece_ends = _tokens(list(piece_at), tokenizer)
    questions, question_ends = _tokens(list(question_at), tokenizer)
    asked = np.array([question_at[listed.question] for listed in lists], np.int32)
    missed = np.array([question_at[listed.missed] if listed.missed else -1 for listed in lists], np.int32)
    return Packed(
        pieces,
        piece_ends,
        questions,
        question_ends,
        asked,
        missed,
        passages,
        marked,
        spans,
        np.array(sources, np.int16),
        np.array(held_out, np.bool_),
    )


def _numbered(texts: Iterable[str]) -> dict[str, int]:
    """Numbers in the order of the texts, so that pieces of one passage lie together and pack well."""
    return {text: number for number, text in enumerate(sorted(set(texts)))}


def _spans(passage: str, answer: str, offsets: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """First and last token of every place of the answer that begins and ends where tokens do.

    >>> _spans("by 70, or 70", "70", [(0, 2), (3, 5), (5, 6), (7, 9), (10, 12)])
    [(1, 1), (4, 4)]
    """
    starts = {start: at for at, (start, _) in enumerate(offsets)}
    ends = {end: at for at, (_, end) in enumerate(offsets)}
    places = [(start, start + len(answer)) for start in occurrences(answer, passage)]
    return [(starts[start], ends[end]) for start, end in places if start in starts and end in ends]


def _tokens(texts: Sequence[str], tokenizer: Any) -> tuple[NDArray[np.uint16], NDArray[np.int32]]:
    parts: list[NDArray[np.uint16]] = []
    for begin in range(0, len(texts), 4096):
        read = tokenizer(list(texts[begin : begin + 4096]), add_special_tokens=False)["input_ids"]
        parts += [np.array(ids[:254], np.uint16) for ids in read]
    return np.concatenate(parts), np.cumsum([len(part) for part in parts]).astype(np.int32)


def words(module: Any, lists: Packed, path: Path) -> None:
    """Write the embedding table of an ``untrained`` module: the rows of the words in the lists, as 8-bit integers."""
    table: dict[str, Any] = {
        name: value.numpy().astype(np.float16)
        for name, value in module.state_dict().items()
        if name.startswith(layer_file.TABLE) and value.is_floating_point()
    }
    name = f"{layer_file.TABLE}word_embeddings.weight"
    rows = np.zeros(table[name].shape, np.float32)
    used = np.unique(np.concatenate([lists.pieces, lists.questions, np.array([0, 101, 102], np.uint16)]))
    rows[used] = table[name][used]
    table[name], table[name + layer_file.SCALES] = layer_file.in_bytes(rows)
    with written_whole(path) as unfinished, unfinished.open("wb") as file:
        np.savez_compressed(file, **table)
