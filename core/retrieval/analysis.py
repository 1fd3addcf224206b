"""What a question asks for, read from its words alone: conditions, named anchors, intent, parts. No model, no store.

What a language model wrote for it (``rewording``) is laid beside that, to be shown and searched; it conditions nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.retrieval.bounds import Comparison, comparison_in
from core.retrieval.intents import genres_hinted, intent_of
from core.retrieval.named_anchors import NamedAnchor, named_anchors
from core.retrieval.operators import operators
from core.retrieval.rewording import IMAGINED, PART, REWRITTEN, Wording, Written
from core.retrieval.splitting import Part, parts_of
from core.retrieval.wording import in_words
from core.settings.understanding import UnderstandingSettings
from core.storage.conditions import OF_SOURCES, WITHOUT, Condition
from core.storage.shelves import Known

_INTENT_WORDS = {
    "definition": "asks what something is",
    "procedure": "asks how to do it",
    "comparison": "asks to compare",
    "number": "asks for a number",
}
BOOSTED = " (boost)"  # what a leaning's words end with
_BLANKS = re.compile(r"\s{2,}")
_WORD = re.compile(r"\w")
Key = tuple[str, str]
Keys = frozenset[Key]
Chip = Condition | NamedAnchor | Comparison | Part | Written


@dataclass(frozen=True, slots=True)
class Understanding:
    """What was read out of a question. Every span is of ``question``, which is as it was asked.

    ``text``: what the searches get: the question without its operators; the question itself where nothing else is
    left. ``parts``: of a question that asks several things, () for one. ``intent``: "definition", "procedure",
    "comparison", "number" or "". ``conditions`` were stated and filter; ``leanings`` were inferred and only lend
    weight, the intent among them. ``written``: what a language model wrote for it. ``notes``: sentences on operators
    that name nothing, and on what a model wrote and could not be used. ``comparison``: what is asked of a number.
    """

    question: str
    text: str
    parts: tuple[Part, ...] = ()
    intent: str = ""
    anchors: tuple[NamedAnchor, ...] = ()
    conditions: tuple[Condition, ...] = ()
    leanings: tuple[Condition, ...] = ()
    notes: tuple[str, ...] = ()
    written: tuple[Written, ...] = ()
    comparison: Comparison | None = None

    @property
    def sought(self) -> str:
        """What the searches look for: the question in the words of a language model where it wrote some."""
        return next(iter(self._written(REWRITTEN)), self.text)

    @property
    def searches(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What to search for, the question first, then its parts: those that a language model sees, or else those that
        the words show; each with the texts to be looked for by meaning together with it.
        """
        parts = self._written(PART) or tuple(one.text for one in self.parts)
        return (self.sought, self.imagined), *((part, ()) for part in parts)

    @property
    def imagined(self) -> tuple[str, ...]:
        """Answers that a language model made up, to be looked for by meaning together with the question."""
        return self._written(IMAGINED)

    def worded(self, wording: Wording, ignored: Keys = frozenset()) -> Understanding:
        """With what a language model wrote, but for the keys ``ignored``.

        >>> asked = understand("rate?").worded(Wording((Written("rewritten", "interest rate"), Written("part", "APR"))))
        >>> asked.searches
        (('interest rate', ()), ('APR', ()))
        """
        written = tuple(one for one in wording.texts if one.key not in ignored)
        return replace(self, written=written, notes=(*self.notes, *wording.notes))

    def _written(self, kind: str) -> tuple[str, ...]:
        return tuple(one.value for one in self.written if one.kind == kind)

    @property
    def chips(self) -> tuple[Chip, ...]:
        """Everything that can be shown by its ``words`` and taken away by its ``key``: what the question says in the
        order it was asked, then its parts, then what was written for it. A phrase that filters is not shown once more
        as an anchor, nor are parts by words where a language model's are searched.
        """
        stated = {one.value for one in self.conditions if one.kind == "phrase"}
        anchors = [one for one in self.anchors if one.kind != "phrase" or one.value not in stated]
        compared = [self.comparison] if self.comparison else []
        every: list[Condition | NamedAnchor | Comparison] = [*self.conditions, *self.leanings, *anchors, *compared]
        parts = () if self._written(PART) else self.parts
        return (*sorted(every, key=lambda one: (one.start, one.end, one.key)), *parts, *self.written)


NOTHING = Understanding("", "")


def understand(
    question: str,
    settings: UnderstandingSettings | None = None,
    known: Known | None = None,
    ignored: Keys = frozenset(),
    stated: Keys = frozenset(),
) -> Understanding:
    """What the question asks for. Pure.

    ``known``: what there is to be named; without it no place, genre or type in words is a condition. ``ignored``: keys
    of chips that were taken away: they are left out of what is found again, and the text stays without their operator.
    ``stated``: keys of leanings that filter as if the question had said so; of those that cannot, nothing changes.

    >>> known = Known(names=frozenset({"handbook.md"}), kinds=frozenset({"pdf"}))
    >>> found = understand('How do I roll back in the handbook? type:pdf "two sites" -draft', known=known)
    >>> found.text, found.intent
    ('How do I roll back in the handbook? "two sites"', 'procedure')
    >>> [chip.words for chip in found.chips]
    ['asks how to do it (boost)', 'in: handbook', 'type: PDF', 'phrase: “two sites”', 'not: draft']
    >>> removed = frozenset({("in", "handbook"), ("phrase", "two sites")})
    >>> [chip.words for chip in understand(found.question, known=known, ignored=removed).conditions]
    ['type: PDF', 'not: draft']
    >>> understand("Who led it after 2023?", stated=frozenset({("after", "2023")})).conditions[0].words
    'after 2023'
    """
    chosen = settings or UnderstandingSettings()
    library = known or Known()
    used = operators(question, library) if chosen.filters else None
    written = used.conditions if used else ()
    spoken = in_words(question, library) if chosen.filters else ()
    spoken = tuple(one for one in spoken if all(one.end <= other.start or other.end <= one.start for other in written))
    cut = used.spans if used else ()
    named = named_anchors(question)
    anchors = named if chosen.anchors else ()
    firsts = {
        one.key: one for one in reversed(anchors) if all(one.end <= start or end <= one.start for start, end in cut)
    }
    anchors = tuple(reversed(firsts.values()))
    plain = _blanked(question, cut)
    told = intent_of(plain)
    hinted = [one for one in genres_hinted(plain) if one.name in library.genres] if chosen.filters else []
    leanings = [
        *(one for one in spoken if not one.stated),
        *(Condition("genre", one.name, False, one.start, one.end, f"genre: {one.name}{BOOSTED}") for one in hinted),
    ]
    aside = {(one.kind.removeprefix(WITHOUT), one.value) for one in (*written, *spoken) if one.denied}
    leanings = [one for one in leanings if one.key not in aside]
    if told.name:
        words = f"{_INTENT_WORDS[told.name]}{BOOSTED}"
        leanings.append(Condition("intent", told.name, False, told.start, told.end, words))
    raised = [_raised(one) for one in leanings if one.key in stated and may_filter(one)]
    compared = comparison_in(plain)
    meant: list[Condition | NamedAnchor] = [*written, *spoken]
    meant += [one for one in named if one.kind not in ("symbol", "phrase")]
    if compared and (compared.key in ignored or any(_overlap(compared, one) for one in meant)):
        compared = None  # "before version 2", "Python 3.10 or higher" are no numbers to be compared
    conditions = _once([*written, *(one for one in spoken if one.stated), *raised], ignored)
    taken = {one.key for one in conditions} | ignored
    gone = {value for kind, value in ignored if kind == "phrase"}
    return Understanding(
        question,
        _text(question, cut),
        _heeded(parts_of(plain), ignored) if chosen.split else (),
        told.name if ("intent", told.name) not in ignored else "",
        tuple(one for one in anchors if one.key not in ignored and not (one.kind == "phrase" and one.value in gone)),
        conditions,
        _once(leanings, frozenset(taken)),
        used.notes if used else (),
        comparison=compared,
    )


def may_filter(chip: Chip) -> bool:
    """Whether a leaning can be made a filter: it names documents, of which some do not fit it.

    >>> may_filter(Condition("genre", "API", False, 0, 3, "genre: API (boost)"))
    True
    >>> may_filter(Condition("intent", "number", False, 0, 8, "asks for a number (boost)"))
    False
    """
    return isinstance(chip, Condition) and not chip.stated and chip.kind in OF_SOURCES


def _raised(one: Condition) -> Condition:
    """A leaning as it would be, had the question stated it."""
    return replace(one, stated=True, words=one.words.removesuffix(BOOSTED))


def _once(found: Sequence[Condition], without: Keys) -> tuple[Condition, ...]:
    kept: dict[Key, Condition] = {}
    for one in sorted(found, key=lambda one: (one.start, one.end)):
        if one.key not in without:
            kept.setdefault(one.key, one)
    return tuple(kept.values())


def _heeded(parts: Sequence[Part], ignored: Keys) -> tuple[Part, ...]:
    """What is asked twice is searched once."""
    firsts = {one.key: one for one in reversed(parts)}
    return tuple(one for one in parts if firsts[one.key] is one and one.key not in ignored)


def _overlap(one: Comparison, other: Condition | NamedAnchor) -> bool:
    return one.start < other.end and other.start < one.end


def _blanked(question: str, cut: Sequence[tuple[int, int]]) -> str:
    """The question with blanks where its operators stand, so that places stay."""
    for start, end in cut:
        question = question[:start] + " " * (end - start) + question[end:]
    return question


def _text(question: str, cut: Sequence[tuple[int, int]]) -> str:
    """The question without its operators; as it is where it has none, or nothing else."""
    if not cut:
        return question
    left = _BLANKS.sub(" ", _blanked(question, cut)).strip()
    return left if _WORD.search(left) else question
