"""Questions drafted from one document: what is asked, what is left alone, and the laws every draft keeps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evaluation.making import prose
from core.evaluation.making.code import parameters
from core.evaluation.making.documents import drafts_of
from core.evaluation.making.draft import Draft, gives_away, stands_alone
from core.parsing import parse
from core.settings import ParsingSettings

SETTINGS = ParsingSettings()
MANUAL = """# The gauge and its backups

A gauge is a rod that shows the level. Backups are kept for 35 days. The backup database is copied every night.
If a gauge is lost, the office sends another rod. To reset a gauge by hand, press the red knob.
Backups are encrypted because the disks travel by train.
Joan Hale leads the survey. The old gauge was switched off on 3 May 2021. It was sold.
Gauges and surveys are old, and they rust.

## Mounting a gauge

You mount it with care, and gauges and backups are noted:

1. Dig a hole.
2. Put the rod in.
3. Close the hole.

## Services

| Service | Owner | State | Written in |
|---|---|---|---|
| pump | Joan Hale | tank | Go |
| valve | Tom Reed | none | Rust |
"""
CODE = '''"""A module."""

MAX_LEVELS = 12


def wait(gauge, seconds: float = 2.5, *, loudly=False):
    """Wait until a gauge has settled down."""
    return gauge
'''


def drafts(text: str, name: str = "manual.md") -> dict[str, Draft]:
    document = parse(text.encode(), name, SETTINGS)
    return {draft.question: draft for draft in drafts_of(document, SETTINGS)}


@pytest.mark.parametrize(
    ("question", "answer", "quote"),
    [
        ("What is a gauge?", "a rod that shows the level", "A gauge is a rod that shows the level."),
        ("How long are backups kept?", "35 days", "Backups are kept for 35 days."),
        ("How often is the backup database copied?", "every night", "The backup database is copied every night."),
        (
            "What happens if a gauge is lost?",
            "the office sends another rod",
            "If a gauge is lost, the office sends another rod.",
        ),
        ("How do I reset a gauge by hand?", "press the red knob", "To reset a gauge by hand, press the red knob."),
        (
            "Why are backups encrypted?",
            "the disks travel by train",
            "Backups are encrypted because the disks travel by train.",
        ),
        ("Who leads the survey?", "Joan Hale", "Joan Hale leads the survey."),
        (
            "When was the old gauge switched off?",
            "3 May 2021",
            "The old gauge was switched off on 3 May 2021.",
        ),
        ("What is the owner for pump?", "Joan Hale", "pump | Joan Hale | tank | Go"),
    ],
)
def test_a_sentence_or_cell_is_asked_for_with_its_place(question: str, answer: str, quote: str) -> None:
    draft = drafts(MANUAL)[question]
    assert draft.answer == answer
    assert MANUAL[draft.gold.start : draft.gold.end].strip("| ") == quote


def test_the_steps_below_a_heading_are_asked_for() -> None:
    draft = drafts(MANUAL)["What are the steps to mount a gauge?"]
    assert MANUAL[draft.gold.start : draft.gold.end] == "1. Dig a hole.\n2. Put the rod in.\n3. Close the hole."
    assert draft.others == ("How do I mount a gauge?",)


def test_a_heading_asks_only_where_what_stands_below_it_answers() -> None:
    said = "The gauge is read at noon, and the log has a line for every day of the year."
    asked = {
        "How do I read the gauge?": said,
        "How is the gauge built?": "To be added...",
        "What does it need?": "Tools:",
    }
    text = "".join(f"## \U0001f64b {heading}\n\n{below}\n\n" for heading, below in asked.items())
    assert list(drafts(text)) == ["How do I read the gauge?"]
    entry = "@article{a,\n  title = {Can gauges help the survey of rivers?},\n  author = {Hale, Joan}\n}\n"
    assert drafts(entry, "papers.bib") == {}


def test_what_points_elsewhere_or_says_nothing_is_not_asked() -> None:
    asked = " ".join(drafts(MANUAL))
    assert " it " not in asked
    assert "they" not in asked
    assert "the state for valve" not in asked  # "none" answers nothing
    assert "written in" not in asked  # no noun, so that no question can ask for it
    assert drafts("# Rates\n\nThis is a rod. It lasts for 3 days. As said above, the other is kept for 5 days.\n") == {}
    said = "- When a contract with a carrier ends stands in the speaker notes of a slide on the autumn outing."
    assert drafts(f"# Contracts with carriers\n\nThese are the contracts that we signed.\n\n{said}\n") == {}


def test_no_condition_is_lost_and_what_was_spoken_of_before_is_not_asked_about() -> None:
    said = (
        "Gauges shine for ten seconds after a magnet was held to the mark. "
        "If a gauge was mended in the last two hours, roll it back first and think afterwards. "
        "The rod of a gauge is painted; the gauge is dried for two hours. Gauges are painted for two days."
    )
    table = "| Service | State |\n|---|---|\n| pump | red |\n| valve | the same as the pump |\n"
    asked = drafts(f"# Gauges of a service\n\n{said}\n\n{table}")
    assert set(asked) == {
        "What should be done if a gauge was mended in the last two hours?",
        "How long are gauges painted?",
        "What is the state for pump?",
    }


def test_a_document_in_another_language_is_left_alone() -> None:
    text = "# Der Pegel\n\nEin Pegel ist ein Stab, der den Stand zeigt. Die Daten werden für 35 Tage aufbewahrt.\n"
    assert drafts(text * 3) == {}


@pytest.mark.parametrize(
    "text", ["12", "# Der Pegel\n\nEin Pegel ist ein Stab, der den Stand zeigt.\n", "# 12\n\n7 | 8\n"]
)
def test_where_no_sentence_is_english_no_grammar_is_loaded(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prose, "english", lambda: pytest.fail("the grammar was loaded"))
    assert drafts(text) == {}


def test_many_sentences_are_read_in_their_order() -> None:
    said = [f"Gauge {number} is painted green." for number in range(150)]
    assert [doc.text for doc in prose.parsed(said)] == said


def test_a_period_at_the_head_of_a_sentence_leaves_the_question_its_verb() -> None:
    found = drafts(
        "# Deletion\n\nWithin 30 days, all content will be deleted from active systems. "
        "Within 60 days, all content will be deleted from our backups.\n"
    )
    assert list(found) == ["Within how many days will all content be deleted from active systems?"]


def test_code_is_asked_about_by_defaults_values_and_purpose() -> None:
    found = drafts(CODE, "gauge.py")
    assert found["What is the default of seconds in the function wait?"].answer == "2.5"
    assert found["What is the default of loudly in the function wait?"].answer == "False"
    assert found["What is the value of MAX_LEVELS in gauge.py?"].answer == "12"
    does = found["What does the function wait in gauge.py do?"]
    assert CODE[does.gold.start : does.gold.end] == "Wait until a gauge has settled down."


def test_a_row_that_another_row_is_called_like_is_not_asked_for() -> None:
    table = "| Service | Owner |\n|---|---|\n| pump | Joan Hale |\n| pump | Tom Reed |\n"
    table += "".join(f"| {service} | Tom Reed |\n" for service in ("valve", "gate", "mill"))
    asked = list(drafts(f"# The services\n\nThese are the services that we run.\n\n{table}"))
    assert asked == [f"What is the owner for {service}?" for service in ("valve", "gate", "mill")]


SEATS = """Airline,seat_km_per_week,incidents_85_99,Share Of Late Flights (%)
Aer Lingus,320906734,2,
Air India*,869253552,0,17
Avianca,396922563,0,17
Condor,417982610,0,17
Iberia,1173203126,4,17
KLM,1874561773,7,17
TACA,259373346,3,9
"""


def test_a_table_of_data_is_asked_for_the_cell_by_the_name_of_its_row_and_its_header() -> None:
    found = drafts(SEATS, "airlines.csv")
    assert found["What is the seat km per week for Air India?"].answer == "869253552"
    assert found["What are the incidents 85 99 for Aer Lingus?"].answer == "2"
    assert found["What is the share of late flights for TACA?"].answer == "9"
    assert "What is the share of late flights for KLM?" not in found  # most have 17, which can be guessed
    text = parse(SEATS.encode(), "airlines.csv", SETTINGS).text
    gold = found["What are the incidents 85 99 for Aer Lingus?"].gold
    assert text[gold.start : gold.end] == "Aer Lingus | 320906734 | 2"


def test_where_no_name_tells_rows_apart_a_year_or_code_does_and_measured_figures_do_not() -> None:
    years = "year,Spain,United Kingdom\n" + "".join(f"{1970 + at},{at * 7},{at * 3}\n" for at in range(1, 9))
    assert drafts(years, "years.csv")["What is United Kingdom where year is 1972?"].answer == "6"
    measured = "weight,feed\n" + "".join(f"{at}.5,{'corn' if at % 2 else 'soy'}\n" for at in range(5))
    assert drafts(measured, "chicks.csv") == {}
    assert drafts("method,found\ntransit,12\ntransit,12\n", "planets.csv") == {}


_WORDS = st.sampled_from(
    [
        *"A The An gauge gauges is are was kept keeps for 35 days two every night because if If When it that".split(),
        *'by turning on 3 May 2021 called Rod Joan Hale leads # 1. - To reset Backups must be | , . ; ( ) " `'.split(),
        *("\n", "\n\n", "\n## "),
    ]
)


@given(st.lists(_WORDS, max_size=120).map(" ".join))
def test_every_draft_keeps_the_laws(text: str) -> None:
    document = parse(f"# The gauge\n\n{text}\n".encode(), "any.md", SETTINGS)
    found = drafts_of(document, None)
    assert found == drafts_of(document, None)
    for draft in found:
        quote = document.text[draft.gold.start : draft.gold.end]
        assert quote.strip()
        for wording in draft.wordings:
            assert wording.endswith("?")
            assert stands_alone(wording)
            assert not gives_away(wording, draft.answer)


@given(st.text(alphabet="abc=,()[]{}<>'\" :1\n", max_size=60))
def test_any_signature_can_be_read(signature: str) -> None:
    for name, value in parameters(signature):
        assert name.isidentifier()
        assert value in signature
