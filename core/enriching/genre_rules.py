"""The words by which genres are told apart: of each, what its title, its sentences and the openings of its lines say.

Alternatives of regular expressions, whole words each, in any case. A title that names the genre almost decides;
sentences and lines add up (``core.enriching.genre``).
"""

from __future__ import annotations

import re
from typing import NamedTuple


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
}
