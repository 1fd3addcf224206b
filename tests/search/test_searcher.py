"""The way of a question through a whole library, under any settings and for any question."""

from __future__ import annotations

import gc
import random
import weakref
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.embedding import packaged_counter
from core.errors import NotFoundError
from core.library import Incoming, Library
from core.search.context.prompt import INSTRUCTION, heading_line
from core.search.question.query import Query
from core.settings import DIVERSITIES, EXPANSIONS, FUSIONS, ORDERS, PRESETS, READING_UNITS, Settings
from core.types import Span
from tests.fast_encoder import FastEncoder

WORDS = "river otter falcon token lifetime key vault report quarter naïve 日本語 budget page error 403 badger".split()
QUESTIONS = (
    st.sampled_from(
        [
            "",
            " \n ",
            "the of and a",
            "otter",
            "How long is a token's lifetime?",
            "日本語",
            'a "quoted" NEAR(x) OR *',
            "otter -river in:2",
            '"otter falcon" type:markdown',
            "What is a token and which key opens the vault above 5 %?",
            "\x00",
        ]
    )
    | st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
    | st.text(st.characters(exclude_categories=()), max_size=30)
)


def make(home, seed, chunking):
    """A library of a few documents made of few words, so that everything has near-twins."""
    chance = random.Random(seed)
    library = Library.open(home, encoder=FastEncoder())
    items = []
    for number in range(chance.randint(1, 6)):
        text = f"# Document {number}\n\n"
        for part in range(chance.randint(1, 6)):
            text += f"## Part {part}\n\n"
            for _ in range(chance.randint(0, 4)):
                text += " ".join(chance.choices(WORDS, k=chance.randint(3, 40))).capitalize() + ".\n\n"
        items.append(Incoming(f"{number}.md", content_hash=library.stage(text.encode())))
    report = library.ingest(items, settings=Settings().with_values(chunking))
    assert report.failures == ()
    return library


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    small = {"chunking.max_tokens": 24, "chunking.parent_max_tokens": 80}
    ways = [
        {},
        small,
        {**small, "chunking.overlap_tokens": 8},
        {**small, "chunking.chunker": "recursive", "chunking.overlap_tokens": 10},
        {**small, "chunking.chunker": "fixed", "chunking.prefix": ()},
    ]
    made = [make(tmp_path_factory.mktemp("library"), seed, way) for seed, way in enumerate(ways)]
    yield made
    for library in made:
        library.close()


@st.composite
def ways(draw):
    dense, lexical = draw(st.sampled_from([(0.7, 0.3), (1.0, 0.0), (0.0, 1.0), (0.2, 0.9)]))
    return Settings().with_values(
        {
            "retrieval.dense_weight": dense,
            "retrieval.lexical_weight": lexical,
            "retrieval.fusion": draw(st.sampled_from(FUSIONS)),
            "retrieval.neighbour_share": draw(st.sampled_from([0.0, 0.3, 1.0])),
            "retrieval.k": draw(st.sampled_from([1, 3, 20, 50, 1000])),
            "retrieval.min_similarity": draw(st.sampled_from([-1.0, 0.1, 0.5])),
            "retrieval.exact_below": draw(st.sampled_from([0, 200_000])),
            "expansion.strategy": draw(st.sampled_from(EXPANSIONS)),
            "expansion.max_share": draw(st.floats(0.01, 1)),
            "expansion.confidence": draw(st.sampled_from([0.5, 1.0])),
            "expansion.merge_share": draw(st.sampled_from([0.05, 0.5])),
            "assembly.budget_tokens": draw(st.sampled_from([50, 120, 500, 2000])),
            "assembly.order": draw(st.sampled_from(ORDERS)),
            "assembly.unit": draw(st.sampled_from(READING_UNITS)),
            "assembly.stop_below": draw(st.sampled_from([0.0, 0.15, 0.4])),
            "retrieval.parent_share": draw(st.sampled_from([0.0, 0.5])),
            "retrieval.document_share": draw(st.sampled_from([0.0, 0.5])),
            "retrieval.coverage_weight": draw(st.sampled_from([0.0, 0.4])),
            "diversity.method": draw(st.sampled_from(DIVERSITIES)),
            "diversity.candidates": draw(st.sampled_from([2, 100])),
        }
    )


PLACES = st.integers(0, 4)


@given(PLACES, QUESTIONS, ways(), st.none() | st.integers(1, 3000))
def test_laws_of_every_answer(libraries, place, question, chosen, characters):
    library = libraries[place]
    result = library.searcher.result(library.searcher.find(Query(question), chosen), chosen, characters)
    texts = {source.version_id: library.document(source.version_id).text for source in library.sources()}
    check_hits(result, texts, chosen)
    check_passages(library, result, texts, chosen, characters)
    check_trace(result, chosen)
    assert result.timings_ms.keys() >= {"encode", "dense", "lexical", "fused", "neighbours", "expand", "assemble"}
    answer = library.searcher.answer(result, library.settings.answering).answer
    for quote in answer.quotes:
        assert texts[quote.citation.version_id][quote.citation.start : quote.citation.end] == quote.text
        assert 0 <= quote.score <= 1
        assert any(
            item.version_id == quote.citation.version_id
            and Span(item.start, item.end).contains(Span(quote.citation.start, quote.citation.end))
            for item in result.passages
        ), "what is quoted stands in the context"
    again = library.searcher.result(library.searcher.find(Query(question), chosen), chosen, characters)
    assert (again.hits, again.context) == (result.hits, result.context)
    assert list(again.trace.candidates) == list(result.trace.candidates)


def check_hits(result, texts, chosen):
    assert [hit.rank for hit in result.hits] == list(range(1, len(result.hits) + 1))
    assert len(result.hits) <= chosen.retrieval.k
    assert all(before.score >= after.score for before, after in pairwise(result.hits))
    assert len({hit.row for hit in result.hits}) == len(result.hits)
    for hit in result.hits:
        assert texts[hit.version_id][hit.start : hit.end] == hit.text
        assert tuple(hit.scores) == tuple(stage for stage in result.trace.stages if stage in hit.scores)
        assert ("dense" in hit.scores) == (chosen.retrieval.dense_weight > 0)
        assert hit.scores.get("dense", 1.0) >= chosen.retrieval.min_similarity - 1e-6
        assert hit.score == hit.scores[result.trace.stages[-1]]
        if not chosen.retrieval.lexical_weight:
            assert "lexical" not in hit.scores
        if not chosen.retrieval.dense_weight and not chosen.retrieval.neighbour_share:
            assert "lexical" in hit.scores, "words alone find only what holds them"


def check_passages(library, result, texts, chosen, characters):
    context, passages = result.context, result.passages
    assert passages == context.passages
    assert context.order == tuple(passage.rank for passage in passages)
    assert sorted(context.order) == list(range(1, len(passages) + 1))
    counter = packaged_counter()
    if characters is None:
        assert context.budget == chosen.assembly.budget_tokens
        body = context.prompt.removeprefix(INSTRUCTION).removesuffix(f"Question: {result.question}")
        assert counter.count([body])[0] <= context.tokens <= context.budget
    else:
        assert sum(len(passage.text) for passage in passages) == context.tokens <= characters
    spans = {}
    ids = {hit.chunk_id: hit for hit in result.hits}
    for passage in passages:
        text = texts[passage.version_id]
        assert text[passage.start : passage.end] == passage.text
        heading = heading_line(passage.rank, passage.document, passage.headings, passage.page)
        assert f"{heading}\n{passage.text}" in context.prompt
        assert all(Span(passage.start, passage.end).contains(child) for child in passage.children)
        assert len(passage.children) == len(passage.chunk_ids)
        found = [chunk for chunk in passage.chunk_ids if chunk in ids]
        assert len(found) == len(passage.chunk_ids) or chosen.expansion.strategy == "neighbours"
        for child, chunk in zip(passage.children, passage.chunk_ids, strict=True):
            if chunk in ids and chosen.assembly.unit != "passages":
                assert Span(ids[chunk].start, ids[chunk].end).contains(child), "what is read of it"
            elif chunk in ids:
                assert child.start == ids[chunk].start
                assert child.end == ids[chunk].end or passage.end == child.end < ids[chunk].end
        if chosen.assembly.unit != "passages" or not passage.chunk_ids:
            pass  # sentences have a score of their own
        elif chosen.expansion.strategy == "auto-merge":
            assert passage.score >= max(ids[chunk].score for chunk in found), (
                "a merged parent is no worse than its best"
            )
        elif chosen.expansion.strategy == "neighbours":
            own = [ids[chunk].score for chunk in found]
            assert passage.score >= max(own, default=passage.score), "what a chunk leads to is never worth less for it"
        else:
            assert [ids[chunk].rank for chunk in found] == sorted(ids[chunk].rank for chunk in found)
            assert not found or passage.score == ids[found[0]].score
        spans.setdefault(passage.version_id, []).append((passage.start, passage.end))
    for runs in spans.values():
        assert all(before[1] <= after[0] for before, after in pairwise(sorted(runs))), "no character twice"
    by_rank = sorted(passages, key=lambda item: item.rank)
    assert [passage.score for passage in by_rank] == sorted((passage.score for passage in by_rank), reverse=True)
    if chosen.expansion.strategy == "parent":
        roots = {version: parents_of(library, version) for version in spans}
        for passage in passages:
            reached = [roots[passage.version_id].get(chunk) for chunk in passage.chunk_ids]
            spread = [span for span in reached if span] + list(passage.children)
            if not spread:
                continue  # a part between two sentences that were left out
            assert min(span.start for span in spread) <= passage.start, "no passage leaves its children's parents"
            assert passage.end <= max(span.end for span in spread)


def parents_of(library, version):
    tree = library.tree(version)
    by_id = {chunk.chunk_id: chunk for chunk in tree.chunks}
    return {leaf.chunk_id: by_id[leaf.parent_id].span for leaf in tree.leaves if leaf.parent_id}


def check_trace(result, chosen):
    trace = result.trace
    assert trace.question == result.question
    by_id = {candidate.chunk_id: candidate for candidate in trace.candidates}
    assert len(by_id) == len(trace.candidates)
    assert set(by_id) >= {hit.chunk_id for hit in result.hits}, "every hit is accounted for"
    shown = {chunk for passage in result.passages for chunk in passage.chunk_ids}
    assert {name for name, candidate in by_id.items() if candidate.fate == "kept"} == shown
    assert all(candidate.fate for candidate in trace.candidates)
    assert all(rank >= 1 for candidate in trace.candidates for rank in candidate.ranks.values())
    for hit in result.hits:
        assert by_id[hit.chunk_id].scores == hit.scores
        assert set(by_id[hit.chunk_id].ranks) == set(hit.scores)
    hits = {hit.chunk_id for hit in result.hits}
    for candidate in trace.candidates:
        if candidate.chunk_id not in hits:
            fates = ("kept", "the budget", "the context ended", "better passages")
            added = fates if chosen.expansion.strategy == "neighbours" else ()
            crowded = ("it says the same as", "its section already")
            assert candidate.fate.startswith(("ranked ", "its similarity", "neither search", *crowded, *added))
        if candidate.fate.startswith("its similarity"):
            assert candidate.scores["dense"] < chosen.retrieval.min_similarity


@given(PLACES, QUESTIONS, st.sampled_from(FUSIONS), st.sampled_from([0.0, 0.3]))
def test_chroma_finds_what_exact_search_finds(libraries, place, question, fusion, share):
    library = libraries[place]
    exact = library.settings.with_values({"retrieval.fusion": fusion, "retrieval.neighbour_share": share})
    near = exact.with_value("retrieval.exact_below", 0)
    assert library.stats().chunks < 500
    assert [hit.chunk_id for hit in library.search(question, near).hits] == [
        hit.chunk_id for hit in library.search(question, exact).hits
    ]


@pytest.mark.parametrize("name", ["default", "meaning-only", "words-only"])
def test_a_very_long_question(libraries, name):
    question = "Where does the otter sleep in the river? " * 2500
    result = libraries[1].search(question, PRESETS[name])
    assert len(question) > 100_000
    assert result.hits
    assert result.context.prompt.endswith(question)
    assert result.context.tokens <= PRESETS[name].assembly.budget_tokens


def test_half_a_surrogate_pair_is_a_question_mark(libraries):
    result = libraries[1].search("otter \udcff river")
    assert result.question == "otter ? river"
    result.context.prompt.encode()


@pytest.mark.parametrize("question", ["", "the of and", "zebra xylophone"])
def test_words_alone_without_a_known_word_find_nothing(libraries, question):
    result = libraries[1].search(question, PRESETS["words-only"])
    assert (result.hits, result.passages) == ((), ())
    assert all(candidate.fate.startswith("neither search") for candidate in result.trace.candidates)


def test_a_result_of_one_revision_is_not_mixed_with_another(tmp_path):
    with make(tmp_path / "home", 5, {}) as library:
        ranking = library.searcher.rank("otter river", library.settings)
        for source in library.sources():
            library.remove(source.id)
        with pytest.raises(NotFoundError, match="Ask it again"):
            library.searcher.assemble(ranking, library.settings, None)


def test_the_leaves_of_an_older_state_are_let_go(tmp_path):
    with make(tmp_path / "home", 5, {}) as library:
        older = []
        for turn in range(3):
            library.search("otter river")
            library.search(f'otter type:markdown "river" {turn}')
            older.append(weakref.ref(library.searcher.snapshot().leaves.vectors))
            library.ingest([Incoming(f"{turn} more.md", content_hash=library.stage(f"An otter, {turn}.".encode()))])
        library.search("otter river")
        gc.collect()
        assert [one() for one in older] == [None, None, None]


def test_warm_questions_are_not_encoded_again(tmp_path):
    encoder = FastEncoder()
    with Library.open(tmp_path / "home", encoder=encoder) as library:
        library.ingest([Incoming("a.md", content_hash=library.stage(b"# One\n\nThe otter sleeps by the river.\n"))])
        known = len(encoder.texts)
        library.searcher.encode(["Where does it sleep?", "Why?", "Why?"])
        assert encoder.texts[known:] == ["Why?", "Where does it sleep?"]
        library.search("Why?")
        library.search("Where does it sleep?", PRESETS["flat"])
        assert len(encoder.texts) == known + 2
        library.search("Why?", PRESETS["words-only"])
        library.search("Never asked", PRESETS["words-only"])
        assert len(encoder.texts) == known + 2, "without dense search nothing is encoded"
