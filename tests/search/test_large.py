"""A library above the size that is compared whole: Chroma asked, vectors left in the catalogue, the same answers."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest

from core.errors import NotFoundError
from core.library import Incoming, Library
from core.search import near as asking
from core.search.near import GROWING, NearestLeaves
from core.search.question.query import Query
from core.search.ranking import finding, snapshot
from core.search.ranking.stage_scores import _distributions
from core.settings import Settings
from core.storage.catalogue.filing.names import ALL_DOCUMENTS, Scope
from core.storage.index.leaf_vectors import LeafVectors
from core.storage.index.outbox import _make_ready, pending, pending_deletes, pending_upserts, query_projection
from core.storage.index.recall import last_recall, measure_recall
from core.storage.index.vectors import left_open
from tests.fast_encoder import FastEncoder

EXACT = Settings().with_values({"chunking.max_tokens": 24, "chunking.parent_max_tokens": 80})
NEAR = EXACT.with_value("retrieval.exact_below", 0)
ANIMALS = ("otter", "badger", "heron", "falcon", "salmon", "adder")
QUESTIONS = [f"Where does the {animal} sleep near stone {number}?" for animal in ANIMALS for number in (3, 17)]


def notes(animal, number):
    drawn = np.random.default_rng(number)
    words = ["river", "stone", "night", "sleep", "hunt", "marsh", "winter", "brood", animal, animal]
    said = (" ".join(drawn.choice(words, 9)).capitalize() + f" by stone {line}." for line in range(30))
    return f"# The {animal} {number}\n\n" + "\n\n".join(said)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Some hundred leaves in twelve documents, with Chroma closed beside them."""
    folder = tmp_path_factory.mktemp("large")
    items = []
    for number, animal in enumerate(ANIMALS * 2):
        path = folder / f"{animal}-{number}.md"
        path.write_text(notes(animal, number))
        items.append(Incoming(path.name, path))
    with Library.open(folder / "home", encoder=FastEncoder()) as library:
        library.ingest(items, settings=EXACT)
    return folder / "home"


@pytest.fixture
def large(home, tmp_path):
    with Library.open(shutil.copytree(home, tmp_path / "home"), encoder=FastEncoder()) as library:
        yield library


def ready(library):
    """Chroma is opened by the first question and asked by those after it."""
    library.search("Is it there?", NEAR)
    library._store.chroma_thread.join()
    assert library._store.projection is not None


def hits(library, question, settings, scope=ALL_DOCUMENTS):
    return [hit.chunk_id for hit in library.search(question, settings, scope=scope).hits]


def test_chroma_is_asked_and_no_matrix_is_held(large, monkeypatch):
    ready(large)
    assert not large.searcher.snapshot().leaves.vectors.in_memory
    with monkeypatch.context() as watched:
        watched.setattr(LeafVectors, "cosines", lambda *_: pytest.fail("every vector was compared"))
        near = [hits(large, question, NEAR) for question in QUESTIONS]
    assert not large.searcher.snapshot().leaves.vectors.in_memory
    assert near == [hits(large, question, EXACT) for question in QUESTIONS]
    assert large.searcher.snapshot().leaves.vectors.in_memory


def of_a_part(monkeypatch, relatives, whole=finding.SCORE_ALL):
    """Have a pool that is a part of more than ``whole`` leaves, and a background drawn from them."""
    for name, value in {"POOL": 40, "WITH_RELATIVES": relatives, "SCORE_ALL": whole}.items():
        monkeypatch.setattr(finding, name, value)
    for name, value in {"RUNS": 15, "RUN": 12}.items():
        monkeypatch.setattr(snapshot, name, value)


def test_scores_are_those_of_comparing_all(large, monkeypatch):
    """Where the pool is a part of the leaves, and a sample tells how the scores of the others lie."""
    ready(large)
    of_a_part(monkeypatch, relatives=40)
    count = large.stats().chunks
    for question in QUESTIONS:
        near, exact = large.searcher.rank(question, NEAR), large.searcher.rank(question, EXACT)
        assert len(near.pool) < count == len(exact.pool)
        assert near.distribution.count == exact.distribution.count
        assert near.distribution.mean == pytest.approx(exact.distribution.mean, abs=0.2)
        assert near.distribution.deviation == pytest.approx(exact.distribution.deviation, rel=0.15)
        best = near.pool[near.kept[:10]]
        assert len(set(best) & set(exact.pool[exact.kept[:10]])) >= 8
        at = np.searchsorted(exact.pool, near.pool[near.kept])
        # Words are counted over all leaves, so their share of the score is the same to the digit.
        np.testing.assert_array_equal(near.scores["lexical"][near.kept], exact.scores["lexical"][at])
        np.testing.assert_allclose(near.scores["dense"][near.kept], exact.scores["dense"][at], rtol=1e-5)


def test_candidates_are_worth_what_they_are_among_all_leaves(large, monkeypatch):
    """All vectors are compared, and the pool is a part all the same: how scores lie is counted over every leaf."""
    asked = [*QUESTIONS, f'{QUESTIONS[0]} "by stone 17"', f"{QUESTIONS[1]} -marsh"]
    whole = [large.searcher.rank(question, EXACT) for question in asked]
    of_a_part(monkeypatch, relatives=40, whole=0)
    large.searcher.memory.drop_snapshots()
    for question, every in zip(asked, whole, strict=True):
        some = large.searcher.rank(question, EXACT)
        assert len(some.pool) <= len(every.pool)
        at = np.searchsorted(every.pool, some.pool)
        assert every.pool[at].tolist() == some.pool.tolist()
        for stage in ("dense", "lexical", "coverage", "fused"):
            np.testing.assert_allclose(some.scores[stage], every.scores[stage][at], atol=1e-9)
        best = every.pool[every.kept[:10]]
        assert some.pool[some.kept[:10]].tolist() == best.tolist()
    assert len(large.searcher.rank(QUESTIONS[0], EXACT).pool) < large.stats().chunks


@pytest.mark.parametrize("least", [0.05, 1.1])
def test_a_part_is_answered_as_if_it_were_compared_whole(large, monkeypatch, least):
    """Of a large part Chroma is asked for more than is wanted; a small one is compared."""
    ready(large)
    monkeypatch.setattr(asking, "SMALLEST_FRACTION", least)
    versions = [source.version_id for source in large.sources()][:6]
    collection = large.labels.create_collection("half")
    large.labels.collect([source.id for source in large.sources()][:6], collection)
    scope = large.scope(["half"])
    assert isinstance(scope, Scope)
    for question in QUESTIONS:
        found = hits(large, question, NEAR, scope)
        assert found == hits(large, question, EXACT, scope)
        assert {hit.version_id for hit in large.search(question, NEAR, scope=scope).hits} <= set(versions)


def test_a_part_is_compared_where_chroma_names_too_few_of_it(large):
    ready(large)
    snapshot, query = large.searcher.snapshot(), large.searcher.encode(["otter"])[0]
    tenfold = NearestLeaves(
        large._store, snapshot, 10 * len(snapshot.leaves)
    )  # as if it were the tenth part of a library
    assert len(tenfold.rows(query, 10)) == 10
    assert tenfold.rows(query, len(snapshot.leaves) + 1) is None
    assert NearestLeaves(large._store, snapshot, 100 * len(snapshot.leaves)).rows(query, 10) is None, "too small a part"


def test_a_reader_beside_the_writer_gets_the_same_answers(large):
    ready(large)
    with Library.open(large.home, write=False, encoder=FastEncoder()) as reader:
        for question in QUESTIONS:
            assert hits(reader, question, NEAR) == hits(large, question, NEAR)
            assert reader.searcher.snapshot().leaves.vectors.in_memory is (question != QUESTIONS[0])


def test_with_its_folder_deleted_chroma_grows_anew_beside_the_questions(home, tmp_path):
    place = shutil.copytree(home, tmp_path / "home")
    shutil.rmtree(place / "chroma")
    with Library.open(place, encoder=FastEncoder()) as library:
        first = library.search("Is it there?", NEAR)  # sees that it is gone
        library._store.projection_lock.acquire()
        try:
            told = library.search(QUESTIONS[0], NEAR)
        finally:
            library._store.projection_lock.release()
        library._store.chroma_thread.join()
        assert first.hits
        assert GROWING in told.notes or library._store.projection is not None
        assert [hit.chunk_id for hit in told.hits] == hits(library, QUESTIONS[0], EXACT)
        assert library.verify() == []
        after = library.search(QUESTIONS[1], NEAR)
        assert GROWING not in after.notes


def test_what_chroma_was_not_told_of_is_found_as_well(large, tmp_path, monkeypatch):
    ready(large)
    monkeypatch.setattr("core.ingest.ingest.apply_if_possible", lambda store, progress=None: None)
    path = tmp_path / "lynx.md"
    path.write_text("# The lynx\n\nA lynx dozes on a ledge all day and hunts hares at dusk.")
    large.ingest([Incoming("lynx.md", path)])
    assert len(pending_upserts(large._store)) > 0
    found = large.search("When does the lynx hunt hares?", NEAR.with_value("retrieval.lexical_weight", 0.0))
    assert found.hits[0].source == "lynx.md"
    assert len(pending_upserts(large._store)) > 0, "a question does not wait until it is told"


def test_recall_is_measured_kept_and_shown(large):
    store = large._store
    assert large.stats().recall is None
    assert large.measure_recall() is None, "where all vectors are compared there is nothing to tell"
    assert measure_recall(store, 10, 50) is None, "Chroma is being opened"
    store.chroma_thread.join()
    measured = measure_recall(store, 10, 50)
    assert measured.share > 0.95
    assert (measured.nearest, measured.handed, measured.leaves) == (10, 50, large.stats().chunks)
    assert large.stats().recall == measured.share
    assert measure_recall(store, 10, 1) == measured, "nothing has changed since"
    store.set_meta("recall", None)
    few = measure_recall(store, 10, 1)
    assert 0 < few.share <= 0.1, "of the ten nearest, one was asked for"
    assert last_recall(store) == few
    store.set_meta("recall", store.meta("recall").replace('"generation": 1', '"generation": 7'))
    assert measure_recall(store, 10, 50) == measured, "as many leaves, by another embedder"


def test_a_leaf_that_left_while_a_question_was_answered_is_told(large):
    snapshot = large.searcher.snapshot()
    large.remove(large.sources()[0].id)
    with pytest.raises(NotFoundError, match="changed while"):
        snapshot.leaves.vectors.of(np.arange(len(snapshot.leaves)))


def test_what_a_phrase_leaves_of_a_large_library_is_read_by_itself(large):
    ready(large)
    some = EXACT.with_value("retrieval.exact_below", 200)
    assert large.stats().chunks > 200
    question = f'Where does the {ANIMALS[0]} sleep "by stone 17"?'
    found = large.searcher.rank(question, some)
    assert 0 < len(found.pool) <= 200
    assert not found.leaves.vectors.in_memory
    whole = large.searcher.rank(question, EXACT)
    assert whole.leaves.vectors.in_memory
    assert found.pool[found.kept].tolist() == whole.pool[whole.kept].tolist()
    np.testing.assert_allclose(found.final, whole.final, rtol=1e-4, atol=1e-5)


def test_rows_that_left_take_no_places_of_those_that_are_there(large, monkeypatch):
    ready(large)
    monkeypatch.setattr("core.library.apply_if_possible", lambda store: None)
    query = large.searcher.encode(["otter"])[0]
    for source in large.sources():
        if source.name.startswith("otter"):
            large.remove(source.id)
    assert pending_deletes(large._store) > 10
    snapshot = large.searcher.snapshot()
    named = NearestLeaves(large._store, snapshot, len(snapshot.leaves)).rows(query, 10)
    assert len(named) == 10
    assert (snapshot.index_of(named) >= 0).all()


def test_chroma_is_told_of_much_beside_the_questions(large, monkeypatch):
    ready(large)
    monkeypatch.setattr("core.library.apply_if_possible", lambda store: None)
    monkeypatch.setattr("core.storage.index.outbox.MAX_PENDING", 5)
    large.remove(large.sources()[0].id)
    assert pending(large._store) > 5
    assert large.search(QUESTIONS[0], NEAR).hits
    large._store.chroma_thread.join()
    assert pending(large._store) == 0


def test_another_embedders_vectors_are_not_asked_for(large):
    ready(large)
    store, query = large._store, large.searcher.encode(["otter"])[0]
    serving = int(store.meta("serving"))
    assert query_projection(store, query, 3, serving) is not None
    assert query_projection(store, query, 3, serving + 1) is None


def test_a_library_that_is_being_closed_opens_no_chroma(large, monkeypatch):
    store = large._store
    closing = store._connections.close
    monkeypatch.setattr(store, "close_projection", lambda: _make_ready(store))  # a question's thread comes just then
    monkeypatch.setattr(store._connections, "close", lambda: (store.chroma_thread.join(1.5), closing()))
    large.close()
    store.chroma_thread.join()
    assert store.projection is None
    assert not left_open(next((store.home / "chroma").iterdir()))


def test_what_waits_for_its_vector_counts_as_an_average_leaf_of_all(large, monkeypatch):
    """However few of the leaves are in the pool, whose own are nearer than most."""
    ready(large)
    of_a_part(monkeypatch, relatives=0)
    scores = large.searcher.find(Query(QUESTIONS[0]), NEAR)
    waiting = np.zeros(len(scores.leaves), bool)
    waiting[::2] = True
    leaves = replace(scores.leaves, unencoded=waiting)

    def half(one):
        return replace(one, leaves=leaves, dense=np.where(waiting[one.pool], np.nan, one.dense))

    assert scores.background is not None
    behind = half(scores.background)
    known = _distributions(half(scores), behind.dense[~np.isin(behind.pool, scores.pool)])["dense"]
    every = scores.leaves.vectors.of() @ large.searcher.encode([QUESTIONS[0]])[0]
    assert known.mean == pytest.approx(float(every[~waiting].mean()), abs=0.03)


@pytest.mark.parametrize(("changes", "asked"), [(2, NEAR), (2, EXACT), (3, EXACT)])
def test_a_question_is_begun_anew_where_what_it_found_left_meanwhile(large, monkeypatch, changes, asked):
    ready(large)
    read, left = large.searcher.result, []

    def changing(scores, *rest):
        if len(left) < changes:
            ranking = large.searcher.order(scores, asked)
            best = ranking.leaves.version_ids[ranking.leaves.documents[ranking.pool[ranking.kept[0]]]]
            left.append(best)
            large.remove(next(source.id for source in large.sources() if source.version_id == best))
        return read(scores, *rest)

    monkeypatch.setattr(large.searcher, "result", changing)
    if changes == 3:
        with pytest.raises(NotFoundError, match="changed while"):
            large.search(QUESTIONS[0], asked)
        return
    found = large.search(QUESTIONS[0], asked)
    assert found.hits
    assert not {hit.version_id for hit in found.hits} & set(left)
