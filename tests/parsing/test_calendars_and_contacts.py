"""Calendars, contacts, and invitations that come by mail."""

from __future__ import annotations

from datetime import datetime
from email.message import EmailMessage

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import ParseError
from core.parsing.audit.second_reading import second_reading
from core.parsing.audit.word_audit import audit_words
from core.parsing.file_kinds import detect_kind
from core.parsing.mail import calendar_reader, contacts_reader, reader
from core.types import Document, WordAudit
from tests.parsing.laws import composed

ZONE = (
    "BEGIN:VTIMEZONE\nTZID:Europe/Berlin\nX-LIC-LOCATION:Europe/Berlin\nBEGIN:DAYLIGHT\nTZOFFSETFROM:+0100\n"
    "TZOFFSETTO:+0200\nDTSTART:19700329T020000\nRRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\nEND:DAYLIGHT\nBEGIN:STANDARD\n"
    "TZOFFSETFROM:+0200\nTZOFFSETTO:+0100\nDTSTART:19701025T030000\nRRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\n"
    "END:STANDARD\nEND:VTIMEZONE"
)


def calendar(*entries: str, head: str = "") -> bytes:
    return "\n".join(filter(None, ("BEGIN:VCALENDAR", head, *entries, "END:VCALENDAR"))).encode()


def event(*lines: str, kind: str = "VEVENT") -> str:
    return "\n".join((f"BEGIN:{kind}", *lines, f"END:{kind}"))


def told(data: bytes) -> Document:
    return composed(calendar_reader.read(data, "a.ics"), "calendar")


def card(*lines: str) -> Document:
    return composed(contacts_reader.read("\n".join(("BEGIN:VCARD", *lines, "END:VCARD")).encode(), "a.vcf"), "contacts")


def audited(document: Document, data: bytes, name: str) -> WordAudit:
    second = second_reading(data, detect_kind(data, name), name)
    assert second is not None
    return audit_words(document, second.words, second.reader, second.dropped)


def test_an_event_is_a_heading_and_a_line_for_each_thing() -> None:
    data = calendar(
        event(
            "SUMMARY:Ducks\\, fed",
            "DTSTART;TZID=Europe/Berlin:20240102T090000",
            "DTEND;TZID=Europe/Berlin:20240102T103000",
            "RRULE:FREQ=MONTHLY;INTERVAL=2;BYDAY=3SA,MO;BYMONTH=3;UNTIL=20250309",
            "EXDATE;TZID=Europe/Berlin:20240302T090000",
            "LOCATION:The pond",
            'ORGANIZER;CN="Lee, Ann":mailto:ann@example.org',
            "ATTENDEE;PARTSTAT=ACCEPTED;CN=Bob:MAILTO:bob@exam",
            " ple.org",
            "DESCRIPTION:Bring bread.\\n\\nNo crumbs.",
        )
    )
    document = told(data)
    assert document.title == "Ducks, fed"
    assert document.text == (
        "Ducks, fed\n\nWhen: Tuesday, 2 January 2024, 09:00 to 10:30 (Europe/Berlin)\n"
        "Repeats: every 2 months on the third Saturday, Monday in March, until Sunday, 9 March 2025\n"
        "Not on: Saturday, 2 March 2024, 09:00\nWhere: The pond\nOrganiser: Lee, Ann <ann@example.org>\n"
        "Invited: Bob <bob@example.org> (accepted)\n\nBring bread.\n\nNo crumbs."
    )
    assert audited(document, data, "a.ics").missing == 0


def test_moments_in_utc_are_told_by_the_calendars_own_clock() -> None:
    summer, day = "DTSTART:20240702T190000Z", "DTSTART;VALUE=DATE:20240102\nDTEND;VALUE=DATE:20240104"
    data = calendar(event(summer), event(day), head=f"X-WR-CALNAME:Pond\nX-WR-TIMEZONE:Europe/Berlin\n{ZONE}")
    assert told(data).title == "Pond"
    assert "When: Tuesday, 2 July 2024, 21:00 (Europe/Berlin)" in told(data).text
    assert "When: Tuesday, 2 January 2024 to Wednesday, 3 January 2024" in told(data).text
    assert "19:00 to 20:30 (UTC)" in told(calendar(event(summer, "DURATION:PT1H30M"))).text
    assert "19:00 (UTC)" in told(calendar(event(summer, "DURATION:long"), head="X-WR-TIMEZONE:Europe/Berlin")).text


def test_tasks_cancellations_and_odd_rules() -> None:
    task = event("SUMMARY:Feed", "STATUS:NEEDS-ACTION", "DUE:20240102", "RRULE:FREQ=SOMETIMES", kind="VTODO")
    found = told(calendar(task, event("SUMMARY:Fair"), head="METHOD:CANCEL")).text
    assert found.startswith("Feed\n\nDue: Tuesday, 2 January 2024\nRepeats: FREQ=SOMETIMES\nTask: cancelled")
    assert "Task: open" in told(calendar(task)).text


def test_damaged_lines_cost_no_event_and_what_is_none_is_refused() -> None:
    found = told(calendar(event("SUMMARY:Ducks", "no line", "DTSTART:soon", "A" + ";B=C" * 5000)))
    assert found.text == "Ducks"
    assert found.notes[0].startswith("Lines that are damaged were left out: no line; A;B=C")
    for data, read in ((calendar(), calendar_reader.read), (b"BEGIN:VNOTE\nEND:VNOTE", contacts_reader.read)):
        with pytest.raises(ParseError, match="holds no"):
            read(data, "a")


def test_a_contact_is_their_name_and_a_line_for_each_thing() -> None:
    lines = (
        *("VERSION:3.0", "FN:Ann Lee", "N:Lee;Ann;;;", "ORG:Ducks Ltd;Feeding", "TEL;TYPE=WORK,FAX:555 1"),
        *("TEL;CELL:555 2", "item1.EMAIL:ann@example.org", "item1.X-ABLabel:_$!<School>!$_", "X-SPOUSE:Bob"),
        *("ADR;HOME:;;1 Pond St\\, rear;Wet;;9;", "BDAY:1990-02-03", "PHOTO;ENCODING=b:AAAA", "NOTE:Likes bread."),
    )
    document = card(*lines)
    assert document.text == (
        "Ann Lee\n\nOrganisation: Ducks Ltd, Feeding\nWork fax: 555 1\nMobile phone: 555 2\nSchool email: "
        "ann@example.org\nSpouse: Bob\nHome address: 1 Pond St, rear, Wet, 9\nBorn: 3 February 1990\n\nLikes bread."
    )
    data = "\n".join(("BEGIN:VCARD", *lines, "END:VCARD")).encode()
    assert audited(document, data, "a.vcf").missing == 0


def test_contacts_of_old_telephones_are_read() -> None:
    note = "NOTE;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Gro=C3=9F =\n=26 klein"
    found = card("VERSION:2.1", "N:Lee;Ann", note, "PHOTO;ENCODING=BASE64;JPEG:/9j/4AAQ\n Skz", "TEL;PREF:555")
    assert found.text == "Ann Lee\n\nPhone: 555\n\nGroß & klein"


def test_an_invitation_is_text_of_its_mail_and_no_attachment() -> None:
    message = EmailMessage()
    message["From"], message["Subject"] = "ann@example.org", "Feeding"
    message.set_content("Will you come?")
    data = calendar(event("SUMMARY:Ducks", "DTSTART:20240102T090000"), head="METHOD:REQUEST")
    message.add_alternative(data, maintype="text", subtype="calendar", params={"method": "REQUEST"})
    message.add_attachment(data, maintype="application", subtype="ics", filename="invite.ics")
    message.add_attachment(calendar(event("SUMMARY:Geese")), maintype="text", subtype="calendar", filename="all.ics")
    reading = reader.read(message.as_bytes(), "a.eml")
    document = composed(reading, "eml")
    assert "Will you come?\n\nDucks\n\nWhen: Tuesday, 2 January 2024, 09:00" in document.text
    assert [one.name for one in reading.attachments] == ["all.ics"]
    assert audited(document, message.as_bytes(), "a.eml").missing == 0


@pytest.mark.parametrize(
    ("data", "name", "kind"),
    [
        (calendar(), "a.ics", "calendar"),
        (calendar(), "invite", "calendar"),
        (b"\xef\xbb\xbfBEGIN:VCARD\r\nEND:VCARD", "a.vcf", "contacts"),
        (b"begin:vcard\nend:vcard", "people", "contacts"),
        (b"Only words.", "a.ics", "text"),
    ],
)
def test_kinds(data: bytes, name: str, kind: str) -> None:
    assert detect_kind(data, name) == kind


WORDS = st.text(st.sampled_from('aü ,;:\\\n"<-東'), max_size=12).map(lambda text: f"x{text}y")


@settings(max_examples=40)
@given(st.lists(WORDS, min_size=4, max_size=4), st.datetimes().filter(lambda moment: moment.year > 1000))
def test_whatever_stands_in_entries_and_contacts_is_in_the_text(values: list[str], moment: datetime) -> None:
    first, second, third, fourth = (
        value.replace("\\", "\\\\").replace("\n", "\\n").replace(",", "\\,").replace(";", "\\;") for value in values
    )
    entry = event(f"SUMMARY:{first}", f"LOCATION:{second}", f"DESCRIPTION:{third}", f"DTSTART:{moment:%Y%m%dT%H%M%S}")
    person = "\n".join(
        ("BEGIN:VCARD", f"FN:{first}", f"NOTE:{second}", f"ORG:{third};{fourth}", f"BDAY:{moment:%Y%m%d}", "END:VCARD")
    ).encode()
    assert audited(told(calendar(entry)), calendar(entry), "a.ics").missing == 0
    document = composed(contacts_reader.read(person, "a.vcf"), "contacts")
    assert audited(document, person, "a.vcf").missing == 0
