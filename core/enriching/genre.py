"""Classifies the genre of a document by rules on its title, wording, lines and structure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from core.settings import GENRES
from core.text.outline import Outline
from core.types import BlockKind, Document


class Patterns(NamedTuple):
    """The patterns of a genre: in the title, in the text, and at the beginning of lines (after any markup)."""

    title: re.Pattern[str]
    wording: re.Pattern[str]
    lines: re.Pattern[str]


_NOTHING = r"(?!)"


def _patterns(title: str, wording: str = _NOTHING, lines: str = _NOTHING) -> Patterns:
    flags = re.IGNORECASE | re.MULTILINE
    return Patterns(
        re.compile(rf"\b(?:{title})(?!\w)", flags),
        re.compile(rf"(?<!\w)(?:{wording})(?!\w)", flags),
        re.compile(rf"^[^\w\n]{{0,9}}(?:\d+[.)]\s+)?(?:{lines})", flags),
    )


_GENRES: dict[str, Patterns] = {
    "API": _patterns(
        r"APIs?|endpoints?|OpenAPI",
        r"endpoints?|query parameters?|request body|HTTP \d{3}|(?:access|bearer) tokens?|API keys?"
        r"|application/json|JSON|(?:GET|POST|PUT|PATCH|DELETE) [`\"]?/\S*|rate limit\w*",
    ),
    "architecture": _patterns(
        r"architecture|system design|design (?:doc|document|overview)|ADR|RFC",
        r"components?|services?|layers?|throughput|latency|stateless|replicas?|consisten(?:cy|t)|queues?|gateway"
        r"|load balanc\w+|partition\w*|fail-?over|we (?:chose|decided|rejected)|trade-?offs?|event[- ]driven",
    ),
    "tutorial": _patterns(
        r"tutorial|walkthrough|your first|learn|hands-on|from scratch|lesson",
        r"in this (?:tutorial|lesson|exercise)|let['’]s|you(?: will|['’]ll) (?:learn|build|create|see)|now that|try it"
        r"|by the end of|congratulations|we(?:['’]ll| will) \w+|you should (?:now )?see",
    ),
    "guide": _patterns(
        r"guide|handbook|manual|how[- ]to|getting started|installation|installing|runbook|best practices|anleitung"
        r"|handbuch",
        r"you (?:can|should|need to|must|want|may)|make sure|before you|if you|we recommend",
        r"(?:open|click|choose|select|run|install|check|set|enter|press|remove|add|create|turn|close|start|stop|wait"
        r"|connect|mount|clean|take|put|use|restart|hold|save|verify) ",
    ),
    "troubleshooting": _patterns(
        r"troubleshooting|common (?:errors|problems|issues)|diagnos\w+|when .{1,40} fails|known (?:issues|problems)"
        r"|fehlerbehebung|postmortem",
        r"symptoms?|(?:probable|root|possible) causes?|solution|workaround|remedy|to fix (?:this|it)"
        r"|error (?:message|code)|if the problem persists|fails? with|the cause is|check (?:that|whether|if)",
        r"(?:symptom|cause|fix|solution|remedy|resolution|problem|diagnosis|what you see|what to do)s?\W{0,3}:",
    ),
    "reference": _patterns(
        r"reference|cheat ?sheet|glossary|specification|syntax|configuration options|catalog(?:ue)?",
        r"default(?:s to| is| value)|optional|required|deprecated|returns?|synopsis|valid values|accepts?",
        r"(?:synopsis|options|parameters|arguments|syntax|returns?|return values?|see also|exit status)[^\w\n]*$",
    ),
    "policy": _patterns(
        r"polic(?:y|ies)|agreement|terms (?:of|and)|contract|licen[cs]e|regulations?|directive|act|privacy|statutes?"
        r"|code of conduct|bylaws|vertrag|gesetz|ordinance",
        r"shall(?: not)?|must not|here(?:by|in|under)|thereof|pursuant to|in accordance with|notwithstanding|liab\w+"
        r"|indemnif\w+|the part(?:y|ies)|third part(?:y|ies)|is prohibited|personal data|subject to|compl(?:y|iance)"
        r"|entitled to|terminat\w+|this (?:policy|agreement|contract|act|regulation)",
    ),
    "paper": _patterns(
        r"a study of|towards|an empirical|systematic review|randomi[sz]ed",
        r"et al|we (?:propose|present|show|evaluate|introduce|find|report|demonstrate|study)|state[- ]of[- ]the[- ]art"
        r"|doi|arXiv|p ?[<=] ?0?\.\d+|statistically significant|our (?:method|approach|model|results|experiments)"
        r"|baselines?|in this (?:paper|work|article|study)|prior work|this study",
        r"(?:abstract|introduction|(?:materials and )?methods|results|discussion|conclusions?|references|findings"
        r"|interpretation)(?:\s*:|[ \t]*$)",
    ),
    "meeting": _patterns(
        r"minutes|meeting|stand-?up|retrospective|protokoll|sync notes|transcript",
        r"attendees|action items?|agenda|minutes|next meeting|(?:was )?agreed(?: that| to)?|chaired|the meeting"
        r"|apologies|decided|to do|due (?:on|by)",
    ),
    "FAQ": _patterns(
        r"faqs?|frequently asked|questions and answers|q ?& ?a",
        lines=r"Q\d*\s*[:.]\s",
    ),
    "release notes": _patterns(
        r"release notes?|change ?log|what['’]?s new|release history|release \d|versionshinweise",
        r"(?:in )?this release|breaking changes?|backwards?[- ]compatib\w+|upgrade to|since (?:version|v) ?\d"
        r"|no longer (?:supported|needed)|released on|was released",
        r"(?:fixed|added|changed|removed|deprecated|improved|fix(?:es)?|adds?|new|bug ?fix(?:es)?)[ :(]",
    ),
    "report": _patterns(
        r"(?:annual|quarterly|monthly|weekly|half-?year(?:ly)?|interim|status|progress|audit|financial) reports?"
        r"|reports? (?:for|of|on) .{0,40}\d{4}|\w+ review \d{4}|(?:annual|year-end) review|form 10-[kq]"
        r"|(?:jahres|geschäfts|quartals)bericht|rapport (?:annuel|trimestriel)",
        r"revenues?|turnover|net (?:income|sales)|operating (?:profit|income|costs?)|ebitda?|shareholders?|dividends?"
        r"|(?:first|second|third|fourth) quarter|Q[1-4]|(?:fiscal|financial) year|year[- ]on[- ]year|reporting period"
        r"|compared (?:with|to)|(?:increased|decreased|rose|fell|grew) (?:by|to|from)|forecast|outlook|headcount",
    ),
}


_HEAD, _TAIL = 24_000, 8_000  # characters of a long document that are searched
_ENOUGH = 3.0  # least points of the genre chosen
_LEAD = 0.75  # least points ahead of the second
# Points for a title, for each matching line, and for each distinct phrase; and the most for lines and phrases.
_TITLE, _LINE, _WORD = 3.5, 0.7, 0.4
_MOST_LINES, _MOST_WORDS = 3.5, 3.0
_DENSITY = 4.0  # phrases per thousand words below which they do not count; a long document has some of every genre


def genre(document: Document) -> str:
    """The genre of a document, one of ``GENRES``. At most 32,000 characters of a document are searched.

    Source code is "code". Otherwise rules give points, and the genre with the most is chosen if it has at least 3 and
    leads by 0.75. Else a mail is "correspondence", a document of tables "data", and all others "other".

    >>> genre(Document("v", "text", "Minutes of 3 May", "Attendees: Ada, Ben.\\n\\nAction items: Ada writes."))
    'meeting'
    >>> genre(Document("v", "text", "Untitled", "Some words about ducks."))
    'other'
    """
    if document.kind == "code":
        return "code"
    points: defaultdict[str, float] = defaultdict(float)
    for name, value in _evidence(document):
        points[name] += value
    ranked = sorted(points, key=lambda name: (-points[name], GENRES.index(name)))
    best, second = [*(points[name] for name in ranked), 0.0, 0.0][:2]
    return ranked[0] if best >= _ENOUGH and best - second >= _LEAD else _by_format(document)


_MAILS = frozenset({"eml", "msg", "mbox"})
_TABULAR = 0.8  # least share of characters in tables


def _by_format(document: Document) -> str:
    """The genre by format: "correspondence" for mails, "data" for tables, else "other"."""
    if document.kind in _MAILS:
        return "correspondence"
    tables = sum(block.end - block.start for block in document.blocks if block.kind is BlockKind.TABLE)
    return "data" if tables and tables >= _TABULAR * len(document.text.strip()) else "other"


def _evidence(document: Document) -> Iterator[tuple[str, float]]:
    """All evidence, as (genre, points)."""
    titles = [heading.text for heading in Outline(document).headings]
    text = document.text
    sample = text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    count = max(150, sample.count(" ") + sample.count("\n"))
    for name, patterns in _GENRES.items():
        if patterns.title.search(document.title):
            yield name, _TITLE
        line_count = sum(1 for _ in patterns.lines.finditer(sample))
        if line_count > 1:
            yield name, min(_MOST_LINES, _LINE * line_count)
        phrases = [match.group() for match in patterns.wording.finditer(sample)]
        if 1000 * len(phrases) / count >= _DENSITY:
            distinct = {" ".join(phrase.split()).strip(" :.-#*|").lower() for phrase in phrases}
            yield name, min(_MOST_WORDS, _WORD * len(distinct))
    yield from _structure(document, sample, titles)


_LOG_LINE = re.compile(
    r"\s*(?:\S{1,60}\.log\S{0,60}\s)?\[?(?:(?:\d\d){0,2}[-/]?\d\d[-/]?\d\d[T -]\d\d:\d\d|\d\d:\d\d:\d\d"
    r"|[A-Z][a-z]{2},? +[\w ]{1,7} \d\d:\d\d"
    r"|\S+ \S+ \S+ \[\d\d/\w{3}/\d{4}|(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\b)"
)
_TURN = re.compile(
    r"(?:\*\*)?(?:\[?[\d:]{4,8}\]?\s+)?(?P<who>[A-Z][\w.'’-]*(?: [A-Z][\w.'’-]*){0,3})(?:\*\*)?:\W*\s+\S"
)
_NOT_SPEAKERS = frozenset("Q A Question Answer Note Symptom Cause Remedy Fix Problem Solution".split())
_CITATION = re.compile(r"\[\d{1,3}(?:[,–-]\s?\d{1,3})*\]|\([A-Z][\w'’-]+(?: et al\.?| and [A-Z]\w+)?,? (?:19|20)\d\d\)")
_QUESTION = re.compile(
    r"(?:\d+[.)]\s*)?(?:what|why|how|when|where|who|which|can|could|do|does|is|are|may|must|should|will|did)\b.*\?\s*$",
    re.IGNORECASE,
)


def _structure(document: Document, sample: str, titles: Sequence[str]) -> Iterator[tuple[str, float]]:
    """The evidence of the structure: log lines, turns, questions, citations, tables."""
    lines = [line for line in sample.split("\n") if line.strip()]
    count = max(1, len(lines))
    log_lines = sum(_LOG_LINE.match(line) is not None for line in lines)
    if log_lines >= 5 and log_lines / count >= 0.4:
        yield "log", 4 + log_lines / count
    yield from _conversation(lines)
    yield from _questions(titles, sample)
    citations = len(_CITATION.findall(sample))
    if citations >= 4 and 1000 * citations / max(150, sample.count(" ")) >= 2:
        yield "paper", 1.5
    table = sum(block.end - block.start for block in document.blocks if block.kind is BlockKind.TABLE)
    if titles and table / max(1, len(document.text)) > 0.4 and document.kind in {"markdown", "html", "rst"}:
        yield "reference", 1.0


def _conversation(lines: Sequence[str]) -> Iterator[tuple[str, float]]:
    """Evidence for a meeting: turns of at least two speakers who speak more than once."""
    matches = [turn for line in lines if (turn := _TURN.match(line)) is not None]
    counts = Counter(turn["who"] for turn in matches if turn["who"] not in _NOT_SPEAKERS)
    repeated = [count for count in counts.values() if count > 1]
    turns = sum(repeated)
    if len(repeated) >= 2 and turns >= 6 and turns / max(1, len(lines)) >= 0.3:
        yield "meeting", 3.5


def _questions(titles: Sequence[str], sample: str) -> Iterator[tuple[str, float]]:
    """Evidence for an FAQ: headings that are questions, and lines that begin with "A:"."""
    questions = [title for title in titles if _QUESTION.match(title)]
    if len(questions) >= 3 and len(questions) / len(titles) >= 0.5:
        yield "FAQ", 3.5
    answers = len(re.findall(r"(?m)^[^\w\n]{0,9}A(?:nswer)?[:.]\s", sample))
    if answers >= 2:
        yield "FAQ", 1.0
