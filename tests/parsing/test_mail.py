"""Mail: messages are made with the standard library (EML) or stream by stream (MSG), and read back to what one sees."""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from email.message import EmailMessage

import pytest
from compressed_rtf import compress
from hypothesis import given
from hypothesis import strategies as st

from core.errors import ParseError
from core.parsing import parse
from core.parsing.flow import ParsedFile, compose
from core.parsing.mail.outlook_reader import read as read_outlook
from core.parsing.mail.reader import read
from core.parsing.mail.text import decoded, header_text, plain_pieces
from core.settings import ParsingSettings
from tests.parsing.laws import composed
from tests.parsing.outlook_files import EMBEDDED, container, message, properties


def mail(body: str = "", **head: str) -> EmailMessage:
    """A message; underscores in names of headers stand for hyphens."""
    made = EmailMessage()
    for name, value in head.items():
        made[name.replace("_", "-")] = value
    if body:
        made.set_content(body)
    return made


def text(data: bytes | EmailMessage) -> str:
    return composed(read(data if isinstance(data, bytes) else data.as_bytes(), "a mail.eml")).text


def raw(*lines: str | bytes) -> bytes:
    return b"\r\n".join(line if isinstance(line, bytes) else line.encode() for line in lines)


def test_the_head_comes_first_and_is_metadata_too() -> None:
    made = mail(
        "Dear Bo,\n\ntwo ducks.\n",
        Subject="Ducks – and geese",
        From="Ada Hölt <ada@mill.example>",
        To="Bo <bo@mill.example>, cy@mill.example",
        Cc="Di <di@mill.example>",
        Date="Tue, 14 Mar 2023 10:22:31 +0100",
        Message_ID="<1@mill.example>",
        Reply_To="ada@mill.example",
        Sender="office@mill.example",
    )
    reading = read(made.as_bytes(), "a.eml")
    assert composed(reading).text == (
        "Ducks – and geese\n\nFrom: Ada Hölt <ada@mill.example>\nSender: office@mill.example\n"
        "To: Bo <bo@mill.example>, cy@mill.example\nCc: Di <di@mill.example>\nDate: Tue, 14 Mar 2023 10:22:31 +0100\n\n"
        "Dear Bo,\n\ntwo ducks."
    )
    assert reading.title == "Ducks – and geese"
    assert reading.metadata["date"] == "2023-03-14T10:22:31+01:00"
    assert reading.metadata["message_id"] == "<1@mill.example>"
    assert reading.metadata["from"] == "Ada Hölt <ada@mill.example>"
    assert "reply_to" not in reading.metadata


def test_a_mail_saved_in_two_bytes_a_letter_is_read() -> None:
    made = "Subject: Ducks\nFrom: Ada\nTo: Bo\n\nTwo für Bo.\n"
    assert text(made.encode("utf-16")) == "Ducks\n\nFrom: Ada\nTo: Bo\n\nTwo für Bo."
    found = parse(made.encode("utf-16"), "saved", ParsingSettings())
    assert (found.kind, found.words and found.words.missing) == ("eml", 0)


def test_a_page_is_preferred_to_its_plain_form() -> None:
    made = mail("plain words", Subject="Both")
    made.add_alternative(
        "<h1>Big</h1><p>See <a href='https://a.example'>here</a></p><ul><li>one</li></ul>", subtype="html"
    )
    found = composed(read(made.as_bytes(), "a.eml"))
    assert [(block.kind.value, block.level) for block in found.blocks] == [
        ("heading", 1), ("heading", 2), ("paragraph", 0), ("list", 0),
    ]  # fmt: skip
    assert found.text == "Both\n\nBig\n\nSee here\n\n- one"
    assert [link.target for link in found.links] == ["https://a.example"]


@pytest.mark.parametrize("page", ["", "<html><body><img src='cid:x'></body></html>", "<p> &nbsp; </p>"])
def test_the_plain_form_is_read_where_the_page_is_empty(page: str) -> None:
    made = mail("plain words")
    made.add_alternative(page, subtype="html")
    assert text(made) == "plain words"


def test_a_thread_in_plain_text_keeps_its_quotations_and_their_depth() -> None:
    body = (
        "Yes, let us.\nBoth lines stand together.\n\nOn Monday Bo wrote:\n> Shall we?\n> It is warm.\n>\n> Or cold.\n"
        ">> Perhaps we should\n> > go.\n\n- bread\n- a boat\n  and oars\n\n-- \nAda\nThe Mill"
    )
    assert [(piece.kind.value, compose([piece]).text) for piece in plain_pieces(body)] == [
        ("paragraph", "Yes, let us.\nBoth lines stand together."),
        ("paragraph", "On Monday Bo wrote:"),
        ("quote", "> Shall we?\n> It is warm."),
        ("quote", "> Or cold."),
        ("quote", "> > Perhaps we should\n> > go."),
        ("list", "- bread\n- a boat\n  and oars"),
        ("paragraph", "--\nAda\nThe Mill"),
    ]


def test_attachments_are_kept_with_safe_names_of_their_own() -> None:
    made = mail("See below.", Subject="Files")
    for name, data in (("../../etc/pass\twd", b"1"), ("plan.pdf", b"2"), ("Plan.pdf", b"3"), ("Žluť.xlsx", b"4")):
        made.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    made.add_attachment("BEGIN:VCALENDAR", subtype="calendar")
    reading = read(made.as_bytes(), "a.eml")
    named = [(attachment.name, attachment.data.strip()) for attachment in reading.attachments]
    assert named == [
        ("pass wd", b"1"), ("plan.pdf", b"2"), ("Plan (2).pdf", b"3"), ("Žluť.xlsx", b"4"),
        ("part-5.ics", b"BEGIN:VCALENDAR"),
    ]  # fmt: skip
    assert composed(reading).text.endswith("Attachments: pass wd, plan.pdf, Plan (2).pdf, Žluť.xlsx, part-5.ics")


def test_pictures_a_page_shows_are_no_attachments() -> None:
    made = mail("plain", Subject="Pictures")
    made.add_alternative('<p>Our <img src="cid:logo@x" alt="mill wheel"> logo</p>', subtype="html")
    page = made.get_payload()[1]
    page.add_related(b"png", "image", "png", cid="<logo@x>", filename="logo.png")
    page.add_related(b"jpg", "image", "jpeg", cid="<other@x>", filename="photo.jpg")
    reading = read(made.as_bytes(), "a.eml")
    assert [attachment.name for attachment in reading.attachments] == ["photo.jpg"]
    assert "mill wheel" in composed(reading).text


def test_a_forwarded_message_is_a_file_of_its_own() -> None:
    inner = mail("Inner words", Subject="Was: ducks/geese", From="cy@mill.example")
    inner.add_attachment(b"data", maintype="application", subtype="pdf", filename="a.pdf")
    made = mail("Outer words", Subject="Fwd")
    made.add_attachment(inner)
    reading = read(made.as_bytes(), "a.eml")
    assert composed(reading).text == "Fwd\n\nOuter words\n\nAttachments: Was: ducks-geese.eml"
    again = read(reading.attachments[0].data, "b.eml")
    assert composed(again).text == "Was: ducks/geese\n\nFrom: cy@mill.example\n\nInner words\n\nAttachments: a.pdf"
    assert again.attachments[0].data == b"data"


def test_parts_shown_in_the_message_are_words_of_it_and_so_is_what_stands_behind() -> None:
    parted = raw(
        "Subject: Parts", "Content-Type: multipart/mixed; boundary=b", "", "preamble", "--b", "", "First.", "--b",
        "Content-Type: text/plain; name=notes.txt", "Content-Disposition: inline; filename=notes.txt", "",
        "Inline notes.", "--b", "Content-Type: text/html", "", "<p>Third.</p>", "--b--", "The list's own footer.",
    )  # fmt: skip
    assert text(parted) == "Parts\n\nFirst.\n\nInline notes.\n\nThird.\n\nThe list's own footer."


def test_reports_of_failed_delivery_are_read() -> None:
    report = raw(
        "Subject: Failed", "Content-Type: multipart/report; boundary=b", "", "--b", "", "Sorry.", "--b",
        "Content-Type: message/delivery-status", "", "Reporting-MTA: dns; mill.example", "",
        "Final-Recipient: rfc822; bo@mill.example", "Status: 5.1.1", "", "--b--",
    )  # fmt: skip
    assert text(report) == (
        "Failed\n\nSorry.\n\nReporting-MTA: dns; mill.example\n\n"
        "Final-Recipient: rfc822; bo@mill.example\nStatus: 5.1.1"
    )


@pytest.mark.parametrize(
    ("data", "charset", "expected"),
    [
        ("Žluťoučký kůň".encode("iso-8859-2"), "iso-8859-2", "Žluťoučký kůň"),
        ("東京タワー".encode("iso-2022-jp"), "ISO-2022-JP", "東京タワー"),
        ("联通".encode("gbk"), "gb2312", "联通"),  # valid UTF-8 by chance
        ("naïve café".encode(), "us-ascii", "naïve café"),
        ("naïve café".encode("cp1252"), "utf-8", "naïve café"),
        ("“quoted” – dash".encode("cp1252"), "iso-8859-1", "“quoted” – dash"),
        ("Привет, как твои дела? Всё хорошо, спасибо большое за письмо.".encode("koi8-r"), "koi8-r", None),
        (b"plain", "hex", "plain"),
        (b"plain", "x-no-such-set", "plain"),
    ],
)
def test_character_sets_and_their_lies(data: bytes, charset: str, expected: str | None) -> None:
    expected = expected or data.decode(charset)
    assert decoded(data, charset) == expected
    sent = raw(
        f"Content-Type: text/plain; charset={charset}", "Content-Transfer-Encoding: 8bit", "Subject: s", "", data
    )
    assert text(sent) == f"s\n\n{expected}"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("=?utf-8?q?a?= b =?iso-8859-1?q?=E9?=", "a b é"),
        ("=?utf-8?b?4pw=?=\r\n =?utf-8?b?kw==?=", "✓"),  # one letter in two words
        ("=?UTF-8?Q?Caf=C3=A9_?= =?utf-8?Q?au_lait?=", "Café au lait"),
        ('"=?utf-8?q?J=C3=BCrgen?=" <j@mill.example>', '"Jürgen" <j@mill.example>'),
        ("J\udcc3\udca9r\udcc3\udca9my", "Jérémy"),  # UTF-8 without saying so
        ("=?utf-8?b?a?= =?", "=?utf-8?b?a?= =?"),
        ("=?x-none?q?a=E9b?=", "aéb"),
        ("folded\r\n\tvalue", "folded value"),
    ],
)
def test_header_values_read_as_they_are_shown(value: str, expected: str) -> None:
    assert header_text(value) == expected


def test_an_encoded_header_cannot_forge_lines_of_the_head() -> None:
    forged = raw("Subject: s", "From: =?utf-8?q?Ada=0D=0ATo:_everyone?= <a@mill.example>", "", "words")
    assert text(forged) == "s\n\nFrom: Ada To: everyone <a@mill.example>\n\nwords"


def nested(depth: int) -> bytes:
    head = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(depth))
    return b"Subject: deep\r\n" + head + b"\r\ncore words"


def test_parts_in_parts_in_parts() -> None:
    assert text(nested(15)) == "deep\n\ncore words"
    reading = read(nested(60), "a.eml")
    assert reading.notes == ("Parts nested more than 20 deep were left out.",)
    with pytest.raises(ParseError, match="nests its parts"):
        read(nested(1500), "a.eml")


def test_no_more_attachments_than_anyone_sends() -> None:
    parts = b"".join(b"--b\r\nContent-Disposition: attachment; filename=f\r\n\r\n%d\r\n" % n for n in range(700))
    reading = read(b"Subject: s\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n" + parts + b"--b--", "a.eml")
    assert len({attachment.name for attachment in reading.attachments}) == 500
    assert reading.notes == ("Only the first 500 of 700 attachments were read.",)


def test_what_a_list_wrote_under_an_encoded_body_is_read() -> None:
    body = base64.encodebytes(("Grüße vom Teich, " * 8).encode()).decode()
    encoded = raw("Subject: s", "Content-Transfer-Encoding: base64", "", body + "____\r\nThe list's own footer.")
    assert text(encoded) == f"s\n\n{('Grüße vom Teich, ' * 8).strip()}\n\n____\nThe list's own footer."


def test_hostile_heads_take_no_time_to_speak_of() -> None:
    for value in ("(" * 200_000, "<" * 200_000, "a@b, " * 60_000, "=?utf-8?q?" * 30_000, "=?a?b?" + "=" * 200_000):
        assert read(raw(f"To: {value}", "Subject: s", "", "words"), "a.eml").title == "s"


def test_a_sealed_message_says_so() -> None:
    sealed = raw(
        "Subject: s", 'Content-Type: multipart/encrypted; boundary=b; protocol="application/pgp-encrypted"', "", "--b",
        "Content-Type: application/pgp-encrypted", "", "Version: 1", "", "--b",
        "Content-Type: application/octet-stream; name=encrypted.asc", "", "-----BEGIN PGP MESSAGE-----", "--b--",
    )  # fmt: skip
    reading = read(sealed, "a.eml")
    assert "is sealed" in reading.notes[0]
    assert [attachment.name for attachment in reading.attachments] == ["encrypted.asc"]


# What survives the standard library's own writer: it folds at blanks, and other separators confuse it.
LETTERS = st.characters(exclude_categories=("Cs", "Cc", "Cf", "Co", "Cn", "Zl", "Zp", "Zs"), exclude_characters=">|\\")
PHRASE = st.lists(st.text(LETTERS, min_size=1, max_size=10), min_size=1, max_size=6).map(" ".join)


@st.composite
def messages(draw, depth: int = 0):
    made = EmailMessage()
    subject = draw(st.text(LETTERS, min_size=1, max_size=10))  # longer ones the library folds and loses blanks of
    made["Subject"] = subject
    said = [subject]
    lines = draw(st.lists(PHRASE, min_size=1, max_size=5))
    made.set_content("\n\n".join(lines))
    if draw(st.booleans()):
        lines = draw(st.lists(PHRASE, min_size=1, max_size=3))
        escaped = (line.replace("&", "&amp;").replace("<", "&lt;") for line in lines)
        made.add_alternative("".join(f"<p>{line}</p>" for line in escaped), subtype="html")
    said += lines
    inner = []
    for _ in range(draw(st.integers(0, 2)) if depth < 2 else 0):
        inner.append(draw(messages(depth=depth + 1)))
        made.add_attachment(inner[-1][0])
    return made, said, inner


@given(messages())
def test_no_word_of_any_mail_is_lost(drawn) -> None:
    def check(data: bytes, said: list[str], inner: list) -> None:
        reading = read(data, "a.eml")
        kept = composed(reading).text.split()
        for phrase in said:
            assert [word for word in phrase.split() if word not in kept] == []
        assert len(reading.attachments) == len(inner)
        for attachment, (_, words, below) in zip(reading.attachments, inner, strict=True):
            check(attachment.data, words, below)

    made, said, inner = drawn
    check(made.as_bytes(), said, inner)


@given(st.binary(max_size=400), st.sampled_from(["", "base64", "quoted-printable", "8bit", "x-uuencode"]))
def test_any_bytes_are_a_body(data: bytes, encoding: str) -> None:
    for kind in ("text/plain", "text/html", "multipart/mixed; boundary=b", "message/rfc822"):
        head = raw("Subject: s", f"Content-Type: {kind}", f"Content-Transfer-Encoding: {encoding}", "", data)
        composed(read(head, "a.eml"))


@given(st.text(max_size=300))
def test_any_text_is_a_plain_body_and_keeps_its_words(body: str) -> None:
    for flowed in (False, True):
        kept = "".join(compose(plain_pieces(body, flowed=flowed)).text.split())
        assert all(char in kept for char in body if char.isalnum())


# --- Outlook ---------------------------------------------------------------------------------------------------------

SUBJECT, BODY, HTML, RTF, CLASS, HEAD = 0x0037, 0x1000, 0x1013, 0x1009, 0x001A, 0x007D
SENDER_NAME, SENDER_SMTP, SENDER_ADDRESS, SENT = 0x0C1A, 0x5D01, 0x0C1F, 0x0039
KIND, NAME, SMTP, ADDRESS = 0x0C15, 0x3001, 0x39FE, 0x3003
FILE, DATA, CONTENT_ID, BODY_PAGE = 0x3707, 0x3701, 0x3712, 0x3FDE


def outlook(data: bytes) -> tuple[ParsedFile, str]:
    reading = read_outlook(data, "a message.msg")
    return reading, composed(reading).text


def test_an_outlook_message_reads_like_any_mail() -> None:
    data = container(
        message(
            {
                SUBJECT: "Dücks", BODY: "Dear Bo,\r\n\r\n> quoted\r\n", SENDER_NAME: "Ada",
                SENDER_ADDRESS: "/O=MILL/CN=ADA", SENDER_SMTP: "ada@mill.example", CLASS: "IPM.Note",
                SENT: datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
            },
            [
                {KIND: 1, NAME: "Bo", SMTP: "bo@mill.example"},
                {KIND: 2, NAME: "cy@mill.example", ADDRESS: "cy@mill.example"},
                {KIND: 1, NAME: "Di", ADDRESS: "/o=Mill/cn=Di"},
            ],
            [{FILE: "plan.pdf", DATA: b"pdf " * 2000}],
        )
    )  # fmt: skip
    reading, found = outlook(data)
    assert found == (
        "Dücks\n\nFrom: Ada <ada@mill.example>\nTo: Bo <bo@mill.example>, Di\nCc: cy@mill.example\n"
        "Date: Fri, 02 Jan 2026 03:04:05 +0000\n\nDear Bo,\n\n> quoted\n\nAttachments: plan.pdf"
    )
    assert reading.attachments[0].data == b"pdf " * 2000
    assert reading.metadata["date"] == "2026-01-02T03:04:05+00:00"
    assert "message_class" not in reading.metadata


def test_the_head_a_message_travelled_with_wins() -> None:
    head = "From: =?utf-8?q?Ad=C3=A1?= <a@mill.example>\r\nTo: b@mill.example\r\nDate: Mon, 1 Jan 2024 00:00:00 +0000"
    _, found = outlook(container(message({SUBJECT: "s", HEAD: head, SENDER_NAME: "someone else", BODY: "words"})))
    assert found == "s\n\nFrom: Adá <a@mill.example>\nTo: b@mill.example\nDate: Mon, 1 Jan 2024 00:00:00 +0000\n\nwords"


def test_outlooks_page_is_preferred_and_its_pictures_are_no_attachments() -> None:
    page = '<html><meta charset="utf-8"><h1>Ärger</h1><img src="cid:a@b"><p>words</p></html>'.encode()
    data = container(
        message(
            {SUBJECT: "s", HTML: page, BODY: "Ärger words", BODY_PAGE: 65001},
            attachments=[{FILE: "a.png", DATA: b"png", CONTENT_ID: "a@b"}, {FILE: "b.png", DATA: b"png"}],
        )
    )
    reading, found = outlook(data)
    assert found == "s\n\nÄrger\n\nwords\n\nAttachments: b.png"
    assert composed(reading).blocks[1].level == 2
    empty = container(message({SUBJECT: "s", HTML: b"<p>view</p>", BODY: "All the words that were sent to you"}))
    assert outlook(empty)[1] == "s\n\nAll the words that were sent to you"


def test_a_body_that_is_rtf_alone_is_attached() -> None:
    plain = rb"{\rtf1\ansi Dear Ada,\par see you \'e0 bient\'f4t.\par}"
    reading, found = outlook(container(message({SUBJECT: "s", RTF: compress(plain)})))
    assert found == "s\n\nAttachments: body.rtf"
    assert reading.attachments[0].data == plain
    cut_off, wrong_sum = compress(plain)[:-9], bytearray(compress(plain))
    wrong_sum[13] ^= 1
    for packed, kept in ((cut_off, plain[:40]), (bytes(wrong_sum), plain)):
        reading, _ = outlook(container(message({SUBJECT: "s", RTF: packed})))
        assert reading.attachments[0].data.startswith(kept)
    reading, found = outlook(container(message({SUBJECT: "s", RTF: b"none of it"})))
    assert (found, reading.notes) == ("s", ("The body of the message is damaged; it was left out.",))


def test_a_page_that_lost_most_of_the_words_gives_way_to_the_plain_form() -> None:
    page = f"<style>{'p { margin: 0 } ' * 50}</style><p>Only a disclaimer.</p>".encode()
    _, found = outlook(
        container(message({SUBJECT: "s", BODY: "What was said, in ten words and one more.", HTML: page}))
    )
    assert found == "s\n\nWhat was said, in ten words and one more."


def test_a_message_in_a_message_becomes_a_mail_of_its_own() -> None:
    inner = message(
        {SUBJECT: "Inner: é", BODY: "Inner words é", HTML: "<p>Inner <b>words</b> é</p>".encode(), SENDER_NAME: "Zoë"},
        attachments=[{FILE: "données.csv", DATA: b"a,b"}],
        head=24,
    )
    data = container(message({SUBJECT: "Outer"}, attachments=[{**properties({NAME: "Inner: é"}), EMBEDDED: inner}]))
    reading, found = outlook(data)
    assert found == "Outer\n\nAttachments: Inner: é.eml"
    again = read(reading.attachments[0].data, "b.eml")
    assert composed(again).text == "Inner: é\n\nFrom: Zoë\n\nInner words é\n\nAttachments: données.csv"
    assert again.attachments[0].data == b"a,b"
    assert reading == read_outlook(data, "a message.msg")  # the same bytes, always


def test_messages_nested_too_deep_are_noted() -> None:
    tree = message({SUBJECT: "core", BODY: "core"}, head=24)
    for _ in range(30):
        tree = message({SUBJECT: "s"}, attachments=[{**properties({}), EMBEDDED: tree}], head=24)
    reading, _ = outlook(container(message({SUBJECT: "top"}, attachments=[{**properties({}), EMBEDDED: tree}])))
    assert reading.notes == ("Messages nested more than 20 deep were left out.",)
