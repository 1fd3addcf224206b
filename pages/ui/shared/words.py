"""Numbers, settings and kinds in words for people. Every number is shown with its unit."""

from __future__ import annotations

from collections.abc import Collection

from core.chunking.auditing import UNEXPLAINED
from core.evaluation.reporting.breakdown import STEP_WORDS
from core.settings import GROWING
from core.text.places import PagesRead
from core.text.values.numerals import counted, in_bytes
from core.types import Page, WordAudit

count = counted  # a number and its noun, in singular or plural
size = in_bytes
EXPANSION_WORDS = {
    "flat": "Nothing: the chunk alone",
    "parent": "The parent section",
    "needed": "Its section, where it is no prose",
    "window": "The sentences around it",
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
FUSION_WORDS = {"zscore": "Standard scores", "rrf": "Reciprocal ranks"}
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
    "notebook": "Notebook",
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
    "odp": "Slides (OpenDocument)",
    "doc": "Word (.doc)",
    "ppt": "PowerPoint (.ppt)",
    "pages": "Pages",
    "rtf": "RTF",
    "rst": "reStructuredText",
    "org": "Org",
    "latex": "LaTeX",
    "asciidoc": "AsciiDoc",
    "man": "Manual page",
    "mediawiki": "Wiki text",
    "bibtex": "References (BibTeX)",
    "references": "References (RIS, PubMed)",
    "jats": "Article (JATS)",
    "xml": "Document (XML)",
    "subtitles": "Subtitles",
    "mbox": "Mailbox",
    "eml": "Mail",
    "msg": "Mail (Outlook)",
    "calendar": "Calendar",
    "contacts": "Contacts",
    "records": "Records (JSON)",
}


def share(value: float) -> str:
    """A share from 0 to 1 as a percentage; "100 %" only for a share of 1 or more.

    >>> share(1.0), share(0.99998), share(0.5)
    ('100 %', '99.99 %', '50.00 %')
    """
    return "100 %" if value >= 1 else f"{min(99.99, 100 * value):.2f} %"


def covered(value: float, reasons: Collection[str], *, of_part: bool = False) -> str:
    """The share of a text that chunks cover, and why the rest is not covered.

    ``reasons``: of the gaps. ``of_part``: the share counts only the part of the document that was read.

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
    phrases = {_SET_ASIDE.get(reason, "set aside") for reason in reasons}
    return f"all but {phrases.pop() if len(phrases) == 1 else 'set aside'}, {share(value)}"


def kind(name: str) -> str:
    """The display name of a kind of document; the kind itself if it has none.

    >>> kind("pptx"), kind("unheard-of")
    ('PowerPoint', 'unheard-of')
    """
    return KIND_WORDS.get(name, name)


def step(name: str) -> str:
    """The display name of a step of a search, with a capital.

    >>> step("fused"), step("unheard of")
    ('Fuse both', 'Unheard of')
    """
    label = _STEP_WORDS.get(name, name)
    return label[:1].upper() + label[1:]


def found(audit: WordAudit | None) -> str:
    """The share of a second reading's words that the document has; "" without a second reading.

    >>> found(None), found(WordAudit("html.parser", 200, 190, 10)), found(WordAudit("pdfium", 200, 190, missing=10))
    ('', 'all', '95.00 %')
    """
    if audit is None:
        return ""
    return share(1 - audit.missing / audit.words) if audit.missing else "all"


def read(pages: PagesRead | None) -> str:
    """How the pages of a document were read, unread pages first; "" if all of them have a text layer.

    >>> read(None), read(PagesRead(3, (), (), (), True, None)), read(PagesRead(3, (4,), (), (), True, 0.981))
    ('', '', '1 of 4 pages by OCR, 98 % sure')
    >>> read(PagesRead(0, (1,), (), (2, 3), False, 0.9)), read(PagesRead(0, (1,), (), (), True, 0.97))
    ('in part: 2 of 3 pages unread; 1 by OCR, 90 % sure', 'by OCR, 97 % sure')
    """
    if pages is None:
        return ""
    total = pages.text + sum(map(len, (pages.ocr, pages.wordless, pages.unread)))
    counts = [
        (len(pages.unread), "unread"),
        (len(pages.ocr), f"by OCR, {round(100 * (pages.confidence or 0))} % sure"),
        (len(pages.wordless), "without words"),
    ]
    phrases = [f"{number} {how}" for number, how in counts if number]
    if not phrases:
        return ""
    first, _, rest = phrases[0].partition(" ")
    phrases[0] = rest if total == 1 else f"{first} of {count(total, 'page')} {rest}"
    return f"{'' if pages.whole else 'in part: '}{'; '.join(phrases)}"


def page_read(page: Page) -> str:
    """How a page was read, as a suffix to its number; "" if it has a text layer.

    >>> page_read(Page(1, 9, 9)), page_read(Page(1, 9, 9, "ocr", 0.973))
    ('', ' · read by OCR, 97 % sure')
    """
    if page.reading == "ocr":
        return f" · read by OCR, {round(100 * (page.confidence or 0))} % sure"
    return {"unread": " · not read", "wordless": " · a picture without words"}.get(page.reading, "")


def file_name(name: str) -> str:
    """The last part of a path, with "/" or with backslashes.

    >>> file_name("notes/2024/tea.md"), file_name("C:\\\\notes\\\\tea.md"), file_name("tea.md")
    ('tea.md', 'tea.md', 'tea.md')
    """
    return name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] or name


def place_name(name: str) -> str:
    """The last part of a path with its folder, which tells files such as "__init__.py" or "README.md" apart.

    >>> place_name("notes/2024/tea.md"), place_name("C:\\\\notes\\\\tea.md"), place_name("tea.md")
    ('2024/tea.md', 'notes/tea.md', 'tea.md')
    """
    parts = [part for part in name.replace("\\", "/").split("/") if part]
    return "/".join(parts[-2:]) or name


def about(seconds: float) -> str:
    """An estimated duration, rounded as coarsely as estimates are.

    >>> about(4), about(40), about(250), about(9000)
    ('a few seconds', 'less than a minute', 'about 4 min', 'about 2.5 h')
    """
    if seconds < 10:
        return "a few seconds"
    if seconds < 50:
        return "less than a minute"
    return f"about {max(1, round(seconds / 60))} min" if seconds < 5400 else f"about {seconds / 3600:.1f} h"


def duration(milliseconds: float) -> str:
    """A measured duration in milliseconds, seconds or minutes, whichever fits.

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
    """A text on one line, cut to ``most`` characters with an ellipsis; its last ``keep`` characters are not cut.

    >>> shortened("How  long?", 60), shortened("a" * 99, 4), shortened("agreement-2024.docx", 12, 5)
    ('How long?', 'aaa…', 'agreem….docx')
    """
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 1 - keep].rstrip()}…{flat[len(flat) - keep :]}"


def lines(text: str) -> tuple[str, ...]:
    """The lines of a text, stripped, without blank ones.

    >>> lines(" a\\n\\nb ")
    ('a', 'b')
    """
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def holds_all(text: str, sought: str) -> bool:
    """Whether a text contains every word of ``sought``, ignoring case.

    >>> holds_all("Tea is free", "FREE tea"), holds_all("Tea is free", "milk"), holds_all("Tea", "")
    (True, False, True)
    """
    folded = text.casefold()
    return all(word in folded for word in sought.casefold().split())


def escaped(text: str) -> str:
    r"""Text on one line with Markdown escaped, so that Streamlit shows it as it is.

    >>> escaped("a*b [c](d) $x$ :red[y]")
    'a\\*b \\[c\\]\\(d\\) \\$x\\$ \\:red\\[y\\]'
    """
    flat = " ".join(text.split())
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]()<>#+-.!|~$:&@^=" else letter for letter in flat)
