"""Finds links in Markdown (inline, reference, wiki links, autolinks, bare addresses) with offsets of their text.

One pass with a bounded stack of open brackets, so that hostile input stays linear.
Source: CommonMark 0.31, sections 6.3 (links) and 6.5 (autolinks).
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

from core.text.markup.wiki import PATTERN, wiki_target
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
_MAX_OPEN = 64  # brackets on the stack; older ones are dropped


def label_key(label: str) -> str:
    """A link reference's label in the form in which labels are compared: case and white space are normalised.

    >>> label_key(" The\\n Guide ")
    'the guide'
    """
    return " ".join(label.split()).casefold()


def find_links(text: str, start: int, end: int, references: Mapping[str, str]) -> list[Link]:
    """Links in ``text[start:end]``, sorted, with offsets in ``text``. ``references``: targets by ``label_key``.

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
            position = _end_of_code(tick_runs, match.start(), match.end())
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
            stop = match.start() + len(_without_punctuation(match["bare"]))
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
    """Handle the ``]`` at ``at``: add the link it closes, if any. Returns where scanning continues."""
    if not open_brackets:
        return at + 1
    inside, is_image = open_brackets.pop()
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
    if is_image or inside == at:
        return stop
    while links and links[-1].start >= inside:  # links do not nest: this one replaces bare addresses inside it
        links.pop()
    links.append(Link(inside, at, html.unescape(re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", target))))
    open_brackets[:] = [bracket for bracket in open_brackets if bracket[1]]  # only images may enclose a link
    return stop


def _tick_runs(text: str, start: int, end: int) -> dict[int, list[int]]:
    """Offsets of all backtick runs by their length, the last first, so that they can be popped in order."""
    runs: dict[int, list[int]] = {}
    for match in re.finditer(r"`+", text[start:end]):
        runs.setdefault(match.end() - match.start(), []).append(start + match.start())
    for offsets in runs.values():
        offsets.reverse()
    return runs


def _end_of_code(runs: dict[int, list[int]], opened: int, inside: int) -> int:
    """Where the code span that opens at ``opened`` ends; ``inside``, the end of its backticks, if it is not closed."""
    offsets = runs.get(inside - opened, [])
    while offsets and offsets[-1] < inside:
        offsets.pop()
    return offsets[-1] + inside - opened if offsets else inside


def _without_punctuation(address: str) -> str:
    """A bare address without the punctuation of the sentence after it, and without unmatched closing brackets."""
    address = address.rstrip(".,;:!?'*_~")
    while address.endswith((")", "]", "}")):
        closing = address[-1]
        if address.count(closing) <= address.count({")": "(", "]": "[", "}": "{"}[closing]):
            break
        address = address[:-1].rstrip(".,;:!?'*_~")
    return address
