"""Features of chunks: hard cases by hand, laws by random documents."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.enriching import enrich
from core.enriching.features import REFERENCE_KINDS, Features, Reference
from core.parsing import parse
from core.settings import SECTION_TYPES, ParsingSettings
from core.types import Chunk, ChunkTree, Document, Span
from tests.chunking import generated
from tests.enriching.cutting import cut, one_leaf, read


def alone(text: str, name: str = "note.txt") -> Features:
    return next(iter(enrich(one_leaf(read(text, name))).values()))


def test_place() -> None:
    page = "# Mill\n\n" + "\n\n".join(f"## Part {at}\n\n" + "The wheel turns and turns. " * 30 for at in range(2))
    tree = cut(read(page), most=40)
    found = enrich(tree)
    leaves = [found[leaf.chunk_id] for leaf in tree.leaves]
    assert [one.index for one in leaves] == list(range(1, len(leaves) + 1))
    assert {one.total for one in leaves} == {len(leaves)}
    parents = [found[chunk.chunk_id] for chunk in tree.chunks if chunk.level == 1]
    assert [one.total for one in parents] == [len(parents)] * len(parents)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("*Race* is the channel that leads the water.", "definition"),
        ("“Device” means anything with a battery.", "definition"),
        ("A weir is a low wall across a river.", "definition"),
        ("Latency refers to the time between question and answer.", "definition"),
        ("The mill is old.", "prose"),
        ("For example, the wheel of 1780 had twelve blades.", "example"),
        ("> **Warning:** the water is deep.", "caveat"),
        ("Note that the door stays shut.", "caveat"),
        ("Notes from the field are kept for a year.", "prose"),
        ("> [!WARNING]\n> The water is deep.", "caveat"),
        ("Why does the wheel stop?\n\nBecause of the ice.", "question"),
        ("Q: Why?\nA: Because.", "question"),
        ("In summary, mills are slow.", "summary"),
        ("1. Open the gate.\n2. Wait.\n3. Close it.", "steps"),
        ("- a gate\n- a wheel", "prose"),
        ("```python\nx = 1\ny = 2\n```", "code"),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", "table"),
        ("## Summary\n\nMills are slow.", "summary"),
        ("## Limitations\n\nOnly small rivers were seen.", "caveat"),
        ("## How to open the gate\n\n- Pull.\n- Wait.", "steps"),
        ("## References\n\n[1] Ada, 1843.", "reference"),
        ("## Can I swim?\n\nYes.", "question"),
        ("## Glossary\n\nWeir: a low wall.", "definition"),
        ("## `GET /v1/weirs`\n\nLists the weirs of a river.", "api_ref"),
        ("### Post a batch\n\n`POST /events` accepts up to 500 events.", "api_ref"),
        ("### weir.open(height, slowly=False)\n\nOpens the weir to a height.", "api_ref"),
        ("Opens the weir.\n\nParameters:\n\n- height: in metres\n\nReturns: how far it is open.", "api_ref"),
        ("## How it was (in 1650)\n\nThe weir was built by hand.", "prose"),
    ],
)
def test_section_types(text: str, wanted: str) -> None:
    tree = cut(read(text), most=200)
    found = enrich(tree)[tree.leaves[0].chunk_id]
    assert found.section_type == wanted


FOUND = {
    "symbols": {
        "Call getUserName or user_name, then parse_all() and std::vector.": (
            "getUserName", "user_name", "parse_all()", "std::vector"
        ),
        "E-1042 and COVID-19 differ; ERR_TIMEOUT too.": ("E-1042", "COVID-19", "ERR_TIMEOUT"),
        "Use `--dry-run` with `limit`, not dry runs.": ("--dry-run", "limit"),
        "A well-known mother-in-law, Mr. Smith and e.g. this.": (),
        "HTTP, NASA, Foo and iPhone are not code.": (),
        "The `Retry-After` header": ("Retry-After",),
    },
    "dates": {
        "on 2024-02-29 and 2023-02-29": ("2024-02-29",),
        "12.05.2026 is dotted, 05/12/2026 is not clear, 25/12/2026 is": ("2026-05-12", "05/12/2026", "2026-12-25"),
        "March 5th, 2024; 5 March 2024; 5. März 2024; 5 de marzo de 2024": ("2024-03-05",),
        "In May 2023 it may 5 times rain, on 19 August too": ("2023-05", "19 August"),
        "Q3 2026 and 2026-09": ("2026-Q3", "2026-09"),
        "1789 was a year, 3.14 is a number, 12/24 a share": (),
    },
    "versions": {
        "We run Python 3.11 and v2.1.0-rc.1 of it.": ("Python 3.11", "v2.1.0-rc.1"),
        "since 1.4.0, in version 7": ("1.4.0", "version 7"),
        "at 10.0.0.1, about 3.5 %, 2.5 million, Section 3.11, Figure 4.2": (),
        "3.1.2 A heading's number\n\nand words": (),
    },
}  # fmt: skip


@pytest.mark.parametrize(("field", "text"), [(field, text) for field, texts in FOUND.items() for text in texts])
def test_what_is_written_to_be_exact(field: str, text: str) -> None:
    assert sorted(getattr(alone(text), field)) == sorted(FOUND[field][text])


def test_paths_urls_and_addresses() -> None:
    found = alone(
        "See https://example.org/a_(b), www.example.com/x. and mailto:ada@example.org! Edit /etc/hosts, ~/notes/a.md, "
        r"src/core/types.py, C:\notes\ada and GET /v1/orders/{id}; and/or, km/h, 1/2 and </b> are none."
    )
    assert found.urls == ("https://example.org/a_(b)", "www.example.com/x")
    assert found.emails == ("ada@example.org",)
    assert found.paths == ("/etc/hosts", "~/notes/a.md", "src/core/types.py", r"C:\notes\ada", "/v1/orders/{id}")


def test_names_are_told_from_beginnings_of_sentences() -> None:
    found = alone(
        "Yesterday Ines Okafor met the Bank of England and Heron Works Ltd in Delft. Nobody came. The Monday was wet. "
        "They asked Ines again. In March the IBM team left."
    )
    assert found.names == ("Ines Okafor", "Delft", "Ines", "IBM")
    assert found.organisations == ("Bank of England", "Heron Works Ltd")


def test_names_with_capitals_inside_and_words_in_capitals() -> None:
    found = alone(
        "SpaceX pays ChipCorp by EOY. Send the EUR invoice ASAP, at 9 AM UTC. The WEIR is closed; nobody opens a weir. "
        "Mondays are quiet. NATO met there. Joon's key is lost, and they asked Joon for it."
    )
    assert found.names == ("SpaceX", "ChipCorp", "NATO", "Joon")


def test_nouns_of_german_are_no_names() -> None:
    text = "Gestern hat die Müllerin den Sack mit Mehl in die Mühle am Bach getragen. " * 12
    assert alone(text + "Dort traf sie Anna Weber.").names == ("Anna Weber",)


def test_keywords_tell_passages_apart() -> None:
    themes = {
        "water": "The weir holds the water back, and the water level above the weir rises.",
        "flour": "The miller grinds rye flour; rye flour keeps for a year when the flour is dry.",
        "wheel": "The wheel has twelve blades. A blade of the wheel breaks in hard ice.",
    }
    page = "\n\n".join(f"## {name.capitalize()}\n\n{text} It is the mill of the town." for name, text in themes.items())
    tree = cut(read("# Mill\n\n" + page), most=45)
    found = [enrich(tree)[leaf.chunk_id].keywords for leaf in tree.leaves]
    assert len(found) == 3
    assert "weir" in found[0]
    assert "rye flour" in found[1]
    assert "wheel" in found[2]
    assert all("the" not in words for words in found)
    assert all(words[0] != "mill" for words in found)


def test_what_the_chunker_found_is_carried_on() -> None:
    document = read("def f(): pass", "note.txt")
    chunk = Chunk("c", 0, None, 0, 13, document.text[:13], 3, metadata={"symbols": ("f",)})
    assert enrich(ChunkTree(document, (chunk,)))["c"].metadata == {"symbols": ("f",)}


def check(tree: ChunkTree, found: dict[str, Features]) -> None:
    assert list(found) == [chunk.chunk_id for chunk in tree.chunks]
    text = tree.document.text
    for chunk in tree.chunks:
        one = found[chunk.chunk_id]
        assert one.section_type in SECTION_TYPES
        assert 1 <= one.index <= one.total
        for reference in one.references:
            assert reference.kind in REFERENCE_KINDS
            assert chunk.span.contains(reference.span)
            assert text[reference.start : reference.end] == reference.text
            assert reference.target is None or reference.target.end <= len(text)
        spaced = " ".join(chunk.text.split())
        for words in (*one.names, *one.organisations, *one.urls, *one.paths, *one.emails):
            assert words in spaced or words in chunk.text
        for symbol in one.symbols:
            assert symbol.removesuffix("()") in chunk.text
        for phrase in one.keywords:
            assert all(word.lower()[:2] in chunk.text.lower() for word in phrase.split())
        assert len(set(one.keywords)) == len(one.keywords) <= 6
        assert Features.from_dict(json.loads(json.dumps(one.to_dict()))) == one


@given(generated.documents(), generated.settings(chunker="structure"))
def test_laws_on_random_documents(document, settings) -> None:
    from core.chunking import chunk
    from tests.enriching.cutting import WordCounter

    tree = chunk(document, settings, WordCounter())
    found = enrich(tree)
    check(tree, found)
    assert enrich(tree) == found


MARKED = st.lists(
    st.sampled_from(
        "see section 3.1 Table 2 Fig. 4 [12] [^a] ¹ § 4 (a) and . , : \n \n\n # ## ``` `x_y` | 2024-03-05 5 March "
        "2024 v2.1 "
        "Python 3.11 "
        "/etc/x https://x.org/( a@b.org getName() E-1 References Article IV Ada Lovelace Ltd. ( ) [ ] the of "
        "日本語 שלום e\u0301 👩‍🚀 \u2028 \x0c 1. 4.2 Q3 2026 “ ” \ud800 \x00".split(" ")
    ),
    max_size=60,
)


@given(MARKED, st.sampled_from(["text", "markdown", "pdf", "html"]))
def test_laws_on_random_marks(pieces, kind) -> None:
    text = " ".join(pieces)
    if not text.strip():
        return
    document = Document("v", kind, "Marks", text)
    start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    middle = (start + end) // 2
    spans = [Span(start, end)] if end - start < 4 else [Span(start, middle), Span(middle, end)]
    chunks = tuple(
        Chunk(str(at), 0, None, span.start, span.end, text[span.start : span.end], 1) for at, span in enumerate(spans)
    )
    tree = ChunkTree(document, chunks)
    found = enrich(tree)
    for chunk in chunks:
        one = found[chunk.chunk_id]
        assert all(text[ref.start : ref.end] == ref.text and chunk.span.contains(ref.span) for ref in one.references)
        assert Features.from_dict(json.loads(json.dumps(one.to_dict()))) == one


@given(
    st.builds(
        Features,
        keywords=st.lists(st.text(max_size=5), max_size=3).map(tuple),
        metadata=st.dictionaries(st.text(max_size=3), st.lists(st.text(max_size=3), min_size=1, max_size=2).map(tuple)),
        references=st.lists(
            st.builds(Reference, st.sampled_from(REFERENCE_KINDS), st.integers(0, 5), st.integers(6, 9),
                      st.text(max_size=4), st.none() | st.just(Span(2, 4)), st.none() | st.text(max_size=4)),
            max_size=2,
        ).map(tuple),
    )
)  # fmt: skip
def test_features_go_to_json_and_back(features) -> None:
    assert Features.from_dict(json.loads(json.dumps(features.to_dict()))) == features


def test_fields_of_another_lectern_are_passed_over() -> None:
    assert Features.from_dict({"genre": "FAQ", "title": "a"}) == Features(genre="FAQ")


def test_time_is_linear_in_hostile_text() -> None:
    """Texts that make a careless pattern take minutes."""
    for text in ("[" * 20_000, "(a" * 10_000, "/a" * 10_000, "A " * 20_000, "a_" * 20_000, "see " * 10_000,
                 "1." * 10_000,
                 "Section " * 5_000, "`a " * 10_000, "x@" * 10_000, "*a" * 10_000, "www." * 8_000):  # fmt: skip
        alone(text + " end")


def test_real_files(shared) -> None:
    def read_real(name: str) -> dict[str, Features]:
        place = shared / "parser_docs" / name
        tree = cut(parse(place.read_bytes(), place.name, ParsingSettings()), most=80)
        found = enrich(tree)
        check(tree, found)
        return found

    found = read_real("pdf/redp5110_sampled.pdf")
    assert any("IBM" in name for one in found.values() for name in one.names)
    assert any("Figure 3-1" in one.figures for one in found.values())
    found = read_real("html/wiki_duck.html")
    assert any("Dabbling ducks" in [ref.text for ref in one.references] for one in found.values())
    read_real("docx/word_tables.docx")
    read_real("email/eml_with_attachment.eml")
    found = read_real("docx/textbox.docx")
    assert any(one.keywords for one in found.values())
