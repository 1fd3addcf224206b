"""Judgments: questions with their gold spans, added by users or imported, and listed with their current positions.

When a file changes, ``core.storage.catalogue.texts.following_judgments`` moves them to the new text, in the same
transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.errors import LecternError, NotFoundError
from core.storage.catalogue.filing.names import shown_names
from core.storage.catalogue.texts import documents
from core.storage.store import Store, now
from core.text.anchoring import surroundings
from core.text.normalise import storable
from core.text.spans import trim
from core.types import Span

ORIGINS = ("human", "imported", "synthetic")
_FIELDS = 'question, version_id, text_hash, start, "end", quote, "before", "after", origin, answer'


@dataclass(frozen=True, slots=True)
class Judgment:
    """A question and its gold span, anchored by quotation so that it survives re-chunking and changes of the file.

    ``start`` and ``end``: ``None`` for a question judged unanswerable. ``quote``: the text of the span; ``before`` and
    ``after``: the text around it. ``origin``: "human", "imported" or "synthetic". ``answer``: the expected answer in
    words, or "".
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
    """A stored judgment with the current position of its gold span. ``created_at``: ISO 8601 in UTC.

    ``version_id``: the document that has, or last had, the span. ``source``: the name of a live source of it, or
    ``None``. ``[start, end)``: the span today. ``lost``: "" if there is a span; else why not, as a sentence, and
    ``start`` and ``end`` are ``None``. For a question judged unanswerable these are all ``None`` and ``lost`` is "".
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
        """Whether the question was judged unanswerable."""
        return self.judgment.start is None

    @property
    def held(self) -> bool:
        """Whether the judgment can be used for evaluation: its span is found, or it is unanswerable."""
        return not self.lost


def judge(store: Store, question: str, version_id: str, span: Span, answer: str, origin: str) -> int:
    """Record that a span of a document answers a question; return the judgment's id."""
    return add_judgments(store, [anchored(store, question, version_id, span, answer, origin)])[0]


def judge_unanswerable(store: Store, question: str, origin: str) -> int:
    """Record that the library does not answer a question; return the judgment's id."""
    return add_judgments(store, [Judgment(checked_question(question), None, None, None, None, origin=origin)])[0]


def judgments(store: Store, version_id: str | None = None) -> list[JudgmentRow]:
    """All judgments in the order they were made, or those of one document."""
    clauses = "WHERE ?1 IS NULL OR version_id = ?1 ORDER BY id"
    with store.reading():
        rows = store.rows(f"SELECT id, {_FIELDS}, created_at FROM judgment {clauses}", version_id)
        states = _version_states(store) if rows else {}
    return [
        _row(judgment_id, Judgment(*values), created_at, states.get(values[1] or ""))
        for judgment_id, *values, created_at in rows
    ]


def add_judgments(store: Store, judgments: Sequence[Judgment]) -> list[int]:
    """Add judgments in one transaction and return their ids.

    A judgment with the question and span of an existing one is not added again and returns that one's id; an answer is
    added to it if it had none. Raises ``LecternError`` for a missing question, an unknown origin or an incomplete span.
    """
    for judgment in judgments:
        checked_question(judgment.question)
        if judgment.origin not in ORIGINS:
            raise LecternError(f"A judgment's origin is {judgment.origin!r}.", f"It is one of {', '.join(ORIGINS)}.")
        if (judgment.start is None) != (judgment.end is None) or (judgment.start is None) != (judgment.quote == ""):
            raise LecternError(
                f"The judgment of {judgment.question!r} is half a span.", "Give start, end and quote, or none of them."
            )
    with store.transaction():
        ids = [_insert_or_update(store, judgment) for judgment in judgments]
        if judgments:
            store.touch(contents=False)
    return ids


def _insert_or_update(store: Store, judgment: Judgment) -> int:
    question, answer = storable(judgment.question), storable(judgment.answer)
    position = judgment.version_id, judgment.text_hash, judgment.start, judgment.end
    existing = store.value(
        "SELECT id FROM judgment WHERE question = ? AND version_id IS ? AND text_hash IS ? AND start IS ?"
        ' AND "end" IS ?',
        *(question, *position),
    )
    if existing is not None:
        store.write("UPDATE judgment SET answer = ? WHERE id = ? AND answer = ''", answer, existing)
        return int(existing)
    quotation = map(storable, (judgment.quote, judgment.before, judgment.after))
    values = (question, *position, *quotation, judgment.origin, answer, now())
    marks = ", ".join("?" * len(values))
    return store.insert(f"INSERT INTO judgment({_FIELDS}, created_at) VALUES ({marks})", *values)


def remove_judgments(store: Store, ids: Sequence[int]) -> None:
    """Delete judgments in one transaction. Raises ``NotFoundError``."""
    with store.transaction():
        for judgment_id in dict.fromkeys(ids):
            if not store.write("DELETE FROM judgment WHERE id = ?", judgment_id):
                raise NotFoundError(f"There is no judgment {judgment_id}.", "It may have been removed already.")
        if ids:
            store.touch(contents=False)


def anchored(store: Store, question: str, version_id: str, span: Span, answer: str, origin: str) -> Judgment:
    """A judgment on a span of a stored document. Raises ``LecternError``, ``NotFoundError``."""
    with store.reading():
        version, text = documents.require_version(store, version_id), documents.text(store, version_id)
    return anchored_in(text, version.text_hash, question, version_id, span, answer, origin)


def anchored_in(
    text: str, text_hash: str, question: str, version_id: str, span: Span, answer: str, origin: str
) -> Judgment:
    """A judgment on a span of a text, trimmed of blanks. Raises ``LecternError`` for a blank question or span."""
    if span.end > len(text):
        raise LecternError(
            f"The passage [{span.start}, {span.end}) leaves the document, which has {len(text)} characters.",
            "Select it again.",
        )
    trimmed = trim(text, span.start, span.end)
    if trimmed is None:
        raise LecternError("The passage holds nothing but blanks.", "Select the words that answer the question.")
    before, after = surroundings(text, trimmed)
    return Judgment(
        question=checked_question(question),
        version_id=version_id,
        text_hash=text_hash,
        start=trimmed.start,
        end=trimmed.end,
        quote=text[trimmed.start : trimmed.end],
        before=before,
        after=after,
        origin=origin,
        answer=answer.strip(),
    )


def checked_question(question: str) -> str:
    """The question trimmed of blanks. Raises ``LecternError`` for a blank one.

    >>> checked_question(" Who? ")
    'Who?'
    """
    if not question.strip():
        raise LecternError("A judgment needs a question.", "Type the question that the passage answers.")
    return question.strip()


class _VersionState(NamedTuple):
    """A version with judgments. ``name``: of its first source, preferably a live one. ``live``: it has one."""

    name: str
    text_hash: str
    live: bool


def _version_states(store: Store) -> dict[str, _VersionState]:
    """The versions in the library, live or in the trash, that have judgments."""
    names = shown_names(store)
    states: dict[str, _VersionState] = {}
    for version_id, text_hash, source, live in store.rows(
        "SELECT version.id, text_hash, source.id, trashed_at IS NULL FROM source"
        " JOIN version ON version.number = source.version WHERE version.id IN (SELECT version_id FROM judgment)"
        " ORDER BY trashed_at IS NOT NULL, source.id"
    ):
        states.setdefault(version_id, _VersionState(names[source], text_hash, bool(live)))
    return states


def _row(number: int, judgment: Judgment, created_at: str, state: _VersionState | None) -> JudgmentRow:
    lost = "" if judgment.start is None else _why_lost(judgment, state)
    start, end = (None, None) if lost else (judgment.start, judgment.end)
    source = state.name if state and state.live else None
    return JudgmentRow(number, judgment, created_at, source, judgment.version_id, start, end, lost)


def _why_lost(judgment: Judgment, state: _VersionState | None) -> str:
    if state is None:
        return "The document was removed from the library."
    if not state.live:
        return f"{state.name} is in the trash."
    if state.text_hash != judgment.text_hash:
        return f"The passage is no longer in {state.name}: the file was edited, or is read in another way now."
    return ""
