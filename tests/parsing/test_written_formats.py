"""LaTeX, AsciiDoc, BibTeX, journal articles, subtitles and mailboxes."""

from __future__ import annotations

import pytest

from core.errors import ParseError
from core.parsing import parse
from core.settings import ParsingSettings
from core.types import BlockKind, Document
from tests.parsing.laws import assert_laws


def document(data: str | bytes, name: str) -> Document:
    found = parse(data.encode() if isinstance(data, str) else data, name, ParsingSettings())
    assert_laws(found)
    assert found.words
    assert found.words.missing == 0, found.words
    return found


def headings(found: Document) -> list[tuple[int, str]]:
    return [(block.level, found.text[block.start : block.end]) for block in found.blocks if block.level]


LATEX = r"""\documentclass{article}
\usepackage{amsmath} % the sums
\title{Keeping ducks}\author{Jane Smith}
\begin{document}
\maketitle
\section{Feed}\label{sec:feed}
Ducks eat \emph{oats}, 3\,kg a week na\"ively\footnote{Rolled ones.}: $a < b$.
\begin{tabular}{lr} Duck & kg \\ Teal & 0.3 \\ \end{tabular}
\input{sleep}
\end{document}
"""


def test_latex_is_read_as_a_page() -> None:
    found = document(LATEX, "ducks.tex")
    assert (found.kind, found.title) == ("latex", "Keeping ducks")
    assert headings(found) == [(1, "Keeping ducks"), (2, "Feed")]
    assert "Ducks eat oats, 3 kg a week naïvely" in found.text
    assert "Rolled ones." in found.text
    assert [cell.value for block in found.blocks for cell in block.cells] == ["Duck", "kg", "Teal", 0.3]
    assert found.notes == ("Other files that it includes were not read: sleep.",)


@pytest.mark.parametrize("text", [r"\begin{document} \section{x", r"\newcommand{\duck}{Teal}"])
def test_latex_that_makes_no_page_is_kept_as_written(text: str) -> None:
    found = document(text, "macros.tex")
    assert found.text == text
    assert [note for note in found.notes if "as it is written" in note]


def test_asciidoc() -> None:
    found = document("= Ducks\n:toc:\n\n== Feed\n\ninclude::oats.adoc[]\n\n|===\n|Teal |0.3\n|===\n", "ducks.adoc")
    assert headings(found) == [(1, "Ducks"), (2, "Feed")]
    assert found.blocks[-1].kind is BlockKind.TABLE
    assert found.notes == ("Other files that it includes were not read: oats.adoc.",)


def test_a_bibliography_is_its_entries() -> None:
    found = document(
        '@string{jd = {Journal of Ducks}}\n@article{lee20, title={On {T}eal}, author={Lee, Ann and G{\\"o}tz, B.},\n'
        ' journal=jd, year={2020}, pages={1--9}, abstract={They swim.}}\n@book{x, title="Geese", file = {a.pdf}}\n',
        "refs.bib",
    )
    assert (found.kind, found.title) == ("bibtex", "Refs")
    assert headings(found) == [(1, "On Teal"), (1, "Geese")]
    assert "Ann Lee; B. Götz. 2020" in found.text
    assert "container-title: Journal of Ducks" in found.text
    assert "[lee20]\n\nThey swim." in found.text


def test_entries_that_cannot_be_read_cost_a_bibliography_none_of_the_others() -> None:
    odd = "@article{gis15,\n\ttitle={Heard},\n\tauthor={Gis, R\\{\\'o}sa and Lee, Ann}}"
    unfinished = "@book{unfinished, title={Swans},"
    journal = '@string{jd = "Ducks Today"}'
    one, two = "@article{one, title={One}}", "@book{two, title={Two}}"
    for entries, lost in (
        ([journal, one, odd, two], odd),
        ([one, unfinished, two], unfinished),
        ([one, two, unfinished], unfinished),
    ):
        found = document("\n\n".join(entries), "refs.bib")
        key = lost[lost.index("{") + 1 : lost.index(",")]
        assert headings(found) == [(1, "One"), (1, "Two"), (1, key)]
        assert found.text.endswith(lost)
        assert found.notes == (f"Entries that pandoc could not read stand at the end as they are written: {key}.",)


REFERENCES = """Record #1 of 3
TY  - JOUR
T1  - On teal
A1  - Lee, A.
A1  - Götz, B.
N2  - They swim
 and dive.
PY  - 2020
KW  - ducks
KW  - water
ER  -
Record #2 of 3
TY  - BOOK
TY  - CHAP
T2  - Geese
N1  - lost cover
"""
PUBMED = """PMID- 7
OWN - NLM
IS  - 1769 (Print)
TI  - On grebes, which
      dive.
FAU - Lee, Ann
AU  - Lee A
DP  - 2019 Mar
"""


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_references_are_their_entries_whatever_stands_between_them(line_end: str) -> None:
    found = parse(REFERENCES.replace("\n", line_end).encode("utf-8-sig"), "refs.ris", ParsingSettings())
    assert (found.kind, found.title) == ("references", "Refs")
    assert headings(found) == [(1, "On teal"), (1, "Untitled"), (1, "Geese")]
    assert "Written by Lee, A.; Götz, B. 2020\n\nThey swim and dive.\n\nkeywords: ducks; water\n" in found.text
    assert found.text.endswith("notes: lost cover")
    assert "Record" not in found.text
    assert found.words is not None
    assert found.words.missing == 0
    assert headings(document(PUBMED, "refs.nbib")) == [(1, "On grebes, which dive.")]
    assert document(PUBMED, "a.nbib").text.endswith(
        "Written by Lee, Ann. 2019 Mar\n\nPubMed: 7\nISSN: 1769 (Print)\nauthors, abbreviated: Lee A"
    )


JATS = """<?xml version="1.0"?><!DOCTYPE article PUBLIC "-//NLM//DTD JATS v1.1//EN" "a.dtd">
<article xmlns:xlink="x"><front><journal-meta><journal-title>Ducks</journal-title></journal-meta><article-meta>
<article-id>77</article-id><title-group><article-title>On <italic>teal</italic></article-title></title-group>
<contrib-group><contrib><name><surname>Lee</surname><given-names>Ann</given-names></name></contrib></contrib-group>
<pub-date><day>3</day><month>4</month><year>2020</year></pub-date><volume>7</volume>
<abstract><p>They swim&nbsp;well.</p></abstract></article-meta></front>
<body><sec><title>Feed</title><p>Oats <xref rid="b1">[1]</xref>.</p>
<fig id="f1"><label>Figure 1.</label><caption><p>A pond.</p></caption><graphic/></fig>
<table-wrap><label>Table 1.</label><table><thead><tr><th>Duck</th></tr></thead><tr><td>Teal</td></tr></table>
</table-wrap></sec></body><back><ref-list><ref id="b1"><label>1</label><element-citation><source>J Ducks</source>
<year>1999</year><volume>5</volume></element-citation></ref></ref-list></back></article>"""


@pytest.mark.parametrize("name", ["article.nxml", "article.xml", "article"])
def test_a_journal_article_keeps_its_labels_and_references(name: str) -> None:
    found = document(JATS, name)
    assert (found.kind, found.title) == ("jats", "On teal")
    assert found.metadata == {"publisher": "Ducks", "created": "2020-04-03"}
    assert headings(found) == [(1, "On teal"), (2, "Abstract"), (2, "Feed"), (2, "References")]
    for said in ("Ann Lee", "They swim well.", "Figure 1. A pond.", "Table 1.", "1 J Ducks 1999 5"):
        assert said in found.text
    assert "77" not in found.text
    assert [link.target for link in found.links] == ["#b1"]


VTT = """WEBVTT Ducks

NOTE made by hand

1
00:01.000 --> 00:02.500 align:start
<v Ada Lee>Ducks <i>swim</i>

00:02.500 --> 00:04.000
<v Ada Lee>and fly.

01:00:05.000 --> 01:00:06.000
<v.loud Bob>Salt &amp; oats
- No.
"""


def test_subtitles_are_sentences_with_their_time_and_speaker() -> None:
    said = "[00:00:01] Ada Lee: Ducks swim and fly.\n\n[01:00:05] Bob: Salt & oats - No."
    assert document(VTT, "talk.vtt").text == said
    assert document(VTT, "talk").kind == "subtitles"


def test_subrip_and_captions_that_roll() -> None:
    rolled = (
        "1\n00:00:01,000 --> 00:00:02,000\nducks can swim\n\n2\n00:00:02,000 --> 00:00:03,000\nducks can swim\n"
        "{\\an8}in the pond\n\n3\n00:00:30,000 --> 00:00:31,000\nin the pond\n"
    )
    assert document(rolled, "a.srt").text == "[00:00:01] ducks can swim in the pond\n\n[00:00:30] in the pond"
    said = ["ducks", "ducks", "no", "ducks can swim", "ducks can swim", "now", "now"]
    cues = [f"00:{at:02}.000 --> 00:{at + 1:02}.000\n{words}\n" for at, words in enumerate(said)]
    assert document("\n".join(["WEBVTT\n", *cues]), "a.vtt").text == "[00:00:00] ducks no ducks can swim now"
    assert document("\n".join(["WEBVTT\n", *cues[:3]]), "a.vtt").text == "[00:00:00] ducks ducks no"


MESSAGE = b"From a@b.org Mon Jan  1 10:00:00 2024\nFrom: Ada <a@b.org>\nTo: b@b.org\nSubject: %b\n\n%b\n\n"


def test_a_mailbox_is_one_document_with_a_heading_for_each_message() -> None:
    attached = (
        b"From a@b.org Mon Jan  1 10:00:00 2024\nFrom: c@b.org\nSubject: Files\nMIME-Version: 1.0\n"
        b"Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\nHere.\n--x\n"
        b"Content-Type: text/plain; name=a.txt\nContent-Disposition: attachment; filename=a.txt\n\ninner\n--x--\n\n"
    )
    box = MESSAGE % (b"Ducks", b"Two.\n>From the pond.\n\nFrom there on.") + attached + attached
    for name in ("mail.mbox", "mbox"):
        found = document(box, name)
        assert found.kind == "mbox"
        assert headings(found) == [(1, "Ducks"), (1, "Files"), (1, "Files")]
    assert "Two.\nFrom the pond.\n\nFrom there on." in found.text
    assert [(one.name, one.data.strip()) for one in found.attachments] == [("a.txt", b"inner"), ("a (2).txt", b"inner")]
    assert found.metadata == {"messages": "3"}


@pytest.mark.parametrize("parting", [b"From - \n", b"From \n", b"From - Mon Jan  1 10:00:00 2024\n", b"From -\r\n"])
def test_no_message_of_a_mailbox_without_senders_is_lost(parting: bytes) -> None:
    """As Thunderbird keeps its own, in files without a suffix."""
    one = parting + MESSAGE[MESSAGE.index(b"\n") + 1 :]
    found = document(one % (b"Ducks", b"Two.") + one % (b"Geese", b"From here on."), "Inbox")
    assert found.kind == "mbox"
    assert headings(found) == [(1, "Ducks"), (1, "Geese")]
    assert found.metadata == {"messages": "2"}


def test_a_message_may_end_without_an_empty_line() -> None:
    one = b"From - \n" + MESSAGE[MESSAGE.index(b"\n") + 1 :].strip() + b"\n"
    assert headings(document(one % (b"Ducks", b"Two.") + one % (b"Geese", b"Four."), "a.mbox")) == [
        (1, "Ducks"),
        (1, "Geese"),
    ]


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        (b"Only words.", "a.tex", "text"),
        (b"Only words.", "a.bib", "text"),
        (b"Only words.", "a.ris", "text"),
        (b"Only words.", "a.srt", "text"),
        (b"Only words.", "a.mbox", "text"),
        (b"<book/>", "a.xml", "code"),
        (MESSAGE[MESSAGE.index(b"\n") + 1 :] % (b"x", b"y"), "a.mbox", "eml"),
    ],
)
def test_a_name_alone_makes_no_kind(data: bytes, name: str, kind: str) -> None:
    assert parse(data, name, ParsingSettings()).kind == kind


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"From a@b.org Mon Jan  1 10:00:00 2024\n\nno head", "a.mbox"),
        (b"<article", "a.nxml"),
        (b"1\n00:00:01,000 --> 00:00:02,000\n", "a.srt"),
        (b"@article{x, title={Ducks", "a.bib"),
    ],
)
def test_what_is_damaged_is_refused_with_a_sentence(data: bytes, name: str) -> None:
    with pytest.raises(ParseError, match=rf"^{name} "):
        parse(data, name, ParsingSettings())
