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
        (BlockKind.CODE, "", "<Figure size 640x480>"),
        (BlockKind.CODE, "bash", "%%bash\nls"),
        (BlockKind.CODE, "", "Traceback\nE: v"),
        (BlockKind.PARAGRAPH, "", "left as it is"),
    ]
    assert (document.kind, document.title) == ("notebook", "A study")
    assert document.metadata["kernel"] == "Python 3"
    assert [document.text[link.start : link.end] for link in document.links] == ["things"]
    assert document.notes == ("Not read: 1 x image/png in outputs.", "Not read: 1 x text/html in outputs.")


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
