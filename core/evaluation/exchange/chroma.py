"""The question set of Chroma's chunking evaluation: a CSV of ``question``, ``references`` and ``corpus_id``.

``references`` is a JSON list of ``{"content", "start_index", "end_index"}`` in characters of the corpus, which is a
file below ``corpora/``, as in github.com/brandonstarxel/chunking_evaluation. Rows with the same question are merged.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import PurePosixPath

from core.errors import SuiteError
from core.evaluation import fields
from core.evaluation.exchange.values import Anchor, Exchange, Files, Format, long_csv_fields, place_quote
from core.evaluation.suites import GoldSpan, Question
from core.text.normalise import plain_lines

COLUMNS = ("question", "references", "corpus_id")
TABLE = "questions_df.csv"
FOLDER = "corpora/"


def read(files: Files) -> Exchange:
    """The questions of every CSV outside ``corpora/``, and the texts of the corpora that are there."""
    documents: dict[str, str | None] = {}
    gold: dict[str, list[GoldSpan]] = {}
    anchors: dict[GoldSpan, Anchor] = {}
    for name in sorted(name for name in files if name.endswith(".csv") and not name.startswith(FOLDER)):
        for place, row in _table(fields.file_text(files, name), name):
            question, corpus = (
                fields.text(row, "question", place),
                fields.text(row, "corpus_id", place, empty=True),
            )
            if corpus:
                documents.setdefault(corpus, _corpus(files, corpus))
            spans = gold.setdefault(question, [])
            references = fields.parsed(row["references"], f"{place}, references")
            for number, item in enumerate(fields.sequence({"references": references}, "references", place)):
                where = f"{place}, reference {number + 1}"
                span, anchor = _reference(fields.mapping(item, where), where, corpus, documents)
                spans.append(span)
                anchors[span] = anchor
    if not gold:
        raise SuiteError("There is no CSV with questions.", f"It has the columns {', '.join(COLUMNS)}.")
    questions = tuple(
        Question(str(number), question, tuple(dict.fromkeys(spans)))
        for number, (question, spans) in enumerate(gold.items(), start=1)
    )
    return Exchange(documents, questions, anchors)


def _table(text: str, name: str) -> Iterator[tuple[str, dict[str, str]]]:
    with long_csv_fields():
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        try:
            header = next(reader, [])
            missing = [column for column in COLUMNS if column not in header]
            if missing:
                raise SuiteError(f"{name} has no column {missing[0]!r}.", f"It needs {', '.join(COLUMNS)}.")
            while True:
                place = f"{name}, line {reader.line_num + 1}"
                cells = next(reader, None)
                if cells is None:
                    return
                if cells and len(cells) != len(header):
                    raise SuiteError(f"{place} has {len(cells)} columns, the first line {len(header)}.")
                if cells:
                    yield place, dict(zip(header, cells, strict=True))
        except csv.Error as error:
            raise SuiteError(f"{name}, line {reader.line_num} is no CSV ({error}).") from error


def _reference(
    item: dict[str, object], place: str, corpus: str, documents: dict[str, str | None]
) -> tuple[GoldSpan, Anchor]:
    if not corpus:
        raise SuiteError(f"{place}: its row has no corpus_id.", "References need the text they stand in.")
    quote = fields.text(item, "content", place)
    start, end = fields.offset(item, "start_index", place), fields.offset(item, "end_index", place)
    if end - start != len(quote):
        raise SuiteError(f"{place}: [{start}, {end}) is not as long as its content.", "Check the offsets.")
    return place_quote(corpus, documents[corpus], quote, start, place)


def _corpus(files: Files, corpus: str) -> str | None:
    """The text of a corpus with ``\\n`` newlines; ``None`` where its file is missing or not text.

    The file's name is the corpus id, with or without an extension. A CSV outside ``corpora/`` holds questions.
    """
    corpus_name = PurePosixPath(corpus).name
    for name in sorted(files):
        path = PurePosixPath(name)
        if (name.startswith(FOLDER) or path.suffix != ".csv") and corpus_name in {path.name, path.stem}:
            text = files[name]
            return None if text is None else plain_lines(text)
    return None


FORMAT = Format("Chroma's chunking evaluation", TABLE, "*.csv", (f"{FOLDER}*",), read)
