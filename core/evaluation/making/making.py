"""Questions with gold for a library that has none: drafted from its documents, checked against all of it, spread.

By rules, or by a language model where one is given.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from random import Random

from core.errors import CancelledError, LecternError
from core.evaluation.making.checking import Place, is_told_apart, is_unanswered, places
from core.evaluation.making.documents import drafts_of
from core.evaluation.making.draft import Draft, overlap, same_wording
from core.evaluation.making.written import UNANSWERED, WRITTEN, written_drafts
from core.library import Library
from core.plain_values import from_values
from core.storage.catalogue.documents import text_hash
from core.storage.catalogue.judging import Judgment, anchored_in
from core.types import Span

ORIGIN = "synthetic"
TRUST = (
    "Questions made by a program repeat words of the documents, and so speak too well for searching by words: of ten "
    "presets they put the best one first, beside others, on two suites of three, and on code words alone, which was 14 "
    "points worse. Change what you have only where another is seen to be better: that never cost anything there."
)
"""What a choice by such questions is worth: ``benchmarks.made_questions``, told in docs/measuring.md."""
KINDS = {
    "definition": "what something is",
    "number": "how much, how long, how often",
    "date": "when",
    "name": "what something is called",
    "who": "who",
    "place": "where",
    "how": "how to",
    "cause": "why, or what happens if",
    "steps": "the steps of something",
    "heading": "what a heading asks",
    "table": "a cell of a table",
    "code": "defaults, values and purposes in code",
    WRITTEN: "what a language model thought of",
    UNANSWERED: "what the documents do not say",
}
_BATCH = 24  # documents that are read at once
_ALIKE = 0.8  # the share of words from which on two questions are near-copies of each other
# Questions of one kind from one document: before other documents have given what they can, and at all.
_OF_A_KIND, _MOST_OF_A_KIND = 4, 12

_DROPPED, _MOST_DROPPED = "made.dropped", 1000
_REVIEW = "made.review"
Watch = Callable[[int, int], None]
Decided = Sequence[tuple[int, ...]]
"""What a person made of the first questions: the numbers of each one's judgments, () where it was dropped."""


@dataclass(frozen=True, slots=True)
class MadeQuestion:
    """A question a person may keep, with its gold.

    ``others``: the same in other words. ``gold``: every place that answers, () where the documents do not. ``quote``:
    the words of the first, or those that come near. ``answer``: the short one. ``overlap``: the share of the question's
    words that stand in the quote, 1: all of them; the lower, the harder to find by words.
    """

    question: str
    others: tuple[str, ...]
    kind: str
    document: str
    gold: tuple[Place, ...]
    quote: str
    answer: str
    overlap: float


def make_questions(
    library: Library,
    count: int,
    seed: int = 0,
    watch: Watch | None = None,
    ask: Callable[[str], str] | None = None,
) -> list[MadeQuestion]:
    """Up to ``count`` questions that the library's documents answer; the same for the same library and seed.

    Each is drafted by rules from one document, then tried on the whole library: an answer that stands in several
    places word by word has all of them as gold, a question that something else answers too is dropped, and so is a
    near-copy of one that was judged, made or dropped before. They are spread over documents
    and kinds. Prose, headings and tables are asked of in English and where they are English, code in any language.

    ``watch(done, count)`` may raise to stop. Nothing is kept: that is ``keep``'s. ``ask``: has a language model
    complete a prompt; it then writes the questions in the rules' place, some such that nothing in the library answers.
    Where it fails, what was made until then is all there is; raises its error where that is nothing.
    """
    draw = Random(f"lectern {seed}")  # noqa: S311 - a choice of questions, no secret
    seen = [_words(line) for line in (*(row.judgment.question for row in library.judgments()), *left_out(library))]
    texts = _Texts(library)
    made: list[MadeQuestion] = []
    answered: set[tuple[str, Span, str]] = set()

    def tell() -> None:
        if watch is not None:
            watch(len(made), count)

    for version, draft in _drafts(library, texts, draw, tell, made, ask):
        if len(made) == count:
            break
        tell()
        question = draw.choice(draft.wordings)
        words = _words(question)
        same = (version, draft.gold, draft.answer)
        if same in answered or any(_alike(words, known) for known in seen):
            continue
        quote = texts.of(version)[draft.gold.start : draft.gold.end]
        gold: tuple[Place, ...] = ()
        if draft.kind == UNANSWERED:
            fits = is_unanswered(library, question)
        else:
            gold = places(texts.all(), version, draft)
            fits = bool(gold) and is_told_apart(library, question, draft, gold, texts.all())
        if not fits:
            continue
        seen.append(words)
        answered.add(same)
        others = tuple(line for line in draft.wordings if line != question)
        made.append(
            MadeQuestion(
                *(question, others, draft.kind, texts.names[version], gold, quote, draft.answer),
                overlap(question, quote),
            )
        )
    return made


def keep(library: Library, made: Sequence[MadeQuestion]) -> list[int]:
    """Keep made questions as judgments of the origin "synthetic", all or none, and return their numbers.

    Raises ``LecternError`` for a question that was emptied.
    """
    texts = _Texts(library)
    judged = []
    for item in made:
        judged += [
            anchored_in(text, text_hash(text), item.question, place.version_id, place.span, item.answer, ORIGIN)
            for place in item.gold
            for text in (texts.of(place.version_id),)
        ] or [Judgment(item.question.strip(), None, None, None, None, origin=ORIGIN)]
    return library.add_judgments(judged)


def leave_out(library: Library, question: str) -> None:
    """Remember with the library that this question was dropped: neither it nor a near-copy is made again."""
    library.set_preference(_DROPPED, json.dumps([*left_out(library), question][-_MOST_DROPPED:]))


def take_back(library: Library, question: str) -> None:
    """Forget that a question was dropped."""
    library.set_preference(_DROPPED, json.dumps([one for one in left_out(library) if one != question]))


def left_out(library: Library) -> list[str]:
    """The questions that were dropped, the oldest first."""
    return [str(one) for one in json.loads(library.preference(_DROPPED) or "[]")]


def remember_review(library: Library, made: Sequence[MadeQuestion], decided: Decided = ()) -> None:
    """Keep with the library what was made and how far a person has gone through it; once that is all, forget both."""
    left = len(decided) < len(made)
    library.set_preference(_REVIEW, json.dumps([[asdict(item) for item in made], decided]) if left else "")


def remembered_review(library: Library) -> tuple[list[MadeQuestion], Decided]:
    """What ``remember_review`` kept; nothing where nothing is left to decide."""
    made, decided = json.loads(library.preference(_REVIEW) or "[[], []]")
    return [from_values(MadeQuestion, item) for item in made], [tuple(ids) for ids in decided]


class _Texts:
    """The texts of a library's documents, each read once, and their names; versions in the order of their hashes."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._texts: dict[str, str] = {}
        self.names = {row.version_id: row.name for row in reversed(library.sources())}
        self.versions = sorted(self.names)

    def of(self, version: str) -> str:
        if version not in self._texts:
            self._texts[version] = self._library.document(version).text
        return self._texts[version]

    def all(self) -> dict[str, str]:
        return {version: self.of(version) for version in self.versions}


def _drafts(
    library: Library,
    texts: _Texts,
    draw: Random,
    tell: Callable[[], None],
    made: Sequence[MadeQuestion],
    ask: Callable[[str], str] | None,
) -> Iterator[tuple[str, Draft]]:
    """Of the rules, or of a model, which is not asked on once it has failed."""
    if ask is None:
        yield from _spread(library, texts, draw, tell)
        return

    def told(prompt: str) -> str:
        tell()
        return ask(prompt)

    try:
        yield from written_drafts(texts.versions, library.document, draw, told)
    except CancelledError:
        raise
    except LecternError:
        if not made:
            raise


def _spread(library: Library, texts: _Texts, draw: Random, tell: Callable[[], None]) -> Iterator[tuple[str, Draft]]:
    """Drafts one by one, from document to document and from kind to kind, in an order that the seed draws.

    ``tell``: called before each document, whose grammar may take half a minute; it may raise to stop.
    """
    versions = list(texts.versions)
    draw.shuffle(versions)
    left: list[tuple[str, Draft]] = []
    for at in range(0, len(versions), _BATCH):
        queues = []
        for version in versions[at : at + _BATCH]:
            tell()
            first, rest = _in_turn(drafts_of(library.document(version), library.settings.parsing), draw)
            queues.append([(version, draft) for draft in first])
            left += [(version, draft) for draft in rest]
        while any(queues):
            for queue in queues:
                if queue:
                    yield queue.pop(0)
    draw.shuffle(left)
    yield from left


def _in_turn(drafts: Sequence[Draft], draw: Random) -> tuple[list[Draft], list[Draft]]:
    """A document's drafts, kind after kind in turn, and those of the kinds it has too many of."""
    kinds: dict[str, list[Draft]] = defaultdict(list)
    for draft in drafts:
        kinds[draft.kind].append(draft)
    for items in kinds.values():
        draw.shuffle(items)
    order = sorted(kinds)
    draw.shuffle(order)
    first: list[Draft] = []
    for turn in range(_OF_A_KIND):
        first += [kinds[kind][turn] for kind in order if turn < len(kinds[kind])]
    return first, [draft for kind in order for draft in kinds[kind][_OF_A_KIND:_MOST_OF_A_KIND]]


def _words(question: str) -> frozenset[str]:
    return frozenset(same_wording(question).split())


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _ALIKE * len(one | other)
