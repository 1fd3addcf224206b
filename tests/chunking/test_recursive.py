"""The separators of each format: stronger than a blank line where a text has some, and plain text as ever."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.chunking import chunk
from core.chunking.signals.separators import marks_in
from core.embedding.tokenizer import packaged_counter
from core.parsing import parse
from core.settings import ChunkingSettings, ParsingSettings
from core.syntax import Syntax, read_sources
from core.types import Document, Span
from tests.chunking.domains import leaf_with, tree_of

SENTENCE = "The committee met on a rainy morning and agreed on nothing of note. "


def marks_of(document):
    """The separators of a whole document."""
    units = ()
    if document.kind == "code":
        (syntax,) = read_sources([(document.text, document.metadata["language"])])
        units = syntax.units if isinstance(syntax, Syntax) else ()
    return marks_in(document, Span(0, len(document.text)), units)


def begun(name, text):
    """The first line and the name of everything that a separator of this file begins."""
    document = parse(text.encode(), name, ParsingSettings())
    marks = marks_of(document)
    return [(document.text[at:].split("\n")[0].strip(), mark.what) for at, mark in marks.items()]


LANGUAGES = {
    "a.py": (
        "import os\nX = def_of(1)\n\n@cache\n# Why.\ndef one():\n    class B:\n        x\n\nasync def two():\n    x\n",
        [("@cache", "function"), ("class B:", "class"), ("async def two():", "function")],
    ),
    "a.js": (
        "const a = 1;\n/* Opens\n   it. */\nexport default class A {\n}\nexport const f = (x) => x;\nfunction g() {}\n",
        [("/* Opens", "class"), ("export const f = (x) => x;", "function"), ("function g() {}", "function")],
    ),
    "a.ts": (
        "interface A {\n}\nexport type B = {}\n",
        [("interface A {", "interface"), ("export type B = {}", "type")],
    ),
    "a.go": (
        "package a\n\n// T is.\ntype T struct {\n}\nfunc (t *T) Do() {\n}\n",
        [("// T is.", "type"), ("func (t *T) Do() {", "method")],
    ),
    "a.rs": (
        "mod b;\n#[derive(Debug)]\npub(crate) struct A {\n}\nimpl A {\n    pub async fn go() {}\n}\n",
        [("#[derive(Debug)]", "struct"), ("impl A {", "impl block"), ("pub async fn go() {}", "method")],
    ),
    "A.java": (
        "import x;\npublic final class A {\n  int y = f(1);\n\n  @Override\n  public int go(int x) {\n    go(1);\n",
        [("public final class A {", "class"), ("@Override", "method")],
    ),
    "a.c": (
        "#define F(x) (x)\nint f(int);\nstatic int\nf (int x)\n{\n  if (x)\n    g(x);\n}\nstruct b {\n};\n",
        [("static int", "function"), ("struct b {", "struct")],
    ),
    "a.cpp": (
        "using namespace x;\nclass A;\ntemplate <class T>\nint A<T>::go(int x) {\n  return go(x);\n}\n",
        [("template <class T>", "method")],
    ),
    "a.md": (
        "Intro\n# One\ntext\n\n```sh\n# no heading\n\nls\n```\nafter\n\nTwo\n---\n\n***\n",
        [("# One", "heading"), ("```sh", "code block"), ("after", "paragraph"), ("Two", "heading"), ("***", "rule")],
    ),
    "a.html": (
        "<p>Intro</p><h1>One</h1><p># text</p><h2>Two</h2><p>more</p>",
        [("One", "heading"), ("Two", "heading")],
    ),
    "a.txt": ("# One\n\nclass A:\n    def f():\n", []),
    "a.json": ('{"class": 1}\n', []),
}


@pytest.mark.parametrize("name", list(LANGUAGES))
def test_what_begins_a_part_in_each_format(name):
    text, expected = LANGUAGES[name]
    assert begun(name, text) == expected


def test_an_outer_item_parts_more_than_an_inner_one_and_that_more_than_a_blank_line():
    text = "class A:\n    def f(self):\n        def g():\n            pass\n\ndef h():\n    pass\n"
    document = parse(text.encode(), "a.py", ParsingSettings())
    strengths = {text[at:].split("(")[0].strip(): mark.strength for at, mark in marks_of(document).items()}
    assert strengths["def h"] > strengths["def f"] > strengths["def g"] > 0


def test_leaves_and_parents_begin_at_headings_rather_than_at_blank_lines():
    sizes = (5, 2, 6, 3, 5, 4)
    text = "\n\n".join(f"# Part {size}\n\n" + "\n\n".join([SENTENCE.strip()] * size) for size in sizes)
    tree = tree_of("recursive", text, "a.md", max_tokens=90, parent_max_tokens=200, prefix=())
    assert [leaf.text.split("\n")[0] for leaf in tree.leaves] == [f"# Part {size}" for size in sizes]
    assert all(one.text.startswith("# Part") for one in tree.chunks)
    assert tree.leaves[1].reasons[0] == "begins: a heading starts here"
    assert tree.leaves[0].reasons[1].startswith("ends: a heading starts here, though the next heading would fit")
    plain = tree_of("recursive", text, "a.txt", max_tokens=90, parent_max_tokens=200, prefix=())
    assert len(plain.leaves) == 5, "the sizes alone"


def test_a_function_begins_a_leaf_with_its_decorator_and_remarks():
    body = "".join(f"    value_{at} = call({at})\n\n" for at in range(7))
    text = "".join(f"@cache\n# Says why {name}.\ndef {name}():\n{body}" for name in ("one", "two", "three"))
    tree = tree_of("recursive", text, "a.py", max_tokens=110, prefix=())
    for name in ("one", "two", "three"):
        assert leaf_with(tree, f"def {name}").text.startswith(f"@cache\n# Says why {name}.\ndef {name}():")
    assert tree.leaves[-1].reasons[0] == "begins: a function starts here"


def test_a_heading_stays_with_what_it_stands_over():
    text = f"{SENTENCE * 5}\n\n## Two\n\n## Three\n\nIn short:\n\n```sh\nls\n```\n\n{SENTENCE * 4}"
    for size in range(40, 110, 10):
        tree = tree_of("recursive", text, "a.md", max_tokens=size, prefix=())
        assert "## Two\n\n## Three\n\nIn short:\n\n```sh" in leaf_with(tree, "## Two").text


PIECES = st.sampled_from(
    ["# One", "class A:", "def f():", "\\section{x}", "---", "```", SENTENCE, SENTENCE * 9, "It is:", "x = 1\ny = 2"]
)


@given(st.lists(PIECES, min_size=1, max_size=14), st.sampled_from([20, 60]), st.sampled_from(["\n", "\n\n"]))
def test_plain_text_knows_blank_lines_alone(pieces, size, between):
    """Every line that would be a separator elsewhere: put out of sight, the cuts are where they were."""
    text = between.join(piece.strip() for piece in pieces)
    settings = ChunkingSettings("recursive", max_tokens=size, parent_max_tokens=3 * size, prefix=())
    counter = packaged_counter()
    plain = chunk(Document("v", "text", "T", text), settings, counter)
    unknown = chunk(Document("v", "code", "T", text, metadata={"language": "cobol"}), settings, counter)
    assert [leaf.span for leaf in plain.leaves] == [leaf.span for leaf in unknown.leaves]
    assert not marks_in(plain.document, Span(0, len(text)))
    assert all("starts here, though" not in reason for one in plain.chunks for reason in one.reasons)
