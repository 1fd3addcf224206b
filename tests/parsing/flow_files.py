"""A small file of every kind that flows, made on the spot. Run as a program, it reads them as the worker does."""

from __future__ import annotations

import os
import sys
from email.message import EmailMessage
from pathlib import Path

from core.parsing.pandoc.program import convert
from core.parsing.plain.plain_markup import MARKUPS, to_page
from core.parsing.sandbox.flow_worker import TASKS, warm_up
from core.settings import ParsingSettings
from tests.evaluation.known_documents import MAKERS
from tests.parsing.outlook_files import EMBEDDED, container, properties
from tests.parsing.outlook_files import message as outlook_message
from tests.parsing.packages import packed


def files() -> dict[str, bytes]:
    """By kind."""
    made = {kind: make(1).data for kind, make in MAKERS.items() if kind != "markdown"}
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "Jane <a@example.org>", "b@example.org", "Über Enten"
    message.set_content("Sie schwimmen, naïv.", charset="latin-1")
    message.add_alternative("<p>Sie <b>schwimmen</b>, naïv.", subtype="html")
    message.add_attachment(b"a,b\n", maintype="text", subtype="csv", filename="ä.csv")
    return {
        **made,
        "ods": _sheet(),
        "csv": "Ente;kg\nKrickente;0,3\n".encode("cp1252"),
        "latex": b"\\section{Ducks}\nThey $a$ swim.",
        "asciidoc": b"= Ducks\n\n* swim\n",
        "bibtex": b"@book{x, title={{TEAL} ducks}, year=2020}",
        "references": b"TY  - JOUR\nTI  - TEAL ducks\nPY  - 2020\nER  - ",
        "jats": b"<article article-type='x'><title-group><article-title>Ducks</article-title></title-group></article>",
        "subtitles": b"WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ada>Ducks &amp; swim",
        "calendar": _calendar(),
        "contacts": b"BEGIN:VCARD\nVERSION:3.0\nFN:Jane\nTEL;TYPE=CELL:555\nBDAY:19900203\nEND:VCARD",
        "mbox": b"From a Mon Jan  1 10:00:00 2024\n" + message.as_bytes(),
        "eml": message.as_bytes(),
        "msg": _outlook(),
    }


def _calendar() -> bytes:
    """A moment in UTC that is told by the calendar's time zone."""
    zone = "TZID:A/B\nBEGIN:STANDARD\nDTSTART:19701025T030000\nRRULE:FREQ=YEARLY\nTZOFFSETFROM:+0200\nTZOFFSETTO:+0100"
    zone = f"X-WR-TIMEZONE:A/B\nBEGIN:VTIMEZONE\n{zone}\nEND:STANDARD\nEND:VTIMEZONE"
    event = "BEGIN:VEVENT\nSUMMARY:Ducks\nDTSTART:20240102T030000Z\nEND:VEVENT"
    return f"BEGIN:VCALENDAR\n{zone}\n{event}\nEND:VCALENDAR".encode()


def _outlook() -> bytes:
    """A message in a Chinese character set that holds a file and another message."""
    page = {0x0037: "Enten", 0x1013: "<p>Sie schwimmen: é</p>".encode("gb18030"), 0x3FDE: 936, 0x0C1A: "Zoë"}
    inner = {**properties({}), EMBEDDED: outlook_message(page, head=24)}
    return container(outlook_message(page, attachments=[{0x3707: "é", 0x3701: b"x"}, inner]))


def _sheet() -> bytes:
    space = "urn:oasis:names:tc:opendocument:xmlns"
    content = (
        f'<o:document-content xmlns:o="{space}:office:1.0" xmlns:t="{space}:table:1.0" xmlns:x="{space}:text:1.0">'
        '<o:body><o:spreadsheet><t:table t:name="Ducks"><t:table-row><t:table-cell><x:p>Teal</x:p></t:table-cell>'
        "</t:table-row></t:table></o:spreadsheet></o:body></o:document-content>"
    )
    return packed({"mimetype": "application/vnd.oasis.opendocument.spreadsheet", "content.xml": content})


def main() -> None:
    """Warm up as the worker does, read everything, and print what was loaded or opened after that."""
    made = files()
    samples = list(made.items())
    shared = os.environ.get("LECTERN_SHARED")
    for path in sorted(Path(shared).glob("parser_docs/*/*")) if shared else ():
        kind = path.suffix[1:].replace("xlsm", "xlsx")
        if kind in TASKS:
            samples.append((kind, path.read_bytes()))
    settings = ParsingSettings()
    pages = {
        kind: to_page(data.decode(), kind, settings, lambda: None, kind)[0] for kind, data in samples if kind in MARKUPS
    }
    pages["odt"] = convert(made["odt"], "odt", "html", memory_megabytes=512, timeout_seconds=60)
    warm_up()
    known = set(sys.modules)
    late: list[str] = []
    sys.addaudithook(lambda event, arguments: late.append(f"{event} {arguments[0]}") if event == "open" else None)
    for kind, data in samples:
        for _ in TASKS["prepare"](data, {"name": f"a.{kind}", "kind": kind}) if kind in ("odt", "rtf") else ():
            continue
        for _ in TASKS[kind](pages.get(kind, data), {"name": f"a.{kind}", "second": True}):
            continue
    late += sorted(set(sys.modules) - known)
    sys.stdout.write("\n".join(late))


if __name__ == "__main__":
    main()
