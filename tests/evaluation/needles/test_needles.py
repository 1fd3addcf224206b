"""Sentences planted in a copy of a library: the copy is right, the map says what became of each, and goes on."""

from __future__ import annotations

import hashlib
import json

import pytest

from core.cli.main import main
from core.errors import LecternError
from core.evaluation.needles.facts import DEPTHS, KINDS, Own, Sentence, generate_needles
from core.evaluation.needles.mapping import needle_map
from core.evaluation.needles.maps import STAGES, NeedlePlan
from core.evaluation.needles.planting import gather_haystack, plant_sentences
from core.library import Incoming, Library
from tests.fast_encoder import FastEncoder
from tests.scripted_writer import Answering

TOPICS = ("rivers", "clocks", "bees", "paper", "salt", "glass", "trains", "wool", "maps", "soap")
PLAN = NeedlePlan(tokens=(4_000,), prompts=(1_000,))


def prose(topic, paragraphs=24):
    said = (
        f"In year {1000 + number} people who worked with {topic} wrote down what they had seen of {topic}. "
        f"They kept note {number} with the others, and whoever came later could read what {topic} had been like."
        for number in range(paragraphs)
    )
    return "\n\n".join([f"# About {topic}", *said]).encode()


def put_in(library, topics=TOPICS):
    library.ingest([Incoming(f"{topic}.md", content_hash=library.stage(prose(topic))) for topic in topics])
    library.ingest([Incoming("tally.csv", content_hash=library.stage(b"day,count\n1,20\n2,30\n"))])
    return library


def fingerprint(home):
    """Of everything the library holds, its benchmarks aside."""
    files = [path for path in sorted(home.rglob("*")) if path.is_file() and "benchmarks" not in path.parts]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files if path.suffix != ".lock"}


def by_stage(found):
    sums = {}
    for cell in found.cells:
        before = sums.get(cell.stage, (0, 0))
        sums[cell.stage] = before[0] + cell.found, before[1] + cell.planted
    return sums


def forgets_the_middle(prompt):
    """What a reader would say who sees the first and the last quarter of a prompt."""
    return prompt[: len(prompt) // 4] + prompt[-len(prompt) // 4 :]


def test_made_needles_are_the_same_anew_and_tell_of_places_of_their_own():
    made = generate_needles(KINDS, 0)
    assert made == generate_needles(KINDS, 0) != generate_needles(KINDS, 1)
    said = [sentence.text for needle in made for sentence in needle.sentences]
    assert len(set(said)) == len(said)
    first = made[0].sentences[0].text.split()[1].lower()  # the place that the first one tells of
    assert first not in " ".join(one.question.lower() for one in generate_needles(KINDS, 0, {first}))
    assert {sentence.depth for needle in made for sentence in needle.sentences if sentence.sought} == set(DEPTHS)


def test_sentences_stand_at_their_depth_between_paragraphs_and_nothing_is_lost(library):
    haystack = gather_haystack(put_in(library), 4_000)
    sentences = [Sentence(depth, f"At {depth} stands mark{depth}.", str(depth)) for depth in DEPTHS for _ in range(2)]
    items = plant_sentences(haystack, sentences)
    whole = "".join(item.text for item in items)
    for depth in DEPTHS:
        assert whole.count(f"mark{depth}.") == 2
        assert abs(whole.find(f"mark{depth}.") / len(whole) - depth / 100) < 0.1
    for item, before in zip(items, haystack.items, strict=True):
        assert item.data == before.data
        for sentence in sentences:
            item_text = item.text.replace(f" {sentence.text}", "")
            item = type(item)(item.name, item_text, item.offsets, item.data)
        assert item.text == before.text


def test_the_map_follows_every_sentence_and_leaves_the_library_alone(library):
    put_in(library)
    before = fingerprint(library.home)
    found = needle_map(library, PLAN)
    assert fingerprint(library.home) == before
    sums = by_stage(found)
    assert list(sums) == ["read", "cut", "searched", "ordered", "context"]
    assert {planted for _, planted in sums.values()} == {sums["read"][0]}  # what was planted was read, all of it
    assert sums["read"][0] >= sums["searched"][0] >= sums["ordered"][0]
    assert sums["context"][0] > 0.7 * sums["read"][0]
    assert {cell.depth for cell in found.cells} == set(DEPTHS)
    few = needle_map(library, NeedlePlan((10_000,), ("plain",)))
    assert few.reused > few.encoded > 0  # chunks that no sentence was planted in


def test_a_stage_that_loses_sentences_shows_it(library):
    put_in(library)
    narrow = library.settings.with_value("retrieval.k", 1).with_value("assembly.budget_tokens", 50)
    wide = by_stage(needle_map(library, PLAN))
    tight = by_stage(needle_map(library, NeedlePlan((4_000,), settings=narrow)))
    assert tight["read"] == wide["read"]
    assert tight["context"][0] < wide["context"][0]


def test_the_map_says_which_kind_of_needle_each_stage_lost(library):
    found = needle_map(put_in(library), NeedlePlan((4_000,), ("plain", "several")))
    for stage, (reached, planted) in by_stage(found).items():
        of_stage = [count for count in found.kinds if count.stage == stage]
        assert {count.kind for count in of_stage} == {"plain", "several"}
        assert (sum(count.found for count in of_stage), sum(count.planted for count in of_stage)) == (reached, planted)
    several = {count.stage: count for count in found.kinds if count.kind == "several"}
    assert several["context"].planted == 3 * len(DEPTHS)
    assert found.by_kind("read") == ["plain, several: none lost"]


def test_a_killed_map_goes_on_where_it_stopped(library, fast_encoder):
    put_in(library)

    def stop(what, done, total):
        if "needle" in what and done == 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        needle_map(library, PLAN, watch=stop)
    told = []
    found = needle_map(library, PLAN, watch=lambda what, done, total: told.append((what, done)))
    assert min(done for what, done in told if "needle" in what) == 20
    encoded = len(fast_encoder.texts)
    assert needle_map(library, PLAN) == found  # it is finished: nothing is done
    assert len(fast_encoder.texts) == encoded


def test_a_reader_that_forgets_the_middle_shows_a_u_and_edges_lifts_it(library):
    put_in(library)
    found = needle_map(library, PLAN, Answering(forgets_the_middle), asked="forgetful")
    prompts = {cell.depth: cell.found for cell in found.cells if cell.stage == "prompt"}
    assert prompts[0]
    assert prompts[100]
    assert not any(prompts[depth] for depth in (40, 50, 60))
    told = {order: [item.right for item in found.answers if item.order == order] for order in ("relevance", "edges")}
    assert len(told["relevance"]) == len(told["edges"]) > 0
    assert sum(told["edges"]) > sum(told["relevance"])
    places = found.by_place("edges")
    assert places.get(2, (0, 0))[0] == 0 < places[max(places)][0]
    assert any("'edges'" in sentence for sentence in found.sentences)


def test_ones_own_sentence_stands_at_one_depth_at_a_time(library):
    put_in(library, TOPICS[:2])
    own = Own("The otter of Wexhall sleeps under the third bridge.", "Where does the otter of Wexhall sleep?", "third")
    found = needle_map(library, NeedlePlan((1_500,), (), (own,)), Answering(lambda prompt: prompt), asked="sees all")
    read = [cell for cell in found.cells if cell.stage == "read"]
    assert [(cell.depth, cell.found, cell.planted) for cell in read] == [(depth, 1, 1) for depth in DEPTHS]
    assert sum(cell.found for cell in found.cells if cell.stage == "answer") >= 10


def test_a_library_without_prose_and_a_plan_without_needles_are_told_so(library):
    library.ingest([Incoming("tally.csv", content_hash=library.stage(b"day,count\n1,20\n"))])
    with pytest.raises(LecternError, match="no prose"):
        needle_map(library, PLAN)
    with pytest.raises(LecternError, match="plants nothing"):
        NeedlePlan(kinds=())


def test_the_command_prints_the_cells(tmp_path, capsys, monkeypatch):
    with Library.open(tmp_path, encoder=FastEncoder()) as library:
        put_in(library, TOPICS[:3])
    monkeypatch.setattr(
        "core.library.Library.open",
        classmethod(
            lambda cls, home, opened=Library.open, **options: opened(home, **{"encoder": FastEncoder(), **options})
        ),
    )
    assert main(["needles", "--library", str(tmp_path), "--tokens", "1500", "--kind", "plain", "--json"]) == 0
    cells = json.loads(capsys.readouterr().out)["cells"]
    assert {tuple(cell) for cell in cells} == {("depth", "tokens", "stage", "found", "planted")}
    assert {cell["stage"] for cell in cells} <= set(STAGES)
    assert sum(cell["planted"] for cell in cells if cell["stage"] == "read") == len(DEPTHS)
    assert main(["needles", "--library", str(tmp_path), "--sentence", "Only this.", "--json"]) == 2
