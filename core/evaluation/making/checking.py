"""Checks a drafted question against the whole library: where else its answer occurs, and what else answers it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.evaluation.making.draft import Draft, plain, words_of
from core.evaluation.making.written import WRITTEN
from core.evidence import Hit
from core.library import Library
from core.search.answer.asking import missing_terms, named_terms
from core.text.analysis import STOP_WORDS, analyse
from core.types import Span

RIVALS = 4  # passages other than the gold in which the extractive reader looks for another answer
_RIVAL_WORDS = 0.5  # share of the question's words that a rival must have
# Log-odds by which the gold must beat every rival. Two of them the gold gains because it is read by itself, while a
# rival is read with the text around its answer.
_RIVAL_MARGIN = 4.0
_MIN_SCORE = -3.0  # log-odds below which the reader finds no answer in the gold itself
_QUESTION_WORDS = frozenset(analyse("long many much often far percentage happens done mean steps value default person"))
_TOP_HITS = 12
_MAX_OCCURRENCES = 5
# Kinds with short answers, which an extractive reader can mark.
_EXTRACTIVE_KINDS = frozenset({"definition", "number", "date", "who", "table", WRITTEN})


@dataclass(frozen=True, slots=True)
class Place:
    """A span of gold in a document of the library."""

    version_id: str
    span: Span


def occurrences(texts: Mapping[str, str], version_id: str, draft: Draft) -> tuple[Place, ...]:
    """Every verbatim occurrence of the draft's gold in ``texts``, the draft's own first.

    () for more than ``_MAX_OCCURRENCES``, or for more than one of code, whose name has to identify it.
    """
    quote = texts[version_id][draft.gold.start : draft.gold.end]
    result = [Place(version_id, draft.gold)]
    for version, text in texts.items():
        start = text.find(quote)
        while start >= 0:
            place = Place(version, Span(start, start + len(quote)))
            if place not in result:
                result.append(place)
            if len(result) > (1 if draft.kind == "code" else _MAX_OCCURRENCES):
                return ()
            start = text.find(quote, start + len(quote))
    return tuple(result)


def is_unambiguous(
    library: Library, question: str, draft: Draft, gold: Sequence[Place], texts: Mapping[str, str]
) -> bool:
    """Whether the gold answers the question and no other passage does, as the extractive reader scores them.

    The other passages are the top hits of the library's search. The rank of the gold does not matter: a question that
    is hard to find is a good one. The term of a definition must be defined in the gold alone, and no other document may
    have all words of a question about data. ``texts``: of all documents, by version. Without a reader every other
    question passes.
    """
    if draft.kind == "definition":
        return _definitions(draft.question, texts) <= len(gold)
    if draft.kind == "data":  # a reader sees a row without its headers; the same columns may be in another file
        copies = {place.version_id for place in gold}
        return not any(_has_words(question, text) for version, text in texts.items() if version not in copies)
    read = library.searcher.reader
    if read is None:
        return True
    quote = texts[gold[0].version_id][gold[0].span.start : gold[0].span.end]
    hits = library.search(question).hits
    rivals = [hit for hit in hits[:_TOP_HITS] if not _is_gold(hit, gold) and _could_answer(question, hit)][:RIVALS]
    if not rivals and draft.kind not in _EXTRACTIVE_KINDS:
        return True
    marks = read(question, [quote, *(hit.text for hit in rivals)], ["", *(hit.document for hit in rivals)])
    gold_score, *rival_scores = [best.score if (best := mark.best()) else -99.0 for mark in marks]
    if draft.kind in _EXTRACTIVE_KINDS and gold_score < _MIN_SCORE:
        return False
    return all(score < max(gold_score - _RIVAL_MARGIN, 0.0) for score in rival_scores)


def is_unanswered(library: Library, question: str) -> bool:
    """Whether the reader finds no answer in the top hits of the library's search. ``False`` without a reader."""
    read = library.searcher.reader
    if read is None:
        return False
    hits = library.search(question).hits[:_TOP_HITS]
    marks = read(question, [hit.text for hit in hits], [hit.document for hit in hits]) if hits else []
    return all((best := mark.best()) is None or best.score < 0.0 for mark in marks)


def _definitions(question: str, texts: Mapping[str, str]) -> int:
    """How many sentences of ``texts`` define the term that a "What is …?" question asks for."""
    term = re.sub(r"^What (?:is|are|was|were|does) (?:an? )?|(?: mean| denote| refer to| stand for)?\?$", "", question)
    pattern = re.compile(
        rf"\b{re.escape(term)}[*_`\"”]* (?:is|are|was|were|means) (?:an?|the|one|any)\b", re.IGNORECASE
    )
    return sum(len(pattern.findall(text)) for text in texts.values())


def _has_words(question: str, text: str) -> bool:
    """Whether a text has every word of a question, without function words, in any order."""
    folded = text.lower()
    return all(word in folded for word in words_of(question) if word not in STOP_WORDS)


def _is_gold(hit: Hit, gold: Sequence[Place]) -> bool:
    return any(hit.version_id == place.version_id and place.span.overlap(Span(hit.start, hit.end)) for place in gold)


def _could_answer(question: str, hit: Hit) -> bool:
    """Whether a passage has the question's names and numbers, and at least half of its other words."""
    text = plain(hit.text)
    question_tokens = set(analyse(question)) - _QUESTION_WORDS
    passage_tokens = set(analyse(f"{' '.join(hit.headings)} {text}"))
    common = len(question_tokens & passage_tokens)
    return common >= _RIVAL_WORDS * len(question_tokens) and not missing_terms(named_terms(question), [text])
