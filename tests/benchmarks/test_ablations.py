"""The ablations: every row is away from the default by its own, and the page holds what was measured, and no more."""

import pytest

from benchmarks import ablations, ablations_page
from benchmarks.ablations_cells import DEFAULT, DIALS, PARTS, Dial, Part, cell
from core.errors import NotFoundError
from core.settings import BASELINES, DIVERSITIES, EXPANSIONS, FUSIONS, LEXICAL_ENGINES, READING_UNITS
from tests.benchmarks.test_chunkers import ANIMALS, suite  # noqa: F401 - a fixture
from tests.fast_encoder import FastEncoder

TINY = Dial(
    "Expansion", "How does a child grow?", {"flat": cell(expansion__strategy="flat"), "one": cell(retrieval__k=1)}
)


def test_every_technique_has_a_row():
    rows = [settings for dial in DIALS for settings in dial.presets.values()]
    assert {settings.retrieval.fusion for settings in rows} == set(FUSIONS)
    assert {settings.retrieval.lexical_engine for settings in rows} == set(LEXICAL_ENGINES)
    assert {settings.expansion.strategy for settings in rows} == set(EXPANSIONS)
    assert {settings.diversity.method for settings in rows} == set(DIVERSITIES)
    assert {settings.assembly.unit for settings in rows} == set(READING_UNITS)
    assert {name for dial in DIALS for name in dial.cells} >= set(BASELINES)


@pytest.fixture
def measured(suite, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setattr(ablations_page, "PARTS", (Part("animals", "animals", "recall", tunes=True),))
    assert ablations.finished(suite, TINY.presets, tmp_path, any_code=False) is None
    ablations.measure(suite, TINY, tmp_path, encoder=FastEncoder())
    return {"animals": {TINY.title: ablations.finished(suite, TINY.presets, tmp_path, any_code=False)}}


def test_the_page_has_every_finished_row_with_its_figures_and_names_what_is_missing(measured):
    report, current = measured["animals"][TINY.title]
    assert current
    text = ablations_page.document(measured, (TINY, Dial("Fusion", "How?", {"two": cell(retrieval__k=2)})))
    lines = text.splitlines()
    for name in ("flat", "one"):
        figure = f"{report.preset(name).metrics['recall@1000']:.1f}"
        assert any(line.startswith(f"| {name} | {figure}") for line in lines)
    assert "- `animals`: not measured when this page was written: Fusion." in lines
    assert "## Fusion" not in lines
    assert f"| {report.fingerprint[:16]} | {len(ANIMALS)} |" in text


def test_gains_are_paired_means_over_the_budgets(measured):
    report, _ = measured["animals"][TINY.title]
    found = ablations_page.Findings(measured)
    names = [f"recall@{budget}" for budget in report.budgets]
    means = {item.preset: sum(item.metrics[name] for name in names) / len(names) for item in report.presets}
    for name in ("flat", "one"):
        assert found.gain(name) == pytest.approx(means[name] - means[DEFAULT])
    assert found.gain(DEFAULT) == 0
    with pytest.raises(NotFoundError):
        report.preset("two")


@pytest.mark.parametrize(
    ("gain", "seen", "suites", "verdict"),
    [
        (0.6, (1, 0), 2, "**fulfils the rule**"),
        (0.6, (1, 0), 1, "fulfils the rule, on one suite alone"),
        (0.4, (1, 0), 2, "better, by too little"),
        (-0.1, (1, 0), 2, "better at a budget, not on the whole"),
        (0.6, (1, 1), 2, "better here, worse there"),
        (-0.6, (0, 1), 2, "worse"),
        (0.6, (0, 0), 2, "no difference seen"),
    ],
)
def test_the_rule_for_defaults(monkeypatch, gain, seen, suites, verdict):
    found = ablations_page.Findings({})
    monkeypatch.setattr(found, "gains", {"one": dict.fromkeys(PARTS[:suites], gain)})
    monkeypatch.setattr(found, "seen", lambda name: seen)
    monkeypatch.setattr(found, "ranked", ["one"])
    assert found.verdict("one") == verdict
    assert ("gives way to: one" in found.conclusion()) == (verdict == "**fulfils the rule**")
