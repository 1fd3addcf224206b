"""Tables: groups of rows, slices of columns."""

from __future__ import annotations

from tests.chunking.domains import leaf_with, tree_of

HEAD = "| Year | Revenue | Profit | Staff |\n|--|--|--|--|\n"
ROWS = "".join(f"| {year} | {year % 7} M | {year % 5} M | {year % 100 * 3} |\n" for year in range(2010, 2022))
TEXT = f"# Sales\n\nWe sold a lot.\n\n{HEAD}{ROWS}\nThat is all for now.\n"


def test_a_table_stands_apart_in_groups_of_rows_under_its_header():
    tree = tree_of("table", TEXT, "a.md", max_tokens=60)
    groups = [leaf for leaf in tree.leaves if "| 20" in leaf.text]
    assert len(groups) > 2
    assert all("sold" not in leaf.text and "That is" not in leaf.text for leaf in groups)
    assert all([part.text for part in leaf.prefix][-1] == HEAD.strip() for leaf in groups[1:])
    assert leaf_with(tree, "That is").reasons[0] == "begins: the table before it ends here"


def test_wide_tables_are_cut_across_row_by_row():
    tree = tree_of("table", TEXT, "a.md", table_columns=2)
    leaf = leaf_with(tree, "3 M | 39 |")
    assert leaf.text == "3 M | 39 |"
    assert [(part.kind, part.text) for part in leaf.prefix] == [
        ("heading", "Sales"),
        ("table_header", "Profit | Staff"),
        ("sentences", "In 2013:"),
    ]


def test_a_table_that_is_no_wider_is_not_cut_across():
    assert tree_of("table", TEXT, "a.md", table_columns=4).leaves == tree_of("table", TEXT, "a.md").leaves


def test_csv_files_and_texts_without_tables():
    tree = tree_of("table", "city,people\n" + "".join(f"Town {at},{at * 7}\n" for at in range(60)), "a.csv")
    assert len(tree.leaves) > 2
    assert [part.text for part in tree.leaves[-1].prefix if part.kind == "table_header"] == ["city | people"]
    assert tree_of("table", "No rows here.").leaves[0].reasons[2] == "instead: structure; this text has no table"


REGIONS = "| Region | City | Sales |\n|--|--|--|\n" + "".join(
    f"| {region if not at or region == 'East' else ''} | Town {region[0]}{at} | {at} M |\n"
    for region in ("North", "East", "South")
    for at in range(3)
)


def test_rows_are_grouped_by_the_value_of_a_column():
    tree = tree_of("table", REGIONS, "a.md", table_key="region")
    assert [leaf.metadata["group"] for leaf in tree.leaves] == [("Region North",), ("Region East",), ("Region South",)]
    assert [leaf.text.count("Town") for leaf in tree.leaves] == [3, 3, 3]
    assert tree.leaves[1].reasons[0] == "begins: Region is East from here on"
    small = tree_of("table", REGIONS, "a.md", table_key="Region", max_tokens=30)
    assert len(small.leaves) > 3
    assert all(len(leaf.metadata["group"]) == 1 for leaf in small.leaves), "no leaf holds two groups"
    assert tree_of("table", REGIONS, "a.md", table_key="Colour").leaves == tree_of("table", REGIONS, "a.md").leaves
