"""What sort of writing a document is, by rules over its title, its wording, its lines and its structure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from core.settings import GENRES
from core.text.outline import Outline
from core.types import BlockKind, Document


class Words(NamedTuple):
    """``lines``: how a line begins, behind marks of headings, lists and emphasis."""

    title: re.Pattern[str]
    wording: re.Pattern[str]
    lines: re.Pattern[str]


_NOTHING = r"(?!)"


def _words(title: str, wording: str = _NOTHING, lines: str = _NOTHING) -> Words:
    flags = re.IGNORECASE | re.MULTILINE
    return Words(
        re.compile(rf"\b(?:{title})(?!\w)", flags),
        re.compile(rf"(?<!\w)(?:{wording})(?!\w)", flags),
        re.compile(rf"^[^\w\n]{{0,9}}(?:\d+[.)]\s+)?(?:{lines})", flags),
    )


WORDS: dict[str, Words] = {
    "API": _words(
        r"APIs?|endpoints?|OpenAPI",
        r"endpoints?|query parameters?|request body|HTTP \d{3}|(?:access|bearer) tokens?|API keys?"
        r"|application/json|JSON|(?:GET|POST|PUT|PATCH|DELETE) [`\"]?/\S*|rate limit\w*",
    ),
    "architecture": _words(
        r"architecture|system design|design (?:doc|document|overview)|ADR|RFC",
        r"components?|services?|layers?|throughput|latency|stateless|replicas?|consisten(?:cy|t)|queues?|gateway"
        r"|load balanc\w+|partition\w*|fail-?over|we (?:chose|decided|rejected)|trade-?offs?|event[- ]driven",
    ),
    "tutorial": _words(
        r"tutorial|walkthrough|your first|learn|hands-on|from scratch|lesson",
        r"in this (?:tutorial|lesson|exercise)|let['’]s|you(?: will|['’]ll) (?:learn|build|create|see)|now that|try it"
        r"|by the end of|congratulations|we(?:['’]ll| will) \w+|you should (?:now )?see",
    ),
    "guide": _words(
        r"guide|handbook|manual|how[- ]to|getting started|installation|installing|runbook|best practices|anleitung"
        r"|handbuch",
        r"you (?:can|should|need to|must|want|may)|make sure|before you|if you|we recommend",
        r"(?:open|click|choose|select|run|install|check|set|enter|press|remove|add|create|turn|close|start|stop|wait"
        r"|connect|mount|clean|take|put|use|restart|hold|save|verify) ",
    ),
    "troubleshooting": _words(
        r"troubleshooting|common (?:errors|problems|issues)|diagnos\w+|when .{1,40} fails|known (?:issues|problems)"
        r"|fehlerbehebung|postmortem",
        r"symptoms?|(?:probable|root|possible) causes?|solution|workaround|remedy|to fix (?:this|it)"
        r"|error (?:message|code)|if the problem persists|fails? with|the cause is|check (?:that|whether|if)",
        r"(?:symptom|cause|fix|solution|remedy|resolution|problem|diagnosis|what you see|what to do)s?\W{0,3}:",
    ),
    "reference": _words(
        r"reference|cheat ?sheet|glossary|specification|syntax|configuration options|catalog(?:ue)?",
        r"default(?:s to| is| value)|optional|required|deprecated|returns?|synopsis|valid values|accepts?",
        r"(?:synopsis|options|parameters|arguments|syntax|returns?|return values?|see also|exit status)[^\w\n]*$",
    ),
    "policy": _words(
        r"polic(?:y|ies)|agreement|terms (?:of|and)|contract|licen[cs]e|regulations?|directive|act|privacy|statutes?"
        r"|code of conduct|bylaws|vertrag|gesetz|ordinance",
        r"shall(?: not)?|must not|here(?:by|in|under)|thereof|pursuant to|in accordance with|notwithstanding|liab\w+"
        r"|indemnif\w+|the part(?:y|ies)|third part(?:y|ies)|is prohibited|personal data|subject to|compl(?:y|iance)"
        r"|entitled to|terminat\w+|this (?:policy|agreement|contract|act|regulation)",
    ),
    "paper": _words(
        r"a study of|towards|an empirical|systematic review|randomi[sz]ed",
        r"et al|we (?:propose|present|show|evaluate|introduce|find|report|demonstrate|study)|state[- ]of[- ]the[- ]art"
        r"|doi|arXiv|p ?[<=] ?0?\.\d+|statistically significant|our (?:method|approach|model|results|experiments)"
        r"|baselines?|in this (?:paper|work|article|study)|prior work|this study",
        r"(?:abstract|introduction|(?:materials and )?methods|results|discussion|conclusions?|references|findings"
        r"|interpretation)(?:\s*:|[ \t]*$)",
    ),
    "meeting": _words(
        r"minutes|meeting|stand-?up|retrospective|protokoll|sync notes|transcript",
        r"attendees|action items?|agenda|minutes|next meeting|(?:was )?agreed(?: that| to)?|chaired|the meeting"
        r"|apologies|decided|to do|due (?:on|by)",
    ),
    "FAQ": _words(
        r"faqs?|frequently asked|questions and answers|q ?& ?a",
        lines=r"Q\d*\s*[:.]\s",
    ),
    "release notes": _words(
        r"release notes?|change ?log|what['’]?s new|release history|release \d|versionshinweise",
        r"(?:in )?this release|breaking changes?|backwards?[- ]compatib\w+|upgrade to|since (?:version|v) ?\d"
        r"|no longer (?:supported|needed)|released on|was released",
        r"(?:fixed|added|changed|removed|deprecated|improved|fix(?:es)?|adds?|new|bug ?fix(?:es)?)[ :(]",
    ),
    "report": _words(
        r"(?:annual|quarterly|monthly|weekly|half-?year(?:ly)?|interim|status|progress|audit|financial) reports?"
        r"|reports? (?:for|of|on) .{0,40}\d{4}|\w+ review \d{4}|(?:annual|year-end) review|form 10-[kq]"
        r"|(?:jahres|geschäfts|quartals)bericht|rapport (?:annuel|trimestriel)",
        r"revenues?|turnover|net (?:income|sales)|operating (?:profit|income|costs?)|ebitda?|shareholders?|dividends?"
        r"|(?:first|second|third|fourth) quarter|Q[1-4]|(?:fiscal|financial) year|year[- ]on[- ]year|reporting period"
        r"|compared (?:with|to)|(?:increased|decreased|rose|fell|grew) (?:by|to|from)|forecast|outlook|headcount",
    ),
}


_HEAD, _TAIL = 24_000, 8_000  # characters of a long document that are read for its wording
_ENOUGH = 3.0  # points below which nothing is said
_AHEAD = 0.75  # points by which the best must lead the next one
# Points: of a title, of each line and word that is found, each once, and the most they come to.
_TITLE, _LINE, _WORD = 3.5, 0.7, 0.4
_MOST_LINES, _MOST_WORDS = 3.5, 3.0
_DENSITY = 4.0  # words of a genre per thousand, below which its wording says nothing: a long document says all once


def genre(document: Document) -> str:
    """The genre of a document, one of ``GENRES``; no model, at most 32,000 characters of its wording are read.

    Source code is known by its kind. For all else rules give points; the genre with the most has to have three of them
    and to lead by three quarters of one. Else a mail is "correspondence", what is mostly tables "data", and
    the rest "other".

    >>> genre(Document("v", "text", "Minutes of 3 May", "Attendees: Ada, Ben.\\n\\nAction items: Ada writes."))
    'meeting'
    >>> genre(Document("v", "text", "Untitled", "Some words about ducks."))
    'other'
    """
    if document.kind == "code":
        return "code"
    points: dict[str, float] = {}
    for name, worth in _evidence(document):
        points[name] = points.get(name, 0.0) + worth
    ranked = sorted(points, key=lambda name: (-points[name], GENRES.index(name)))
    ahead = points[ranked[0]] - (points[ranked[1]] if len(ranked) > 1 else 0.0) if ranked else 0.0
    return _by_build(document) if not ranked or points[ranked[0]] < _ENOUGH or ahead < _AHEAD else ranked[0]


_MAILS = frozenset({"eml", "msg", "mbox"})
_TABULAR = 0.8  # of the characters


def _by_build(document: Document) -> str:
    """What a document is that no wording tells: by its kind, or its tables."""
    if document.kind in _MAILS:
        return "correspondence"
    tables = sum(block.end - block.start for block in document.blocks if block.kind is BlockKind.TABLE)
    return "data" if tables and tables >= _TABULAR * len(document.text.strip()) else "other"


def _evidence(document: Document) -> Iterator[tuple[str, float]]:
    """(genre, points) of everything that speaks for one."""
    titles = [heading.text for heading in Outline(document).headings]
    text = document.text
    sample = text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    count = max(150, sample.count(" ") + sample.count("\n"))
    for name, words in WORDS.items():
        if words.title.search(document.title):
            yield name, _TITLE
        begun = sum(1 for _ in words.lines.finditer(sample))
        if begun > 1:
            yield name, min(_MOST_LINES, _LINE * begun)
        said = [match.group() for match in words.wording.finditer(sample)]
        if 1000 * len(said) / count >= _DENSITY:
            yield (
                name,
                min(_MOST_WORDS, _WORD * len({" ".join(word.split()).strip(" :.-#*|").lower() for word in said})),
            )
    yield from _structure(document, sample, titles)


_LOG_LINE = re.compile(
    r"\s*(?:\S{1,60}\.log\S{0,60}\s)?\[?(?:(?:\d\d){0,2}[-/]?\d\d[-/]?\d\d[T -]\d\d:\d\d|\d\d:\d\d:\d\d"
    r"|[A-Z][a-z]{2},? +[\w ]{1,7} \d\d:\d\d"
    r"|\S+ \S+ \S+ \[\d\d/\w{3}/\d{4}|(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\b)"
)
_TURN = re.compile(
    r"(?:\*\*)?(?:\[?[\d:]{4,8}\]?\s+)?(?P<who>[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,3})(?:\*\*)?:\W*\s+\S"
)
_NOBODY = frozenset("Q A Question Answer Note Symptom Cause Remedy Fix Problem Solution".split())
_CITED = re.compile(r"\[\d{1,3}(?:[,–-]\s?\d{1,3})*\]|\([A-Z][\w'’-]+(?: et al\.?| and [A-Z]\w+)?,? (?:19|20)\d\d\)")
_ASKING = re.compile(
    r"(?:\d+[.)]\s*)?(?:what|why|how|when|where|who|which|can|could|do|does|is|are|may|must|should|will|did)\b.*\?\s*$",
    re.IGNORECASE,
)


def _structure(document: Document, sample: str, titles: Sequence[str]) -> Iterator[tuple[str, float]]:
    """(genre, points) for what the build shows."""
    lines = [line for line in sample.split("\n") if line.strip()]
    count = max(1, len(lines))
    logged = sum(_LOG_LINE.match(line) is not None for line in lines)
    if logged >= 5 and logged / count >= 0.4:
        yield "log", 4 + logged / count
    yield from _talk(lines)
    yield from _questions(titles, sample)
    cited = len(_CITED.findall(sample))
    if cited >= 4 and 1000 * cited / max(150, sample.count(" ")) >= 2:
        yield "paper", 1.5
    table = sum(block.end - block.start for block in document.blocks if block.kind is BlockKind.TABLE)
    if titles and table / max(1, len(document.text)) > 0.4 and document.kind in {"markdown", "html", "rst"}:
        yield "reference", 1.0


def _talk(lines: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Turns of two speakers or more, each of whom comes back."""
    speakers: dict[str, int] = {}
    for line in lines:
        if (turn := _TURN.match(line)) is not None and turn["who"] not in _NOBODY:
            speakers[turn["who"]] = speakers.get(turn["who"], 0) + 1
    again = [who for who, times in speakers.items() if times > 1]
    turns = sum(speakers[who] for who in again)
    if len(again) >= 2 and turns >= 6 and turns / max(1, len(lines)) >= 0.3:
        yield "meeting", 3.5


def _questions(titles: Sequence[str], sample: str) -> Iterator[tuple[str, float]]:
    asked = [title for title in titles if _ASKING.match(title)]
    if len(asked) >= 3 and len(asked) / len(titles) >= 0.5:
        yield "FAQ", 3.5
    answered = len(re.findall(r"(?m)^[^\w\n]{0,9}A(?:nswer)?[:.]\s", sample))
    if answered >= 2:
        yield "FAQ", 1.0
