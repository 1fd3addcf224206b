"""All the questions one document answers, as far as can be told from it alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Set
from itertools import takewhile

from core.evaluation.making.code import code_drafts
from core.evaluation.making.draft import Draft, gives_away, stands_alone
from core.evaluation.making.prose import prose_drafts
from core.evaluation.making.structure import heading_text, structure_drafts
from core.evaluation.making.tables import table_drafts
from core.parsing.sandbox.syntax import read_syntax
from core.search.answer.prose import is_prose
from core.settings import ParsingSettings
from core.text.analysis import STOP_WORDS, analyse
from core.text.languages import ENGLISH, language_of
from core.text.sentences import is_cased, sentence_spans
from core.types import Block, BlockKind, Document, Span

_SMALL = re.compile(r"(?<![\w.])[a-z][a-z’'-]+")
LONGEST = 400_000  # characters that are read of a document
# "the key": which one? A definite subject is asked for where at least so many words of its own say which it is.
_FEWEST_OWN = 2
_SPOKEN_OF = 12  # times a document says a word that it is mostly about


def drafts_of(document: Document, settings: ParsingSettings | None, longest: int = LONGEST) -> list[Draft]:
    """The drafts of a document, in the order of its text; a question that stands in it twice is left out.

    Prose, tables and headings are asked about in English, and where the document is English; code in any language.
    ``settings``: of the process that reads code; ``None``: no code is asked about. ``longest``: characters looked at.
    """
    found = sorted(
        _drafts(document, settings, longest), key=lambda draft: (draft.gold.start, draft.gold.end, draft.question)
    )
    kept: list[Draft] = []
    asked: Counter[str] = Counter(draft.question.casefold() for draft in found)
    for draft in found:
        wordings = [line for line in draft.wordings if stands_alone(line) and not gives_away(line, draft.answer)]
        if asked[draft.question.casefold()] == 1 and wordings and draft.question in wordings:
            kept.append(Draft(draft.kind, draft.question, draft.gold, draft.answer, tuple(wordings[1:])))
    return kept


def _drafts(document: Document, settings: ParsingSettings | None, longest: int) -> Iterator[Draft]:
    text = document.text[:longest]
    if document.kind == "code":
        yield from _code(document, Span(0, len(text)), _language(document), settings)
        return
    blocks = [block for block in document.blocks if block.end <= len(text)]
    for block in blocks:
        if block.kind is BlockKind.CODE and block.language:
            yield from _code(document, _inside(text, block), block.language, settings)
    if language_of(text) != ENGLISH or not is_cased(text, 0, len(text)):
        return
    known = frozenset(_SMALL.findall(text))
    if document.kind != "bibtex":  # where a heading is a title of what another has written
        yield from structure_drafts(text, blocks)
    headings: list[tuple[int, str]] = []
    salient = Counter(analyse(text))
    around: dict[Span, frozenset[str]] = {}  # by sentence
    for block in blocks:
        if block.kind is BlockKind.HEADING:
            headings = [*(one for one in headings if one[0] < block.level), (block.level, heading_text(text, block))]
        elif block.kind is BlockKind.TABLE:
            yield from table_drafts(text, block, known)
        elif block.kind in (BlockKind.PARAGRAPH, BlockKind.LIST):
            above = frozenset(analyse(" ".join([document.title, *(words for _, words in headings)])))
            around |= dict.fromkeys(_sentences(text, block), above)
    for draft in prose_drafts(text, list(around), known):
        if told(draft, around[draft.gold], salient):
            yield draft


def told(draft: Draft, around: Set[str], salient: Counter[str]) -> bool:
    """Whether a question says which thing it is about.

    "the key" alone does not, unless the headings above it speak of keys, or much of the document does and what is said
    holds always; what no other sentence speaks of is no subject. ``around``: the tokens of title and headings;
    ``salient``: how often the document says each.

    >>> draft = Draft("number", "How long is the key used?", Span(0, 1), "a day", about="the key")
    >>> told(draft, set(), Counter(key=3)), told(draft, {"key"}, Counter())
    (False, True)
    """
    if draft.about.lower().startswith("the "):
        words = takewhile(_of_the_name, draft.about.split()[1:6])
        own = set(analyse(" ".join(word for word in words if not word.endswith("est"))))
        past = re.search(r"\b(?:was|were)\b", draft.question) is not None
        known = own & around or (not past and any(salient[token] >= _SPOKEN_OF for token in own))
        if len(own) < _FEWEST_OWN and not known:
            return False
    tokens = set(analyse(draft.question))
    return any(salient[token] >= 2 for token in tokens) or bool(tokens & around)


def _of_the_name(word: str) -> bool:
    return word == "of" or not (word.lower() in STOP_WORDS or word.endswith("ed"))


def _sentences(text: str, block: Block) -> Iterator[Span]:
    for part in block.parts or (Span(block.start, block.end),):
        for sentence in sentence_spans(text, part.start, part.end):
            if is_prose(text[sentence.start : sentence.end]):
                yield sentence


def _code(document: Document, within: Span, language: str, settings: ParsingSettings | None) -> Iterator[Draft]:
    if settings is None or not language:
        return
    syntax = read_syntax(document.text[within.start : within.end], language, settings)
    if syntax is not None:
        yield from code_drafts(document.text, within.start, syntax, document.title)


def _inside(text: str, block: Block) -> Span:
    """A listing without the lines of its fence."""
    if not text.startswith(("```", "~~~"), block.start):
        return Span(block.start, block.end)
    begin = text.find("\n", block.start, block.end) + 1
    return Span(begin, max(begin, text.rfind("\n", block.start, block.end)))


def _language(document: Document) -> str:
    return next((block.language for block in document.blocks if block.language), "")
