"""What the build of a document says of its genre: timed lines, speakers' turns, questions as headings, clauses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.types import BlockKind, Document

_LOG_LINE = re.compile(
    r"\s*(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|\[?(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr"
    r"|May|Jun|Jul|Aug|Sep"
    r"|Oct|Nov|Dec)\w* +\d{1,2} \d\d:\d\d|\S+ \S+ \S+ \[\d\d/\w{3}/\d{4}|(?:\[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR"
    r"|FATAL|CRITICAL)\b))"
)
_TURN = re.compile(
    r"(?:\*\*)?(?:\[?\d{1,2}:\d\d(?::\d\d)?\]?\s+)?"
    r"(?P<who>[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,3})(?:\*\*)?:(?:\*\*)?\s+\S"
)
_NOBODY = frozenset(
    {"Q", "A", "Question", "Answer", "Note", "Symptom", "Cause", "Remedy", "Fix", "Problem", "Solution"}
)
_CLAUSE = re.compile(
    r"(?m)^[ \t]{0,9}(?:\d{1,2}\.\d{1,2}(?:\.\d{1,2})?|§\s?\d+|\([a-z]\)|(?:Article|Clause|Art\.)\s\d+)[.):]?\s+[A-Z]"
)
_MODAL = re.compile(
    r"\b(?:shall|must|may not|is not permitted|are not permitted|is (?:worn|given|kept|reported|required))\b"
)
_CITED = re.compile(r"\[\d{1,3}(?:[,–-]\s?\d{1,3})*\]|\([A-Z][\w'’-]+(?: et al\.?| and [A-Z]\w+)?,? (?:19|20)\d\d\)")
_ASKING = re.compile(
    r"^(?:\d+[.)]\s*)?(?:what|why|how|when|where|who|which|can|could|do|does|is|are|may|must|should|will"
    r"|did)\b.*\?\s*$",
    re.IGNORECASE,
)


def structure_evidence(
    document: Document, sample: str, titles: Sequence[str], code_share: float
) -> Iterator[tuple[str, float, str]]:
    """(genre, points, sentence) for what the build shows. ``code_share``: of the text that stands in code blocks."""
    lines = [line for line in sample.split("\n") if line.strip()]
    count = max(1, len(lines))
    logged = sum(_LOG_LINE.match(line) is not None for line in lines)
    if logged >= 5 and logged / count >= 0.4:
        yield "log", 4 + logged / count, f"{round(100 * logged / count)} % of its lines begin with a time or a level"
    yield from _talk(lines)
    yield from _questions(titles, sample)
    yield from _clauses(sample, count)
    words = max(150, sample.count(" "))
    cited = len(_CITED.findall(sample))
    if cited >= 4 and 1000 * cited / words >= 2:
        yield "paper", 1.5, f"{cited} citations in brackets"
    if code_share > 0.2 and any(block.kind is BlockKind.CODE for block in document.blocks) and document.kind != "code":
        yield "tutorial", 0.5, f"{round(100 * code_share)} % of it is code"
    table = sum(block.end - block.start for block in document.blocks if block.kind is BlockKind.TABLE)
    if titles and table / max(1, len(document.text)) > 0.4 and document.kind in {"markdown", "html", "rst"}:
        yield "reference", 1.0, "most of it is tables"


def _talk(lines: Sequence[str]) -> Iterator[tuple[str, float, str]]:
    """Turns of two speakers or more, each of whom comes back."""
    speakers: dict[str, int] = {}
    for line in lines:
        if (turn := _TURN.match(line)) is not None and turn["who"] not in _NOBODY:
            speakers[turn["who"]] = speakers.get(turn["who"], 0) + 1
    again = [who for who, times in speakers.items() if times > 1]
    turns = sum(speakers[who] for who in again)
    if len(again) >= 2 and turns >= 6 and turns / max(1, len(lines)) >= 0.3:
        yield "meeting", 3.5, f"{turns} turns of {len(again)} speakers"


def _questions(titles: Sequence[str], sample: str) -> Iterator[tuple[str, float, str]]:
    asked = [title for title in titles if _ASKING.match(title)]
    if len(asked) >= 3 and len(asked) / len(titles) >= 0.5:
        yield "FAQ", 3.5, f"{len(asked)} of its {len(titles)} headings are questions"
    answered = len(re.findall(r"(?m)^[^\w\n]{0,9}A(?:nswer)?[:.]\s", sample))
    if answered >= 2:
        yield "FAQ", 1.0, f"{answered} answers marked “A:”"


def _clauses(sample: str, lines: int) -> Iterator[tuple[str, float, str]]:
    clauses = len(_CLAUSE.findall(sample))
    modal = len(_MODAL.findall(sample))
    if clauses >= 4 and clauses / lines >= 0.15 and modal >= 3:
        yield "policy", 1.5, f"{clauses} numbered clauses with “shall” or “must”"
