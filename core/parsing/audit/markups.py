"""A second, plain reading of formats that people and publishers write as text: what stands between their marks."""

from __future__ import annotations

import re
from functools import partial
from html import unescape
from io import BytesIO
from itertools import groupby

from core.parsing.audit.gathering import OLDER_COPIES, Gathering, PlainXml
from core.parsing.audit.packages import read_page
from core.parsing.html.jats import PLACES, RECORD
from core.parsing.html.xml_prose import RECORD as FILE_RECORD
from core.text.normalise import decode

# What each markup writes that no reader of the page sees. Of RST: directives, comments, targets and options; of Org:
# settings, properties and dates; of LaTeX: the preamble, comments, commands and what names things; of AsciiDoc:
# attributes, comments and the targets of macros; of manual pages: requests and fonts; of wiki text: tags and targets;
# of BibTeX: the names of fields, and those that programs keep notes in.
_MARKUP = {
    "rst": re.compile(
        r"^([ \t]*)\.\.[ ]+raw::.*(?:\n(?:[ \t]*\n)*+\1[ \t]+\S.*)*|^[ \t]*\.\.[ ]+(?:\|[^|\n]*\|[ ]*)?[\w:+-]+::.*$"
        r"|^([ \t]*)\.\.(?:[ ]+(?!\[[^\[\]\n]*\])\S.*|[ \t]*(?=\n\2[ \t]+\S))(?:\n(?:[ \t]*\n)*+\2[ \t]+\S.*)*"
        r"|^[ \t]*:[^:\n]+:.*$|:[\w:+.-]+:(?=`)|<[^<>\n]+>`?__?|<[^<>\n]+>(?=`)",
        re.MULTILINE,
    ),
    "org": re.compile(
        r"^[ \t]*#.*$|^[ \t]*:[\w@#%-]+:.*$|^[ \t]*(?:CLOSED|SCHEDULED|DEADLINE|CLOCK):.*$|(?<=\[\[)[^\]\n]*(?=\]\[)"
        r"|^\*+[ ]+(?:TODO|DONE|\[#\w\])+|:[\w@#%:]+:[ \t]*$|[<\[]\d{4}-\d\d-\d\d[^>\]\n]*[>\]]",
        re.MULTILINE,
    ),
    "latex": re.compile(
        r"\A(?s:.*?)(?=\\begin\{document\})|(?<!\\)%.*$|^[ \t]*\\(?:(?:re|provide)?newcommand|def|let|newenvironment"
        r"|setcounter|setlength|Declare\w+|newtheorem|hypersetup|lstset|graphicspath)\b.*$|\\(?:label|(?:auto|page|eq|c|C"
        r"|v)?ref|\w*cite\w*|input|include\w*|subfile|bibliography\w*|usepackage|documentclass|begin|end|[vh]space|addto\w+"
        r"|(?:this)?pagestyle|newpage|href|url|index|color|textcolor|if\w+|fi|else)\*?(?:\[[^\]\n]*\])*(?:\{[^{}\n]*\})?"
        r"(?:\[[^\]\n]*\])?(?:\{[\d.|@lcrp\\{}a-z ]*\})?|\\[a-zA-Z@]+\*?(?:\[[^\]\n]*\])?"
        r"|\d*\.?\d+ ?(?:pt|em|ex|cm|mm|in)\b",
        re.MULTILINE,
    ),
    "asciidoc": re.compile(
        r"^/{4,}$(?s:.*?)^/{4,}$|^//.*$|^:[\w!-]+:.*$|^\[.*\]$|^\w+::\S*\[.*$|\b(?:link|xref|image|footnote|mailto|pass"
        r"|anchor|stem):[^\s\[]*(?=\[)|https?://[^\s\[]+(?=\[)|<<[^,<>\n]+(?:,|>>)|\{[\w-]+\}|\[\[.*?\]\]|\[[#.%][^\]\n]*\]"
        r"|^\d*[.+*]?\d*\|$|^[\d,.<^>*+]+[aehlmsd]?(?=\|)|, *(?:window|role|opts)=\S+(?=\])",
        re.MULTILINE,
    ),
    "man": re.compile(
        r"^\.TS\n(?:.*\n){0,9}?.*\.[ \t]*$|^[.'][ \t]*\\[\"#].*$"
        r"|^[.'](?:TH|Dd|so|ds|de|nr|ie|el|if|IX|IP|TP|RS|PD|SP|in|ti|ta|sp|ad|hy|nh|ne|ft|ps)\b.*$"
        r"|^[.'][a-zA-Z]{1,2}\b|\\f(?:\(..|\[[^\]\n]*\]|.)|\\[*nm](?:\(..|\[[^\]\n]*\]|.)|\\s[+-]?\d|\\[-&|^ee0]"
        r"|\\(?:\(..|\[[^\]\n]*\])",
        re.MULTILINE,
    ),
    "mediawiki": re.compile(
        r"<!--.*?-->|</?\w[^<>\n]*>|^\{\|.*$|^\|-.*$|(?<=\[\[)[^\[\]|\n]*\||(?<=\[)https?://\S+|__[A-Z]+__"
        r"|^[|!](?:[^|\n\[\]]*=[^|\n]*\|)(?!\|)",
        re.MULTILINE | re.DOTALL,
    ),
    "bibtex": re.compile(
        r"^[ \t]*%.*$|@(?i:comment|preamble|string)\b.*$|@\w+[ \t]*[{(]|(?:^|,)[ \t]*(?i:file|timestamp|owner|groups"
        r"|date-\w+|bdsk-[\w-]+|mendeley-[\w-]+|\w*date|month|day|language|langid|numpages|crossref|entrytype|added-at"
        r"|\w*hash|biburl|opt\w+)[ \t]*=.*$|[\w-]+[ \t]*=[ \t]*(?:[a-zA-Z]\w*|(?=[{\"\d]))|\\[a-zA-Z]+|\band\b",
        re.MULTILINE,
    ),
}
_MARKS_ABOVE = "\u0300\u0301\u0302\u0303\u0304\u0307\u0308\u0327\u030c\u0306\u030b\u030a\u0328"
_ACCENTS = dict(zip("`'^~=.\"cvuHrk", _MARKS_ABOVE, strict=True))
_ACCENTED = re.compile(r"\{?\\(?:([`'^~=.\"])[ ]?|([cvuHrk])(?=[{ ]) ?)\{?\\?([a-zA-Z])\}?\}?")
_BRACES = re.compile(r"@\w+[ \t]*[{(]|(?<=\w)[{}]+(?=\w)|(?<=[\s{])\{(?=\w)|(?<=\w)\}(?=[\s,}])")
_SUBTITLES = re.compile(
    r"\AWEBVTT.*(?:\n.+)*|^(?:NOTE|STYLE|REGION)\b.*(?:\n.+)*|(?:^[^\n]*\n)?^[^\n]*-->.*$"
    r"|</?[a-zA-Z0-9][^<>\n]*>|\{\\[^{}\n]*\}",
    re.MULTILINE,
)
_SPEAKER = re.compile(r"<v(?:\.[^\s>]*)?\s([^<>\n]+)>")
_ROLLED = "lines that stay while the next come in"
_COPIED = frozenset({"tex-math", "annotation"})
_JOURNAL = "the journal's record of the article"
_IN_WORDS = frozenset(
    "italic bold sup sub sc xref underline roman named-content styled-content ext-link math mi mo mn mtext mrow msub "
    "msup msubsup mfrac mstyle mover munder munderover mfenced msqrt mspace semantics inline-formula mpadded".split()
)


def read_text(data: bytes, found: Gathering) -> None:
    """A file that is text, as it is."""
    found.put("", decode(data).text)


def read_marked(kind: str, data: bytes, found: Gathering) -> None:
    """All of a text but for the markup of its kind, which may stand in the document or not."""
    text, place = decode(data).text, 0
    if kind in ("latex", "bibtex"):
        text = _ACCENTED.sub(lambda match: match[3] + _ACCENTS[match[1] or match[2]], text)
        text = _BRACES.sub(lambda match: match[0] if match[0][0] == "@" else "", text) if kind == "bibtex" else text
    for match in _MARKUP[kind].finditer(text):
        found.put("", f"{text[place : match.start()]} ")
        found.put("markup", match[0])
        place = match.end()
    found.put("", text[place:])


MARKED = {kind: partial(read_marked, kind) for kind in _MARKUP}


def read_subtitles(data: bytes, found: Gathering) -> None:
    """Who speaks and what is said in the cues; live captions show a line again while the next one comes in."""
    text, last = decode(data).text, ""
    found.put("", " ".join(name for name, _ in groupby(_SPEAKER.findall(text))) + "\n")
    for line in unescape(_SUBTITLES.sub(" ", text)).split("\n"):
        words = " ".join(line.split())
        found.put(_ROLLED if words == last and " " in words else "", f"{words}\n")
        last = words or last


class _Article(PlainXml):
    """The text nodes of a journal article, its record in the journal apart."""

    def __init__(self, found: Gathering) -> None:
        self._found = found
        self._open = [""]
        self._in_meta = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        here = OLDER_COPIES if name in _COPIED else _JOURNAL if name in RECORD else ""
        self._in_meta = name == "article-meta" or (self._in_meta and name != "body")
        if self._in_meta and name in PLACES:
            here = _JOURNAL
        self._open.append(self._open[-1] or here)
        self.text("" if name in _IN_WORDS else " ")

    def end(self, name: str) -> None:
        self.text("" if name in _IN_WORDS else " ")
        self._open.pop()

    def text(self, characters: str) -> None:
        self._found.put(self._open[-1], characters)


class _Prose(PlainXml):
    """The text nodes of a document, what it says of itself as a file apart."""

    def __init__(self, found: Gathering) -> None:
        self._found = found
        self._open = [""]

    def start(self, name: str, attributes: dict[str, str]) -> None:
        is_record = name.lower() in FILE_RECORD or attributes.get("encoding") == "base64"
        self._open.append(self._open[-1] or ("the file's record of itself" if is_record else ""))

    def end(self, name: str) -> None:
        self._open.pop()

    def text(self, characters: str) -> None:
        if not self._open[-1] and ("</" in characters or "/>" in characters):  # a page as an element's words
            read_page(characters.encode("utf-8", "replace"), self._found)
        else:
            self._found.put(self._open[-1], characters)


def read_xml(data: bytes, found: Gathering) -> None:
    """The text nodes of a document in XML."""
    _Prose(found).feed(BytesIO(data))


def read_jats(data: bytes, found: Gathering) -> None:
    """An article's text nodes."""
    _Article(found).feed(BytesIO(data))
