"""Notebooks: cells to blocks, in both generations of the format, with nothing lost silently."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parsing import parse
from core.parsing.file_kinds import detect_kind
from core.settings import ParsingSettings
from core.types import BlockKind
from tests.parsing.laws import assert_laws


def book(*cells, **metadata):
    return {"cells": list(cells), "nbformat": 4, "nbformat_minor": 5, "metadata": metadata}


def read(value, name="study.ipynb"):
    return parse(json.dumps(value).encode(), name, ParsingSettings())


def code(source, *outputs):
    return {"cell_type": "code", "id": "a1", "execution_count": 3, "source": source, "outputs": list(outputs)}


def prose(source):
    return {"cell_type": "markdown", "metadata": {}, "source": source}


STUDY = book(
    prose(["# A *study*\n", "\n", "Of [things](https://x.test):\n", "\n", "- one\n", "- two\n"]),
    code(
        ["import os\n", "print('é👩‍🚀')\n"],
        {"output_type": "stream", "name": "stdout", "text": ["é👩‍🚀\n"]},
        {
            "output_type": "execute_result",
            "data": {"text/plain": ["<Figure size 640x480>"], "image/png": "aGVsbG8=", "text/html": "<b>bold</b>"},
            "metadata": {},
        },
    ),
    code(
        "%%bash\nls",
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[31mTraceback\x1b[0m", "E: v"]},
    ),
    {"cell_type": "raw", "source": "left as it is", "metadata": {}},
    kernelspec={"display_name": "Python 3", "language": "python", "name": "python3"},
)


def test_cells_become_blocks():
    document = read(STUDY)
    assert_laws(document)
    said = [(block.kind, block.language, document.text[block.start : block.end]) for block in document.blocks]
    assert said == [
        (BlockKind.HEADING, "", "# A *study*"),
        (BlockKind.PARAGRAPH, "", "Of [things](https://x.test):"),
        (BlockKind.LIST, "", "- one\n- two"),
        (BlockKind.CODE, "python", "import os\nprint('é👩‍🚀')"),
        (BlockKind.CODE, "", "é👩‍🚀"),
        (BlockKind.PARAGRAPH, "", "bold"),
        (BlockKind.CODE, "bash", "%%bash\nls"),
        (BlockKind.CODE, "", "Traceback\nE: v"),
        (BlockKind.PARAGRAPH, "", "left as it is"),
    ]
    assert (document.kind, document.title) == ("notebook", "A study")
    assert document.metadata["kernel"] == "Python 3"
    assert [document.text[link.start : link.end] for link in document.links] == ["things"]
    assert document.notes == ("Not read: pictures in outputs (1).",)


def test_no_word_is_lost_silently():
    words = read(STUDY).words
    assert words.missing == 0, words
    assert dict(words.dropped)["outputs in another form than text"] == 3


@pytest.mark.parametrize(
    "data",
    [
        b'{"cells": [',
        b'{"cells": []}',
        b'{"nbformat": 4}',
        b'["nbformat", "cells"]',
        b'{"nbformat":4,"cells":' + b"[" * 99_999,
    ],
)
def test_anything_else_is_read_as_the_json_it_is(data):
    document = parse(data, "broken.ipynb", ParsingSettings())
    assert (document.kind, document.metadata["language"]) == ("code", "json")


def test_content_decides_before_the_name():
    data = json.dumps(book(prose("Hello"))).encode()
    assert detect_kind(data, "study") == detect_kind(data, "study.json") == "notebook"
    assert detect_kind(b'{"a": 1}', "study.json") == "code"


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                "cell_type source input outputs data text text/plain traceback metadata level language".split()
            ),
            inner | st.sampled_from(["code", "markdown", "heading", "raw", "error", "stream"]),
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(cells=st.lists(ODD, max_size=5), metadata=ODD)
def test_any_json_in_the_shape_of_a_notebook_is_read(cells, metadata):
    value = {"nbformat": 4, "cells": [prose("# Head"), *cells], "metadata": metadata}
    document = read(value)
    assert_laws(document)
    assert document.text.startswith("# Head")


@given(st.lists(st.tuples(st.booleans(), st.text(max_size=60)), min_size=1, max_size=6))
def test_cells_of_any_text_keep_the_laws_and_their_words(cells):
    document = read(book(prose("word"), *(code(text) if is_code else prose(text) for is_code, text in cells)))
    assert_laws(document)
    assert document.words.missing == 0


FRAME = """<div>
<style scoped>
    .dataframe tbody tr th { vertical-align: top; }
</style>
<table border="1" class="dataframe">
  <thead>
    <tr><th></th><th></th><th>total</th></tr>
  </thead>
  <tbody>
    <tr><th rowspan="2" valign="top">California</th><th>2010</th><td>37253956</td></tr>
    <tr><th>2020</th><td>39538223</td></tr>
  </tbody>
</table>
<p>2 rows &times; 1 columns</p>
</div>"""


def result(**data):
    return {"output_type": "execute_result", "data": data, "metadata": {}}


def test_a_data_frame_is_a_table_with_its_merged_cells_repeated():
    plain = "                    total\nCalifornia 2010  37253956\n           2020  39538223"
    document = read(book(prose("# States"), code("pop", result(**{"text/plain": plain, "text/html": FRAME}))))
    assert_laws(document)
    table = next(block for block in document.blocks if block.kind is BlockKind.TABLE)
    assert [document.text[row.start : row.end] for row in table.parts] == [
        "California | 2010 | 37253956",
        "California | 2020 | 39538223",
    ]
    assert table.header is not None
    assert document.text.count("39538223") == 1
    assert "2 rows × 1 columns" in document.text
    assert "vertical-align" not in document.text
    assert not document.words.missing
    assert not document.notes


def test_an_output_without_words_of_its_own_is_read_from_its_other_form():
    page = {"text/plain": "<IPython.core.display.HTML object>", "text/html": "<p>The <b>pond</b> is full.</p>"}
    note = {"text/plain": "<IPython.core.display.Markdown object>", "text/markdown": "The *reeds* are high."}
    document = read(book(code("show()", result(**page)), code("tell()", result(**note))))
    assert "The pond is full." in document.text
    assert "The *reeds* are high." in document.text
    assert "IPython" not in document.text
    assert not document.words.missing


@pytest.mark.parametrize(
    "page", ["<table>", "<table><tr><td>1", "</table><td><table><table>", "<table" * 50, "<" * 200]
)
def test_damaged_html_of_an_output_is_read_or_left(page):
    assert_laws(read(book(prose("x"), code("y", result(**{"text/plain": "<a>", "text/html": page})))))


def test_a_deep_page_of_an_output_is_read():
    page = "<div>" * 5000 + "the words" + "</div>" * 5000 + "<table><tr><td>a</td></tr></table>"
    assert "the words" in read(book(code("y", result(**{"text/html": page})))).text
