"""Contracts and laws: a leaf is a clause, a parent its article, and defined terms lead back to their definitions.

Legal text is retrieved best by clause and sentence, with the articles around them (Pipitone and Houir Alami,
"LegalBench-RAG", 2024); the definitions a clause relies on stand elsewhere, which is why they are metadata of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.chunking.atoms import CUT_LEAD_IN, CUT_PARAGRAPH, CUT_SENTENCE, Atom
from core.chunking.chunkers.structure import structure
from core.chunking.packing import NO_SECTION
from core.chunking.plan import ChunkingContext, Plan
from core.chunking.signals.clauses import Clause, find_clauses
from core.chunking.signals.terms import Term, TermFinder, find_terms
from core.chunking.units import Unit, by_units, planned
from core.text.sentences import sentence_spans
from core.text.spans import touching
from core.types import BlockKind

_SMALL = 4  # a clause below max_tokens / 4 may share a leaf with its neighbours
_CUT_SUB_CLAUSE = 0.05
_LEADS_IN = ":：-–—"


def clause(context: ChunkingContext) -> Plan:
    """A leaf for every clause, or several for its sentences; articles and sections as parents.

    Clauses of less than a quarter of ``max_tokens`` share a leaf with their neighbours of the same article; the words
    that introduce sub-clauses, and an article's own title, stay with the first of them. An outermost clause as large as
    a leaf begins a parent, or shares that of the small clauses just before it. ``clause_sentences``: of a clause a leaf
    holds no more sentences.
    Metadata: the clauses of a chunk, as they are cited ("3.2(a), sentence 2" where it holds not all of one); ``terms``:
    those it defines; ``uses``: those it uses, each with the span that defines it ("Rent 120:180").
    """
    document = context.document
    barriers = [block.start for block in document.blocks if block.kind == BlockKind.HEADING]
    clauses: list[Clause] = []
    for region in context.regions:
        before = len(clauses)
        found = find_clauses(document.text, region.start, region.end, barriers)
        clauses.extend(replace(one, parent=one.parent + before) if before and one.parent >= 0 else one for one in found)
    terms = [term for region in context.regions for term in find_terms(document.text, region.start, region.end)]
    finder = TermFinder(terms)

    def metadata(start: int, end: int) -> Mapping[str, tuple[str, ...]]:
        found = {
            "clause": tuple(
                dict.fromkeys(_cited(document.text, one, start, end) for one in clauses[touching(clauses, start, end)])
            ),
            "terms": tuple(_placed(term) for term in terms if start <= term.definition.start < end),
            "uses": tuple(_placed(term) for term in finder.uses(document.text, start, end)),
        }
        return {name: values for name, values in found.items() if values}

    if not clauses:
        plan = planned(context, None, metadata) if terms else structure(context)
        return plan.instead("structure", "this text has no numbered clauses")
    units = _units(context, clauses)
    headed = {unit.start: unit for unit in units if unit.parent_why}

    def at_headings(atoms: list[Atom]) -> None:
        """An article whose title is a heading begins a parent as one does whose title is text."""
        for atom in atoms:
            if atom.opens < NO_SECTION and atom.start in headed:
                atom.parent_why = headed[atom.start].parent_why

    return planned(context, by_units(context, units), metadata, adjust=at_headings)


def _units(context: ChunkingContext, clauses: Sequence[Clause]) -> list[Unit]:
    """Clauses as units, with the leaves and parents that must begin at them."""
    text, room = context.document.text, context.settings.max_tokens
    small = room // _SMALL
    sizes = [context.tokens.count(one.start, one.end) for one in clauses]
    wholes = [context.tokens.count(one.start, one.until) for one in clauses]
    tops: list[int] = []
    units: list[Unit] = []
    held, large_before = 0, False
    for at, one in enumerate(clauses):
        tops.append(at if one.parent < 0 else tops[one.parent])
        before = clauses[at - 1] if at else None
        follows = before is not None and one.parent == at - 1
        introduced = before is not None and (text[before.end - 1] in _LEADS_IN or sizes[at - 1] < small)
        leads_in = follows and introduced
        alike = at > 0 and tops[at] == tops[at - 1] and (held < small or wholes[at] < small)
        crumbs = held < small and wholes[at] < small
        joins = at > 0 and (leads_in or alike or crumbs)
        held = held + sizes[at] if joins and held + sizes[at] <= room else sizes[at]
        why = f"clause {one.label} starts here"
        parent_why = ""
        if one.parent < 0 or wholes[one.parent] > context.settings.parent_room:
            is_large = wholes[at] >= room
            parent_why = why if at and ((is_large and not joins) or (large_before and not follows)) else ""
            large_before = is_large
        cut = CUT_LEAD_IN if leads_in else _CUT_SUB_CLAUSE if one.depth > 1 else CUT_PARAGRAPH
        unit = Unit(one.start, one.end, "clause", cut, "" if joins or not at else why, parent_why)
        units.extend(_divided(text, unit, one, context.settings.clause_sentences))
    return units


def _divided(text: str, unit: Unit, one: Clause, most: int) -> list[Unit]:
    """A clause's unit, in units of ``most`` of its sentences each; 0 leaves it whole."""
    starts = [span.start for span in sentence_spans(text, one.body, one.end)][most::most] if most else []
    ends = [*starts, unit.end]
    later = [
        Unit(start, end, "sentence", CUT_SENTENCE, f"another sentence of clause {one.label} starts here")
        for start, end in zip(starts, ends[1:], strict=True)
    ]
    return [replace(unit, end=ends[0]), *later]


def _cited(text: str, one: Clause, start: int, end: int) -> str:
    """A clause as it is cited, with which of its sentences begin in ``[start, end)`` where not all of it lies there."""
    if start <= one.start and one.end <= end:
        return one.label
    spans = sentence_spans(text, one.body, one.end)
    inside = [number for number, span in enumerate(spans, start=1) if start <= span.start < end]
    if not inside or len(inside) == len(spans):
        return one.label
    which = f"sentence {inside[0]}" if len(inside) == 1 else f"sentences {inside[0]} to {inside[-1]}"
    return f"{one.label}, {which}"


def _placed(term: Term) -> str:
    """A term and the span of its definition.

    >>> from core.types import Span
    >>> _placed(Term("Rent", Span(120, 180)))
    'Rent 120:180'
    """
    return f"{term.name} {term.definition.start}:{term.definition.end}"
