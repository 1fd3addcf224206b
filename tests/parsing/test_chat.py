"""Conversations that programs export in JSON, and JSON that is none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.chunking.signals.turns import find_turns
from core.parsing import parse
from core.parsing.file_kinds import detect_kind
from core.settings import ParsingSettings
from core.types import Document
from tests.parsing.laws import assert_laws

ANN = {"real_name": "Ann Lee"}


def document_of(held: Any) -> Document:
    document = parse(json.dumps(held).encode(), "2026-05-13.json", ParsingSettings())
    assert document.kind == "chat"
    assert_laws(document)
    return document


def test_a_day_of_slack_has_names_links_and_times() -> None:
    said = [
        {
            "type": "message",
            "ts": "1589410529.07",
            "user": "U1",
            "user_profile": ANN,
            "text": "See <https://a.b|it> &amp; x",
        },
        {"type": "message", "ts": "1589410600.07", "user": "U2", "text": "Thanks, <@U1>", "files": [{"name": "a.png"}]},
        {"type": "message", "subtype": "join", "ts": "1589410700.07", "user": "U2", "text": ""},
    ]
    document = document_of(said)
    assert document.text == (
        "[2020-05-13 22:55] Ann Lee: See [it](https://a.b) & x\n\n[2020-05-13 22:56] U2: Thanks, @Ann Lee\n[a.png]"
    )
    assert [link.target for link in document.links] == ["https://a.b"]
    assert document.notes == ("Entries that say nothing were left out: 1.",)


def test_a_day_of_slack_before_it_named_people_is_a_conversation() -> None:
    said = [
        {"type": "message", "user": f"U{place % 2}", "text": "Hm.", "ts": f"1459032936.{place}"} for place in range(3)
    ]
    assert document_of(said).text.startswith("[2016-03-26 22:55] U0: Hm.")
    joined = {**said[0], "text": "<@U0|ann> has joined the channel"}
    uploaded = {**said[0], "user": None, "username": "<@U0|ann>", "text": "A file."}
    told = document_of([joined, *said, uploaded])
    assert told.metadata["speakers"] == "ann, U1"
    assert told.text.startswith("[2016-03-26 22:55] ann: @ann has joined")


def node(name: str, role: str, text: str, parent: str) -> dict[str, Any]:
    message = {"author": {"role": role}, "create_time": 1589410529.5, "content": {"parts": [text]}}
    return {"message": message, "parent": parent}


def test_of_chatgpt_the_branch_that_stands_is_read_its_answers_as_markdown() -> None:
    mapping = {
        "r": {"message": None, "parent": None},
        "a": node("a", "user", "What do ducks eat?", "r"),
        "old": node("old", "assistant", "Bread.", "a"),
        "new": node("new", "assistant", "# Food\n\n- oats\n- peas", "a"),
    }
    one = {"title": "Ducks", "mapping": mapping, "current_node": "new"}
    document = document_of([one, {**one, "title": "Geese"}])
    assert [(block.kind.value, document.text[block.start : block.end]) for block in document.blocks][:5] == [
        ("heading", "Ducks"),
        ("paragraph", "[2020-05-13 22:55] User: What do ducks eat?"),
        ("paragraph", "[2020-05-13 22:55] Assistant:"),
        ("paragraph", "# Food"),
        ("list", "- oats\n- peas"),
    ]


@pytest.mark.parametrize(
    "held",
    [
        {
            "name": "Pond",
            "messages": [{"from": "Ann", "date": "2026-01-02T10:00:00", "text": ["a ", {"text": "b"}]}] * 2,
        },
        {"title": "Pond", "messages": [{"sender_name": "Ann", "timestamp_ms": 1767348000000, "content": "a b"}] * 2},
        [
            {
                "name": "Pond",
                "chat_messages": [{"sender": "Ann", "created_at": "2026-01-02T10:00:00Z", "text": "a b"}] * 2,
            }
        ],
        {
            "channel": {"name": "Pond"},
            "messages": [{"author": {"name": "Ann"}, "timestamp": "2026-01-02T10:00", "content": "a b"}] * 2,
        },
    ],
)
def test_other_exports_tell_the_same(held: Any) -> None:
    document = document_of(held)
    assert (document.title, document.text) == ("Pond", "\n\n".join(["[2026-01-02 10:00] Ann: a b"] * 2))


@pytest.mark.parametrize("held", [{"messages": {"saved": "Saved."}}, {"messages": ["a", "b"]}, {"mapping": {"a": "b"}}])
def test_other_json_stays_what_it_is(held: Any) -> None:
    assert detect_kind(json.dumps(held).encode(), "messages.json") == "code"


def test_nesting_that_no_export_has_is_no_text() -> None:
    deep = '{"messages": [{"role": "user", "content": ' + '{"content": [' * 400 + '"x"' + "]}" * 400 + "}, 1]}"
    assert detect_kind(deep.encode(), "a.json") == "code"
    deep = deep.replace("}, 1]}", '}, {"role": "user", "content": "a"}, {"role": "user", "content": "b"}]}')
    assert parse(deep.encode(), "a.json", ParsingSettings()).text == "User: a\n\nUser: b"


def test_turns_with_their_times_are_found_however_long_the_answers() -> None:
    answer = "\n\n".join(["They eat oats."] * 9)
    talk = "\n\n".join(f"[2026-01-02 10:0{at}] {who}: {answer}" for at, who in enumerate(("User", "Assistant") * 2))
    assert [turn.speaker for turn in find_turns(talk)] == ["User", "Assistant"] * 2
    assert find_turns(talk.replace("[2026-01-02 10:0", "[")) == []
