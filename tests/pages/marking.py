"""Words of a text marked with the mouse, as a person does it."""

from __future__ import annotations

from playwright.sync_api import Page

from tests.pages.browsing import resting

# Where a character of some words stands on the screen; the words stand in one text node of the reader or the evidence.
PLACE = """(host, [words, at]) => {
  const walker = document.createTreeWalker(host, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const found = node.data.indexOf(words);
    if (found < 0) continue;
    const range = document.createRange();
    range.setStart(node, Math.min(found + at, node.length - 1));
    range.setEnd(node, Math.min(found + at + 1, node.length));
    const box = range.getBoundingClientRect();
    return [found + at < node.length ? box.left : box.right, (box.top + box.bottom) / 2];
  }
  return null;
}"""


def drag(page: Page, host: str, first: str, last: str) -> None:
    """Mark from before the first words to behind the last ones, with the mouse."""
    text = page.locator(host).first
    ends = [[first, 0], [last, len(last.encode("utf-16-le")) // 2]]
    start, end = resting(lambda: [text.evaluate(PLACE, place) for place in ends])
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + 4, start[1] + 1)
    page.mouse.move(*end)
    page.mouse.up()


def scrolled_to(page: Page, words: str) -> bool:
    """Scroll the text on a little, unless the words are in the middle of it."""
    host = page.locator(".text")
    place = host.evaluate(PLACE, [words, 0])
    if place and 250 < place[1] < 750:
        return True
    host.evaluate("(host, by) => { host.scrollTop += by; }", -150 if place and place[1] <= 250 else 250)
    return False
