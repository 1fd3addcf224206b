"""The stages behind the fusion over a whole library: conditions, diversity and re-ranking."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import ModelError
from core.library import Incoming, Library
from core.lru_cache import LruCache
from core.search import ordering
from core.search.question.query import Query
from core.search.searcher import Searcher
from tests.search.small_models import make_cross_encoder

ALONE = {"reranking.blend": 1, "reranking.neighbour_share": 0}  # the re-ranker decides by itself
SENTENCE = "The weir is opened by the keeper at noon, and the gauge of the lower lock is read twice."
TEXTS = {
    "handbook.md": f"# Handbook\n\n## Weir\n\n{SENTENCE}\n\nThe keeper of the weir sleeps.\n\nA weir has a gate.\n",
    "copy.md": f"# Copy\n\n## Weir\n\n{SENTENCE}\n",
    "draft.txt": "A draft on the weir: the keeper may open its gate.\n",
    "rates.md": "# Rates\n\n| region | share |\n|---|---|\n| north | 7 % |\n| south | 3 % |\n\nThe share by region.\n",
}


@pytest.fixture
def filled(library: Library) -> Library:
    small = library.settings.with_value("chunking.max_tokens", 32)
    items = [Incoming(name, content_hash=library.stage(text.encode())) for name, text in TEXTS.items()]
    assert library.ingest(items, settings=small).failures == ()
    return library


def sources(result) -> set[str]:
    return {hit.source for hit in result.hits}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("weir keeper type:text", {"draft.txt"}),
        ("weir keeper in:handbook", {"handbook.md"}),
        ("weir keeper -draft", {"handbook.md", "copy.md", "rates.md"}),
        ('keeper "opened by the keeper"', {"handbook.md", "copy.md"}),
    ],
)
def test_what_a_question_states_filters_and_can_be_taken_back(filled, question, expected):
    result = filled.search(question)
    assert sources(result) == expected
    (condition,) = result.understood.conditions
    found = filled.searcher.find(Query(question, ignored=frozenset({condition.key})), filled.settings)
    assert found.understood.conditions == ()
    assert sources(filled.searcher.result(found, filled.settings, None)) == set(TEXTS)


def test_a_filter_holds_for_what_was_added_since(filled):
    assert sources(filled.search("weir type:text")) == {"draft.txt"}
    later = b"Another note on the weir, of another day.\n"
    filled.ingest([Incoming("later.txt", content_hash=filled.stage(later))])
    assert sources(filled.search("weir type:text")) == {"draft.txt", "later.txt"}


def test_what_a_change_overtook_is_not_remembered_as_what_is_there_now(filled, monkeypatch):
    whole = Searcher.result

    def overtaken(self, *given):
        result = whole(self, *given)
        filled.ingest([Incoming("later.txt", content_hash=filled.stage(b"Another note on the weir.\n"))])
        return result

    with monkeypatch.context() as patched:
        patched.setattr(Searcher, "result", overtaken)
        assert sources(filled.search("weir type:text")) == {"draft.txt"}
    assert sources(filled.search("weir type:text")) == {"draft.txt", "later.txt"}


def test_a_phrase_that_nothing_has_is_said_and_left_out(filled):
    result = filled.search('who opens the "wier gate"')
    assert sources(result) == set(TEXTS)
    assert any("wier gate" in note and "left out" in note for note in result.notes)


def test_a_stage_that_is_off_leaves_the_ranking_itself(filled):
    ranking = filled.searcher.rank("weir", filled.settings)
    settings = filled.settings
    assert ordering.diversified(ranking, settings.diversity) is ranking
    same = ordering.RerankerCache(LruCache(1)).reranked(ranking, settings.reranking, lambda document: "", list)
    assert same is ranking


def test_a_cross_encoder_is_asked_once_for_all_its_blends(filled, tmp_path, monkeypatch):
    read = []
    monkeypatch.setattr(ordering, "read", lambda *given: read.append(given[1]) or original(*given))
    model = str(make_cross_encoder(tmp_path / "model", positions=512))
    alone = filled.settings.with_values({"reranking.model": model, "reranking.candidates": 3, **ALONE})
    found = filled.searcher.find(Query("weir keeper"), alone)
    first = filled.searcher.order(found, alone)
    half = filled.searcher.order(found, alone.with_value("reranking.blend", 0.5))
    none = filled.searcher.order(found, alone.with_value("reranking.blend", 0))
    assert [len(passages) for passages in read] == [3]
    before = filled.searcher.order(found, filled.settings)
    assert none.kept.tolist() == before.kept.tolist()
    assert sorted(first.kept.tolist()) == sorted(half.kept.tolist()) == sorted(before.kept.tolist())
    assert list(first.scores)[-1] == "reranked"
    assert first.kept[3:].tolist() == before.kept[3:].tolist(), "what was not read follows as it was"
    assert np.array_equal(first.pool_scores, before.final, equal_nan=True)
    kept = filled.search("weir keeper", alone.with_value("reranking.keep", 2))
    assert len(kept.hits) == 2


original = ordering.read


@pytest.mark.parametrize("unit", ["child", "window", "parent"])
def test_a_re_ranker_reads_what_stands_above_a_chunk(filled, tmp_path, monkeypatch, unit):
    read = []
    monkeypatch.setattr(ordering, "read", lambda *given: read.append(given[1]) or original(*given))
    model = str(make_cross_encoder(tmp_path / "model", positions=512))
    wanted = filled.settings.with_values({"reranking.model": model, "reranking.unit": unit, **ALONE})
    ranking = filled.searcher.order(filled.searcher.find(Query("weir keeper"), wanted), filled.settings)
    filled.searcher.rank("weir keeper", wanted)
    monkeypatch.setattr(ordering, "below", lambda head, text: text)
    filled.searcher.rank("weir keeper", wanted.with_value("reranking.keep", 9))
    with_headings, without = read
    rows = ranking.leaves.rows[ranking.pool[ranking.kept]].tolist()
    above = filled.searcher.prefixes(rows)
    assert "" in above
    assert any("Handbook" in one for one in above)
    assert with_headings == [f"{head}\n{text}" if head else text for head, text in zip(above, without, strict=True)]


def test_what_was_cut_short_is_read_again(filled, tmp_path, monkeypatch):
    def late(*given):
        return ordering.Readings(np.full(len(given[1]), np.nan), "Time limit of 1 s: 0 of 3 re-ranked.")

    monkeypatch.setattr(ordering, "read", late)
    model = str(make_cross_encoder(tmp_path / "model", positions=512))
    alone = filled.settings.with_values({"reranking.model": model, "reranking.candidates": 3, **ALONE})
    assert filled.search("weir keeper", alone).notes == ("Time limit of 1 s: 0 of 3 re-ranked.",)
    monkeypatch.setattr(ordering, "read", original)
    assert filled.search("weir keeper", alone).notes == ()


def test_both_sides_are_told_with_their_dates(library):
    said = {
        "2024-05-01 a.md": "The access token is valid for 3600 seconds.\n",
        "b.txt": "The access token is valid for 15 minutes.\n",
    }
    library.ingest([Incoming(name, content_hash=library.stage(text.encode())) for name, text in said.items()])
    asked = "How long is the access token valid?"
    (open_one,) = library.search(asked).conflicts
    assert {side.value for side in open_one.sides} == {"3600 seconds", "15 minutes"}
    (old,) = (side for side in open_one.sides if side.source == "2024-05-01 a.md")
    assert old.date == "2024-05-01"
    assert f"3600 seconds ({old.document}, 2024-05-01)" in open_one.sentence


def test_a_model_that_is_not_here_is_named(filled):
    absent = filled.settings.with_value("reranking.model", "nobody/nothing-here")
    with pytest.raises(ModelError, match="nobody/nothing-here"):
        filled.search("weir", absent)
