"""Finds the turns of speakers in transcripts, chat exports and interviews; lists of fields are not conversations.

Subtitles become transcripts when they are parsed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from statistics import median

from core.text.sentences import asks
from core.text.spans import line_bounds, touching
from core.types import Span

_LONGEST_NAME = 48
_HEAD = 200  # characters of a line that are searched for a label
_DATE = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4},?[ \u202f]"
_STAMP = rf"(?:{_DATE})?\d{{1,2}}[:.]\d\d(?::\d\d)?(?:[.,]\d{{1,3}})?(?:[ \u202f]?[AaPp]\.?[ \u00a0\u202f]?[Mm]\.?)?"
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
    re.compile(rf"\[(?P<name>{_NAME})\][ ]{{1,2}}(?P<time>{_STAMP})[ ]{{0,4}}\Z"),
    re.compile(
        rf"(?P<name>{_WORD}(?:[ ]{_WORD}){{0,2}})[ ](?P<time>\d{{1,2}}:\d\d(?:[ \u202f]?[AaPp][Mm])?)[ ]{{0,4}}\Z"
    ),
)
_NICK = re.compile(r"(?:[\[(](?P<time>\d{1,2}:\d\d(?::\d\d)?)[\])][ ])?<[ @+~%&]?(?P<name>[^\s<>]{1,32})>(?=\s)")
_PLAIN = re.compile(rf"{_EDGE}(?P<name>{_NAME})(?:[ ]?[*_]{{2}}[:：]|[:：][*_]{{2}}|[:：])(?=\s|\Z)")
_OFFICE = re.compile(  # "The Minister for Energy (Mr. Kyalo):", "Hon. Ann Lee (Minister of Energy):"
    rf"(?P<outer>{_WORD}(?:,?[ ][\w.'’&/-]{{1,25}}){{1,16}})[ ]\((?P<name>{_NAME})\)[:：](?=\s|\Z)"
)
_TITLED = re.compile(r"[^\W\d_]{1,5}\.[ ]?[^\W\d_]")  # "Mr. Lee", "Hon. Lee"
_ASKED = re.compile(
    r"[*_]{0,2}(?P<name>Q|A|F|Question|Answer|Frage|Antwort)[ ]?\d{0,3}(?P<mark>[.:])[*_]{0,2}(?=\s|\Z)"
)
_HINT = re.compile(r"[:：<]|\A[*_]{0,2}(?:Q|A|F)[a-z]{0,7}[ ]?\d{0,3}\.")  # every form matches this
_TIME = re.compile(r"\d[:.]\d\d")  # every stamped form matches this

# Repeated labels that are no names: of remarks, change logs, log levels, records, mails and numbered things. Other
# labels are told from names by the whole text (``find_turns``).
_NOT_NAMES = frozenset(
    "note notes tip hint info important caution warning example examples attention problem solution objective purpose"
    " added changed fixed improved removed deprecated security feat fix docs refactor test tests"
    " trace debug notice warn error critical fatal severe panic"
    " name date time place location subject from to cc title author authors address phone email url link doi isbn"
    " keywords abstract summary source reference version license status type category tags price size description"
    " input output returns args parameters default total id key value http https"
    " step section chapter article clause part figure fig table rule item option day week phase level"
    " hinweis achtung wichtig beispiel datum betreff von an titel autor quelle remarque objet nota".split()
)


@dataclass(frozen=True, slots=True)
class Label:
    """The speaker's label that a line begins with. ``end``: where it ends in the line.

    ``form``: "stamped" (a name and a time), "nick" (``<name>``), "asked" (Q. and A.), "office" (a name in brackets)
    or "plain" (``Name:``).
    """

    name: str
    time: str
    end: int
    form: str


def read_label(line: str) -> Label | None:
    """The speaker's label that a line begins with; ``None`` without one.

    A plain ``Name:`` may still be something else: ``find_turns`` decides by the whole text.

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
    if "<" in head and (match := _NICK.match(head)):
        return Label(match["name"], match["time"] or "", match.end(), "nick")
    if match := _ASKED.match(head):
        return Label(match["name"], "", match.end(), "asked")
    for form in _STAMPED if _TIME.search(head) else ():
        if (match := form.match(head)) and is_name(match["name"]):
            return Label(_cleaned(match["name"]), match["time"], match.end(), "stamped")
    if (match := _PLAIN.match(head)) and is_name(match["name"]) and _is_capital(match["name"]):
        return Label(_cleaned(match["name"]), "", match.end(), "plain")
    if (match := _OFFICE.match(head)) and is_name(match["name"]) and _is_capital(head):
        is_outer = _TITLED.match(match["outer"]) and not _TITLED.match(match["name"])
        return Label(_cleaned(match["outer" if is_outer else "name"]), "", match.end(), "office")
    return None


@lru_cache(maxsize=1024)
def is_name(label: str) -> bool:
    """Whether a label may be a person's name: not a common label, not a clause of prose.

    >>> is_name("Postdoc B"), is_name("Warning"), is_name("there is one thing"), is_name("SPEAKER_00")
    (True, False, False, True)
    """
    plain = label.strip("*_ ").casefold()
    if len(plain) > _LONGEST_NAME or plain in _NOT_NAMES:
        return False
    words = plain.split()
    lower = sum(word[:1].islower() for word in label.split())
    return not words or (words[0] not in _NOT_NAMES and (len(words) < 3 or lower < len(words) - 1))


def _cleaned(name: str) -> str:
    return " ".join(name.strip("*_ ").split())


def _is_capital(name: str) -> bool:
    first = name.strip("*_ ")[:1]
    return not first.islower()


_FEWEST = 3  # least number of turns of a conversation
_SHARE = 0.5  # least share of paragraphs that begin a turn ...
_STAMPED_SHARE = 0.05  # ... where all turns have a time: an assistant's answers have many paragraphs
_TITLED_SHARE = 0.1  # ... where names have titles, as in proceedings, whose speeches have many paragraphs
_SURE_SHARE = 0.8  # share of repeated labels above which labels that occur once are names too
_SPOKEN_SHARE = 0.3  # least share of plain turns that read like speech, not like the values of fields
_BACKCHANNEL = 3  # words
_MORE_WORDS = re.compile(rf"(?:[\W_]*+(?:[^\W\d_][\w'’]*+|\d++)){{{_BACKCHANNEL + 1}}}")
_MARKS = re.compile(r"[.!?…。！？]['\"”’)\]]*$|[,;]\s|\{\w+\}")
_ASKING = frozenset({"Q", "F", "Question", "Frage"})


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn ``[start, end)``, label included; what is said begins at ``body``. ``label``: span of the label.

    ``speaker``, ``time``: as written, "" for none. ``asks``: whether it ends with a question. ``counts``: whether it is
    more than a backchannel ("OK.", "Mm-hm."), and so counts toward the turns of a leaf.
    """

    start: int
    end: int
    body: int
    label: Span
    speaker: str
    time: str
    asks: bool
    counts: bool


@dataclass(slots=True)
class _LabelledLine:
    """A line with a label. ``body``: the offset after the label."""

    start: int
    label: Label
    body: int


def find_turns(text: str, start: int = 0, end: int | None = None, skipped: Sequence[Span] = ()) -> list[Turn]:
    """The turns of ``[start, end)`` in order; [] where the text is no conversation.

    A line without a label belongs to the turn before it. Plain labels (``Name:``) count where names repeat, at least
    two speakers alternate, half of the paragraphs begin with a label, and the text after labels reads like speech.
    Where most names have titles ("Mr. Lee") or are in capitals, a tenth is enough. ``skipped``: in order, such as the
    footers of pages; no label is looked for in them.

    >>> talk = "Ada: Is it ready?\\nBob: Not yet, no.\\nAda: When will it be?\\nBob: Soon."
    >>> [(turn.speaker, talk[turn.body : turn.end], turn.asks) for turn in find_turns(talk)][:2]
    [('Ada', 'Is it ready?', True), ('Bob', 'Not yet, no.', False)]
    >>> find_turns("Name: Ada\\nBorn: 1815\\nName: Bob\\nBorn: 1820\\nName: Cid\\nBorn: 1830")
    []
    """
    stop = len(text) if end is None else end
    candidates, openers = _labels(text, start, stop, skipped)
    labelled = _plausible([one for one in candidates if one.label.form != "office"])
    share = _STAMPED_SHARE if all(one.label.form == "stamped" for one in labelled) else _SHARE
    titled = sum(_is_titled(one.label) for one in labelled)
    if titled >= _FEWEST and 2 * titled > sum(one.label.form != "asked" for one in labelled):
        names = {one.label.name for one in labelled}
        share = min(share, _TITLED_SHARE)
        labelled = [
            one for one in candidates if one.label.form == "office" or one.label.name in names or _is_titled(one.label)
        ]
    if len(labelled) < max(_FEWEST, share * openers):
        return []
    stops = [*(one.start for one in labelled[1:]), stop]
    turns = [_turn(text, one, until) for one, until in zip(labelled, stops, strict=True)]
    return turns if _is_talk(text, turns, labelled) else []


def _labels(text: str, start: int, stop: int, skipped: Sequence[Span]) -> tuple[list[_LabelledLine], int]:
    """Every line with a label, and how many lines begin a paragraph or have a label."""
    labelled: list[_LabelledLine] = []
    openers, blank = 0, True
    for at, line_end in line_bounds(text, start, stop):
        line = text[at:line_end]
        if skipped and skipped[touching(skipped, at, line_end)]:
            continue
        if not line or line.isspace():
            blank = True
        elif label := read_label(line):
            openers += 1
            labelled.append(_LabelledLine(at, label, at + label.end))
            blank = False
        else:
            openers += blank
            blank = False
    return labelled, openers


def _plausible(candidates: list[_LabelledLine]) -> list[_LabelledLine]:
    """The lines without plain labels that occur once; all lines, where nearly all labels repeat."""
    counts = Counter(one.label.name for one in candidates)
    repeated = [one for one in candidates if one.label.form != "plain" or counts[one.label.name] > 1]
    return candidates if len(repeated) >= _SURE_SHARE * len(candidates) else repeated


def _is_titled(label: Label) -> bool:
    """Whether a label is a person's in proceedings: a title before the name, or a name or an office in capitals."""
    several = label.name.isupper() and " " in label.name
    return several or _TITLED.match(label.name) is not None


def _turn(text: str, line: _LabelledLine, stop: int) -> Turn:
    """The turn that begins with this line and ends before ``stop``."""
    end = line.start + len(text[line.start : stop].rstrip())
    body = min(line.body, end)
    words = text[body:end].lstrip()
    asking = asks(words[-8:]) or line.label.name in _ASKING
    counts = asking or _MORE_WORDS.match(words, 0, 80) is not None
    label = Span(line.start, line.start + len(text[line.start : body].rstrip()))
    return Turn(line.start, end, end - len(words), label, line.label.name, line.label.time, asking, counts)


def _is_talk(text: str, turns: Sequence[Turn], labelled: Sequence[_LabelledLine]) -> bool:
    """Whether speakers alternate, and, where all labels are plain, the turns read like speech."""
    speakers = Counter(turn.speaker for turn in turns)
    changes = sum(one.speaker != other.speaker for one, other in pairwise(turns))
    if len(speakers) < 2 or changes < 2 or len(turns) < 1.5 * len(speakers):
        return False
    if any(one.label.form not in ("plain", "office") for one in labelled):
        return True
    spoken = [text[turn.body : min(turn.end, turn.body + 400)] for turn in turns]
    lengths = [len(words.split()) for words in spoken]
    marked = sum(bool(_MARKS.search(words)) and length > 1 for words, length in zip(spoken, lengths, strict=True))
    return median(lengths) >= 2 and marked >= _SPOKEN_SHARE * len(spoken)
