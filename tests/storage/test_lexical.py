"""FTS5 ranks as BM25 should, over our own tokens and nothing else."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from core.storage.catalogue.filing.sources import remove_source
from core.storage.catalogue.texts.generations import begin_generation
from core.storage.index.lexical import FtsIndex
from core.storage.index.postings import FIELD_WEIGHTS
from core.storage.schema.word_tables import add_rows, remove_rows
from core.storage.store import Store
from tests.storage.builders import DIMENSION, EMBEDDER, ingest


def filled(store, texts: list[list[str]], embedder: str = EMBEDDER) -> FtsIndex:
    number = begin_generation(store, embedder, DIMENSION).number
    with store.transaction() as connection:
        add_rows(connection, number, [(row, "", "", "", " ".join(tokens)) for row, tokens in enumerate(texts, 1)])
    return FtsIndex(store, number)


def test_a_term_in_most_rows_only_counts_alone(store) -> None:
    index = filled(store, [["the", "cat"], ["the", "dog"], ["the", "the", "bird"]])
    rows, scores = index.search(["the", "dog"])
    assert rows.tolist() == [2]
    assert scores.dtype == np.float32
    assert sorted(index.search(["the"])[0].tolist()) == [1, 2, 3]
    held = index.holding(["the", "dog", "dog", "nowhere"])
    assert {token: found.tolist() for token, found in held.items()} == {"dog": rows.tolist()}, "and is passed over"
    assert index.search(["nowhere"])[0].dtype == np.int64
    assert index.search([])[0].size == 0


WORDS = [f"w{number}" for number in range(10)]
FIELD = st.lists(st.sampled_from(WORDS), max_size=12)


def scored_by_fts5(store, index: FtsIndex, tokens: list[str]) -> dict[int, np.float32]:
    table, asked = f"lexical_{index.generation}", " OR ".join(f'"{token}"' for token in tokens)
    with store.reading() as connection:
        found = connection.execute(
            f"SELECT rowid, -bm25({table}, ?, ?, ?, ?) FROM {table} WHERE {table} MATCH ?",
            (*FIELD_WEIGHTS.tolist(), asked),
        )
        return {row: np.float32(score) for row, score in found}


@given(
    st.lists(st.tuples(FIELD, FIELD, FIELD, FIELD), min_size=1, max_size=20),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=5),
)
def test_scores_are_those_of_fts5_to_the_last_digit(tmp_path_factory, passages, question) -> None:
    with Store.open(tmp_path_factory.mktemp("library"), write=True) as store:
        number = begin_generation(store, EMBEDDER, DIMENSION).number
        with store.transaction() as connection:
            fields = [[" ".join(field) for field in passage] for passage in passages]
            add_rows(connection, number, [(3 * row, *passage) for row, passage in enumerate(fields, 1)])
        index = FtsIndex(store, number)
        held = {
            token: [3 * row for row, each in enumerate(passages, 1) if token in set().union(*each)] for token in WORDS
        }
        known = [token for token in question if held[token]]
        telling = [token for token in known if 2 * len(held[token]) <= len(passages)] or known
        telling.sort(key=lambda token: (len(held[token]), token))
        for _ in range(2):  # read, and kept
            rows, scores = index.search(question)
            expected = scored_by_fts5(store, index, telling) if telling else {}
            assert rows.tolist() == sorted(expected)
            assert scores.tolist() == [expected[row] for row in rows.tolist()]
            assert {token: found.tolist() for token, found in index.holding(question).items()} == {
                token: held[token] for token in telling
            }


def test_what_is_kept_of_tokens_is_forgotten_when_the_contents_change(store) -> None:
    ingest(store, "one", "wheat grows")
    index = FtsIndex(store, 1)
    assert index.search(["wheat"])[0].size == 1
    ingest(store, "two", "more wheat grows")
    assert index.search(["wheat"])[0].size == 2
    assert index.holding(["wheat"])["wheat"].size == 2
    first = store.value("SELECT id FROM source WHERE name = 'one'")
    for change in (lambda: remove_source(store, first), lambda: ingest(store, "three", "wheat " * 9), lambda: None):
        change()
        anew = FtsIndex(store, 1)  # has read the length of every row, the other that of those that came in
        for kept, read in zip(index.search(["wheat", "more"]), anew.search(["wheat", "more"]), strict=True):
            assert kept.tolist() == read.tolist()


LETTERS = st.characters(categories=["Ll", "Lo", "Lm", "Nd", "Nl", "No"]).filter(str.isalnum)
TOKENS = st.text(LETTERS, min_size=1)
RARE = ["straße", "ﬁ", "i", "ǆ", "𞤢𞤣", "中文", "éx", "σς", "ex", "c++", "a_b", "3.14", "x-1", "~", "r#"]


@example(RARE)
@given(st.lists(TOKENS, min_size=1, max_size=8, unique=True))
def test_no_token_is_altered_parted_or_confused(tmp_path_factory, tokens) -> None:
    with Store.open(tmp_path_factory.mktemp("library"), write=True) as store:
        index = filled(store, [[token] for token in tokens])
        for row, token in enumerate(tokens, 1):
            assert index.search([token])[0].tolist() == [row]


def test_nothing_in_a_question_is_an_operator(store) -> None:
    index = filled(store, [["near"], ["or"], ["text"], ["a"], ["b"], ["c"]])
    assert index.search(["near", "or", "text"])[0].tolist() == [1, 2, 3]
    for hostile in (
        '"',
        "a*",
        "text:near",
        "(",
        "^a",
        "-b",
        "{",
        'x" OR "c',
        "NEAR(a b)",
        "\x00",
        "'); DROP TABLE meta",
    ):
        assert index.search([hostile])[0].size == 0, hostile


def test_a_question_of_a_whole_page_is_answered(store) -> None:
    drawn = np.random.default_rng(3)
    index = filled(store, [[f"w{term}" for term in drawn.integers(0, 3000, 80)] for _ in range(500)])
    question = [f"w{term}" for term in range(3000)]
    rows, _ = index.search(question)
    assert len(rows) > 100


def test_removed_rows_leave_no_token_behind(store) -> None:
    index = filled(store, [["alpha", "beta"], ["alpha"], ["gamma"], ["delta"], ["delta"]])
    with store.transaction() as connection:
        remove_rows(connection, 1, [1])
    assert index.search(["beta"])[0].size == 0
    assert index.search(["alpha"])[0].tolist() == [2]
    with store.reading() as connection:
        assert connection.execute("SELECT doc FROM lexical_1_terms WHERE term = 'alpha'").fetchone() == (1,)


def test_each_generation_has_its_own_frequencies(store) -> None:
    first = filled(store, [["alpha"], ["beta"], ["gamma"], ["delta"]])
    _, alone = first.search(["alpha"])
    second = filled(store, [["alpha"]] * 3 + [["beta"]] * 9, embedder="another")
    assert first.search(["alpha"])[1] == alone
    assert second.search(["alpha"])[0].tolist() == [1, 2, 3]
