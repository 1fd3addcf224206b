"""The interactive figures: what they draw, and that a click can be traced back to its preset."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from core.evaluation.reporting.breakdown import STAGE_WORDS, breakdowns, points
from core.evaluation.reporting.charts import (
    BOLD,
    DARK,
    GROUPS,
    LIGHT,
    breakdown_figure,
    lost_figure,
    pareto_figure,
    recall_figure,
)
from tests.evaluation.made_reports import made_report

HOSTILE = '<a href="javascript:hurt()">a</a>'


@pytest.fixture(scope="module")
def report():
    return made_report()


@pytest.fixture(scope="module")
def crowd():
    return made_report([f"max_tokens={number}" for number in range(24)], questions=20)


def test_presets_are_told_apart_by_more_than_colour(crowd):
    marks = [trace.marker for trace in pareto_figure(crowd, "characters", 4000).data[:-1]]
    looks = {(mark.color, mark.symbol.removesuffix("-open")) for mark in marks}
    assert len(looks) == len(crowd.presets)


def test_a_line_a_preset_with_its_means_and_intervals(report):
    figure = recall_figure(report)
    assert figure.layout.xaxis.type == "category"  # only budgets that were measured stand on the axis
    assert [trace.name for trace in figure.data] == ["default", "flat", "words-only"]
    for trace, item in zip(figure.data, report.presets, strict=True):
        assert list(trace.x) == ["1,000", "2,000", "4,000", "8,000"]
        assert list(trace.y) == [item.metrics[f"recall@{budget}"] for budget in report.budgets]
        assert trace.error_y.array[0] == pytest.approx(item.intervals["recall@1000"][1] - item.metrics["recall@1000"])
    assert len({trace.line.dash for trace in figure.data}) == len({trace.marker.symbol for trace in figure.data}) == 3


def test_past_eight_presets_the_best_and_the_chosen_are_drawn(crowd):
    names = [trace.name for trace in recall_figure(crowd).data]
    assert len(names) == BOLD
    last = crowd.presets[-1].preset
    assert last not in names
    chosen = [trace.name for trace in recall_figure(crowd, chosen=[last]).data]
    assert len(chosen) == BOLD
    assert last in chosen


@pytest.mark.parametrize("x", ["characters", "prompt_tokens", "milliseconds"])
def test_the_front_is_filled_and_the_dominated_hollow(report, x):
    found = {point.preset: point for point in points(report, x, 4000)}
    *marks, line = pareto_figure(report, x, 4000).data
    assert {trace.customdata[0][-1] for trace in marks} == set(found)
    for trace in marks:
        point = found[trace.customdata[0][-1]]
        assert trace.marker.symbol.endswith("-open") != point.front
        assert (list(trace.x), list(trace.y)) == ([point.cost], [point.value])
    assert line.line.shape == "hv"
    assert list(line.y) == sorted(line.y)


def test_presets_at_one_place_share_a_label(report):
    first, *others = report.presets
    twins = replace(report, presets=(first, replace(first, preset="twin"), *others))
    labels = [text for trace in pareto_figure(twins, "characters", 4000).data[:-1] for text in trace.text]
    assert sorted(labels) == sorted([f"{first.preset}, twin", "", *(item.preset for item in others)])


def test_where_gold_went_adds_up_and_has_patterns(report):
    figure = lost_figure(report, 2000)
    assert [trace.name for trace in figure.data] == list(STAGE_WORDS.values())
    assert [sum(shares) for shares in zip(*(trace.x for trace in figure.data), strict=True)] == pytest.approx([100] * 3)
    patterns = [trace.marker.pattern.shape for trace in figure.data]
    assert len(set(patterns)) == len(patterns)


def test_a_breakdown_draws_every_preset_and_counts_what_it_leaves_out():
    report = made_report(questions=90, documents=[f"file {number:02}.md" for number in range(GROUPS + 5)])
    figure = breakdown_figure(report, breakdowns(report, "document", "recall@4000"), "recall@4000")
    assert [trace.name for trace in figure.data] == ["default", "flat", "words-only"]
    assert all(len(trace.x) == GROUPS for trace in figure.data)
    assert "5 smaller groups are not drawn" in figure.layout.xaxis.title.text


def test_the_app_draws_its_own_charts_in_the_same_colours():
    config = tomllib.loads(Path(".streamlit/config.toml").read_text("utf-8"))["theme"]
    for name, palette in (("light", LIGHT), ("dark", DARK)):
        theme = config[name]
        assert tuple(theme["chartCategoricalColors"]) == palette.colours
        assert (theme["textColor"], theme["borderColor"]) == (palette.ink, palette.grid)


def test_names_are_text_in_every_figure():
    report = made_report(("default", HOSTILE), documents=(HOSTILE, "b.md"))
    for figure in (
        recall_figure(report),
        pareto_figure(report, "characters", 4000, selected=HOSTILE),
        lost_figure(report, 4000),
        breakdown_figure(report, breakdowns(report, "document", "recall@4000"), "recall@4000"),
    ):
        drawn = json.loads(figure.to_json())
        # What a click is traced back by is data, and drawn nowhere.
        for trace in drawn["data"]:
            trace.pop("customdata", None)
        assert "<a" not in json.dumps(drawn)
        assert "&lt;a" in json.dumps(drawn)
