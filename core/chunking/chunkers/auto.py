"""The chunker chosen for each document, by what it is and holds, and why; ``structure`` wherever nothing is plain.

A wrong specialist costs more than the right one gains, so every choice but ``structure`` asks for evidence that prose
does not give: a share of stamped lines, names that take turns over most of the text, clauses that count up through
legal words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.chunking.chunkers.clause import clause
from core.chunking.chunkers.code import code
from core.chunking.chunkers.conversation import conversation
from core.chunking.chunkers.log import log
from core.chunking.chunkers.structure import structure
from core.chunking.chunkers.table import table
from core.chunking.plan import Chunker, ChunkingContext, Plan
from core.chunking.signals.clauses import find_clauses
from core.chunking.signals.log_lines import log_entries, share_of_entries
from core.chunking.signals.turns import find_turns
from core.types import BlockKind, Document

_CHUNKERS: dict[str, Chunker] = {
    "code": code,
    "table": table,
    "log": log,
    "conversation": conversation,
    "clause": clause,
    "structure": structure,
}
_SAMPLE = 20_000  # characters at the head, and as many at the tail, that must both look alike
_CLAUSE_SAMPLE = 200_000
_GLIMPSE = 6_000  # characters at the head that tell most texts to be nothing special
_TABLE_KINDS = frozenset({"csv", "xlsx", "ods"})
_CODE_KINDS = frozenset({"code", "notebook"})
_SEEN = 3
_ENTRIES, _ENTRY_SHARE, _LEVEL_SHARE = 8, 0.6, 0.3
_TURNS, _TURN_SHARE = 8, 0.7
_CLAUSES, _CLAUSE_SHARE, _LEGAL_WORDS = 12, 0.6, 6
_LEGAL = re.compile(  # one word each, so that a text's different words are looked at once
    r"shall|hereby|herein|hereof|hereto|thereof|hereunder|pursuant|notwithstanding|agreement|party|parties|liability|indemnif\w+"
    r"|warrant\w+|termination|lessee|lessor|licensee|licensor|obligations?|remed(?:y|ies)|severability"
    r"|confidential\w*|vertrag\w*|vertragspartei\w*|gemäß|haftung|kündigung|unberührt|absatz|rechtsverordnung|unverzüglich|verpflichtet"
    r"|contrat|parties|conformément|contrato|cláusula|obligaciones|договор\w*|сторон\w*",
    re.IGNORECASE,
)
_GOVERNING_LAW = re.compile(r"\bgoverning law\b", re.IGNORECASE)
_WORD = re.compile(r"\w{5,}")  # no legal word is shorter


@dataclass(frozen=True, slots=True)
class Choice:
    """A chunker's name, and why it was chosen, as the end of a sentence."""

    chunker: str
    why: str


def auto(context: ChunkingContext) -> Plan:
    """The plan of the chunker that suits the document; its choice and the reason are a note of every chunk."""
    choice = choose(context.document)
    return _CHUNKERS[choice.chunker](context).saying(f"auto: {choice.chunker}, for {choice.why}")


def choose(document: Document) -> Choice:
    """Which chunker suits a document.

    Code and notebooks go to ``code``, tables in files of their own to ``table``. Of the others, text in which most
    lines are stamped goes to ``log``, in which speakers take turns nearly throughout to ``conversation``, and which
    is mostly numbered clauses in legal words to ``clause``. Papers stay with ``structure``: that ``claim`` finds more
    in them is not shown. Linear, and of long texts only parts are looked at.

    >>> choose(Document("v", "text", "t", "Prose as usual. " * 40)).chunker
    'structure'
    >>> choose(Document("v", "text", "t", "".join(f"10:00:{second} INFO up\\n" for second in range(10, 40))))
    Choice(chunker='log', why='30 of 30 lines begin with a time')
    """
    has_log = _log(document)
    if document.kind in _CODE_KINDS:
        return has_log if has_log and _is_data(document) else Choice("code", f"this is {_named(document)}")
    tables = [block for block in document.blocks if block.kind == BlockKind.TABLE]
    if document.kind in _TABLE_KINDS and tables:
        return Choice("table", "the file is a table" if len(tables) == 1 else f"the file holds {len(tables)} tables")
    return has_log or _conversation(document) or _clauses(document) or Choice("structure", _plain(document))


def _named(document: Document) -> str:
    language = document.metadata.get("language", "")
    return "a notebook" if document.kind == "notebook" else f"a {language} file" if language else "code"


def _is_data(document: Document) -> bool:
    return document.metadata.get("language", "json") == "json"


def _plain(document: Document) -> str:
    headings = sum(block.kind == BlockKind.HEADING for block in document.blocks)
    return f"it has {headings} headings" if headings > 1 else "nothing tells that it is anything but prose"


def _samples(text: str) -> list[str]:
    """The head and the tail of a text, cut at lines; the whole of a short one."""
    if len(text) <= 2 * _SAMPLE:
        return [text]
    head_end = text.rfind("\n", 0, _SAMPLE) + 1 or _SAMPLE
    tail_start = text.find("\n", len(text) - _SAMPLE) + 1 or len(text) - _SAMPLE
    return [text[:head_end], text[tail_start:]]


def _log(document: Document) -> Choice | None:
    if len(log_entries(document.text[:_GLIMPSE])) < _SEEN:
        return None
    entries = lines = levels = 0
    for sample in _samples(document.text):
        found = log_entries(sample)
        share = share_of_entries(sample, found)
        if len(found) < _ENTRIES or share < _ENTRY_SHARE:
            return None
        entries += len(found)
        lines += round(len(found) / share)
        levels += sum(bool(entry.level) for entry in found)
    if levels < _LEVEL_SHARE * entries and _conversation(document):
        return None  # a chat's lines are stamped too
    return Choice("log", f"{entries} of {lines} lines begin with a time")


def _conversation(document: Document) -> Choice | None:
    glimpse = document.text[: 4 * _GLIMPSE]
    seen = find_turns(glimpse)
    if len(seen) < _SEEN:
        return None
    turns = 0
    speakers: set[str] = set()
    for sample in _samples(document.text):
        found = seen if sample == glimpse else find_turns(sample)
        held = sum(turn.end - turn.start for turn in found)
        if len(found) < _TURNS or held < _TURN_SHARE * len(sample.strip()):
            return None
        turns += len(found)
        speakers |= {turn.speaker for turn in found if turn.speaker}
    whose = f" of {len(speakers)} speakers" if speakers else ""
    return Choice("conversation", f"{turns} turns{whose} were found")


def _clauses(document: Document) -> Choice | None:
    text = document.text[:_CLAUSE_SAMPLE]
    glimpse = text[: 4 * _GLIMPSE]
    words = {word.casefold() for word in set(_WORD.findall(glimpse)) if _LEGAL.fullmatch(word)}
    missing = _LEGAL_WORDS - len(words)
    if missing > 1 or (missing == 1 and not _GOVERNING_LAW.search(glimpse)):
        return None
    found = find_clauses(text)
    held = sum(clause.end - clause.start for clause in found)
    if len(found) < _CLAUSES or held < _CLAUSE_SHARE * len(text.strip()):
        return None
    return Choice("clause", f"{len(found)} numbered clauses in legal words were found")
