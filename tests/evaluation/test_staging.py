"""Staging writes texts as files that are read as the text they are, and nowhere else."""

import pytest

from core.evaluation.suites import OWN_TEXT, load_suite, safe_name, stage_documents
from core.parsing.file_kinds import detect_kind
from tests.evaluation.test_suites import question, write_suite

HOSTILE = ["../../up.md", "/etc/passwd", "a\x00b.md", "C:\\x\\y.txt", "..", "con\n.md", "é" * 300 + ".md", "page.html"]


def staged(tmp_path, texts):
    root = write_suite(tmp_path / "suite", [question(gold=[])], texts=texts)
    return stage_documents(load_suite(root), tmp_path / "out")


def test_hostile_names_stay_inside_and_apart(tmp_path):
    items = staged(tmp_path, [{"name": name, "text": f"Text of number {i}."} for i, name in enumerate(HOSTILE)])
    assert sorted(item.name for item in items) == sorted(HOSTILE)
    inside = (tmp_path / "out").resolve()
    assert all(item.path.resolve().is_relative_to(inside) for item in items)
    assert {item.path.read_text() for item in items} == {f"Text of number {i}." for i in range(len(HOSTILE))}
    assert {path.name for path in tmp_path.iterdir()} == {"suite", "out"}


@pytest.mark.parametrize("name", ["a.md", "b.txt", "c.py", "d.html", "e.pdf", "f.docx", "g", "h.csv", "i.png"])
def test_every_text_is_read_as_its_own_text(tmp_path, name):
    (item,) = staged(tmp_path, [{"name": name, "text": "Plain words, with a comma."}])
    assert detect_kind(item.path.read_bytes(), item.path.name) in OWN_TEXT
    assert item.path.name.startswith(name)


def test_staging_again_writes_only_what_differs(tmp_path):
    texts = [{"name": "a.md", "text": "One."}, {"name": "b.md", "text": "Two."}]
    one, two = (item.path for item in staged(tmp_path, texts))
    before = one.stat().st_mtime_ns
    two.write_text("half wr")
    again = staged(tmp_path, texts)
    assert [item.path for item in again] == [one, two]
    assert one.stat().st_mtime_ns == before
    assert two.read_text() == "Two."


def test_files_of_a_suite_stay_where_they_are(tmp_path):
    root = write_suite(tmp_path / "suite", [question()], files={"a.md": b"Text"})
    (item,) = stage_documents(load_suite(root), tmp_path / "out")
    assert item.path == root / "documents" / "a.md"
    assert not (tmp_path / "out").exists()


def test_a_safe_name_is_never_empty_or_long():
    assert [safe_name(name) for name in ("", "...", "a/", "\n")] == ["document", "document", "document", "_"]
    assert len(safe_name("x" * 500 + ".md")) == 80
    assert safe_name("x" * 500 + ".md").endswith(".md")
