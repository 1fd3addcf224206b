"""The second reading of text formats (LaTeX, RST, wiki text, subtitles, XML ...): their words without the markup."""

from __future__ import annotations

import re
from functools import partial
from html import unescape
from io import BytesIO
from itertools import groupby

from core.parsing.audit.gathering import OLDER_COPIES, WordCollector, XmlTextWalker
from core.parsing.audit.packages import read_page
from core.parsing.html.jats import PLACES, RECORD
from core.parsing.html.xml_prose import IDENTIFIER, STAMP
from core.parsing.html.xml_prose import RECORD as FILE_RECORD
from core.parsing.plain.tagged_references import RECORD_TAGS
from core.text.normalise import decode
from core.text.values.calendar_names import day_in_words

# The parts of each markup that are not shown to readers. RST: directives, comments, targets and options. Org:
# settings, properties and dates. LaTeX: the preamble, comments, commands and names. AsciiDoc: attributes, comments
# and the targets of macros. Manual pages: requests and fonts. Wiki text: tags and targets. BibTeX: the names of
# fields, and the fields in which programs keep notes. References: tags, fields of the database, what is in no entry.
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
    "references": re.compile(
        rf"^(?:{'|'.join(RECORD_TAGS)}) *-.*$|(?:\A(?!(?:TY|PMID) *-)|^E[RF] *-).*(?:\n(?!(?:TY|PMID) *-).*)*+"
        r"|^[A-Z][A-Z0-9]{1,3} *- ?",
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
_RECORDED = "names that programs give to records"
_JOURNAL = "the journal's record of the article"
_IN_WORDS = frozenset(
    "italic bold sup sub sc xref underline roman named-content styled-content ext-link math mi mo mn mtext mrow msub "
    "msup msubsup mfrac mstyle mover munder munderover mfenced msqrt mspace semantics inline-formula mpadded".split()
)


def read_text(data: bytes, collector: WordCollector) -> None:
    """Collect all text of a text file."""
    collector.put("", decode(data).text)


def read_marked(kind: str, data: bytes, collector: WordCollector) -> None:
    """Collect a text; the markup of its ``kind`` may be left out of the document."""
    text, offset = decode(data).text, 0
    if kind in ("latex", "bibtex"):
        text = _ACCENTED.sub(lambda match: match[3] + _ACCENTS[match[1] or match[2]], text)
        text = _BRACES.sub(lambda match: match[0] if match[0][0] == "@" else "", text) if kind == "bibtex" else text
    for match in _MARKUP[kind].finditer(text):
        collector.put("", f"{text[offset : match.start()]} ")
        collector.put("markup", match[0])
        offset = match.end()
    collector.put("", text[offset:])


MARKED = {kind: partial(read_marked, kind) for kind in _MARKUP}


def read_subtitles(data: bytes, collector: WordCollector) -> None:
    """Collect speakers and the text of cues. Lines that live captions repeat may be left out."""
    text, last = decode(data).text, ""
    collector.put("", " ".join(name for name, _ in groupby(_SPEAKER.findall(text))) + "\n")
    for line in unescape(_SUBTITLES.sub(" ", text)).split("\n"):
        words = " ".join(line.split())
        collector.put(_ROLLED if words == last else "", f"{words}\n")
        last = words or last


class _Article(XmlTextWalker):
    """Collects the text nodes of a journal article; its bibliographic record may be left out."""

    def __init__(self, collector: WordCollector) -> None:
        self._collector = collector
        self._open = [""]
        self._in_meta = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        reason = OLDER_COPIES if name in _COPIED else _JOURNAL if name in RECORD else ""
        self._in_meta = name == "article-meta" or (self._in_meta and name != "body")
        if self._in_meta and name in PLACES:
            reason = _JOURNAL
        self._open.append(self._open[-1] or reason)
        self.text("" if name in _IN_WORDS else " ")

    def end(self, name: str) -> None:
        self.text("" if name in _IN_WORDS else " ")
        self._open.pop()

    def text(self, characters: str) -> None:
        self._collector.put(self._open[-1], characters)


class _Prose(XmlTextWalker):
    """Collects the text nodes of an XML document; the metadata of the file may be left out."""

    def __init__(self, collector: WordCollector) -> None:
        self._collector = collector
        self._open = [""]
        self._has_text = [False]  # of each open element, among its child elements so far
        self._is_apart = False  # what follows, from the words before it: no text is between two elements

    def start(self, name: str, attributes: dict[str, str]) -> None:
        is_record = name.lower() in FILE_RECORD or attributes.get("encoding") == "base64"
        reason = "the file's record of itself" if is_record else ""
        reason = "what the text says, for programs" if name.lower() == "entry" and self._has_text[-1] else reason
        self._open.append(self._open[-1] or reason)
        self._has_text[-1] |= name.lower() == "text"
        self._has_text.append(False)
        if self._is_apart or name in ("br", "lb"):
            self._collector.put(self._open[-1], "\n")

    def end(self, name: str) -> None:
        self._open.pop()
        self._has_text.pop()
        self._is_apart = True

    def text(self, characters: str) -> None:
        self._is_apart = False
        if not self._open[-1] and ("</" in characters or "/>" in characters):  # an HTML page, escaped or as CDATA
            read_page(characters.encode("utf-8", "replace"), self._collector)
        elif IDENTIFIER.fullmatch(characters.strip()):
            self._collector.put(_RECORDED, characters)
        elif moment := STAMP.fullmatch(characters.strip()):
            self._collector.put(self._open[-1], f"\n{day_in_words(*map(int, moment.groups()[:3]))}\n")
        else:
            self._collector.put(self._open[-1], characters)


def read_xml(data: bytes, collector: WordCollector) -> None:
    """Collect the text nodes of an XML document."""
    _Prose(collector).feed(BytesIO(data))


def read_jats(data: bytes, collector: WordCollector) -> None:
    """Collect the text nodes of a journal article."""
    _Article(collector).feed(BytesIO(data))
