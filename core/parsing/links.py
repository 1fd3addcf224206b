"""Links of Markdown with offsets of their visible words: inline, reference, wiki links, autolinks, bare addresses.

One pass over each text stretch, no nesting beyond what a stack holds, so hostile input stays linear.
Source of the rules: CommonMark 0.31, sections 6.3 (links) and 6.5 (autolinks).
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

from core.text.wiki import PATTERN, wiki_target
from core.types import Link

_TOKEN = re.compile(
    rf"\\.|(?P<ticks>`+)|{PATTERN}|"
    r"(?P<open>!?\[)|(?P<close>\])|<(?P<auto>[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>"
    r"|<(?P<mail>[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9.-]{1,255})>|(?P<bare>https?://[^\s<>`|\\\"]{1,2048})",
    re.DOTALL,
)
_DESTINATION = re.compile(
    r"\(\s{0,40}(?:<(?P<angled>[^<>\n]{0,4000})>|(?P<plain>(?:\\.|[^\s()\\]|\([^\s()]{0,1000}\)){0,4000}))"
    r"(?:\s{1,40}(?:\"[^\"]{0,1000}\"|'[^']{0,1000}'|\([^()]{0,1000}\)))?\s{0,40}\)"
)
_LABEL = re.compile(r"\[([^\[\]]{0,999})\]")
_MAX_OPEN = 64


def label_key(label: str) -> str:
    """A reference's label as it is matched: case and blanks aside.

    >>> label_key(" The\\n Guide ")
    'the guide'
    """
    return " ".join(label.split()).casefold()


def find_links(text: str, start: int, end: int, references: Mapping[str, str]) -> list[Link]:
    """Links in ``text[start:end]``, sorted. ``references``: ``label_key`` of each definition to its target.

    >>> [(link.start, link.target) for link in find_links("see [it](http://a) or [b]", 0, 25, {"b": "/x"})]
    [(5, 'http://a'), (23, '/x')]
    """
    links: list[Link] = []
    open_brackets: list[tuple[int, bool]] = []
    tick_runs: dict[int, list[int]] | None = None
    position = start
    while match := _TOKEN.search(text, position, end):
        position = match.end()
        if match["ticks"]:
            if tick_runs is None:
                tick_runs = _tick_runs(text, start, end)
            position = _behind_code(tick_runs, match.start(), match.end())
        elif match["wiki"]:
            words = "shown" if (match["shown"] or "").strip() else "wiki"
            links.append(Link(match.start(words), match.end(words), wiki_target(match)))
        elif match["open"]:
            open_brackets.append((match.end(), match["open"] == "!["))
            del open_brackets[:-_MAX_OPEN]
        elif match["close"]:
            position = _close(text, end, match.start(), open_brackets, references, links)
        elif match["auto"]:
            links.append(Link(match.start("auto"), match.end("auto"), match["auto"]))
        elif match["mail"]:
            links.append(Link(match.start("mail"), match.end("mail"), f"mailto:{match['mail']}"))
        elif match["bare"]:
            stop = match.start() + len(_without_tail(match["bare"]))
            links.append(Link(match.start(), stop, text[match.start() : stop]))
            position = stop
    return sorted(links, key=lambda link: (link.start, link.end))


def _close(
    text: str,
    end: int,
    at: int,
    open_brackets: list[tuple[int, bool]],
    references: Mapping[str, str],
    links: list[Link],
) -> int:
    """Handle the ``]`` at ``at``; returns where scanning goes on."""
    if not open_brackets:
        return at + 1
    inside, image = open_brackets.pop()
    stop, target = at + 1, None
    if match := _DESTINATION.match(text, at + 1, end):
        stop, target = match.end(), match["angled"] if match["angled"] is not None else match["plain"]
    elif (match := _LABEL.match(text, at + 1, end)) and match[1].strip():
        target = references.get(label_key(match[1]))
        stop = match.end() if target is not None else stop
    elif at - inside < 1000:
        target = references.get(label_key(text[inside:at]))
        stop = match.end() if match and target is not None else stop
    if target is None:
        return at + 1
    if image or inside == at:
        return stop
    while links and links[-1].start >= inside:  # a link may not hold another: the outer words win for bare addresses
        links.pop()
    links.append(Link(inside, at, html.unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", target))))
    open_brackets[:] = [item for item in open_brackets if item[1]]
    return stop


def _tick_runs(text: str, start: int, end: int) -> dict[int, list[int]]:
    """Starts of all backtick runs by their length, last first, so that a stack pops them in order."""
    runs: dict[int, list[int]] = {}
    for match in re.finditer(r"`+", text[start:end]):
        runs.setdefault(match.end() - match.start(), []).append(start + match.start())
    for places in runs.values():
        places.reverse()
    return runs


def _behind_code(runs: dict[int, list[int]], opened: int, inside: int) -> int:
    """Behind the code span that opens at ``opened``, or just behind its backticks when it never closes."""
    places = runs.get(inside - opened, [])
    while places and places[-1] < inside:
        places.pop()
    return places[-1] + inside - opened if places else inside


def _without_tail(address: str) -> str:
    """A bare address without the sentence's punctuation behind it."""
    address = address.rstrip(".,;:!?'*_~")
    while address.endswith((")", "]", "}")):
        closing = address[-1]
        if address.count(closing) <= address.count({")": "(", "]": "[", "}": "{"}[closing]):
            break
        address = address[:-1].rstrip(".,;:!?'*_~")
    return address
