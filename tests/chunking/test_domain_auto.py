"""What is chosen for which document, and why; and that prose, papers and notes stay with ``structure``."""

from __future__ import annotations

import json

import pytest

from core.chunking.chunkers.auto import choose
from core.parsing import parse
from core.settings import ParsingSettings
from tests.chunking.domains import tree_of
from tests.chunking.test_domain_clause import contract

PROSE = "The committee met on a rainy morning and agreed on nothing of note. Everyone left early, as usual. "
LOG = "".join(f"2026-11-21T10:00:{second:02}Z INFO job done\n" for second in range(40))
CHAT = "Ada: Is it so?\nBob: It is, I think.\n" * 10
SPOKEN = json.dumps([{"text": "So it is.", "start": 9.5 * at, "speaker": "AB"[at % 2]} for at in range(20)])
LEGAL = (
    "This Agreement is made between the parties. Pursuant to it, liability and termination follow, notwithstanding any "
    "warranty or obligation herein.\n\n"
)
CHOSEN = {
    "log": (LOG, "a.log", "40 of 40 lines have a time stamp"),
    "conversation": (CHAT, "a.txt", "20 turns of 2 speakers were found"),
    "clause": (LEGAL + contract(size=2), "a.txt", "24 numbered clauses in legal words were found"),
    "table": ("city,people\nRome,3\nOslo,1\n", "a.csv", "the file is a table"),
    "code": ("def f():\n    return 1\n", "a.py", "this is a python file"),
    "structure": (f"# One\n\n{PROSE}\n\n## Two\n\n{PROSE}", "a.md", "it has 2 headings"),
}


def test_a_recording_is_a_conversation_and_other_records_are_none():
    recorded = parse(SPOKEN.encode(), "a.json", ParsingSettings())
    assert (recorded.kind, choose(recorded).chunker) == ("records", "conversation")
    notes = json.dumps([{"title": f"Note {at}", "text": f"Ada: {PROSE}\n\nBob: {PROSE}"} for at in range(9)])
    assert choose(parse(notes.encode(), "a.json", ParsingSettings())).chunker == "structure"


@pytest.mark.parametrize("name", list(CHOSEN))
def test_the_document_decides(name):
    text, file, why = CHOSEN[name]
    choice = choose(parse(text.encode(), file, ParsingSettings()))
    assert (choice.chunker, choice.why) == (name, why)


@pytest.mark.parametrize("name", list(CHOSEN))
def test_every_chunk_says_what_was_chosen_and_why(name):
    text, file, why = CHOSEN[name]
    tree = tree_of("auto", text, file)
    assert all(f"auto: {name}, for {why}" in chunk.reasons for chunk in tree.chunks)


def test_a_json_lines_log_is_a_log():
    text = "".join(f'{{"ts": {1_795_284_607 + at}, "level": "info", "msg": "up"}}\n' for at in range(20))
    assert choose(parse(text.encode(), "a.jsonl", ParsingSettings())).chunker == "log"


def test_a_stamped_chat_is_a_conversation():
    text = "".join(f"[10:15:{at:02}] {'Ada' if at % 2 else 'Bob'}: I think so, yes.\n" for at in range(40))
    assert choose(parse(text.encode(), "a.txt", ParsingSettings())).chunker == "conversation"


def test_the_fields_of_records_are_no_speakers():
    events = "".join(
        f"BEGIN:VEVENT\nSUMMARY:Day {at}\nDTSTART:202401{at:02}\nLOCATION:The pond\nURL:a.example\nEND:VEVENT\n"
        for at in range(1, 30)
    )
    calendar = f"BEGIN:VCALENDAR\n{events}END:VCALENDAR\n"
    entry = "TY  - JOUR\nTI  - Ducks\nM1  - School of Ponds, Cork, Ireland\nU2  - Embase, Medline\nER  - \n"
    for data, name in ((calendar, "a.ics"), (entry * 30, "a.ris")):
        assert choose(parse(data.encode(), name, ParsingSettings())).chunker == "structure"


PLAIN = {
    "prose": PROSE * 50,
    "numbered prose": "\n\n".join(f"{at}. {PROSE * 3}" for at in range(1, 30)),
    "a paper": "\n\n".join(
        f"{at}. Results\n\n{PROSE * 3}It holds [3]. This is supported by [4]." for at in range(1, 9)
    ),
    "a novel": "\n\n".join(["“So,” said Ada: “it is done.”", PROSE * 3, "Note: he lied.", "Ada: I know."] * 9),
    "a diary": "\n\n".join(f"2026-11-{day:02} We met.\n{PROSE}" for day in range(1, 29)),
    "one log line": PROSE * 20 + "\n2026-11-21 10:00:00 ERROR down\n" + PROSE * 20,
    "a log, then a report": LOG + "\n" + f"\n{PROSE}\n" * 1000,
    "a list of changes": "Added: a page for chunks.\nFixed: the page is quick.\nAdded: a curve.\n" * 20,
    "an agenda": "".join(f"{at}:30 Welcome and coffee\n" for at in range(9, 19)),
}


@pytest.mark.parametrize("name", list(PLAIN))
def test_what_is_not_plain_stays_with_structure(name):
    assert choose(parse(PLAIN[name].encode(), "a.txt", ParsingSettings())).chunker == "structure"


def test_structure_itself_is_unchanged_by_auto():
    chosen, itself = tree_of("auto", PLAIN["a paper"]), tree_of("structure", PLAIN["a paper"])
    assert [leaf.span for leaf in chosen.leaves] == [leaf.span for leaf in itself.leaves]
