"""Tables of amounts, as annual reports have them: signs apart from numbers, small tables, sentences between two."""

from __future__ import annotations

from collections.abc import Sequence

import pymupdf
import pytest

from core.types import BlockKind
from tests.parsing.pdf_builder import parsed, pdf, texts

Cell = tuple[float, str] | tuple[float, str, str]


def rows_of(*lines: Sequence[Cell], step: float = 14) -> list[list[list[str]]]:
    """The tables of a page with these lines. A cell is set at its x, or the digits of a number end there."""

    def draw(page: pymupdf.Page) -> None:
        page.insert_text((72, 80), "Results of the mill", fontsize=10)
        for number, line in enumerate(lines):
            for x, text in line:
                shown = text.rstrip(")% $") if text[:1] in "(0123456789—" and len(text) < 12 else ""
                left = x - pymupdf.get_text_length(shown, fontsize=10)
                page.insert_text((left, 120 + step * number), text, fontsize=10)

    found = texts(parsed(pdf(draw)), BlockKind.TABLE)
    return [[line.split(" | ") for line in table.split("\n")] for table in found]


LABELS = tuple(
    f"{kind} {corn}"
    for kind in ("Coarse", "Fine")
    for corn in "Oats Rye Spelt Barley Millet Wheat Maize Rice Teff Fonio Bran Germ".split()
)
SIGNED = (0, len(LABELS) - 1)


def test_a_sign_set_apart_in_few_rows_makes_no_column_and_the_year_above_it_heads_the_numbers() -> None:
    lines: list[list[Cell]] = [[(72, "(in millions)"), (330, "2023"), (460, "2022")]]
    for number, label in enumerate(LABELS):
        row: list[Cell] = [(72, label)]
        for x in (370, 500):
            row += [(x - 70, "$")] if number in SIGNED else []
            row.append((x, f"{10 + 3 * number}"))
        lines.append(row)
    (table,) = rows_of(*lines)
    assert table[0] == ["(in millions)", "2023", "2022"]
    assert [row[1:] for row in table[1:]] == [
        [f"$ {10 + 3 * n}" if n in SIGNED else f"{10 + 3 * n}"] * 2 for n in range(len(LABELS))
    ]


def test_a_sign_that_stands_close_to_the_number_before_it_belongs_to_the_one_after_it() -> None:
    lines: list[list[Cell]] = [[(72, "(in millions)"), (330, "2023"), (460, "2022")]]
    for number, label in enumerate(LABELS):
        row: list[Cell] = [(72, label), (360, f"1,{200 + number}")]
        row += [(369, "$")] if number in SIGNED else []
        lines.append([*row, (490, f"1,{100 + number}")])
    (table,) = rows_of(*lines)
    assert [row[1:] for row in table[1:]] == [
        [f"1,{200 + n}", f"$ 1,{100 + n}" if n in SIGNED else f"1,{100 + n}"] for n in range(len(LABELS))
    ]


def test_a_sentence_between_two_tables_parts_them() -> None:
    sentence = "The following table has what the mill ground in each of the years before the flood of the river:"
    first = [
        [(72.0, label), (360.0, f"{number}1"), (490.0, f"{number}2")] for number, label in enumerate(LABELS[:4], 1)
    ]
    second = [[(72.0, label), (430.0, f"{9 - number}7")] for number, label in enumerate(LABELS[4:8], 1)]
    tables = rows_of(*first, [(72, sentence)], *second)
    assert [len(table) for table in tables] == [4, 4]
    assert [len(table[0]) for table in tables] == [3, 2]


@pytest.mark.parametrize(
    "labels",
    [
        ("Obligation", "Assets of the plan"),
        ("Films and other flexible products", "Specialty cartons that are folded", "Containers, lids and the closures"),
    ],
)
def test_small_tables_with_names_above_and_percent_signs_that_hang_over_are_tables(labels: Sequence[str]) -> None:
    names: list[Cell] = [(72, "(in millions)"), (330, "June 30, 2023"), (460, "June 30, 2022")]
    rows = [[(72.0, label), (390.0, f"{8 + n}31"), (520.0, f"({3 + n}.7)%")] for n, label in enumerate(labels)]
    (table,) = rows_of(names, *rows)
    assert table == [
        ["(in millions)", "June 30, 2023", "June 30, 2022"],
        *([label, f"{8 + n}31", f"({3 + n}.7)%"] for n, label in enumerate(labels)),
    ]


def test_a_sign_in_the_run_of_the_number_before_it_belongs_to_the_one_after_it() -> None:
    lines: list[Sequence[Cell]] = [[(72, "(in millions)"), (330, "2023"), (460, "2022")]]
    for number, label in enumerate(LABELS[:6]):
        sign = "   $" if number in (0, 5) else ""
        lines.append([(72, label), (330, f"{9 - number}2.7{sign}"), (460, f"{9 - number}1.5")])
    (table,) = rows_of(*lines)
    assert [row[1:] for row in table[1:]] == [
        [f"{9 - n}2.7", f"$ {9 - n}1.5" if n in (0, 5) else f"{9 - n}1.5"] for n in range(6)
    ]
