"""The way out: documents and a question with its evidence as Markdown files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.cli.main import main
from core.library import Library

pytestmark = pytest.mark.model

HERONS = "# Herons\n\nHerons wait for hours. A heron weighs 2 kg.\n\nThey nest in trees near water.\n"


def told(path: Path) -> tuple[dict[str, object], str]:
    """The values of the front matter, and what stands below it."""
    head, body = path.read_text(encoding="utf-8").removeprefix("---\n").split("\n---\n", 1)
    return {name: json.loads(value) for name, value in (line.split(": ", 1) for line in head.splitlines())}, body


def test_documents_and_a_question_go_out_as_markdown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "birds.md").write_text(HERONS)
    (tmp_path / "a" / "Birds.md").write_text("# Storks\n\nStorks clap.\n")
    home = str(tmp_path / "library")
    assert main(["ingest", str(tmp_path / "birds.md"), str(tmp_path / "a"), "--library", home]) == 0
    with Library.open(Path(home)) as library:
        source = next(source for source in library.sources() if source.title == "Herons")
        library.labels.write_note(source.id, "Read this first.")
        text = library.document(source.version_id).text
        at = text.index("A heron weighs 2 kg.")
        library.judge("How heavy is it?", source.version_id, at, at + 20)

    assert main(["export", "--library", home, "--to", str(tmp_path / "out")]) == 0
    files = list((tmp_path / "out").iterdir())
    assert len({file.name.casefold() for file in files}) == 2
    values, body = next(told(file) for file in files if "Herons" in file.read_text())
    assert (values["title"], values["source"], values["characters"]) == ("Herons", source.name, len(text))
    assert text.strip("\n") in body
    assert "Read this first." in body
    place = f"{source.name}, characters {at}–{at + 20}"
    assert f"**How heavy is it?**\n\n> A heron weighs 2 kg.\n\n{place}" in body
    (tmp_path / "out" / files[0].name).write_text("My own.")
    assert main(["export", "--library", home, "--to", str(tmp_path / "out")]) == 2
    assert files[0].read_text() == "My own."
    files[0].unlink()
    assert main(["export", "--library", home, "--to", str(tmp_path / "out")]) == 0
    assert main(["export", "no such source", "--library", home, "--to", str(tmp_path / "none")]) == 2
    assert not (tmp_path / "none").exists()

    capsys.readouterr()
    asked = ["ask", "How heavy is a heron?", "--library", home, "--json"]
    assert main([*asked, "--markdown", str(tmp_path / "asked.md")]) == 0
    answered = json.loads(capsys.readouterr().out)
    values, body = told(tmp_path / "asked.md")
    assert values["question"] == "How heavy is a heron?"
    assert "> A heron weighs 2 kg." in body
    for cited in (*answered["answer"]["citations"], *answered["passages"]):
        assert f"{cited['source']}, characters {cited['start']}–{cited['end']}" in body


def test_a_question_goes_on_from_those_before_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch
) -> None:
    monkeypatch.setenv("LECTERN_SHELF", str(tmp_path / "libraries.json"))  # beside it no language model
    (tmp_path / "birds.md").write_text(HERONS)
    home = str(tmp_path / "library")
    assert main(["ingest", str(tmp_path / "birds.md"), "--library", home]) == 0
    capsys.readouterr()
    assert main(["ask", "Where do they nest?", "--after", "How heavy is a heron?", "--library", home, "--json"]) == 0
    told_to = capsys.readouterr()
    assert json.loads(told_to.out)["question"] == "Where do they nest? How heavy is a heron?"
    assert "Asked as: Where do they nest? How heavy is a heron?" in told_to.err
