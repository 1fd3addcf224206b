"""Prose in XML of several vocabularies, by one reader, and XML that is data and stays code."""

from __future__ import annotations

import pytest

from core.parsing import parse
from core.parsing.audit.second_reading import second_reading
from core.parsing.audit.word_audit import audit_words
from core.parsing.file_kinds import detect_kind
from core.settings import ParsingSettings
from core.types import Document
from tests.parsing.laws import assert_laws


def document_of(source: str, name: str = "a.xml") -> Document:
    document = parse(source.encode(), name, ParsingSettings())
    assert document.kind == "xml"
    assert_laws(document)
    return document


def shown(document: Document) -> list[str]:
    return [
        f"{'#' * block.level} {document.text[block.start : block.end]}".strip()
        if block.level
        else document.text[block.start : block.end]
        for block in document.blocks
    ]


def test_docbook_has_its_sections_lists_code_and_declared_words() -> None:
    document = document_of(
        '<!DOCTYPE refentry [<!ENTITY bird "duck">]><refentry xmlns="http://docbook.org/ns/docbook"><refnamediv>'
        "<refname>feed</refname><refpurpose>Feed a &bird;</refpurpose></refnamediv><refsect1>&title.usage;"
        "<methodsynopsis><type>int</type><methodname>feed</methodname></methodsynopsis>"
        "<para>It <emphasis>eats</emphasis>:<itemizedlist>"
        "<listitem><para>oats</para></listitem></itemizedlist></para><programlisting>feed(\n  1)</programlisting>"
        "<variablelist><varlistentry><term>kg</term><listitem><para>How much.</para></listitem></varlistentry>"
        "</variablelist></refsect1></refentry>"
    )
    assert document.title == "feed"
    assert shown(document) == [
        *("# feed", "Feed a duck", "## usage", "int feed", "It eats:", "- oats", "feed(\n  1)", "kg\n  How much."),
    ]


def test_a_patients_record_is_its_titled_texts_and_not_what_programs_keep_of_them() -> None:
    codes = "".join(f'<code code="{number}"/>' for number in range(90))
    document = document_of(
        '<?xml version="1.0"?><ClinicalDocument xmlns="urn:hl7-org:v3"><title>Discharge Summary</title><patient>'
        "<name><given>Ann</given><family>Poe</family></name></patient><component><section><title>Allergies</title>"
        "<!-- so: -->\n<text><table><caption>Known</caption><thead><tr><th>Substance</th><th>Reaction</th></tr></thead>"
        "<tbody><tr><td>Penicillin</td>"
        f"<td>Hives<br/>mild</td></tr></tbody></table></text><entry><act>{codes}<name>Ward 3</name></act></entry>"
        "<entry><name>Ward 4</name></entry></section></component></ClinicalDocument>",
        "ann.ccd",
    )
    assert document.title == "Discharge Summary · Ann Poe"
    assert shown(document) == [
        *("# Discharge Summary · Ann Poe", "Ann\nPoe", "## Allergies", "Known"),
        "Substance | Reaction\nPenicillin | Hives mild",
    ]
    assert document.words
    assert (document.words.missing, dict(document.words.dropped)) == (0, {"what the text says, for programs": 4})


def test_a_play_in_tei_is_a_transcript_and_its_record_no_text() -> None:
    document = document_of(
        '<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>The Pond</title>'
        "<author>Ann</author></titleStmt><sourceDesc><p>A manuscript.</p></sourceDesc></fileDesc></teiHeader>"
        "<text><body><div><head>Act I"
        "</head><sp><speaker>DUCK.</speaker><l>To swim,</l><l>to dive<note>or not</note>.</l></sp><stage>Exit.</stage>"
        "</div></body></text></TEI>",
        "pond.tei",
    )
    assert (document.title, document.metadata["author"]) == ("The Pond", "Ann")
    assert shown(document) == ["# The Pond", "## Act I", "DUCK: To swim,\nto dive [or not].", "Exit."]
    assert document.words
    assert document.words.missing == 0


def test_a_law_has_numbers_before_titles_and_clauses() -> None:
    document = document_of(
        "<bill><main><title><num>TITLE I</num><heading>Of Ducks</heading><section><num>1.</num><heading>Feed</heading>"
        "<subsection><num>(a)</num><content>They are fed, and <quotedContent>by law <level><num>(i)</num><content>daily"
        "</content></level></quotedContent></content></subsection></section></title></main></bill>"
    )
    assert shown(document) == ["# TITLE I Of Ducks", "## 1. Feed", "(a) They are fed, and", "by law", "(i) daily"]


def test_notes_and_feeds_hold_pages() -> None:
    page = "<![CDATA[<?xml version='1.0'?><!DOCTYPE en-note SYSTEM 'x.dtd'>"
    page += "<en-note><div>Oats, <b>not</b> bread</div></en-note>]]>"
    document = document_of(
        f"<en-export><note><title>Feed</title><content>{page}</content><resource><data encoding='base64'>aGk=</data>"
        "</resource></note></en-export>",
        "a.enex",
    )
    assert shown(document) == ["# Feed", "Oats, not bread"]
    task = "<task><title>Buy oats</title><dueDate>20220528T215959Z</dueDate><taskStatus>open</taskStatus>"
    task += "<taskGroup>0bd3793f-2bd2-4723-b8ec-054c590b4d11</taskGroup></task>"
    export = f"<en-export><note><title>Feed</title><content>{page}</content>{task}</note></en-export>"
    found = document_of(export, "a.enex")
    assert shown(found)[-2:] == ["## Buy oats", "due date: 28 May 2022, 21:59 UTC\ntask status: open"]
    second = second_reading(export.encode(), "xml", "a.enex")
    assert second is not None
    assert audit_words(found, second.words, second.reader, second.dropped).missing == 0
    item = "<item><title>Ice</title><author>Ann</author><day>Monday</day></item>"
    feed = document_of(f"<rss><channel><title>Pond</title>{item}</channel></rss>", "feed")
    assert shown(feed) == ["# Pond", "## Ice", "Ann\nMonday"]


@pytest.mark.parametrize(
    "data",
    [
        b"<project><!-- A licence of many words that nobody reads in full. --><name>a</name><ver>1</ver></project>",
        b"<urlset>" + b"<url><loc>https://example.org/a-very-long-address-of-a-page</loc></url>" * 99 + b"</urlset>",
        b"<" + b"?!" * 9000,
    ],
)
def test_data_stays_code(data: bytes) -> None:
    assert detect_kind(data, "a.xml") == "code"
