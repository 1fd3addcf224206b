"""The evidence of an answer: the retrieved chunks beside the passages they were expanded to, and the budget used."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import streamlit as st

from core.evidence import Candidate, Hit, Passage
from core.library import SearchResult
from core.search.context.candidates import CHUNK_PART, NEIGHBOUR_PART, SMALL
from core.settings import AssemblySettings, Settings
from core.types import Block, BlockKind, Link, Span
from pages.ui.ask import judging
from pages.ui.ask.dials import sidebar
from pages.ui.ask.source import open_in_chunks, shared_words, source_of
from pages.ui.ask.stages import digits, scale, stage
from pages.ui.chunks.links import meant
from pages.ui.reader import readings
from pages.ui.shared import assets, services, state, words

_Part = TypeVar("_Part", Block, Link)
_ENDINGS = {0.4: "Read less", AssemblySettings().stop_below: "As usual", 0.0: "Read all that fits"}
_SET_APART = {BlockKind.CODE, BlockKind.TABLE, BlockKind.HEADING}

_evidence = st.components.v2.component(
    "lectern.evidence",
    html=assets.text(__file__, "evidence.html"),
    css=assets.text(__file__, "palette.css", "judge.css", "inline_markup.css", "evidence.css"),
    js=assets.text(
        __file__,
        "offsets.js",
        "mounting.js",
        "copying.js",
        "judge_select.js",
        "judge_bar.js",
        "judge_panel.js",
        "judge_evidence.js",
        "table_layout.js",
        "inline_markup.js",
        "evidence_table.js",
        "evidence_text.js",
        "evidence_cards.js",
        "evidence_pair.js",
        "evidence.js",
    ),
)


def show_evidence(result: SearchResult, settings: Settings) -> None:
    """Draw hits and passages, each with a link to its place.

    Judgments are passed apart from the rest and are not part of its key, so that judging redraws nothing else.
    """
    candidates = {candidate.chunk_id: candidate for candidate in result.trace.candidates}
    holder = {chunk: index for index, passage in enumerate(result.passages) for chunk in passage.chunk_ids}
    fusion = settings.retrieval.fusion
    data = {
        "stages": [
            {"name": name, "word": stage(name).short, "scale": scale(name, fusion), "digits": digits(name, fusion)}
            for name in result.trace.stages
        ],
        "hits": [
            {
                **source_of(hit),
                **_hit(hit, candidates.get(hit.chunk_id), holder.get(hit.chunk_id, -1), result.question),
            }
            for hit in result.hits
        ],
        "passages": [{**source_of(passage), **_passage(passage, result)} for passage in result.passages],
        "relevance": {
            "digits": digits(result.trace.stages[-1], fusion),
            "help": relevance_help(result.trace.stages[-1], settings),
        },
        "tokens": result.context.tokens,
        "budget": result.context.budget,
        "ending": _ending(result, settings),
        "order": words.ORDER_WORDS.get(settings.assembly.order, settings.assembly.order).lower(),
    }
    drawn = _evidence(
        key=state.EVIDENCE,
        data={"key": _name(data), **data, "judging": judging.for_result(result)},
        on_open_change=lambda: None,
        on_judging_change=_judge,
    )
    open_in_chunks(drawn.open)


def _ending(result: SearchResult, settings: Settings) -> dict[str, Any] | None:
    """The line among the hits where reading ends, or would end; ``None`` if no hit is below it."""
    ending = result.ending
    if ending is None or not ending.rank:
        return None
    if settings.assembly.stop_below:
        return {"rank": ending.rank, "words": "Reading ends here. What follows is read only if you read all that fits."}
    return {"rank": ending.rank, "words": "Reading would end here. What follows is read because all that fits is read."}


def show_ending(result: SearchResult, settings: Settings) -> None:
    """Draw where reading ends and why, with buttons to read more or less."""
    ending, now = result.ending, settings.assembly.stop_below
    if ending is None:
        return
    amount = f"{ending.rank - 1} of {len(result.hits)} matches" if ending.rank else "a part of what was found"
    text = f"Reads {amount}" if now else f"Would do with {amount}"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(
            f":material/last_page: {text}; the rest is {ending.probability:.0%} likely to hold more of the answer.",
            width="content",
            help=ending.sentence,
        )
        for value, name in _ENDINGS.items():
            if value != now:
                change = {"assembly.stop_below": value}
                st.button(name, key=f"ask.end.{value}", type="tertiary", on_click=sidebar.turn, args=[change])


def relevance_help(last: str, settings: Settings) -> str:
    """An explanation of the relevance of a passage. ``last``: the stage whose scores decide the order.

    >>> relevance_help("dense", Settings())
    'Passages get their ranks and their room by it: the score of its best chunk (cosine, from -1 to 1).'
    """
    more = ""
    if settings.expansion.strategy == "auto-merge":
        more = " A merged parent is raised from there toward the best of all by half of its support."
    elif settings.expansion.strategy == "neighbours":
        more = " What another chunk led to has at least the score half way from that one's to the last kept."
    filled = settings.assembly
    if filled.unit == "sentences" or (filled.unit == "auto" and filled.budget_tokens <= SMALL["tokens"]):
        more += (
            f" Where sentences fill the room: {CHUNK_PART:g} parts of its best chunk's standard score, one of its best "
            f"sentence's and {NEIGHBOUR_PART:g} of those beside that one."
        )
    best = f"the score of its best chunk ({scale(last, settings.retrieval.fusion)})"
    return f"Passages get their ranks and their room by it: {best}.{more}"


def _name(data: Mapping[str, Any]) -> str:
    """A hash of the data: a repeated search with the same result is not drawn again."""
    return hashlib.sha256(json.dumps(data, default=str).encode()).hexdigest()


def _judge() -> None:
    judging.take(st.session_state[state.EVIDENCE].judging, judging.ASK)


def _hit(hit: Hit, candidate: Candidate | None, passage: int, question: str) -> dict[str, Any]:
    return {
        "rank": hit.rank,
        "headings": list(hit.headings),
        **_text(hit, question),
        "scores": dict(hit.scores),
        "ranks": dict(candidate.ranks) if candidate else {},
        "fate": candidate.fate if candidate else "",
        "matched": candidate.matched if candidate else "",
        "passage": passage,
    }


def _passage(passage: Passage, result: SearchResult) -> dict[str, Any]:
    place = {(hit.version_id, hit.start, hit.end): index for index, hit in enumerate(result.hits)}
    children = [(child, place.get((passage.version_id, child.start, child.end), -1)) for child in passage.children]
    return {
        "rank": passage.rank,
        "headings": list(passage.headings),
        "tokens": passage.tokens,
        "score": passage.score,
        "reason": passage.reason,
        **_text(passage, result.question),
        "prefix": [part.text for part in passage.prefix if part.kind != "table_header"],
        "children": [[child.start - passage.start, child.end - passage.start, hit] for child, hit in children],
    }


def _text(place: Hit | Passage, question: str) -> dict[str, Any]:
    """A text with its marks as offsets in it: words of the question, links, and blocks of ``_SET_APART`` kinds.

    A block row is start, end, kind, end of its header, and the header's text if the text begins below it. The document
    is loaded for passages, and for those hits only that may contain a table or code.
    """
    kind, links, blocks = services.kind_of(place.version_id), list[Any](), list[Any]()

    def span(part: Block | Link) -> list[Any]:
        return [max(0, part.start - place.start), min(part.end, place.end) - place.start]

    if isinstance(place, Passage) or any(mark in place.text for mark in ("|", "```", "<t")):
        document = readings.document(place.version_id)
        for link in _within(document.links, place):
            links.append([*span(link), {"target": link.target, "place": _link_place(link.target, place.version_id)}])
        for block in _within(document.blocks, place):
            if block.kind in _SET_APART:
                head = block.header or Span(block.start, block.start)
                header_above = document.text[head.start : head.end] if head.end <= place.start else ""
                blocks.append([*span(block), str(block.kind), max(0, head.end - place.start), header_above])
    elif kind == "code":
        blocks.append([0, len(place.text), "code", 0, ""])
    return {"text": place.text, "terms": shared_words(place.text, question), "links": links, "blocks": blocks}


def _within(parts: Sequence[_Part], place: Hit | Passage) -> list[_Part]:
    return [part for part in parts if part.start < place.end and place.start < part.end]


def _link_place(target: str, version: str) -> dict[str, str] | None:
    """The place in the library that a link leads to, as data for the component; ``None`` if it leads elsewhere."""
    place = meant(target, version)
    return {"document": place[0], "span": f"{place[1]}-{place[2]}" if place[2] else ""} if place else None
