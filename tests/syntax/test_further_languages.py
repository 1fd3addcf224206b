"""Languages whose grammars name definitions by other means than fields: what their units are called, and hold."""

from __future__ import annotations

import pytest

from core.syntax import read_source, units
from tests.syntax.test_units import check_tiles, found, titles

KOTLIN = """\
package ponds

import ponds.Duck

/** Swims. */
class Pond(val size: Int) : Water {
  fun fill() {
    pour(size)
  }

  companion object {
    fun of(size: Int) = Pond(size)
  }
}

interface Water
enum class Depth { SHALLOW, DEEP }
fun String.duck(): Duck = Duck(this)
"""
SWIFT = """\
import Foundation

struct Pond: Water {
    var size: Int

    init(size: Int) { self.size = size }

    /// Fills it.
    func fill() { pour(size) }
}

extension Pond {
    func drain() { size = 0 }
}

protocol Water { func fill() }
"""
SCALA = """\
package ponds
import ponds.Duck

trait Water

/** Fills ponds. */
object Pond {
  def fill(size: Int): Pond = new Pond(size)
}

class Pond(size: Int) extends Water {
  def drain(): Unit = pour(0)
}
"""
LUA = """\
local ducks = require("ducks")
local M = {}

-- Fills it.
function M.fill(size)
  return pour(size)
end

M.drain = function()
  return 0
end

local function pour(size) return size end
return M
"""
R = """\
library(ducks)

#' Fills a pond
#' @export
fill <- function(size) {
  pour(size)
}

drain = function() 0
"""
JULIA = '''\
module Ponds

using Ducks

struct Pond <: Water
    size::Int
end

"""
    fill(size)

Fills a pond.
"""
function fill(size::Int)
    pour(size)
end

macro duck(name)
    name
end

end
'''
ELIXIR = '''\
defmodule Ponds.Pond do
  @moduledoc """
  Ponds.
  """

  @doc "Fills it."
  @spec fill(integer) :: integer
  def fill(size) when size > 0 do
    pour(size)
  end

  defp pour(size), do: size
end
'''
PERL = """\
package Ponds;
use strict;

# Fills it.
sub fill {
    my ($size) = @_;
    pour($size);
}

1;
"""
POWERSHELL = """\
function Add-Water {
    param([int] $Size)
    Write-Output $Size
}

class Pond {
    [int] $Size

    [void] Fill([int] $Size) {
        $this.Size = $Size
    }
}
"""
MATLAB = """\
% Fills ponds.
function res = fill(size)
    res = pour(size);
end

function drain()
    pour(0);
end
"""
OBJECTIVE_C = """\
#import <Foundation/Foundation.h>

@implementation Pond

#pragma mark - Water

- (int)fill:(int)size {
    return pour(size);
}

@end

static int pour(int size) {
    return size;
}
"""
MAKE = """\
SIZE = 3

# Fills it.
fill: pond
\tpour $(SIZE)

drain:
\tpour 0
"""
SCSS = """\
@import "ducks";

.pond {
  color: blue;

  .duck {
    color: brown;
  }
}

@media (min-width: 30em) {
  .pond { color: green; }
}
"""
TOML = """\
title = "Ponds"

[pond]
size = 3

[pond.duck]
name = "Mallard"

[[visitor]]
name = "Heron"
"""
INI = """\
; of a pond
[pond]
size = 3

[duck:mallard]
colour = brown
"""


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        (
            "kotlin",
            KOTLIN,
            ["class `Pond`", "method `Pond.fill`", "companion object", "method `Pond.of`", "interface `Water`",
             "enum `Depth`", "function `duck`"],
        ),
        (
            "swift",
            SWIFT,
            ["struct `Pond`", "method `Pond.init`", "method `Pond.fill`", "extension `Pond`", "method `Pond.drain`",
             "protocol `Water`"],
        ),
        (
            "scala",
            SCALA,
            ["trait `Water`", "object `Pond`", "method `Pond.fill`", "class `Pond`", "method `Pond.drain`"],
        ),
        ("lua", LUA, ["function `M.fill`", "function `M.drain`", "function `pour`"]),
        ("r", R, ["function `fill`", "function `drain`"]),
        ("julia", JULIA, ["module `Ponds`", "struct `Ponds.Pond`", "function `Ponds.fill`", "macro `Ponds.duck`"]),
        (
            "elixir",
            ELIXIR,
            ["module `Ponds.Pond`", "function `Ponds.Pond.fill`", "function `Ponds.Pond.pour`"],
        ),
        ("perl", PERL, ["function `fill`"]),
        ("powershell", POWERSHELL, ["function `Add-Water`", "class `Pond`", "method `Pond.Fill`"]),
        ("matlab", MATLAB, ["function `fill`", "function `drain`"]),
        ("objective-c", OBJECTIVE_C, ["class `Pond`", "method `Pond.fill`", "function `pour`"]),
        ("makefile", MAKE, ["rule `fill`", "rule `drain`"]),
        ("css", SCSS, ["rule `.pond`", "rule `.pond .duck`", "rule `@media (min-width: 30em)`",
                       "rule `@media (min-width: 30em) .pond`"]),
        ("toml", TOML, ["table `pond`", "table `pond.duck`", "table `visitor`"]),
        ("ini", INI, ["section `pond`", "section `duck:mallard`"]),
    ],
)  # fmt: skip
def test_definitions_are_units_with_their_names(language, text, expected):
    check_tiles(text, units(text, language))
    others = ("head of", "module head", "statements")
    assert [title for title in titles(text, language) if not title.startswith(others)] == expected


@pytest.mark.parametrize(
    ("language", "text", "title", "begins"),
    [
        ("kotlin", KOTLIN, "class `Pond`", "/** Swims. */"),
        ("swift", SWIFT, "method `Pond.fill`", "/// Fills it."),
        ("scala", SCALA, "object `Pond`", "/** Fills ponds. */"),
        ("lua", LUA, "function `M.fill`", "-- Fills it."),
        ("r", R, "function `fill`", "#' Fills a pond"),
        ("julia", JULIA, "function `Ponds.fill`", '"""\n    fill(size)'),
        ("elixir", ELIXIR, "function `Ponds.Pond.fill`", '@doc "Fills it."'),
        ("perl", PERL, "function `fill`", "# Fills it."),
        ("objc", OBJECTIVE_C, "method `Pond.fill`", "#pragma mark - Water"),
        ("make", MAKE, "rule `fill`", "# Fills it."),
    ],
)
def test_what_explains_a_definition_stays_with_it(language, text, title, begins):
    assert dict(found(text, language))[title].startswith(begins)


@pytest.mark.parametrize(
    ("language", "text", "called", "imported"),
    [
        ("kotlin", KOTLIN, "pour", "ponds.Duck"),
        ("swift", SWIFT, "pour", "Foundation"),
        ("lua", LUA, "pour", "ducks"),
        ("r", R, "pour", "ducks"),
        ("julia", JULIA, "pour", "Ducks"),
        ("perl", PERL, "pour", "strict"),
        ("objc", OBJECTIVE_C, "pour", "Foundation/Foundation.h"),
    ],
)
def test_calls_and_imports_are_known(language, text, called, imported):
    found_in = read_source(text, language).metadata(0, len(text))
    assert called in found_in["calls"]
    assert imported in found_in["imports"]


def test_matlab_is_told_from_objective_c_which_its_files_are_named_like():
    assert read_source(MATLAB, "objectivec").language == "matlab"
    assert read_source(OBJECTIVE_C, "objectivec").language == "objc"


def test_a_test_of_elixir_is_called_by_its_sentence():
    text = 'defmodule PondTest do\n  test "fills it" do\n    assert fill(1) == 1\n  end\nend\n'
    assert "test `PondTest.fills it`" in titles(text, "elixir")


def test_what_elixir_says_of_a_module_is_no_part_of_the_function_below_it():
    text = ELIXIR.replace('  @doc "Fills it."\n  @spec fill(integer) :: integer\n', "")
    assert dict(found(text, "elixir"))["function `Ponds.Pond.fill`"].startswith("def fill")
