"""A second, plain reading of HTML by the standard library's parser."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from core.parsing.second_gathering import HIDDEN, NAMES, Gathering, decoded

HTML_READER = "the standard library's HTML parser"
TITLES, FORMS, TOOLTIPS = "the page's title", "forms and fallbacks", "tooltips and labels for screen readers"
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_INLINE = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strike "
    "strong sub sup time tt u var wbr img svg".split()
)
_REASONS = {
    "script": "scripts and styles",
    "style": "scripts and styles",
    "template": HIDDEN,
    "title": TITLES,
    **dict.fromkeys(("noscript", "select", "option", "textarea", "button", "iframe", "object", "canvas"), FORMS),
    **dict.fromkeys(("audio", "video", "noframes", "datalist", "rp"), FORMS),
    **dict.fromkeys(("desc", "metadata"), NAMES),
}
_UNSEEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


class _Reader(HTMLParser):
    def __init__(self, found: Gathering) -> None:
        super().__init__(convert_charrefs=True)
        self._found = found
        self._open: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        for name, why in (("alt", NAMES), ("title", TOOLTIPS), ("aria-label", TOOLTIPS)):
            if given.get(name):
                self._found.drop(why, f"{given[name]}\n")
        if tag not in _INLINE:
            self._put("\n")
        if tag in _VOID:
            return
        reason = _REASONS.get(tag, "")
        unseen = "hidden" in given or given.get("aria-hidden") == "true" or _UNSEEN.search(given.get("style") or "")
        outer = self._open[-1][1] if self._open else ""
        self._open.append((tag, outer or (HIDDEN if unseen else reason)))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _INLINE:
            self._put("\n")
        for place in range(len(self._open) - 1, max(-1, len(self._open) - 64), -1):
            if self._open[place][0] == tag:
                del self._open[place:]
                return

    def handle_data(self, data: str) -> None:
        self._put(data)

    def _put(self, text: str) -> None:
        self._found.put(self._open[-1][1] if self._open else "", text)


def read_html(data: bytes, found: Gathering) -> None:
    """The words of a page, tags aside."""
    reader = _Reader(found)
    reader.feed(decoded(data))
    reader.close()
