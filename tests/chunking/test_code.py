"""The code chunker: units kept whole, signatures repeated, and every law of chunks on real and on random code."""

from __future__ import annotations

import json
import os
import re
import textwrap
from pathlib import Path

import pytest

from core.chunking import chunk
from core.embedding.tokenizer import packaged_counter
from core.parsing import parse
from core.settings import ChunkingSettings, ParsingSettings
from core.syntax import read_syntax
from tests.chunking.checker import check_tree
from tests.syntax.test_units import PYTHON

COUNTER = packaged_counter()
SHARED = os.environ.get("LECTERN_SHARED", "")

LONG = "class Engine:\n    '''Runs.'''\n\n    def start(self, fuel):\n        '''Starts it.'''\n" + "".join(
    f"        step_{number} = self.ignite(fuel, {number})\n" for number in range(40)
)


def tree_of(text, name, **dials):
    settings = ChunkingSettings(chunker="code", **dials)
    document = parse(text.encode(), name, ParsingSettings())
    tree = chunk(document, settings, COUNTER)
    check_tree(tree, settings, COUNTER)
    return tree


def test_units_are_named_and_their_facts_kept():
    tree = tree_of(PYTHON, "foo.py", max_tokens=60)
    head = tree.leaves[0]
    assert head.metadata["imports"] == ("os", "a.b")
    assert any(
        "method `Foo.bar`" in leaf.reasons[0] or "Foo.bar" in leaf.metadata.get("symbols", ()) for leaf in tree.leaves
    )
    assert any("test `test_foo` starts here" in leaf.reasons[0] for leaf in tree.leaves)
    parents = [one for one in tree.chunks if one.level == 1]
    assert "Foo.bar" in {name for parent in parents for name in parent.metadata["symbols"]}
    assert "c" in {name for leaf in tree.leaves for name in leaf.metadata.get("calls", ())}


def test_a_large_method_begins_with_its_signature_and_repeats_it():
    tree = tree_of(LONG, "engine.py")
    first = next(leaf for leaf in tree.leaves if "def start" in leaf.text)
    assert "'''Starts it.'''" in first.text
    assert "step_0 =" in first.text
    rest = [leaf for leaf in tree.leaves if leaf.start > first.start]
    assert len(rest) > 3
    for leaf in rest:
        assert [(part.kind, part.text) for part in leaf.prefix] == [("signature", "def start(self, fuel):")]
        assert leaf.text.startswith("step_")
        assert leaf.text.endswith(")")
        assert leaf.metadata["within"] == ("Engine.start",)


def test_a_unit_that_a_parent_holds_is_one_parent():
    tree = tree_of(LONG + "\n\ndef other():\n" + LONG[LONG.index("        step_0") :], "two.py", parent_max_tokens=1000)
    starts = [one.text.split("\n")[0] for one in tree.chunks if one.level == 1]
    assert starts == ["class Engine:", "def other():"]


def test_tiny_neighbours_share_a_leaf():
    tree = tree_of("".join(f"def f{number}():\n    return {number}\n\n\n" for number in range(5)), "tiny.py")
    assert len(tree.leaves) == 1


def test_fenced_code_in_prose_is_read_by_its_language():
    tree = tree_of("# Engine\n\nHow it starts:\n\n```python\n" + LONG + "```\n\nThe end.\n", "guide.md")
    inside = [leaf for leaf in tree.leaves if "step_" in leaf.text]
    assert len(inside) > 3
    assert any(part.kind == "signature" for leaf in inside for part in leaf.prefix)
    assert tree.leaves[-1].text.endswith("The end.")
    assert all(not leaf.metadata for leaf in tree.leaves if "step_" not in leaf.text and "Engine" not in leaf.text)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.ml", "let a = b + c\n", "instead: structure; no grammar here reads ocaml"),
        ("x.md", "Only words.\n", "instead: structure; this text holds no code that a grammar reads"),
        ("x.go", "package a;\n\npublic class D {\n  int e() { return 1; }\n}\n", "read as java: its name says go"),
    ],
)
def test_what_it_did_instead_is_said(name, text, said):
    assert any(said in reason for reason in tree_of(text, name).leaves[0].reasons)


@pytest.mark.skipif(not SHARED, reason="LECTERN_SHARED is not set")
def test_real_files(capsys):
    cuts = {"code": [0, 0], "recursive": [0, 0]}
    for path in sorted((Path(SHARED) / "suites" / "code" / "documents").iterdir()):
        document = parse(path.read_bytes(), path.name, ParsingSettings())
        syntax = read_syntax(document.text, document.metadata["language"])
        inside = bytearray(len(document.text) + 1)
        pending = list(syntax.units)
        while pending:
            unit = pending.pop()
            pending.extend(unit.children)
            if unit.kind in {"function", "method", "test"}:
                inside[unit.start + 1 : unit.end] = b"\1" * (unit.end - unit.start - 1)
        for chunker, counts in cuts.items():
            settings = ChunkingSettings(chunker=chunker)
            tree = chunk(document, settings, COUNTER)
            check_tree(tree, settings, COUNTER)
            starts = [leaf.start for leaf in tree.leaves[1:]]
            counts[0] += len(starts)
            counts[1] += sum(inside[start] for start in starts)
    with capsys.disabled():
        for chunker, (every, torn) in cuts.items():
            print(f"\n{chunker}: {every} boundaries, {torn} inside a function ({100 * torn / every:.0f} %)")
    assert all(every for every, _ in cuts.values())


SENTENCES = [
    f"Whoever holds lock number {number} waits until the other side has let go of it, or until a minute is over."
    for number in range(24)
]


@pytest.mark.parametrize(
    ("name", "before", "mark", "after"),
    [
        ("locks.py", 'def wait():\n    """Wait.\n\n', "    ", '    """\n    return lock()\n'),
        ("locks.py", "x = 1\n\n", "# ", "\ny = 2\n"),
        ("locks.js", "/**\n", " * ", " */\nfunction wait() { return lock(); }\n"),
        ("locks.rs", "", "/// ", "fn wait() -> bool { lock() }\n"),
    ],
)
def test_prose_in_code_is_cut_between_sentences(name, before, mark, after):
    paragraphs = [" ".join(SENTENCES[at : at + 4]) for at in range(0, 24, 4)]
    wrapped = [textwrap.fill(one, 88, initial_indent=mark, subsequent_indent=mark) for one in paragraphs]
    tree = tree_of(before + f"\n{mark.rstrip()}\n".join(wrapped) + "\n" + after, name)
    leaves = [leaf.text.rstrip("\"'*/# \n") for leaf in tree.leaves if "lock number" in leaf.text]
    assert len(leaves) > 4
    assert all(re.search(r"is over\.$|return lock\(\)$|lock\(\)[; }]*$|[xy] = \d$", one) for one in leaves)
    assert not any(re.fullmatch(r"\W*", leaf.text) for leaf in tree.leaves)


@pytest.mark.parametrize("before", range(20, 60, 4))
def test_what_a_cell_put_out_stays_with_the_cell(before):
    output = {"output_type": "execute_result", "data": {"text/plain": "year " * 30}, "metadata": {}}
    cells = [
        {"cell_type": "markdown", "source": "planet " * before + ":"},
        {"cell_type": "code", "source": "planets = load('planets')\nplanets.years", "outputs": [output]},
        {"cell_type": "markdown", "source": "shadow " * 30},
    ]
    tree = tree_of(json.dumps({"cells": cells, "nbformat": 4, "metadata": {}}), "planets.ipynb", max_tokens=80)
    (leaf,) = [leaf for leaf in tree.leaves if "year year" in leaf.text]
    assert "planets.years" in leaf.text
