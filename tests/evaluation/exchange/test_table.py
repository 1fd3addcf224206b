"""A plain table of questions: read as people write it, placed by its words, and told row by row what was not found."""

from __future__ import annotations

import json

import pytest

from core.errors import SuiteError
from core.evaluation.exchange import FORMATS
from core.evaluation.exchange.importing import import_judgments
from core.evaluation.exchange.values import Exchange, Quoted, read_files
from core.library import Incoming, Library

GAUGES = "# Gauges\n\nA **gauge** is a rod, kept\nfor 35 days. The pump is greased daily; the valve weekly.\n"
PUMPS = "# Pumps\n\nBackups are kept for 35 days. Nobody greases a pump twice a day.\n"


def read(text: str, name: str = "questions.csv") -> Exchange:
    return FORMATS["table"].read({name: text})


@pytest.fixture
def filled(library: Library, tmp_path):
    for name, text in (("gauges.md", GAUGES), ("pumps.md", PUMPS)):
        (tmp_path / name).write_text(text)
        assert library.ingest([Incoming(name, tmp_path / name)]).failures == ()
    return library


def placed(library: Library, text: str) -> tuple[dict[str, str], dict[str, str]]:
    """Of each question the words of its gold, and of each that was not placed the reason."""
    imported = import_judgments(library, read(text))
    rows = {row.judgment.question: row for row in library.judgments()}
    for row in rows.values():
        if row.version_id is not None:
            assert library.document(row.version_id).text[row.start : row.end] == row.judgment.quote
    return {question: row.judgment.quote for question, row in rows.items()}, dict(imported.unplaced)


@pytest.mark.parametrize(
    "text",
    [
        "question,answer,passage,file\nHow long?,35 days,kept for 35 days,pumps.md\n",
        "\ufeffQuestion;Expected answer;Quote;Document;Remark\nHow long?;35 days;kept for 35 days;pumps.md;mine\n",
        "file\tquestion\tanswer\tpassage\r\npumps.md\tHow long?\t35 days\tkept for 35 days\r\n",
        json.dumps({"question": "How long?", "answer": "35 days", "passage": "kept for 35 days", "file": "pumps.md"}),
        json.dumps([{"user_input": "How long?", "reference": "35 days", "reference_contexts": ["kept for 35 days"],
                     "source": "pumps.md"}], indent=1),
    ],
)  # fmt: skip
def test_columns_go_by_the_names_that_people_give_them(text: str) -> None:
    assert read(text).quoted == (Quoted("How long?", ("kept for 35 days",), "35 days", "pumps.md"),)


def test_the_answer_is_the_quote_where_no_passage_is_given_and_no_answer_is_an_answer() -> None:
    rows = "question,answer\nHow long?,35 days\nWho?,No answer\nWhen?,\n,no question\n"
    assert read(rows).quoted == (
        Quoted("How long?", ("35 days",), "35 days"),
        Quoted("Who?", unanswerable=True),
        Quoted("When?"),
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Frage,Antwort\nWer?,Ada\n", "no column for the question: its columns are Frage, Antwort"),
        ("question,answer\n", "no row with a question"),
        ('{"question": "?"}\n{', "line 2 is not JSON"),
        ("[1]", "must be an object"),
        ('question,answer\n"a', "is no table"),
    ],
)
def test_what_is_no_table_of_questions_gets_a_sentence(text: str, words: str) -> None:
    with pytest.raises(SuiteError, match=words):
        read(text)


def test_words_are_found_exactly_and_else_in_other_case_blanks_and_marks(filled: Library) -> None:
    gold, unplaced = placed(
        filled,
        "question,passage,document\n"
        "Exactly?,the valve weekly,\n"
        "In other case?,the PUMP is  greased daily,\n"
        "Beyond marks?,“a gauge is a rod kept for 35 days”,\n"
        "In the document named?,kept for 35 days,pumps\n",
    )
    assert unplaced == {}
    assert gold == {
        "Exactly?": "the valve weekly",
        "In other case?": "The pump is greased daily",
        "Beyond marks?": "A **gauge** is a rod, kept\nfor 35 days",
        "In the document named?": "kept for 35 days",
    }


def test_every_row_that_is_not_placed_says_why(filled: Library) -> None:
    gold, unplaced = placed(
        filled,
        "question,answer,document\n"
        "Short and twice?,35 days,\n"
        "Nowhere?,a fortnight,\n"
        "Not there?,the valve weekly,pumps.md\n"
        "Whose?,35 days,handbook.pdf\n"
        "Empty?,,\n"
        "Nothing says?,no answer,\n",
    )
    assert gold == {"Nothing says?": ""}
    assert unplaced == {
        "Short and twice?": "“35 days” is in 2 places: quote more of the passage, or name its document.",
        "Nowhere?": "“a fortnight” is in no document of the library: quote the passage word for word.",
        "Not there?": "“the valve weekly” is not in pumps.md as the library has it: quote the passage word for word.",
        "Whose?": "No document of the library is called handbook.pdf.",
        "Empty?": "Its row has neither an answer nor a passage.",
    }


def test_one_file_is_read_whatever_its_ending(tmp_path) -> None:
    (tmp_path / "other.csv").write_text("not read")
    for name in ("mine.csv", "mine.tsv", "mine.jsonl", "mine.txt"):
        (tmp_path / name).write_text("question\tanswer\nHow long?\t35 days\n")
        files = read_files(FORMATS["table"], tmp_path / name)
        assert FORMATS["table"].read(files).quoted == (Quoted("How long?", ("35 days",), "35 days"),)


def test_headers_of_several_words_go_by_the_last_one_and_what_is_not_read_is_told() -> None:
    found = read(
        "Nr;Question ID;User question;Gold answer;Source file;Source quote\n1;7;How long?;35 days;pumps.md;kept\n"
    )
    assert found.quoted == (Quoted("How long?", ("kept",), "35 days", "pumps.md"),)
    assert found.unread == ("Nr", "Question ID")


def test_a_list_as_pandas_writes_it_is_a_list_of_passages() -> None:
    cell = str(["kept\nfor 35 days", "it's greased daily"]).replace('"', '""')
    assert read(f'user_input,reference_contexts\nHow long?,"{cell}"\n').quoted == (
        Quoted("How long?", ("kept\nfor 35 days", "it's greased daily")),
    )


def test_not_applicable_is_no_answer_only_where_no_passage_stands() -> None:
    rows = read("question,answer,quote\nWho?,n/a,\nHow long?,N/A,35 days\n").quoted
    assert [(row.unanswerable, row.quotes) for row in rows] == [(True, ()), (False, ("35 days",))]


def test_gold_that_is_a_whole_text_of_a_data_set_is_told_where_it_can_be_measured(filled: Library) -> None:
    row = {"_id": "gauges.md", "title": "Gauges", "text": GAUGES}
    files = {
        "corpus.jsonl": json.dumps(row),
        "queries.jsonl": json.dumps({"_id": "q", "text": "How long?"}),
        "qrels/test.tsv": "q\tgauges.md\t1\n",
    }
    ((_, reason),) = import_judgments(filled, FORMATS["beir"].read(files)).unplaced
    assert "`judgments import --suite`" in reason
