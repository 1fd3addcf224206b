"""Pairs to learn from: a question, the passage that answers it, and the passages it lies among."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from itertools import pairwise
from pathlib import Path

from core.errors import LecternError, ParseError
from core.parsing import parse
from core.settings import ParsingSettings
from core.text.sentences import sentence_spans
from core.types import BlockKind, Document

_HELD_OUT = 0.04  # of the pools, or of the questions where a source is one pool


@dataclass(frozen=True, slots=True)
class Pair:
    """``question`` is answered by ``positive``, where ``answer`` stands if it is known ("" where not).

    ``pool``: passages of one pool lie close together, an article or a file, and are hard to tell apart. Of a pair that
    is not ``answerable`` a person said that ``positive`` looks as if it answered and does not; only a reader learns
    from it, and ``answer`` is what could be taken for one. ``missed``: another question, of which a person said the
    same; "" for none.
    """

    source: str
    question: str
    positive: str
    pool: str
    answer: str = ""
    answerable: bool = True
    missed: str = ""

    @property
    def title(self) -> str:
        """What a document of this pool would be called, "" where the pool is the whole source.

        >>> Pair("s", "Who?", "They.", "squad:Amazon_rainforest").title
        'Amazon rainforest'
        """
        return self.pool.partition(":")[2].replace("_", " ")

    @property
    def held_out(self) -> bool:
        """Whether it is kept from training, to tell how training goes: by pool, so that no article is on both sides.

        The source does not count where the pool parts it: a file of code is asked of by two sources.
        """
        unit = self.pool if ":" in self.pool else f"{self.source}\0{self.question}"
        return int(hashlib.sha256(unit.encode()).hexdigest()[:8], 16) < _HELD_OUT * 16**8


def fingerprint(pairs: Sequence[Pair]) -> str:
    """The same for the same pairs in the same order.

    >>> one, other = Pair("s", "Who?", "They.", "s:a"), Pair("s", "Who?", "They.", "s:b")
    >>> fingerprint([one, other]) == fingerprint([one, other]) != fingerprint([other, one])
    True
    """
    return hashlib.sha256(json.dumps([astuple(pair) for pair in pairs]).encode()).hexdigest()


def read_pairs(path: Path) -> list[Pair]:
    """The pairs of a file of JSON lines, gzipped or not. Raises ``ParseError``, which names the line that is none."""
    opened = gzip.open if path.suffix == ".gz" else open
    found: list[Pair] = []
    number = 0
    try:
        with opened(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                number += 1
                if line.strip():
                    found.append(_pair(json.loads(line)))
    except (OSError, EOFError, zlib.error) as error:
        raise ParseError(
            f"The pairs {path.name} cannot be read: {error}.", "Check the path, and whether the file is whole."
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise ParseError(
            f"Line {number} of {path.name} is no pair: {error}.",
            'A line is a JSON object with the strings "source", "question", "positive", "pool" and, if they are '
            'known, "answer" and "missed"; "answerable" is true or false, and true where it is not said.',
        ) from error
    return found


def _pair(value: dict[str, object]) -> Pair:
    texts = [value[name] for name in ("source", "question", "positive", "pool")]
    answer, missed, answerable = value.get("answer") or "", value.get("missed") or "", value.get("answerable", True)
    if not all(isinstance(text, str) and text.strip() for text in texts):
        raise ValueError("a value is missing or no text")
    if not isinstance(answer, str) or not isinstance(missed, str):
        raise ValueError('"answer" or "missed" is no text')
    if not isinstance(answerable, bool):
        raise ValueError('"answerable" is neither true nor false')
    source, question, positive, pool = (str(text) for text in texts)
    return Pair(source, question, positive, pool, answer, answerable, missed)


def balanced(pairs: Iterable[Pair], most: dict[str, int], seed: int) -> list[Pair]:
    """The pairs to train on, shuffled: of each source at most so many, in which no question is favoured.

    ``most``: by source, absent: all. Held-out pairs are left out, and so is what has the passage of one. A question
    that stands with many passages (templates do) gives one pair a round, the next only when every question of the
    source has had its turn.
    """
    pairs = list(pairs)
    kept_out = {pair.positive for pair in pairs if pair.held_out}
    choose = random.Random(seed)
    sources: dict[str, dict[str, list[Pair]]] = {}
    for pair in pairs:
        if not pair.held_out and pair.positive not in kept_out:
            sources.setdefault(pair.source, {}).setdefault(pair.question, []).append(pair)
    found: list[Pair] = []
    for source, questions in sources.items():
        turns: list[tuple[int, float, Pair]] = []
        for same in questions.values():
            choose.shuffle(same)
            turns.extend((turn, choose.random(), pair) for turn, pair in enumerate(same))
        turns.sort(key=lambda turn: turn[:2])
        found.extend(pair for _, _, pair in turns[: most.get(source, len(turns))])
    choose.shuffle(found)
    return found


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
