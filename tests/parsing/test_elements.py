"""The reader of unstructured: every format, offline, in the same box as the others, and told apart from our own.

Starting its process takes seconds, so the whole module shares one.
"""

from __future__ import annotations

from io import BytesIO

import docx
import pytest

from core.ingest.ingest import Incoming
from core.parsing import parse, parser_fingerprint
from core.parsing.elements import KINDS
from core.settings import ParsingSettings, Settings
from core.storage.catalogue.texts import documents
from core.storage.store import Store
from core.types import BlockKind
from tests.evaluation.known_documents import MAKERS, Known, web_page
from tests.parsing.laws import assert_laws
from tests.parsing.outlook_files import container, message

LIBRARY = ParsingSettings(reader="unstructured")


def outlook(_: int) -> Known:
    fields = {0x0037: "Subject", 0x1000: "It was read.\r\n\r\nAll of it.", 0x0C1A: "Ada"}
    return Known("mail.msg", container(message(fields)), "It was read. All of it.")


def notes(_: int) -> Known:
    data = b"A title\n\nIt was read in the morning.\n\n- one\n- two\n"
    return Known("notes.txt", data, data.decode())


KNOWN = {**MAKERS, "tsv": lambda _: Known("tabs.tsv", b"a\tb\n1\t2\n", ""), "msg": outlook, "txt": notes}


@pytest.mark.parametrize("kind", KNOWN)
def test_every_format_is_read_offline(kind: str) -> None:
    known = KNOWN[kind](1)
    document = parse(known.data, known.name, LIBRARY)
    assert_laws(document)
    assert document.kind in KINDS
    assert document.words is not None
    # Its losses are the library's own, and the audit names them; that it reads most is what is tested here.
    assert document.words.missing <= 0.25 * document.words.words
    assert document.notes[0].startswith("Read by unstructured")


def test_headings_lists_tables_and_links_are_kept() -> None:
    known = web_page(1)
    document = parse(known.data, known.name, LIBRARY)
    kinds = [block.kind for block in document.blocks]
    assert {BlockKind.HEADING, BlockKind.LIST, BlockKind.TABLE} <= set(kinds)
    assert [block.level for block in document.blocks if block.kind is BlockKind.HEADING][:2] == [1, 2]
    (link, *_) = document.links
    assert link.target == "/a?b=1&c=2"
    assert document.text[link.start : link.end] in known.expected
    assert "secret" not in document.text


def test_running_lines_stand_once_behind_the_text() -> None:
    made, file = docx.Document(), BytesIO()
    made.sections[0].header.paragraphs[0].text = "A running line"
    made.add_paragraph("It was read in the morning.")
    made.save(file)
    document = parse(file.getvalue(), "a.docx", LIBRARY)
    assert document.blocks[-1].kind is BlockKind.FURNITURE
    assert document.text.endswith("A running line")


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_fingerprint_names_the_reader(kind) -> None:
    assert parser_fingerprint(kind) != parser_fingerprint(kind, LIBRARY)
    assert parser_fingerprint(kind) == parser_fingerprint(kind, ParsingSettings(timeout_seconds=5))


def test_another_reader_reads_the_library_anew(library, tmp_path) -> None:
    known = MAKERS["docx"](1)
    path = tmp_path / known.name
    path.write_bytes(known.data)
    ours = library.ingest([Incoming(known.name, path)]).documents[0]
    library.apply(Settings().with_value("parsing.reader", "unstructured"))
    with Store.open(library.home, write=False) as store:
        found = documents.version(store, ours.version_id)
    assert found.parser == parser_fingerprint("docx", LIBRARY)
    assert library.document(ours.version_id).notes[0].startswith("Read by unstructured")
    library.apply(Settings())
    assert not library.document(ours.version_id).notes
