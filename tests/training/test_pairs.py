"""Where pairs come from: files, documents, Python's own library; and which of them train."""

from __future__ import annotations

import gzip
import json
import sysconfig
from pathlib import Path

import pytest

from benchmarks.reranker.code_pairs import code_pairs
from benchmarks.reranker.pairs import Pair, balanced, document_pairs, folder_pairs, read_pairs
from core.errors import ParseError
from core.parsing import parse
from core.settings import ParsingSettings
from tests.conftest import ROOT

LINE = {"source": "s", "question": "Who?", "positive": "They did.", "pool": "s:One_page", "answer": "They"}


@pytest.mark.parametrize("name", ["pairs.jsonl", "pairs.jsonl.gz"])
def test_pairs_are_read_from_lines_gzipped_or_not(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    lines = (LINE, {**LINE, "answer": None}, {**LINE, "answerable": False}, {**LINE, "missed": "Who not?"})
    text = "\n\n".join(map(json.dumps, lines))
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    assert read_pairs(path) == [
        Pair("s", "Who?", "They did.", "s:One_page", "They"),
        Pair("s", "Who?", "They did.", "s:One_page"),
        Pair("s", "Who?", "They did.", "s:One_page", "They", answerable=False),
        Pair("s", "Who?", "They did.", "s:One_page", "They", missed="Who not?"),
    ]


@pytest.mark.parametrize(
    "line",
    ["[1]", "{", '{"source": "s"}']
    + [
        json.dumps({**LINE, **wrong}) for wrong in ({"question": " "}, {"pool": 3}, {"answerable": "no"}, {"missed": 1})
    ],
)
def test_a_line_that_is_no_pair_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(LINE) + "\n" + line + "\n", encoding="utf-8")
    with pytest.raises(ParseError, match=r"Line 2 of pairs\.jsonl is no pair"):
        read_pairs(path)


def test_a_gzipped_file_that_is_cut_or_damaged_is_a_sentence(tmp_path: Path) -> None:
    whole = gzip.compress("".join(json.dumps({**LINE, "question": f"Who {at}?"}) + "\n" for at in range(99)).encode())
    path = tmp_path / "pairs.jsonl.gz"
    for data in (whole[: len(whole) // 2], whole[:40] + bytes(40) + whole[80:], b"no gzip"):
        path.write_bytes(data)
        with pytest.raises(ParseError, match=r"pairs\.jsonl\.gz cannot be read: .* whether the file is whole"):
            read_pairs(path)


def test_a_file_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(ParseError, match="cannot be read"):
        read_pairs(tmp_path / "none.jsonl")


def test_no_pool_is_on_both_sides() -> None:
    pairs = [Pair("s", f"Question {at}?", f"Passage {at}.", f"s:page {at % 200}") for at in range(1000)]
    sides: dict[str, set[bool]] = {}
    for pair in pairs:
        sides.setdefault(pair.pool, set()).add(pair.held_out)
    assert all(len(side) == 1 for side in sides.values())
    assert 0 < sum(side == {True} for side in sides.values()) < 30


def test_two_sources_of_one_pool_are_on_the_same_side() -> None:
    sources = ("python", "python-names")
    code = [Pair(name, f"What is {at}?", f"Passage {at}.", f"python:{at}.py") for at in range(200) for name in sources]
    assert {pair.source for pair in code if pair.held_out} == {"python", "python-names"}
    assert not {pair.pool for pair in code if pair.held_out} & {pair.pool for pair in code if not pair.held_out}
    alone = [Pair(source, f"Question {at}?", "", "all") for at in range(200) for source in ("one", "other")]
    sides = [{pair.held_out for pair in alone if pair.question == asked} for asked in {pair.question for pair in alone}]
    assert {True, False} in sides, "where the source is one pool, each parts its questions by itself"


def test_each_question_has_its_turn_before_any_has_two() -> None:
    often = [Pair("s", "What is it?", f"It is {at}.", "s:a") for at in range(50)]
    once = [Pair("s", f"Question {at}?", f"Passage {at}.", "s:a") for at in range(20)]
    assert not Pair("s", "", "", "s:a").held_out
    chosen = balanced([*often, *once], {"s": 22}, seed=3)
    assert len(chosen) == 22
    assert {pair.question for pair in once} < {pair.question for pair in chosen}
    assert chosen == balanced([*often, *once], {"s": 22}, seed=3) != balanced([*often, *once], {"s": 22}, seed=4)


def test_held_out_pairs_never_train() -> None:
    pairs = [Pair("s", f"Question {at}?", f"Passage {at}.", f"s:page {at}") for at in range(500)]
    assert {pair.held_out for pair in pairs} == {True, False}
    assert balanced(pairs, {}, 0)
    assert not any(pair.held_out for pair in balanced(pairs, {}, 0))


def test_the_passage_of_a_held_out_pair_never_trains_with_another_question() -> None:
    pairs = [Pair("s", f"Question {at}?", f"Passage {at // 2}.", "s") for at in range(400)]
    kept_out = {pair.positive for pair in pairs if pair.held_out}
    asked_twice = [pair for pair in pairs if not pair.held_out and pair.positive in kept_out]
    assert asked_twice
    assert not kept_out & {pair.positive for pair in balanced(pairs, {}, 0)}
    assert len(balanced(pairs, {}, 0)) == sum(not pair.held_out for pair in pairs) - len(asked_twice)


def test_a_function_is_asked_for_by_what_its_docstring_says_and_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(
        'def price_of(item, taxes):\n    """Add up what the item costs with all taxes.\n\n    More."""\n'
        "    total = item.net\n    for tax in taxes:\n        total += tax.of(item)\n    return total\n\n\n"
        'def tiny():\n    """Too short to be learnt from at all."""\n    return 1\n',
        encoding="utf-8",
    )
    said, named = code_pairs(root=tmp_path)
    assert said.question == "Add up what the item costs with all taxes."
    assert said.positive.startswith("def price_of")
    assert '"""' not in said.positive
    assert "return total" in said.positive
    assert "price_of" in named.question
    assert "Add up" in named.positive
    assert {said.pool, named.pool} == {f"python:{tmp_path.name}/shop.py"}


def test_code_of_other_languages_is_read_by_its_syntax(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "passed_over.go").write_text("// Is over here for nothing at all.\nfunc F() {\n\n\n}\n")
    (tmp_path / "sums.rs").write_text(
        "/// Adds two numbers, whatever they are.\n///\n/// More.\npub fn add_numbers(a: i32, b: i32) -> i32 {\n"
        "    let sum = a + b;\n    // said inside\n    sum\n}\n",
        encoding="utf-8",
    )
    said, named = code_pairs(root=tmp_path)
    assert (said.source, named.source) == ("rust", "rust-names")
    assert said.question == "Adds two numbers, whatever they are."
    assert said.positive.startswith("pub fn add_numbers")
    assert "said inside" in said.positive
    assert "add_numbers" in named.question
    assert "whatever they are" in named.positive


@pytest.mark.long
def test_pythons_own_library_gives_thousands() -> None:
    code = code_pairs()
    assert len(code) > 3000
    assert {pair.source for pair in code} == {"python", "python-names"}


def test_the_same_files_give_the_same_pairs() -> None:
    place = Path(sysconfig.get_path("stdlib")) / "email"
    found = code_pairs(place)
    assert len(found) > 30
    assert found == code_pairs(place)


def test_a_heading_asks_for_its_section_and_a_sentence_for_what_follows() -> None:
    body = "The pump is oiled every spring by whoever is there. It takes a litre of thin oil, warmed. " * 2
    document = parse(f"# House\n\n## The pump\n\n{body}\n".encode(), "house.md", ParsingSettings())
    found = list(document_pairs(document))
    assert [pair.question for pair in found if pair.source == "headings"] == ["The pump"]
    sentences = [pair for pair in found if pair.source == "sentences"]
    assert sentences[0].question == "The pump is oiled every spring by whoever is there."
    assert sentences[0].positive.startswith("It takes a litre")
    assert {pair.pool for pair in found} == {"document:House"}


def test_the_samples_give_pairs_of_many_documents_and_what_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    found = folder_pairs(ROOT / "data" / "samples" / "documents")
    assert len(found) >= 200
    assert len({pair.pool for pair in found}) >= 5
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(40))
    assert folder_pairs(tmp_path) == []
