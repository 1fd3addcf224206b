"""Conditions on the text over a whole library: what they leave out is not read, and all keeps its place."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.evaluation.lost_gold import EXCLUDED, GoldLeaf, fates
from core.library import Incoming, Library
from core.search import ordering
from core.search.explaining.why_not import why_not
from core.search.question.query import Query
from core.settings import EXPANSIONS, Settings
from core.types import Span
from tests.fast_encoder import FastEncoder
from tests.search.small_models import make_cross_encoder

WORDS = "river otter falcon badger report quarter budget naïve heron weir".split()
SETTINGS = Settings().with_values({"chunking.max_tokens": 24, "assembly.budget_tokens": 600, "assembly.stop_below": 0})


def written(seed: int) -> str:
    """Sections of short paragraphs, so that every word stands in some of them and every section has several leaves."""
    chance = random.Random(seed)
    text = f"# Document {seed}\n\n"
    for part in range(chance.randint(2, 5)):
        text += f"## Part {seed}.{part}\n\n"
        for _ in range(chance.randint(1, 6)):
            text += " ".join(chance.choices(WORDS, k=chance.randint(6, 14))).capitalize() + ".\n\n"
    return text


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    home = tmp_path_factory.mktemp("left-out") / "library"
    with Library.open(home, encoder=FastEncoder()) as made:
        items = [Incoming(f"{at}.md", content_hash=made.stage(written(at).encode())) for at in range(8)]
        assert made.ingest(items, settings=SETTINGS).failures == ()
        yield made


def heading_at(library: Library, version_id: str, place: int) -> tuple[str, ...]:
    """Of the last chunk that begins there or before, as the whole tree has it."""
    leaves = [one for one in library.tree(version_id).chunks if one.level == 0 and one.start <= place]
    return max(leaves, key=lambda one: one.start).headings


@given(data=st.data())
def test_no_context_holds_a_word_that_is_left_out(library, data):
    pairs = st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)).map(" ".join)
    words = data.draw(st.lists(st.sampled_from(WORDS) | pairs, min_size=1, max_size=3, unique=True))
    phrase = data.draw(st.sampled_from(["", "", f'"{data.draw(st.sampled_from(WORDS))}"', "type:markdown", "in:3"]))
    question = " ".join(["otter falcon", phrase, *(f'-"{word}"' if " " in word else f"-{word}" for word in words)])
    chosen = SETTINGS.with_values(
        {
            "expansion.strategy": data.draw(st.sampled_from(EXPANSIONS)),
            "expansion.window_sentences": 3,
            "expansion.merge_share": 0.1,
            "expansion.max_share": 1.0,
            "assembly.unit": data.draw(st.sampled_from(["passages", "sentences"])),
        }
    )
    result = library.searcher.search(Query(question), chosen)
    assert {one.value for one in result.understood.conditions if one.kind == "not"} == set(words)
    either = "|".join(word.replace(" ", r"\s+") for word in words)
    pattern = re.compile(rf"(?i)\b(?:{either})\b")
    for passage in result.passages:
        assert not pattern.search(passage.text), (question, passage.reason)
        assert passage.headings == heading_at(library, passage.version_id, passage.start)
    assert not any(pattern.search(hit.text) for hit in result.hits)


@pytest.mark.parametrize("strategy", ["parent", "auto-merge", "window", "anchored"])
def test_text_without_a_phrase_may_stand_around_what_has_it(library, strategy):
    chosen = SETTINGS.with_values({"expansion.strategy": strategy, "expansion.merge_share": 0.1})
    result = library.searcher.search(Query('"weir"'), chosen.with_value("expansion.max_share", 1.0))
    hits = {(hit.version_id, hit.start) for hit in result.hits}
    leaves = library.searcher.snapshot().leaves
    around = [
        at
        for passage in result.passages
        for at in range(len(leaves))
        if leaves.version_ids[leaves.documents[at]] == passage.version_id
        and passage.start <= leaves.starts[at]
        and leaves.ends[at] <= passage.end
        and (passage.version_id, int(leaves.starts[at])) not in hits
    ]
    assert all(re.search(r"(?i)\bweir\b", hit.text) for hit in result.hits)
    assert around
    assert all(one.headings == heading_at(library, one.version_id, one.start) for one in result.passages)


def test_conditions_on_text_leave_every_place_in_the_table(library):
    searcher = library.searcher
    whole = searcher.snapshot()
    found = searcher.find(Query('otter "weir" -badger'), SETTINGS)
    assert found.leaves is whole.leaves
    text = [searcher.text(whole.leaves.version_ids[document]) for document in whole.leaves.documents]
    spans = zip(text, whole.leaves.starts.tolist(), whole.leaves.ends.tolist(), strict=True)
    said = [body[start:end].lower() for body, start, end in spans]
    assert found.pool.tolist() == [at for at, one in enumerate(said) if "weir" in one and "badger" not in one]
    similar = searcher.find(Query(found.question.replace('"', "")), SETTINGS).dense
    assert np.allclose(found.dense, similar[found.pool], atol=1e-6)


def test_why_a_place_is_left_out_is_told_with_the_word(library):
    version = library.sources()[0].version_id
    text = library.document(version).text
    found = re.search(r"[A-Z][^.\n]*\bbadger\b[^.\n]*\.", text)
    place = Span(found.start(), found.end())
    told = why_not(library.searcher, Query("otter falcon -badger"), SETTINGS, version, place)
    assert told.sentence.startswith("The question leaves it out: its chunk holds “badger”. It would be in ")
    assert [one.value for one in told.excluded] == ["badger"]
    assert (told.held, told.fates) == (0.0, ())
    assert all(("not", "badger") in change.remove for change in told.changes)
    beyond = Span(0, len(text))  # a place of which some chunks are searched and some are not
    fates_told = why_not(library.searcher, Query("otter falcon -badger"), SETTINGS, version, beyond).fates
    assert {fate.said for fate in fates_told if not fate.ranks} == {"the question leaves out what holds “badger”"}
    assert any(fate.ranks for fate in fates_told)


def test_why_not_knows_what_is_read_around_a_phrase(library):
    grown = SETTINGS.with_values({"expansion.strategy": "parent", "expansion.max_share": 1.0})
    result = library.searcher.search(Query('"heron"'), grown)
    hits = {(hit.version_id, hit.start, hit.end) for hit in result.hits}
    leaves = library.searcher.snapshot().leaves
    passage, at = next(
        (passage, at)
        for passage in result.passages
        for at in range(len(leaves))
        if leaves.version_ids[leaves.documents[at]] == passage.version_id
        and passage.start <= leaves.starts[at] < leaves.ends[at] <= passage.end
        and (passage.version_id, int(leaves.starts[at]), int(leaves.ends[at])) not in hits
    )
    place = Span(int(leaves.starts[at]), int(leaves.ends[at]))
    told = why_not(library.searcher, Query('"heron"'), grown, passage.version_id, place)
    assert told.admitted
    assert told.sentence.endswith("around a chunk that the question asks for.")
    assert [one.kind for one in told.excluded] == ["phrase"]


def test_gold_that_does_not_pass_was_lost_to_the_condition(library):
    ranking = library.searcher.rank("otter -badger", SETTINGS)
    outside = np.flatnonzero(~ranking.passing.mask).tolist()
    assert set(fates(ranking, [GoldLeaf(at, ()) for at in outside])) == {EXCLUDED}
    assert EXCLUDED not in fates(ranking, [GoldLeaf(at, ()) for at in ranking.pool.tolist()])


@pytest.mark.parametrize("unit", ["window", "parent"])
def test_a_re_ranker_reads_nothing_that_is_left_out(library, tmp_path, monkeypatch, unit):
    read = []
    original = ordering.read
    monkeypatch.setattr(ordering, "read", lambda *given: read.extend(given[1]) or original(*given))
    model = str(make_cross_encoder(tmp_path / "model", positions=512))
    wanted = SETTINGS.with_values({"reranking.model": model, "reranking.unit": unit, "reranking.blend": 1})
    library.searcher.rank("otter falcon -badger", wanted)
    assert len(read) > 3
    assert not any(re.search(r"(?i)\bbadger\b", text) for text in read)
