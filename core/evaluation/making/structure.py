"""Drafts from a document's headings: questions, instructions ("How to …"), their steps, and error codes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.evaluation.making.draft import Draft, plain
from core.evaluation.making.prose import parsed
from core.text.sentences import sentence_spans
from core.types import Block, BlockKind, Span

_NUMBERED = re.compile(r"^(?:#+ |(?:\d+|[A-Z])(?:\.\d+)*[.)]? )+")
_PICTURE = re.compile(r"^(?:[\U0001F000-\U0001FAFF\u2600-\u27BF\uFE0F] ?)+")
_STEP = re.compile(r"\s*(?:\d{1,2}|[a-z])[.)]\s")
_CODE = re.compile(r"[A-Z]{0,4}[-_ ]?\d{2,5}[A-Z]?|[A-Z]{2,}_[A-Z_]+")
_ARTICLES = frozenset("a an the your".split())
_FEWEST_STEPS, _LONGEST_GOLD = 3, 1800
_OPEN_ENDS = (":", "...", "…")  # a text that ends so has no answer: it follows later, or is still to be written
_TEXT_BLOCKS = (BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.QUOTE)


def heading_text(text: str, block: Block) -> str:
    """A heading's words without Markdown marks and number.

    >>> heading_text("## 5.2 Shipping a *change*", Block(BlockKind.HEADING, 0, 26, 2))
    'Shipping a change'
    """
    return _NUMBERED.sub("", _PICTURE.sub("", plain(text[block.start : block.end].lstrip("#")))).strip(" #")


def structure_drafts(text: str, blocks: Sequence[Block]) -> Iterator[Draft]:
    """The questions that headings give rise to, with the block directly below the heading as gold."""
    path: list[tuple[int, str]] = []  # (level, text) of the headings down to this one
    for index, block in enumerate(blocks):
        if block.kind is not BlockKind.HEADING:
            continue
        heading = heading_text(text, block)
        path = [*(item for item in path if item[0] < block.level), (block.level, heading)]
        below: list[Block] = []
        for item in blocks[index + 1 :]:
            if item.kind not in _TEXT_BLOCKS:
                break
            below.append(item)
        if not heading or not below:
            continue
        gold = Span(below[0].start, below[0].end)
        if gold.length > _LONGEST_GOLD:
            continue
        is_complete = not text[gold.start : gold.end].rstrip().endswith(_OPEN_ENDS)
        answer = _first_sentence(text, gold)
        task = action(heading)
        steps = next((item for item in below[:3] if _is_numbered(text, item)), None)
        if heading.endswith("?") and is_complete:
            yield Draft("heading", heading, gold, answer)
        elif task and steps:
            span = Span(steps.start, steps.end)
            first_step = _first_sentence(text, span)
            yield Draft("steps", f"What are the steps to {task}?", span, first_step, (f"How do I {task}?",))
        elif task and is_complete:
            yield Draft("heading", f"How do I {task}?", gold, answer, (f"What does it take to {task}?",))
        elif _CODE.fullmatch(heading) and len(path) > 1 and re.fullmatch(r"[A-Z]?[a-z]+s", path[-2][1]):
            kind = path[-2][1].lower().removesuffix("s")
            yield Draft("heading", f"What does {kind} {heading} mean?", gold, answer, (f"What is {kind} {heading}?",))


def action(heading: str) -> str:
    """The task of a heading, in the form that follows "to"; "" for a heading that names none.

    >>> action("How to reset the gateway"), action("Shipping a change"), action("Who to ask")
    ('reset the gateway', 'ship a change', '')
    >>> action("Post a batch"), action("Making the tea"), action("During the storm")
    ('post a batch', 'make the tea', '')
    """
    words = heading.split()
    if not 2 <= len(words) <= 9 or heading.endswith((":", ".", "?")):
        return ""
    first, rest = words[0].lower(), " ".join(words[1:])
    if first == "how" and words[1].lower() == "to" and len(words) > 3:
        return " ".join(words[2:])
    if words[1].lower() not in _ARTICLES or not first.isalpha():
        return ""
    verb = next(parsed([f"We {'are' if first.endswith('ing') else 'must'} {first} {rest}."]))[2]
    return f"{verb.lemma_} {rest}" if verb.tag_ in ("VB", "VBG") else ""


def _is_numbered(text: str, block: Block) -> bool:
    """Whether a block is a list with at least ``_FEWEST_STEPS`` numbered items."""
    numbered = [part for part in block.parts if _STEP.match(text, part.start, part.end)]
    return block.kind is BlockKind.LIST and len(numbered) >= _FEWEST_STEPS


def _first_sentence(text: str, span: Span) -> str:
    first = next(iter(sentence_spans(text, span.start, span.end)), span)
    return plain(text[first.start : first.end])
