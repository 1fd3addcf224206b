"""Units of source code: what belongs together in each language, and that nothing is ever left out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.syntax import GRAMMARS, Syntax, read_syntax, units
from core.syntax.tree import SyntaxText, language, query, read
from core.types import Span

LANGUAGES = sorted(GRAMMARS)


def found(text, name):
    """(title, first words) of every unit, parents before their children."""
    listed = []

    def walk(members):
        for unit in members:
            listed.append((unit.title, text[unit.start : unit.end]))
            walk(unit.children)

    walk(units(text, name))
    return listed


def titles(text, name):
    return [title for title, _ in found(text, name)]


def facts_of(text, name, unit):
    """What a unit defines, imports and calls."""
    return read_syntax(text, name).metadata(unit.start, unit.end)


def check_tiles(text, members, start=0, end=None):
    """Siblings in order, apart, children inside, and no character but blanks outside them."""
    end = len(text) if end is None else end
    covered = []
    for unit in members:
        assert start <= unit.start < unit.end <= end
        assert text[unit.start : unit.end].strip() == text[unit.start : unit.end]
        assert not text[start : unit.start].strip()
        assert unit.start <= unit.signature.start <= unit.signature.end <= unit.end
        assert unit.doc is None or (unit.start <= unit.doc.start <= unit.doc.end <= unit.end)
        if unit.children:
            check_tiles(text, unit.children, unit.start, unit.end)
        start = unit.end
        covered.append(unit)
    assert not text[start:end].strip()


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_grammar_is_in_the_wheel_and_its_query_is_right(name):
    assert query(name, GRAMMARS[name].calls).capture_count >= 1
    assert language(name).node_kind_count > 10


PYTHON = '''"""What the module is for."""

import os
from a.b import c

# Keeps things.
@register("é👩‍🚀")
class Foo(Base):
    """A class."""

    size = 1

    @property
    def bar(self):
        """A property."""
        def inner(x):
            return c(x)
        return inner(self.size)  # the end


def test_foo():
    assert Foo().bar

if __name__ == "__main__":
    test_foo()
'''


def test_python():
    parts = dict(found(PYTHON, "python"))
    assert list(parts) == [
        "module head",
        "class `Foo`",
        "head of class `Foo`",
        "method `Foo.bar`",
        "head of function `Foo.bar`",
        "function `Foo.bar.inner`",
        "statements",
        "test `test_foo`",
    ]
    assert parts["class `Foo`"].startswith("# Keeps things.\n@register")
    assert parts["method `Foo.bar`"].startswith("@property\n")
    assert parts["method `Foo.bar`"].endswith("# the end")
    top = units(PYTHON, "python")
    assert facts_of(PYTHON, "python", top[0])["imports"] == ("os", "a.b")
    held = facts_of(PYTHON, "python", top[1])
    assert held["calls"] == ("register", "c", "inner")
    assert "Foo.bar.inner" in held["symbols"]
    assert PYTHON[top[1].doc.start : top[1].doc.end] == '"""A class."""'
    assert PYTHON[top[1].signature.start : top[1].signature.end] == '@register("é👩‍🚀")\nclass Foo(Base):'
    check_tiles(PYTHON, top)


def test_javascript():
    text = """import a, { b } from "mod";
const fs = require("fs");

/** Adds. */
export const add = async (x, y) => { return b(x + y); };
export default class A extends B { #p = () => { z(); }; static m() { this.foo(); } }
module.exports = function k() {};
describe("sums", () => { it("adds", () => { expect(add(1, 2)); }); });
"""
    parts = dict(found(text, "js"))
    assert parts["function `add`"].startswith("/** Adds. */\nexport const")
    assert {"class `A`", "method `A.#p`", "method `A.m`", "function `module.exports`", "test `sums`"} <= set(parts)
    assert facts_of(text, "js", units(text, "js")[0])["imports"] == ("mod", "fs")
    check_tiles(text, units(text, "js"))


def test_typescript_and_its_other_half():
    text = """export interface I<T> { a(): void; b: string }
type T = { a: string };
@Component({}) export class D { @dec() private m(): void { go(); } }
namespace N { export function g() {} }
export const a = (x: number): string => `${x}`;
"""
    assert {"interface `I`", "type `T`", "class `D`", "method `D.m`", "namespace `N`", "function `N.g`"} <= set(
        titles(text, "typescript")
    )
    check_tiles(text, units(text, "typescript"))
    element = "export const B = (p: P) => { return <div className='x'>{p.c}</div>; };\n" * 3
    assert read_syntax(element, "typescript").language == "tsx"


def test_go():
    text = """package main

import "fmt"

// Foo does.
type Foo struct{ A int }

// Bar is a method.
func (f *Foo[T]) Bar(x int) error { return fmt.Errorf("x") }

func TestBar(t *testing.T) {}
"""
    parts = dict(found(text, "go"))
    assert list(parts) == ["module head", "type `Foo`", "method `Foo.Bar`", "test `TestBar`"]
    assert parts["method `Foo.Bar`"].startswith("// Bar is")


def test_rust():
    text = """//! The crate.
use std::fmt;

/// A thing.
#[derive(Debug)]
pub struct S { a: i32 }

impl<T> Show<T> for S where T: X {
    /// Shows.
    fn show(&self) { self.n(); foo::bar(); }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows() { assert!(true); }
}
"""
    parts = dict(found(text, "rust"))
    assert parts["struct `S`"].startswith("/// A thing.\n#[derive")
    assert parts["impl block of Show for `S`"].startswith("impl<T>")
    assert parts["method `S::show`"].startswith("/// Shows.")
    assert parts["test `tests::shows`"].startswith("#[test]")
    assert parts["module `tests`"].startswith("#[cfg(test)]")
    check_tiles(text, units(text, "rust"))


def test_java():
    text = """package a.b;
import java.util.List;

/** What it is. */
@Ann(1)
public class A<T> extends B {
    private int x = 1;

    /** Runs. */
    @Override public void run() { foo.bar(); new Z(); }
    A() { super(); }
    enum In { P, Q; void f() {} }
    @Test void works() {}
}
"""
    parts = dict(found(text, "java"))
    assert parts["class `A`"].startswith("/** What it is. */\n@Ann")
    assert parts["method `A.run`"].startswith("/** Runs. */\n    @Override")
    assert {"method `A.A`", "enum `A.In`", "method `A.In.f`", "test `A.works`"} <= set(parts)
    assert facts_of(text, "java", units(text, "java")[0])["imports"] == ("java.util.List",)


def test_c_with_macros_guards_and_old_definitions():
    text = """#ifndef X_H
#define X_H
#include <stdio.h>
#define TWICE(a) \\
  ((a) + (a))
typedef struct foo { int a; } foo_t;
/* Adds. */
static int *add(int a, int b) { return call(a); }
int old(a, b) int a; char b; { return 1; }
#endif
"""
    parts = dict(found(text, "c"))
    assert list(parts) == ["module head", "macro `TWICE`", "struct `foo`", "function `add`", "function `old`"]
    assert parts["function `add`"].startswith("/* Adds. */")
    assert parts["function `old`"].endswith("#endif")


def test_cpp_and_a_header_that_is_cpp():
    text = """#include "a.h"
namespace a::b {
// A container.
template <typename T> class X : public Y {
 public:
  X() : n(1) {}
  int m() const override { return go<int>(1); }
};
template <class T> T X<T>::f(int a) { return a; }
}
TEST(Suite, Name) { EXPECT_EQ(1, 2); }
"""
    parts = dict(found(text, "c++"))
    assert parts["class `a::b::X`"].startswith("// A container.\ntemplate")
    assert {"namespace `a::b`", "method `a::b::X::m`", "method `a::b::X<T>::f`", "test `Suite.Name`"} <= set(parts)
    assert read_syntax(text, "c").language == "cpp"


def test_the_text_says_more_than_the_name():
    java = "package a;\n\nimport b.C;\n\npublic class D {\n  int e() { return 1; }\n}\n"
    assert read_syntax(java, "go").language == "java"


@pytest.mark.parametrize("name", ["", "cobol", "nginx", "../etc"])
def test_no_grammar_is_none(name):
    assert units("x = 1\n", name) is None


def test_blank_text_is_none():
    assert units(" \n\t", "python") is None


@pytest.mark.parametrize("name", ["python", "javascript", "rust", "cpp"])
@pytest.mark.parametrize(
    "text", ["(" * 100_000, "x = 1; " * 5_000, "def f():\0 pass\n" * 50, "a\ud800b = '\udfff'\n" * 9]
)
def test_hostile_text_is_tiled_or_refused(name, text):
    made = units(text, name)
    if made is not None:
        check_tiles(text, made)


def test_a_text_that_error_recovery_drowns_in_is_refused():
    assert units("a=|" * 700, "javascript") is None


PIECES = (
    "def f(x):\n|    return x\n|class A:\n|    '''é'''\n|@d\n|# 👩‍🚀\n|import os\n|\n|fn g() {|}\n|{|}|(|)|;|// ü\n|"
    "/* 語 */|#[test]\n|impl S {\n|public class B {\n|void m() {}\n|#ifdef X\n|#endif\n|func (a *T) h() {\n|=|a|\t|  |"
    "export const k = () => {\n|\"s|'|`|template <class T>\n|namespace n {\n"
)
PROGRAM = st.lists(st.sampled_from(PIECES.split("|")), max_size=40).map("".join)


@given(text=PROGRAM | st.text(max_size=80), name=st.sampled_from(LANGUAGES))
def test_units_tile_any_text(text, name):
    made = units(text, name)
    if made is None:
        return
    check_tiles(text, made)
    syntax = read_syntax(text, name)
    whole = Span(0, len(text))
    cuts = [at for at, _ in syntax.cuts(whole, lambda start, end: False)]
    assert cuts == sorted(set(cuts))
    assert all(0 < at < len(text) for at in cuts)


def cuts_of(root, source, grammar, span, fits):
    """Where the tree itself would be cut, by the nodes as tree-sitter has them: what ``Shape`` must agree with."""
    found, pending = {}, [(root, 0)]
    while pending:
        node, depth = pending.pop()
        tail = False
        for child in node.children:
            start, end = source.position(child.start_byte), source.position(child.end_byte)
            if end <= span.start or start >= span.end:
                continue
            if child.is_named and span.start < start and not tail:
                found.setdefault(start, depth)
            tail = child.type in grammar.comments or child.type in grammar.attributes
            if child.child_count and not fits(max(start, span.start), min(end, span.end)):
                pending.append((child, depth + (start >= span.start)))
    return sorted(found.items())


@given(text=PROGRAM, name=st.sampled_from(LANGUAGES), data=st.data())
def test_cuts_are_those_of_the_tree(text, name, data):
    syntax = read_syntax(text, name)
    if syntax is None:
        return
    assert Syntax.from_plain(json.loads(json.dumps(syntax.to_plain()))).to_plain() == syntax.to_plain()
    source = SyntaxText(text)
    start = data.draw(st.integers(0, len(text) - 1))
    span = Span(start, data.draw(st.integers(start + 1, len(text))))
    limit = data.draw(st.integers(16, 60))

    def fits(first, last):
        return last - first <= limit

    root = read(source, syntax.language)
    assert syntax.cuts(span, fits) == cuts_of(root, source, GRAMMARS[syntax.language], span, fits)


@given(st.text(max_size=60))
def test_positions_are_code_points(text):
    source = SyntaxText(text)
    assert source.position(len(source.data)) == len(text)
    assert source.position(0) == 0
    for at in range(len(text)):
        head = "".join("?" if "\ud800" <= c <= "\udfff" or c == "\0" else c for c in text[:at])
        assert source.position(len(head.encode())) == at
