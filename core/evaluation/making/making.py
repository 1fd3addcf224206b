"""Generates questions with gold for a library: drafts from its documents, checked against the whole library.

Drafts come from rules, or from a language model where one is given.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from random import Random

from core.errors import CancelledError, LecternError
from core.evaluation.making.checking import Place, is_unambiguous, is_unanswered, occurrences
from core.evaluation.making.documents import drafts_of
from core.evaluation.making.draft import Draft, overlap, same_wording
from core.evaluation.making.written import UNANSWERED, WRITTEN, written_drafts
from core.library import Library
from core.plain_values import from_values
from core.storage.catalogue.judging import Judgment, anchored_in
from core.storage.catalogue.texts.documents import text_hash
from core.types import Span

ORIGIN = "synthetic"
TRUST = (
    "Questions made by a program repeat words of the documents, and so speak too well for searching by words: of ten "
    "presets they put the best one first, beside others, on two suites of three, and on code words alone, which was 14 "
    "points worse. Change what you have only where another is seen to be better: that never cost anything there."
)
"""How far a choice of presets by such questions can be trusted. Measured by ``benchmarks.made_questions``; see
docs/measuring.md."""
KINDS = {
    "definition": "what something is",
    "number": "how much, how long, how often",
    "date": "when",
    "who": "who",
    "how": "how to",
    "cause": "why, or what happens if",
    "steps": "the steps of something",
    "heading": "what a heading asks",
    "table": "a cell of a table",
    "data": "a cell of a table of data",
    "code": "defaults, values and purposes in code",
    WRITTEN: "what a language model thought of",
    UNANSWERED: "what the documents do not say",
}
_BATCH = 24  # documents whose drafts are interleaved
_NEAR_COPY = 0.8  # Jaccard similarity of the words from which on two questions are near-copies
# Questions of one kind from one document: in the first round over all documents, and in total.
_FIRST_OF_A_KIND, _MOST_OF_A_KIND = 4, 12

_DROPPED, _MOST_DROPPED = "made.dropped", 1000
_REVIEW = "made.review"
Watch = Callable[[int, int], None]
Decided = Sequence[tuple[int, ...]]
"""The user's decisions on the first questions: the ids of the judgments made of each, () for a dropped question."""


@dataclass(frozen=True, slots=True)
class MadeQuestion:
    """A generated question for the user to keep or drop.

    ``others``: rewordings. ``gold``: every place that answers it, () for an unanswerable question. ``quote``: the text
    of the first place; for an unanswerable question, of the passage it was made from. ``answer``: the short answer.
    ``overlap``: share of the question's words in ``quote``, in [0, 1]; the lower, the harder for lexical search.
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
    """Up to ``count`` questions, spread over documents and kinds. The same library and seed give the same questions.

    Each is drafted by rules from one document and then checked against the whole library. All verbatim occurrences of
    the answer are gold. A question that another passage answers too is dropped, and so is a near-copy of a question
    that was judged, generated or dropped before. Prose, headings and tables need to be English; code may be in any
    language.

    ``watch(done, count)`` may raise to stop. Nothing is stored until ``keep``. ``ask``: completes a prompt with a
    language model, which then replaces the rules and also writes questions that the library does not answer. If it
    fails, the questions so far are returned; its error is raised where there are none.
    """
    random = Random(f"lectern {seed}")  # noqa: S311 - a choice of questions, no secret
    earlier = [_words(line) for line in (*(row.judgment.question for row in library.judgments()), *left_out(library))]
    texts = _Texts(library)
    made: list[MadeQuestion] = []
    used: set[tuple[str, Span, str]] = set()

    def report() -> None:
        if watch is not None:
            watch(len(made), count)

    for version, draft in _drafts(library, texts, random, report, made, ask):
        if len(made) == count:
            break
        report()
        question = random.choice(draft.wordings)
        words = _words(question)
        key = (version, draft.gold, draft.answer)
        if key in used or any(len(words & other) >= _NEAR_COPY * len(words | other) for other in earlier):
            continue
        quote = texts.of(version)[draft.gold.start : draft.gold.end]
        gold: tuple[Place, ...] = ()
        if draft.kind == UNANSWERED:
            is_valid = is_unanswered(library, question)
        else:
            gold = occurrences(texts.all(), version, draft)
            is_valid = bool(gold) and is_unambiguous(library, question, draft, gold, texts.all())
        if not is_valid:
            continue
        earlier.append(words)
        used.add(key)
        others = tuple(line for line in draft.wordings if line != question)
        made.append(
            MadeQuestion(
                *(question, others, draft.kind, texts.names[version], gold, quote, draft.answer),
                overlap(question, quote),
            )
        )
    return made


def keep(library: Library, made: Sequence[MadeQuestion]) -> list[int]:
    """Store generated questions as judgments of origin "synthetic", all or none; returns the judgments' ids.

    Raises ``LecternError`` for an empty question.
    """
    texts = _Texts(library)
    judgments = []
    for item in made:
        if not item.gold:
            judgments.append(Judgment(item.question.strip(), None, None, None, None, origin=ORIGIN))
        for place in item.gold:
            text = texts.of(place.version_id)
            judgments.append(
                anchored_in(text, text_hash(text), item.question, place.version_id, place.span, item.answer, ORIGIN)
            )
    return library.add_judgments(judgments)


def leave_out(library: Library, question: str) -> None:
    """Store in the library that a question was dropped, so that neither it nor a near-copy is generated again."""
    library.set_preference(_DROPPED, json.dumps([*left_out(library), question][-_MOST_DROPPED:]))


def take_back(library: Library, question: str) -> None:
    """Undo ``leave_out``."""
    library.set_preference(_DROPPED, json.dumps([one for one in left_out(library) if one != question]))


def left_out(library: Library) -> list[str]:
    """The dropped questions, oldest first."""
    return [str(one) for one in json.loads(library.preference(_DROPPED) or "[]")]


def remember_review(library: Library, made: Sequence[MadeQuestion], decided: Decided = ()) -> None:
    """Store an unfinished review in the library: the questions and the decisions so far. Removes a finished one."""
    is_open = len(decided) < len(made)
    library.set_preference(_REVIEW, json.dumps([[asdict(item) for item in made], decided]) if is_open else "")


def remembered_review(library: Library) -> tuple[list[MadeQuestion], Decided]:
    """The stored review, as ``remember_review`` takes it; empty lists where there is none."""
    made, decided = json.loads(library.preference(_REVIEW) or "[[], []]")
    return [from_values(MadeQuestion, item) for item in made], [tuple(ids) for ids in decided]


class _Texts:
    """The texts of a library's documents, each read once. ``versions``: sorted. ``names``: by version."""

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
    random: Random,
    report: Callable[[], None],
    made: Sequence[MadeQuestion],
    ask: Callable[[str], str] | None,
) -> Iterator[tuple[str, Draft]]:
    """(version, draft) pairs of the rules or, with ``ask``, of a language model, until it fails."""
    if ask is None:
        yield from _rule_drafts(library, texts, random, report)
        return

    def ask_reporting(prompt: str) -> str:
        report()
        return ask(prompt)

    try:
        yield from written_drafts(texts.versions, library.document, random, ask_reporting)
    except CancelledError:
        raise
    except LecternError:
        if not made:
            raise


def _rule_drafts(
    library: Library, texts: _Texts, random: Random, report: Callable[[], None]
) -> Iterator[tuple[str, Draft]]:
    """(version, draft) pairs of the rules, alternating between documents and kinds in random order.

    ``report``: called before each document, which may take half a minute to parse; it may raise to stop.
    """
    versions = list(texts.versions)
    random.shuffle(versions)
    surplus: list[tuple[str, Draft]] = []
    for batch_start in range(0, len(versions), _BATCH):
        queues = []
        for version in versions[batch_start : batch_start + _BATCH]:
            report()
            first, rest = _by_turns(drafts_of(library.document(version), library.settings.parsing), random)
            queues.append([(version, draft) for draft in first])
            surplus += [(version, draft) for draft in rest]
        while any(queues):
            for queue in queues:
                if queue:
                    yield queue.pop(0)
    random.shuffle(surplus)
    yield from surplus


def _by_turns(drafts: Sequence[Draft], random: Random) -> tuple[list[Draft], list[Draft]]:
    """A document's drafts with the kinds taking turns, and its surplus of kinds with more than ``_FIRST_OF_A_KIND``."""
    kinds: dict[str, list[Draft]] = defaultdict(list)
    for draft in drafts:
        kinds[draft.kind].append(draft)
    for items in kinds.values():
        random.shuffle(items)
    order = sorted(kinds)
    random.shuffle(order)
    first: list[Draft] = []
    for turn in range(_FIRST_OF_A_KIND):
        first += [kinds[kind][turn] for kind in order if turn < len(kinds[kind])]
    return first, [draft for kind in order for draft in kinds[kind][_FIRST_OF_A_KIND:_MOST_OF_A_KIND]]


def _words(question: str) -> frozenset[str]:
    return frozenset(same_wording(question).split())
