"""What is taken away of a report: tables that read back, and an HTML file in which every text is text."""

import base64
import csv
import hashlib
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import NotFoundError
from core.evaluation import drawings
from core.evaluation.breakdown import STAGE_WORDS, points
from core.evaluation.exports import html_report, presets_csv, questions_csv, report_json
from core.evaluation.report import LOST, BenchReport
from tests.evaluation.made_reports import made_measured, made_report

SCRIPT = "</script></style></title><script>window.hurt = 1</script>"
IMAGE = "<img src=https://example.org/x onerror='window.hurt = 1'>"
HOSTILE = SCRIPT + IMAGE + '"><svg onload=hurt()> {{ 7 * 191 }} {% raw %} & &lt;b&gt; \x00 \ud800'
SMALL = made_report(("default",), documents=("a.md",), questions=6)
FORMULAS = ("=1+1", "+1", "-1+cmd", "@SUM(A1)", "\tx", "\rx", "＝1")


class Page(HTMLParser):
    """The elements, attributes and texts of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def drawn(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)  # noqa: S314 - our own


@pytest.fixture(scope="module")
def report():
    return made_report()


@pytest.fixture(scope="module")
def page(report):
    return html_report(report, "flat", made_measured(report), lambda version: "Words. " * 900)


@pytest.fixture(scope="module")
def hostile():
    # Its names would be drawn, its questions quoted, and its failures listed: everywhere at once.
    made = made_report(
        ("default", HOSTILE), documents=(f"{IMAGE}.md", "b.pdf"), texts=[HOSTILE] * 40, suite=HOSTILE, questions=40
    )
    return replace(
        made,
        questions=tuple(replace(question, id=f"{IMAGE}{question.id}") for question in made.questions),
        failures=((HOSTILE, HOSTILE),),
        notes=(HOSTILE,),
        skipped=((HOSTILE, HOSTILE),),
    )


def test_a_row_a_preset_with_its_figures_and_what_sets_it_apart(report):
    rows = rows_of(presets_csv(report))
    assert [row["preset"] for row in rows] == ["default", "flat", "words-only"]
    for row, item in zip(rows, report.presets, strict=True):
        assert float(row["recall@4000"]) == item.metrics["recall@4000"]
        assert (float(row["recall@4000:low"]), float(row["recall@4000:high"])) == item.intervals["recall@4000"]
        assert float(row["cost:index_bytes"]) == item.costs["index_bytes"]
        assert float(row["ms:total:p95"]) == item.latency_ms["total"]["p95"]
        assert sum(float(row[f"lost@4000:{stage}"]) for stage in ("read", *LOST)) == pytest.approx(100)
    assert [row["set:expansion.strategy"] for row in rows] == ["parent", "flat", "parent"]
    changed = {name for name in rows[0] if name.startswith("set:")}
    assert "set:retrieval.dense_weight" in changed
    assert "set:chunking.max_tokens" not in changed


def test_a_row_per_preset_and_question_with_every_score(report):
    rows = rows_of(questions_csv(report, made_measured(report)))
    assert [(row["preset"], row["id"]) for row in rows] == [
        (item.preset, question.id) for item in report.presets for question in report.questions
    ]
    first = report.presets[0]
    for row, score in zip(rows, first.scores["recall@1000"], strict=False):
        assert row["recall@1000"] == ("" if score is None else str(score))
    gold = rows[0]
    assert sum(int(gold[f"gold@4000:{stage}"]) for stage in STAGE_WORDS) == int(gold["gold_characters"])
    assert gold["rank:dense"] == "3"
    assert "ms:total" in gold
    assert "ms:spent" not in gold  # it counts the measuring too
    assert len(rows_of(questions_csv(report))) == len(rows)


@pytest.mark.parametrize("formula", FORMULAS)
def test_no_cell_becomes_a_formula(formula):
    report = made_report((formula,), documents=(formula, "b.md"), texts=[formula] * 10, questions=10, suite=formula)
    for text in (presets_csv(report), questions_csv(report)):
        cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
        assert f"'{formula}" in cells
        assert not [cell for cell in cells if cell.startswith(formula[0]) and not _is_number(cell)]


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=1, max_size=3, unique=True))
def test_any_question_survives_a_spreadsheet(names):
    asked = tuple(
        replace(question, question=name) for question, name in zip(SMALL.questions, [*names, "x", "y"], strict=False)
    )
    rows = rows_of(questions_csv(replace(SMALL, questions=(*asked, *SMALL.questions[len(asked) :]))))
    assert len(rows) == len(SMALL.questions)
    for name, row in zip(names, rows, strict=False):
        assert row["question"] in {name.replace("\0", ""), "'" + name.replace("\0", "")}


def test_a_negative_number_stays_a_number():
    report = made_report(("default",))
    item = replace(report.presets[0], settings={"retrieval": {"min_similarity": -0.5}})
    assert rows_of(presets_csv(replace(report, presets=(item,))))[0]["set:retrieval.min_similarity"] == "-0.5"


def test_json_makes_an_equal_report(report, hostile):
    again = BenchReport.from_dict(json.loads(report_json(report)))
    assert report_json(again) == report_json(report)
    assert again.questions == report.questions
    report_json(hostile).encode("ascii")


def test_the_page_says_what_was_measured_and_how(report, page):
    text = Page(page).text
    for words in ("made", "21 November 2026, 14:02 UTC", "Library revision 12", "Lectern 0.", "numpy 2."):
        assert words in text
    assert f"{report.presets[0].metrics['recall@4000']:.1f}" in text
    assert "no difference seen" in text
    assert "Holm’s correction (1979) across the 2 comparisons of each metric" in text
    assert "Fisher’s randomisation test on the paired differences to flat, 10,000 permutations" in text
    assert "scan07.pdf : has no text layer" in text
    assert "max_tokens=900 fusion=rrf" in text
    assert "expansion.strategy=flat" in text
    for words in STAGE_WORDS.values():
        assert words in text


def test_the_table_tells_better_from_worse():
    report = made_report(("default", "flat", *[f"p{number}" for number in range(4)]), questions=90)
    text = html_report(report, "default")
    verdicts = [found.verdict for items in report.compare_all("default").values() for found in items.values()]
    assert "worse" in verdicts
    assert '<span class="verdict worse">' in text
    assert '<span class="verdict' not in html_report(report, None)


def test_the_figures_are_there_and_have_their_marks(report, page):
    found = Page(page)
    labels = [value for tag, name, value in found.attributes if (tag, name) == ("svg", "aria-label")]
    assert len(labels) == 1 + 3 + 1 + 3  # curves, a panel a cost, where gold was lost, document, format and kind
    curves = drawn(drawings.recall_drawing(report, {"default", "flat", "words-only"}))
    assert len(curves.findall(".//g[@class]/path[@class='line']")) == 3
    assert len(curves.findall(".//path[@class='mark']/title")) == 3 * 4
    for axis in ("characters", "prompt_tokens", "milliseconds"):
        panel = drawn(drawings.pareto_drawing(report, axis, 4000, {"flat"}))
        hollow = [group for group in panel.findall("g") if "hollow" in group.get("class", "")]
        assert len(hollow) == sum(not point.front for point in points(report, axis, 4000))


def test_every_drawing_stays_in_its_frame():
    report = made_report([f"a preset with quite a long name, number {number}" for number in range(24)], questions=20)
    bold = {item.preset for item in report.presets[:8]}
    for written in (
        drawings.recall_drawing(report, bold),
        drawings.pareto_drawing(report, "milliseconds", 1000, bold),
        drawings.lost_drawing(report, 1000),
    ):
        root = drawn(written)
        width, height = (float(number) for number in root.get("viewBox", "").split()[2:])
        for node in root.iter():
            for name, limit in (("x", width), ("x1", width), ("x2", width), ("y", height), ("y1", height)):
                assert -1 <= float(node.get(name, 0)) <= limit + 1
            for number in re.findall(r"[ML]([-\d.]+) ", node.get("d", "") if node.get("class") != "hatch" else ""):
                assert -1 <= float(number) <= width + 1


def test_missed_questions_quote_their_gold_and_say_where_it_was_lost(report):
    text = "".join(chr(0x4E00 + number % 3000) for number in range(30_000))
    page = html_report(report, "flat", made_measured(report), lambda version: text)
    lowest = min(
        (question for question in report.questions if question.gold),
        key=lambda asked: sum(item.scores["recall@4000"][int(asked.id[1:])] or 0 for item in report.presets),
    )
    span = lowest.gold[0]
    assert f"<mark>{text[span.start : span.end]}</mark>" in page
    assert f"{span.document}, characters {span.start:,} to {span.end:,}" in page
    assert "by meaning, 1 by words" in page
    assert page.index(f"<h3>{lowest.question}</h3>") == page.index("<h3>", page.index('class="missed"'))


def test_a_text_that_is_gone_leaves_its_place(report):
    def gone(version: str) -> str:
        raise NotFoundError("The document is gone.")

    for page in (html_report(report, "flat"), html_report(report, "flat", text_of=gone)):
        assert "<mark>" not in page
        assert "handbook.md, characters" in page


def test_an_unknown_baseline_is_refused(report):
    with pytest.raises(NotFoundError, match="no such"):
        html_report(report, "no such")


def test_no_text_of_a_document_becomes_markup(hostile):
    page = html_report(hostile, HOSTILE, made_measured(hostile), lambda version: HOSTILE * 400)
    page.encode("utf-8")
    found, plain = Page(page), Page(html_report(made_report(("default", "flat")), "flat"))
    assert "script" not in found.tags
    assert "img" not in found.tags
    assert set(found.tags) <= set(plain.tags) | {"mark"}
    assert [name for _, name, _ in found.attributes if name.startswith("on") or name == "style"] == []
    assert page.count("<style>") == page.count("</style>") == 1
    assert "7 * 191" in page
    assert "1337" not in page
    assert "\0" not in page


def test_nothing_in_the_page_points_outside(hostile, page):
    for html in (page, html_report(hostile, None, text_of=lambda version: HOSTILE * 400)):
        found = Page(html)
        addresses = [value for _, name, value in found.attributes if name in ("href", "src", "xlink:href", "action")]
        assert addresses
        assert all(value.startswith("#") for value in addresses)
        style = html[html.index("<style>") : html.index("</style>")]
        assert "@import" not in style
        assert re.findall(r"url\(|https?:", style) == []
        assert {value for _, name, value in found.attributes if name == "fill"} <= {
            f"url(#hatch-{stage})" for stage in LOST
        }


def test_the_policy_lets_only_the_reports_own_style_in(page):
    style = page[page.index("<style>") + len("<style>") : page.index("</style>")]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = next(value for tag, name, value in Page(page).attributes if tag == "meta" and value.startswith("default"))
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def test_every_anchor_has_its_place(page):
    found = Page(page)
    places = {value for _, name, value in found.attributes if name == "id"}
    wanted = {value[1:] for tag, name, value in found.attributes if (tag, name) == ("a", "href")}
    assert wanted
    assert wanted <= places


def test_a_bare_report_still_makes_a_page():
    report = made_report(("default",), questions=6)
    bare = replace(
        report,
        presets=tuple(replace(item, costs={}, latency_ms={}, lost={}, unanswerable={}) for item in report.presets),
        made_at="",
        revision=None,
        failures=(),
        notes=(),
        skipped=(),
    )
    text = Page(html_report(bare, "default")).text
    assert "Costs were not measured in this run." in text
    assert "Library revision" not in text
    unscored = replace(bare, presets=tuple(replace(item, metrics={}, intervals={}, scores={}) for item in bare.presets))
    assert "No question of this suite has gold" in Page(html_report(unscored, None)).text


@given(st.lists(st.floats(0, 400), max_size=12))
def test_labels_keep_their_order_and_their_distance(wanted):
    places = drawings.spread(wanted, 14.0, 0.0, 400.0)
    for one, place in zip(wanted, places, strict=True):
        for other, at in zip(wanted, places, strict=True):
            assert one >= other or place <= at
    ordered = sorted(places)
    assert all(low + 13.999 <= high for low, high in pairwise(ordered))
    assert not places or (ordered[0] >= -1e-6 and ordered[-1] <= 400 + 1e-6)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(2, 9))
def test_ticks_enclose_what_they_measure(low, length, count):
    marks = drawings.ticks(low, low + length, count)
    assert marks[0] <= low + 1e-6 * max(1, abs(low))
    assert marks[-1] >= low + length - 1e-6 * max(1, abs(low + length))
    assert 2 <= len(marks) <= 2 * count + 2


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", text) is not None
