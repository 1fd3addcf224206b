"""Judgments of a library: made on a span, and listed with where their gold lies now.

What makes them follow an edited file is ``core.storage.catalogue.following_judgments``, inside the transaction that
stores the edit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.errors import LecternError, NotFoundError
from core.storage.catalogue import documents
from core.storage.catalogue.names import shown_names
from core.storage.store import Store, now
from core.text.anchoring import surroundings
from core.text.normalise import storable
from core.text.spans import trim
from core.types import Span

ORIGINS = ("human", "imported", "synthetic")
_FIELDS = 'question, version_id, text_hash, start, "end", quote, "before", "after", origin, answer'


@dataclass(frozen=True, slots=True)
class Judgment:
    """A gold span for a question, anchored so that it survives re-chunking and can follow a changed file.

    ``start is end is None``: judged unanswerable. ``quote`` is the text of the span, ``before`` and ``after`` stand
    around it. ``origin``: "human", "imported" or "synthetic". ``answer``: the one expected in words, "" when none is.
    """

    question: str
    version_id: str | None
    text_hash: str | None
    start: int | None
    end: int | None
    quote: str = ""
    before: str = ""
    after: str = ""
    origin: str = "human"
    answer: str = ""


@dataclass(frozen=True, slots=True)
class JudgmentRow:
    """A judgment, and where its gold lies now. ``created_at``: ISO 8601, UTC.

    ``source``: the name of a live source of the document, ``None`` where it has none. ``version_id``: the document the
    gold lies, or lay last, in. ``lost``: "" while ``[start, end)`` is the gold, else a sentence that says why it is
    not; ``start`` and ``end`` are ``None`` then. Of a question judged unanswerable all of them are ``None``, and
    ``lost`` is "".
    """

    id: int
    judgment: Judgment
    created_at: str
    source: str | None
    version_id: str | None
    start: int | None
    end: int | None
    lost: str

    @property
    def unanswerable(self) -> bool:
        """Whether it was judged that the library does not say."""
        return self.judgment.start is None

    @property
    def held(self) -> bool:
        """Whether the judgment can be measured with: its gold is there, or there is none by judgment."""
        return not self.lost


def judge(store: Store, question: str, version_id: str, span: Span, answer: str, origin: str) -> int:
    """Keep that a span of a document answers a question; return the judgment's number."""
    return add_judgments(store, [anchored(store, question, version_id, span, answer, origin)])[0]


def judge_unanswerable(store: Store, question: str, origin: str) -> int:
    """Keep that the library does not answer a question; return the judgment's number."""
    return add_judgments(store, [Judgment(asked(question), None, None, None, None, origin=origin)])[0]


def judgments(store: Store, version_id: str | None = None) -> list[JudgmentRow]:
    """All judgments in the order they were made, or those of one document."""
    which = "WHERE ?1 IS NULL OR version_id = ?1 ORDER BY id"
    with store.reading():
        found = store.rows(f"SELECT id, {_FIELDS}, created_at FROM judgment {which}", version_id)
        standings = _standings(store) if found else {}
    return [
        _row(number, Judgment(*values), created_at, standings.get(values[1] or ""))
        for number, *values, created_at in found
    ]


def add_judgments(store: Store, judgments: Sequence[Judgment]) -> list[int]:
    """Keep judgments, all or none, and return their numbers; one that is there already keeps its number.

    The same judgment is the same question with the same span, or without one, whoever made it; an answer it did not
    have yet is added to it. Raises ``LecternError`` for one without a question or of an unknown origin.
    """
    for judgment in judgments:
        asked(judgment.question)
        if judgment.origin not in ORIGINS:
            raise LecternError(f"A judgment's origin is {judgment.origin!r}.", f"It is one of {', '.join(ORIGINS)}.")
        if (judgment.start is None) != (judgment.end is None) or (judgment.start is None) != (judgment.quote == ""):
            raise LecternError(
                f"The judgment of {judgment.question!r} is half a span.", "Give start, end and quote, or none of them."
            )
    with store.transaction():
        numbers = [_kept(store, judgment) for judgment in judgments]
        if judgments:
            store.touch(contents=False)
    return numbers


def _kept(store: Store, judgment: Judgment) -> int:
    question, answer = storable(judgment.question), storable(judgment.answer)
    place = judgment.version_id, judgment.text_hash, judgment.start, judgment.end
    known = store.value(
        "SELECT id FROM judgment WHERE question = ? AND version_id IS ? AND text_hash IS ? AND start IS ?"
        ' AND "end" IS ?',
        *(question, *place),
    )
    if known is not None:
        store.write("UPDATE judgment SET answer = ? WHERE id = ? AND answer = ''", answer, known)
        return int(known)
    words = map(storable, (judgment.quote, judgment.before, judgment.after))
    values = (question, *place, *words, judgment.origin, answer, now())
    marks = ", ".join("?" * len(values))
    return store.insert(f"INSERT INTO judgment({_FIELDS}, created_at) VALUES ({marks})", *values)


def remove_judgments(store: Store, ids: Sequence[int]) -> None:
    """Forget judgments, all or none. Raises ``NotFoundError``."""
    with store.transaction():
        for number in dict.fromkeys(ids):
            if not store.write("DELETE FROM judgment WHERE id = ?", number):
                raise NotFoundError(f"There is no judgment {number}.", "It may have been removed already.")
        if ids:
            store.touch(contents=False)


def anchored(store: Store, question: str, version_id: str, span: Span, answer: str, origin: str) -> Judgment:
    """A judgment on a span of a document as it is now. Raises ``LecternError``, ``NotFoundError``."""
    with store.reading():
        version, text = documents.require_version(store, version_id), documents.text(store, version_id)
    return anchored_in(text, version.text_hash, question, version_id, span, answer, origin)


def anchored_in(
    text: str, text_hash: str, question: str, version_id: str, span: Span, answer: str, origin: str
) -> Judgment:
    """A judgment on a span of a text, without the blanks at its edges. Raises ``LecternError`` as ``Library.judge``."""
    if span.end > len(text):
        raise LecternError(
            f"The passage [{span.start}, {span.end}) leaves the document, which has {len(text)} characters.",
            "Select it again.",
        )
    kept = trim(text, span.start, span.end)
    if kept is None:
        raise LecternError("The passage holds nothing but blanks.", "Select the words that answer the question.")
    quote = text[kept.start : kept.end]
    before, after = surroundings(text, kept)
    return Judgment(
        *(asked(question), version_id, text_hash, kept.start, kept.end, quote, before, after, origin, answer.strip())
    )


def asked(question: str) -> str:
    """The question without blanks at its edges. Raises ``LecternError`` where nothing is left.

    >>> asked(" Who? ")
    'Who?'
    """
    if not question.strip():
        raise LecternError("A judgment needs a question.", "Type the question that the passage answers.")
    return question.strip()


class _Standing(NamedTuple):
    """A version that judgments name. ``name``: of its first live source, else of its first; ``live``: there is one."""

    name: str
    text_hash: str
    live: bool


def _standings(store: Store) -> dict[str, _Standing]:
    """The versions in the library, live or in the trash, that judgments name."""
    names = shown_names(store)
    found: dict[str, _Standing] = {}
    for version_id, text_hash, source, live in store.rows(
        "SELECT version.id, text_hash, source.id, trashed_at IS NULL FROM source"
        " JOIN version ON version.number = source.version WHERE version.id IN (SELECT version_id FROM judgment)"
        " ORDER BY trashed_at IS NOT NULL, source.id"
    ):
        found.setdefault(version_id, _Standing(names[source], text_hash, bool(live)))
    return found


def _row(number: int, judgment: Judgment, created_at: str, standing: _Standing | None) -> JudgmentRow:
    lost = "" if judgment.start is None else _why_lost(judgment, standing)
    start, end = (None, None) if lost else (judgment.start, judgment.end)
    source = standing.name if standing and standing.live else None
    return JudgmentRow(number, judgment, created_at, source, judgment.version_id, start, end, lost)


def _why_lost(judgment: Judgment, standing: _Standing | None) -> str:
    if standing is None:
        return "The document was removed from the library."
    if not standing.live:
        return f"{standing.name} is in the trash."
    if standing.text_hash != judgment.text_hash:
        return f"The passage is no longer in {standing.name}: the file was edited, or is read in another way now."
    return ""
