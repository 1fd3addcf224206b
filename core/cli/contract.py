"""The JSON objects of the command line, which scripts rely on: one function for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.chunking.auditing import Audit
from core.enriching.features import Features
from core.evidence import Quote
from core.ingest.cost import Cost
from core.ingest.gathering import Changes, joined
from core.ingest.reports import Failure, Ingested, IngestReport
from core.search.answer.line import Line
from core.search.context.conflicts import ContextConflict
from core.search.explaining.why_not import WhyNot
from core.search.question.analysis import Chip
from core.search.result import SearchResult
from core.storage.catalogue.filing.conditions import Condition
from core.storage.catalogue.judging import JudgmentRow
from core.storage.verify import Problem
from core.text.places import pages_read
from core.types import Block, BlockKind, Chunk, ChunkTree, Span, WordAudit

if TYPE_CHECKING:
    from core.evaluation.statistics import Comparison
    from core.refitting.gains import Refitted


def pick(value: object, names: str) -> dict[str, Any]:
    """The attributes in ``names``, separated by blanks, as JSON values.

    >>> pick(Span(3, 9), "start end")
    {'start': 3, 'end': 9}
    """
    return {name: _plain(getattr(value, name)) for name in names.split()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value


def ingestion(report: IngestReport) -> dict[str, Any]:
    """The result of ``ingest`` and ``rebuild``."""
    return {
        "documents": [_ingested(document) for document in report.documents],
        "failures": failures(report.failures),
        **pick(report, "encoded reused seconds"),
    }


def failures(found: Sequence[Failure]) -> list[dict[str, Any]]:
    """Failures with their reasons."""
    return [pick(failure, "source reason") for failure in found]


def problem(found: Problem) -> dict[str, Any]:
    """A problem that ``verify`` found."""
    return {"what": found.what, "where": found.where, "repairable": found.repairable}


def dry_run(scans: Sequence[tuple[str, Changes]]) -> dict[str, Any]:
    """What an ingest would do with the files below each path.

    ``scans``: (folder that the relative paths start from, changes).
    """
    return {
        "files": [
            {
                "source": joined(path, file.relative),
                "state": state,
                "kind": file.kind,
                "bytes": file.size_bytes,
                "reason": file.reason,
            }
            for path, changes in scans
            for state, files in changes.by_state().items()
            for file in files
        ],
        "missing": [str(file.path) for _, changes in scans for file in changes.missing],
        "ignored": [
            {"source": joined(path, relative), "pattern": pattern}
            for path, changes in scans
            for relative, pattern in changes.scan.ignored
        ],
        "links": [joined(path, relative) for path, changes in scans for relative in changes.scan.links],
    }


def cost(found: Cost) -> dict[str, Any]:
    """The estimated cost of reading files. ``seconds`` is null where the library has no measurements yet."""
    return {**asdict(found), "bytes": found.size_bytes, "basis": found.basis}


def chunking(source: str, tree: ChunkTree, audit: Audit, features: Mapping[str, Features]) -> dict[str, Any]:
    """The text, blocks, chunks and audit of a document: enough to check every span. ``features``: by chunk id."""
    document = tree.document
    return {
        "source": source,
        "kind": document.kind,
        "title": document.title,
        "text": document.text,
        "blocks": [_block(block) for block in document.blocks],
        "chunks": [{**chunk(item), "features": _features(features, item.chunk_id)} for item in tree.chunks],
        "audit": _audit(audit, document.words),
        "pages": [asdict(page) for page in document.pages],
        "read": asdict(read) if (read := pages_read(document.pages)) else None,
    }


def answer(result: SearchResult, features: Mapping[str, Features]) -> dict[str, Any]:
    """The result of ``query``: hits in rank order and passages in the reader's order. ``features``: by chunk id.

    - ``matched`` of a hit: the alias that is nearest to the question, if one is nearer than its text.
    - ``score`` of a passage: the relevance that decided its ``rank``, in the unit of the hits' last score. It is that
      of its best child; ``core.search.expansion.relevance`` defines it for merged parents and added text. Where
      sentences fill the budget it is the sum in ``core.search.context.candidates``.
    - ``ending``: the hit before which the context ends early (or would, if that is off), and why; null for none.
    """
    matched = {candidate.chunk_id: candidate.matched for candidate in result.trace.candidates}
    return {
        "question": result.question,
        "understood": [_understood(chip) for chip in result.understood.chips],
        "hits": [
            {
                **pick(hit, "chunk_id document source start end page headings scores rank text"),
                **({"matched": name} if (name := matched.get(hit.chunk_id)) else {}),
                "features": _features(features, hit.chunk_id),
            }
            for hit in result.hits
        ],
        "passages": [
            pick(passage, "document source start end tokens chunk_ids rank score reason text")
            for passage in result.passages
        ],
        "context": pick(result.context, "order tokens prompt"),
        "ending": pick(result.ending, "rank probability sentence") if result.ending is not None else None,
        "conflicts": [_conflict(conflict) for conflict in result.conflicts],
        **pick(result, "notes reads timings_ms"),
    }


def answered(result: SearchResult, line: Line, features: Mapping[str, Features]) -> dict[str, Any]:
    """The result of ``ask``: that of ``query``, and the answer with its citations.

    ``supported``: false where the library does not say; ``text`` says so, without citations.
    """
    return {
        **answer(result, features),
        "answer": {
            "text": line.text,
            "citations": [_citation(quote) for quote in line.answer.quotes],
            "supported": line.supported,
            "probability": line.support.probability,
        },
    }


def explained(question: str, source: str, place: Span, text: str, found: WhyNot) -> dict[str, Any]:
    """The result of ``why``: the fate of a place at every stage, and the changes that would bring it into the context.

    ``read``: share of the place in the context. ``barred``: conditions in the question that exclude the whole place.
    ``changes``: each is sufficient alone, the smallest first.
    """
    return {
        "question": question,
        "place": {"source": source, "start": place.start, "end": place.end, "text": text},
        "read": found.held,
        "sentence": found.sentence,
        "stages": list(found.stages),
        "fates": [{**pick(fate, "start end ranks scores"), "fate": fate.said} for fate in found.fates],
        "barred": [_understood(condition) for condition in found.excluded],
        "changes": [
            {
                "settings": {name: {"from": old, "to": new} for name, (old, new) in change.settings.items()},
                "remove": [{"kind": kind, "value": value} for kind, value in change.remove],
                "size": change.size,
                "read": change.held,
            }
            for change in found.changes
        ],
        "tried": found.tried,
        "untried": list(found.untried),
    }


def _citation(quote: Quote) -> dict[str, Any]:
    """A quote with its place. ``quote``: the document's text. ``told``: what a table cell belongs to, "" for a
    sentence.

    ``short``: the short answer in the quote, null for none.
    """
    return {
        **pick(quote.citation, "document source start end page"),
        "quote": quote.text,
        **pick(quote, "told kind"),
        "cells": [{"header": header, "words": words} for header, words in quote.cells],
        "short": None if quote.short is None else quote.text[quote.short.start : quote.short.end],
    }


def _understood(chip: Chip) -> dict[str, Any]:
    """A part of the understood question. ``filters``: whether it restricts the search, or is searched for."""
    return {**pick(chip, "kind value words"), "filters": isinstance(chip, Condition)}


def _conflict(conflict: ContextConflict) -> dict[str, Any]:
    sides = [
        {**pick(side, "document source value normal rank"), **pick(side.span, "start end")} for side in conflict.sides
    ]
    return {**pick(conflict, "kind subject about"), "sides": sides}


def judgment(row: JudgmentRow) -> dict[str, Any]:
    """A judgment and the present place of its gold. ``lost``: why it has none, "" otherwise."""
    return {
        **pick(row, "id source version_id start end unanswerable lost created_at"),
        **pick(row.judgment, "question answer quote origin"),
    }


def _block(block: Block) -> dict[str, Any]:
    """A block. A table also has cells, with their values: a number, a boolean, a string, or null for an empty cell."""
    row = {"kind": block.kind.value, "start": block.start, "end": block.end, "level": block.level}
    if block.kind is not BlockKind.TABLE:
        return row
    return {**row, "cells": [pick(cell, "row column header start end value") for cell in block.cells]}


def _features(known: Mapping[str, Features], chunk_id: str) -> dict[str, Any] | None:
    """The features of a chunk; null for none."""
    features = known.get(chunk_id)
    if features is None:
        return None
    entities = pick(features, "names organisations symbols paths urls emails")
    return {**pick(features, "genre section_type keywords"), "entities": entities}


def chunk(chunk: Chunk) -> dict[str, Any]:
    """A chunk with its place, its reasons and what is read before it."""
    nowhere = {"start": None, "end": None}
    prefix = [
        {**pick(part, "kind text"), **(pick(part.source, "start end") if part.source else nowhere)}
        for part in chunk.prefix
    ]
    fields = "chunk_id level parent_id start end text tokens encoder_tokens headings reasons metadata"
    return {**pick(chunk, fields), "prefix": prefix}


def _ingested(document: Ingested) -> dict[str, Any]:
    return {
        **pick(document, "source document kind characters chunks version_id reused parent by_words"),
        "audit": _audit(document.audit, document.words),
        "read": asdict(document.read) if document.read else None,
    }


def _audit(audit: Audit, words: WordAudit | None) -> dict[str, Any]:
    return {
        **pick(audit, "characters covered"),
        "gaps": [pick(gap, "start end reason") for gap in audit.gaps],
        "words": None if words is None else _words(words),
    }


def _words(words: WordAudit) -> dict[str, Any]:
    return {**asdict(words), "dropped": [{"reason": reason, "words": count} for reason, count in words.dropped]}


def refitted(found: Refitted, *, applied: bool) -> dict[str, Any]:
    """The result of ``refit``. Gains are in points of recall on the held-out judgments: the mean over the budgets, and
    at each of them. ``gain`` is null where no setting was changed, ``careful`` where Careful's blend was not fitted.
    """
    return {
        **_fitted(found),
        "questions": {"fitted": found.trained, "held_out": found.held_out, "left_out": found.left_out},
        "split_by": found.by,
        "careful": found.careful and {**_fitted(found.careful), "sentence": found.careful_sentence},
        "applied": applied,
        "seconds": found.seconds,
    }


def _fitted(found: Refitted) -> dict[str, Any]:
    gain = found.gain
    return {
        "verdict": found.verdict,
        "sentence": found.sentence,
        "changes": {name: list(values) for name, values in found.changes.items()},
        "gain": None
        if gain is None
        else {
            "recall": _difference(gain.whole),
            **{f"recall@{budget}": _difference(comparison) for budget, comparison in gain.budgets.items()},
        },
        "before": None if gain is None else gain.before,
        "after": None if gain is None else gain.after,
    }


def _difference(comparison: Comparison) -> dict[str, Any]:
    interval = [comparison.low, comparison.high]
    return {"difference": comparison.difference, "interval": interval, "p": comparison.p_value}
