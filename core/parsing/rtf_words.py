"""The control words of RTF that matter to its text (Rich Text Format Specification 1.9.1)."""

from __future__ import annotations

import re

SKIPPED = frozenset(
    b"colortbl objdata objclass objname objalias themedata colorschememapping datastore latentstyles listtable "
    b"listoverridetable revtbl rsidtbl generator xmlnstbl filetbl userprops nonshppict nonesttables shprslt xe tc txe "
    b"rxe bkmkstart bkmkend ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn atnid atnref fldtype template "
    b"private1 mhtmltag background protusertbl falt panose upr".split()
)
READ_WHEN_STARRED = frozenset(
    b"shpinst shptxt annotation atnauthor atndate fldinst footnote shppict picprop do dptxbxtext company "
    b"nesttableprops".split()
)
PLACES = {  # groups whose text is for something else than the page
    b"fonttbl": "font", b"stylesheet": "style", b"info": "info", b"fldinst": "instruction", b"listtext": "marker",
    b"pntext": "marker", b"atnauthor": "author", b"atndate": "date", b"shpinst": "shape", b"pict": "shape",
    b"picprop": "shape", b"do": "shape", b"sn": "property", b"sv": "value", b"nesttableprops": "nested row",
    b"creatim": "created", b"revtim": "modified",
}  # fmt: skip
STORIES = {b"footnote": "note", b"annotation": "comment", b"shptxt": "box", b"dptxbxtext": "box"}
SILENT = frozenset({"skip", "shape", "info", "nested row", "created", "modified"})
INFO = {
    b"title": "title",
    b"author": "author",
    b"subject": "subject",
    b"keywords": "keywords",
    b"doccomm": "description",
    b"company": "company",
    b"category": "category",
}
RUNNING = frozenset(b"header headerl headerr headerf footer footerl footerr footerf".split())
SIGNS = {
    b"emdash": "—", b"endash": "–", b"bullet": "•", b"lquote": "‘", b"rquote": "’", b"ldblquote": "“",
    b"rdblquote": "”", b"emspace": " ", b"enspace": " ", b"qmspace": " ", b"tab": "\t", b"line": "\n", b"lbr": "\n",
    b"page": "\n", b"column": "\n",
}  # fmt: skip
SYMBOLS = {b"~": "\xa0", b"_": "-", b"\t": "\t"}
LITERALS = (b"{", b"}", b"\\")
CHARACTER_SETS = {b"mac": "mac_roman", b"pc": "cp437", b"pca": "cp850"}
PAGE_FIELD = re.compile(r"\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b", re.IGNORECASE)
HYPERLINK = re.compile(
    r"""\s*HYPERLINK\s+(?P<local>\\l\s+)?(?:"(?P<quoted>[^"]*)"|(?P<bare>[^\s"\\]+))""", re.IGNORECASE
)


def day_of(text: str) -> str:
    """The day of a date that is packed into a number, "" where it is none.

    >>> day_of("132551262"), day_of("x")
    ('2026-06-18', '')
    """
    if not text.strip().lstrip("-").isdecimal():
        return ""
    packed = int(text) & 0xFFFFFFFF
    year, month, day = 1900 + (packed >> 20 & 0x1FF), packed >> 16 & 0xF, packed >> 11 & 0x1F
    return f"{year:04d}-{month:02d}-{day:02d}" if 1 <= month <= 12 and day else ""
