"""Formats of judgments: what a format carries comes back as it was, and what is malformed is named with its place."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import SuiteError
from core.evaluation.exchange import FORMATS, ours
from core.evaluation.exchange.values import Exchange, read_files, write_files
from core.evaluation.suites import GoldSpan, Question, load_suite

TEXT = "The tower was built in 1887. It is 324 metres high — été, 猫 and all.\nIt stands."
names = st.sampled_from(["a.md", "b.txt", "deep notes", "ünï.md", "x.y.z"])
characters = st.characters(codec="utf-8", exclude_characters="\r\ufeff")
phrases = st.text(characters, min_size=1, max_size=20).filter(str.strip)


@st.composite
def exchanges(draw, every_text=True):
    texts = draw(st.dictionaries(names, st.text(characters, min_size=1, max_size=60).filter(str.strip), min_size=1))
    questions = []
    for number, question in enumerate(draw(st.lists(phrases, min_size=1, max_size=5, unique=True))):
        gold = {}
        for name in draw(st.lists(st.sampled_from(sorted(texts)), max_size=3)):
            start, end = sorted(draw(st.tuples(st.integers(0, len(texts[name])), st.integers(0, len(texts[name])))))
            if texts[name][start:end].strip():
                gold[GoldSpan(name, start, end)] = None
        answer = draw(st.none() | phrases)
        relevant = draw(st.none() | st.just(tuple(dict.fromkeys(span.document for span in gold))))
        kind = draw(st.sampled_from(["", "hard"]))
        questions.append(Question(f"q{number}", question, tuple(gold), answer, relevant, kind))
    return Exchange(texts, tuple(questions))


@given(exchange=exchanges())
def test_ours_carries_everything(exchange) -> None:
    found = FORMATS["ours"].read(ours.write(exchange))
    assert (found.documents, found.questions) == (exchange.documents, exchange.questions)
    for question in exchange.questions:
        for span in question.gold:
            assert found.anchors[span] == exchange.anchor(span)
            assert found.anchors[span].quote == exchange.documents[span.document][span.start : span.end]


@given(exchange=exchanges())
def test_ours_is_a_suite_the_bench_loads(exchange, tmp_path_factory) -> None:
    folder = tmp_path_factory.mktemp("suite")
    write_files(ours.write(exchange), folder)
    suite = load_suite(folder)
    assert suite.questions == exchange.questions
    assert {document.name: document.text for document in suite.documents} == exchange.documents
    assert FORMATS["ours"].read(read_files(FORMATS["ours"], folder)).questions == exchange.questions


def test_chroma_as_chroma_writes_it() -> None:
    references = json.dumps([{"content": "built in 1887", "start_index": 14, "end_index": 27}])
    table = f'question,references,corpus_id,fixed\n"When?","{references.replace(chr(34), chr(34) * 2)}",tower,yes\n'
    found = FORMATS["chroma"].read({"questions_df.csv": table, "corpora/tower.md": TEXT.replace("\n", "\r\n")})
    assert found.documents == {"tower": TEXT}
    assert found.questions == (Question("1", "When?", (GoldSpan("tower", 14, 27),)),)


def test_offsets_that_lie_are_mended_by_the_words() -> None:
    references = json.dumps([{"content": "built in 1887", "start_index": 0, "end_index": 13}])
    table = f'question,references,corpus_id\n"When?","{references.replace(chr(34), chr(34) * 2)}",tower\n'
    found = FORMATS["chroma"].read({"mine.csv": table, "corpora/tower.md": TEXT})
    assert found.questions[0].gold == (GoldSpan("tower", 14, 27),)


def squad(**changes):
    item = {
        "id": 7, "question": "When?", "is_impossible": False, "answers": [{"text": "1887", "answer_start": 23}] * 2,
    }  # fmt: skip
    item |= changes
    item = {name: value for name, value in item.items() if value is not ...}
    return {"dev.json": json.dumps({"data": [{"title": "Tower", "paragraphs": [{"context": TEXT, "qas": [item]}]}]})}


def test_squad_of_both_versions() -> None:
    for files in (squad(), squad(is_impossible=...)):
        found = FORMATS["squad"].read(files)
        assert found.documents == {"Tower": TEXT}
        assert found.questions == (Question("7", "When?", (GoldSpan("Tower", 23, 27),), "1887"),)
    (question,) = FORMATS["squad"].read(squad(is_impossible=True, answers=[])).questions
    assert (question.gold, question.answer) == ((), None)


def test_the_contexts_of_an_article_are_numbered_and_articles_told_apart() -> None:
    article = {"title": "T", "paragraphs": [{"context": text, "qas": []} for text in ("One.", "Two.")]}
    other = {"title": "T 1", "paragraphs": [{"context": "Three.", "qas": [
        {"id": "x", "question": "?!", "answers": [{"text": "Three", "answer_start": 0}]}]}]}  # fmt: skip
    found = FORMATS["squad"].read({"x.json": json.dumps({"data": [article, other]})})
    assert found.documents == {"T 1": "One.", "T 2": "Two.", "T 1 (2)": "Three."}
    assert found.questions[0].gold == (GoldSpan("T 1 (2)", 0, 5),)


CORPUS = '{"_id": "d1", "title": "Tower", "text": "It is high."}\n{"_id": "d2", "text": "Other."}\n'
QUERIES = '{"_id": "q1", "text": "How high?"}\n{"_id": "q2", "text": "Who?"}\n{"_id": "q3", "text": "Unjudged?"}\n'


def beir(rows: str, corpus: str = CORPUS) -> dict[str, str]:
    return {"corpus.jsonl": corpus, "queries.jsonl": QUERIES, "qrels/test.tsv": f"query-id\tcorpus-id\tscore\n{rows}"}


def test_beir_ranks_by_score_and_leaves_unjudged_queries_out() -> None:
    found = FORMATS["beir"].read(beir("q1\td2\t1\nq1\td1\t2\nq2\td1\t0\n"))
    assert found.documents == {"d1": "Tower\n\nIt is high.", "d2": "Other."}
    assert found.questions == (
        Question("q1", "How high?", (GoldSpan("d1", 0, 18), GoldSpan("d2", 0, 6)), None, ("d1", "d2")),
        Question("q2", "Who?", (), None, ()),
    )


def table(references: str, corpus: str = "tower") -> dict[str, str]:
    return {"q.csv": f'question,references,corpus_id\n"When?","{references.replace(chr(34), chr(34) * 2)}",{corpus}\n'}


REFERENCE = {"content": "1887", "start_index": 23, "end_index": 27}
ROW = '{"id": "1", "question": "When?", "gold": [{"document": "a", "start": 0, "end": 1}]}'


@pytest.mark.parametrize(
    ("name", "files", "words"),
    [
        ("ours", {}, "questions.jsonl is missing"),
        ("ours", {"questions.jsonl": "{"}, "questions.jsonl, line 1 is not JSON"),
        ("ours", {"questions.jsonl": "[]"}, r"line 1 is \[\]. It must be an object"),
        ("ours", {"questions.jsonl": ROW + "\n" + ROW}, "line 2: the id '1' stands there twice"),
        ("ours", {"questions.jsonl": ROW.replace('"end": 1', '"end": 0')}, r"line 1, gold 1: \[0, 0\) of 'a' is no"),
        ("ours", {"questions.jsonl": ROW, "documents.jsonl": '{"name": "a", "text": ""}'}, "leaves 'a', which has 0"),
        ("ours", {"questions.jsonl": ROW.replace("When?", " ")}, "'question' is ' '"),
        ("ours", {"questions.jsonl": ROW.replace('"start": 0', '"start": true')}, "'start' is True"),
        ("ours", {"questions.jsonl": ROW.replace("When?", "\\ud800")}, "half a surrogate pair"),
        ("ours", {"questions.jsonl": ROW, "documents.jsonl": '{"name": "a", "text": "b"}\n' * 2}, "'a' stands there"),
        ("chroma", {"q.csv": "question,references\n"}, "q.csv has no column 'corpus_id'"),
        ("chroma", {"q.csv": "question,references,corpus_id\na,b\n"}, "line 2 has 2 columns"),
        ("chroma", {"q.csv": 'question,references,corpus_id\n"a'}, "is no CSV"),
        ("chroma", {"q.csv": "question,references,corpus_id\n"}, "no CSV with questions"),
        ("chroma", table("{"), "line 2, references is not JSON"),
        ("chroma", table("{}"), "'references' is {}. It must be a list"),
        ("chroma", table(json.dumps([{**REFERENCE, "end_index": 3}])), "reference 1: .* is not as long as its content"),
        ("chroma", table(json.dumps([{**REFERENCE, "start_index": -1}])), "'start_index' is -1"),
        ("chroma", table(json.dumps([REFERENCE]), ""), "its row has no corpus_id"),
        (
            "chroma",
            {**table(json.dumps([REFERENCE | {"content": "1066"}])), "corpora/tower.md": TEXT},
            "reference 1: '1066' is not in the text of tower",
        ),
        ("squad", {}, "There is no question"),
        ("squad", {"a.json": "[]"}, "a.json is "),
        ("squad", {"a.json": "{}"}, "a.json has no 'data'"),
        ("squad", squad(answers=[]), r"dev.json: data\[0\].paragraphs\[0\].qas\[0\] has no answer"),
        ("squad", squad(is_impossible=1), "'is_impossible' is 1"),
        ("squad", squad(answers=[{"text": "1066", "answer_start": 1}]), r"answers\[0\]: '1066' is not in the text"),
        ("squad", squad(answers=[{"text": " ", "answer_start": 1}]), "'text' is ' '"),
        ("squad", squad(question=...), "has no 'question'"),
        ("beir", {"corpus.jsonl": CORPUS}, "queries.jsonl is missing"),
        ("beir", beir(""), "judges no query"),
        ("beir", beir("q1\td1\n"), "qrels/test.tsv, line 2 has 2 columns"),
        ("beir", beir("q1\td1\thigh\n"), "the score is 'high'"),
        ("beir", beir("q9\td1\t1\n"), "line 2: there is no query 'q9'"),
        ("beir", beir("q1\td9\t1\n"), "line 2: there is no document 'd9'"),
        ("beir", beir("q1\td1\t1\n", CORPUS * 2), "corpus.jsonl, line 3: the document 'd1' stands there twice"),
    ],
)  # fmt: skip
def test_what_is_malformed_is_named_with_its_place(name, files, words) -> None:
    with pytest.raises(SuiteError, match=words):
        FORMATS[name].read(files)


def test_one_file_is_read_without_its_neighbours(tmp_path) -> None:
    asked = {"mine.json": squad()["dev.json"], "mine.csv": table(json.dumps([REFERENCE]))["q.csv"], "mine.jsonl": ROW}
    for (file, text), name in zip(asked.items(), ("squad", "chroma", "ours"), strict=True):
        (tmp_path / file).write_text(text)
        (tmp_path / f"other{(tmp_path / file).suffix}").write_bytes(b"\xff not read")
        assert len(FORMATS[name].read(read_files(FORMATS[name], tmp_path / file)).questions) == 1
    for name, text in beir("q1\td1\t1\n").items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    for place in (tmp_path / "corpus.jsonl", tmp_path / "queries.jsonl"):
        assert FORMATS["beir"].read(read_files(FORMATS["beir"], place)).questions


def test_a_corpus_of_chroma_may_be_a_csv(tmp_path) -> None:
    (tmp_path / "corpora").mkdir()
    (tmp_path / "corpora" / "prices.csv").write_text("item,price\napple,3\n")
    references = json.dumps([{"content": "apple", "start_index": 11, "end_index": 16}]).replace('"', '""')
    (tmp_path / "mine.csv").write_text(f'question,references,corpus_id\nWhat?,"{references}",prices.csv\n')
    read = FORMATS["chroma"].read(read_files(FORMATS["chroma"], tmp_path))
    assert read.documents == {"prices.csv": "item,price\napple,3\n"}
    assert read.questions[0].gold == (GoldSpan("prices.csv", 11, 16),)


def test_documents_of_a_suite_that_are_no_text_are_named_alone(tmp_path) -> None:
    (tmp_path / "documents" / "in").mkdir(parents=True)
    (tmp_path / "documents" / "in" / "a.md").write_text("\ufeffOne\r\ntwo", encoding="utf-8", newline="")
    (tmp_path / "documents" / "b.html").write_text("<p>Three</p>")
    (tmp_path / "documents" / ".hidden.md").write_text("x")
    (tmp_path / "questions.jsonl").write_text(ROW.replace('"a"', '"in/a.md"'))
    found = FORMATS["ours"].read(read_files(FORMATS["ours"], tmp_path))
    assert found.documents == {"in/a.md": "One\ntwo", "b.html": None}


def test_what_is_not_there_or_no_text_gets_a_sentence(tmp_path) -> None:
    with pytest.raises(SuiteError, match="There is no"):
        read_files(FORMATS["squad"], tmp_path / "missing.json")
    with pytest.raises(SuiteError, match="holds no SQuAD data"):
        read_files(FORMATS["squad"], tmp_path)
    (tmp_path / "a.json").write_bytes(b"\xff\xfe")
    with pytest.raises(SuiteError, match=r"a\.json is not UTF-8"):
        read_files(FORMATS["squad"], tmp_path)
    with pytest.raises(SuiteError, match="cannot be written"):
        write_files({"questions.jsonl": ""}, tmp_path / "a.json" / "below")
