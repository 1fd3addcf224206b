"""Ask's heart: the quotes, the retrieved children and the passages they grew into."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from core.library import SearchResult
from core.settings import Settings
from core.types import Answer, Block, BlockKind, Candidate, Citation, Hit, Passage
from pages.ui import judging, state
from pages.ui.assets import joined
from pages.ui.terms import shared_words
from pages.ui.words import ORDER_WORDS, file_name, page_word

_SET_APART = {BlockKind.CODE, BlockKind.TABLE, BlockKind.HEADING}
_SHARED = ("offsets.js", "copying.js")

_evidence = st.components.v2.component(
    "lectern.evidence",
    html=joined("evidence.html"),
    css=joined("palette.css", "judge.css", "evidence.css"),
    js=joined(
        *_SHARED,
        "judge_select.js",
        "judge_bar.js",
        "judge_panel.js",
        "judge_evidence.js",
        "evidence_text.js",
        "evidence_cards.js",
        "evidence_pair.js",
        "evidence.js",
    ),
)
_quotes = st.components.v2.component(
    "lectern.quotes",
    html='<section class="lectern answer" aria-label="Supporting sentences"></section>',
    css=joined("palette.css", "quotes.css"),
    js=joined(*_SHARED, "quotes.js"),
)
KindOf = Callable[[str], str]  # a version's kind: slides are not pages


def show_quotes(answer: Answer, result: SearchResult, kind_of: KindOf) -> dict[str, str] | None:
    """Draw the supporting sentences; returns the place in Chunks a person asked to open, as query parameters."""
    quotes = [
        {
            **_source(quote.citation, kind_of),
            "headings": list(_headings(quote.citation, result)),
            "text": quote.text,
            "score": quote.score,
        }
        for quote in answer.quotes
    ]
    data = {"question": result.question, "quotes": quotes}
    return _place(_quotes(key="ask.quotes", data=data, on_open_change=lambda: None).open)


def show_evidence(
    result: SearchResult, settings: Settings, blocks_of: Callable[[str], Sequence[Block]], kind_of: KindOf
) -> dict[str, str] | None:
    """Draw children and passages; returns the place in Chunks a person asked to open, as query parameters.

    ``blocks_of``: a version's blocks, so that code and tables are set as such.
    Gold is told beside the rest, so that judging a passage redraws nothing else.
    """
    candidates = {candidate.chunk_id: candidate for candidate in result.trace.candidates}
    holder = {chunk: index for index, passage in enumerate(result.passages) for chunk in passage.chunk_ids}
    fusion = settings.retrieval.fusion
    data = {
        "stages": list(result.trace.stages),
        "scales": score_scales(fusion),
        "digits": {stage: digits(stage, fusion) for stage in result.trace.stages},
        "hits": [
            {
                **_source(hit, kind_of),
                **_hit(hit, candidates.get(hit.chunk_id), holder.get(hit.chunk_id, -1), result.question),
            }
            for hit in result.hits
        ],
        "passages": [
            {**_source(passage, kind_of), **_passage(passage, result, blocks_of(passage.version_id))}
            for passage in result.passages
        ],
        "tokens": result.context.tokens,
        "budget": result.context.budget,
        "order": ORDER_WORDS[settings.assembly.order].lower(),
    }
    drawn = _evidence(
        key=state.EVIDENCE,
        data={"key": _name(data), **data, "judging": judging.for_result(result)},
        on_open_change=lambda: None,
        on_judging_change=_judge,
    )
    return _place(drawn.open)


def _name(data: Mapping[str, Any]) -> str:
    """Tells what is drawn from anything else: a search made anew that finds the same is not drawn anew."""
    return hashlib.sha256(json.dumps(data, default=str).encode()).hexdigest()


def _judge() -> None:
    judging.take(st.session_state[state.EVIDENCE].judging, judging.ASK)


def _place(target: Mapping[str, Any] | None) -> dict[str, str] | None:
    return {"document": str(target["document"]), "span": str(target["span"])} if target else None


def score_scales(fusion: str) -> dict[str, str]:
    """What each stage's number means, for its tooltip."""
    fused = "standard deviations above the mean" if fusion == "zscore" else "sum of weighted reciprocal ranks"
    return {
        "dense": "cosine, from -1 to 1",
        "lexical": "BM25, higher is better",
        "fused": fused,
        "neighbours": f"{fused}, with a share of its neighbours'",
    }


def digits(stage: str, fusion: str) -> int:
    """Decimals that tell a stage's scores apart: reciprocal ranks all lie below 0.04.

    >>> digits("dense", "rrf"), digits("fused", "zscore"), digits("fused", "rrf")
    (2, 2, 4)
    """
    return 4 if fusion == "rrf" and stage not in ("dense", "lexical") else 2


def _source(place: Hit | Passage | Citation, kind_of: KindOf) -> dict[str, Any]:
    """Where a text stands, in words and as a span."""
    return {
        "document": place.document,
        "file": file_name(place.source),
        "page": f"{page_word(kind_of(place.version_id))} {place.page}" if place.page else "",
        "version": place.version_id,
        "start": place.start,
        "end": place.end,
    }


def _headings(citation: Citation, result: SearchResult) -> tuple[str, ...]:
    """The path above a quoted sentence: that of the child it stands in, else of its passage."""
    places: tuple[Hit | Passage, ...] = (*result.hits, *result.passages)
    holders = (
        place.headings
        for place in places
        if place.version_id == citation.version_id and place.start <= citation.start < place.end
    )
    return next(holders, ())


def _hit(hit: Hit, candidate: Candidate | None, passage: int, question: str) -> dict[str, Any]:
    return {
        "rank": hit.rank,
        "headings": list(hit.headings),
        "text": hit.text,
        "terms": shared_words(hit.text, question),
        "scores": dict(hit.scores),
        "ranks": dict(candidate.ranks) if candidate else {},
        "fate": candidate.fate if candidate else "",
        "passage": passage,
    }


def _passage(passage: Passage, result: SearchResult, blocks: Sequence[Block]) -> dict[str, Any]:
    place = {(hit.version_id, hit.start, hit.end): index for index, hit in enumerate(result.hits)}
    children = [(child, place.get((passage.version_id, child.start, child.end), -1)) for child in passage.children]
    return {
        "rank": passage.rank,
        "headings": list(passage.headings),
        "tokens": passage.tokens,
        "reason": passage.reason,
        "text": passage.text,
        "terms": shared_words(passage.text, result.question),
        "prefix": [part.text for part in passage.prefix],
        "blocks": [
            [max(0, block.start - passage.start), block.end - passage.start, str(block.kind)]
            for block in blocks
            if block.kind in _SET_APART and block.start < passage.end and passage.start < block.end
        ],
        "children": [[child.start - passage.start, child.end - passage.start, hit] for child, hit in children],
    }
