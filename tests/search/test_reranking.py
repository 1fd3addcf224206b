"""Re-ranking: what is read moves by what the model says, what is not read keeps its standing, and nothing is lost."""

from __future__ import annotations

import shutil
from itertools import chain, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.embedding import packaged
from core.errors import CancelledError, ModelError
from core.search.expansion.growth import family
from core.search.ordering import reading_spans, sentence_window, trim_around
from core.search.ranking.fusion import best_first, standardise
from core.search.ranking.rerankers import load_reranker
from core.search.ranking.reranking import Readings, batches, boost_by_neighbours, read, reorder
from core.settings.searching import RERANKING_UNITS, RerankingSettings
from core.types import Span
from tests.search.context.worlds import worlds
from tests.search.small_models import make_cross_encoder

QUESTION = "how long is a token valid?"
PASSAGES = [
    "sixty minutes",
    "the cat sat on the mat and slept",
    "a",
    "",
    "tokens last an hour",
    "sixty minutes",
    "b" * 90,
]


class Lengths:
    """A ``Reranker`` that likes long passages, notes what it was asked, and lets a second pass with each batch."""

    def __init__(self):
        self.asked: list[list[str]] = []

    def score(self, question, passages):
        self.asked.append(list(passages))
        return np.array([len(passage) for passage in passages], np.float32)

    def clock(self):
        return float(len(self.asked))


@st.composite
def read_parts(draw):
    """Scores that fall, with ties, and readings of the first of them, some missing."""
    count, candidates = draw(st.integers(0, 25)), draw(st.integers(0, 25))
    seed = np.random.default_rng(draw(st.integers(0, 10**6)))
    scores = -np.sort(-seed.choice([1.0, 2.0, -3.0, *seed.standard_normal(10)], count))
    opinions = seed.choice([0.0, 5.0, *(10 * seed.standard_normal(10))], min(count, candidates))
    opinions[seed.random(len(opinions)) < draw(st.sampled_from([0.0, 0.4, 1.0]))] = np.nan
    return scores, Readings(opinions)


blends = st.sampled_from([0.0, 0.3, 0.5, 1.0])


@given(read_parts(), st.integers(0, 10**6), st.sampled_from([0.0, 0.3, 1.0]))
def test_what_is_heard_beside_lifts_to_the_best_neighbour_that_was_read(parts, seed, share):
    opinions = parts[1].scores
    chance = np.random.default_rng(seed)
    leaves = chance.permutation(3 * len(opinions))[: len(opinions)]
    documents = (leaves >= len(opinions)).astype(np.int32)  # a boundary in the text, which nothing is boosted across
    boosted = boost_by_neighbours(opinions, leaves, documents, share)
    at = {int(leaf): place for place, leaf in enumerate(leaves)}
    for place, leaf in enumerate(leaves.tolist()):
        near = [at[one] for one in (leaf - 1, leaf, leaf + 1) if one in at and documents[at[one]] == documents[place]]
        known = [opinions[one] for one in near if not np.isnan(opinions[one])]
        if np.isnan(opinions[place]):
            assert np.isnan(boosted[place])
        else:
            assert boosted[place] == pytest.approx((1 - share) * opinions[place] + share * max(known))
    assert share or boosted is opinions


@given(read_parts(), blends, st.integers(0, 30))
def test_everything_goes_on_once_or_is_cut_with_its_rank(parts, blend, keep):
    scores, readings = parts
    found = reorder(scores, readings, RerankingSettings("m", blend=blend, keep=keep))
    assert sorted([*found.order.tolist(), *found.dropped]) == list(range(len(scores)))
    assert len(found.order) == min(keep or len(scores), len(scores))
    assert best_first(found.scores, keep or None).tolist() == found.order.tolist()
    assert np.isfinite(found.scores).all()
    assert all(f"of which {keep} go on" in reason for reason in found.dropped.values())


@given(read_parts())
def test_alone_the_readings_decide_among_what_was_read(parts):
    scores, readings = parts
    opinions = readings.scores
    order = reorder(scores, readings, RerankingSettings("m", blend=1)).order.tolist()
    was_read = [entry for entry in order if entry < len(opinions) and not np.isnan(opinions[entry])]
    assert was_read == sorted(was_read, key=lambda entry: (-opinions[entry], entry))
    unread = [entry for entry in order if entry < len(opinions) and np.isnan(opinions[entry])]
    assert unread == sorted(unread)
    assert order[len(opinions) :] == list(range(len(opinions), len(scores)))


@given(read_parts(), blends)
def test_nothing_read_or_nothing_blended_is_the_order_before(parts, blend):
    scores, readings = parts
    unread = Readings(np.full_like(readings.scores, np.nan))
    assert reorder(scores, unread, RerankingSettings("m", blend=blend)).order.tolist() == list(range(len(scores)))
    assert reorder(scores, readings, RerankingSettings("m", blend=0)).order.tolist() == list(range(len(scores)))


@given(read_parts(), blends, st.data())
def test_a_better_reading_never_lowers_a_passage_read_with_all_others(parts, blend, data):
    scores, readings = parts
    opinions = np.nan_to_num(readings.scores)
    if len(opinions) < 2:
        return
    settings = RerankingSettings("m", blend=blend)
    entry = data.draw(st.integers(0, len(opinions) - 1))
    better = opinions.copy()
    better[entry] = max(opinions.max(), opinions[entry]) + 1
    rank = reorder(scores, Readings(opinions), settings).order.tolist().index(entry)
    assert reorder(scores, Readings(better), settings).order.tolist().index(entry) <= rank


@given(read_parts(), st.sampled_from([0.5, 1.0]), st.floats(0.1, 50), st.floats(-50, 50))
def test_the_scale_of_a_model_does_not_matter(parts, blend, factor, shift):
    scores, readings = parts
    settings = RerankingSettings("m", blend=blend)
    moved = Readings(readings.scores * factor + shift)
    before, after = reorder(scores, readings, settings), reorder(scores, moved, settings)
    np.testing.assert_allclose(after.scores, before.scores, atol=1e-9)


@given(read_parts())
def test_the_standing_of_what_was_read_is_kept_as_a_whole(parts):
    scores, readings = parts
    count = len(readings.scores)
    known = np.flatnonzero(~np.isnan(readings.scores))
    if len(known):
        found = reorder(scores, readings, RerankingSettings("m", blend=1)).scores
        before = standardise(scores[:count])
        assert found[known].mean() == pytest.approx(before[known].mean(), abs=1e-9)
        if before[known].std() > 1e-9 < readings.scores[known].std():
            assert found[known].std() == pytest.approx(before[known].std(), abs=1e-9)


def test_what_was_not_read_is_not_put_behind_what_the_model_disliked():
    scores = np.array([5.0, 4.0, 1.0, 0.0])
    order = reorder(scores, Readings(np.array([np.nan, 9.0, 1.0, np.nan])), RerankingSettings("m", blend=1)).order
    assert order.tolist() == [0, 1, 2, 3]
    order = reorder(scores, Readings(np.array([np.nan, 1.0, 9.0, np.nan])), RerankingSettings("m", blend=1)).order
    assert order.tolist() == [0, 2, 1, 3]


@given(st.lists(st.integers(0, 50), max_size=40), st.integers(1, 9))
def test_batches_hold_each_once_like_lengths_together_the_best_first(lengths, size):
    found = batches(lengths, size)
    assert sorted(at for batch in found for at in batch) == list(range(len(lengths)))
    assert [min(batch) for batch in found] == sorted(min(batch) for batch in found)
    assert len(found) == -(-len(lengths) // size)
    ranges = sorted((min(lengths[at] for at in batch), max(lengths[at] for at in batch)) for batch in found)
    assert all(low[1] <= high[0] for low, high in pairwise(ranges))


def rerank(passages, scores, model, settings, progress=None, clock=None):
    """Both steps, as the stage makes them."""
    best = passages[: settings.candidates]
    return reorder(scores, read(QUESTION, best, model, settings, progress, clock or model.clock), settings)


@given(st.lists(st.sampled_from(PASSAGES), max_size=20), st.integers(1, 5), st.integers(1, 8))
def test_equal_passages_are_read_once_and_only_candidates_are(passages, size, candidates):
    model = Lengths()
    scores = -np.arange(len(passages), dtype=float)
    settings = RerankingSettings("m", candidates=candidates, batch_size=size, timeout_seconds=0, blend=1)
    found = rerank(passages, scores, model, settings)
    asked = [passage for batch in model.asked for passage in batch]
    assert sorted(asked) == sorted(set(passages[:candidates]))
    best = sorted(range(len(passages[:candidates])), key=lambda at: (-len(passages[at]), at))
    assert found.order.tolist() == [*best, *range(len(best), len(passages))]
    assert found.note == ""


def test_the_time_limit_keeps_the_order_so_far_and_says_so():
    model, told = Lengths(), []
    passages = ["a" * (length + 1) for length in range(20)]
    settings = RerankingSettings("m", batch_size=4, timeout_seconds=3)
    found = rerank(passages, -np.arange(20.0), model, settings, lambda *at: told.append(at))
    assert found.note == "Time limit of 3 s: 12 of 20 re-ranked."
    assert told == [(0, 20), (4, 20), (8, 20)]
    assert sorted(found.order.tolist()) == list(range(20))
    assert "a" in model.asked[0], "the batch with the best passage is the first"
    unread = [entry for entry in found.order.tolist() if passages[entry] not in chain(*model.asked)]
    assert len(unread) == 8
    assert unread == sorted(unread)


def test_one_batch_is_read_however_short_the_limit():
    model = Lengths()
    settings = RerankingSettings("m", batch_size=2, timeout_seconds=0.5)
    slow = iter(range(100))
    found = rerank(["aa", "aaa", "a"], np.zeros(3), model, settings, clock=lambda: float(next(slow)))
    assert found.note == "Time limit of 0.5 s: 2 of 3 re-ranked."


def test_cancelling_stops_before_the_next_batch():
    model = Lengths()

    def cancel(done, total):
        if done:
            raise CancelledError("Stopped.")

    with pytest.raises(CancelledError):
        read(QUESTION, ["a", "b", "c"], model, RerankingSettings("m", batch_size=1), cancel, model.clock)
    assert len(model.asked) == 1


def test_an_answer_that_is_no_number_counts_as_none():
    class Broken:
        def score(self, question, passages):
            return np.array([np.nan, np.inf, 1.0, 2.0], np.float32)[: len(passages)]

    scores, settings = np.array([4.0, 3.0, 2.0, 1.0]), RerankingSettings("m", blend=1)
    found = reorder(scores, read(QUESTION, ["dddd", "ccc", "bb", "a"], Broken(), settings), settings)
    assert found.note == "The re-ranker gave no number for 2 of 4; they keep their standing."
    assert found.order.tolist() == [0, 1, 3, 2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_cross_encoder(tmp_path_factory.mktemp("cross"))


@pytest.fixture(scope="module")
def exact(folder):
    return load_reranker(RerankingSettings(str(folder), precision="float32"))


def predicted(folder, passages, activation):
    from sentence_transformers import CrossEncoder

    model = CrossEncoder(str(folder), local_files_only=True)
    return model.predict([(QUESTION, passage) for passage in passages], activation_fn=activation)


def test_it_says_what_the_cross_encoder_says(folder, exact):
    from torch.nn import Identity

    settings = RerankingSettings(str(folder), batch_size=2, timeout_seconds=0)
    found = read(QUESTION, PASSAGES, exact, settings).scores
    np.testing.assert_allclose(found, predicted(folder, PASSAGES, Identity()), atol=2e-5)
    np.testing.assert_allclose(1 / (1 + np.exp(-found)), predicted(folder, PASSAGES, None), atol=2e-5)
    assert np.ptp(found) > 0.1
    order = reorder(np.zeros(len(PASSAGES)), read(QUESTION, PASSAGES, exact, settings), settings).order
    assert order.tolist() == np.argsort(-found, kind="stable").tolist()
    assert exact.score(QUESTION, []).shape == (0,)


def test_half_precision_is_close_and_tells_like_pairs_apart(folder, exact):
    half = load_reranker(RerankingSettings(str(folder), precision="bfloat16"))
    passages = [f"token {number} is valid" for number in range(40)]
    one, other = half.score(QUESTION, passages), exact.score(QUESTION, passages)
    assert one.dtype == other.dtype == np.float32
    assert np.abs(one - other).max() < 0.1 * np.ptp(other) + 0.05
    assert len(set(one.tolist())) > 30, "with a bfloat16 at the end most of them would tie"


def test_a_limit_on_tokens_is_the_models_own_or_lower(folder, exact):
    assert exact.max_tokens == 64
    long = "word " * 500
    short = load_reranker(RerankingSettings(str(folder), max_tokens=40, precision="float32"))
    assert short.max_tokens == 40
    assert load_reranker(RerankingSettings(str(folder), max_tokens=9999)).max_tokens == 64
    assert np.isfinite([*exact.score(QUESTION, [long]), *short.score(QUESTION, [long])]).all()
    assert exact.score(QUESTION, [long]) != short.score(QUESTION, [long])


def test_of_two_labels_the_second_is_the_answer(tmp_path):
    from torch.nn import Identity

    place = make_cross_encoder(tmp_path / "two", labels=2)
    model = load_reranker(RerankingSettings(str(place), precision="float32"))
    both = predicted(place, PASSAGES, Identity())
    np.testing.assert_allclose(model.score(QUESTION, PASSAGES), both[:, 1] - both[:, 0], atol=2e-5)


def test_what_cannot_be_loaded_gets_a_sentence(tmp_path):
    def refusal(name):
        with pytest.raises(ModelError) as caught:
            load_reranker(RerankingSettings(name))
        return str(caught.value)

    assert "'nobody/no-such' is not on this machine" in refusal("nobody/no-such")
    assert "hf download nobody/no-such" in refusal("nobody/no-such")
    assert "There is no folder" in refusal(str(tmp_path / "missing"))
    (tmp_path / "empty").mkdir()
    assert "could not be loaded" in refusal(str(tmp_path / "empty"))
    assert "3 classes" in refusal(str(make_cross_encoder(tmp_path / "three", labels=3)))
    damaged = make_cross_encoder(tmp_path / "damaged")
    (damaged / "model.safetensors").write_bytes(b"not weights")
    assert "could not be loaded" in refusal(str(damaged))
    assert "was not trained to score pairs" in refusal(str(packaged.model_directory()))


def test_a_folder_that_lacks_a_part_is_refused_and_scores_nothing(tmp_path, folder):
    """The library loads both without a word: one knows no word of the question, the other has no head."""

    def refusal(place):
        with pytest.raises(ModelError, match="could not be loaded") as caught:
            load_reranker(RerankingSettings(str(place)))
        return str(caught.value)

    from sentence_transformers import CrossEncoder

    CrossEncoder(str(folder), local_files_only=True).save_pretrained(str(tmp_path / "whole"))
    assert load_reranker(RerankingSettings(str(tmp_path / "whole"))).score(QUESTION, ["a"]).shape == (1,)
    for name in ("wordless", "headless"):
        shutil.copytree(tmp_path / "whole", tmp_path / name)
    (tmp_path / "wordless" / "tokenizer.json").unlink()
    assert "its tokenizer is missing" in refusal(tmp_path / "wordless")
    (tmp_path / "headless" / "sentence_bert_config.json").unlink()
    assert "it gives no score for a question and a passage" in refusal(tmp_path / "headless")


def test_a_model_that_fails_while_it_reads_gets_a_sentence(folder, monkeypatch):
    model = load_reranker(RerankingSettings(str(folder)))

    def full(*_given, **_named):
        raise RuntimeError("not enough memory\nsecond line")

    monkeypatch.setattr(model._model, "predict", full)
    with pytest.raises(ModelError, match=r"failed on 1 passages: not enough memory\. Lower reranking\.batch_size"):
        model.score(QUESTION, ["a"])


@given(worlds(), st.sampled_from(RERANKING_UNITS), st.integers(0, 3), st.sampled_from([2, 10, 300]))
def test_a_unit_holds_its_leaf_and_stays_in_its_section(world, unit, sentences, max_tokens):
    leaves = world.ranking.leaves
    chosen = list(range(len(leaves)))
    settings = RerankingSettings("m", unit=unit, window_sentences=sentences)
    for leaf, span in zip(chosen, reading_spans(leaves, chosen, settings, max_tokens, world.text), strict=True):
        child = Span(int(leaves.starts[leaf]), int(leaves.ends[leaf]))
        document = int(leaves.documents[leaf])
        assert span.contains(child)
        assert span.length <= max(4 * max_tokens, child.length)
        assert Span(0, len(world.text(document))).contains(span)
        first, last = family(leaves, leaf)
        whole = Span(int(leaves.starts[first]), int(leaves.ends[first : last + 1].max()))
        if leaves.parent_rows[leaf] >= 0:
            assert whole.contains(span)
        if unit == "child":
            assert span == child
        if unit == "parent" and max_tokens == 300:
            assert span == whole


@given(st.text("ab. \n", max_size=120), st.data())
def test_a_part_around_the_child_is_as_large_as_there_is_room(text, data):
    low, start, end, high = sorted(data.draw(st.integers(0, len(text))) for _ in range(4))
    room = data.draw(st.integers(1, 130))
    found = trim_around(text, Span(start, end), Span(low, high), room)
    assert found.contains(Span(start, end))
    assert Span(low, high).contains(found)
    assert found.length <= max(room, end - start)
    if high - low <= room:
        assert found == Span(low, high)


def test_a_window_is_of_whole_sentences():
    text = "One is here. Two is here. Three is here. Four is here."
    three = Span(text.index("Three"), text.index(" Four"))
    found = sentence_window(text, three, Span(0, len(text)), 1)
    assert text[found.start : found.end] == "Two is here. Three is here. Four is here."
    assert sentence_window(text, three, Span(0, len(text)), 0) == three
