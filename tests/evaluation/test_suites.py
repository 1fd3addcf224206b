"""Suites: both forms load; whatever is wrong is named with its file and line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import SuiteError
from core.evaluation.suites import GoldSpan, load_suite


def write_suite(root, questions, *, files=None, texts=None):
    """A suite folder; ``questions`` and ``texts`` are objects, or lines as they are to stand there."""
    root.mkdir(parents=True, exist_ok=True)
    for name, data in (files or {}).items():
        path = root / "documents" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    if texts is not None:
        write_lines(root / "documents.jsonl", texts)
    if questions is not None:
        write_lines(root / "questions.jsonl", questions)
    return root


def write_lines(path, rows):
    lines = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
    path.write_bytes(b"\n".join(lines) + b"\n")


def question(**changes):
    row = {"id": "q1", "question": "What is it?", "gold": [{"document": "a.md", "start": 0, "end": 4}]}
    return {name: value for name, value in (row | changes).items() if value is not ...}


TEXTS = [{"name": "a.md", "text": "Some text."}, {"name": "b.md", "text": "More."}]


def test_a_folder_of_files_is_named_by_their_paths(tmp_path):
    files = {"b.md": b"# B", "deep/er/a.txt": b"A", ".hidden": b"x", ".git/a.txt": b"x"}
    gold = [{"document": "deep/er/a.txt", "start": 0, "end": 1}]
    suite = load_suite(write_suite(tmp_path / "mine", [question(gold=gold, answer="A", more=1)], files=files))
    assert suite.name == "mine"
    assert [(item.name, item.text) for item in suite.documents] == [("b.md", None), ("deep/er/a.txt", None)]
    assert suite.documents[1].path.read_bytes() == b"A"
    (only,) = suite.questions
    assert (only.gold, only.answer, only.relevant_documents) == ((GoldSpan("deep/er/a.txt", 0, 1),), "A", None)


def test_texts_get_unix_newlines_and_lose_a_byte_order_mark(tmp_path):
    texts = [{"name": "a.md", "text": "\ufeffa\r\nb\rc"}]
    suite = load_suite(write_suite(tmp_path, [question()], texts=texts))
    assert suite.documents[0].text == "a\nb\nc"


def test_unicode_separators_inside_a_line_do_not_end_it(tmp_path):
    row = json.dumps({"name": "a.md", "text": "one\u2028two\u0085three"}, ensure_ascii=False).encode()
    suite = load_suite(write_suite(tmp_path, [question()], texts=[row, b"", b"  "]))
    assert suite.documents[0].text == "one\u2028two\u0085three"


def test_empty_gold_means_the_library_does_not_say(tmp_path):
    suite = load_suite(write_suite(tmp_path, [question(gold=[])], texts=TEXTS))
    assert suite.questions[0].gold == ()


def test_the_fingerprint_follows_content_and_not_place(tmp_path):
    one = load_suite(write_suite(tmp_path / "one", [question()], texts=TEXTS))
    other = load_suite(write_suite(tmp_path / "other", [question()], texts=TEXTS[::-1]))
    assert one.fingerprint() == other.fingerprint()
    as_files = {row["name"]: row["text"].encode() for row in TEXTS}
    assert load_suite(write_suite(tmp_path / "f", [question()], files=as_files)).fingerprint() == one.fingerprint()
    for number, (questions, texts) in enumerate(
        [
            ([question(id="q2")], TEXTS),
            ([question(question="Else?")], TEXTS),
            ([question(gold=[])], TEXTS),
            ([question(relevant_documents=["b.md"])], TEXTS),
            ([question()], [TEXTS[0], {"name": "b.md", "text": "More!"}]),
            ([question()], [TEXTS[0], {"name": "c.md", "text": "More."}]),
        ]
    ):
        changed = load_suite(write_suite(tmp_path / f"changed{number}", questions, texts=texts))
        assert changed.fingerprint() != one.fingerprint()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"id": "q2", ', "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"id": ' + b"9" * 5000 + b"}", "not JSON"),
        (b'"text"', "is 'text'"),
        (b"\xff\xfe", "not UTF-8"),
        (question(id=...), "no 'id'"),
        (question(id=7), "'id' is 7"),
        (question(id=" "), "'id' is ' '"),
        (question(id="q2", question=...), "no 'question'"),
        (question(id="q2", question=None), "'question' is None"),
        (question(id="q2", question="\ud800"), "surrogate"),
        (question(id="q2", gold=...), "no 'gold'"),
        (question(id="q2", gold={}), "'gold' is {}"),
        (question(id="q2", gold=["a.md"]), "gold span is 'a.md'"),
        (question(id="q2", gold=[{"document": "a.md", "start": 0}]), "no 'end'"),
        (question(id="q2", gold=[{"document": "a.md", "start": 0, "end": "4"}]), "'end' is '4'"),
        (question(id="q2", gold=[{"document": "a.md", "start": True, "end": 4}]), "'start' is True"),
        (question(id="q2", gold=[{"document": "a.md", "start": 1.0, "end": 4}]), "'start' is 1.0"),
        (question(id="q2", gold=[{"document": "a.md", "start": -1, "end": 4}]), "'start' is -1"),
        (question(id="q2", gold=[{"document": "a.md", "start": 4, "end": 4}]), "[4, 4)"),
        (question(id="q2", gold=[{"document": "a.md", "start": 4, "end": 11}]), "has 10 characters"),
        (question(id="q2", gold=[{"document": "c.md", "start": 0, "end": 1}]), "no document 'c.md'"),
        (question(id="q2", gold=[{"document": ["a"], "start": 0, "end": 1}]), "no document ['a']"),
        (question(id="q2", answer=7), "'answer' is 7"),
        (question(id="q2", relevant_documents="a.md"), "'relevant_documents' is 'a.md'"),
        (question(id="q2", relevant_documents=["x"]), "no document 'x'"),
        (question(), "'q1' stands there twice"),
    ],
)
def test_a_bad_question_is_named_with_file_and_line(tmp_path, line, said):
    write_suite(tmp_path, [question(), b"", line], texts=TEXTS)
    with pytest.raises(SuiteError) as raised:
        load_suite(tmp_path)
    assert said in str(raised.value)
    assert "questions.jsonl, line 3" in str(raised.value)
    assert len(str(raised.value)) < 600


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{", "not JSON"),
        ({"text": "x"}, "no 'name'"),
        ({"name": "", "text": "x"}, "'name' is ''"),
        ({"name": "c.md"}, "no 'text'"),
        ({"name": "c.md", "text": 1}, "'text' is 1"),
        ({"name": "c.md", "text": "\udc00"}, "surrogate"),
        ({"name": "a.md", "text": "x"}, "'a.md' stands there twice"),
    ],
)
def test_a_bad_document_is_named_with_file_and_line(tmp_path, line, said):
    write_suite(tmp_path, [question()], texts=[*TEXTS, line])
    with pytest.raises(SuiteError) as raised:
        load_suite(tmp_path)
    assert said in str(raised.value)
    assert "documents.jsonl, line 3" in str(raised.value)


def test_a_folder_that_is_no_suite_says_what_it_lacks(tmp_path):
    def problem(root):
        with pytest.raises(SuiteError) as raised:
            load_suite(root)
        return str(raised.value)

    assert "is not a folder" in problem(tmp_path / "absent")
    assert "neither documents/ nor documents.jsonl" in problem(write_suite(tmp_path / "bare", [question()]))
    (tmp_path / "none" / "documents").mkdir(parents=True)
    assert "has no documents" in problem(tmp_path / "none")
    assert "questions.jsonl is missing" in problem(write_suite(tmp_path / "unasked", None, texts=TEXTS))
    assert "has no questions" in problem(write_suite(tmp_path / "silent", [b""], texts=TEXTS))
    assert "has both" in problem(write_suite(tmp_path / "both", [question()], texts=TEXTS, files={"a.md": b"x"}))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 20) | st.sampled_from(["a.md", "q", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["id", "question", "gold", "document", "start", "end"]), inner, max_size=6)
    ),
    max_leaves=12,
)


@given(st.lists(json_values, max_size=4))
def test_any_json_loads_or_is_refused_with_a_sentence(tmp_path_factory, rows):
    root = write_suite(tmp_path_factory.mktemp("suite"), rows, texts=TEXTS)
    try:
        gold = [span for item in load_suite(root).questions for span in item.gold]
        refusal = str(root)
    except SuiteError as error:
        gold, refusal = [], str(error)
    assert str(root) in refusal
    assert all(0 <= span.start < span.end <= 10 for span in gold)


@pytest.mark.parametrize("name", ["chroma", "covidqa", "qmsum", "code", "scifact"])
def test_the_shared_suites_load(shared, name):
    suite = load_suite(shared / "suites" / name)
    assert len(suite.questions) >= 237
    assert len({item.version_id for item in suite.documents}) > 4
