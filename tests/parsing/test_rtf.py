from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ParseError
from core.parsing import parse
from core.parsing.pandoc.rtf_reader import prepare
from core.settings import ParsingSettings
from core.types import Document
from tests.parsing.laws import assert_laws

HEAD = (
    r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss Arial;}{\f1\fnil\fcharset204 Cyr;}{\f2\fmodern Courier New;}"
    r"{\f3\fnil\fcharset128 MS Mincho;}{\f4\fnil\fcharset2 Symbol;}}{\colortbl;\red0\green0\blue0;}"
    r"{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s2 heading 2;}{\s3 Quote;}{\s4 Title;}{\*\cs9 Strong;}}"
    r"{\info{\title Keeping ducks}{\author Jane {\b Smith}}{\keywords ducks}{\creatim\yr2026\mo6\dy18\hr9}}"
)
HEAD += "\n"


def document(body: str) -> Document:
    found = parse(f"{HEAD}{body}}}".encode("latin-1"), "ducks.rtf", ParsingSettings())
    assert_laws(found)
    assert found.words
    return found


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"One {\b two} three\line four\tab five\par Next\par", "One two three\nfour five\n\nNext"),
        (r"Caf\'e9 {\f1 \'cc\'e8\'f0} {\f3 \'93\'fa\'96\'7b}\par", "Café Мир 日本"),
        (r"\u1052\'3f\u1080?\u1088 ? {\uc0\u8364} {\uc2\u8364\'80\'80} \u-10179?\u-8704?\par", "Мир € € 😀"),
        (r"{\f4 \'b7\'61 \u-3913?}\par", "•α •"),
        (r"\ldblquote said\rdblquote \emdash a\~b\_c\-d \{x\} \\y\par", "“said”—a b-cd {x} \\y"),
        (r"Words{\super\chftn}{\footnote\pard {\super\chftn} The note.\par} go on.\par Next\par",
         "Words[1] go on.\n\n[1] The note.\n\nNext"),
        (r"Words{\*\atnid JS}{\*\atnauthor Jane Smith}\chatn{\*\annotation{\*\atndate 132551262}\pard Why?} on.\par",
         "Words[1] on.\n\n[1] Comment by Jane Smith:\nWhy?"),
        (r"{\header Duck News}{\headerl Duck News}{\footer Page {\field{\*\fldinst PAGE}{\fldrslt 3}}\par}Text\par",
         "Text\n\nDuck News\n\nPage"),
        (r"{\shp{\*\shpinst{\sp{\sn x}{\sv y}}{\shptxt One\par}}{\shprslt old}}Text\par", "One\n\nText"),
        (r"seen {\v not seen} {\deleted gone}end\par", "seen end"),
        (r"{\pict\wmetafile8 0102ab}{\*\unknown x}{\object{\*\objdata 01}{\result shown}}{\bin4 }{\}}\par", "shown"),
        (r"{\listtext 1.2\tab}\s1\outlinelevel0 Feed\par", "1.2 Feed"),
        (r'{\field\fldlock{\*\fldinst{HYPERLINK "http://x.y/"}}{\fldrslt{\ul link}}\x0} end\par', "link end"),
        (r"\trowd\cellx100\cellx200\intbl Duck\cell kg\cell\row\intbl Teal\par small\cell 0.3\cell\row\pard after\par",
         "Duck | kg\nTeal small | 0.3\n\nafter"),
        (r"\trowd\cellx900\cellx1900\pard {Duck}\cell\pard {kg}\cell\intbl\row\pard after\par", "Duck | kg\n\nafter"),
        (r"\trowd\cellx9\cellx290\intbl\cell S\cell\row\trowd\cellx9\cellx190\cellx301\intbl a\cell 1\cell 2\cell\row",
         "| S | S\na | 1 | 2"),
        (r"\trowd\cellx900\cellx1900\intbl a\cell b\cell\row\trowd\cellx1900\intbl In kg\cell\row", "a | b\nIn kg |"),
        (r"\trowd\cellx100\intbl x {\itap2 in\nestcell}{\*\nesttableprops\trowd\cellx50\nestrow} y\cell\row\pard\par",
         "x in\ny"),
    ],
)  # fmt: skip
def test_text(body: str, text: str) -> None:
    assert document(body).text == text


def test_kinds_levels_metadata_links() -> None:
    found = document(
        r"\pard\s1\outlinelevel0 One\par\pard\outlinelevel3 Four\par\pard See {\v secret}"
        r'{\field{\*\fldinst HYPERLINK "a.html" \\o "tip"}{\fldrslt the pond}}\par'
    )
    assert [(block.kind.value, block.level) for block in found.blocks] == [
        *(("heading", 1), ("heading", 4), ("paragraph", 0))
    ]
    assert (found.title, found.kind) == ("Keeping ducks", "rtf")
    assert found.metadata == {"author": "Jane Smith", "keywords": "ducks"}
    assert found.notes == ("Hidden text was left out: 1 word.",)
    assert [(found.text[link.start : link.end], link.target) for link in found.links] == [("the pond", "a.html")]


@pytest.mark.parametrize(
    "data",
    [
        b"{\\rtf1 deep" + b"{" * 200_000,
        b"{\\rtf1 " + b"{\\footnote " * 5_000 + b"deep",
        b"{\\rtf1 {\\field{\\*\\fldinst HYPERLINK x}{\\fldrslt deep",
        b"{\\rtf1 " + b"\\trowd\\cellx1" * 2_000 + b"\\intbl deep\\cell\\row",
        b"{\\rtf1 \\bin99999999 deep",
        b"{\\rtf1 \\u99999999?\\uc-5\\f-1\\s-9\\ilvl-3 deep\\'zz}}}}",
    ],
    ids=["braces", "notes", "cut", "cells", "binary", "numbers"],
)
def test_hostile_files_are_read_or_refused_with_a_sentence(data: bytes) -> None:
    try:
        document = parse(data, "a.rtf", ParsingSettings())
        found = f"{document.text} {document.words and document.words.examples}"  # what is not in the text is named
    except ParseError as error:
        found = str(error)
    assert "deep" in found or found.startswith("a.rtf")


@given(
    st.lists(
        st.sampled_from(
            r"{ } \par \pard word \'e9 \u8364? \cell \row \trowd \cellx9 \intbl {\footnote {\header \v \plain \* \f2 "
            r"{\field {\*\fldinst {\fldrslt {\shptxt {\*\annotation {\info {\title {\fonttbl \sect \deleted".split(" ")
        ),
        max_size=60,
    )
)
def test_any_order_of_words_is_written_as_groups_that_close(words: list[str]) -> None:
    written = prepare(b"{\\rtf1 " + " ".join(words).encode(), "a.rtf").attachments[0].data
    assert written.count(b"{") == written.count(b"}")
    assert b"word" in written or "word" not in words or any(word.startswith(("{", "\\v")) for word in words)


def test_what_is_no_rtf_says_so() -> None:
    with pytest.raises(ParseError, match=r"a\.rtf is no RTF document"):
        prepare(b"\0\1\2", "a.rtf")
    with pytest.raises(ParseError, match=r"a\.rtf holds no text"):
        parse(b"{\\rtf1\\ansi}", "a.rtf", ParsingSettings())
