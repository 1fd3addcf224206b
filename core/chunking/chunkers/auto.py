"""Chooses a chunker for each document by its format and content; ``structure`` where the evidence is not clear.

A wrong specialist costs more than the right one gains, so the others need evidence that prose does not give: a large
share of lines with a time stamp, speakers that take turns over most of the text, or numbered clauses with legal
words.
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
from core.chunking.signals.series import skipped_spans
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
CHOSEN, CHOSEN_FOR = "auto: ", ", for "  # around the name of the chunker in the note of every chunk
_SAMPLE = 20_000  # characters at the head, and as many at the tail, that are both looked at
_CLAUSE_SAMPLE = 200_000
_GLIMPSE = 6_000  # characters at the head that are enough to rule most texts out
_TABLE_KINDS = frozenset({"csv", "xlsx", "ods"})
_RECORD_KINDS = frozenset({"calendar", "contacts", "bibtex", "references", "records"})
_CODE_KINDS = frozenset({"code", "notebook"})
_FEWEST_SEEN = 3  # entries or turns in the glimpse, else the text is ruled out
# The least number, and the least share of the text, for each choice.
_ENTRIES, _ENTRY_SHARE, _LEVEL_SHARE = 8, 0.6, 0.3
_TURNS, _TURN_SHARE = 8, 0.7
_CLAUSES, _CLAUSE_SHARE, _LEGAL_WORDS = 12, 0.6, 6
_LARGEST_CLAUSE = 0.25  # of the text, at most; the numbered notes of a quarterly report are larger
_LEGAL = re.compile(  # single words, so that each distinct word of a text is matched once
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
    """A chunker's name, and the reason for it as the end of a sentence."""

    chunker: str
    why: str


def auto(context: ChunkingContext) -> Plan:
    """The plan of the chunker that ``choose`` names; a note of every chunk gives the choice and the reason."""
    choice = choose(context.document)
    return _CHUNKERS[choice.chunker](context).with_notes(f"{CHOSEN}{choice.chunker}{CHOSEN_FOR}{choice.why}")


def choose(document: Document) -> Choice:
    """The chunker that suits a document.

    ``code`` for code and notebooks, ``table`` for spreadsheets and CSV, ``log`` where most lines have a time stamp,
    ``conversation`` where speakers take turns nearly throughout, ``clause`` for numbered clauses with legal words, else
    ``structure``. Papers stay with ``structure``, because ``claim`` has not been shown to retrieve better. Long texts
    are sampled.

    >>> choose(Document("v", "text", "t", "Prose as usual. " * 40)).chunker
    'structure'
    >>> choose(Document("v", "text", "t", "".join(f"10:00:{second} INFO up\\n" for second in range(10, 40))))
    Choice(chunker='log', why='30 of 30 lines have a time stamp')
    """
    if document.kind in _RECORD_KINDS:  # whose lines begin with a word and a colon, as those of speakers do
        recorded = _conversation_choice(document, is_timed=True)
        return recorded or Choice("structure", _structure_reason(document))
    log_choice = _log_choice(document)
    if document.kind in _CODE_KINDS:
        is_data = document.metadata.get("language", "json") == "json"
        return log_choice if log_choice and is_data else Choice("code", f"this is {_described(document)}")
    tables = [block for block in document.blocks if block.kind == BlockKind.TABLE]
    if document.kind in _TABLE_KINDS and tables:
        return Choice("table", "the file is a table" if len(tables) == 1 else f"the file holds {len(tables)} tables")
    choice = log_choice or _conversation_choice(document) or _clause_choice(document)
    return choice or Choice("structure", _structure_reason(document))


def _described(document: Document) -> str:
    language = document.metadata.get("language", "")
    return "a notebook" if document.kind == "notebook" else f"a {language} file" if language else "code"


def _structure_reason(document: Document) -> str:
    headings = sum(block.kind == BlockKind.HEADING for block in document.blocks)
    return f"it has {headings} headings" if headings > 1 else "it reads as plain prose"


def _sampled(text: str) -> list[tuple[int, int]]:
    """The start and end of the head and of the tail of a text, cut at line ends; of the whole of a short text."""
    if len(text) <= 2 * _SAMPLE:
        return [(0, len(text))]
    head_end = text.rfind("\n", 0, _SAMPLE) + 1 or _SAMPLE
    tail_start = text.find("\n", len(text) - _SAMPLE) + 1 or len(text) - _SAMPLE
    return [(0, head_end), (tail_start, len(text))]


def _log_choice(document: Document) -> Choice | None:
    """``log`` where most lines have a time stamp, and it is no chat; else ``None``."""
    if len(log_entries(document.text[:_GLIMPSE])) < _FEWEST_SEEN:
        return None
    entries = lines = levels = 0
    for sample in (document.text[start:end] for start, end in _sampled(document.text)):
        sample_entries = log_entries(sample)
        share = share_of_entries(sample, sample_entries)
        if len(sample_entries) < _ENTRIES or share < _ENTRY_SHARE:
            return None
        entries += len(sample_entries)
        lines += round(len(sample_entries) / share)
        levels += sum(bool(entry.level) for entry in sample_entries)
    if levels < _LEVEL_SHARE * entries and _conversation_choice(document):
        return None  # the lines of a chat have a time too
    return Choice("log", f"{entries} of {lines} lines have a time stamp")


def _conversation_choice(document: Document, *, is_timed: bool = False) -> Choice | None:
    """``conversation`` where turns cover most of the text, and ``is_timed`` all have a time; else ``None``."""
    text, skipped = document.text, skipped_spans(document)
    glimpse = 0, min(len(text), 4 * _GLIMPSE)
    glimpse_turns = find_turns(text, *glimpse, skipped)
    if len(glimpse_turns) < _FEWEST_SEEN or (is_timed and not all(turn.time for turn in glimpse_turns)):
        return None
    turns = 0
    speakers: set[str] = set()
    for start, end in _sampled(text):
        sample_turns = glimpse_turns if (start, end) == glimpse else find_turns(text, start, end, skipped)
        covered = sum(turn.end - turn.start for turn in sample_turns)
        if len(sample_turns) < _TURNS or covered < _TURN_SHARE * len(text[start:end].strip()):
            return None
        turns += len(sample_turns)
        speakers |= {turn.speaker for turn in sample_turns if turn.speaker}
    whose = f" of {len(speakers)} speakers" if speakers else ""
    return Choice("conversation", f"{turns} turns{whose} were found")


def _clause_choice(document: Document) -> Choice | None:
    """``clause`` where numbered clauses cover most of the text and legal words occur; else ``None``."""
    text = document.text[:_CLAUSE_SAMPLE]
    glimpse = text[: 4 * _GLIMPSE]
    words = {word.casefold() for word in set(_WORD.findall(glimpse)) if _LEGAL.fullmatch(word)}
    missing = _LEGAL_WORDS - len(words)
    if missing > 1 or (missing == 1 and not _GOVERNING_LAW.search(glimpse)):
        return None
    clauses = find_clauses(text)
    sizes = [clause.end - clause.start for clause in clauses]
    if len(clauses) < _CLAUSES or sum(sizes) < _CLAUSE_SHARE * len(text.strip()):
        return None
    if max(sizes) > _LARGEST_CLAUSE * len(text.strip()):
        return None
    return Choice("clause", f"{len(clauses)} numbered clauses in legal words were found")
