"""What a library holds as Markdown files: a question with its evidence, a document with its judgments and note.

Each begins with front matter, values as JSON, which YAML reads; every quotation names its file, page and offsets.
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
from core.storage.catalogue.judging import JudgmentRow
from core.storage.catalogue.sources import SourceRow
from core.types import Document

Value = str | int | float | Sequence[str] | None
MADE = '---\nmade_by: "Lectern"'  # how every such file begins: another's is never written over
_UNSAFE = re.compile(r'[<>:"/\\|?*\x00-\x1f]')  # in names of files, on one system or another
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|\Z)")
_LONGEST = 120  # bytes of a name
_LINKING = re.compile(r"(?<=\])[(:]")  # what makes a link or a picture of what stands before it


def front_matter(values: Mapping[str, Value]) -> str:
    """The head of a Markdown file; what is empty is left out.

    >>> print(front_matter({"title": 'The "Guide"', "pages": 3, "note": ""}))
    ---
    made_by: "Lectern"
    title: "The \\"Guide\\""
    pages: 3
    ---
    """
    told = (f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in values.items() if value)
    return "\n".join([MADE, *told, "---"])


def quoted(text: str) -> str:
    """Text as a block quotation.

    >>> quoted("One.\\n\\nTwo.")
    '> One.\\n>\\n> Two.'
    """
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def questions_as_markdown(
    results: Sequence[SearchResult], lines: Sequence[Line], library: str, written: Sequence[str | None] = ()
) -> str:
    """Questions, each with what answers it or that nothing does, what the sources disagree on, and the passages in
    their order. ``lines``: of each result, as ``written``: a ``written_answer``. ``library``: its name.
    """
    chances = [round(line.support.probability, 3) for line in lines]
    one: Mapping[str, Value] = {"question": results[0].question, "library": library, "answer_probability": chances[0]}
    head = front_matter(one if len(results) == 1 else {"conversation": len(results), "library": library})
    told = zip_longest(results, lines, written)
    return "\n\n".join([head, *(part for asked in told for part in _told(*asked))]) + "\n"


def documents_as_markdown(question: str, library: str, lines: Sequence[tuple[Hit, Line]]) -> str:
    """What each document says of a question by itself: its quotes with their places, or that it does not say."""
    parts = [front_matter({"question": question, "library": library, "documents": len(lines)}), f"# {question}"]
    for hit, line in lines:
        parts.append(f"## {hit.document}")
        if not line.supported:
            parts.append(f"{hit.source} does not say.")
            continue
        for quote in line.answer.quotes:
            parts += [quoted(in_words(quote)), _place(quote.citation)]
    return "\n\n".join(parts) + "\n"


def written_answer(
    text: str, verdicts: Sequence[Verdict], passages: Sequence[Passage], model: str, lacks: str = ""
) -> str:
    """What a language model wrote, with what is doubted of it and where the passages stand that it cites.

    ``lacks``: why it is not whole, or not checked, a sentence. Nothing in it is a picture, an element or a link with
    words of its own: a model can be made to put what it read into an address.
    """
    said = {name: name.replace("_", " ") for name in VERDICTS}
    counts = ", ".join(f"{count} {said[name]}" for name, count in counted(verdicts).items() if count)
    cited = {number for _, numbers in marks(text) for number in numbers}
    told = [lacks, f"Its sentences: {counts}." if counts else ""]
    parts = [f"## Written by {model}", *filter(None, told), quoted(_unlinked(text))]
    parts += [
        f"- {said[one.verdict]}: “{_unlinked(one.claim.text)}” {_unlinked(one.reason)}"
        for one in verdicts
        if one.verdict != SUPPORTED and not one.claim.is_silence
    ]
    return "\n\n".join([*parts, *(f"[{one.rank}] {_place(one)}" for one in passages if one.rank in cited)])


def _unlinked(text: str) -> str:
    """
    >>> print(_unlinked("![x](http://a.example/?q=1) and <img> [1]."))
    ![x]\\(http://a.example/?q=1) and &lt;img> [1].
    """
    return _LINKING.sub(r"\\\g<0>", text.strip().replace("<", "&lt;"))


def _told(result: SearchResult, line: Line, written: str | None) -> list[str]:
    parts = [f"# {result.question}", *([written] if written else [])]
    if line.supported:
        parts += ["## Quoted"] if written else []
        for quote in line.answer.quotes:
            parts += [quoted(in_words(quote)), _place(quote.citation)]
    else:
        parts.append(line.text)
    parts += [conflict.sentence for conflict in result.conflicts]
    if result.passages:
        parts.append("## Evidence")
    for number, passage in enumerate(result.passages, 1):
        title = " › ".join(dict.fromkeys([passage.document, *passage.headings]))
        parts += [f"### {number}. {title}", quoted(passage.text), _place(passage)]
    return parts


def document_as_markdown(document: Document, source: SourceRow, judgments: Sequence[JudgmentRow] = ()) -> str:
    """A document's canonical text, and behind it the note and the questions that were judged on it.

    ``judgments``: of this document; those whose gold is lost are told without a place.
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
    parts = [head, document.text.strip("\n")]
    if source.note:
        parts += ["## Note", source.note]
    if judgments:
        parts.append("## Judged questions")
    for row in judgments:
        parts.append(f"**{row.judgment.question}**" + (f" {row.judgment.answer}" if row.judgment.answer else ""))
        parts.append(quoted(row.judgment.quote))
        parts.append(row.lost or f"{source.name}, characters {row.start}–{row.end}")
    return "\n\n".join(parts) + "\n"


def markdown_names(sources: Sequence[SourceRow]) -> list[str]:
    """For each source the name of its Markdown file: each once whatever capitals are worth, and good on any system.

    >>> from dataclasses import replace
    >>> row = SourceRow(1, "a/Plan.md", *[""] * 16)
    >>> markdown_names([row, *(replace(row, name=name) for name in ("b/plan.pdf", "c/plan.md", "Re: why?.eml", "con"))])
    ['Plan.md', 'plan.pdf.md', 'plan (2).md', 'Re_ why_.eml.md', '_con.md']
    """
    return distinct_names(f"{_stem(source.name)}.md" for source in sources)


def _stem(name: str) -> str:
    own = unicodedata.normalize("NFC", PurePath(name.replace("\\", "/")).name) or "document"
    stem = _UNSAFE.sub("_", own.removesuffix(".md")).encode()[:_LONGEST].decode(errors="ignore").rstrip(" .")
    return f"_{stem}" if _RESERVED.match(stem) or not stem else stem


def _place(at: Citation | Passage) -> str:
    page = f", page {at.page}" if at.page else ""
    return f"{at.source}{page}, characters {at.start}–{at.end}"
