"""What the Benchmark page computes before it draws: parts of text, tables, and the order of questions."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import NotFoundError, SettingsError
from core.evaluation.needles.maps import Cell, NeedleMap
from core.evaluation.records import QuestionOutcome
from core.evaluation.regions import cut_to_budget, region
from core.evaluation.reporting.breakdown import latency_table, settings_table
from core.evaluation.reporting.over_time import Week
from core.settings import PRESETS, Settings
from core.types import Span
from pages.ui.benchmark import choices, over_time, views
from pages.ui.benchmark import questions as bench_questions
from pages.ui.benchmark import table as bench_table
from pages.ui.benchmark.choices import token_budgets
from pages.ui.benchmark.drill import parts, side, what_was_read, windows
from pages.ui.benchmark.needles import heat_map
from pages.ui.benchmark.questions import classes_figure
from pages.ui.benchmark.ready import READY, Spoken, spoken_for
from pages.ui.benchmark.results import usual_baseline
from pages.ui.settings.setting_words import setting_names, setting_title
from tests.pages.bench_reports import measured, report

placed = st.tuples(st.sampled_from("ab"), st.integers(0, 60), st.integers(1, 30)).map(
    lambda item: (item[0], item[1], item[1] + item[2])
)


@given(st.lists(placed, max_size=8), st.integers(1, 90))
def test_what_was_read_is_what_the_metrics_count(context: list[tuple[str, int, int]], budget: int) -> None:
    read = what_was_read(context, budget)
    drawn = [(name, item.start, item.end) for name, items in read.items() for item in items]
    assert region(drawn) == cut_to_budget(context, budget)
    assert sum(end - start for _, start, end in drawn) == region(drawn).size  # nothing is drawn twice
    assert all(context[item.rank - 1][0] == name for name, items in read.items() for item in items)


@given(st.text(min_size=1, max_size=80), st.lists(placed, max_size=4), st.lists(placed, max_size=4), st.integers(1, 99))
def test_parts_are_the_text_and_say_of_each_character_what_it_is(
    text: str, gold: list[tuple[str, int, int]], context: list[tuple[str, int, int]], budget: int
) -> None:
    spans = list(region(("a", start, end) for _, start, end in gold).spans.get("a", ()))
    read = what_was_read(context, budget).get("a", [])
    pieces = parts(text, Span(0, len(text)), spans, read)
    assert "".join(piece.text for piece in pieces) == text
    place = 0
    for piece in pieces:
        for _ in piece.text:
            assert piece.gold == any(span.start <= place < span.end for span in spans)
            assert (piece.rank > 0) == any(item.start <= place < item.end for item in read)
            place += 1


def test_windows_hold_the_gold_and_stay_in_the_text() -> None:
    gold = [Span(10, 20), Span(2000, 2100), Span(2990, 3000)]
    found = windows(gold, 3000)
    assert all(any(window.start <= span.start and span.end <= window.end for window in found) for span in gold)
    assert (found[0].start, found[-1].end) == (0, 3000)


@pytest.fixture
def texts() -> dict[str, str]:
    return {"guide.pdf": "g" * 9000, "notes.md": "n" * 4000}


def measured_of(preset: int, texts: dict[str, str]) -> dict[str, QuestionOutcome]:
    made = report()
    found = [measured(item, made.presets[preset], place, texts) for place, item in enumerate(made.questions)]
    return {item.id: item for item in found}


def test_a_side_says_how_much_was_read_and_what_ended_it(texts: dict[str, str]) -> None:
    made = report()
    item = replace(measured_of(0, texts)["q1"], ranks={"dense": 3, "reranked": 1})
    drawn = side("default", made.questions[1], item, 1000, texts.__getitem__, {"dense", "lexical", "reranked"})
    assert drawn["ranks"] == [["meaning", "3rd"], ["words", ""], ["re-ranked", "1st"]]  # what is off is not spoken of
    assert drawn["recall"] == "50 %"
    assert drawn["story"] == ("50 % of it was read; the budget of 1,000 characters ended before the rest.")
    (excerpt,) = drawn["excerpts"]
    assert sum(len(text) for text, _, gold in excerpt["parts"] if gold) == 121
    assert sum(len(text) for text, rank, gold in excerpt["parts"] if gold and rank == 1) == 61


def test_a_document_without_text_is_a_sentence(texts: dict[str, str]) -> None:
    def missing(name: str) -> str:
        raise NotFoundError(f"There is no document {name}.", "")

    made = report()
    drawn = side("default", made.questions[0], measured_of(0, texts)["q0"], 1000, missing, ())
    assert "There is no document" in drawn["excerpts"][0]["problem"]


def test_the_least_read_come_first_and_those_without_gold_last(texts: dict[str, str]) -> None:
    made, found = report(), measured_of(0, texts)
    rows = bench_questions.listed(made.questions, found, 1000, "")
    shares = [found[row.id].scores["recall@1000"] for row in rows]
    known = [share for share in shares if share is not None]
    assert known == sorted(known)
    assert shares[-2:] == [None, None]
    assert [row.id for row in bench_questions.listed(made.questions, found, 1000, "CLAUSE 17 notes")] == ["q17"]
    table = bench_questions.table(rows, {"default": found}, 1000)
    assert table["recall.default"][0] == 0
    assert table["Lost"][0] == "budget ended"
    assert table["Lost"][-1] == ""


def test_the_table_marks_every_figure_against_the_baseline() -> None:
    made = report(questions=60)
    drawn = bench_table.table(
        made, "default", made.compare_all("default"), ["recall@4000", "p50", "mrr@10"], applied="default"
    )
    baseline, flat, recursive = drawn["rows"]
    assert baseline["notes"] == ["in use", "baseline"]
    assert baseline["cells"][0]["mark"] == ""
    assert recursive["cells"][0]["mark"] == "▼"
    assert "Against default: worse by" in recursive["cells"][0]["say"]
    assert flat["cells"][1]["text"] == f"{made.preset('flat').latency_ms['total']['p50']:.1f}"
    assert flat["cells"][2]["text"] == "–"
    assert set(bench_table.USUAL) <= bench_table.columns(made).keys()


def test_the_usual_baseline_is_common_practice_where_one_was_measured() -> None:
    assert usual_baseline(["default", "recursive-1000-200"]) == "recursive-1000-200"
    assert usual_baseline(["flat", "default"]) == "flat"


def test_settings_and_unanswerable_questions_have_their_tables() -> None:
    made = report(("default", "flat"))
    assert settings_table(made)["expansion.strategy"] == ["needed", "flat"]
    assert views.unanswerable_table(made)["Answerable"][0] == "0.70"
    assert set(latency_table(made)) >= {"Preset", "search by meaning", "together"}


def test_every_setting_can_be_varied_and_budgets_are_whole_tokens() -> None:
    names = setting_names()
    assert {"chunking.max_tokens", "retrieval.fusion"} <= {*names}
    titles = {name: setting_title(name) for name in names}
    assert not {*names} & {*titles.values()}  # each has a name for people,
    assert len({*titles.values()}) == len(names)  # of its own
    with pytest.raises(SettingsError, match="no budget"):
        token_budgets(["500", "many"])


def test_a_grid_counts_its_cells_and_names_those_that_cannot_be() -> None:
    found = choices.axes_of(Settings(), choices.rows_of(choices.AXES))
    assert len(found.presets) == 6
    rows = [{"Setting": "chunking.max_tokens", "Values": "64, 900"}, {"Setting": None, "Values": None}]
    partly = choices.axes_of(Settings(), rows)
    assert (list(partly.presets), partly.skipped[0][0]) == (["max_tokens=64"], "max_tokens=900")
    listed = [{"Setting": "chunking.prefix", "Values": "title,heading; none"}]
    assert [made.chunking.prefix for made in choices.axes_of(Settings(), listed).presets.values()] == [
        ("title", "heading"),
        (),
    ]
    assert choices.axes_of(Settings(), []).presets == {}
    with pytest.raises(SettingsError, match="value twice"):
        choices.axes_of(Settings(), [{"Setting": "retrieval.k", "Values": "5, 5"}])


@pytest.mark.parametrize("name", PRESETS)
def test_ready_comparisons_are_valid_whatever_the_library_has(name: str) -> None:
    for ready in READY:
        assert len(ready.presets(PRESETS[name])) >= 2


def test_ready_comparisons_differ_and_say_what_their_questions_speak_for() -> None:
    own = Settings()
    for ready in READY:
        presets = ready.presets(own)
        assert len({settings.fingerprint() for settings in presets.values()}) == len(presets) >= 2
    made = report(("fixed-1000", "default"), 40)
    first, *others = spoken_for(made, "default", made.compare_all("default"))
    assert first == Spoken("recall@4000")  # forty do not tell
    assert [item.metric for item in others] == ["recall@2000", "recall@1000", "recall@8000"]
    more = report(("fixed-1000", "default", "flat"), 120)
    for baseline, best in (("fixed-1000", ()), ("default", ()), ("flat", ("default",))):
        assert spoken_for(more, baseline, more.compare_all(baseline))[0].winners == ("fixed-1000", *best)
    assert spoken_for(report(("default",), 10), "default", {}) == []


def test_weeks_are_named_by_their_monday_and_questions_are_whole() -> None:
    figure = over_time.figure([Week(date(2026, 11, 23), answered=1), Week(date(2026, 11, 30), answered=2, doubtful=3)])
    assert [(trace.name, list(trace.y)) for trace in figure.data] == [("answered", [1, 2]), ("doubtful answer", [0, 3])]
    assert list(figure.data[0].x) == ["23 Nov", "30 Nov"]
    assert figure.layout.xaxis.type == "category"
    assert list(figure.layout.xaxis.range) == [-0.5, over_time.LEAST_WEEKS - 0.5]
    assert list(figure.layout.yaxis.range) == [0, 1.08 * 5]


def test_a_heat_map_tells_of_every_cell_and_the_bars_of_every_class() -> None:
    cells = tuple(Cell(depth, tokens, "context", depth // 50, 2) for tokens in (4000, 9000) for depth in (0, 50, 100))
    figure = heat_map(NeedleMap((*cells, Cell(0, 4000, "read", 2, 2))), "context")
    assert [list(row) for row in figure.data[0].text] == [["0/2", "1/2", "2/2"]] * 2
    assert list(figure.data[0].y) == ["4,000", "9,000"]
    bars = classes_figure({"A": 3, "B": 0, "C": 1, "D": 2})
    assert list(bars.data[0].x) == [3, 0, 1, 2]
    assert [name for (name,) in bars.data[0].customdata] == list("ABCD")
