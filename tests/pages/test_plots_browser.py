"""Plots in a real browser: a click leads somewhere whatever happens to the plot meanwhile, and themes recolour them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, WebSocketRoute, expect

from tests.pages.browsing import middle, resting, serving, shown, until, visit, visiting
from tests.pages.browsing import turn as theme_turned

pytestmark = [pytest.mark.browser]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("plots") / "none", "tests/pages/plots_app.py") as started:
        yield started


def dot(page: Page, at: int) -> Locator:
    """A point, once it has come to rest."""
    found = page.locator(".scatterlayer .point").nth(at)
    shown(found)
    resting(found.bounding_box)
    return found


def press(page: Page, at: int) -> None:
    """Press the mouse on a point."""
    page.mouse.move(*middle(dot(page, at)))
    page.mouse.down()


def turn(page: Page) -> None:
    """Turn the dial: another plot is on its way."""
    page.get_by_role("slider").evaluate("(dial) => dial.focus()")
    page.keyboard.press("ArrowRight")


def gone(page: Page, *places: str) -> None:
    expect(page.locator("[data-testid=stText]")).to_have_text("; ".join(["Gone to:", *places]))


def test_a_click_leads_somewhere_once_more_on_the_same_point_in_another_theme_and_across_two_plots(
    address: str, page: Page
) -> None:
    visit(page, address)
    for places in (["v 0 9"], ["v 0 9", "v 0 9"]):
        press(page, 0)
        page.mouse.up()
        gone(page, *places)
    colour = "(mark) => getComputedStyle(mark).fill"
    light = dot(page, 0).evaluate(colour)
    theme_turned(page, "dark")
    until(lambda: dot(page, 0).evaluate(colour) != light)
    theme_turned(page, "light")
    until(lambda: dot(page, 0).evaluate(colour) == light)
    press(page, 1)
    turn(page)
    expect(page.locator(".scatterlayer .point")).to_have_count(4)
    page.mouse.up()
    gone(page, "v 0 9", "v 0 9", "v 10 19")


class Post:
    """What the server sends to a page, held back while ``closed``."""

    def __init__(self, socket: WebSocketRoute) -> None:
        self.closed = False
        self.held: list[str | bytes] = []
        self._socket = socket
        socket.connect_to_server().on_message(self._take)

    def _take(self, message: str | bytes) -> None:
        self.held.append(message)
        if not self.closed:
            self.open()

    def open(self) -> None:
        self.closed = False
        while self.held:
            self._socket.send(self.held.pop(0))


def all_sent(page: Page, post: Post) -> bool:
    """Whether something is held and nothing came to it for a while: the server has done what it was asked."""
    before = len(post.held)
    page.wait_for_timeout(1500)  # lets messages in
    return len(post.held) == before > 0


def test_a_click_counts_while_the_next_plot_is_on_its_way(address: str, browser: Browser) -> None:
    with visiting(browser, apart=True) as page:
        posts: list[Post] = []
        page.route_web_socket(re.compile("/_stcore/stream"), lambda socket: posts.append(Post(socket)))
        visit(page, address)
        dot(page, 2)
        posts[-1].closed = True
        turn(page)
        until(lambda: all_sent(page, posts[-1]))
        press(page, 2)
        page.mouse.up()
        until(lambda: all_sent(page, posts[-1]))
        gone(page)
        posts[-1].open()
        gone(page, "v 20 29")
