"""Display names and help of chunkers, thresholds and prefixes, and the recipes to start from."""

from __future__ import annotations

from collections.abc import Mapping

from core.chunking.chunkers.auto import CHOSEN, CHOSEN_FOR
from core.settings import PRESETS, ChunkingSettings
from core.settings.chunking import WIDEST_PARENT
from core.types import ChunkTree

CHUNKER_WORDS = {
    "auto": "Whatever fits the document",
    "structure": "By structure",
    "recursive": "By paragraphs, recursively",
    "fixed": "Fixed size",
    "sentence": "So many sentences",
    "semantic": "Where the meaning changes",
    "cluster": "Most alike together",
    "learned": "Like the library's headings",
    "texttiling": "Where the words change",
    "code": "By functions, classes and keys",
    "table": "By table rows",
    "log": "By log sessions",
    "conversation": "By speakers",
    "clause": "By numbered clauses",
    "claim": "By claims and citations",
    "anchored": "From anchors on",
    "proposed": "As a language model says",
}
CHUNKER_HELP = {
    "auto": "Looks at the kind and the content, and says in each chunk why it chose so.",
    "structure": "Sections, tables and lists are kept whole where they fit.",
    "recursive": "Headings or functions first, then paragraphs, then sentences.",
    "fixed": "So many tokens, wherever that ends: the plain baseline.",
    "sentence": "A fixed number of sentences, none torn.",
    "semantic": "Cuts where neighbouring sentences have least in common. Sentences are encoded once.",
    "cluster": "Finds the cuts that leave the most similar sentences together within the size.",
    "learned": "A classifier taught by the headings of your own library finds where sections begin.",
    "texttiling": "Cuts where the vocabulary changes; needs no model.",
    "code": "Functions, classes and module heads stay whole where they fit, comments with their code.",
    "table": "Groups of rows, each with the header before it.",
    "log": "Sessions by a silence in between, then windows of minutes.",
    "conversation": "Turns of speakers stay whole.",
    "clause": "Articles, paragraphs and sub-clauses by their numbers, with the terms they use.",
    "claim": "A statement stays with its citation and what it rests on.",
    "anchored": "Windows that begin at a heading, “Summary”, “Theorem”, or at a pattern of yours.",
    "proposed": "A language model proposes the cuts; invalid ones are refused. Without one, the next best is done.",
}
THRESHOLD_WORDS = {
    "percentile": "Percentile",
    "absolute": "Fixed similarity",
    "zscore": "Standard deviations",
    "interquartile": "Interquartile range",
    "gradient": "Steepest falls",
}
PARENTS_WORDS = {"structure": "Sections", "ratio": "A multiple of the chunk", "both": "Sections within that"}
OVERLAP_WORDS = {"off": "Off", "even": "Even", "adaptive": "Adaptive"}
ANCHOR_WORDS = {"start": "Begins with it", "inside": "Holds it"}
PREFIX_WORDS = {
    "title": "Title",
    "heading": "Headings",
    "table_header": "Table header",
    "signature": "Signature",
    "speaker": "Speaker",
    "sentences": "What a row is about",
    "written": "As a language model says",
}
ALIAS_WORDS = {"summary": "Its summary", "questions": "Questions it answers", "document": "The document's summary"}
WRITTEN_FOR_WORDS = {"every": "Every chunk", "unclear": "Chunks that point back or say little"}


STARTS: Mapping[str, ChunkingSettings] = {
    "Lectern's own": ChunkingSettings(),
    "By structure alone": PRESETS["structure"].chunking,
    "Technical: 2 sentences": PRESETS["sentences-2"].chunking,
    "Legal: clauses": PRESETS["legal"].chunking,
    "Legal: 4 sentences": PRESETS["sentences-4"].chunking,
    "Papers: claims": PRESETS["papers"].chunking,
    "Essays: by meaning": PRESETS["semantic"].chunking,
    "Code: functions": PRESETS["code"].chunking,
    "Logs: 10 minutes": PRESETS["logs"].chunking,
    "Tables: by rows": PRESETS["tables"].chunking,
    "Meetings: 6 turns": PRESETS["chats"].chunking,
    "Tickets: 2 turns": PRESETS["tickets"].chunking,
    "Single sentences": PRESETS["sentence-windows"].chunking,
    "Recursive": PRESETS["recursive"].chunking,
    "Fixed size": PRESETS["fixed"].chunking,
    "Usual: fixed, 1,000 characters": PRESETS["fixed-1000"].chunking,
    "Usual: recursive, 1,000 and 200 overlap": PRESETS["recursive-1000-200"].chunking,
    "Usual: children 400 of 2,000": PRESETS["parent-2000-400"].chunking,
}
"""Recipes to start from: sizes that the literature gives for kinds of text, and the usual ones of other tools."""


def choice_in_words(tree: ChunkTree) -> str:
    """The chunker that ``auto`` chose for a document, and why; "" for a tree that another chunker made."""
    reasons = tree.leaves[0].reasons if tree.leaves else ()
    for reason in reasons:
        chunker, told, why = reason.removeprefix(CHOSEN).partition(CHOSEN_FOR)
        if reason.startswith(CHOSEN) and told:
            return f"{CHUNKER_WORDS[chunker]}, for {why}."
    return ""


def in_short(settings: ChunkingSettings) -> str:
    """A recipe as one short line.

    >>> in_short(ChunkingSettings())
    'Whatever fits the document · 110 of 700 tokens'
    >>> in_short(ChunkingSettings("fixed", parents="ratio", parent_ratio=3, overlap_tokens=20))
    'Fixed size · 110 of 330 tokens · overlap 20'
    >>> in_short(STARTS["Usual: recursive, 1,000 and 200 overlap"])
    'By paragraphs, recursively · 1,000 characters · overlap 200'
    """
    overlap = f" · overlap {settings.overlap_room:,}" if settings.overlap_room else ""
    of_parents = "" if settings.parent_room == WIDEST_PARENT else f" of {settings.parent_room:,}"  # which holds all
    sizes = f"{settings.max_tokens:,}{of_parents} {settings.unit}"
    return f"{CHUNKER_WORDS[settings.chunker]} · {sizes}{overlap}"
