"""The words by which genres are told apart: of each, what its title, its headings and its sentences say.

Alternatives of regular expressions, whole words each, in any case. A title that names the genre almost decides;
headings and sentences add up (``core.enriching.genre``).
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Words(NamedTuple):
    """``lines``: how a line begins, behind marks of lists and emphasis."""

    title: re.Pattern[str]
    headings: re.Pattern[str]
    wording: re.Pattern[str]
    lines: re.Pattern[str]


_NOTHING = r"(?!)"


def _words(title: str, headings: str = _NOTHING, wording: str = _NOTHING, lines: str = _NOTHING) -> Words:
    flags = re.IGNORECASE | re.MULTILINE
    return Words(
        re.compile(rf"\b(?:{title})(?!\w)", flags),
        re.compile(rf"(?<!\w)(?:{headings})(?!\w)", flags),
        re.compile(rf"(?<!\w)(?:{wording})(?!\w)", flags),
        re.compile(rf"^[^\w\n]{{0,9}}(?:\d+[.)]\s+)?(?:{lines})", flags),
    )


WORDS: dict[str, Words] = {
    "API": _words(
        r"APIs?|endpoints?|OpenAPI",
        r"endpoints?|authentication|rate limits?|requests?|responses?|status codes|pagination|webhooks?|GET|POST|PUT"
        r"|PATCH|DELETE",
        r"endpoints?|query parameters?|request body|HTTP \d{3}|(?:access|bearer) tokens?|API keys?"
        r"|application/json|JSON|(?:GET|POST|PUT|PATCH|DELETE) [`\"]?/\S*|rate limit\w*",
    ),
    "architecture": _words(
        r"architecture|system design|design (?:doc|document|overview)|ADR|RFC",
        r"architecture|components?|data flow|deployment|scalability|design decisions?|alternatives(?: considered)?"
        r"|trade-?offs?|consequences|non-goals|context|storage|availability|failure modes|system overview",
        r"components?|services?|layers?|throughput|latency|stateless|replicas?|consisten(?:cy|t)|queues?|gateway"
        r"|load balanc\w+|partition\w*|fail-?over|we (?:chose|decided|rejected)|trade-?offs?|event[- ]driven",
    ),
    "tutorial": _words(
        r"tutorial|walkthrough|your first|learn|hands-on|from scratch|lesson",
        r"(?:step|lesson|exercise|part) \d+|what you(?:['’]ll| will) (?:learn|build|need)|next steps|exercises?",
        r"in this (?:tutorial|lesson|exercise)|let['’]s|you(?: will|['’]ll) (?:learn|build|create|see)|now that|try it"
        r"|by the end of|congratulations|we(?:['’]ll| will) \w+|you should (?:now )?see",
    ),
    "guide": _words(
        r"guide|handbook|manual|how[- ]to|getting started|installation|installing|runbook|best practices|anleitung"
        r"|handbuch",
        r"install(?:ation|ing)?|configur(?:e|ing|ation)|set(?:ting)? up|how to|before you|usage|prerequisites|upgrading"
        r"|requirements|getting started|back(?:ing)? up|choosing|check(?:list|ing)?|preparing|after(?:wards| you)"
        r"|mounting|maintenance",
        r"you (?:can|should|need to|must|want|may)|make sure|before you|if you|we recommend",
        r"(?:open|click|choose|select|run|install|check|set|enter|press|remove|add|create|turn|close|start|stop|wait"
        r"|connect|mount|clean|take|put|use|restart|hold|save|verify) ",
    ),
    "troubleshooting": _words(
        r"troubleshooting|common (?:errors|problems|issues)|diagnos\w+|when .{1,40} fails|known (?:issues|problems)"
        r"|fehlerbehebung|postmortem",
        r"symptoms?|causes?|resolution|fix(?:es)?|remed(?:y|ies)|workarounds?|errors?|problems?|fail(?:s|ed|ure|ing)?"
        r"|cannot|does not|doesn['’]t|not work\w*|timed? ?out",
        r"symptoms?|(?:probable|root|possible) causes?|solution|workaround|remedy|to fix (?:this|it)"
        r"|error (?:message|code)|if the problem persists|fails? with|the cause is|check (?:that|whether|if)",
        r"(?:symptom|cause|fix|solution|remedy|resolution|problem|diagnosis|what you see|what to do)s?\W{0,3}:",
    ),
    "reference": _words(
        r"reference|cheat ?sheet|glossary|specification|syntax|configuration options|catalog(?:ue)?",
        r"synopsis|options|parameters|arguments|syntax|return(?:s|ed)? values?|see also|environment|exit status"
        r"|attributes|properties|methods|functions|commands|constants|fields|settings|keywords|defaults",
        r"default(?:s to| is| value)|optional|required|deprecated|returns?|synopsis|valid values|accepts?",
    ),
    "policy": _words(
        r"polic(?:y|ies)|agreement|terms (?:of|and)|contract|licen[cs]e|regulations?|directive|act|privacy|statutes?"
        r"|code of conduct|bylaws|vertrag|gesetz|ordinance",
        r"(?:article|clause|section) [\dIVX]+|scope|liability|termination|governing law|confidentiality|compliance"
        r"|enforcement|responsibilities|indemni\w+|definitions|exceptions|prohibited|warrant(?:y|ies)|payment|purpose",
        r"shall(?: not)?|must not|here(?:by|in|under)|thereof|pursuant to|in accordance with|notwithstanding|liab\w+"
        r"|indemnif\w+|the part(?:y|ies)|third part(?:y|ies)|is prohibited|personal data|subject to|compl(?:y|iance)"
        r"|entitled to|terminat\w+|this (?:policy|agreement|contract|act|regulation)",
    ),
    "paper": _words(
        r"a study of|towards|an empirical|systematic review|randomi[sz]ed",
        r"abstract|introduction|related work|background|methods?|methodology|experiments?|evaluation|results?"
        r"|discussion|conclusions?|future work|references|acknowledge?ments|limitations",
        r"et al|we (?:propose|present|show|evaluate|introduce|find|report|demonstrate|study)|state[- ]of[- ]the[- ]art"
        r"|doi|arXiv|p ?[<=] ?0?\.\d+|statistically significant|our (?:method|approach|model|results|experiments)"
        r"|baselines?|in this (?:paper|work|article|study)|prior work|this study",
        r"(?:abstract|introduction|(?:materials and )?methods|results|discussion|conclusions?|references|findings"
        r"|interpretation)(?:\s*:|[ \t]*$)",
    ),
    "meeting": _words(
        r"minutes|meeting|stand-?up|retrospective|protokoll|sync notes|transcript",
        r"attendees|participants|agenda|action items?|decisions?|present|apologies|next meeting|any other business"
        r"|open points",
        r"attendees|action items?|agenda|minutes|next meeting|(?:was )?agreed(?: that| to)?|chaired|the meeting"
        r"|apologies|decided|to do|due (?:on|by)",
    ),
    "FAQ": _words(
        r"faqs?|frequently asked|questions and answers|q ?& ?a",
        lines=r"Q\d*\s*[:.]\s",
    ),
    "release notes": _words(
        r"release notes?|change ?log|what['’]?s new|release history|release \d|versionshinweise",
        r"v\d+\.\d+(?:\.\d+)?|\d+\.\d+\.\d+|(?:version|release) \d\S*|unreleased|added|changed|fixed|deprecated|removed"
        r"|security|breaking changes?|bug ?fixes|new features?|improvements",
        r"(?:in )?this release|breaking changes?|backwards?[- ]compatib\w+|upgrade to|since (?:version|v) ?\d"
        r"|no longer (?:supported|needed)|released on|was released",
        r"(?:fixed|added|changed|removed|deprecated|improved|fix(?:es)?|adds?|new|bug ?fix(?:es)?)[ :(]",
    ),
}
