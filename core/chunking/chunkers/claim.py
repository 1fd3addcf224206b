"""Chunks scientific papers: a claim, its citation and its evidence stay together; references are whole entries.

Papers cite a claim and give its evidence in the same or the next sentence; the context of a citation is one to three
sentences (Abu-Jbara and Radev, "Coherent Citation-Based Summarization of Scientific Papers", ACL 2011; Qazvinian and
Radev, "Identifying Non-explicit Citing Sentences", ACL 2010).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from core.chunking.atoms import CUT_ROW, CUT_SENTENCE, Atom, Splitter
from core.chunking.chunkers.structure import Item
from core.chunking.plan import ChunkingContext, Plan
from core.chunking.units import Unit, atoms_by_units, plan_with_metadata
from core.text.markup.cited import AUTHORS, CAPITAL, NAME, OTHERS, YEAR, is_reference_heading, reference_entries
from core.text.sentences import sentence_spans
from core.types import BlockKind, Document, Span

_RAISED = "¹²³⁰-⁹"
_CITATION = re.compile(
    # The first characters of all alternatives are in one leading set, so that scanning the text is fast.
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
_EXHIBIT_NAMES = {"fig": "Figure", "abb": "Figure", "tab": "Table", "equ": "Equation", "eq": "Equation"}
# A sentence that opens like this depends on the one before: it states that one's evidence, limit or consequence.
_CONTINUES = re.compile(
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
    found = [(match["kind"].lower(), match["number"]) for match in _EXHIBIT.finditer(text, start, end)]
    return list(dict.fromkeys(f"{_EXHIBIT_NAMES.get(kind[:3], kind.capitalize())} {number}" for kind, number in found))


def depends_on_previous(text: str, before: Span, sentence: Span) -> bool:
    """Whether a sentence and the one before it are a claim and its evidence, which should share a chunk.

    The second must open like a continuation ("This is ...") or say that something is supported, and one of the two must
    have a citation or mention an exhibit.

    >>> text = "X causes Y. This is supported by two trials [4]. Z is blue."
    >>> depends_on_previous(text, Span(0, 11), Span(12, 48)), depends_on_previous(text, Span(12, 48), Span(49, 59))
    (True, False)
    """
    opening = _CONTINUES.match(text, sentence.start, min(sentence.end, sentence.start + 40))
    if not opening and not _BASIS.search(text, sentence.start, min(sentence.end, sentence.start + 160)):
        return False
    return any(
        pattern.search(text, span.start, span.end) for span in (sentence, before) for pattern in (_CITATION, _EXHIBIT)
    )


_CUT_BASIS = 1.5  # cost of a cut before a claim's evidence: more than an uneven leaf costs
_STATEMENT_CHARACTERS = 60  # of a claim in the "evidence" metadata
_PROSE = frozenset({BlockKind.PARAGRAPH, BlockKind.QUOTE})


def claim(context: ChunkingContext) -> Plan:
    """Leaves of a few whole sentences inside sections; a claim stays with its citation and its evidence.

    A sentence that depends on the one before ("This is supported by", "These results", "As shown in Fig. 2") stays
    with it where one of the two cites. Entries of the list of references are whole and share leaves only with each
    other. Metadata: ``citations``; ``exhibits`` (figures, tables, equations); ``evidence``: for each claim that the
    next sentence supports, its first words and that sentence's span ("X causes Y. 12:48").
    """
    text = context.document.text
    entries = _references(context)
    units = [Unit(span.start, span.end, "reference", CUT_ROW) for span in entries]
    reference_atoms = atoms_by_units(context, units, frozenset({*_PROSE, BlockKind.LIST, BlockKind.FOOTNOTE}))
    splitter = Splitter(context.tokens)
    evidence: dict[int, Span] = {}  # start of a claim -> the sentence that supports it

    def block_atoms(item: Item, number: int, heading: int, limit: int, first_limit: int) -> list[Atom] | None:
        if entries and item.end > entries[0].start:
            return reference_atoms(item, number, heading, limit, first_limit)
        if item.kind not in _PROSE:
            return None
        spans = sentence_spans(text, item.start, item.end)
        atoms = splitter.parts(spans, "sentence", number, limit, first_limit, item.bound, CUT_SENTENCE)
        pairs = [(before, after) for before, after in pairwise(spans) if depends_on_previous(text, before, after)]
        evidence.update({before.start: after for before, after in pairs})
        dependent = {after.start for _, after in pairs}
        for atom in atoms[1:]:
            if atom.start in dependent:
                atom.cut = max(atom.cut, _CUT_BASIS)
        return atoms

    def metadata(start: int, end: int) -> Mapping[str, tuple[str, ...]]:
        end = min(end, entries[0].start) if entries else end  # the numbers in the list of references cite nothing
        cited = dict.fromkeys(" ".join(text[span.start : span.end].split()) for span in citations(text, start, end))
        supported = []
        for at, span in evidence.items():
            if start <= at < end:
                claim_text = " ".join(text[at : span.start].split())
                supported.append(f"{claim_text[:_STATEMENT_CHARACTERS].rstrip()} {span.start}:{span.end}")
        facts = {
            "citations": tuple(cited),
            "exhibits": tuple(exhibits(text, start, end)),
            "evidence": tuple(supported),
        }
        return {name: values for name, values in facts.items() if values}

    has_citations = bool(entries) or any(_CITATION.search(text, region.start, region.end) for region in context.regions)
    plan = plan_with_metadata(context, block_atoms, metadata)
    return plan if has_citations else plan.as_fallback("sentences inside sections", "this text has no citations")


def _references(context: ChunkingContext) -> list[Span]:
    """The entries of the list of references; [] without a heading for one."""
    at = references_start(context.document)
    region = next((region for region in context.regions if 0 <= at < region.end), None)
    if region is None:
        return []
    return list(reference_entries(context.document.text, max(at, region.start), region.end))


def references_start(document: Document) -> int:
    """The offset at which the list of references begins, after its heading; -1 without one."""
    text = document.text
    for block in reversed(document.blocks):
        line = text[block.start : min(block.end, block.start + 80)].split("\n")[0]
        if block.kind in {BlockKind.HEADING, BlockKind.PARAGRAPH} and is_reference_heading(line):
            return min(len(text), block.start + len(line) + 1)
    return -1
