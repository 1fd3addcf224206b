"""All drafts of one document, by the rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Set
from itertools import takewhile

from core.evaluation.making.code import code_drafts
from core.evaluation.making.draft import Draft, gives_away, stands_alone
from core.evaluation.making.prose import prose_drafts
from core.evaluation.making.structure import heading_text, structure_drafts
from core.evaluation.making.tables import DATA, DATA_KINDS, TABLE, table_drafts
from core.parsing.sandbox.syntax import read_syntax
from core.search.answer.prose import is_prose
from core.settings import ParsingSettings
from core.text.analysis import STOP_WORDS, analyse
from core.text.languages import ENGLISH, language_of
from core.text.sentences import is_cased, sentence_spans
from core.types import Block, BlockKind, Document, Span

_LOWER_CASE_WORD = re.compile(r"(?<![\w.])[a-z][a-z’'-]+")
LONGEST = 400_000  # characters of a document that are used
_MIN_SUBJECT_WORDS = 2  # words from which on a definite subject identifies itself: "the signing key", not "the key"
_SALIENT = 12  # occurrences of a word from which on the document is about it


def drafts_of(document: Document, settings: ParsingSettings | None, longest: int = LONGEST) -> list[Draft]:
    """The drafts of a document in text order, without questions that come up twice or cannot stand alone.

    Prose, tables and headings are used where the document is English, code in any language. ``settings``: for parsing
    code, ``None`` to skip code. ``longest``: how many characters of the document are used.
    """
    drafts = sorted(
        _drafts(document, settings, longest), key=lambda draft: (draft.gold.start, draft.gold.end, draft.question)
    )
    result: list[Draft] = []
    counts: Counter[str] = Counter(draft.question.casefold() for draft in drafts)
    for draft in drafts:
        wordings = [line for line in draft.wordings if stands_alone(line) and not gives_away(line, draft.answer)]
        if counts[draft.question.casefold()] == 1 and draft.question in wordings:
            result.append(Draft(draft.kind, draft.question, draft.gold, draft.answer, tuple(wordings[1:])))
    return result


def _drafts(document: Document, settings: ParsingSettings | None, longest: int) -> Iterator[Draft]:
    text = document.text[:longest]
    if document.kind == "code":
        yield from _from_code(document, Span(0, len(text)), _language(document), settings)
        return
    blocks = [block for block in document.blocks if block.end <= len(text)]
    for block in blocks:
        if block.kind is BlockKind.CODE and block.language:
            yield from _from_code(document, _listing(text, block), block.language, settings)
    is_data = document.kind in DATA_KINDS
    if language_of(text) != ENGLISH or not (is_data or is_cased(text, 0, len(text))):
        return
    for block in document.blocks:
        if block.kind is BlockKind.TABLE and block.start < len(text):
            yield from table_drafts(text, block, DATA if is_data else TABLE)
    if is_data:
        return
    lower_case = frozenset(_LOWER_CASE_WORD.findall(text))
    if document.kind not in ("bibtex", "references"):  # its headings are the titles of other works
        yield from structure_drafts(text, blocks)
    headings: list[tuple[int, str]] = []  # (level, text) of the path to the block
    counts = Counter(analyse(text))
    above: dict[Span, frozenset[str]] = {}  # sentence -> tokens of the title and headings above it
    for block in blocks:
        if block.kind is BlockKind.HEADING:
            headings = [*(item for item in headings if item[0] < block.level), (block.level, heading_text(text, block))]
        elif block.kind in (BlockKind.PARAGRAPH, BlockKind.LIST):
            tokens = frozenset(analyse(" ".join([document.title, *(words for _, words in headings)])))
            above |= dict.fromkeys(_sentences(text, block), tokens)
    for draft in prose_drafts(text, list(above), lower_case):
        if identifies_subject(draft, above[draft.gold], counts):
            yield draft


def identifies_subject(draft: Draft, above: Set[str], counts: Counter[str]) -> bool:
    """Whether a question says which thing it is about.

    "the key" alone does not, unless the headings above mention keys, or the document mentions keys often and the
    question is not in the past tense. Also, the headings or a second place in the document must share a word with the
    question. ``above``: tokens of title and headings; ``counts``: occurrences of each token in the document.

    >>> draft = Draft("number", "How long is the key used?", Span(0, 1), "a day", about="the key")
    >>> identifies_subject(draft, set(), Counter(key=3)), identifies_subject(draft, {"key"}, Counter())
    (False, True)
    """
    if draft.about.lower().startswith("the "):
        words = takewhile(_is_of_subject, draft.about.split()[1:6])
        subject = set(analyse(" ".join(word for word in words if not word.endswith("est"))))
        is_past = re.search(r"\b(?:was|were)\b", draft.question) is not None
        is_known = subject & above or (not is_past and any(counts[token] >= _SALIENT for token in subject))
        if len(subject) < _MIN_SUBJECT_WORDS and not is_known:
            return False
    tokens = set(analyse(draft.question))
    return any(counts[token] >= 2 for token in tokens) or bool(tokens & above)


def _is_of_subject(word: str) -> bool:
    return word == "of" or not (word.lower() in STOP_WORDS or word.endswith("ed"))


def _sentences(text: str, block: Block) -> Iterator[Span]:
    for part in block.parts or (Span(block.start, block.end),):
        for sentence in sentence_spans(text, part.start, part.end):
            if is_prose(text[sentence.start : sentence.end]):
                yield sentence


def _from_code(document: Document, within: Span, language: str, settings: ParsingSettings | None) -> Iterator[Draft]:
    if settings is None or not language:
        return
    syntax = read_syntax(document.text[within.start : within.end], language, settings)
    if syntax is not None:
        yield from code_drafts(document.text, within.start, syntax, document.title)


def _listing(text: str, block: Block) -> Span:
    """The span of a code block without the lines of its fence."""
    if not text.startswith(("```", "~~~"), block.start):
        return Span(block.start, block.end)
    begin = text.find("\n", block.start, block.end) + 1
    return Span(begin, max(begin, text.rfind("\n", block.start, block.end)))


def _language(document: Document) -> str:
    return next((block.language for block in document.blocks if block.language), "")
