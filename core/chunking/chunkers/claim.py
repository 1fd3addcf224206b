"""Papers: a statement, its reference bracket and the sentence it rests on stay together; references are entries.

Scientific writing states a claim, cites it, and gives its basis in the same or the next sentence; a citation's context
is one to three sentences (Abu-Jbara and Radev, "Coherent Citation-Based Summarization of Scientific Papers", ACL 2011;
Qazvinian and Radev, "Identifying Non-explicit Citing Sentences", ACL 2010).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from core.chunking.atoms import CUT_ROW, CUT_SENTENCE, Atom, Splitter
from core.chunking.chunkers.structure import Item
from core.chunking.plan import ChunkingContext, Plan
from core.chunking.units import Unit, by_units, planned
from core.text.cited import AUTHORS, CAPITAL, NAME, OTHERS, YEAR, is_reference_heading, reference_entries
from core.text.sentences import sentence_spans
from core.types import BlockKind, Document, Span

_RAISED = "¹²³⁰-⁹"
_CITATION = re.compile(
    # Every alternative has its first character in one set before all of them: the text is scanned for that alone.
    rf"[\[(\\{CAPITAL}{_RAISED}](?:"
    r"(?<=\[)(?:\d{1,3}(?: ?[-–,;] ?\d{1,3}){0,12}|@[\w:.-]{1,60}(?:; ?@[\w:.-]{1,60}){0,8})\]"
    rf"|(?<=\()(?:(?:see|e\.g\.|cf\.|reviewed in),? )?{AUTHORS},? {YEAR}(?:[,;] (?:{AUTHORS},? )?{YEAR}){{0,8}}\)"
    rf"|(?<=[{CAPITAL}]){NAME}{OTHERS} \({YEAR}\)"
    rf"|(?<=[\w.,;)][{_RAISED}])(?:[{_RAISED}⁻,–-]{{0,12}}[{_RAISED}])?"
    r"|(?<=\\)cite[tp]?\{[^{}\n]{1,120}\})"
)
_EXHIBIT = re.compile(
    r"(?P<kind>[AEFLSTaeflst](?<=\b\w)(?i:(?<=f)ig(?:ure|s)?|(?<=t)able|(?<=t)ab|(?<=e)q(?:uation)?|(?<=a)lgorithm"
    r"|(?<=t)heorem|(?<=l)emma|(?<=s)cheme|(?<=a)bb(?:ildung)?|(?<=t)abelle))"
    r"(?i:s?\b\.?[ \u00a0]\(?(?P<number>S?\d{1,3}(?:\.\d{1,2})?[A-Za-z]?)\b)"
)
_KINDS = {"fig": "Figure", "abb": "Figure", "tab": "Table", "equ": "Equation", "eq": "Equation"}
# A sentence that opens like this leans on the one before it: what it says is that one's basis, limit or consequence.
_LEANS = re.compile(
    r"(?:this|these|those|such|that|it|they|its|their|here|both|the former|the latter|the same|likewise|similarly"
    r"|indeed|thus|hence|therefore|consequently|accordingly|specifically|namely|for (?:example|instance)"
    r"|in (?:particular|fact|this|these|that|such|both|contrast|addition)|by contrast|consistent with"
    r"|as (?:shown|seen|described|reported|expected|noted|discussed)|in (?:line|agreement)"
    r" with|dies|diese[rs]?|dadurch|somit|daher|ces?|cette|ceci|cela)\b",
    re.IGNORECASE,
)
_BASIS = re.compile(
    r"\b(?:is|are|was|were|been)[ \n](?:also[ \n])?(?:supported|confirmed|corroborated|shown|demonstrated|suggested"
    r"|evidenced|consistent)\b",
    re.IGNORECASE,
)


def citations(text: str, start: int, end: int) -> list[Span]:
    """The reference brackets, author-year citations and superscripts of ``[start, end)``, in order.

    >>> text = "It holds [3, 5-7], as Doe et al. (2019) say (Smith and Roe, 2020a).¹² In [2019] no."
    >>> [text[span.start : span.end] for span in citations(text, 0, len(text))]
    ['[3, 5-7]', 'Doe et al. (2019)', '(Smith and Roe, 2020a)', '¹²']
    """
    return [Span(*match.span()) for match in _CITATION.finditer(text, start, end)]


def exhibits(text: str, start: int, end: int) -> list[str]:
    """The figures, tables and equations that ``[start, end)`` refers to, each once.

    >>> exhibits("As Fig. 2a and Table 1 show (figure 2a, Eq. (3)).", 0, 60)
    ['Figure 2a', 'Table 1', 'Equation 3']
    """
    found = [(one["kind"].lower(), one["number"]) for one in _EXHIBIT.finditer(text, start, end)]
    return list(dict.fromkeys(f"{_KINDS.get(kind[:3], kind.capitalize())} {number}" for kind, number in found))


def leans_back(text: str, before: Span, sentence: Span) -> bool:
    """Whether a sentence and the one before it are a statement and its basis, which a cut must not part.

    One of the two must cite or point at an exhibit, and the second open like a continuation, or name a basis.

    >>> text = "X causes Y. This is supported by two trials [4]. Z is blue."
    >>> leans_back(text, Span(0, 11), Span(12, 48)), leans_back(text, Span(12, 48), Span(49, 59))
    (True, False)
    """
    opening = _LEANS.match(text, sentence.start, min(sentence.end, sentence.start + 40))
    if not opening and not _BASIS.search(text, sentence.start, min(sentence.end, sentence.start + 160)):
        return False
    return any(
        pattern.search(text, span.start, span.end) for span in (sentence, before) for pattern in (_CITATION, _EXHIBIT)
    )


_CUT_BASIS = 1.5  # before a sentence that says on what the one before it rests: dearer than an uneven leaf
_STATED = 60  # characters of a statement by which its evidence is told
_PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.QUOTE})


def claim(context: ChunkingContext) -> Plan:
    """Leaves of a few whole sentences inside sections; a claim is not parted from its citation and its basis.

    A sentence is never parted from its own reference bracket. One that leans on the sentence before it ("This is
    supported by", "These results", "As shown in Fig. 2") stays with it where one of them cites. Entries of a list of
    references are whole and packed among themselves. Metadata: ``citations`` and ``exhibits`` (figures, tables,
    equations) of a chunk, and ``evidence``: each statement in it that the next sentence rests, by its first words, with
    the span of that sentence ("X causes Y. 12:48").
    """
    text = context.document.text
    entries = _references(context)
    units = [Unit(span.start, span.end, "reference", CUT_ROW) for span in entries]
    listed = by_units(context, units, frozenset({*_PROSE, BlockKind.LIST, BlockKind.FOOTNOTE}))
    splitter = Splitter(context.tokens)
    rests: dict[int, Span] = {}  # where a statement begins -> the sentence that says what it rests on

    def own(item: Item, number: int, heading: int, limit: int, first: int) -> list[Atom] | None:
        if entries and item.end > entries[0].start:
            return listed(item, number, heading, limit, first)
        if item.kind not in _PROSE:
            return None
        spans = sentence_spans(text, item.start, item.end)
        found = splitter.parts(spans, "sentence", number, limit, first, item.bound, CUT_SENTENCE)
        pairs = {before: after for before, after in pairwise(spans) if leans_back(text, before, after)}
        rests.update({before.start: after for before, after in pairs.items()})
        leaning = {after.start for after in pairs.values()}
        for atom in found[1:]:
            if atom.start in leaning:
                atom.cut = max(atom.cut, _CUT_BASIS)
        return found

    def metadata(start: int, end: int) -> Mapping[str, tuple[str, ...]]:
        end = min(end, entries[0].start) if entries else end  # a reference's own number cites nothing
        cited = dict.fromkeys(" ".join(text[one.start : one.end].split()) for one in citations(text, start, end))
        pairs = ((" ".join(text[at : one.start].split()), one) for at, one in rests.items() if start <= at < end)
        rest = tuple(f"{said[:_STATED].rstrip()} {one.start}:{one.end}" for said, one in pairs)
        told = {"citations": tuple(cited), "exhibits": tuple(exhibits(text, start, end)), "evidence": rest}
        return {name: values for name, values in told.items() if values}

    has_any = bool(entries) or any(_CITATION.search(text, region.start, region.end) for region in context.regions)
    plan = planned(context, own, metadata)
    return plan if has_any else plan.instead("sentences inside sections", "this text has no citations")


def _references(context: ChunkingContext) -> list[Span]:
    """The entries of the list of references, () where there is none under a heading that says so."""
    at = references_start(context.document)
    if at < 0:
        return []
    later = [region for region in context.regions if region.end > at]
    return [
        entry
        for region in later[:1]
        for entry in reference_entries(context.document.text, max(at, region.start), region.end)
    ]


def references_start(document: Document) -> int:
    """Where the list of references begins, after its heading; -1 without one."""
    text = document.text
    for block in reversed(document.blocks):
        line = text[block.start : min(block.end, block.start + 80)]
        if block.kind in {BlockKind.HEADING, BlockKind.PARAGRAPH} and is_reference_heading(line.split("\n")[0]):
            return min(len(text), block.start + len(line.split("\n")[0]) + 1)
    return -1
