"""The interactive figures: what they draw, and that a click can be traced back to its preset."""

import json
import tomllib
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
    style,
)
from tests.evaluation.made_reports import made_report

HOSTILE = '<a href="javascript:hurt()">a</a>'


@pytest.fixture(scope="module")
def report():
    return made_report()


@pytest.fixture(scope="module")
def crowd():
    return made_report([f"max_tokens={number}" for number in range(24)], questions=20)


def test_lines_are_told_apart_by_more_than_colour():
    looks = [style(number) for number in range(36)]
    assert len({(look.colour, look.symbol) for look in looks}) == 36
    assert len({look.symbol for look in looks[:6]}) == len({look.dash for look in looks[:6]}) == 6


def test_a_line_a_preset_with_its_means_and_intervals(report):
    figure = recall_figure(report)
    assert [trace.name for trace in figure.data] == ["default", "flat", "words-only"]
    for trace, item in zip(figure.data, report.presets, strict=True):
        assert list(trace.y) == [item.metrics[f"recall@{budget}"] for budget in report.budgets]
        assert trace.error_y.array[0] == pytest.approx(item.intervals["recall@1000"][1] - item.metrics["recall@1000"])
        assert tuple(trace.customdata[0]) == (item.preset, "recall@1000")
    assert list(figure.layout.xaxis.ticktext) == ["1,000", "2,000", "4,000", "8,000"]


def test_past_eight_lines_only_the_best_and_the_chosen_are_bold(crowd):
    bold = [trace.name for trace in recall_figure(crowd).data if trace.line.width == 2]
    assert len(bold) == BOLD
    last = crowd.presets[-1].preset
    assert last not in bold
    chosen = [trace.name for trace in recall_figure(crowd, chosen=[last]).data if trace.line.width == 2]
    assert len(chosen) == BOLD
    assert last in chosen


@pytest.mark.parametrize("x", ["characters", "prompt_tokens", "milliseconds"])
def test_the_front_is_filled_and_the_dominated_hollow(report, x):
    found = {point.preset: point for point in points(report, x, 4000)}
    line, front, dominated = pareto_figure(report, x, 4000).data
    assert set(front.customdata) == {name for name, point in found.items() if point.front}
    assert set(front.customdata) | set(dominated.customdata) == set(found)
    assert not any(symbol.endswith("-open") for symbol in front.marker.symbol)
    assert all(symbol.endswith("-open") for symbol in dominated.marker.symbol)
    assert line.line.shape == "hv"
    assert list(line.y) == sorted(line.y)
    for trace in (front, dominated):
        assert list(trace.x) == [found[name].cost for name in trace.customdata]


def test_where_gold_went_adds_up_and_has_patterns(report):
    figure = lost_figure(report, 2000)
    assert [trace.name for trace in figure.data] == list(STAGE_WORDS.values())
    assert [sum(shares) for shares in zip(*(trace.x for trace in figure.data), strict=True)] == pytest.approx([100] * 3)
    patterns = [trace.marker.pattern.shape for trace in figure.data]
    assert len(set(patterns)) == len(patterns)


def test_a_breakdown_draws_every_preset_and_counts_what_it_leaves_out():
    report = made_report(questions=90, documents=[f"file {number:02}.md" for number in range(GROUPS + 5)])
    figure = breakdown_figure(breakdowns(report, "document", "recall@4000"), "recall@4000")
    assert [trace.name for trace in figure.data] == ["default", "flat", "words-only"]
    assert len(figure.layout.yaxis.ticktext) == GROUPS
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
        breakdown_figure(breakdowns(report, "document", "recall@4000"), "recall@4000"),
    ):
        drawn = json.loads(figure.to_json())
        # What a click is traced back by is data, and drawn nowhere.
        for trace in drawn["data"]:
            trace.pop("customdata", None)
        assert "<a" not in json.dumps(drawn)
        assert "&lt;a" in json.dumps(drawn)
