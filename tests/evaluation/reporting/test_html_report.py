"""What is taken away of a report: JSON that reads back, and an HTML file in which every text is text."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from core.evaluation.reporting.breakdown import STAGE_WORDS
from core.evaluation.reporting.charts import DARK, LIGHT, recall_figure
from core.evaluation.reporting.html_report import html_report
from core.evaluation.reporting.report import summarise
from tests.evaluation.made_reports import made_measured, made_report

SCRIPT = "</script></style></title><script>window.hurt = 1</script>"
IMAGE = "<img src=https://example.org/x onerror='window.hurt = 1'>"
TEXT = "".join(chr(0x4E00 + number % 3000) for number in range(30_000))
HOSTILE = SCRIPT + IMAGE + '"><svg onload=hurt()> {{ 7 * 191 }} {% raw %} & &lt;b&gt; \x00 \ud800'


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


@pytest.fixture(scope="module")
def report():
    return made_report()


@pytest.fixture(scope="module")
def page(report):
    return html_report(report, "flat", made_measured(report), lambda version: TEXT)


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
    assert "expansion.strategy" in text
    assert all(f'"{words}"' in page for words in STAGE_WORDS.values()), "in the figure of where gold was lost"


def test_the_table_tells_better_from_worse():
    report = made_report(("default", "flat", "p0", "p1"), questions=90)
    text = html_report(report, "default")
    verdicts = [found.verdict for items in report.compare_all("default").values() for found in items.values()]
    assert "worse" in verdicts
    assert '<span class="verdict worse">' in text


def figures(page: str) -> list[dict]:
    """The figures of a page as Plotly gets them, both themes of each."""
    held = re.findall(r'<script type="application/json">(.*?)</script>', page)
    return [json.loads(text) for text in held]


def test_the_figures_are_those_of_the_page_in_the_colours_of_both_themes(report, page):
    found = figures(page)
    assert len(found) == 1 + 3 + 1 + 3  # curves, a cost each, where gold was lost, document, format and kind
    for themes in found:
        assert themes["light"]["layout"]["font"]["color"] == LIGHT.ink
        assert themes["dark"]["layout"]["font"]["color"] == DARK.ink
    curves = json.loads(recall_figure(report, DARK, ["flat"]).to_json())
    assert found[0]["dark"]["data"] == curves["data"]


def test_a_suite_that_every_preset_answers_wholly_is_drawn(report):
    whole = []
    for item in report.presets:
        scores = {
            name: tuple(None if value is None else 1.0 for value in values) for name, values in item.scores.items()
        }
        means, intervals = summarise(scores)
        lost = {str(budget): {"read": 100.0} for budget in report.budgets}
        whole.append(replace(item, scores=scores, metrics=means, intervals=intervals, lost=lost))
    page = html_report(replace(report, presets=tuple(whole)), "flat")
    assert len(figures(page)) == 8
    assert "default and 2 others read most: 100.0 %" in Page(page).text


def test_missed_questions_quote_their_gold_and_say_where_it_was_lost(report, page):
    lowest = min(
        (question for question in report.questions if question.gold),
        key=lambda asked: sum(item.scores["recall@4000"][int(asked.id[1:])] or 0 for item in report.presets),
    )
    span = lowest.gold[0]
    assert f"<mark>{TEXT[span.start : span.end]}</mark>" in page
    assert f"{span.document}, characters {span.start:,} to {span.end:,}" in page
    assert "by meaning, 1 by words" in page
    assert page.index(f"<h3>{lowest.question}</h3>") == page.index("<h3>", page.index('class="missed"'))


def test_no_text_of_a_document_becomes_markup(hostile, page):
    plain, page = page, html_report(hostile, HOSTILE, made_measured(hostile), lambda version: HOSTILE * 400)
    page.encode("utf-8")
    found = Page(page)
    assert [tag for tag in found.tags if tag == "script"] == ["script"] * (len(figures(page)) + 2)
    assert "img" not in found.tags
    assert set(found.tags) <= set(Page(plain).tags)
    assert [name for _, name, _ in found.attributes if name.startswith("on") or name == "style"] == []
    assert page.count("<style>") == page.count("</style>") == 1
    assert page.count("<script") == page.count("</script>") == found.tags.count("script")
    assert "7 * 191" in page
    assert "1337" not in re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)  # Plotly has any number in it
    assert "\0" not in page


def test_nothing_in_the_page_points_outside(hostile, page):
    unlike = html_report(hostile, None, text_of=lambda version: HOSTILE * 400)
    assert '<span class="verdict' not in unlike, "nothing to be better than"
    for html in (page, unlike):
        found = Page(html)
        addresses = [value for _, name, value in found.attributes if name in ("href", "src", "xlink:href", "action")]
        assert addresses
        assert all(value.startswith("#") for value in addresses)
        style = html[html.index("<style>") : html.index("</style>")]
        assert "@import" not in style
        assert re.findall(r"url\(|https?:", style) == []


def digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_the_policy_lets_only_the_reports_own_style_and_scripts_in(page):
    style = page[page.index("<style>") + len("<style>") : page.index("</style>")]
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 2
    policy = next(value for tag, name, value in Page(page).attributes if tag == "meta" and value.startswith("default"))
    assert policy == (
        f"default-src 'none'; script-src {' '.join(map(digest, scripts))}; style-src {digest(style)} {digest('')}; "
        "base-uri 'none'; form-action 'none'"
    )


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
