"""Logs: the forms of stamps, what belongs to an entry, and where sessions and windows begin."""

from __future__ import annotations

import pytest

from core.chunking.signals.log_lines import log_entries, sessions
from core.chunking.signals.log_stamps import read_stamp
from tests.chunking.domains import leaf_with, parents_of, tree_of

STAMPS = [
    ("2026-11-21T18:10:07.123Z INFO up", "2026-11-21T18:10:07.123Z"),
    ("2026-11-21 18:10:07,123 - root - INFO - up", "2026-11-21T18:10:07.123"),
    ("2026-11-21T18:10:07+0100 up", "2026-11-21T18:10:07+01:00"),
    ("[2026-11-21 18:10:07] prod.ERROR: down", "2026-11-21T18:10:07"),
    ("INFO  [main] 2026-11-21 18:10:07.5 up", "2026-11-21T18:10:07.5"),
    ("web_1  | 2026-11-21T18:10:07Z up", "2026-11-21T18:10:07Z"),
    ("2026/11/21 18:10:07 [error] 12#12: down", "2026-11-21T18:10:07"),
    ("Nov  1 18:10:07 host sshd[12]: up", "11-01T18:10:07"),
    ("<34>Nov 21 18:10:07 host su: up", "11-21T18:10:07"),
    ("[Sat Nov 21 18:10:07.123456 2026] [core:error] down", "2026-11-21T18:10:07.123456"),
    ('1.2.3.4 - ada [21/Nov/2026:18:10:07 +0000] "GET / HTTP/1.1" 200 5', "2026-11-21T18:10:07+00:00"),
    ("I1121 18:10:07.123456 12 main.cc:7] up", "11-21T18:10:07.123456"),
    ("21.11.2026 18:10:07 up", "2026-11-21T18:10:07"),
    ("26/11/21 18:10:07 INFO SparkContext: up", "2026-11-21T18:10:07"),
    ("11-21 18:10:07.811  1702  2395 D WindowManager: up", "11-21T18:10:07.811"),
    ("20261121-18:10:07:606|Step|up", "2026-11-21T18:10:07"),
    ("nova-api.log.1.2026-11-20_13:53:08 2026-11-21 18:10:07.008 25746 INFO up", "2026-11-21T18:10:07.008"),
    ("20261121-8:10:7:6|Step|up", "2026-11-21T08:10:07"),
    ("261121 181007 148 INFO dfs.DataNode: up", "2026-11-21T18:10:07"),
    ("261121  18:10:07 [Note] mysqld: up", "2026-11-21T18:10:07"),
    ("[11.21 18:10:07] chrome.exe - up", "11-21T18:10:07"),
    ("var/app.log:12:2026-11-21 18:10:07 up", "2026-11-21T18:10:07"),
    ("1795284607.25 up", "2026-11-21T18:10:07.25Z"),
    ("1795284607123: up", "2026-11-21T18:10:07.123Z"),
    ("18:10:07.123 [main] DEBUG up", "18:10:07.123"),
    ('level=info ts=2026-11-21T18:10:07Z msg="up"', "2026-11-21T18:10:07Z"),
    ('{"level":"info","time":"2026-11-21T18:10:07Z","msg":"up"}', "2026-11-21T18:10:07Z"),
    ('{"msg":"up","ts":1795284607.5}', "2026-11-21T18:10:07.5Z"),
]


@pytest.mark.parametrize(("line", "iso"), STAMPS)
def test_stamps_are_read(line, iso):
    assert read_stamp(line).iso == iso


@pytest.mark.parametrize(
    "line",
    [
        "On 2026-11-21 18:10:07 the board met.",
        "2026-11-21 the board met.",
        "2026-13-41 18:10:07 up",
        "26/13/41 18:10:07 up",
        "see app.log 2026-11-21 18:10:07 up",
        "10:30 Welcome and coffee",
        "123456 181007 two numbers",
        "00:01:02.000 --> 00:01:05.000",
        "1234567890123456789 up",
        "0999999999 up",
        "  at 18:10:07 in main.c",
        '{"ts": "soon"}',
        "{" * 5000,
        "",
    ],
)
def test_other_lines_have_none(line):
    assert read_stamp(line) is None


@pytest.mark.parametrize(
    ("line", "iso"),
    [
        ("- 179528460{0} 2026.11.21 R02-M1 RAS KERNEL INFO corrected", "2026-11-21T18:10:0{0}Z"),
        ("13468{0} node-24{0} unix.hw state_change 179528460{0} 1 up", "2026-11-21T18:10:0{0}Z"),
        ("host{0} cron 2026-11-21 18:10:0{0} up", "2026-11-21T18:10:0{0}"),
    ],
)
def test_stamps_are_read_in_the_field_that_holds_them_in_all_lines(line, iso):
    entries = log_entries("\n".join(line.format(second) for second in range(10)) + "\n  a trace")
    assert [entry.iso for entry in entries] == [iso.format(second) for second in range(10)]


@pytest.mark.parametrize(
    "text",
    [
        "On 2026-11-21 18:10:07 the board met.\n" + "It spoke of ducks.\n" * 20,
        "\n".join(f"{place} Ann 1:0{place}:07 and 12:10:0{place}" for place in range(10)),
    ],
)
def test_a_time_within_lines_makes_no_log(text):
    assert not log_entries(text)


def test_zones_are_comparable():
    east, west = read_stamp("2026-11-21T18:10:07+05:30 a"), read_stamp("2026-11-21T12:40:07Z b")
    assert east.seconds == west.seconds


def test_times_go_on_past_midnight_and_new_year():
    night = log_entries("23:59:58 a\n00:00:02 b\n")
    assert night[1].seconds - night[0].seconds == 4
    year = log_entries("Dec 31 23:59:58 host a\nJan  1 00:00:02 host b\n")
    assert 0 < year[1].seconds - year[0].seconds <= 86_404


def test_a_stack_trace_belongs_to_its_entry():
    text = "10:00:01 ERROR down\nTraceback (most recent call last):\n  File 'a.py'\n\nValueError\n10:00:02 INFO up"
    first, second = log_entries(text)
    assert text[first.start : first.end].endswith("ValueError")
    assert (first.level, second.level) == ("ERROR", "INFO")


def clock(second):
    return f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"


def test_a_silence_begins_a_session_and_minutes_a_window():
    seconds = [*range(36_000, 36_000 + 1500, 60), *range(40_000, 40_300, 60)]
    text = "\n".join(f"2026-11-21 {clock(second)} INFO job {second} is done" for second in seconds)
    tree = tree_of("log", text, log_minutes=10, log_gap_minutes=5, max_tokens=400, parent_max_tokens=2000)
    assert [len(parent.text.split("\n")) for parent in parents_of(tree)] == [25, 5]
    assert [len(leaf.text.split("\n")) for leaf in tree.leaves] == [10, 10, 5, 5]
    assert parents_of(tree)[1].reasons[0] == "begins: 43 minutes of silence lie here"
    assert tree.leaves[1].reasons[0] == "begins: a window of 10 minutes starts here"
    assert tree.leaves[0].metadata == {
        "first_time": ("2026-11-21T10:00:00",),
        "last_time": ("2026-11-21T10:09:00",),
        "levels": ("INFO",),
    }


def test_ids_make_sessions_unless_they_interleave():
    def lines(names):
        return "\n".join(f"2026-11-21 {clock(60 + at)} INFO session={name} step" for at, name in enumerate(names))

    apart = tree_of("log", lines(["aa11"] * 8 + ["bb22"] * 8))
    assert [parent.metadata["session"] for parent in parents_of(apart)] == [("aa11",), ("bb22",)]
    mixed = tree_of("log", lines(["aa11", "bb22"] * 8))
    assert len(parents_of(mixed)) == 1
    assert "interleave" in mixed.leaves[0].reasons[2]


def test_entries_far_apart_are_packed_by_size():
    text = "\n".join(f"2026-11-{day:02} 04:00:00 INFO backup done" for day in range(1, 21))
    tree = tree_of("log", text)
    assert len(tree.leaves) < 10
    assert "a silence says nothing" in tree.leaves[0].reasons[2]
    assert sessions(log_entries(text), 5).is_timed is False


def test_a_trace_that_fits_stays_with_its_entry():
    entry = "10:00:0{0} ERROR job {0} failed\n  File a.py, line 7, in run\n  File b.py, line 9, in go\nValueError: bad"
    tree = tree_of("log", "\n".join(entry.format(at) for at in range(9)), max_tokens=60)
    assert all(leaf.text.startswith("10:00:") and leaf.text.endswith("bad") for leaf in tree.leaves)
    assert leaf_with(tree, "job 3").metadata["levels"] == ("ERROR",)


@pytest.mark.parametrize(
    "piece", ["[a ", "- - | ", "<1>", "[thread-", "session=", "ts=", "2026-11-21 18:", "INFO:", "a.log.", "a.log:1:"]
)
def test_hostile_lines_do_not_run_away(piece):
    """Nothing but the patience of who runs it tells: a pattern that backtracks would take years."""
    text = (piece * (300 // len(piece)) + "\n") * 1000
    assert log_entries(text) == [] or piece.startswith("2026")


def test_sessions_that_interleave_are_named_with_their_tickets():
    text = "".join(
        f"2026-11-21 10:{at:02d}:00 INFO session=s{at % 3} step {at}{' for OPS-77' if at == 4 else ''}\n"
        for at in range(18)
    )
    tree = tree_of("log", text)
    assert any("interleave" in reason for reason in tree.leaves[0].reasons)
    assert all(set(leaf.metadata["session"]) <= {"s0", "s1", "s2"} for leaf in tree.leaves)
    assert leaf_with(tree, "step 4 ").metadata["ticket"] == ("OPS-77",)
    assert "ticket" not in leaf_with(tree, "step 17").metadata
