"""Questions of sentences: what something is, how much, when, why, where, how, who, and what happens if."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import replace

from core.evaluation.making.clauses import BE, Clause, clauses_of, is_noun_phrase
from core.evaluation.making.draft import Draft, plain, points, words_of
from core.text.analysis import STOP_WORDS
from core.text.calendar_names import MONTHS
from core.types import Span

_MONTH = rf"(?:{'|'.join(MONTHS)})"
_DAY = rf"(?:\d{{1,2}} {_MONTH}(?: \d{{4}})?|{_MONTH} \d{{1,2}}(?:, \d{{4}})?|{_MONTH} \d{{4}}|(?:1[5-9]|20)\d\d)"
_DATED = re.compile(rf"(?:^|(?<= ))(on|in|until|by|since) ({_DAY})(?=$|[ ,])", re.IGNORECASE)
_COUNT = (
    r"\d+(?:[.,]\d+)*(?: (?:thousand|million|billion))?|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|"
    r"fifteen|twenty|thirty|forty|fifty|sixty|ninety|a hundred|a thousand"
)
_ABOUT = r"(?:up to|at most|at least|about|around|roughly|more than|less than|fewer than|under|over|no more than|only)"
_MEASURE = re.compile(
    rf"(?:^|(?<= ))(?:(?P<prep>for|within|after|at|by|in|every|over) )?(?P<amount>(?:{_ABOUT} )?(?P<count>{_COUNT})"
    r"(?P<unit> ?%| [A-Za-z]+(?:[ -][a-z]+)?))(?=$|[ ,])",
    re.IGNORECASE,
)
_SPACED = re.compile(r" @(.)@ | ([,.;:?!)]|'s\b)")  # texts that were tokenised
_UNITS_OF_TIME = frozenset("seconds minutes hours days weeks months years milliseconds".split())
_SIZES = frozenset("long wide high deep tall old thick heavy far apart away".split())
_JOINTS = frozenset("of in on at to for from with and or as per by after before within until when that than".split())
_COUNTED = frozenset("each every all most many one two three four five six seven eight nine ten several some".split())
_DEFINING = re.compile(r"(?:an?|one|any|the (?:only|first|part|set|process|number|time|name)) ")
_PRAISE = frozenset(
    "important essential great good key critical major common favorite favourite continuing good bad".split()
)
_PLACED = re.compile(
    r"(?P<verb>(?:kept|stored|located|held|found|installed|mounted|situated|born|buried)"
    r"(?: [a-z]+ly)?) (?P<where>(?:in|at|on|behind|under|inside|beside|near) .+)"
)
_MEANS = re.compile(r"(?P<done>.+?) (?P<how>by [a-z]+ing .+)")
_NAMED = re.compile(r"(?:called|named|known as) (?P<name>\S+(?: [A-Z]\S*)*)")
_REASON = re.compile(r"(?:,? because| so that| in order to) (?!of )(?P<reason>.+)")
_IF = re.compile(r"(?P<joint>If|When|Once|Whenever) (?P<if>[^,;:]+), (?:then )?(?P<then>.+)")
_TOLD = re.compile(r"\b(?:was|were|had|would|did|became|began|[a-z]+ed)\b")
_PERSON = re.compile(
    r"(?P<name>(?:[A-Z][\w’'-]+ (?:(?:de|van|von|der|den) )*){1,2}[A-Z][\w’'-]+) "
    r"(?P<did>(?:[a-z]{2,}(?:s|ed)|was|is|has|wrote|led|won|made|became|built|found|took|gave) .+)"
)


def prose_drafts(text: str, sentence: Span, known: Set[str], people: Set[str]) -> Iterator[Draft]:
    """The questions a sentence answers. ``people``: names that are certainly of persons."""
    said = _SPACED.sub(r"\1\2", plain(text[sentence.start : sentence.end]))
    said = re.sub(r"^(?:[-•*–]|\(?[\da-z]{1,2}[.)]|\d+(?:\.\d+)+\.?) ", "", said)
    if not said.endswith((".", "”", ")")) or not 5 <= len(said.split()) <= 45 or said.count('"') % 2:
        return
    bare = re.sub(r" \([^()]*\)", "", said)
    yield from _conditions(bare, sentence)
    yield from _purposes(bare, sentence)
    yield from _persons(bare, sentence, people)
    yield from _appositions(bare, sentence, known)
    for part in bare.split("; "):
        for clause in clauses_of(part[0].upper() + part[1:], known):
            for make in (_amount, _date, _reason, _how, _place, _name):
                yield from (replace(draft, about=clause.subject) for draft in make(clause, sentence))
            yield from _definition(clause, sentence, people)


def _definition(clause: Clause, gold: Span, people: Set[str]) -> Iterator[Draft]:
    """ "What is X?": of kinds of things and of names, which are not spoken of as known."""
    words = clause.subject.split()
    if clause.helper in BE and clause.indefinite and len(words) <= 4 and _DEFINING.match(clause.rest):
        bare = " ".join(words[1:]) if words[0] in ("a", "an") else clause.subject
        # A name of several words may be a person's or a thing's.
        unsure = len(words) > 1 and all(word[0].isupper() for word in words) and clause.subject not in people
        praise = _PRAISE & set(clause.rest.lower().split()[:3])
        if "and" not in words and words[0].lower() not in _COUNTED and not unsure and not praise:
            yield Draft(
                "definition",
                f"{'Who' if clause.subject in people else 'What'} {clause.helper} {clause.subject}?",
                gold,
                clause.rest,
                (f"What is meant by {clause.subject}?",) if words[0] in ("a", "an") and bare.islower() else (),
            )
    said = re.fullmatch(r"(mean|denote|refer to|stand for) (.+)", clause.rest)
    if clause.helper == "does" and said:
        yield Draft("definition", f"What does {clause.subject} {said[1]}?", gold, said[2])


def _amount(clause: Clause, gold: Span) -> Iterator[Draft]:
    """ "How many …?": of a sentence that holds one amount in its first breath."""
    if re.search(r"\b(?:while|unless|except|if)\b", clause.rest):
        return  # it is another amount at another time
    breath = _breath(clause.rest)
    often = re.search(r" (every (?:hour|day|night|week|month|quarter|year|minute|second)|once an? [a-z]+)\Z", breath)
    if often and len(breath.split()) < 10 and not _MEASURE.search(breath):
        yield Draft(
            "number", _asked(f"how often {clause.helper} {clause.subject} {breath[: often.start()]}"), gold, often[1]
        )
    found = [one for one in _MEASURE.finditer(breath) if not _is_date(one, breath)]
    if len(found) != 1:
        return
    one = found[0]
    before, after = breath[: one.start()].strip(), breath[one.end() :].strip()
    unit, prep = one["unit"].strip().lower(), (one["prep"] or "").lower()
    head, extra = unit.split()[0].split("-")[0], unit.split()[1:]
    if (extra and extra[0] in _JOINTS | _SIZES) or (extra and head.endswith("s")):
        unit, after = head, " ".join([*extra, after]).strip()
    if re.match(r"(?:and|or|to|–|-) ?(?:\d|\w+ (?:minutes|hours|days))|(?:longer|more|less|later|earlier)\b", after):
        return
    if unit == "%" or unit.startswith("percent"):
        asked = "what percentage"
        if unit.startswith("percent "):
            after = f"{unit[8:]} {after}".strip()
    elif unit.endswith("s") and not unit.endswith("ss") and (unit.split()[-1] not in BE):
        asked = f"how many {unit}"
    else:
        return
    answer = f"{one['amount'].removesuffix(one['unit'])}{'' if unit == '%' else ' '}{unit}"
    after = "" if points(words_of(after)) else after
    subject = f"{clause.helper} {clause.subject}"
    rest = f"{before} {after}".strip()
    if not before and not prep:
        adjective = after.split()[0] if after else ""
        if adjective in _SIZES and clause.helper in BE:
            tail = after[len(adjective) :]
            asked = f"how far {adjective}" if adjective in ("apart", "away") else f"how {adjective}"
            yield Draft("number", _asked(f"{asked} {subject}{tail}"), gold, answer)
        elif clause.helper in BE and not after and len(clause.subject.split()) >= 3:
            yield Draft("number", _asked(f"what {subject}"), gold, answer)
        return
    if prep == "every":
        yield Draft("number", _asked(f"how often {subject} {rest}"), gold, f"every {answer}")
    elif prep:
        if (asked == "what percentage" and prep != "at") or (prep == "in" and clause.helper in BE):
            return
        if (prep == "in" and unit not in _UNITS_OF_TIME) or (not before and prep in ("at", "by", "over")):
            return
        if before.split()[-1:] and before.split()[-1] in _JOINTS:
            return
        long = prep == "for" and unit in _UNITS_OF_TIME
        exact = _asked(f"{prep} {asked} {subject} {rest}")
        yield Draft(
            "number",
            _asked(f"how long {subject} {rest}") if long else exact,
            gold,
            answer,
            (exact,) if long else (),
        )
    elif len(before.split()) <= 2 and before.split()[-1] not in _JOINTS and clause.helper not in BE:
        yield Draft("number", _asked(f"{asked} {subject} {rest}"), gold, answer)


def _date(clause: Clause, gold: Span) -> Iterator[Draft]:
    """ "When was it?": of a sentence with one date."""
    breath = _breath(clause.rest, dated=True)
    found = list(_DATED.finditer(breath))
    if len(found) != 1 or clause.helper == "does":
        return
    one = found[0]
    prep, before = one[1].lower(), re.sub(r" (?:early|late)$", "", breath[: one.start()].strip())
    rest = f"{before} {breath[one.end() :].strip(' ,')}".strip()
    if (
        not re.match(r"(?!to |the |an? )[a-z]", rest)
        or rest.split()[-1] in _JOINTS
        or re.search(rf"\d{{4}}|{_MONTH}", rest)
    ):
        return
    asked = {"on": "when", "in": "when"}.get(prep, f"{prep} when")
    exact = {"on": "on what date", "in": "in which year" if one[2].isdigit() else "in which month"}.get(prep)
    tail = f"{clause.helper} {clause.subject} {rest}"
    yield Draft("date", _asked(f"{asked} {tail}"), gold, one[2], (_asked(f"{exact} {tail}"),) if exact else ())


def _reason(clause: Clause, gold: Span) -> Iterator[Draft]:
    """ "Why …?": of a sentence that says why."""
    found = _REASON.search(clause.rest)
    if found is None or "," in clause.rest[: found.start()] or len(found["reason"].split()) < 3:
        return
    what = clause.rest[: found.start()]
    if len(what.split()) < 1 or _REASON.search(what):
        return
    said = clause.said[: clause.said.find(found[0])]
    said = said if not clause.subject[0].islower() else said[0].lower() + said[1:]
    yield Draft(
        "cause",
        _asked(f"why {clause.helper} {clause.subject} {what}"),
        gold,
        found["reason"],
        (f"What is the reason that {said}?",),
    )


def _how(clause: Clause, gold: Span) -> Iterator[Draft]:
    """ "How is it done?": of a sentence that says by doing what."""
    found = _MEANS.match(_breath(clause.rest))
    if found and clause.helper not in ("does", "will") and "," not in found["done"]:
        yield Draft("how", _asked(f"how {clause.helper} {clause.subject} {found['done']}"), gold, found["how"])


def _place(clause: Clause, gold: Span) -> Iterator[Draft]:
    """ "Where is it kept?" """
    found = _PLACED.match(_breath(clause.rest))
    if (
        found
        and clause.helper in BE
        and not re.search(rf"\d{{4}}|{_MONTH}|\b(?:decade|year|time|past|case|way|state|place)", found["where"])
    ):
        yield Draft("place", _asked(f"where {clause.helper} {clause.subject} {found['verb']}"), gold, found["where"])


def _name(clause: Clause, gold: Span) -> Iterator[Draft]:
    """ "What is it called?" """
    found = _NAMED.match(_breath(clause.rest))
    if found and clause.helper in BE:
        yield Draft("name", _asked(f"what {clause.helper} {clause.subject} called"), gold, found["name"].strip(",."))


def _persons(said: str, gold: Span, people: Set[str]) -> Iterator[Draft]:
    """ "Who did it?": of a sentence whose subject is a person; what the person did stays as it was written."""
    found = _PERSON.fullmatch(re.split(r"[.;]$|; ", said)[0].strip())
    if found and found["name"] in people and not re.match(r"(?:is|was) an? ", found["did"]):
        did = re.split(r", (?:which|who|where|and|but) ", found["did"])[0]
        yield Draft("who", f"Who {did}?", gold, found["name"], (f"Which person {did}?",))


def _conditions(said: str, gold: Span) -> Iterator[Draft]:
    """ "What happens if …?": of a sentence that says so; the condition stays as it was written."""
    found = _IF.match(said)
    if found is None:
        return
    condition, then = found["if"].split(), found["then"].split()
    opening = condition[0].lower()
    plural = opening.endswith("s") and opening not in STOP_WORDS
    if (
        len(condition) < 3
        or len(then) < 3
        or not (opening in ("a", "an", "the", "data") or plural or _is_name(condition[0]))
    ):
        return
    joint = _joint(found)
    ordered = then[0].islower() and not is_subject(then)
    asked = "What should be done" if ordered else "What happens"
    about = " ".join(condition[:2])  # where its verb begins cannot be told
    yield Draft("cause", f"{asked} {joint} {found['if']}?", gold, found["then"].rstrip("."), about=about)


def _joint(found: re.Match[str]) -> str:
    """The word that a condition begins with in a question."""
    return "if" if found["joint"] == "If" else "when"


def _purposes(said: str, gold: Span) -> Iterator[Draft]:
    """ "How do I …?": of a sentence that says how to."""
    found = re.match(r"To (?P<do>[a-z]+ [^,;:]+)[,:] (?P<how>[a-z].+)", said)
    if found and found["do"].split()[0] not in STOP_WORDS and len(found["do"].split()) >= 3:
        if is_subject(found["how"].split()) and not re.match(r"you (?:can|must|should|may|need)\b", found["how"]):
            return  # it tells what somebody did
        yield Draft("how", f"How do I {found['do']}?", gold, found["how"], (f"What does it take to {found['do']}?",))


def _appositions(said: str, gold: Span, known: Set[str]) -> Iterator[Draft]:
    """ "What is X?": of a name with what it is behind it, between commas."""
    for found in re.finditer(r"\b(?P<name>[A-Z]\w+), (?P<is>(?:an?|the) [a-z][^,;.]+)(?=[,;.])", said):
        if (
            found["name"].lower() not in known
            and len(found["is"].split()) >= 4
            and len(re.findall(rf"\b{found['name']}\b", said)) == 1
        ):
            yield Draft("definition", f"What is {found['name']}?", gold, found["is"])


def _is_name(word: str) -> bool:
    return word.lower() not in STOP_WORDS and (word[0].isupper() or "_" in word or any(map(str.isdigit, word)))


def is_subject(words: list[str]) -> bool:
    """Whether a main clause begins with its subject and not with a command.

    >>> [is_subject(words.split()) for words in ("the alarm stops", "roll it back", "deployments stop")]
    [True, False, True]
    """
    first = words[0].lower().rstrip(",")
    pronoun = first in frozenset("it they this that these those he she we you i there nobody nothing everybody".split())
    helped = next((at for at, word in enumerate(words[:8]) if word.lower() in BE | {"can", "may", "will", "must"}), 0)
    if pronoun or first in frozenset("a an the all each every its their his her our your my no both".split()):
        return True
    return (
        (first.endswith("s") and not first.endswith("ss"))
        or first in _COUNTED
        or bool(helped and is_noun_phrase(words[:helped]))
    )


def _breath(rest: str, *, dated: bool = False) -> str:
    """What is said before the sentence goes on with more."""
    stop = r", (?!\d{4})" if dated else r",(?!\d)"
    return re.split(rf"{stop}|:| (?:because|so that|which|while|but|whether|unless|even) | and (?!\d)", rest)[0].strip()


def _is_date(one: re.Match[str], breath: str) -> bool:
    return any(
        day.start() <= one.start() < day.end() or one.start() <= day.start() < one.end()
        for day in re.finditer(_DAY, breath)
    ) or words_of(one["unit"])[:1] in ([month.lower()] for month in MONTHS)


def _asked(words: str) -> str:
    """Words as a question.

    >>> _asked("how long  is  it")
    'How long is it?'
    """
    line = " ".join(words.split()).rstrip(" ,.;:")
    return f"{line[:1].upper()}{line[1:]}?"
