"""The JSON of the command line: a contract scripts rely on, one function a shape."""

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
from core.storage.catalogue.conditions import Condition
from core.storage.catalogue.judging import JudgmentRow
from core.storage.verify import Problem
from core.text.places import pages_read
from core.types import Block, BlockKind, Chunk, ChunkTree, Span, WordAudit

if TYPE_CHECKING:
    from core.evaluation.statistics import Comparison
    from core.refitting.gains import Refitted


def told(value: object, names: str) -> dict[str, Any]:
    """The fields of these names; what JSON has no word for is a list or an object.

    >>> told(Span(3, 9), "start end")
    {'start': 3, 'end': 9}
    """
    return {name: _plain(getattr(value, name)) for name in names.split()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(held) for name, held in value.items()}
    return [_plain(held) for held in value] if isinstance(value, tuple | list) else value


def ingestion(report: IngestReport) -> dict[str, Any]:
    """What ``ingest`` and ``rebuild`` did."""
    return {
        "documents": [_ingested(document) for document in report.documents],
        "failures": failures(report.failures),
        **told(report, "encoded reused seconds"),
    }


def failures(found: Sequence[Failure]) -> list[dict[str, Any]]:
    """What could not be done, and why."""
    return [told(failure, "source reason") for failure in found]


def problem(found: Problem) -> dict[str, Any]:
    """What ``verify`` says of one thing that is wrong."""
    return {"what": found.what, "where": found.where, "repairable": found.repairable}


def dry_run(looked: Sequence[tuple[str, Changes]]) -> dict[str, Any]:
    """What an ingest would take of each path, what it would not, and why."""
    return {
        "files": [
            {
                "source": joined(path, file.relative),
                "state": state,
                "kind": file.kind,
                "bytes": file.size_bytes,
                "reason": file.reason,
            }
            for path, changes in looked
            for state, files in changes.by_state().items()
            for file in files
        ],
        "missing": [str(held.path) for _, changes in looked for held in changes.missing],
        "ignored": [
            {"source": joined(path, relative), "pattern": pattern}
            for path, changes in looked
            for relative, pattern in changes.scan.ignored
        ],
        "links": [joined(path, relative) for path, changes in looked for relative in changes.scan.links],
    }


def cost(found: Cost) -> dict[str, Any]:
    """What reading would cost; ``seconds`` ``None``: not yet known."""
    return {**asdict(found), "bytes": found.size_bytes, "basis": found.basis}


def chunking(source: str, tree: ChunkTree, audit: Audit, features: Mapping[str, Features]) -> dict[str, Any]:
    """Text, blocks, chunks and audit: everything an outsider needs to check the span laws.

    ``features``: of the chunks, by their ids.
    """
    document = tree.document
    return {
        "source": source,
        "kind": document.kind,
        "title": document.title,
        "text": document.text,
        "blocks": [_block(block) for block in document.blocks],
        "chunks": [{**_chunk(chunk), "features": _features(features, chunk.chunk_id)} for chunk in tree.chunks],
        "audit": _audit(audit, document.words),
        "pages": [asdict(page) for page in document.pages],
        "read": asdict(read) if (read := pages_read(document.pages)) else None,
    }


def answer(result: SearchResult, features: Mapping[str, Features]) -> dict[str, Any]:
    """What ``query`` understood, what it found, in rank order, and what the reader gets, in the reader's order.

    ``features``: of the hits, by their chunks' ids.

    ``ending``: before which hit the context ends by itself, or would where the room is filled, and why; null where it
    does not.

    A passage's ``score`` is the relevance by which it competed for the room and got its ``rank``, in the unit of the
    hits' last score: its best child's; of a merged parent and of what was added see
    ``core.search.expansion.relevance``. Where sentences fill the room it is the sum of
    ``core.search.context.candidates``. ``matched``: which alias of a hit is nearest to the question, where one is.
    """
    matched = {candidate.chunk_id: candidate.matched for candidate in result.trace.candidates}
    return {
        "question": result.question,
        "understood": [_understood(chip) for chip in result.understood.chips],
        "hits": [
            {
                **told(hit, "chunk_id document source start end page headings scores rank text"),
                **({"matched": name} if (name := matched.get(hit.chunk_id)) else {}),
                "features": _features(features, hit.chunk_id),
            }
            for hit in result.hits
        ],
        "passages": [
            told(passage, "document source start end tokens chunk_ids rank score reason text")
            for passage in result.passages
        ],
        "context": told(result.context, "order tokens prompt"),
        "ending": told(result.ending, "rank probability sentence") if result.ending is not None else None,
        "conflicts": [_conflict(conflict) for conflict in result.conflicts],
        **told(result, "notes reads timings_ms"),
    }


def answered(result: SearchResult, line: Line, features: Mapping[str, Features]) -> dict[str, Any]:
    """What ``ask`` says: all that ``query`` does, and the answer with the places it is made of.

    ``supported``: false where the library does not say; ``text`` says so then, and nothing is cited. ``compared``:
    always null, of what earlier versions answered from columns of numbers.
    """
    return {
        **answer(result, features),
        "answer": {
            "text": line.text,
            "citations": [_citation(quote) for quote in line.answer.quotes],
            "supported": line.supported,
            "probability": line.support.probability,
            "compared": None,
        },
    }


def explained(question: str, source: str, place: Span, text: str, found: WhyNot) -> dict[str, Any]:
    """What ``why`` says of a place: its fate at every stage, and what would have it read.

    ``read``: the share of the place that the context holds. ``excluded``: the question's own conditions that keep the
    whole place out. ``changes``: each alone is enough, the smallest first.
    """
    return {
        "question": question,
        "place": {"source": source, "start": place.start, "end": place.end, "text": text},
        "read": found.held,
        "sentence": found.sentence,
        "stages": list(found.stages),
        "fates": [{**told(fate, "start end ranks scores"), "fate": fate.said} for fate in found.fates],
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
    """``quote``: the document's own text there; ``told``: what it is of, "" for a sentence; ``short``: the short answer
    in it, ``None`` where none was marked.
    """
    return {
        **told(quote.citation, "document source start end page"),
        "quote": quote.text,
        **told(quote, "told kind"),
        "cells": [{"header": header, "words": words} for header, words in quote.cells],
        "short": None if quote.short is None else quote.text[quote.short.start : quote.short.end],
    }


def _understood(chip: Chip) -> dict[str, Any]:
    """``filters``: whether only what fits it was searched; parts and what was written are searched as well."""
    return {**told(chip, "kind value words"), "filters": isinstance(chip, Condition)}


def _conflict(conflict: ContextConflict) -> dict[str, Any]:
    sides = [
        {**told(side, "document source value normal rank"), **told(side.span, "start end")} for side in conflict.sides
    ]
    return {**told(conflict, "kind subject about"), "sides": sides}


def judgment(row: JudgmentRow) -> dict[str, Any]:
    """A judgment, and where its gold lies now; ``lost`` is "" while it does."""
    return {
        **told(row, "id source version_id start end unanswerable lost created_at"),
        **told(row.judgment, "question answer quote origin"),
    }


def _block(block: Block) -> dict[str, Any]:
    """A table also has its cells, each with the value it states: a number, a truth value, a text, null where empty."""
    row = {"kind": block.kind.value, "start": block.start, "end": block.end, "level": block.level}
    if block.kind is not BlockKind.TABLE:
        return row
    return {**row, "cells": [told(cell, "row column header start end value") for cell in block.cells]}


def _features(known: Mapping[str, Features], chunk_id: str) -> dict[str, Any] | None:
    """What was found out about a chunk; null where nothing is known of it."""
    found = known.get(chunk_id)
    if found is None:
        return None
    entities = told(found, "names organisations symbols paths urls emails")
    return {**told(found, "genre section_type keywords"), "entities": entities}


def _chunk(chunk: Chunk) -> dict[str, Any]:
    nowhere = {"start": None, "end": None}
    prefix = [
        {**told(part, "kind text"), **(told(part.source, "start end") if part.source else nowhere)}
        for part in chunk.prefix
    ]
    fields = "chunk_id level parent_id start end text tokens encoder_tokens headings reasons metadata"
    return {**told(chunk, fields), "prefix": prefix}


def _ingested(document: Ingested) -> dict[str, Any]:
    return {
        **told(document, "source document kind characters chunks version_id reused parent by_words"),
        "audit": _audit(document.audit, document.words),
        "read": asdict(document.read) if document.read else None,
    }


def _audit(audit: Audit, words: WordAudit | None) -> dict[str, Any]:
    return {
        **told(audit, "characters covered"),
        "gaps": [told(gap, "start end reason") for gap in audit.gaps],
        "words": None if words is None else _words(words),
    }


def _words(words: WordAudit) -> dict[str, Any]:
    return {**asdict(words), "dropped": [{"reason": reason, "words": count} for reason, count in words.dropped]}


def refitted(found: Refitted, *, applied: bool) -> dict[str, Any]:
    """Dials fitted to judgments, and what they gain on those kept out of the fit: points of recall, its mean over the
    budgets and at each of them. ``gain`` is null where no dial was turned; ``careful`` where the share of Careful's
    re-ranker was not fitted by itself.
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
            **{f"recall@{budget}": _difference(one) for budget, one in gain.budgets.items()},
        },
        "before": None if gain is None else gain.before,
        "after": None if gain is None else gain.after,
    }


def _difference(compared: Comparison) -> dict[str, Any]:
    return {"difference": compared.difference, "interval": [compared.low, compared.high], "p": compared.p_value}
