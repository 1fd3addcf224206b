"""Numbers and settings as people say them. Units always stand with the number."""

from __future__ import annotations

from collections.abc import Collection

from core.chunking.auditing import UNEXPLAINED
from core.evaluation.reporting.breakdown import STEP_WORDS
from core.settings import GROWING
from core.text.numerals import counted, in_bytes
from core.text.places import PagesRead
from core.types import Page, WordAudit

count = counted  # a number with its noun
size = in_bytes
EXPANSION_WORDS = {
    "flat": "Nothing: the chunk alone",
    "parent": "The parent section",
    "needed": "Its section, where it is no prose",
    "window": "The sentences around it",
    "gated-parent": "The parent section, where the chunk is uncertain",
    "auto-merge": "The parent section, where enough of it was found",
    "anchored": "Both sides evenly, to its share",
    "neighbours": "What it refers to, and the chunks beside it",
}
GROWING_WORDS = {name: name.replace("api_ref", "entry of an API") for name in GROWING}
BRINGS_WORDS = {
    "question": "the question a turn answers",
    "definitions": "definitions of a contract's terms",
    "session": "a log's entries of its session",
    "calls": "the definitions that code calls",
}
ORDER_WORDS = {
    "relevance": "Best first",
    "document": "As in the documents",
    "edges": "Best at both ends",
    "blend": "By score, nearness and document",
}
ENGINE_WORDS = {"fts5": "SQLite FTS5", "rank-bm25": "rank-bm25"}
FUSION_WORDS = {"zscore": "Standard scores", "minmax": "Scores from 0 to 1", "rrf": "Reciprocal ranks"}
_STEP_WORDS = {
    **STEP_WORDS,
    "write": "have the question put in other words",
    "quotes": "find sentences to quote",
}
_SET_ASIDE = {"front matter, kept as metadata": "front matter", "running header or footer": "page headers"}
KIND_WORDS = {
    "markdown": "Markdown",
    "text": "Text",
    "code": "Code",
    "chat": "Chat",
    "pdf": "PDF",
    "image": "Picture",
    "html": "Web page",
    "docx": "Word",
    "pptx": "PowerPoint",
    "xlsx": "Excel",
    "ods": "Spreadsheet",
    "csv": "Table (CSV)",
    "epub": "Book (EPUB)",
    "odt": "OpenDocument",
    "rtf": "RTF",
    "rst": "reStructuredText",
    "org": "Org",
    "latex": "LaTeX",
    "asciidoc": "AsciiDoc",
    "man": "Manual page",
    "mediawiki": "Wiki text",
    "bibtex": "References (BibTeX)",
    "jats": "Article (JATS)",
    "xml": "Document (XML)",
    "subtitles": "Subtitles",
    "mbox": "Mailbox",
    "eml": "Mail",
    "msg": "Mail (Outlook)",
}


def share(value: float) -> str:
    """A share of 1 in percent; 100 only when it is whole.

    >>> share(1.0), share(0.99998), share(0.5)
    ('100 %', '99.99 %', '50.00 %')
    """
    return "100 %" if value >= 1 else f"{min(99.99, 100 * value):.2f} %"


def covered(value: float, reasons: Collection[str], *, of_part: bool = False) -> str:
    """How much of a text its chunks hold, and in words why not all of it. ``of_part``: of what was read.

    >>> covered(1.0, []), covered(0.9855, ["front matter, kept as metadata"])
    ('all', 'all but front matter, 98.55 %')
    >>> covered(0.9, ["running header or footer", "front matter, kept as metadata"]), covered(0.5, [UNEXPLAINED])
    ('all but set aside, 90.00 %', '50.00 %, some lost')
    """
    if not reasons:
        everything = "all that was read" if of_part else "all"
        return everything if value >= 1 else share(value)
    if UNEXPLAINED in reasons:
        return f"{share(value)}, some lost"
    said = {_SET_ASIDE.get(reason, "set aside") for reason in reasons}
    return f"all but {said.pop() if len(said) == 1 else 'set aside'}, {share(value)}"


def kind(name: str) -> str:
    """A kind of document as people call it.

    >>> kind("pptx"), kind("unheard-of")
    ('PowerPoint', 'unheard-of')
    """
    return KIND_WORDS.get(name, name)


def step(name: str) -> str:
    """A step of asking a question, as a row of a table names it.

    >>> step("fused"), step("unheard of")
    ('Fuse both', 'Unheard of')
    """
    said = _STEP_WORDS.get(name, name)
    return said[:1].upper() + said[1:]


def found(audit: WordAudit | None) -> str:
    """How much of what a second reading found is accounted for.

    >>> found(None), found(WordAudit("html.parser", 200, 190, 10)), found(WordAudit("pdfium", 200, 190, missing=10))
    ('', 'all', '95.00 %')
    """
    if audit is None:
        return ""
    return share(1 - audit.missing / audit.words) if audit.missing else "all"


def read(pages: PagesRead | None) -> str:
    """How the pages of a document were read, where not all of them told their text; what is missing comes first.

    >>> read(None), read(PagesRead(3, (), (), (), True, None)), read(PagesRead(3, (4,), (), (), True, 0.981))
    ('', '', '1 of 4 pages by OCR, 98 % sure')
    >>> read(PagesRead(0, (1,), (), (2, 3), False, 0.9)), read(PagesRead(0, (1,), (), (), True, 0.97))
    ('in part: 2 of 3 pages unread; 1 by OCR, 90 % sure', 'by OCR, 97 % sure')
    """
    if pages is None:
        return ""
    total = pages.text + sum(map(len, (pages.ocr, pages.wordless, pages.unread)))
    said = [
        (len(pages.ocr), f"by OCR, {round(100 * (pages.confidence or 0))} % sure"),
        (len(pages.wordless), "without words"),
    ]
    parts = [(len(pages.unread), "unread"), *said]
    told = [f"{number} {how}" for number, how in parts if number]
    if not told:
        return ""
    first, _, rest = told[0].partition(" ")
    told[0] = rest if total == 1 else f"{first} of {count(total, 'page')} {rest}"
    return f"{'' if pages.whole else 'in part: '}{'; '.join(told)}"


def page_read(page: Page) -> str:
    """How a page was read, behind its number; "" where it told its own text.

    >>> page_read(Page(1, 9, 9)), page_read(Page(1, 9, 9, "ocr", 0.973))
    ('', ' · read by OCR, 97 % sure')
    """
    if page.reading == "ocr":
        return f" · read by OCR, {round(100 * (page.confidence or 0))} % sure"
    return {"unread": " · not read", "wordless": " · a picture without words"}.get(page.reading, "")


def file_name(name: str) -> str:
    """The last part of a path of either kind.

    >>> file_name("notes/2024/tea.md"), file_name("C:\\\\notes\\\\tea.md"), file_name("tea.md")
    ('tea.md', 'tea.md', 'tea.md')
    """
    return name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] or name


def place_name(name: str) -> str:
    """A path's last part with the folder it lies in, which says of what an "__init__.py" or a "README.md" is.

    >>> place_name("notes/2024/tea.md"), place_name("C:\\\\notes\\\\tea.md"), place_name("tea.md")
    ('2024/tea.md', 'notes/tea.md', 'tea.md')
    """
    parts = [part for part in name.replace("\\", "/").split("/") if part]
    return "/".join(parts[-2:]) or name


def about(seconds: float) -> str:
    """How long something will take, no finer than it can be known.

    >>> about(4), about(40), about(250), about(9000)
    ('a few seconds', 'less than a minute', 'about 4 min', 'about 2.5 h')
    """
    if seconds < 10:
        return "a few seconds"
    if seconds < 50:
        return "less than a minute"
    return f"about {max(1, round(seconds / 60))} min" if seconds < 5400 else f"about {seconds / 3600:.1f} h"


def duration(milliseconds: float) -> str:
    """Milliseconds up to a second, seconds beyond, minutes beyond those.

    >>> duration(3.21), duration(640), duration(2300), duration(75_000), duration(0.02)
    ('3.2 ms', '640 ms', '2.3 s', '1 min 15 s', '< 0.1 ms')
    """
    if milliseconds < 0.05:
        return "< 0.1 ms"
    if milliseconds < 1000:
        return f"{milliseconds:.1f} ms" if milliseconds < 10 else f"{milliseconds:.0f} ms"
    seconds = milliseconds / 1000
    return f"{seconds:.1f} s" if seconds < 60 else f"{int(seconds // 60)} min {int(seconds % 60)} s"


def page_word(kind: str) -> str:
    """What a page of a document of this kind is called.

    >>> page_word("pptx"), page_word("pdf")
    ('slide', 'page')
    """
    return "slide" if kind == "pptx" else "page"


def shortened(text: str, most: int, keep: int = 0) -> str:
    """A text on one line, of at most so many characters, the last ``keep`` of them its end.

    >>> shortened("How  long?", 60), shortened("a" * 99, 4), shortened("agreement-2024.docx", 12, 5)
    ('How long?', 'aaa…', 'agreem….docx')
    """
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 1 - keep].rstrip()}…{flat[len(flat) - keep :]}"


def lines(text: str) -> tuple[str, ...]:
    """What a field of several lines holds, blank ones left out.

    >>> lines(" a\\n\\nb ")
    ('a', 'b')
    """
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def holds_all(text: str, sought: str) -> bool:
    """Whether every word sought stands in a text, in either case.

    >>> holds_all("Tea is free", "FREE tea"), holds_all("Tea is free", "milk"), holds_all("Tea", "")
    (True, False, True)
    """
    held = text.casefold()
    return all(word in held for word in sought.casefold().split())


def escaped(text: str) -> str:
    r"""Text for a Streamlit label, where Markdown would otherwise be obeyed.

    >>> escaped("a*b [c](d) $x$ :red[y]")
    'a\\*b \\[c\\]\\(d\\) \\$x\\$ \\:red\\[y\\]'
    """
    flat = " ".join(text.split())
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]()<>#+-.!|~$:&@^=" else letter for letter in flat)
