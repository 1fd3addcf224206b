"""The second reading finds every word of a file and knows which of them may be left out; nothing hurts it."""

from __future__ import annotations

import tracemalloc
from datetime import date
from email.message import EmailMessage
from io import BytesIO

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.comments import Comment

from core.parsing.audit.gathering import RUNNING
from core.parsing.audit.second_reading import second_reading
from core.parsing.audit.word_audit import audit_words, words_of
from core.types import Document
from tests.evaluation.known_documents import MAKERS
from tests.parsing.outlook_files import container, message
from tests.parsing.packages import packed
from tests.parsing.sheet_files import xls

_W = 'xmlns:w="http://w" xmlns:mc="http://mc" xmlns:wp="http://wp" xmlns:v="http://v"'


def split(data: bytes, kind: str) -> tuple[str, dict[str, str]]:
    """The words that may not be left out, and the others by their reason."""
    reading = second_reading(data, kind, f"a.{kind}")
    assert reading is not None
    dropped = {reason: " ".join(words) for reason, words in reading.dropped.items() if words}
    left_out = sum(len(words) for words in reading.dropped.values())
    assert reading.words[len(reading.words) - left_out :] == tuple(" ".join(dropped.values()).split())
    return " ".join(reading.words[: len(reading.words) - left_out]), dropped


@pytest.mark.parametrize("kind", MAKERS)
def test_every_word_of_a_known_document_is_found_and_named_when_it_is_lost(kind) -> None:
    known = MAKERS[kind](1)
    reading = second_reading(known.data, kind, known.name)
    assert reading is not None
    wanted = [word for word in words_of(known.expected) if not word.isdigit() and word not in {"comment", "notes"}]
    wanted = [word for word in wanted if word not in {"by", "jane", "smith"}]  # who made a comment is no text of it
    assert set(wanted) <= set(reading.words)
    kept = reading.words[: len(reading.words) - sum(map(len, reading.dropped.values()))]
    lost = next(word for word in wanted if word in kept)
    text = " ".join(word for word in reading.words if word != lost)
    audit = audit_words(Document("0" * 64, kind, "T", text), reading.words, reading.reader, reading.dropped)
    assert (audit.missing, audit.examples) == (kept.count(lost), (lost,))


def test_a_web_page() -> None:
    page = """<html><head><title>Site name</title><style>p {margin: 0}</style></head><body>
    <h1>One</h1>un<b>brok</b>en<p>two<br>three<p hidden>secret</p><div style="display: none">masked</div>
    <ul><li>four<li>five</ul><table><tr><td>six<td>seven</table><img alt="a duck"><a title="tip" href=x>eight</a>
    caf&eacute; &#x4e2d;<script>var lost = "<p>no</p>"</script><noscript>enable</noscript></body>"""
    kept, dropped = split(page.encode(), "html")
    assert kept == "one unbroken two three four five six seven eight café 中"
    assert dropped["hidden"] == "secret masked"
    assert dropped["scripts and styles"] == "p margin 0 var lost p no p"
    assert dropped["the page's title"] == "site name"
    assert dropped["pictures' descriptions"] == "a duck"
    assert "tip" in dropped["tooltips and labels for screen readers"]


def test_a_word_document() -> None:
    def run(text: str, properties: str = "") -> str:
        return f"<w:r><w:rPr>{properties}</w:rPr><w:t>{text}</w:t></w:r>"

    def field(instruction: str, result: str) -> str:
        return (
            '<w:r><w:fldChar w:fldCharType="begin"/></w:r>'
            f"<w:r><w:instrText>{instruction}</w:instrText></w:r>"
            f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{run(result)}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
        )

    bold, unveiled, styled = "<w:b/>", "<w:vanish w:val='0'/>", "<w:rStyle w:val='Veiled'/>"
    body = (
        f"<w:p>{run('un', bold)}{run('broken')}<w:r><w:tab/><w:t>after</w:t><w:br/><w:t>line</w:t></w:r></w:p>"
        f"<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins>{run('new')}</w:ins>"
        f"<w:moveFrom>{run('moved')}</w:moveFrom></w:p>"
        f"<w:p>{run('secret', '<w:vanish/>')}{run('shown', unveiled)}"
        f"{run('styled', styled)}</w:p>"
        f"<w:p>{field('HYPERLINK http://x.org', 'link')}{field(' PAGE ', '7')}"
        f'<w:fldSimple w:instr="NUMPAGES">{run("9")}</w:fldSimple></w:p>'
        f"<w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent><w:p>{run('box')}</w:p></w:txbxContent>"
        f"</mc:Choice><mc:Fallback><w:txbxContent><w:p>{run('box')}</w:p></w:txbxContent></mc:Fallback>"
        '</mc:AlternateContent><wp:docPr descr="a picture"/></w:r></w:p>'
        f"<w:tbl><w:tr><w:tc><w:p>{run('left')}</w:p></w:tc><w:tc><w:p>{run('right')}</w:p></w:tc></w:tr></w:tbl>"
    )
    header = f"<w:hdr {_W}><w:p>{run('head')}</w:p><w:p>{run('Page')}{field('PAGE', '1')}</w:p></w:hdr>"
    data = packed(
        {
            "word/document.xml": f"<w:document {_W}><w:body>{body}</w:body></w:document>",
            "word/styles.xml": f"<w:styles {_W}><w:style w:styleId='Veiled'><w:vanish/></w:style></w:styles>",
            "word/footnotes.xml": f"<w:footnotes {_W}><w:p>{run('note')}</w:p></w:footnotes>",
            "word/comments.xml": f"<w:comments {_W}><w:comment><w:p>{run('remark')}</w:p></w:comment></w:comments>",
            "word/header1.xml": header,
            "word/header2.xml": header,
            "docProps/app.xml": "<a><t>not read</t></a>",
        }
    )
    kept, dropped = split(data, "docx")
    assert kept.split() == "unbroken after line new shown link box left right note remark".split()
    assert dropped["deleted or moved revisions"] == "gone moved"
    assert dropped["hidden"] == "secret styled"
    assert dropped["older copies of shapes and comments"] == "box"
    assert dropped["pictures' descriptions"] == "a picture"
    assert sorted(dropped[RUNNING].split()) == ["1", "1", "7", "9", *["head"] * 2, *["page"] * 4]
    assert "hyperlink" in dropped["field codes"]


def test_a_workbook() -> None:
    book = openpyxl.Workbook()
    book.active.title = "Plan"
    for row in (("shared", 0.30000000000000004), (True, date(2026, 1, 2))):
        book.active.append(row)
    book.active["A1"].comment = Comment("remark", "Ada")
    book.active.oddHeader.left.text, book.active.oddHeader.center.text = "head", "Page &P"
    hidden = book.create_sheet("Old")
    hidden.append(["folded"])
    hidden.sheet_state = "hidden"
    file = BytesIO()
    book.save(file)
    kept, dropped = split(file.getvalue(), "xlsx")
    assert sorted(kept.split()) == sorted("shared 0 3 true remark".split())
    assert dropped["hidden"] == "old folded"
    assert dropped["sheets' and tables' names"] == "plan"
    assert dropped[RUNNING] == "head page"


def test_an_old_workbook() -> None:
    book = xls((0, 0, "Year"), (0, 1, "Ducks"), (1, 0, 2019.0), (1, 1, 45000.5))
    assert split(container({"Workbook": book.ljust(4096, b"\0")}), "xlsx") == (
        "year ducks 2019",
        {"sheets' and tables' names": "data"},
    )


def test_opendocument() -> None:
    content = (
        '<o:document-content xmlns:o="o" xmlns:t="t" xmlns:s="s" xmlns:b="b"><s:style s:name="H">'
        '<s:text-properties t:display="none"/></s:style><b:table b:name="Plan"/>'
        "<t:tracked-changes><t:p>gone</t:p></t:tracked-changes><t:p>one<t:s/>two<t:tab/>three<t:line-break/>four</t:p>"
        '<t:p>se<t:span t:style-name="H">cret</t:span></t:p><t:p>note<t:note><t:note-body><t:p>below</t:p>'
        "</t:note-body></t:note></t:p><t:p>page <t:page-number>3</t:page-number></t:p></o:document-content>"
    )
    styles = (
        '<x xmlns:s="s" xmlns:t="t"><s:master-page s:name="Standard"><s:header><t:p>head</t:p></s:header><s:footer>'
        "<t:p>Page <t:page-number>1</t:page-number></t:p></s:footer></s:master-page>"
        '<s:master-page s:name="Other"><s:header><t:p>unused</t:p></s:header></s:master-page></x>'
    )
    kept, dropped = split(packed({"content.xml": content, "styles.xml": styles}), "odt")
    assert kept.split() == "one two three four se note below page".split()
    assert dropped["hidden"] == "cret"
    assert dropped["deleted or moved revisions"] == "gone"
    assert dropped["page styles not in use"] == "unused"
    assert sorted(dropped[RUNNING].split()) == ["1", "3", "head", "page"]


def test_rich_text() -> None:
    text = (
        rb"{\rtf1\ansi\ansicpg1250\deff0{\fonttbl{\f0 Times;}}{\*\generator Foo;}{\info{\title Doc}}{\header Head\par}"
        rb"{\header Head\par}{\footer Page {\field{\*\fldinst PAGE}{\fldrslt 1}}\par}"
        b"\nGda\\'f1sk \\u1055?rive {\\v veiled} {\\b un}bro\nken\\par\\trowd left\\cell right\\cell\\row"
        rb"{\field{\*\fldinst HYPERLINK x}{\fldrslt link}}{\deleted gone}{\footnote below}{\pict 0102ff}\{end\}}"
    )
    kept, dropped = split(text, "rtf")
    assert kept == "gdańsk пrive unbroken left right link below end"
    assert dropped == {"hidden": "veiled gone"}


def test_hidden_words_of_rtf_are_those_alone_whatever_the_file_lacks() -> None:
    assert split(rb"{\rtf1 Seen {\v hid} more}", "rtf") == ("seen more", {"hidden": "hid"})
    assert split(rb"{\rtf1\ansi\ansicpg1251 \'cf {\v \'d0}}", "rtf")[1] == {"hidden": "р"}
    assert split(rb"{\rtf1 seen " + rb"\v " * 100_000, "rtf")[0] == "seen"  # in no time


def test_plain_markup() -> None:
    kept, dropped = split(
        b"Title\n=====\n\n.. image:: a.png\n   :alt: words\n\n.. a remark\n\nSee :ref:`there <x>`.\n", "rst"
    )
    assert kept == "title see there"
    assert dropped["markup"].startswith("image a png")
    kept, dropped = split(b"..\n  a remark\n\n  goes on\n\nkept\n\n.. raw:: html\n\n   <hr>\n\n.. [1] a note\n", "rst")
    assert (kept, dropped["markup"]) == ("kept 1 a note", "a remark goes on raw html hr")
    kept, dropped = split(
        b"#+TITLE: T\n* TODO Head :tag:\n:PROPERTIES:\n:ID: 7\n:END:\n[[http://x.org][site]] *b*\n", "org"
    )
    assert kept == "head id 7 site b".replace("id 7 ", "7 ") or kept == "head site b"
    assert "todo" in dropped["markup"]


def test_mail() -> None:
    mail = EmailMessage()
    mail["Subject"], mail["From"] = "Zürich plän", "Ada <ada@example.org>"
    mail.set_content("plain words")
    mail.add_alternative("<p>rich <b>words</b></p>", subtype="html")
    mail.add_attachment(b"inner text", maintype="text", subtype="plain", filename="plan.txt")
    kept, dropped = split(bytes(mail), "eml")
    assert kept == "zürich plän ada ada example org rich words plan txt"
    assert dropped["the message's other form"] == "plain words"


def test_outlook() -> None:
    made = container(
        message({0x0037: "Subject", 0x1000: "Body of it", 0x0C1A: "Ada"}, attachments=[{0x3707: "plan.pdf"}])
    )
    assert split(made, "msg")[0] == "subject ada body of it plan pdf"
    page = container(message({0x0037: "Subject", 0x1013: "<p>rich body</p>".encode("cp1252")}))
    assert split(page, "msg")[0] == "subject rich body"


@pytest.mark.parametrize(
    "kind", ["docx", "pptx", "xlsx", "ods", "odt", "epub", "eml", "msg", "rtf", "html", "csv", "org"]
)
@given(junk=st.binary(max_size=200))
def test_nothing_raises(kind, junk) -> None:
    for data in (junk, b"PK\3\4" + junk, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + junk, b"{\\rtf1 " + junk):
        reading = second_reading(data, kind, f"a.{kind}")
        assert reading is None or isinstance(reading.words, tuple)


def test_entities_are_not_expanded() -> None:
    bomb = (
        '<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><w:document xmlns:w="w"><w:t>&b;</w:t></w:document>'
    )
    assert second_reading(packed({"word/document.xml": bomb}), "docx", "a.docx") is None


def test_a_bomb_costs_little_memory() -> None:
    data = packed({"word/document.xml": b"<w:document xmlns:w='w'>" + b" " * (100 << 20) + b"</w:document>"})
    tracemalloc.start()
    second_reading(data, "docx", "a.docx")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 << 20
