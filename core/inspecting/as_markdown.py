"""Exports as Markdown files: a question with its evidence, a document with its judgments and note.

Each file begins with YAML front matter, whose values are JSON. Every quotation has its file, page and offsets.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import PurePath

from core.evidence import Citation, Hit, Passage
from core.parsing.file_names import distinct_names
from core.search.answer.line import Line, in_words
from core.search.checking.checking import SUPPORTED, VERDICTS, Verdict, counted
from core.search.checking.claims import marks
from core.search.result import SearchResult
from core.storage.catalogue.filing.sources import SourceRow
from core.storage.catalogue.judging import JudgmentRow
from core.text.cells import table_rows
from core.types import Block, BlockKind, Document

Value = str | int | float | Sequence[str] | None
MADE = '---\nmade_by: "Lectern"'  # the beginning of every such file: only files that have it are overwritten
_UNSAFE = re.compile(r'[<>:"/\\|?*\x00-\x1f]')  # characters that some system does not allow in file names
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|\Z)")
_LONGEST = 120  # bytes of a file name
_BAR = re.compile(r"(?<!\\)\|")  # most readers escape bars in cells already
_LINK_START = re.compile(r"(?<=\])[(:]")  # the character that turns "[text]" into a link, an image or a definition


def front_matter(values: Mapping[str, Value]) -> str:
    """The front matter of a Markdown file, without empty values.

    >>> print(front_matter({"title": 'The "Guide"', "pages": 3, "note": ""}))
    ---
    made_by: "Lectern"
    title: "The \\"Guide\\""
    pages: 3
    ---
    """
    lines = (f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in values.items() if value)
    return "\n".join([MADE, *lines, "---"])


def block_quote(text: str) -> str:
    """Text as a Markdown block quote.

    >>> block_quote("One.\\n\\nTwo.")
    '> One.\\n>\\n> Two.'
    """
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def questions_as_markdown(
    results: Sequence[SearchResult], lines: Sequence[Line], library: str, written: Sequence[str | None] = ()
) -> str:
    """Questions with their answers, the conflicts between sources, and the passages in their order.

    ``lines``: the answer of each result. ``written``: the ``written_answer`` of each result, where there is one.
    ``library``: its name.
    """
    if len(results) == 1:
        probability = round(lines[0].support.probability, 3)
        values: Mapping[str, Value] = {
            "question": results[0].question,
            "library": library,
            "answer_probability": probability,
        }
    else:
        values = {"conversation": len(results), "library": library}
    questions = zip_longest(results, lines, written)
    parts = [part for question in questions for part in _question_parts(*question)]
    return "\n\n".join([front_matter(values), *parts]) + "\n"


def documents_as_markdown(question: str, library: str, lines: Sequence[tuple[Hit, Line]]) -> str:
    """A question with the answer of each document by itself: its quotes with citations, or that it has none."""
    parts = [front_matter({"question": question, "library": library, "documents": len(lines)}), f"# {question}"]
    for hit, line in lines:
        parts.append(f"## {hit.document}")
        if not line.supported:
            parts.append(f"{hit.source} does not say.")
            continue
        for quote in line.answer.quotes:
            parts += [block_quote(in_words(quote)), _citation(quote.citation)]
    return "\n\n".join(parts) + "\n"


def written_answer(
    text: str, verdicts: Sequence[Verdict], passages: Sequence[Passage], model: str, lacks: str = ""
) -> str:
    """The answer of a language model, its claims that are not supported, and the citations of its passages.

    ``lacks``: a sentence on why the answer is incomplete or not verified, "" otherwise. Images, HTML and links are
    escaped: a prompt injection could make the model put what it read into a URL.
    """
    labels = {name: name.replace("_", " ") for name in VERDICTS}
    counts = ", ".join(f"{count} {labels[name]}" for name, count in counted(verdicts).items() if count)
    cited = {number for _, numbers in marks(text) for number in numbers}
    remarks = [lacks, f"Its sentences: {counts}." if counts else ""]
    parts = [f"## Written by {model}", *filter(None, remarks), block_quote(_without_links(text))]
    parts += [
        f"- {labels[item.verdict]}: “{_without_links(item.claim.text)}” {_without_links(item.reason)}"
        for item in verdicts
        if item.verdict != SUPPORTED and not item.claim.is_silence
    ]
    parts += [f"[{passage.rank}] {_citation(passage)}" for passage in passages if passage.rank in cited]
    return "\n\n".join(parts)


def _without_links(text: str) -> str:
    """The text with escaped Markdown links and HTML.

    >>> print(_without_links("![x](http://a.example/?q=1) and <img> [1]."))
    ![x]\\(http://a.example/?q=1) and &lt;img> [1].
    """
    return _LINK_START.sub(r"\\\g<0>", text.strip().replace("<", "&lt;"))


def _question_parts(result: SearchResult, line: Line, written: str | None) -> list[str]:
    parts = [f"# {result.question}", *([written] if written else [])]
    if line.supported:
        parts += ["## Quoted"] if written else []
        for quote in line.answer.quotes:
            parts += [block_quote(in_words(quote)), _citation(quote.citation)]
    else:
        parts.append(line.text)
    parts += [conflict.sentence for conflict in result.conflicts]
    if result.passages:
        parts.append("## Evidence")
    for number, passage in enumerate(result.passages, 1):
        title = " › ".join(dict.fromkeys([passage.document, *passage.headings]))
        parts += [f"### {number}. {title}", block_quote(passage.text), _citation(passage)]
    return parts


def document_as_markdown(document: Document, source: SourceRow, judgments: Sequence[JudgmentRow] = ()) -> str:
    """A document's text as Markdown, followed by its note and its judged questions.

    ``judgments``: of this document. Those whose gold is lost have no citation.
    """
    head = front_matter(
        {
            "title": document.title,
            "source": source.name,
            "version": document.version_id,
            "kind": document.kind,
            "pages": source.pages,
            "characters": len(document.text),
            "changed": source.changed_at,
            "collections": source.collections,
            "tags": source.tags,
        }
    )
    parts = [head, _body(document)]
    if source.note:
        parts += ["## Note", source.note]
    if judgments:
        parts.append("## Judged questions")
    for row in judgments:
        parts.append(f"**{row.judgment.question}**" + (f" {row.judgment.answer}" if row.judgment.answer else ""))
        parts.append(block_quote(row.judgment.quote))
        parts.append(row.lost or f"{source.name}, characters {row.start}–{row.end}")
    return "\n\n".join(parts) + "\n"


def _body(document: Document) -> str:
    """The text; where it is no Markdown yet, headings, tables with cells and code are marked as such.

    Front matter becomes code: a file has only one, and that is Lectern's.
    """
    parts, position = [], 0
    for block in document.blocks:
        text = document.text[block.start : block.end]
        if block.kind is BlockKind.FRONT_MATTER:
            text = _fenced(text.strip().removeprefix("---").removesuffix("---"), "yaml")
        elif document.kind == "markdown":
            continue
        elif block.kind is BlockKind.HEADING:
            text = f"{'#' * max(1, block.level)} {' '.join(text.split())}"
        elif block.kind is BlockKind.CODE:
            text = _fenced(text, block.language)
        elif block.kind is BlockKind.TABLE and block.cells:
            text = _table(document.text, block)
        else:
            continue
        parts += [document.text[position : block.start], text]
        position = block.end
    return "".join([*parts, document.text[position:]]).strip("\n")


def _fenced(text: str, language: str) -> str:
    """Text as a code block whose fence is longer than any in it."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    stripped = text.strip("\n")
    return f"{fence}{language}\n{stripped}\n{fence}"


def _table(text: str, block: Block) -> str:
    """A table as Markdown; its first row stands as the header, which every table has there."""
    rows = [[_BAR.sub(r"\\|", " ".join(words.split())) for words in row] for row in table_rows(text, block)]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])


def markdown_names(sources: Sequence[SourceRow]) -> list[str]:
    """The Markdown file name of each source: valid on every system, and unique also without regard to case.

    >>> from dataclasses import replace
    >>> row = SourceRow(1, "a/Plan.md", *[""] * 16)
    >>> markdown_names([row, *(replace(row, name=name) for name in ("b/plan.pdf", "c/plan.md", "Re: why?.eml", "con"))])
    ['Plan.md', 'plan.pdf.md', 'plan (2).md', 'Re_ why_.eml.md', '_con.md']
    """
    return distinct_names(f"{_stem(source.name)}.md" for source in sources)


def _stem(name: str) -> str:
    file_name = unicodedata.normalize("NFC", PurePath(name.replace("\\", "/")).name) or "document"
    stem = _UNSAFE.sub("_", file_name.removesuffix(".md")).encode()[:_LONGEST].decode(errors="ignore").rstrip(" .")
    return f"_{stem}" if _RESERVED.match(stem) or not stem else stem


def _citation(at: Citation | Passage) -> str:
    page = f", page {at.page}" if at.page else ""
    return f"{at.source}{page}, characters {at.start}–{at.end}"
