"""The forms a speaker's turn begins with, line by line: transcripts, chat exports, interviews, and subtitles' cues."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_LONGEST_NAME = 48
_HEAD = 200  # characters of a line in which its label is looked for
_DATE = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?[ \u202f]"
_STAMP = rf"(?:{_DATE})?\d{{1,2}}[:.]\d\d(?::\d\d)?(?:[.,]\d{{1,3}})?(?:[ \u202f]?[AaPp]\.?[Mm]\.?)?"
_WORD = r"[^\W\d_](?:[\w.'’&/-]{0,24})"
_NAME = rf"(?:{_WORD}(?:[ \u00a0](?:{_WORD}|\d{{1,3}}|\([\w ]{{1,24}}\))){{0,4}}|[+~]?\d[\d \u00a0()-]{{6,20}})"
_EDGE = r"(?:>>[ ]?|[*_]{2}|[-*][ ][*_]{2})?"

# Each form: a regular expression with the groups `name` and, where the form has one, `time`.
_STAMPED = (
    re.compile(
        rf"{_EDGE}[\[(](?P<time>{_STAMP})[\])](?:[ ]-)?[ ]{{0,2}}<?(?P<name>{_NAME})"
        r"(?:>|[*_]{0,2}[:：][*_]{0,2})(?=\s|\Z)"
    ),
    re.compile(rf"(?P<time>{_STAMP})(?:[ ]?[-–][ ]|[ ]{{1,3}})<?(?P<name>{_NAME})(?:>|[:：])(?=\s|\Z)"),
    re.compile(rf"{_EDGE}(?P<name>{_NAME})[ ]{{1,3}}[\[(](?P<time>{_STAMP})[\])][*_]{{0,2}}[:：]?[*_]{{0,2}}(?=\s|\Z)"),
    re.compile(rf"(?P<name>{_NAME})(?:[ ]{{2,4}}|\t|[ ][—–-][ ]|,[ ])(?P<time>{_STAMP})[ ]{{0,4}}\Z"),
    re.compile(rf"(?P<time>{_STAMP})[ ]{{1,4}}(?P<name>{_NAME})[ ]{{0,4}}\Z"),
    re.compile(
        rf"(?P<name>{_WORD}(?:[ ]{_WORD}){{0,2}})[ ](?P<time>\d{{1,2}}:\d\d(?:[ \u202f]?[AaPp][Mm])?)[ ]{{0,4}}\Z"
    ),
)
_NICK = re.compile(r"(?:[\[(](?P<time>\d{1,2}:\d\d(?::\d\d)?)[\])][ ])?<[ @+~%&]?(?P<name>[^\s<>]{1,32})>(?=\s)")
_PLAIN = re.compile(rf"{_EDGE}(?P<name>{_NAME})(?:[ ]?[*_]{{2}}[:：]|[:：][*_]{{2}}|[:：])(?=\s|\Z)")
_ASKED = re.compile(
    r"[*_]{0,2}(?P<name>Q|A|F|Question|Answer|Frage|Antwort)[ ]?\d{0,3}(?P<mark>[.:])[*_]{0,2}(?=\s|\Z)"
)
_HINT = re.compile(r"[:：<]|\A[*_]{0,2}(?:Q|A|F)[a-z]{0,7}[ ]?\d{0,3}\.")  # every form has one of these
_TIME = re.compile(r"\d[:.]\d\d")  # every stamped form has one
_CUE = re.compile(r"(?P<time>(?:\d{1,3}:)?\d\d:\d\d[.,]\d{3}) --> (?:\d{1,3}:)?\d\d:\d\d[.,]\d{3}(?=\s|\Z)")
_VOICE = re.compile(r"<v(?:\.[\w.]{1,32})? (?P<name>[^>\n]{1,48})>")

# Labels that open lines of prose, of a record or of a list of changes, and are nobody's name.
_NOT_NAMES = frozenset(
    "note notes warning caution important tip hint info todo fixme example examples e.g i.e ps summary abstract"
    " keywords conclusion conclusions introduction background methods method results result discussion objective"
    " purpose aim name date time place location subject from to cc bcc re fw fwd title author authors address"
    " phone email e-mail tel fax website web url uri link links doi isbn issn pmid source sources reference"
    " references version license licence copyright status type kind category categories tags tag price cost size"
    " weight color colour description details input output returns return args arguments parameters params raises"
    " yields usage syntax default defaults options added fixed changed removed deprecated security feat fix docs"
    " chore refactor test tests build ci perf style revert improved updated breaking new bugfix bug feature"
    " features release step steps figure fig table section chapter article clause part appendix annex schedule"
    " page line theorem lemma proof definition corollary remark exercise problem solution hypothesis claim case"
    " total sum amount number id key value task goal required optional hinweis achtung wichtig beispiel datum"
    " betreff von an titel autor quelle anmerkung ort attention remarque exemple objet nota ejemplo fecha asunto"
    " debug trace error warn fatal critical severe notice panic http https ftp mailto file".split()
)
_NUMBERED_LABEL = re.compile(
    r"(?:step|section|chapter|article|clause|part|figure|fig|table|note|rule|item|option|day|week|phase|level)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Label:
    """What a line begins with. ``end``: where its label ends, in the line. ``form``: which form it has.

    Forms: "stamped" (a name and a time), "nick" (``<name>``), "asked" (Q. and A.), "cue" (a subtitle), "plain".
    """

    name: str
    time: str
    end: int
    form: str


def read_label(line: str) -> Label | None:
    """The speaker's label a line begins with; ``None`` where it begins with none.

    A plain ``Name: `` may still be something else: ``turns`` decides by the whole text.

    >>> [read_label(line).name for line in ("Grad G: So yes .", "[10:15] Ada Lovelace: Hm.", "**Bob:** No.", "Q. Why?")]
    ['Grad G', 'Ada Lovelace', 'Bob', 'Q']
    >>> read_label("21/11/2026, 18:10 - Ada: Hm."), read_label("Ada (10:15):").time
    (Label(name='Ada', time='21/11/2026, 18:10', end=24, form='stamped'), '10:15')
    >>> read_label("Note: this is no turn."), read_label("It is so: he said yes."), read_label("Step 2: press it.")
    (None, None, None)
    """
    head = line[:_HEAD].rstrip()
    if not _HINT.search(head):
        return None
    if " --> " in head and (match := _CUE.match(head)):
        return Label("", match["time"], match.end(), "cue")
    if "<" in head and (match := _NICK.match(head)):
        return Label(match["name"], match["time"] or "", match.end(), "nick")
    if match := _ASKED.match(head):
        return Label(match["name"], "", match.end(), "asked")
    for form in _STAMPED if _TIME.search(head) else ():
        if (match := form.match(head)) and is_name(match["name"]):
            return Label(_tidy(match["name"]), match["time"], match.end(), "stamped")
    if (match := _PLAIN.match(head)) and is_name(match["name"]) and _is_capital(match["name"]):
        return Label(_tidy(match["name"]), "", match.end(), "plain")
    return None


def voice_of(line: str) -> tuple[str, int]:
    """Who speaks the line of a cue (WebVTT's voice tag, or a plain label), and where the label ends.

    >>> voice_of("<v Ada Lovelace>Hm."), voice_of("Ada: Hm."), voice_of("Hm.")
    (('Ada Lovelace', 16), ('Ada', 4), ('', 0))
    """
    if match := _VOICE.match(line[:_HEAD]):
        return match["name"].strip(), match.end()
    if (match := _PLAIN.match(line[:_HEAD])) and is_name(match["name"]) and _is_capital(match["name"]):
        return _tidy(match["name"]), match.end()
    return "", 0


@lru_cache(maxsize=1024)
def is_name(label: str) -> bool:
    """Whether a label may be somebody's name: not a common opener of lines, not a clause of prose.

    >>> is_name("Postdoc B"), is_name("Warning"), is_name("there is one thing"), is_name("SPEAKER_00")
    (True, False, False, True)
    """
    plain = label.strip("*_ ").casefold()
    if len(plain) > _LONGEST_NAME or plain in _NOT_NAMES or _NUMBERED_LABEL.match(plain):
        return False
    words = plain.split()
    lower = sum(word[:1].islower() for word in label.split())
    return not words or (words[0] not in _NOT_NAMES and (len(words) < 3 or lower < len(words) - 1))


def _tidy(name: str) -> str:
    return " ".join(name.strip("*_ ").split())


def _is_capital(name: str) -> bool:
    first = name.strip("*_ ")[:1]
    return not first.islower()
