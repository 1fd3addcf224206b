"""What a whole library says of a drafted question: where else its answer stands, and whether something else answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.evaluation.making.draft import Draft, plain
from core.evaluation.making.written import WRITTEN
from core.evidence import Hit
from core.library import Library
from core.search.answer.asking import missing_terms, named_terms
from core.text.analysis import analyse
from core.types import Span

RIVALS = 4  # passages beside the gold that are read for another answer
# What a rival must say of the words of the question, and how far its answer may stay behind, in log-odds: of these
# the gold gains two because it is read by itself, and a rival amid what stands around it.
_SHARE, _BEHIND = 0.5, 4.0
_LEAST = -3.0  # log-odds: below it the reader sees no answer in the gold either
_ASKING = frozenset(analyse("long many much often far percentage happens done mean steps value default person"))
_LOOKED_AT = 12  # passages the search brings
_MOST_PLACES = 5
# Short answers, which it can mark.
_READ = frozenset({"definition", "number", "date", "name", "who", "place", "table", WRITTEN})


@dataclass(frozen=True, slots=True)
class Place:
    """Gold in a document of the library."""

    version_id: str
    span: Span


def places(texts: Mapping[str, str], version_id: str, draft: Draft) -> tuple[Place, ...]:
    """Every place where the words of the gold stand, the draft's own first; () where they stand in too many: of
    code, where names tell which is meant, in two."""
    words = texts[version_id][draft.gold.start : draft.gold.end]
    found = [Place(version_id, draft.gold)]
    for version, text in texts.items():
        at = text.find(words)
        while at >= 0:
            place = Place(version, Span(at, at + len(words)))
            if place not in found:
                found.append(place)
            if len(found) > (1 if draft.kind == "code" else _MOST_PLACES):
                return ()
            at = text.find(words, at + len(words))
    return tuple(found)


def is_told_apart(
    library: Library, question: str, draft: Draft, gold: Sequence[Place], texts: Mapping[str, str]
) -> bool:
    """Whether the reader finds the answer in the gold, and no other passage that answers the question as well.

    Passages are those the library's search brings for the question. Where the gold itself stands among them does not
    count: a question that is hard to find is a good one. What is defined must be defined there alone. ``texts``: of all
    documents, by version. Without a reader all else passes.
    """
    if draft.kind == "definition":
        return _definitions(draft.question, texts) <= len(gold)
    read = library.searcher.reader
    if read is None:
        return True
    words = texts[gold[0].version_id][gold[0].span.start : gold[0].span.end]
    hits = library.search(question).hits
    others = [hit for hit in hits[:_LOOKED_AT] if not _is_gold(hit, gold) and _could_answer(question, hit)][:RIVALS]
    if not others and draft.kind not in _READ:
        return True
    marks = read(question, [words, *(hit.text for hit in others)], ["", *(hit.document for hit in others)])
    own, *rivals = [best.score if (best := mark.best()) else -99.0 for mark in marks]
    if draft.kind in _READ and own < _LEAST:
        return False
    return all(score < max(own - _BEHIND, 0.0) for score in rivals)


def is_unanswered(library: Library, question: str) -> bool:
    """Whether the reader finds no answer in what the library's search brings; without a reader it cannot be told."""
    read = library.searcher.reader
    if read is None:
        return False
    hits = library.search(question).hits[:_LOOKED_AT]
    marks = read(question, [hit.text for hit in hits], [hit.document for hit in hits]) if hits else []
    return all((best := mark.best()) is None or best.score < 0.0 for mark in marks)


def _definitions(question: str, texts: Mapping[str, str]) -> int:
    """How often the documents say what the thing is that a question asks to define."""
    term = re.sub(r"^What (?:is|are|was|were|does) (?:an? )?|(?: mean| denote| refer to| stand for)?\?$", "", question)
    pattern = re.compile(
        rf"\b{re.escape(term)}[*_`\"”]* (?:is|are|was|were|means) (?:an?|the|one|any)\b", re.IGNORECASE
    )
    return sum(len(pattern.findall(text)) for text in texts.values())


def _is_gold(hit: Hit, gold: Sequence[Place]) -> bool:
    return any(hit.version_id == place.version_id and place.span.overlap(Span(hit.start, hit.end)) for place in gold)


def _could_answer(question: str, hit: Hit) -> bool:
    """Whether a passage speaks of the question's things: what it names, and most of its words."""
    said = plain(hit.text)
    wanted = set(analyse(question)) - _ASKING
    heard = set(analyse(f"{' '.join(hit.headings)} {said}"))
    return len(wanted & heard) >= _SHARE * len(wanted) and not missing_terms(named_terms(question), [said])
