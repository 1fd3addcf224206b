"""What words point to: resolved where there is one such place, else left open."""

from __future__ import annotations

import pytest

from core.enriching import enrich
from core.enriching.targets import targets
from core.text.outline import Outline
from core.types import Block, BlockKind, Document, Link, Span
from tests.enriching.cutting import one_leaf, read

PAGE = """# Plan

## 1. Aims

What section 3.1 and Sections 2 and 3.2 say holds here too, see §2. See also the chapter “Aims”.
See the Costs section.

## 2. Costs

Table 1. Costs by year

| Year | Sum |
|---|---|
| 2025 | 10 |

As Table 1 shows, and fig. 2 does not, it is cheap.[^low] Compare [12, 14] with [13].

Figure 2: A curve

## 3. Work

### 3.1 First

Article 5 of the law is not ours. Section 9 does not exist. Values[3] are code, and `values[4]` too.

### 3.2 Then

[Back to the costs](#2-costs), [elsewhere](https://example.org/a#b), [nowhere](#none).

[^low]: Lower than last year.

## References

[12] Ada. On mills. 2020.

[13] Ben. On water. 2021.
"""


def found(document: Document):
    return next(iter(enrich(one_leaf(document)).values()))


def by_text(document: Document, kind: str) -> dict[str, str | None]:
    """The first words of the target by the words that point to it."""
    text = document.text
    return {
        one.text: one.target and text[one.target.start : one.target.end].split("\n")[0]
        for one in found(document).references
        if one.kind == kind
    }


def test_sections_are_found_by_number_and_by_name() -> None:
    assert by_text(read(PAGE), "section") == {
        "section 3.1": "### 3.1 First",
        "Sections 2": "## 2. Costs",
        "3.2": "### 3.2 Then",
        "§2": "## 2. Costs",
        "Aims": "## 1. Aims",
        "Costs": "## 2. Costs",
        "Article 5": None,
        "Section 9": None,
    }


def test_a_heading_keeps_the_underscores_of_its_names() -> None:
    page = "# Names\n\nSee the old snake_case section.\n\n## *Old* snake_case ##\n\nWords.\n"
    assert by_text(read(page), "section") == {"old snake_case": "## *Old* snake_case ##"}


def test_a_section_reference_spans_the_whole_section() -> None:
    document = read(PAGE)
    target = next(one.target for one in found(document).references if one.text == "§2")
    body = document.text[target.start : target.end]
    assert body.startswith("## 2. Costs")
    assert body.rstrip().endswith("Figure 2: A curve")


def test_captions_are_targets_and_tables_come_with_theirs() -> None:
    document = read(PAGE)
    assert by_text(document, "figure") == {"fig. 2": "Figure 2: A curve"}
    table = next(one.target for one in found(document).references if one.kind == "table")
    assert document.text[table.start : table.end].rstrip().endswith("| 2025 | 10 |")
    assert found(document).figures == ("Figure 2",)
    assert found(document).tables == ("Table 1",)


def test_notes_and_sources() -> None:
    document = read(PAGE)
    assert by_text(document, "footnote") == {"[^low]": "[^low]: Lower than last year."}
    assert by_text(document, "citation") == {
        "12": "[12] Ada. On mills. 2020.",
        "14": None,
        "[13]": "[13] Ben. On water. 2021.",
    }


def test_links_inside_and_outside() -> None:
    links = {one.text: one for one in found(read(PAGE)).references if one.kind == "link"}
    text = read(PAGE).text
    inside = links["Back to the costs"].target
    assert text[inside.start : inside.end].startswith("## 2. Costs")
    assert links["elsewhere"].target is None
    assert links["elsewhere"].target_url == "https://example.org/a#b"
    assert links["nowhere"].target is None


def test_a_number_borne_twice_points_nowhere() -> None:
    page = "# A\n\n## 2. One\n\nSee section 2.\n\n# B\n\n## 2. Other\n\nWords.\n"
    assert by_text(read(page), "section") == {"section 2": None}


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("He sat in section 4a of the stand.", {"section 4a": None}),
        ("It took part 3 days.", {"part 3": None}),
        ("The article is long.", {}),
        ("Sections in general are short.", {}),
        ("See Appendix B.", {"Appendix B": None}),
        ("a chapter I like", {}),
        ("Chapters IV and VI", {"Chapters IV": None}),
        ("Sections 2–4 and 7", {"Sections 2": None, "4": None, "7": None}),
        ("Siehe Abschnitt 3.", {"Abschnitt 3": None}),
    ],
)
def test_hard_cases_of_sections(sentence: str, wanted: dict[str, str | None]) -> None:
    assert by_text(read(sentence, "note.txt"), "section") == wanted


def test_clauses_that_are_no_headings_are_targets() -> None:
    page = (
        "Rules\n\n1.1 Doors are shut at night.\n\n1.2 Clause 1.1 does not hold in June.\n\n1.3 As clause 1.1(a) says.\n"
    )
    document = read(page, "rules.txt")
    assert by_text(document, "section") == {
        "Clause 1.1": "1.1 Doors are shut at night.",
        "clause 1.1(a)": "1.1 Doors are shut at night.",
    }


def test_authors_and_years_where_sources_are_listed() -> None:
    page = (
        "# On ducks\n\nThey swim (Fish et al., 1994), as Frank (1990) said, but not in (March, 2019).\n\n"
        "## References\n\nFish, F. Ducklings in a row. Journal, 1994.\n\nFrank, A. Ponds. 1990.\n"
    )
    assert by_text(read(page), "citation") == {
        "Fish et al., 1994": "Fish, F. Ducklings in a row. Journal, 1994.",
        "Frank (1990)": "Frank, A. Ponds. 1990.",
    }


LISTED = ("[1] Doe J. On cats. 2019.", "[2] Roe A. On dogs, after\n[1] and others. 2020.", "[3] Poe E. Ravens. 1845.")
CITING = "As [3] shows, and [1, 2]. (Doe, 2019) too."
ENTRIES = {"[3]": LISTED[2], "1": LISTED[0], "2": LISTED[1].split("\n")[0], "Doe, 2019": LISTED[0]}
ENTRIES["[1]"] = LISTED[0]  # the second entry cites the first


@pytest.mark.parametrize("between", ["\n", "\n\n"], ids=["one paragraph", "a paragraph each"])
@pytest.mark.parametrize(
    ("name", "head"),
    [("p.md", "## References\n\n"), ("p.txt", "References\n\n"), ("p.txt", "References:\n"), ("p.md", "Literatur\n\n")],
)
def test_every_citation_leads_to_its_own_entry(name: str, head: str, between: str) -> None:
    document = read(f"Ducks\n\n{CITING}\n\n{head}{between.join(LISTED)}\n", name)
    assert by_text(document, "citation") == ENTRIES
    ends = {one.target and document.text[one.target.start : one.target.end] for one in found(document).references}
    assert ends == set(LISTED)


def test_a_paragraph_counts_its_entries_with_a_stop_too_and_a_year_that_begins_a_line_is_none() -> None:
    listed = "1. Doe J. On cats, a history until\n2020. Press.\n2. Roe A. On dogs. 2021."
    document = read(f"Cats [1] and dogs [2].\n\nReferences\n\n{listed}\n", "p.txt")
    assert by_text(document, "citation") == {
        "[1]": "1. Doe J. On cats, a history until",
        "[2]": "2. Roe A. On dogs. 2021.",
    }


def test_a_line_that_speaks_of_sources_lists_none() -> None:
    document = read("Cats [1].\n\nSources\n\nThe river has two.\n\n[1] Doe J. On cats. 2019.\n", "p.txt")
    assert by_text(document, "citation") == {"[1]": None}


def test_a_link_with_an_address_that_is_written_otherwise() -> None:
    text = "Distribution and habitat\n\nSee there."
    blocks = (Block(BlockKind.HEADING, 0, 24, level=1), Block(BlockKind.PARAGRAPH, 26, 36))
    links = (Link(26, 36, "#Distribution_and_habitat"),)
    document = Document("v", "html", "Ducks", text, blocks, links=links)
    assert found(document).references[0].target == Span(0, 36)


def test_the_samples_point_where_they_say(samples) -> None:
    from core.parsing import parse
    from core.settings import ParsingSettings

    def spoken(name: str) -> dict[str, str | None]:
        document = parse((samples / "documents" / name).read_bytes(), name, ParsingSettings())
        return {
            one.text: one.target and document.text[one.target.start : one.target.end].split("\n")[0]
            for one in found(document).references
        }

    handbook = spoken("handbook.md")
    assert handbook["section 4.2"] == "### 4.2 Access tokens"
    assert handbook["section 10.4"] == "### 10.4 Flash cards"
    assert all(handbook[words] for words in handbook)
    policy = spoken("security-policy.docx")
    assert policy["clause 4.2"].startswith("4.2 A laptop")
    assert policy["[1]"].startswith("[1] Day badges")
    report = spoken("quarterly-report.pdf")
    assert report["Table 2"].startswith("Table 2. Firmware")
    assert report["2"].startswith("2 Until then")


def test_four_thousand_equal_headings_are_told_apart() -> None:
    heading, many = "# 1 a\n\n", 4000
    text = heading * many
    blocks = tuple(Block(BlockKind.HEADING, at, at + 5, level=1) for at in range(0, len(text), len(heading)))
    document = Document("1" * 64, "markdown", "Equal", text, blocks)
    anchors = targets(Outline(document)).anchors
    assert [anchors[name].start for name in ("1-a", "1-a-1", f"1-a-{many - 1}")] == [0, 7, (many - 1) * 7]


def test_a_real_page(shared) -> None:
    place = shared / "parser_docs" / "html" / "wiki_duck.html"
    from core.parsing import parse
    from core.settings import ParsingSettings

    document = parse(place.read_bytes(), place.name, ParsingSettings())
    links = {one.text: one for one in found(document).references if one.kind == "link"}
    assert document.text[links["4 Distribution and habitat"].target.start :].startswith("Distribution and habitat")
    assert "Duckling" in document.text[links["[1]"].target.start : links["[1]"].target.end]
