"""The reader of JATS, the XML of journal articles (ANSI/NISO Z39.96): it is converted to HTML and read as a page.

Pandoc is not used, because it drops the labels of figures, tables and formulas, and the list of references.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from core.errors import ParseError
from core.parsing.flow import ParsedFile
from core.parsing.html.reader import read as read_page
from core.parsing.html.xml_prose import children_of, root_of, words_of
from core.parsing.ooxml.package import Element, local_name

_SAME = frozenset("p table thead tbody tfoot tr td th math sub sup code".split())
_TAGS = {
    "preformat": "pre",
    "disp-quote": "blockquote",
    "verse-group": "blockquote",
    "list-item": "li",
    "def-list": "dl",
    "term": "dt",
    "def": "dd",
    "fig": "figure",
    **dict.fromkeys(
        "boxed-text fn table-wrap table-wrap-foot attrib disp-formula verse-line speech statement aff corresp ref "
        "author-notes kwd-group supplementary-material subtitle media".split(),
        "div",
    ),
}
_SECTIONS = {"abstract": "Abstract", "trans-abstract": "Abstract", "ref-list": "References", "ack": "Acknowledgements"}
_SECTIONS |= dict.fromkeys("sec app app-group notes bio fn-group glossary sub-article response".split(), "")
"""Elements that begin a section, with the heading of a section that has no title, "" for none."""
_HEADED = frozenset({*_SECTIONS, "title-group", "front-stub", "article-meta"})
RECORD = frozenset(
    "journal-meta article-id article-categories contrib-id pub-date history permissions self-uri related-article role "
    "related-object custom-meta-group funding-group pub-history object-id processing-meta alt-title alt-text "
    "counts".split()
)
PLACES = frozenset("volume issue fpage lpage elocation-id issue-id issue-title conference volume-series".split())
"""Elements that locate the article in the journal. In a reference they are part of its text."""
_LISTED = frozenset(
    "element-citation mixed-citation citation nlm-citation person-group string-date contrib date-in-citation".split()
)
_TEX_FRAME = re.compile(r".*?\\begin\{document\}|\\end\{document\}.*", re.DOTALL)


def read(data: bytes, name: str) -> ParsedFile:
    """Title, authors, abstract, body, notes and references. Raises ``ParseError`` where there is no article.

    >>> article = b"<article><article-meta><article-title>Ducks</article-title></article-meta><sec><title>Feed</title>\\
    ...     <fig><label>Figure 1.</label><caption><p>A pond</p></caption></fig></sec></article>"
    >>> [(piece.level, piece.words.text) for piece in read(article, "a.nxml").pieces]
    [(1, 'Ducks'), (2, 'Feed'), (0, 'Figure 1. A pond')]
    """
    root = root_of(data, name)
    articles = [] if root is None else list(root.iter("{*}article"))
    if not articles:
        raise ParseError(f"{name} is damaged: it holds no article.", "Fetch it again, or add the article as a PDF.")
    head = "".join(f'<meta name="{key}" content="{escape(value)}">' for key, value in _metadata(articles[0]) if value)
    title = escape(words_of(articles[0].find(".//{*}article-title")))
    pages = "".join(_page(article, 1) for article in articles)
    return read_page(f"<meta charset=utf-8><title>{title}</title>{head}{pages}".encode(), name)


def _metadata(article: Element) -> Iterator[tuple[str, str]]:
    yield "dcterms.publisher", words_of(article.find(".//{*}journal-title"))
    yield "keywords", ", ".join(map(words_of, article.iterfind(".//{*}kwd")))
    date = article.find(".//{*}pub-date")
    parts = [] if date is None else [words_of(date.find(f"{{*}}{part}")).zfill(2) for part in ("year", "month", "day")]
    yield "date", "-".join(parts[: [*parts, "00"].index("00")])


def _inner(element: Element, depth: int) -> str:
    parts = [escape(element.text or "")]
    for child in element:
        parts += (_page(child, depth) if isinstance(child.tag, str) else "", escape(child.tail or ""))
    return "".join(parts)


def _page(element: Element, depth: int) -> str:
    """An element as HTML. ``depth``: the level of headings in it."""
    above = element.getparent()
    name, parent = local_name(element), "" if above is None else local_name(above)
    if name in RECORD or (name in PLACES and parent in ("article-meta", "front-stub")):
        return ""
    if name in _SECTIONS:
        title = _SECTIONS[name] if element.find("{*}title") is None else ""
        return f"<div>{f'<h{depth + 1}>{title}</h{depth + 1}>' if title else ''}{_inner(element, depth + 1)}</div>"
    if name in ("title", "article-title") and parent in _HEADED:
        return f"<h{min(6, depth)}>{_inner(element, depth)}</h{min(6, depth)}>"
    if name == "caption":
        label_and_text = (element.getparent().find("{*}label"), *children_of(element))
        inner = " ".join(_inner(part, depth) for part in label_and_text if part is not None)
        return f"<figcaption>{inner}</figcaption>"
    if name == "label" and element.getparent().find("{*}caption") is not None:
        return ""
    if name in ("title", "label"):
        return f"{_inner(element, depth)} "
    if name == "contrib-group":
        people = (_page(child, depth) for child in children_of(element))
        return f"<p>{'; '.join(filter(None, people))}</p>"
    if name in _LISTED and not any(map(str.strip, (element.text or "", *(child.tail or "" for child in element)))):
        parts = filter(None, (_page(child, depth).strip() for child in children_of(element)))
        return ("; " if name == "person-group" else " ").join(parts) + " "
    if name == "name":
        order = ("prefix", "given-names", "surname", "suffix") if parent == "contrib" else ("surname", "given-names")
        return escape(" ".join(filter(None, (words_of(element.find(f"{{*}}{part}")) for part in order))))
    if name in ("alternatives", "inline-formula") and (element.find("{*}math") is not None):
        return _page(element.find("{*}math"), depth)
    if name == "tex-math":
        return escape(_TEX_FRAME.sub("", "".join(element.itertext())))
    if name == "kwd":
        return f"{_inner(element, depth)}; "
    if name in ("xref", "ext-link", "uri", "email"):
        target = next((value for key, value in element.attrib.items() if key.endswith("href")), "")
        target = target or (f"#{element.get('rid')}" if element.get("rid") else "")
        return f'<a href="{escape(target)}">{_inner(element, depth)}</a>'
    if name == "list":
        tag = "ol" if element.get("list-type") in ("order", "number") else "ul"
    else:
        tag = _TAGS.get(name, name if name in _SAME else "")
    spans = "".join(f' {key}="{escape(element.get(key))}"' for key in ("colspan", "rowspan") if key in element.attrib)
    inner = _inner(element, min(depth, 6))
    return f"<{tag}{spans}>{inner}</{tag}>" if tag else f"{inner} " if name == "break" else inner
