"""Plain text that was set for a printer, as RFCs and old manuals are: page lines, headings at the margin, a title.

Its body is indented, so that a line at the margin between blank ones is a heading.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from core.types import Span

_FOOTER = re.compile(r"\S.*\[page\s+\w{1,5}\]\s*|\[page\s+\w{1,5}\]\s*", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_COLUMNS = re.compile(r"\S {3,}\S")  # a line of columns is no heading
_SENDER = re.compile(  # and when it was sent, in the lines below
    r"^[ \t]*(?:From|Von|De|Da|Van):[ \t]*\S(?:.*\n){0,9}?.*?\b(?:Sent|Date|Gesendet|Datum|Envoyé|Fecha|Verzonden):",
    re.MULTILINE,
)
_SUBJECT = re.compile(
    r"^[ \t]*(?:Subject|Betreff|Objet|Asunto|Oggetto|Onderwerp):[ \t]*(?:(?:re|aw|fwd?|wg|tr|rv)[ \t]*:[ \t]*)*+"
    r"([^\s:].*?)(?=[ \t]{3}|[ \t]*$)",
    re.MULTILINE | re.IGNORECASE,
)
_MAIL_BEGINS, _THREAD = 2_000, 8_000  # characters: of what stands above a mail; of mails that it forwards
_PAGE = 30  # lines, at least
_INDENTED = 0.7  # share of the lines
_FEWEST = 3
_LONGEST = 72  # characters of a heading, and the width of a page
_OFF_CENTRE = 6  # characters by which the blanks left and right of a title may differ
_TITLE_GROUPS = 8  # groups of lines among which a title is looked for


def page_lines(text: str, lines: Sequence[Span]) -> frozenset[int]:
    """The starts of the lines that end and begin pages: "Moore   [Page 1]", and the line that is repeated after it.

    >>> text = "a\\n\\nMoore   [Page 1]\\n\\nRFC 1   1992\\n\\nb\\n\\nMoore   [Page 2]\\n\\nRFC 1   1992\\n\\nc\\n"
    >>> from core.text.spans import line_spans
    >>> len(page_lines(text, line_spans(text, 0, len(text))))
    4
    """
    footers = [number for number, line in enumerate(lines) if _FOOTER.fullmatch(text[line.start : line.end].strip())]
    if len(footers) < 2:
        footers = _counting_lines(text, lines)
    below = [lines[number + 1] for number in footers if number + 1 < len(lines)]
    said = Counter(_shape(text, line) for line in below)
    headers = [line for line in below if said[_shape(text, line)] > 1]
    found = [*footers, *_banners(text, lines)]
    return frozenset([*(lines[number].start for number in found), *(line.start for line in headers)])


def _counting_lines(text: str, lines: Sequence[Span]) -> list[int]:
    """The lines that are the same but for a number that counts up by one, a page apart: "1982    - 8 -    RFC #822"."""
    alike: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        words = text[line.start : line.end]
        if line.length <= 2 * _LONGEST and _COLUMNS.search(words) and _DIGITS.search(words):
            alike.setdefault(_shape(text, line), []).append(number)
    for numbers in alike.values():
        if len(numbers) < _FEWEST:
            continue
        places = [lines[at] for at in numbers]
        counted = [[int(digits[-9:]) for digits in _DIGITS.findall(text[at.start : at.end])] for at in places]
        rows = list(zip(*counted, strict=True))
        pages = all(text.count("\n", a.end, b.start) >= _PAGE for a, b in pairwise(places))
        if pages and any(all(b == a + 1 for a, b in pairwise(row)) for row in rows):
            return numbers
    return []


def _banners(text: str, lines: Sequence[Span]) -> list[int]:
    """The lines like the first, where it ends a page and begins the next: it stands twice in a row a page below."""
    if not lines or len(text[lines[0].start : lines[0].end].split()) < _FEWEST:
        return []
    banner = text[lines[0].start : lines[0].end].strip()
    found = [number for number, line in enumerate(lines) if text[line.start : line.end].strip() == banner]
    ends = (lines[a] for a, b in pairwise(found) if b == a + 1)
    return found if any(text.count("\n", 0, line.start) >= _PAGE for line in ends) else []


def subject_of_mail(text: str) -> Span | None:
    """The first subject with words of its own in a printed mail, which begins with a sender; ``None`` elsewhere.

    >>> mail = "RELEASED\\n\\nFrom: Ann\\nSent: Monday\\nSubject: FW:\\n\\nFrom: Bob\\nSubject: RE: Two ducks    B6\\n"
    >>> found = subject_of_mail(mail)
    >>> mail[found.start : found.end]
    'Two ducks'
    """
    sender = _SENDER.search(text, 0, _MAIL_BEGINS)
    subject = _SUBJECT.search(text, sender.start(), sender.start() + _THREAD) if sender else None
    return Span(*subject.span(1)) if subject else None


def _shape(text: str, line: Span) -> str:
    return " ".join(_DIGITS.sub("0", text[line.start : line.end]).split())


def headings_at_margin(text: str, groups: Sequence[Sequence[Span]]) -> dict[int, int]:
    """Levels of the groups of lines that are headings, by index: single lines at the margin of an indented text.

    >>> text = "Feed\\n\\n   Corn.\\n\\nSleep\\n\\n   At night.\\n\\nFlight\\n\\n" + "   By day\\n" * 5
    >>> from core.text.spans import line_spans
    >>> lines = line_spans(text, 0, len(text))
    >>> groups = [*([line] for line in lines[:5]), lines[5:]]
    >>> headings_at_margin(text, groups)
    {0: 1, 2: 1, 4: 1}
    """
    rows = [line for group in groups for line in group]
    indented = sum(_indent(text, line) > 1 for line in rows)
    found = [
        index
        for index, group in enumerate(groups[:-1])
        if len(group) == 1 and _is_heading(text, group[0]) and _indent(text, groups[index + 1][0]) > 1
    ]
    if len(found) < _FEWEST or indented < _INDENTED * (len(rows) - len(found)):
        return {}
    return dict.fromkeys(found, 1)


def centred_title(text: str, groups: Sequence[Sequence[Span]]) -> Span | None:
    """The first short line in the middle of a page before the text begins, as the title of an RFC; else ``None``."""
    for group in groups[:_TITLE_GROUPS]:
        line = group[0]
        words = text[line.start : line.end].rstrip()
        left, right = _indent(text, line), _LONGEST - len(words)
        if len(group) > 1 or left < _OFF_CENTRE or abs(left - right) > _OFF_CENTRE or _COLUMNS.search(words):
            continue
        if sum(map(str.isalpha, words)) > len(words.strip()) // 2:
            return Span(line.start + left, line.start + len(words))
    return None


def _indent(text: str, line: Span) -> int:
    words = text[line.start : line.end]
    return len(words) - len(words.lstrip())


def _is_heading(text: str, line: Span) -> bool:
    words = text[line.start : line.end].rstrip()
    begins = words[:1].isupper() or words[:1].isdigit()
    return begins and 2 < len(words) <= _LONGEST and words[-1] not in ".,;:" and not _COLUMNS.search(words)
