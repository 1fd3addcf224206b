"""Converts reStructuredText, Org, LaTeX, AsciiDoc, manual pages and wiki text to HTML with pandoc.

BibTeX becomes CSL-JSON.

The text is rewritten first, so that pandoc drops nothing, as ``odt_reader`` does for OpenDocument.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from html import escape

from core.errors import ParseError, WorkerError
from core.parsing.pandoc.program import convert
from core.parsing.sandbox.sandbox import out_of_memory
from core.settings import ParsingSettings

_FORMATS = {
    "rst": "rst",
    "org": "org+fancy_lists",
    "latex": "latex",
    "asciidoc": "asciidoc",
    "bibtex": "biblatex",
    "man": "man",
    "mediawiki": "mediawiki",
}
MARKUPS = frozenset(_FORMATS)
_ELSE_AS_WRITTEN = frozenset(
    {"latex", "asciidoc", "man"}
)  # preambles, macros and the like, which pandoc refuses at times
_NOTHING = re.compile(rb"<body>\s*</body>")
_AS_WRITTEN = "pandoc could not make a page of it, so it is kept as it is written, markup and all."
# Headings of six levels, and what export leaves out by default: dates of tasks, drawers, archived parts, and what is
# tagged "noexport" (with another tag named in its place).
_ORG_EXPORT_ALL = "#+OPTIONS: H:6 p:t d:t arch:t\n#+EXCLUDE_TAGS: none\n"
_ORG_EXCLUDED = re.compile(r"^[ \t]*#\+EXCLUDE_TAGS:.*$", re.IGNORECASE | re.MULTILINE)
_ORG_COMMENTED = re.compile(r"^(\*+ (?:[A-Z]+ )?)COMMENT\b", re.MULTILINE)
# A backslash that begins nothing, outside of blocks and literal lines: pandoc refuses a file for one.
_ORG_BACKSLASH = re.compile(
    r"(?P<kept>^[ \t]*#\+BEGIN_.*?^[ \t]*#\+END_|^[ \t]*: .*?$|\\\\(?=[ \t]*$))|\\(?![a-z(\[])",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
_ORG_OPTIONS = re.compile(r"^[ \t]*#\+OPTIONS:.*$", re.IGNORECASE | re.MULTILINE)
_ORG_RESULTS = re.compile(r"^[ \t]*#\+RESULTS(?:\[[^\]\n]*\])?:.*$", re.IGNORECASE | re.MULTILINE)
_ORG_EXPORTS = re.compile(
    r"(^[ \t]*#\+(?:BEGIN_SRC|PROPERTY|HEADER)\b[^\n]*?) :exports[ \t]+\w+", re.IGNORECASE | re.MULTILINE
)
_ORG_DRAWER = re.compile(
    r"^[ \t]*:PROPERTIES:[ \t]*\n(.*?)^[ \t]*:END:[ \t]*$", re.IGNORECASE | re.MULTILINE | re.DOTALL
)
_ORG_PROPERTY = re.compile(r"^[ \t]*:([^:\n]+):[ \t]*(.*)$", re.MULTILINE)
_INCLUDES = {
    "rst": re.compile(r"^[ \t]*\.\. (?:literal)?include::[ \t]+(\S.*?)[ \t]*$", re.MULTILINE),
    "latex": re.compile(r"(?<!\\)\\(?:input|include|subfile|import)[ \t]*\{([^{}\n]+)\}"),
    "asciidoc": re.compile(r"^include::([^\[\n]+)\[.*$", re.MULTILINE),
    "org": re.compile(r"^[ \t]*#\+INCLUDE:[ \t]+\"?([^\"\n]+?)\"?(?:[ \t].*)?$", re.MULTILINE | re.IGNORECASE),
}
_MOST_NAMES = 10
_ENTRY = re.compile(r"^[ \t]*(?=@)", re.MULTILINE)
_KEY = re.compile(r"@\w+\s*[{(]\s*([^\s,{}()]+)")
_PLACE = re.compile(r"\(line (\d+), column (\d+)\)")
_ESCAPED, _SIGN = re.compile(r"\\."), re.compile(r"[^\n]")
_MOST_REFUSED = 50  # each costs another run of pandoc
_REFUSED = "Entries that pandoc could not read stand at the end as they are written: "
# Of LaTeX: what apacite puts before a citation, for which pandoc refuses a file, and what people call their listings.
_CITED = re.compile(r"(\\[a-z]*cite[a-zA-Z]*)<([^<>{}\n]*)>")
_CODE = re.compile(r"\\(begin|end)\{(?:code|stdout|program|console|sourcecode|shell)\}")
_MDOC = re.compile(r"^\.Dd\b", re.MULTILINE)  # the other macros of manual pages, those of BSD
_TBL, _NO_TABLE = (
    re.compile(r"^\.TS\n(?:.*\n){0,9}?.*\.[ \t]*\n((?:.*\n){0,2000}?)\.TE[ \t]*\n", re.MULTILINE),
    b"<p>TABLE</p>",
)
_TEMPLATE, _DEEPEST_TEMPLATE = re.compile(r"\{\{([^{}]*)\}\}"), 20
# The header of a PEP: fields as a mail has them, which docutils reads so too.
_HEADER = re.compile(r"\A\s*(?:[A-Z][\w-]*:[ \t].*\n(?:[ \t]+\S.*\n)*){3,}(?=[ \t]*\n)")
_KEY_OF_FIELD = re.compile(r"^([A-Z][\w-]*):(?=[ \t])", re.MULTILINE)
_FIELD = re.compile(r"^:([^:\n]+):(.*\n(?:[ \t]+\S.*\n)*)", re.MULTILINE)
_RECORD = re.compile(
    r"\A(?P<title>\s*(?:\.\..*\n\s*)*(?:(?:([=\-~#*+^])\2{2,}[ \t]*\n)?[^\s:.].*\n([=\-~#*+^])\3{2,}[ \t]*\n\s*)?)"
    r"(?P<fields>(?::[A-Za-z][\w -]*:(?:[ \t].*)?\n(?:[ \t]+\S.*\n)*)+)"
)
_SHOWN_FIELDS = frozenset({"author", "authors", "date"})
_PLACED_FIELDS = _SHOWN_FIELDS | {"title", "orphan", "tocdepth", "nocomments"}
# What Sphinx lets others refer to, named before the heading of that name: pandoc would have it end the section before.
_NAMED = re.compile(
    r"^\.\.[ ]+[\w:+-]+::[ \t]+(?P<name>[^\s(][^\n(]*?)[ \t]*(?:\([^\n]*)?\n(?=(?:[ \t]*\n|\.\.[ ][^\n]*\n)*+"
    r"(?:([=\-~#*+^\"'`])\2{2,}[ \t]*\n)?(?P<title>[^\s.:][^\n]*)\n([=\-~#*+^\"'`])\4{2,}[ \t]*(?:\n|\Z))",
    re.MULTILINE,
)
_DOCTEST = re.compile(r"(?:(?<=\n\n)|\A)([ \t]*)>>> [^\n]*(?:\n(?![ \t]*\n)[^\n]+)*")


def to_page(
    text: str, kind: str, settings: ParsingSettings, tick: Callable[[], None], shown: str
) -> tuple[bytes, tuple[str, ...]]:
    """Pandoc's HTML for ``text`` ("bibtex": its CSL-JSON), and notes for the user.

    ``kind``: of ``MARKUPS``. ``shown``: the file's name for messages. ``tick`` is called five times a second and may
    raise to stop. Raises ``ParseError`` where pandoc refuses the text, ``WorkerError`` where a limit is reached.
    """

    def page(prepared: str) -> bytes:
        data, target = prepared.encode("utf-8", "replace"), "csljson" if kind == "bibtex" else "html"
        source = "mdoc" if kind == "man" and _MDOC.search(prepared) else _FORMATS[kind]
        return through_pandoc(data, source, target, settings, tick, shown, standalone=True)

    if kind == "bibtex":
        return _entries(text, page)
    notes = notes_on(text, kind)
    text = mended(text, kind)
    try:
        html = page(text)
        if kind == "man" and _NO_TABLE in html:  # pandoc drops tables that it does not understand
            html = page(_TBL.sub(r".nf\n\1.fi\n", text))
        if kind not in _ELSE_AS_WRITTEN or not _NOTHING.search(html):
            return html, notes
    except WorkerError:
        raise
    except ParseError:
        if kind not in _ELSE_AS_WRITTEN:
            escaped = _ORG_BACKSLASH.sub(lambda match: match["kept"] or r"\bsol{}", text) if kind == "org" else text
            if escaped == text:
                raise
            return page(escaped), notes
    return f"<meta charset=utf-8><pre>{escape(text)}</pre>".encode("utf-8", "replace"), (*notes, _AS_WRITTEN)


def _entries(text: str, page: Callable[[str], bytes]) -> tuple[bytes, tuple[str, ...]]:
    """``page`` for a bibliography. Entries that pandoc refuses are added as written, and a note names them.

    Pandoc refuses the whole file because of one entry and names its line: that entry is left out, and the others are
    tried again. Raises what ``page`` raises where all entries, or more than ``_MOST_REFUSED``, are refused.
    """
    starts = [0, *(match.end() for match in _ENTRY.finditer(text) if match.end())]
    entries = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    refused: set[int] = set()
    while True:
        left = "".join(_SIGN.sub(" ", one) if index in refused else one for index, one in enumerate(entries))
        try:
            page_found = page(left)
        except WorkerError:
            raise
        except ParseError as error:
            culprits = _culprits(error.problem, left, starts, entries) - refused
            if not culprits or len(refused | culprits) > min(_MOST_REFUSED, len(entries) - 1):
                raise
            refused |= culprits
            continue
        if not refused:
            return page_found, ()
        written = [entries[index].strip() for index in sorted(refused)]
        names = [match[1] if (match := _KEY.match(entry)) else entry[:20] for entry in written]
        others = [{"id": name, "written": entry} for name, entry in zip(names, written, strict=True)]
        return json.dumps([*json.loads(page_found or b"[]"), *others]).encode(), (_REFUSED + ", ".join(names) + ".",)


def _culprits(problem: str, text: str, starts: Sequence[int], entries: Sequence[str]) -> set[int]:
    """The entries that pandoc refuses: the one in which it stopped, or those whose braces are not closed."""
    place = _PLACE.search(problem)
    if not place or "end of input" in problem:
        bare = [_ESCAPED.sub("", entry) for entry in entries]
        return {index for index, entry in enumerate(bare) if entry.count("{") != entry.count("}")}
    lines = text.split("\n")[: int(place[1])]
    last = min(int(place[2]) - 1, len(lines[-1]))
    return {max(0, bisect_left(starts, sum(len(line) + 1 for line in lines[:-1]) + last) - 1)}


def notes_on(text: str, kind: str) -> tuple[str, ...]:
    """The note on files that a text includes, which are not read; () for none.

    >>> notes_on(".. include:: terms.rst\\n", "rst")
    ('Other files that it includes were not read: terms.rst.',)
    """
    names = dict.fromkeys(_INCLUDES[kind].findall(text)) if kind in _INCLUDES else {}
    shown = ", ".join(list(names)[:_MOST_NAMES]) + (" and more" if len(names) > _MOST_NAMES else "")
    return (f"Other files that it includes were not read: {shown}.",) if names else ()


def through_pandoc(
    data: bytes,
    source: str,
    target: str,
    settings: ParsingSettings,
    tick: Callable[[], None],
    shown: str,
    *,
    standalone: bool = False,
) -> bytes:
    """``convert`` within the limits of the settings; its errors name the file ``shown``."""
    try:
        return convert(
            data,
            source,
            target,
            memory_megabytes=settings.memory_megabytes,
            timeout_seconds=settings.timeout_seconds,
            tick=tick,
            standalone=standalone,
        )
    except MemoryError:
        raise out_of_memory(shown, settings.memory_megabytes) from None
    except ParseError as error:
        raise type(error)(f"{shown} could not be read: {error.problem}", error.remedy) from error


def mended(text: str, kind: str) -> str:
    """The text rewritten so that pandoc drops nothing that is visible to a reader.

    >>> mended("Try it:\\n\\n>>> 1 + 1\\n2", "rst")
    'Try it:\\n\\n::\\n\\n    >>> 1 + 1\\n    2'
    >>> mended("One.\\n\\n.. setting:: DELAY\\n\\nDELAY\\n-----\\n", "rst")
    'One.\\n\\n\\nDELAY\\n-----\\n'
    """
    if kind == "org":
        text = _ORG_EXCLUDED.sub("", _ORG_RESULTS.sub("", _ORG_OPTIONS.sub("", text)))
        text = _ORG_DRAWER.sub(lambda match: _ORG_PROPERTY.sub(r"\n\1: \2", match[1]), text)
        text = _ORG_COMMENTED.sub(r"\1Comment", text)  # pandoc drops a subtree under the word COMMENT
        return _ORG_EXPORT_ALL + _ORG_EXPORTS.sub(r"\1", text)
    if kind == "asciidoc":
        return _INCLUDES[kind].sub("", text)  # in its sandbox pandoc refuses files with includes
    if kind == "latex":
        return _CODE.sub(r"\\\1{verbatim}", _CITED.sub(r"\1[\2]", text))
    if kind == "mediawiki":
        for _ in range(_DEEPEST_TEMPLATE):  # pandoc knows no templates: their text is kept
            text, count = _TEMPLATE.subn(lambda match: match[1].replace("|", ", "), text)
            if not count:
                break
        return text
    if kind == "rst":
        text = _RECORD.sub(_record, _HEADER.sub(lambda match: _KEY_OF_FIELD.sub(r":\1:", match[0]), text))
        text = _NAMED.sub(lambda match: "" if match["name"].casefold() in match["title"].casefold() else match[0], text)
        return _DOCTEST.sub(_literal, text)  # pandoc runs a doctest's lines together
    return text


def _record(match: re.Match[str]) -> str:
    """A document's bibliographic fields: its title as heading, those pandoc reads, and the others as definitions."""
    fields = [(field[1], field[2]) for field in _FIELD.finditer(match["fields"])]
    known = "".join(f":{name}:{value}" for name, value in fields if name.lower() in _SHOWN_FIELDS)
    title = next((" ".join(value.split()) for name, value in fields if name.lower() == "title"), "")
    line = "=" * (2 * len(title))  # characters may be two columns wide
    head = f"{line}\n{title}\n{line}\n\n" if title else ""
    others = "".join(
        f"{name}\n   {' '.join(value.split())}\n" for name, value in fields if name.lower() not in _PLACED_FIELDS
    )
    return f"{match['title']}{head}{known}\n{others}\n"


def _literal(match: re.Match[str]) -> str:
    lines = [f"    {line}" for line in match[0].split("\n")]
    return "\n".join([f"{match[1]}::", "", *lines])
