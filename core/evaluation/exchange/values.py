"""What every format is read into: documents by name, questions with gold, and what gold looks like."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core.errors import SuiteError
from core.evaluation.fields import shown
from core.evaluation.suites import GoldSpan, Question
from core.text.anchoring import find_quote, surroundings
from core.types import Span

# The files of a data set: relative path with "/", and its text; ``None`` for a document that is no plain text.
Files = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Anchor:
    """The words of a gold span and what stands around them, so that it can be found where offsets do not hold."""

    quote: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """Judgments as they travel. ``documents``: their texts, ``None`` where the format does not carry it.

    ``anchors``: of the gold whose words are known. ``origins``: who judged a question, by its id, where that is told.
    """

    documents: Mapping[str, str | None]
    questions: tuple[Question, ...]
    anchors: Mapping[GoldSpan, Anchor] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict)

    def anchor(self, gold: GoldSpan) -> Anchor | None:
        """The words of a gold span, from the text where nothing else tells; ``None`` where they are not known."""
        known, text = self.anchors.get(gold), self.documents.get(gold.document)
        if known is not None or text is None or gold.end > len(text):
            return known
        return Anchor(text[gold.start : gold.end], *surroundings(text, Span(gold.start, gold.end)))


@dataclass(frozen=True, slots=True)
class Format:
    """A format that is read. ``read`` raises ``SuiteError`` with file and line, or the way to the field.

    ``title``: for people. ``file``: what its main file is called. ``pattern``: what such files may
    be called; each is a data set of its own. ``companions``: patterns of what belongs to it, in the same folder.
    """

    title: str
    file: str
    pattern: str
    companions: tuple[str, ...]
    read: Callable[[Files], Exchange]


def place_quote(document: str, text: str | None, quote: str, start: int, place: str) -> tuple[GoldSpan, Anchor]:
    """The gold a quotation stands for; where the text is not carried, what the file says of it.

    Raises ``SuiteError`` where the words are not in the text.
    """
    if not quote.strip():
        raise SuiteError(
            f"{place}: the answer's text is {shown(quote)}.", "A question without an answer has no answers."
        )
    end = start + len(quote)
    if text is not None and text[start:end] != quote:
        found = find_quote(text, quote, "", "", start)
        if found is None:
            raise SuiteError(f"{place}: {shown(quote)} is not in the text of {document}.", "Check text and offset.")
        start, end = found.start, found.end
        quote = text[start:end]
    return GoldSpan(document, start, end), Anchor(quote)
