"""Conversations: the forms of turns, what is none, and what stays together."""

from __future__ import annotations

import re

import pytest

from core.chunking.signals.turns import find_turns, read_label
from core.parsing.plain import subtitles
from core.types import Span
from tests.chunking.domains import leaf_with, tree_of

LABELS = [
    ("Professor E: So . OK .", "Professor E", ""),
    ("Huw Irranca-Davies AM: Thank you.", "Huw Irranca-Davies AM", ""),
    ("SPEAKER_00: hello", "SPEAKER_00", ""),
    ("**Bob:** No.", "Bob", ""),
    ("**Bob**: No.", "Bob", ""),
    (">> ADA: No.", "ADA", ""),
    ("[10:15] Ada Lovelace: Hm.", "Ada Lovelace", "10:15"),
    ("[21.11.26, 18:10:07] Ada: Hm.", "Ada", "21.11.26, 18:10:07"),
    ("21/11/2026, 18:10 - Ada: Hm.", "Ada", "21/11/2026, 18:10"),
    ("11/21/26, 6:10 PM - +49 170 1234567: Hm.", "+49 170 1234567", "11/21/26, 6:10 PM"),
    ("21/11/2026, 6:10 p. m. - Ada: Hm.", "Ada", "21/11/2026, 6:10 p. m."),
    ("[Ada Lovelace] 10:15:09", "Ada Lovelace", "10:15:09"),
    ("Ada (10:15):", "Ada", "10:15"),
    ("Ada Lovelace  10:15 AM", "Ada Lovelace", "10:15 AM"),
    ("[18:10:07] <ada_l> hm", "ada_l", "18:10:07"),
    ("<@ada> hm", "ada", ""),
    ("Q. Why?", "Q", ""),
    ("A: Because.", "A", ""),
    ("Frage: Warum?", "Frage", ""),
    ("王小明: 你好。", "王小明", ""),
    ("The Minister for Ponds and Lakes (Mr. Lee): No.", "Mr. Lee", ""),
    ("Hon. Annabel Beatrice Lee (Minister of National Ponds): No.", "Hon. Annabel Beatrice Lee", ""),
]


@pytest.mark.parametrize(("line", "name", "time"), LABELS)
def test_labels_are_read(line, name, time):
    label = read_label(line)
    assert (label.name, label.time) == (name, time)


@pytest.mark.parametrize(
    "line",
    [
        "Note: this matters.",
        "Step 2: press it.",
        "There is one thing he said: no.",
        "https://example.org: a page",
        "ERROR: it broke",
        "name: Ada",
        "So the answer is clear: no.",
        "10:30 Welcome and coffee",
        "",
    ],
)
def test_other_lines_have_none(line):
    assert read_label(line) is None


NO_TALK = {
    "fields": "Name: Ada\nBorn: 1815\nName: Bob\nBorn: 1820\nName: Cid\nBorn: 1830",
    "glossary": "Leaf: the smallest chunk of all.\nParent: what holds it, and more.\nRoot: the document, whole.\n",
    "changes": "Added: a page for chunks.\nFixed: the page is quick.\nAdded: a curve.\nFixed: the curve fits.\n" * 3,
    "prose": "He spoke.\nNote: it was late.\nThey left: all of them.\nNote: nobody stayed.\n" * 4,
    "records": "Host: alpha\nPort: 80\nHost: beta\nPort: 81\nHost: gamma\nPort: 82\n",
    "monologue": "Ada: One thing is clear.\nAda: It rains.\nAda: And it pours.\n",
    "quotes": "The minister spoke at length about the plan.\n\nAda: I agree.\n\n"
    + "Prose goes on here.\n\n" * 20
    + "Ada: No.",
}


@pytest.mark.parametrize("name", list(NO_TALK))
def test_other_texts_are_no_conversation(name):
    assert find_turns(NO_TALK[name]) == []


def test_turns_are_whole_and_counted_without_backchannels():
    lines = [f"{name}: I think that number {at} will do for us." for at, name in enumerate(["Ada", "Bob"] * 4)]
    lines.insert(1, "Bob: Mm-hm.")
    tree = tree_of("conversation", "\n".join(lines), conversation_turns=3)
    counted = [leaf.text.count("I think") for leaf in tree.leaves]
    assert (len(counted), max(counted), sum(counted)) == (3, 3, 8)
    assert "begins: 3 turns make a leaf" in [leaf.reasons[0] for leaf in tree.leaves]
    assert tree.leaves[0].metadata == {"speaker": ("Ada", "Bob")}


def test_a_question_stays_with_the_beginning_of_its_answer():
    pair = "Ada: What about the matter of number {0} then?\nBob: It is settled, as you know well.\n"
    for turns in (2, 3, 5):
        tree = tree_of("conversation", "".join(pair.format(at) for at in range(9)), conversation_turns=turns)
        for leaf in tree.leaves:
            assert not leaf.text.endswith("?"), turns


def test_a_long_turn_names_its_speaker_again():
    long = "Bob: " + "It was late when we found it. " * 30
    tree = tree_of("conversation", f"Ada: What was it?\n{long}\nAda: I see, and then?\nBob: Nothing at all.")
    parts = [leaf for leaf in tree.leaves if leaf.text.startswith("It was late")]
    assert len(parts) > 1
    assert all([part.text for part in leaf.prefix if part.kind == "speaker"] == ["Bob:"] for leaf in parts)


def hearing() -> str:
    """Speeches of several paragraphs, with a page's footer in one of them; some speak once, one has an office."""
    speech = "\n\n".join(["I rise, as I said, to speak of the ponds of this county."] * 6)
    said = ["Mr. Lee", "The Minister for Ponds, Rivers and Lakes (Ms. Fox)", "Mr. Lee", "Dr. Roe", "Ms. Fox"] * 2
    pages = [f"{name}: {speech}\n\nDisclaimer: not certified" for name in said]
    return "\n\n".join([*pages, "Hon. Oak: So be it."])


def test_in_proceedings_long_speeches_are_turns_and_footers_are_none():
    text = hearing()
    footers = [Span(found.start(), found.end()) for found in re.finditer("Disclaimer.*", text)]
    speakers = [turn.speaker for turn in find_turns(text, skipped=footers)]
    assert speakers == [*["Mr. Lee", "Ms. Fox", "Mr. Lee", "Dr. Roe", "Ms. Fox"] * 2, "Hon. Oak"]
    assert not find_turns(text.replace("Mr. Lee", "Lee").replace("Dr. Roe", "Roe").replace("Ms. Fox:", "Fox:"))
    tree = tree_of("auto", re.sub("Disclaimer.*", "", text), max_tokens=40)
    parts = [leaf for leaf in tree.leaves if leaf.text.startswith("I rise")]
    assert len(parts) > 10
    assert all(part.metadata["speaker"] and "speaker" in [one.kind for one in part.prefix] for part in parts)


def test_a_heading_ends_a_turn():
    text = "# Talk\n\nAda: Is it so?\n\nBob: It is.\n\nAda: Good.\n\nBob: Bye now.\n\n# Notes\n\nNobody else came.\n"
    tree = tree_of("conversation", text, "file.md", max_tokens=20)
    assert "speaker" not in leaf_with(tree, "Nobody").metadata


def test_subtitles_are_turns_as_they_are_parsed():
    cue = "00:00:0{n}.000 --> 00:00:0{n}.900\n<v {name}>so it is.\n\n"
    cues = "WEBVTT\n\n" + "".join(cue.format(n=n, name=name) for n, name in enumerate(["Ada", "Bob", "Ada"], 1))
    text = "\n\n".join(piece.words.text for piece in subtitles.read(cues.encode(), "a.vtt").pieces)
    assert [(turn.speaker, turn.time) for turn in find_turns(text)][:2] == [("Ada", "00:00:01"), ("Bob", "00:00:02")]


def test_slack_like_exports():
    text = (
        "Ada Lovelace  10:15 AM\nIs it up?\n\nBob Roe  10:16 AM\nNot yet.\nSoon.\n\nAda Lovelace  10:20 AM\nThanks!\n"
    )
    turns = find_turns(text)
    assert [(turn.speaker, text[turn.body : turn.end]) for turn in turns][1] == ("Bob Roe", "Not yet.\nSoon.")
