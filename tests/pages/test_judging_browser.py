"""Judging in a real browser: words marked by mouse and key become gold, exactly those, and nothing else moves."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.library import Library
from tests.pages.browsing import (
    ask,
    changes,
    choose,
    chunks,
    faults,
    faults_in_both,
    made,
    open_document,
    resting,
    settled,
    shown,
    until,
)
from tests.pages.marking import PLACE, drag, scrolled_to

pytestmark = [pytest.mark.browser]
# Where the row above the text stood, in every picture of the screen since this was asked; and where it stands.
TOPS = """() => {
  const row = document.querySelector("[data-testid=stSelectbox]");
  window.tops = new Set();
  const look = () => { window.tops.add(row.getBoundingClientRect().top); requestAnimationFrame(look); };
  look();
  return row.getBoundingClientRect().top;
}"""
QUESTION = "How long is an access token valid?"
HOSTILE = "<img src=x onerror='window.hurt = 1'> **why**?"
ROCKETS = """# Rockets 🚀

The 🚀 left at noon 🍵, and the tea was still warm when it came back to the ground.

| rocket | fuel 🛢 | crew |
|---|---|---|
| Heron | peat | 2 |
| Curlew | tea | 3 |

<script>window.hurt = 1</script> stands here as text.


The last line.

<table>
 <tr><th>Tank</th><th>Litres</th></tr>
 <tr>
  <td>North</td>
  <td align="right">900</td>
 </tr>
</table>
"""
SIZES = "parts => parts.map((each) => getComputedStyle(each).fontSize)"
TEA = ROCKETS.replace("# Rockets", "# Tea")  # its own document: tests come in any order, and each leaves its gold
SENTENCE = "The gauge at the weir was read at noon, and the level was noted. "
LONG = "\n\n".join(f"## Section {number}\n\nMark {number}. {SENTENCE * 12}" for number in range(1, 60))


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Path:
    files = [samples / "documents" / name for name in ("api.md", "quarterly-report.pdf")]
    return made(tmp_path_factory.mktemp("judging"), {"rockets.md": ROCKETS, "tea.md": TEA, "weir.md": LONG}, files)


def open_named(page: Page, address: str, home: Path, name: str) -> tuple[str, str]:
    """Open a document on Chunks; returns its version and its text."""
    with Library.open(home, write=False) as library:
        version = next(source.version_id for source in library.sources() if source.name == name)
        text = library.document(version).text
    open_document(page, address, version)
    return version, text


def quotes(home: Path, question: str) -> list[str]:
    """The gold kept for a question, each as the library's own text has it."""
    with Library.open(home, write=False) as library:
        return [library.document(version).text[start:end] for version, start, end in places(home, question)]


def places(home: Path, question: str) -> list[tuple[str, int, int]]:
    """Where the gold kept for a question stands: version, start and end."""
    with Library.open(home, write=False) as library:
        rows = [row for row in library.judgments() if row.judgment.question == question and row.version_id]
        return [(str(row.version_id), row.start or 0, row.end or 0) for row in rows]


def save(page: Page, question: str, answer: str = "") -> None:
    """Fill in the open form and wait until it is kept."""
    field = page.get_by_label("Which question does this passage answer?")
    expect(field).to_be_focused()
    field.fill(question)
    page.get_by_label("Expected answer").fill(answer)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".judge-notice")).to_contain_text(f"Saved as an answer to “{question}”")
    settled(page)


def test_marked_words_become_gold_and_are_taken_back(address: str, home: Path, page: Page) -> None:
    question = "What happened at noon?"
    open_named(page, address, home, "tea.md")
    drag(page, ".text", "🚀 left", "noon 🍵")
    shown(page.get_by_role("button", name="Mark as an answer"))
    expect(page.locator(".judge-count")).to_have_text("16 characters")  # code points
    page.get_by_role("button", name="Mark as an answer").click()
    expect(page.locator(".judge-quote")).to_have_text("🚀 left at noon 🍵")
    assert faults(page) == []
    save(page, question, "It left.")
    assert quotes(home, question) == ["🚀 left at noon 🍵"]
    assert "".join(page.locator(".text .segment.gold").all_inner_texts()) == "🚀 left at noon 🍵"
    expect(page.locator(".text")).to_be_focused()
    expect(page.locator(".gold-facts")).to_contain_text(question)
    page.get_by_role("button", name=f"Marked answer: {question}").click()
    expect(page.locator(".judge-panel")).to_contain_text("Expected: It left.")
    assert faults_in_both(page) == []
    page.get_by_role("button", name=f"Remove: {question}").click()
    expect(page.locator(".judge-notice")).to_contain_text("Removed")
    expect(page.locator(".text .gold")).to_have_count(0)
    assert quotes(home, question) == []
    page.locator(".judge-notice").get_by_role("button", name="Undo").click()
    shown(page.locator(".text .segment.gold"))
    assert quotes(home, question) == ["🚀 left at noon 🍵"]
    page.get_by_role("button", name=f"Marked answer: {question}").click()
    page.get_by_role("button", name=f"Remove: {question}").click()
    expect(page.locator(".text .gold")).to_have_count(0)


def test_tables_prefixes_and_blanks_are_marked_as_the_text_has_them(address: str, home: Path, page: Page) -> None:
    _, text = open_named(page, address, home, "rockets.md")
    page.get_by_label("Prefixes").check()
    drag(page, ".text", "back to the ground", "peat")
    page.keyboard.press("g")
    save(page, "From the ground to the peat?")
    wanted = text[text.index("back to the ground") : text.index("peat") + 4]
    assert quotes(home, "From the ground to the peat?") == [wanted]
    drag(page, ".text", "stands here as text", "The last line.")
    page.keyboard.press("g")
    save(page, HOSTILE)
    assert quotes(home, HOSTILE) == [text[text.index("stands here") : text.index("The last line.") + 14]]
    expect(page.locator(".gold-facts")).to_contain_text(HOSTILE)
    # A table written as HTML is drawn without its tags; what is marked in it is the source, tags and all.
    table = page.locator(".block.grid", has_text="Litres")
    expect(table.locator(".row")).to_have_count(2)
    assert set(table.locator(".tags .segment").evaluate_all(SIZES)) == {"0px"}
    table.scroll_into_view_if_needed()
    drag(page, ".text", "North", "900")
    page.keyboard.press("g")
    save(page, "How much is in the north?")
    assert quotes(home, "How much is in the north?") == ['North</td>\n  <td align="right">900']
    assert page.locator(".reader img").count() == 0
    assert page.evaluate("window.hurt") is None


def test_a_long_text_is_sent_once_and_marked_while_it_scrolls_and_while_it_is_cut_anew(
    address: str, home: Path, page: Page
) -> None:
    told: list[bytes] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda data: told.append(as_bytes(data))))
    version, text = open_named(page, address, home, "weir.md")
    a_judgment_redraws_only_its_own_part_and_sends_no_text_again(page, told)
    page.locator(".text").evaluate("(host) => { host.scrollTop = 0; }")
    a_mark_stands_while_the_text_is_cut_anew_under_it(page, home, version, text)
    page.locator(".text").evaluate("(host) => { host.scrollTop = 0; }")
    marks_reach_across_parts_that_are_drawn_while_one_scrolls(page, home, version, text)


def marks_reach_across_parts_that_are_drawn_while_one_scrolls(page: Page, home: Path, version: str, text: str) -> None:
    host = page.locator(".text")
    start = resting(lambda: host.evaluate(PLACE, ["Mark 1.", 0]))
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + 30, start[1] + 60)
    for number in range(2, 37):  # far beyond what is kept in the page
        until(lambda words=f"Mark {number}.": scrolled_to(page, words))  # type: ignore[misc]
    page.mouse.move(*resting(lambda: host.evaluate(PLACE, ["Mark 36.", 0])))
    page.mouse.up()
    shown(page.get_by_role("button", name="Mark as an answer"))
    page.keyboard.press("g")
    save(page, "The first half?")
    wanted = text[: text.index("Mark 36.")].rstrip()
    assert places(home, "The first half?") == [(version, text.index("Mark 1."), len(wanted))]


def a_mark_stands_while_the_text_is_cut_anew_under_it(page: Page, home: Path, version: str, text: str) -> None:
    host, undo, redo = (page.locator(f".reader .{name}") for name in ("text", "undo", "redo"))
    cuts = chunks(page)
    page.locator(".cut.margin[data-edge]:not([data-edge='0'])").nth(1).focus()
    assert changes(page, lambda: page.keyboard.press("m")) == -1
    host.evaluate("host => { host.scrollTop = 0; }")
    first, last = text.index("Mark 1."), text.index("Mark 2.")
    start = resting(lambda: host.evaluate(PLACE, ["Mark 1.", 0]))
    page.mouse.move(*start)
    page.mouse.down()
    start_of_page = page.evaluate(TOPS)
    undo.evaluate("button => button.click()")  # the next cut comes while the button is held
    page.wait_for_timeout(1_000)
    settled(page)
    assert chunks(page) == cuts - 1, "under a held button nothing is drawn anew"
    page.mouse.move(start[0] + 30, start[1] + 60)
    page.mouse.move(*resting(lambda: host.evaluate(PLACE, ["Mark 2.", 0])))
    page.mouse.up()
    until(lambda: chunks(page) == cuts)
    redo.evaluate("button => button.click()")  # and another, under words marked already
    until(lambda: chunks(page) == cuts - 1)
    settled(page)
    assert page.evaluate("() => [...window.tops]") == [start_of_page], "nothing moves while the page is drawn anew"
    shown(page.get_by_role("button", name="Mark as an answer"))
    page.keyboard.press("g")
    save(page, "The first mark?")
    ((kept, left, right),) = places(home, "The first mark?")
    assert (kept, left) == (version, first)
    assert text[left:right] == text[first:last].rstrip()


def test_keys_alone_judge_a_chunk_and_escape_leaves_everything_as_it_was(address: str, home: Path, page: Page) -> None:
    open_named(page, address, home, "api.md")
    page.locator(".text").focus()
    page.keyboard.press("]")
    page.keyboard.press("]")
    expect(page.locator(".details h3")).to_contain_text("Chunk 2")
    page.keyboard.press("g")
    expect(page.get_by_label("Which question does this passage answer?")).to_be_focused()
    page.keyboard.type("g ] f ?")  # no keys of the page while one types
    expect(page.locator(".details h3")).to_contain_text("Chunk 2")
    page.keyboard.press("Escape")
    expect(page.locator(".judge-panel")).to_be_hidden()
    expect(page.locator(".text")).to_be_focused()
    page.keyboard.press("g")
    page.keyboard.type("What is the second chunk?")
    page.keyboard.press("Enter")
    expect(page.locator(".judge-notice")).to_contain_text("Saved as an answer")
    (quote,) = quotes(home, "What is the second chunk?")
    assert quote.startswith("All paths are relative")


def a_judgment_redraws_only_its_own_part_and_sends_no_text_again(page: Page, told: list[bytes]) -> None:
    assert sum(data.count(SENTENCE.encode()) for data in told) == LONG.count(SENTENCE)  # it came once

    def kept() -> list[int | None]:
        found: list[int | None] = page.locator(".text").evaluate(
            "(host) => [...host.querySelectorAll('.slab')].map((slab) => slab.kept)"
        )
        return found

    def drawn_for_good() -> bool:
        """Mark the parts, and see whether they are the same ones a second later: a late drawing comes first."""
        page.locator(".text").evaluate("(host) => host.querySelectorAll('.slab').forEach((slab) => slab.kept = 1)")
        page.locator(".text").evaluate("(host) => { host.scrollTop = 30; }")
        page.wait_for_timeout(1000)
        return set(kept()) == {1}

    until(drawn_for_good)
    told.clear()
    drag(page, ".text", "Mark 1.", "Mark 1.")
    page.keyboard.press("g")
    save(page, "Which mark comes first?")
    assert not any(SENTENCE.encode() in data for data in told)
    parts = kept()
    assert parts.count(1) >= len(parts) - 1
    assert float(page.locator(".text").evaluate("(host) => host.scrollTop")) == 30


def as_bytes(data: str | bytes) -> bytes:
    return data.encode() if isinstance(data, str) else data


def test_one_click_on_ask_makes_gold_of_the_question_which_chunks_offers_too(
    address: str, home: Path, page: Page
) -> None:
    question = QUESTION
    ask(page, address, question)
    shown(page.get_by_text("No answer marked for this question yet"))
    shown(page.locator(".child.on"))
    page.locator(".hit").first.evaluate("(hit) => { hit.kept = 1; }")
    drag(page, ".hit.on .snippet", "for 3600", "from the moment")
    page.get_by_role("button", name="Mark as the answer to this question").click()
    shown(page.get_by_text("1 answer marked for this question; 1 is in what the reader gets."))
    assert quotes(home, question) == ["for 3600 seconds from the moment"]
    shown(page.locator(".hit .gold-tag"))
    assert page.locator(".hit").first.evaluate("(hit) => hit.kept") == 1  # nothing else was drawn anew
    assert "".join(page.locator(".passage .words.gold").all_inner_texts()) == "for 3600 seconds from the moment"
    settled(page)
    assert faults_in_both(page) == []
    page.locator(".judge-notice").get_by_role("button", name="Undo").click()
    shown(page.get_by_text("No answer marked for this question yet"))
    expect(page.locator(".evidence .gold")).to_have_count(0)
    assert quotes(home, question) == []
    # The question goes along to Chunks.
    page.locator(".hit.on .go").click()
    shown(page.locator(".text .segment.focus"))
    settled(page)
    drag(page, ".text", "Refresh tokens", "do not exist")
    page.keyboard.press("g")
    expect(page.get_by_label("Which question does this passage answer?")).to_have_value(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator(".judge-notice")).to_contain_text("Saved as an answer")
    assert quotes(home, QUESTION) == ["Refresh tokens do not exist"]


def test_gold_stands_on_the_picture_of_a_page_and_the_list_leads_there_and_exports(
    address: str, home: Path, page: Page
) -> None:
    open_named(page, address, home, "quarterly-report.pdf")
    drag(page, ".text", "41 utilities", "Sluice")
    page.keyboard.press("g")
    save(page, "How many utilities?")
    choose(page, "Page")
    shown(page.locator(".frame img"))
    page.get_by_role("button", name="Marked answer: How many utilities?").click()
    expect(page.locator(".judge-panel")).to_contain_text("How many utilities?")
    assert faults(page) == []
    open_named(page, address, home, "rockets.md")
    page.get_by_role("button", name="Judgments").click()
    dialog = page.get_by_role("dialog")
    field = dialog.get_by_placeholder("Filter by question")
    shown(field)
    settled(page)  # a page that is being drawn would take back what is typed into it
    field.fill("utilities")
    table = dialog.locator("[data-testid=stDataFrame]")
    until(lambda: table.count() == 1 and (table.first.bounding_box() or {"height": 999})["height"] < 100)
    settled(page)
    assert faults(page) == []
    table.click(position={"x": 16, "y": 50})
    dialog.get_by_role("button", name="Open in Chunks").click()
    shown(page.locator(".text .segment.focus.gold"))
    assert "".join(page.locator(".text .segment.focus").all_inner_texts()).startswith("41 utilities")
    page.get_by_role("button", name="Judgments").click()
    page.get_by_role("tab", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Suite (.zip)").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        assert b"How many utilities?" in archive.read("questions.jsonl")
    page.get_by_role("tab", name="Import").click()
    page.locator("[data-testid=stFileUploaderDropzone] input[type=file]").set_input_files(
        {"name": "judgments.zip", "mimeType": "application/zip", "buffer": Path(download.value.path()).read_bytes()}
    )
    dialog.get_by_role("button", name="Import").click()
    shown(dialog.get_by_text("there before"))
    expect(dialog.get_by_text("there before")).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
