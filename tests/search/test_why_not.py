"""Why a place is not read: every gold span of the samples that a small budget leaves out gets a true answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.library import Incoming, Library
from core.search.explaining.dial_changes import CHOICES, RUNGS, steps
from core.search.explaining.trials import ADMITTED
from core.search.explaining.why_not import Change, WhyNot, why_not
from core.search.question.analysis import Key
from core.search.question.query import Query
from core.search.ranking.stage_scores import UNFOUND
from core.search.result import SearchResult
from core.settings import Settings, preset
from core.storage.catalogue.filing.names import Scope
from core.types import Document, Span
from tests.conftest import ROOT
from tests.fast_encoder import FastEncoder

SAMPLES = ROOT / "data" / "samples"
SMALL = Settings().with_values({"assembly.budget_tokens": 150, "assembly.stop_below": 0})


@dataclass(frozen=True)
class World:
    """The samples in a library, by file name, and their questions with gold."""

    library: Library
    versions: dict[str, str]
    gold: list[tuple[str, str, Span]]

    def why(self, question: str, name: str, place: Span, settings: Settings = SMALL, progress=None, **more) -> WhyNot:
        query = Query(question, **more)
        return why_not(self.library.searcher, query, settings, self.versions[name], place, progress)

    def find(self, name: str, words: str) -> Span:
        start = self.library.document(self.versions[name]).text.index(words)
        return Span(start, start + len(words))

    def under(
        self, question: str, change: Change, settings: Settings = SMALL, ignored: frozenset[Key] = frozenset()
    ) -> SearchResult:
        """The whole way, with the change made."""
        turned = settings.with_values({dial: after for dial, (_, after) in change.settings.items()})
        return self.library.searcher.search(Query(question, ignored=ignored | frozenset(change.remove)), turned)

    def held(self, result: SearchResult, name: str, place: Span) -> float:
        """The share of the place's visible characters that the passages hold, counted one by one."""
        text = self.library.document(self.versions[name]).text
        visible = {at for at in range(place.start, place.end) if not text[at].isspace()}
        read = {
            at
            for passage in result.passages
            if passage.version_id == self.versions[name]
            for at in range(passage.start, passage.end)
        }
        return len(visible & read) / len(visible)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    home = tmp_path_factory.mktemp("explaining") / "library"
    with Library.open(home, encoder=FastEncoder()) as library:
        files = sorted((SAMPLES / "documents").iterdir())
        library.ingest([Incoming(path.name, path) for path in files])
        rows = [json.loads(line) for line in (SAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
        gold = [
            (row["question"], span["document"], Span(span["start"], span["end"]))
            for row in rows
            for span in row["gold"]
        ]
        yield World(library, {Path(row.name).name: row.version_id for row in library.sources()}, gold)


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    """For what is told before any change is tried, which takes most of the time."""
    monkeypatch.setattr("core.search.explaining.trials.MOST_TRIALS", 1)


@pytest.fixture(scope="module")
def missed(world: World) -> tuple[str, str, Span]:
    """The first question whose gold the small budget leaves out, and where that stands."""
    searched = ((gold, world.library.searcher.search(Query(gold[0]), SMALL)) for gold in world.gold)
    return next(gold for gold, found in searched if world.held(found, *gold[1:]) < ADMITTED)


def test_every_gold_span_that_is_missed_has_a_change_that_was_tried(world: World) -> None:
    missed = 0
    for question, name, place in world.gold[::3]:
        before = world.library.searcher.search(Query(question), SMALL)
        held = world.held(before, name, place)
        told = world.why(question, name, place)
        assert told.held == pytest.approx(held)
        assert told.admitted == (held >= ADMITTED)
        assert_true_to_the_trace(told, before, world.versions[name], place)
        if told.admitted:
            assert told.changes == ()
            continue
        missed += 1
        assert told.changes, (question, name, told.sentence)
        assert [change.size for change in told.changes] == sorted(change.size for change in told.changes)
        assert len({tuple(change.settings) for change in told.changes}) == len(told.changes), "one for each dial"
        for change in told.changes:
            assert world.held(world.under(question, change), name, place) == pytest.approx(change.held) != held
            assert change.held >= ADMITTED
            assert all(before != after for before, after in change.settings.values())
        if missed == 1:
            break
    assert missed


def assert_true_to_the_trace(told: WhyNot, result: SearchResult, version_id: str, place: Span) -> None:
    """The fates are those of the trace, for every leaf of the place that the trace watches."""
    traced = {
        (candidate.start, candidate.end): candidate
        for candidate in result.trace.candidates
        if candidate.version_id == version_id and candidate.start < place.end and place.start < candidate.end
    }
    fates = {(fate.start, fate.end): fate for fate in told.fates}
    assert fates
    assert traced.keys() <= fates.keys()
    assert told.stages == result.trace.stages
    for where, candidate in traced.items():
        assert fates[where].said == candidate.fate
        assert fates[where].ranks == candidate.ranks
        assert fates[where].scores == candidate.scores
    for where, fate in fates.items():
        assert where in traced or "go on" in fate.said or fate.said == UNFOUND, fate.said


def test_where_the_context_ended_by_itself_a_change_is_to_end_later(world: World) -> None:
    sure = Settings().with_value("assembly.stop_below", 0.8)
    found = ((question, world.why(question, name, place, sure)) for question, name, place in world.gold)
    ended = list(islice((each for each in found if "the context ended before it" in each[1].sentence), 2))
    assert len(ended) == 2
    for question, one in ended:
        assert any("assembly.stop_below" in change.settings for change in one.changes), question


@pytest.mark.parametrize("strategy", ["flat", "auto-merge"])
def test_other_ways_to_grow_have_changes_too(world: World, strategy: str) -> None:
    settings = SMALL.with_value("expansion.strategy", strategy)
    for question, name, place in world.gold[::16]:
        told = world.why(question, name, place, settings)
        assert told.admitted or told.changes
        for change in told.changes:
            assert world.held(world.under(question, change, settings), name, place) >= ADMITTED


ASKED = "How long is an access token valid?"


def test_a_condition_in_the_question_that_keeps_a_place_out_is_named_and_removed(world: World) -> None:
    place = world.find("handbook.md", "# ")
    asked = f"{ASKED} type:pdf -zebra"
    told = world.why(asked, "handbook.md", place)
    assert (told.held, told.fates, told.stages) == (0.0, (), ())
    assert [one.words for one in told.excluded] == ["type: PDF"], "the other one is in nobody's way"
    assert "“type: PDF”" in told.sentence
    assert told.changes
    for change in told.changes:
        assert ("type", "pdf") in change.remove
        assert world.held(world.under(asked, change), "handbook.md", place) == pytest.approx(change.held)
        assert change.held >= ADMITTED


@pytest.mark.usefixtures("untried")
def test_a_condition_that_is_ignored_keeps_nothing_out(world: World) -> None:
    place, ignored = world.find("handbook.md", "# "), frozenset({("type", "pdf")})
    again = world.why(f"{ASKED} type:pdf -zebra", "handbook.md", place, ignored=ignored)
    assert again.excluded == ()
    assert again.fates


def test_removing_a_condition_can_be_all_it_takes(world: World) -> None:
    texts = (gold for gold in world.gold if gold[1] != "quarterly-report.pdf")
    searched = ((gold, world.library.searcher.search(Query(gold[0]), SMALL)) for gold in texts)
    question, name, place = next(gold for gold, found in searched if world.held(found, *gold[1:]) >= ADMITTED)
    told = world.why(f"{question} type:pdf", name, place)
    assert (told.changes[0].settings, told.changes[0].remove) == ({}, (("type", "pdf"),))
    assert told.sentence.endswith("It would be in without “type: pdf” in the question.")


def test_a_phrase_may_keep_out_a_place_of_a_document_it_stands_in(world: World) -> None:
    text = world.library.document(world.versions["handbook.md"]).text
    place = world.find("handbook.md", "# ")
    phrase = re.findall(r"[a-z]+ [a-z]+ [a-z]+ [a-z]+", text)[-1]
    told = world.why(f'What holds? "{phrase}"', "handbook.md", place)
    assert [one.kind for one in told.excluded] == ["phrase"]
    assert f"asks for phrase: “{phrase}”, which" in told.sentence
    assert told.changes


def test_what_no_change_could_admit_is_said(world: World) -> None:
    library, (name, other) = world.library, ("handbook.md", "api.md")
    place = world.find(name, "# ")
    scope = Scope(versions=(world.versions[other],))
    told = world.why(ASKED, name, place, scope=scope)
    assert (told.sentence, told.changes) == ("Its document is not among those that were asked.", ())
    told = why_not(library.searcher, Query(ASKED), SMALL, "nothing", place)
    assert told.sentence.startswith("Its document is not in the library")
    document = next(
        one for one in map(library.document, world.versions.values()) if any(gap.length > 3 for gap in gaps(world, one))
    )
    gap = max(gaps(world, document), key=lambda span: span.length)
    told = why_not(library.searcher, Query(ASKED), SMALL, document.version_id, gap)
    assert told.sentence.startswith("No chunk holds this text")
    assert (told.fates, told.changes, told.tried) == ((), (), 0)


def gaps(world: World, document: Document) -> list[Span]:
    return [Span(gap.start, gap.end) for gap in world.library.audit(document.version_id).gaps]


@pytest.mark.usefixtures("untried")
def test_a_place_that_no_search_looked_at(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.search.ranking.finding.POOL", 2)
    large = SMALL.with_value("retrieval.exact_below", 3)
    told = (world.why(*gold, large) for gold in world.gold[::9])
    unseen = next(one for one in told if one.fates and not any(fate.ranks for fate in one.fates))
    assert unseen.fates[0].said == "it is not among the best of any search"


def test_progress_is_told_and_stops_the_search(world: World, missed: tuple[str, str, Span]) -> None:
    told: list[tuple[int, int]] = []
    whole = world.why(*missed, progress=lambda done, total: told.append((done, total)))
    assert [done for done, _ in told] == list(range(len(told)))
    assert {total for _, total in told} == {len(told) - 1}
    assert whole.untried == (), "the samples need no more patience than there is"

    def stop(done: int, total: int) -> None:
        if done == 2:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        world.why(*missed, progress=stop)


def test_no_less_leaves_would_do(world: World) -> None:
    """Without shares and with leaves alone in a wide context, a place is in from the leaf's own rank on."""
    shares = ("neighbour_share", "parent_share", "document_share")
    flat = {"expansion.strategy": "flat", "assembly.budget_tokens": 20_000, "assembly.stop_below": 0, "retrieval.k": 3}
    settings = Settings().with_values({**{f"retrieval.{share}": 0 for share in shares}, **flat})
    told = 0
    for question, name, place in world.gold[::4]:
        why = world.why(question, name, place, settings)
        change = next((one for one in why.changes if set(one.settings) == {"retrieval.k"}), None)
        if change is None:
            continue
        told += 1
        before, least = change.settings["retrieval.k"]
        assert before == 3
        rungs = RUNGS["retrieval.k"]
        rung = rungs.index(least)
        if len(why.fates) == 1:
            assert least >= next(iter(reversed(why.fates[0].ranks.values()))) > rungs[rung - 1]
        fewer = settings.with_value("retrieval.k", rungs[rung - 1])
        assert world.held(world.library.searcher.search(Query(question), fewer), name, place) < ADMITTED
        assert change.size == (rung - rungs.index(3)) / (len(rungs) - 1)
        if told == 3:
            break
    assert told == 3


class Words:
    """A re-ranker that counts words in common, and what it was given."""

    max_tokens = 512

    def __init__(self) -> None:
        self.read: list[int] = []

    def score(self, question: str, passages: list[str]) -> np.ndarray:
        self.read.append(len(passages))
        asked = set(question.lower().split())
        return np.array([len(asked & set(passage.lower().split())) for passage in passages], dtype=np.float32)


def test_more_may_be_read_again_and_more_of_it_kept(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    model = Words()
    monkeypatch.setattr("core.search.ordering.load_reranker", lambda settings: model)
    few: dict[str, Any] = {"reranking.model": "words", "reranking.candidates": 2, "reranking.keep": 2}
    few |= {"reranking.blend": 0.6, "reranking.neighbour_share": 0}
    settings = SMALL.with_values({**few, "assembly.budget_tokens": 600})
    found: set[str] = set()
    for question, name, place in world.gold[::4]:
        told = world.why(question, name, place, settings)
        for change in told.changes:
            found |= change.settings.keys()
            assert world.held(world.under(question, change, settings), name, place) == pytest.approx(change.held)
            assert change.held >= ADMITTED
        if "reranking.keep" in found:
            break
    assert "reranking.keep" in found
    assert max(model.read) <= 200, "never more than what goes on"


@pytest.mark.usefixtures("untried")
def test_what_took_too_long_is_said(world: World, missed: tuple[str, str, Span]) -> None:
    told = world.why(*missed)
    assert told.untried
    assert told.tried < 30
    assert not set(told.untried) & {name for change in told.changes for name in change.settings}
    assert set(told.untried) <= {*RUNGS, *CHOICES, "expansion.kinds", "expansion.brings", "assembly.budget_tokens"}


def test_what_is_searched_is_told(world: World) -> None:
    """docs/retrieval.md has every dial that is tried, and none that is not."""
    page = (ROOT / "docs" / "retrieval.md").read_text(encoding="utf-8")
    section = page[page.index("## Why not this passage?") :].split("\n## ", 2)[0]
    searched = section[: section.index("Not searched")]
    names = set(re.findall(r"`((?:understanding|retrieval|diversity|reranking|expansion|assembly)\.\w+)`", searched))
    every = [*RUNGS, *CHOICES, "expansion.kinds", "expansion.brings", "assembly.budget_tokens"]
    assert names == set(every)
    unsearched = set(re.findall(r"`(\w+\.\w+)`", section[section.index("Not searched") :]))
    stages = ("understanding", "retrieval", "diversity", "reranking", "expansion", "assembly")
    known = {f"{stage}.{field.name}" for stage in stages for field in fields(getattr(Settings(), stage))}
    assert unsearched == known - set(every)


def steps_of(settings: Settings, genre: str = "") -> dict[str, list[tuple[float, Settings]]]:
    found: dict[str, list[tuple[float, Settings]]] = {}
    for size, name, turned in steps(settings, genre):
        found.setdefault(name, []).append((size, turned))
    return found


@given(
    st.sampled_from(["default", "careful", "words-only", "flat"]),
    st.sampled_from(["zscore", "rrf"]),
    st.sampled_from(["none", "mmr"]),
)
def test_every_step_is_one_dial_that_changes_something(preset_name: str, fusion: str, method: str) -> None:
    settings = preset(preset_name).with_values({"retrieval.fusion": fusion, "diversity.method": method})
    for name, found in steps_of(settings, "guide").items():
        sizes = [size for size, _ in found]
        assert sizes == sorted(sizes)
        assert all(0 < size <= 1 for size in sizes)
        for _, turned in found:
            stage, _, dial = name.partition(".")
            assert turned == settings.with_value(name, getattr(getattr(turned, stage), dial))
            assert turned.fingerprint() != settings.fingerprint()


def test_settings_that_cannot_be_are_not_tried() -> None:
    words_alone = Settings().with_values({"retrieval.dense_weight": 0, "retrieval.lexical_weight": 0.5})
    turned = [each.retrieval.lexical_weight for _, each in steps_of(words_alone)["retrieval.lexical_weight"]]
    assert 0.0 not in turned
    assert turned[0] in (0.4, 0.6)
    assert len(turned) == 9


def test_a_dial_is_tried_where_it_is_read_and_nowhere_else() -> None:
    usual = steps_of(Settings())
    unread = ("window_sentences", "confidence", "merge_share", "kinds")
    assert not usual.keys() & {f"expansion.{name}" for name in unread}
    assert not usual.keys() & {"retrieval.rrf_k", "diversity.candidates", "diversity.relevance"}
    assert not any(name.startswith("reranking") for name in usual), "a re-ranker is never switched on"
    assert {"retrieval.parent_share", "retrieval.lexical_engine"} <= usual.keys()
    more = {"retrieval.fusion": "rrf", "diversity.method": "mmr"}
    read = steps_of(Settings().with_values(more), "guide")
    assert {"retrieval.rrf_k", "diversity.candidates", "expansion.kinds"} <= read.keys()
    assert [turned.expansion.kinds for _, turned in read["expansion.kinds"]] == [("guide",)]


def test_numbers_rise_thresholds_fall_and_what_is_reread_has_few_steps() -> None:
    found = steps_of(Settings().with_value("retrieval.min_similarity", 0.3))
    assert all(turned.retrieval.k > 50 for _, turned in found["retrieval.k"])
    assert all(turned.assembly.budget_tokens > 1000 for _, turned in found["assembly.budget_tokens"])
    assert all(turned.retrieval.min_similarity < 0.3 for _, turned in found["retrieval.min_similarity"])
    careful = steps_of(preset("careful").with_values({"reranking.keep": 3, "reranking.candidates": 10}))
    assert [turned.reranking.keep for _, turned in careful["reranking.keep"]][:2] == [5, 7]
    assert {"reranking.model", "reranking.blend", "reranking.unit"} <= careful.keys()
    assert all(len(more) <= 3 for name, more in careful.items() if name.startswith("retrieval") and name[-2:] != ".k")
