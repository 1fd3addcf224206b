"""The words by which genres are told apart: plain tables, each rule a pattern and what it is worth.

A title that names the genre almost decides; headings and wording add up and have caps, so that one word said often does
not. Wording counts per thousand words: a long document says everything once.
"""

from __future__ import annotations

import re
from typing import NamedTuple

GENRES = (
    "API",
    "architecture",
    "guide",
    "tutorial",
    "troubleshooting",
    "reference",
    "policy",
    "paper",
    "meeting",
    "log",
    "code",
    "FAQ",
    "release notes",
    "other",
)


class Rule(NamedTuple):
    """``points`` for each match, up to ``most``; none below ``least`` matches or ``density`` of them per 1000 words.

    ``distinct``: the same words said twice count once.
    """

    genre: str
    pattern: re.Pattern[str]
    points: float
    most: float
    least: int = 1
    density: float = 0.0
    distinct: bool = True


def _rule(
    genre: str,
    words: str,
    points: float,
    most: float,
    *,
    least: int = 1,
    density: float = 0.0,
    distinct: bool = True,
    cased: bool = False,
) -> Rule:
    pattern = re.compile(words, re.MULTILINE | (0 if cased else re.IGNORECASE))
    return Rule(genre, pattern, points, most, least, density, distinct)


TITLE: tuple[Rule, ...] = (
    _rule("API", r"\bAPIs?\b|\bendpoints?\b|\bREST\b|\bOpenAPI\b", 3.5, 3.5, cased=True),
    _rule("architecture", r"\barchitecture\b|\bsystem design\b|\bdesign (?:doc|document|overview)\b|\bADR\b"
                          r"|\bRFC\b", 3.5, 3.5),
    _rule("tutorial", r"\btutorial\b|\bwalkthrough\b|\byour first\b|\blearn\b|\bhands-on\b|\bfrom scratch\b"
                      r"|\blesson\b", 3.5, 3.5),
    _rule("guide", r"\bguide\b|\bhandbook\b|\bmanual\b|\bhow[- ]to\b|\bgetting started\b|\binstall(?:ation|ing)\b"
                   r"|\brunbook\b"
          r"|\bbest practices\b|\banleitung\b|\bhandbuch\b", 3.0, 3.0),
    _rule("troubleshooting", r"\btroubleshooting\b|\bcommon (?:errors|problems|issues)\b|\bdiagnos\w+\b"
                             r"|\bwhen .{1,40} fails\b"
          r"|\bknown (?:issues|problems)\b|\bfehlerbehebung\b|\bpostmortem\b", 4.0, 4.0),
    _rule("reference", r"\breference\b|\bcheat ?sheet\b|\bglossary\b|\bspecification\b|\bman(?:ual)? page\b|\(\d\)$"
                       r"|\bsyntax\b"
          r"|\bconfiguration options\b|\bcatalog(?:ue)?\b", 2.5, 2.5),
    _rule("policy", r"\bpolic(?:y|ies)\b|\bagreement\b|\bterms (?:of|and)\b|\bcontract\b|\blicen[cs]e\b"
                    r"|\bregulations?\b|\bdirective\b"
          r"|\bact\b|\bprivacy\b|\bstatutes?\b|\bcode of conduct\b|\bbylaws\b|\bvertrag\b|\bgesetz\b"
          r"|\bordinance\b", 3.5, 3.5),
    _rule("paper", r"\ba study of\b|\btowards\b|\ban empirical\b|\bsystematic review\b|\brandomi[sz]ed\b", 2.0, 2.0),
    _rule("meeting", r"\bminutes\b|\bmeeting\b|\bstand-?up\b|\bretrospective\b|\bprotokoll\b|\bsync notes\b"
                     r"|\btranscript\b", 3.5, 3.5),
    _rule("log", r"\blogs?\b$|\.log\b", 2.0, 2.0),
    _rule("FAQ", r"\bfaqs?\b|\bfrequently asked\b|\bquestions and answers\b|\bq ?& ?a\b", 4.5, 4.5),
    _rule("release notes", r"\brelease notes?\b|\bchange ?log\b|\bwhat['’]?s new\b|\brelease history\b|\brelease \d"
                           r"|\bversionshinweise\b",
          4.5, 4.5),
)  # fmt: skip

HEADINGS: tuple[Rule, ...] = (
    _rule("API", r"^\W*(?:GET|POST|PUT|PATCH|DELETE)\s+[`/{]", 1.5, 4.0, cased=True),
    _rule("API", r"^[\d.\s]*(?:endpoints?|authentication|rate limits?|request(?: body)?|responses?|status codes"
                 r"|errors?|pagination"
          r"|webhooks?|resources|idempotency|authorization)\b", 0.7, 3.0, least=2),
    _rule("architecture", r"\barchitecture\b|\bcomponents?\b|\bdata flow\b|\bdeployment\b|\bscalability\b"
                          r"|\bdesign decisions?\b"
          r"|\balternatives(?: considered)?\b|\btrade-?offs?\b|\bconsequences\b|\bnon-goals\b|\bcontext\b"
          r"|\bservices\b|\bstorage\b"
          r"|\bavailability\b|\bfailure modes\b|\bsystem overview\b", 0.8, 4.0, least=2),
    _rule("guide", r"\binstall(?:ation|ing)?\b|\bconfigur(?:e|ing|ation)\b|\bset(?:ting)? up\b|\bhow to\b"
                   r"|\bbefore you\b|\busage\b"
          r"|\bprerequisites\b|\brequirements\b|\bgetting started\b|\bupgrad(?:e|ing)\b|\bdeploy(?:ing)?\b"
          r"|\bback(?:ing)? up\b"
          r"|\bchoos(?:e|ing)\b|\bcheck(?:list|ing)?\b|\bpreparing\b|\bafter(?:wards| you)\b|\bmounting\b"
          r"|\bmaintenance\b", 0.6, 3.0, least=2),
    _rule("tutorial", r"^\W*(?:step|lesson|exercise|part)\s+\d+\b", 1.2, 3.6, least=2),
    _rule("tutorial", r"\bwhat you(?:['’]ll| will) (?:learn|build|need)\b|\bnext steps\b|\bexercises?\b"
                      r"|\bwrap(?:ping)? up\b", 1.0, 2.5),
    _rule("troubleshooting", r"\bsymptoms?\b|\bcauses?\b|\bresolution\b|\bfix(?:es)?\b|\bremed(?:y|ies)\b"
                             r"|\bworkarounds?\b|\berrors?\b"
          r"|\bproblems?\b|\bfail(?:s|ed|ure|ing)?\b|\bcannot\b|\bdoes not\b|\bdoesn['’]t\b|\bnot work\w*\b"
          r"|\bdiagnos\w+\b|\btimed? ?out\b",
          0.8, 4.0, least=2),
    _rule("reference", r"^\W*(?:synopsis|options|parameters|arguments|syntax|returns?|return values?|see also"
                       r"|environment|exit status"
          r"|attributes|properties|methods|functions|commands|constants|fields|types|settings|keywords"
          r"|defaults)\b", 0.8, 4.0, least=2),
    _rule("policy", r"\b(?:article|clause|section)\s+[\dIVX]+\b|^\W*§|\bscope\b|\bliability\b|\btermination\b"
                    r"|\bgoverning law\b"
          r"|\bconfidentiality\b|\bcompliance\b|\benforcement\b|\bresponsibilities\b|\bindemni\w+\b|\bdefinitions\b"
          r"|\bexceptions\b"
          r"|\bprohibited\b|\bwarrant(?:y|ies)\b|\bpayment\b|\bpurpose\b|\breview\b", 0.7, 3.5, least=2),
    _rule("paper", r"^[\d.\s]*(?:abstract|introduction|related work|background|methods?|methodology"
                   r"|materials and methods|experiments?"
          r"|evaluation|results?(?: and discussion)?|discussion|conclusions?(?: and future work)?|future work"
          r"|references|acknowledge?ments"
          r"|limitations|data collection|participants)\W*$", 0.8, 4.5, least=3),
    _rule("meeting", r"\battendees\b|\bparticipants\b|\bagenda\b|\baction items?\b|\bdecisions?\b|\bpresent\b"
                     r"|\bapologies\b|\bnext meeting\b"
          r"|\bany other business\b|\bopen points\b", 1.0, 4.0, least=2),
    _rule("release notes", r"^[\W]*v?\d+\.\d+(?:\.\d+)?\b(?!\s+[a-z])[^.]{0,40}$|^\W*(?:version|release)\s+\d"
                           r"|^\W*unreleased\b", 1.2, 3.6,
          least=2, cased=False),
    _rule("release notes", r"^\W*(?:added|changed|fixed|deprecated|removed|security|breaking changes?|bug ?fixes"
                           r"|new features?"
          r"|improvements|enhancements|upgrade notes)\W*$", 1.0, 4.0, least=2),
)  # fmt: skip

WORDING: tuple[Rule, ...] = (
    _rule("API", r"\b(?:GET|POST|PUT|PATCH|DELETE)\s+[`\"]?/[\w/{}:.-]+|\bcurl\s+-", 0.8, 3.0, cased=True, density=1.5),
    _rule("API", r"\bendpoints?\b|\bquery parameters?\b|\brequest body\b|\bHTTP (?:status|\d{3})|\b(?:access"
                 r"|bearer) tokens?\b|\bAPI keys?\b"
          r"|\bapplication/json\b|\bJSON\b|\bstatus code\b|\brate limit\w*\b|\b[45]\d\d (?:Bad|Not|Too|Un|For|Int|Con"
          r"|Serv)\w+", 0.5, 2.5,
          density=5),
    _rule("architecture", r"\bcomponents?\b|\bservices?\b|\blayers?\b|\bmodules?\b|\bthroughput\b|\blatency\b"
                          r"|\bstateless\b|\breplica\w*\b"
          r"|\bconsisten(?:cy|t)\b|\bqueues?\b|\bdatabases?\b|\bload balanc\w+\b|\bpartition\w*\b|\bfail-?over\b"
          r"|\bwe (?:chose|decided|rejected)\b"
          r"|\btrade-?offs?\b|\bgateway\b|\bevent[- ]driven\b|\bmicroservices?\b|\bsubsystem\b", 0.35, 2.5, density=12),
    _rule("guide", r"\byou (?:can|should|need to|must|want|may)\b|\bmake sure\b|\bbefore you\b|\bif you\b"
                   r"|\bwe recommend\b", 0.4, 1.5, density=4),
    _rule("guide", r"^[^\w\n]{0,9}(?:\d+[.)]|[-*•])\s+(?:Open|Click|Choose|Select|Run|Install|Check|Set|Enter|Press"
                   r"|Remove|Add"
                   r"|Create|Go|Turn|Close"
          r"|Copy|Start|Stop|Wait|Connect|Mount|Clean|Read|Write|Take|Put|Make|Use|Download|Restart|Test|Scan|Hold"
          r"|Edit|Save|Verify)\b",
          0.4, 2.0, least=3, cased=True),
    _rule("tutorial", r"\b(?:in this (?:tutorial|lesson|exercise|chapter we)|let['’]s|you (?:will|['’]ll) (?:learn"
                      r"|build|create|see)"
          r"|by the end of|congratulations|we(?:['’]ll| will) (?:build|create|write|start|use|add|now)"
          r"|you should (?:now )?see|try it|now that)\b",
          0.8, 3.5, density=2),
    _rule("troubleshooting", r"\b(?:symptoms?|probable cause|root cause|possible causes?|solution|workaround|remedy"
                             r"|to fix (?:this|it)"
          r"|error message|if the problem persists|what to do|fails? with|error code|the cause is|stack trace"
          r"|check (?:that|whether|if))\b",
          0.6, 3.0, density=3),
    _rule("troubleshooting", r"^[^\w\n]{0,9}(?:symptom|cause|fix|solution|remedy|resolution|problem|diagnosis"
                             r"|what you see"
                             r"|what to do)s?\s*:", 1.0, 3.5,
          least=2),
    _rule("reference", r"\b(?:default(?:s to|:| is| value)|optional|required|deprecated|returns?|type:|synopsis"
                       r"|valid values|accepts?)\b", 0.4, 2.0,
          density=8),
    _rule("policy", r"\b(?:shall(?: not)?|must not|hereby|herein|hereunder|thereof|pursuant to|in accordance with"
                    r"|notwithstanding|liable|liability"
          r"|indemnif\w+|the part(?:y|ies)|governing law|third part(?:y|ies)|is prohibited|disciplinary|personal data"
          r"|subject to"
          r"|comply|compliance|entitled to|breach|terminat\w+|this (?:policy|agreement|contract|act"
          r"|regulation))\b", 0.5, 4.5, density=8),
    _rule("paper", r"\bet al\b|\bwe (?:propose|present|show|evaluate|introduce|find|report|demonstrate|study)\b"
                   r"|\bstate[- ]of[- ]the[- ]art\b"
          r"|\bdoi:|\barXiv\b|\bp ?[<=] ?0?\.\d|\bstatistically significant\b|\bour (?:method|approach|model|results"
          r"|experiments)\b|\bdatasets?\b"
          r"|\bbaselines?\b|\bin this (?:paper|work|article|study)\b|\bprior work\b", 0.6, 4.0, density=3),
    _rule("paper", r"(?:^|[.\s])(?:abstract|background|objectives?|methods?|findings|results|conclusions?"
                   r"|interpretation"
          r"|introduction|discussion)\s*:(?=\s+[A-Z])|^[ \t]{0,9}(?:\d\.? )?(?:abstract|introduction"
          r"|materials and methods"
          r"|methods|results"
          r"|discussion|conclusions?|references|acknowledge?ments?|bibliography)[ \t]*$", 0.7, 3.0, least=2),
    _rule("paper", r"\bdoi\b|\b10\.\d{4,9}/\w|\bcorresponding author\b|\bpeer[- ]review\w*\b|\bsupplementary\b"
                   r"|\bthis study\b"
          r"|\bwas (?:approved by|supported by|funded by)\b|\bcreative commons attribution\b"
          r"|\bfig(?:ure)?s?\.? \d", 0.5, 1.0, least=2),
    _rule("meeting", r"\b(?:attendees|action items?|agenda|minutes|next meeting|was agreed|agreed (?:that|to)|chaired"
                     r"|the meeting (?:was|opened|closed)"
          r"|apologies|decided:|to do:|due (?:on|by))\b", 0.8, 3.5, density=2),
    _rule("FAQ", r"^[^\w\n]{0,9}Q\d*\s*[:.]\s", 1.0, 4.0, least=2, cased=True, distinct=False),
    _rule("release notes", r"^[^\w\n]{0,9}(?:fixed|added|changed|removed|deprecated|improved|fix(?:es)?|adds?|new"
                           r"|bug ?fix(?:es)?)\b[ :(]", 0.4, 2.5,
          least=4, distinct=False),
    _rule("release notes", r"\b(?:in this release|this release|breaking changes?|backwards?[- ]compatib\w+|upgrade to"
                           r"|since (?:version|v)\s?\d"
          r"|no longer (?:supported|needed)|released on|was released)\b", 0.6, 2.0, density=3),
)  # fmt: skip
