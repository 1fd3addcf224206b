"""Failures that were planted land in their class, and what is said to mend them does when it is applied."""

from __future__ import annotations

import json

import pytest

from core.evaluation.bench import BenchModels, run_bench
from core.evaluation.bench_plan import BenchOptions, BenchPlan
from core.evaluation.failures.classes import counted
from core.evaluation.failures.remedies import remedies, tried
from core.evaluation.history import load_measured
from core.evaluation.measuring import TIMED_BUDGET
from core.evaluation.regions import cut_to_budget, region
from core.evaluation.suites import load_suite, stage_documents
from core.library import Incoming, Library
from core.search.question.query import Query
from core.settings import Settings
from tests.fast_encoder import FastEncoder

PLAIN = Settings().with_values(
    {
        "chunking.prefix": (),
        "assembly.stop_below": 0,
        "chunking.max_tokens": 40,
        "retrieval.coverage_weight": 0.0,
        "retrieval.neighbour_share": 0.0,
        "retrieval.parent_share": 0.0,
        "retrieval.document_share": 0.0,
        "expansion.strategy": "flat",
    }
)
TRIED = ("parent", "chunker")  # one that is asked anew, and one that is cut and asked anew
PLACES = ("Ashby", "Birley", "Corwen", "Dunmore", "Elstow")
OTHER_WORDS = (
    ("Which physician cured the monarch's ailment?", "Old Hale healed the king of his fever in spring."),
    ("What vessel conveyed the merchandise overseas?", "A ship carried the goods across to the far coast."),
    ("Who purchased the automobile?", "The miller's widow bought that car."),
    ("When did the pupils commence their vacation?", "The children began holidays in June."),
    ("Where does the physician reside?", "Hale lives beside the well."),
)
FEASTS = ("harvest", "lantern", "kite", "river", "apple")
GATES = ("Marlow", "Penhale", "Tarrant")


def paragraphs(lines):
    return "\n\n".join(lines) + "\n"


def mill(place, number):
    """A: what is asked of stands at the beginning, and the answer far below it."""
    filler = [f"Stones of sort {n} were laid there by hands that nobody remembers any more today." for n in range(12)]
    return paragraphs(
        [
            "# Buildings",
            f"This is told of the mill of {place}.",
            *filler,
            f"It measures {31 + number} paces from wall to wall, wide.",
        ]
    )


def world(folder):
    """Twenty questions that a plain search misses, five of each class, each with its gold."""
    documents, asked = {}, []
    for number, place in enumerate(PLACES):
        documents[f"mill-{number}.md"] = mill(place, number)
        asked.append(("A", f"How wide is the mill of {place}?", f"mill-{number}.md", "It measures"))
    lines = []
    for number, (question, answer) in enumerate(OTHER_WORDS):
        lines += [answer, f"Of thing {number} nothing else was ever told in that valley, so they say."]
        asked.append(("B", question, "chronicle.md", answer))
    documents["chronicle.md"] = paragraphs(["# A chronicle", *lines])
    hard = "physician cured monarch ailment vessel conveyed merchandise overseas purchased automobile".split()
    hard += "pupils commence vacation reside wide mill".split()
    noise = [
        f"The word {hard[n % len(hard)]} is number {n} of a list, and the list says of it no more." for n in range(320)
    ]
    noise += [f"Wide, on line {n}, is wide enough; how wide, if wide, is told of all wide things." for n in range(60)]
    documents["words.md"] = paragraphs(["# A list of words", *noise])
    for number, feast in enumerate(FEASTS):
        told = [
            f"At the {feast} feast guest {n} sang, danced, ate and went home late, as guests do." for n in range(140)
        ]
        documents[f"feast-{number}.md"] = paragraphs([f"# The {feast} feast", *told])
        asked.append(("C", f"What happened at the {feast} feast?", f"feast-{number}.md", told[0], told[-1]))
    for number, gate in enumerate(GATES):
        said = [
            f"The toll at {gate} gate is {15 + number} euros. So it is for rider {n} and for all." for n in range(80)
        ]
        documents[f"toll-{number}.md"] = paragraphs(["# Tolls", *said])
        gold = f"The toll at {gate} gate is {40 + number} euros."
        around = "Carters who pass by night with lamps and dogs and bells ask the keeper and wait for his word."
        documents[f"rule-{number}.md"] = paragraphs(["# Rules", f"{around} {gold}"])
        asked.append(("D", f"What is the toll at {gate} gate?", f"rule-{number}.md", gold))
    (folder / "documents").mkdir(parents=True)
    for name, text in documents.items():
        (folder / "documents" / name).write_text(text)
    rows = []
    for number, (kind, question, name, first, *last) in enumerate(asked):
        text = documents[name]
        start, end = text.index(first), text.index(last[0] if last else first) + len(last[0] if last else first)
        rows.append(
            {"id": f"{kind}-{number}", "question": question, "gold": [{"document": name, "start": start, "end": end}]}
        )
    for number in range(2):
        name = f"broken-{number}.pdf"
        (folder / "documents" / name).write_bytes(b"%PDF-1.7 and no more")
        gold = [{"document": name, "start": 0, "end": 9}]
        rows.append({"id": f"D-broken-{number}", "question": f"What says the broken file {number}?", "gold": gold})
    (folder / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return load_suite(folder)


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """The suite, its workspace, the report and what every question came to."""
    place = tmp_path_factory.mktemp("failures")
    suite = world(place / "suite")
    work = place / "work"
    report = run_bench(
        BenchPlan(suite, {"plain": PLAIN}, BenchOptions(failures=True)), work, BenchModels(FastEncoder())
    )
    return suite, work, report, load_measured(work, report.run, "plain")


def test_planted_failures_land_in_their_class(measured):
    _, _, _, outcomes = measured
    assert len(outcomes) == 20
    told = {name: item.failure for name, item in outcomes.items()}
    right = [name for name, failure in told.items() if failure == name[0]]
    assert len(right) >= 18, told
    assert sum(counted(outcomes.values()).values()) == sum(map(bool, told.values()))


def test_what_is_said_to_mend_mends_when_it_is_applied(measured, tmp_path):
    suite, work, report, outcomes = measured
    found = tried(suite, "plain", PLAIN, work, report.run, work / report.library, names=TRIED, encoder=FastEncoder())
    assert found.failures == sum(bool(item.failure) for item in outcomes.values())
    mended = {one.name: one.mended for one in found.tried}
    assert len(mended["parent"]) >= 4  # of those that were cut off from their beginning, at the least
    assert all(one.share == len(one.mended) / found.failures for one in found.tried)
    questions = {item.id: item for item in suite.questions}
    with Library.open(tmp_path / "library", encoder=FastEncoder()) as library:
        staged = stage_documents(suite, tmp_path / "staged")
        library.ingest([Incoming(item.name, item.path) for item in staged], settings=PLAIN)
        names = {source.version_id: source.name for source in library.sources()}
        for name in TRIED:
            settings = remedies(PLAIN)[name]
            library.apply(settings)
            for identifier in mended[name]:
                question = questions[identifier]
                result = library.searcher.result(
                    library.searcher.find(Query(question.question), settings), settings, TIMED_BUDGET
                )
                ranked = sorted(result.passages, key=lambda one: one.rank)
                read = cut_to_budget([(names[one.version_id], one.start, one.end) for one in ranked], TIMED_BUDGET)
                gold = region((span.document, span.start, span.end) for span in question.gold)
                assert 2 * read.common(gold) >= gold.size, (name, identifier)


def test_nobody_looks_unless_asked(measured):
    suite, work, _, _ = measured
    report = run_bench(BenchPlan(suite, {"plain": PLAIN}), work, BenchModels(FastEncoder()))
    assert not any(item.failure for item in load_measured(work, report.run, "plain").values())
