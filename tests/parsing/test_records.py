"""JSON whose values are prose, in the shapes of exports, and JSON that stays data."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parsing import parse
from core.parsing.audit.gathering import WordCollector
from core.parsing.audit.json_values import read_strings
from core.parsing.audit.word_audit import audit_words
from core.parsing.file_kinds import detect_kind
from core.parsing.flow import compose
from core.parsing.records.prose import is_prose
from core.parsing.records.reader import read
from core.settings import ParsingSettings
from core.types import Document
from tests.parsing.laws import composed, kinds

DUCKS, GEESE = "The ducks eat oats every morning.", "In winter the geese stay on the pond."
STAMP = 1690426596429000  # microseconds


def read_as(held: Any) -> Document:
    """The held values as a document; they are recognised, and no word of them is lost."""
    data = json.dumps(held).encode()
    assert detect_kind(data, "export.json") == "records"
    document = composed(read(data, "export.json"), "records")
    assert audit(data, document).missing == 0
    return document


def audit(data: bytes, document: Document) -> Any:
    collector = WordCollector()
    read_strings(data, collector)
    second = collector.reading("by hand")
    return audit_words(document, second.words, second.reader, second.dropped)


def test_a_note_has_its_title_its_times_in_words_and_its_text_once() -> None:
    note = {
        "isPinned": True,
        "isTrashed": False,
        "textContent": f"{DUCKS}\nFeed #them",
        "textContentHtml": f'<p dir="ltr" style="color:#000">{DUCKS}</p><p>Feed #them</p>',
        "title": "Pond",
        "createdTimestampUsec": STAMP,
        "labels": [{"name": "birds"}, {"name": "food"}],
        "listContent": [{"text": "buy oats", "isChecked": True}],
    }
    document = read_as(note)
    assert document.text == (
        f"Pond\n\nis pinned: yes\ncreated: 27 July 2023, 02:56 UTC\nlabels: birds; food\n\n{DUCKS}\nFeed #them"
        "\n\n- buy oats (is checked: yes)"
    )
    assert document.title == "Pond"
    assert document.notes == ("Left out: other forms of the same texts: 1.",)


def test_records_without_a_title_are_named_by_their_first_words() -> None:
    rich = json.dumps({"contents": [{"text": f"Winter\n{GEESE}"}]})
    entries = [
        {
            "uuid": "F" * 32,
            "creationDate": "2020-03-23T10:05:00Z",
            "text": f"![](moment://A1)\n\n# Winter\n{GEESE}",
            "richText": rich,
        },
        {
            "uuid": "E" * 32,
            "creationDate": "2020-03-24T10:05:00Z",
            "text": f"{DUCKS} {GEESE} {DUCKS} {DUCKS}",
            "tags": ["a"],
        },
    ]
    document = read_as({"metadata": {"version": "1.0"}, "entries": entries})
    assert kinds(document)[:3] == [
        ("heading", "Winter"),
        ("list", "creation date: 23 March 2020, 10:05 UTC"),
        ("paragraph", GEESE),
    ]
    assert kinds(document)[3] == ("heading", "The ducks eat oats every morning. In winter the geese …")
    assert document.metadata["records"] == "2"


def test_an_outline_is_a_list_as_deep_as_it_stands() -> None:
    deep: dict[str, Any] = {"string": "the fourth level", "uid": "d"}
    for place in (3, 2, 1):
        deep = {"string": f"level **{place}** of it", "uid": "c", "edit-time": 1614882306954, "children": [deep]}
    document = read_as([{"title": "Plans", "create-time": 1614356902401, "children": [deep, {"string": DUCKS}]}])
    assert document.text == (
        "Plans\n\ncreate time: 26 February 2021, 16:28 UTC\n\n- level **1** of it\n  - level **2** of it\n"
        f"    - level **3** of it\n      - the fourth level\n- {DUCKS}"
    )


def test_what_editors_keep_as_pieces_is_read_as_whole_texts() -> None:
    pieces = [{"type": "text", "text": "The ducks "}, {"type": "text", "marks": [{"type": "bold"}], "text": "eat oats"}]
    page = {"type": "doc", "content": [{"type": "paragraph", "content": pieces}]}
    in_string = {"subject": "Pond", "document_json": json.dumps(page), "text": GEESE}
    assert "The ducks eat oats" in read_as({"notes": [in_string, {"subject": "b", "text": DUCKS, "n": 1}]}).text


def test_references_have_people_and_days_and_markup_in_values_is_read() -> None:
    one: dict[str, Any] = {
        "title": "Ducks",
        "author": [{"family": "Lee", "given": "Ann"}, {"literal": "The Pond Group"}],
        "issued": {"date-parts": [["2021", 7]]},
        "abstract": f"<jats:p>{DUCKS} {GEESE}</jats:p>",
    }
    text = read_as([one, {**one, "title": "Geese", "abstract": f"## Winter\n\n- {GEESE}\n- {DUCKS}"}]).text
    assert f"author: Ann Lee; The Pond Group\nissued: July 2021\n\n{DUCKS} {GEESE}\n\nGeese" in text
    assert f"Winter\n\n- {GEESE}\n- {DUCKS}" in text


def test_lines_of_json_are_records() -> None:
    lines = "\n".join(json.dumps({"question": f"What do {bird} eat in the winter?", "answer": DUCKS}) for bird in "abc")
    assert detect_kind(lines.encode(), "qa.jsonl") == "records"
    assert composed(read(lines.encode(), "qa.jsonl")).text.count(f"answer: {DUCKS}") == 3


def test_the_worker_reads_it_and_says_what_was_left_out() -> None:
    notes = [{"id": "28BE24CE7EBB46A0", "name": "Pond", "content": DUCKS}, {"name": "Lake", "content": GEESE}]
    document = parse(json.dumps(notes).encode(), "notes.json", ParsingSettings())
    assert (document.kind, document.title) == ("records", "Notes")
    assert document.text == f"Pond\n\n{DUCKS}\n\nLake\n\n{GEESE}"
    assert document.notes == ("Left out: identifiers and other values for programs: 1.",)
    assert document.words is not None
    assert (document.words.missing, document.words.dropped) == (
        0,
        (("single values that programs keep, told in words or left out", 1),),
    )


@pytest.mark.parametrize(
    "held",
    [
        {
            "name": "a",
            "description": "A small library for the days of a year.",
            "scripts": {"test": "jest --watch a b"},
        },
        {f"key{place}": f"{DUCKS} {place}" for place in "abcdefghijklmnop"},
        {"openapi": "3.0.0", "paths": {"/a": {"get": {"description": DUCKS, "summary": GEESE}}}},
        {"$schema": "https://a.b", "properties": {"a": {"description": DUCKS}}},
        {"type": "FeatureCollection", "features": [{"properties": {"name": "Pond"}, "geometry": {"x": [1.5] * 90}}]},
        {"tasks": [{"label": "Build", "command": "npm run build && cp a b --to c"}] * 4},
        [],
        [1, 2],
    ],
)
def test_data_stays_data(held: Any) -> None:
    assert detect_kind(json.dumps(held).encode(), "a.json") == "code"


def test_nesting_that_no_export_has_stays_data() -> None:
    deep: Any = {"text": DUCKS}
    for _ in range(150):
        deep = {"text": DUCKS, "children": [deep]}
    assert not is_prose(deep)


words = st.sampled_from(
    ["pond", "<b>", "</p>", "the ducks swim", "# ", "- oats", "`a", "\n\n", "{", "1.", "\x00", "ü", "水", "|"]
)
scalars = st.one_of(st.lists(words, max_size=6).map(" ".join), st.booleans(), st.none(), st.floats(), st.integers())
keys = st.sampled_from(
    ["title", "text", "id", "created", "children", "tags", "type", "content", "attrs", "author", "date-parts"]
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=5), max_leaves=25
)


@given(st.lists(values, max_size=4) | st.dictionaries(keys, values, max_size=5))
def test_whatever_is_in_it_is_read_with_the_laws_of_spans(held: Any) -> None:
    composed(read(json.dumps(held).encode(), "a.json"))


@given(
    st.lists(
        st.dictionaries(keys, st.lists(st.sampled_from(["ducks", "oats", "swim"]), min_size=2).map(" ".join)),
        min_size=1,
    )
)
def test_no_word_of_a_text_is_lost(held: list[dict[str, str]]) -> None:
    plain = [{key: value for key, value in one.items() if key not in ("id", "type", "attrs")} for one in held]
    data = json.dumps(plain).encode()
    flow = compose(read(data, "a.json").pieces)
    assert audit(data, Document("0" * 64, "records", "t", flow.text, tuple(flow.blocks))).missing == 0


SAID = ("Good morning, everyone here.", "We now hear the witness, Mrs. Lee.", "Thank you, I will be brief.")
WORDS = [{"word": word, "start": 0.5, "end": 0.7} for line in SAID for word in line.split()]
WHISPER = [{"id": at, "start": 5.0 * at, "end": 5.0 * at + 4, "text": f" {line}"} for at, line in enumerate(SAID)]
MILLISECONDS = [
    {"start": 5000 * at, "end": 5000 * at + 900, "text": line, "speaker": "AB"[at % 2], "words": WORDS}
    for at, line in enumerate(SAID)
]
DEEP = {
    "channels": [{"alternatives": [{"transcript": " ".join(SAID), "words": WORDS}]}],
    "utterances": [{"start": 5.0 * at, "end": 6.0 * at, "transcript": line} for at, line in enumerate(SAID)],
}
OFFSETS = [{"offsets": {"from": 5000 * at, "to": 5000 * at + 90}, "text": line} for at, line in enumerate(SAID)]


@pytest.mark.parametrize(
    ("held", "before", "speakers"),
    [
        ({"language": "en", "text": " ".join(SAID), "segments": WHISPER}, "language: en\n\n", ("", "")),
        ({"utterances": MILLISECONDS, "words": WORDS}, "", (" Speaker A:", " Speaker B:")),
        ({"results": DEEP}, "", ("", "")),
        ({"transcription": OFFSETS}, "", ("", "")),
        ([{"text": line, "start": 5.0 * at, "duration": 4.0} for at, line in enumerate(SAID)], "", ("", "")),
    ],
)
def test_what_a_recogniser_of_speech_heard_is_a_transcript_once(
    held: Any, before: str, speakers: tuple[str, str]
) -> None:
    one, other = speakers
    document = read_as(held)
    assert document.text == (
        f"{before}[00:00:00]{one} {SAID[0]}\n\n[00:00:05]{other} {SAID[1]}\n\n[00:00:10]{one} {SAID[2]}"
    )


def test_places_in_a_text_and_recordings_of_several_days_keep_their_records() -> None:
    places = [{"text": name, "start": at, "end": at + len(name)} for at, name in ((0, "Ann Lee"), (9, "Bob Fox"))]
    assert "- Ann Lee (start: 0; end: 7)" in read_as({"text": f"Ann Lee, Bob Fox. {DUCKS}", "names": places * 2}).text
    days = [{"title": day, "segments": [{**one, "text": f"{day}: {one['text']}"} for one in WHISPER]} for day in "XY"]
    assert [block.level for block in read_as(days).blocks if block.level] == [1, 1]


def test_exported_flash_cards_are_records_with_their_questions_as_headings() -> None:
    cards = (
        "#separator:tab\n#html:true\n#guid column:1\n#notetype column:2\n#tags column:5\n"
        'a{>x\tBasic\tWhat is a &quot;drake&quot;?\t"A <b>male</b> duck.<br>It has ""colours""."\tpond spring\n'
        "b}<y\tBasic\tTeal?\tSmall &amp; fast\t\n"
    )
    found = parse(cards.encode(), "Deck.txt", ParsingSettings())
    assert found.kind == "records"
    assert found.text.split("\n\n") == [
        'What is a "drake"?',
        "tags: pond spring",
        'A male duck.\nIt has "colours".',
        "Teal?",
        "Small & fast",
    ]
    assert found.words
    assert found.words.missing == 0
    assert parse(b"#separator:tab\nteal\tKrickente\n", "a.txt", ParsingSettings()).text == "teal\n\nKrickente"
    assert parse(b"#separator:tab\n", "a.txt", ParsingSettings()).kind == "text"
