"""What is read out of questions: the phrasings people use, the slips that must not filter, and the laws."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.search.question.analysis import understand
from core.search.question.operators import parse_operators
from core.settings import GENRES
from core.settings.searching import UnderstandingSettings
from core.storage.catalogue.filing.source_metadata import KnownNames

KNOWN = KnownNames(
    kinds=frozenset({"pdf", "docx", "xlsx", "markdown", "md", "eml", "csv"}),
    names=frozenset(
        {"handbook.md", "Engineering handbook", "security-policy.docx", "autumn-review.pptx", "report.pdf"}
    ),
    collections=frozenset({"Field notes", "Work"}),
    tags=frozenset({"urgent", "data"}),
    folders=frozenset({"projects"}),
    genres=frozenset({"API", "release notes", "meeting", "troubleshooting"}),
)
EVERYTHING = UnderstandingSettings()


def stated(question):
    return [one.words for one in understand(question, EVERYTHING, KNOWN).conditions]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("token lifetime type:pdf", ["type: PDF"]),
        ("TYPE:.PDF tokens", ["type: PDF"]),
        ("type:word or filetype:excel", ["type: word", "type: excel"]),
        ("in:handbook how do I roll back?", ["in: handbook"]),
        ('roll back in:"Security Policy"', ["in: Security Policy"]),
        ("tag:urgent folder:projects collection:work", ["in: urgent", "in: projects", "in: work"]),
        ("genre:api tokens", ["genre: API"]),
        ("batteries after:2023-05 before:2024", ["after 2023-05", "before 2024"]),
        ('how long is an "access  token" valid?', ["phrase: “access token”"]),
        ("how long is an “access token” valid?", ["phrase: “access token”"]),
        ('battery decisions -draft -"old version"', ["not: draft", "not: old version"]),
        ("How long is a token valid? -draft", ["not: draft"]),
        ("-draft How long is a token valid?", ["not: draft"]),
        ("How do I roll back a deployment in the handbook?", []),  # in words, nothing filters
        ("minutes since March 2024 about batteries", []),
    ],
)
def test_what_is_stated_filters(question, expected):
    assert stated(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "What is a well-known state-of-the-art method - and why?",
        "What does -v do, and --verbose, and tar -xzf?",
        "tar -xzf archive",
        "What is possible in many resource -limited settings?",
        "Is COVID -19 spread in winter?",
        "Does std::vector have type:int, or a:b?",
        "Is it 12:30 or at http://example.org/in:handbook?",
        'Is a 5" pipe wider than a 4" pipe?',
        "What's the driver's name, and the 'other' one's?",
    ],
)
def test_what_only_looks_so_does_not(question):
    assert stated(question) == []


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("What is a race?", ""),
        ("How do I exchange a Heron?", "procedure"),
        ("How is a Heron exchanged, step by step?", "procedure"),
        ("What is the difference between a race and a sluice?", "comparison"),
        ("REST vs. MQTT", "comparison"),
        ("How many partitions will there be?", "number"),
        ("What was the mortality rate?", "number"),
        ("Why did it fail?", ""),
        ("How does the loader handle errors?", ""),
    ],
)
def test_what_sort_of_answer_is_asked_for(question, intent):
    assert understand(question, EVERYTHING, KNOWN).intent == intent


@pytest.mark.parametrize(
    ("question", "filters", "text"),
    [
        ("type:pdf,md tokens", ["type: PDF", "type: md"], "tokens"),
        ("type:pdf, tokens", ["type: PDF"], ", tokens"),
        ("in:handbook,projects keys", ["in: handbook", "in: projects"], "keys"),
        ("in:'Security Policy' keys", ["in: Security Policy"], "keys"),
        ("in:‘Security Policy’ keys", ["in: Security Policy"], "keys"),
        ("keys -'old version'", ["not: old version"], "keys"),
        ("keys -type:pdf,word", ["not type: PDF", "not type: word"], "keys"),
        ("How long is -in:handbook a token valid?", ["not in: handbook"], "How long is a token valid?"),
        ('-in:"Security Policy" -genre:api keys', ["not in: Security Policy", "not genre: API"], "keys"),
        ("-during:2023 -after:2024 keys", ["not during 2023", "not after 2024"], "keys"),
        ("during:2023/2024 keys", ["during 2023 to 2024"], "keys"),
    ],
)
def test_operators_of_several_values_and_turned_round(question, filters, text):
    found = understand(question, EVERYTHING, KNOWN)
    assert ([one.words for one in found.conditions], found.text, found.notes) == (filters, text, ())


@pytest.mark.parametrize(
    ("question", "noted"),
    [
        ("type:foo eels", "There is no type “foo”, so that type:foo is read as words."),
        ("-type:foo eels", "There is no type “foo”, so that -type:foo is read as words."),
        ("type:pdf,foo eels", "There is no type “foo”, so that type:pdf,foo is read as words."),
        ("-in:nowhere eels", "Nothing in this library is called “nowhere”, so that -in:nowhere is read as words."),
        ("in:'Far away' eels", "Nothing in this library is called “Far away”, so that in:'Far away' is read as words."),
        ("std::vector type::Other `type:int` file:///etc/hosts type:List<int> foo:bar", ""),
    ],
)
def test_an_operator_that_names_nothing_is_noted_unless_it_is_code(question, noted):
    found = understand(question, EVERYTHING, KNOWN)
    assert (found.conditions, found.text, found.notes) == ((), question, (noted,) if noted else ())


def test_nothing_filters_where_filters_are_off_or_nothing_is_known():
    question = 'in:handbook type:pdf "access token" -draft'
    off = understand(question, UnderstandingSettings(filters=False), KNOWN)
    assert (off.conditions, off.text) == ((), question)
    assert understand("in:handbook", EVERYTHING).conditions == ()


FRAGMENTS = [
    *(
        "type:pdf",
        "in:handbook",
        "in:nowhere",
        '"access token"',
        "“two\tsites”",
        "-draft",
        '-"old one"',
        "after:2023-05",
    ),
    *(
        "-type:pdf",
        "type:pdf,md",
        "in:'field notes'",
        "-in:handbook,projects",
        "type:,",
        "during:2023/2024",
        "genre:API",
    ),
    *("in the handbook", "getUserName()", "E-1042", "api.md", "what is", "how do I", "and which", "or", "?", "-"),
    *('"', "“", ":", "in the", "PDFs", "genre:API", "after:2023-05", "日本語", "\n", "ß", "İ", "§ 4"),
]
QUESTIONS = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=6), max_size=9).map(" ".join) | st.text(max_size=40)


@given(QUESTIONS)
def test_everything_stands_in_the_question(question):
    found = understand(question, EVERYTHING, KNOWN)
    assert found.question == question
    for one in found.conditions:
        assert 0 <= one.start < one.end <= len(question)
    keys = [one.key for one in found.chips]
    assert len(keys) == len(set(keys))


@given(QUESTIONS)
def test_the_text_keeps_every_word_that_no_operator_uses(question):
    found = understand(question, EVERYTHING, KNOWN)
    used = parse_operators(question, KNOWN).spans
    rest = question
    for start, end in used:
        rest = rest[:start] + " " * (end - start) + rest[end:]
    if re.search(r"\w", rest):
        assert found.text.split() == (rest if used else question).split()
    else:
        assert found.text == question
    assert bool(re.search(r"\w", found.text)) == bool(re.search(r"\w", question))


@given(QUESTIONS, st.data())
def test_a_chip_that_is_taken_away_is_gone_and_no_other(question, data):
    before = understand(question, EVERYTHING, KNOWN)
    if not before.chips:
        return
    chip = data.draw(st.sampled_from(before.chips))
    after = understand(question, EVERYTHING, KNOWN, frozenset({chip.key}))
    assert {one.key for one in after.chips} == {one.key for one in before.chips} - {chip.key}
    assert after.text == before.text


def test_the_suites_questions_state_next_to_nothing(shared):
    """Of 2,637 real questions, with names around that invite mistakes, only quoted phrases filter, and four of them."""
    import json

    names = frozenset(
        {"handbook.md", "report.pdf", "data.csv", "paper.pdf", "code.py", "study.md", "remote control", "human body"}
    )
    known = KnownNames(
        frozenset({"pdf", "docx", "xlsx", "markdown", "text", "code", "html", "csv", "eml"}),
        names,
        frozenset({"Research", "Meetings"}),
        frozenset({"work", "health"}),
        frozenset({"docs", "src", "papers"}),
        frozenset(GENRES) - {"other"},
    )
    found = []
    for suite in ("chroma", "code", "covidqa", "qmsum", "scifact"):
        for line in (shared / "suites" / suite / "questions.jsonl").read_text().splitlines():
            understood = understand(json.loads(line)["question"], EVERYTHING, known)
            assert understood.text == understood.question
            found += [(suite, one.words) for one in understood.conditions]
    assert [words for _, words in found if not words.startswith("phrase: ")] == []
    assert len(found) <= 4
