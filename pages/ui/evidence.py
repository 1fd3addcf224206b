"""Ask's heart: the quotes, the retrieved children and the passages they grew into."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from core.library import SearchResult
from core.settings import Settings
from core.types import Answer, Block, BlockKind, Candidate, Hit, Passage
from pages.ui.assets import joined
from pages.ui.words import ORDER_WORDS

_SET_APART = {BlockKind.CODE, BlockKind.TABLE, BlockKind.HEADING}

_evidence = st.components.v2.component(
    "lectern.evidence",
    html=joined("evidence.html"),
    css=joined("palette.css", "evidence.css"),
    js=joined("offsets.js", "evidence.js"),
)
_quotes = st.components.v2.component(
    "lectern.quotes",
    html='<section class="lectern answer" aria-label="Supporting sentences"></section>',
    css=joined("palette.css", "quotes.css"),
    js=joined("offsets.js", "quotes.js"),
)


def show_quotes(answer: Answer) -> dict[str, str] | None:
    """Draw the supporting sentences; returns the place in Chunks a person asked to open, as query parameters."""
    quotes = [
        {
            "text": quote.text,
            "score": quote.score,
            "document": quote.citation.document,
            "page": quote.citation.page,
            "version": quote.citation.version_id,
            "start": quote.citation.start,
            "end": quote.citation.end,
        }
        for quote in answer.quotes
    ]
    return _place(_quotes(key="ask.quotes", data={"quotes": quotes}, on_open_change=lambda: None).open)


def show_evidence(
    result: SearchResult, settings: Settings, blocks_of: Callable[[str], Sequence[Block]], key: str
) -> dict[str, str] | None:
    """Draw children and passages; returns the place in Chunks a person asked to open, as query parameters.

    ``blocks_of``: a version's blocks, so that code and tables are set as such. ``key``: told apart from other results.
    """
    data = _data(result, settings, blocks_of, key)
    return _place(_evidence(key="ask.evidence", data=data, on_open_change=lambda: None).open)


def _place(target: Mapping[str, Any] | None) -> dict[str, str] | None:
    return {"document": str(target["document"]), "span": str(target["span"])} if target else None


def _data(
    result: SearchResult, settings: Settings, blocks_of: Callable[[str], Sequence[Block]], key: str
) -> dict[str, Any]:
    candidates = {candidate.chunk_id: candidate for candidate in result.trace.candidates}
    holder = {chunk: index for index, passage in enumerate(result.passages) for chunk in passage.chunk_ids}
    return {
        "key": key,
        "stages": list(result.trace.stages),
        "scales": score_scales(settings.retrieval.fusion),
        "digits": {stage: digits(stage, settings.retrieval.fusion) for stage in result.trace.stages},
        "hits": [_hit(hit, candidates.get(hit.chunk_id), holder.get(hit.chunk_id, -1)) for hit in result.hits],
        "passages": [_passage(passage, result.hits, blocks_of(passage.version_id)) for passage in result.passages],
        "tokens": result.context.tokens,
        "budget": result.context.budget,
        "order": ORDER_WORDS[settings.assembly.order].lower(),
    }


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


def _hit(hit: Hit, candidate: Candidate | None, passage: int) -> dict[str, Any]:
    return {
        "rank": hit.rank,
        "document": hit.document,
        "headings": list(hit.headings),
        "page": hit.page,
        "text": hit.text,
        "scores": dict(hit.scores),
        "ranks": dict(candidate.ranks) if candidate else {},
        "fate": candidate.fate if candidate else "",
        "passage": passage,
        "version": hit.version_id,
        "start": hit.start,
        "end": hit.end,
    }


def _passage(passage: Passage, hits: tuple[Hit, ...], blocks: Sequence[Block]) -> dict[str, Any]:
    place = {(hit.version_id, hit.start, hit.end): index for index, hit in enumerate(hits)}
    children = [(child, place.get((passage.version_id, child.start, child.end), -1)) for child in passage.children]
    return {
        "rank": passage.rank,
        "document": passage.document,
        "headings": list(passage.headings),
        "page": passage.page,
        "tokens": passage.tokens,
        "reason": passage.reason,
        "text": passage.text,
        "version": passage.version_id,
        "start": passage.start,
        "end": passage.end,
        "prefix": [part.text for part in passage.prefix],
        "blocks": [
            [block.start, block.end, str(block.kind)]
            for block in blocks
            if block.kind in _SET_APART and block.start < passage.end and passage.start < block.end
        ],
        "children": [[child.start, child.end, hit] for child, hit in children],
    }
