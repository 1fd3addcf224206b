"""Chunks contracts and laws: leaves are clauses, parents their articles; metadata links terms to their definitions.

Legal text is retrieved best by clause and sentence, with the articles around them (Pipitone and Houir Alami,
"LegalBench-RAG", 2024). The definitions that a clause relies on stand elsewhere, so each chunk names their spans.
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
from core.chunking.units import Unit, atoms_by_units, plan_with_metadata
from core.text.sentences import sentence_spans
from core.text.spans import touching
from core.types import BlockKind

_SMALL = 4  # a clause below max_tokens / 4 is small
_CUT_SUB_CLAUSE = 0.05
_LEADS_IN = ":：-–—"


def clause(context: ChunkingContext) -> Plan:
    """One leaf per clause, or several for its sentences; articles and sections are parents.

    Clauses below a quarter of ``max_tokens`` share a leaf with their neighbours in the same article. Words that
    introduce sub-clauses, and an article's title, stay with the first of them. An outermost clause as large as a leaf
    begins a parent, or joins that of the small clauses right before it. ``clause_sentences``: the most sentences of a
    clause in one leaf. Metadata: ``clause``: the chunk's clauses as they are cited ("3.2(a), sentence 2" for a part of
    one); ``terms``: defined in it; ``uses``: used in it, each with the span of its definition ("Rent 120:180").
    """
    document = context.document
    barriers = [block.start for block in document.blocks if block.kind == BlockKind.HEADING]
    clauses: list[Clause] = []
    for region in context.regions:
        offset = len(clauses)  # a clause's ``parent`` is an index into its region's clauses
        found = find_clauses(document.text, region.start, region.end, barriers)
        clauses.extend(replace(one, parent=one.parent + offset) if one.parent >= 0 else one for one in found)
    terms = [term for region in context.regions for term in find_terms(document.text, region.start, region.end)]
    finder = TermFinder(terms)

    def metadata(start: int, end: int) -> Mapping[str, tuple[str, ...]]:
        touched = clauses[touching(clauses, start, end)]
        facts = {
            "clause": tuple(dict.fromkeys(_citation(document.text, one, start, end) for one in touched)),
            "terms": tuple(_with_span(term) for term in terms if start <= term.definition.start < end),
            "uses": tuple(_with_span(term) for term in finder.uses(document.text, start, end)),
        }
        return {name: values for name, values in facts.items() if values}

    if not clauses:
        plan = plan_with_metadata(context, None, metadata) if terms else structure(context)
        return plan.as_fallback("structure", "this text has no numbered clauses")
    units = _units(context, clauses)
    parent_reasons = {unit.start: unit.parent_why for unit in units if unit.parent_why}

    def begin_parents_at_headings(atoms: list[Atom]) -> None:
        """Units do not cover headings, so an article whose title is a heading gets its parent here."""
        for atom in atoms:
            if atom.opens < NO_SECTION and atom.start in parent_reasons:
                atom.parent_why = parent_reasons[atom.start]

    return plan_with_metadata(context, atoms_by_units(context, units), metadata, adjust=begin_parents_at_headings)


def _units(context: ChunkingContext, clauses: Sequence[Clause]) -> list[Unit]:
    """Clauses as units, with the reasons for leaves and parents that must begin at them."""
    text, room = context.document.text, context.settings.max_tokens
    small = room // _SMALL
    sizes = [context.tokens.count(one.start, one.end) for one in clauses]
    full_sizes = [context.tokens.count(one.start, one.until) for one in clauses]  # with their sub-clauses
    articles: list[int] = []  # for each clause, the index of its outermost clause
    units: list[Unit] = []
    leaf_size, large_before = 0, False  # tokens of the leaf so far; whether a large clause is right before
    for at, one in enumerate(clauses):
        articles.append(at if one.parent < 0 else articles[one.parent])
        before = clauses[at - 1] if at else None
        is_first_child = before is not None and one.parent == at - 1
        introduced = before is not None and (text[before.end - 1] in _LEADS_IN or sizes[at - 1] < small)
        leads_in = is_first_child and introduced
        same_article = at > 0 and articles[at] == articles[at - 1] and (leaf_size < small or full_sizes[at] < small)
        both_small = leaf_size < small and full_sizes[at] < small
        joins = at > 0 and (leads_in or same_article or both_small)
        leaf_size = leaf_size + sizes[at] if joins and leaf_size + sizes[at] <= room else sizes[at]
        why = f"clause {one.label} starts here"
        parent_why = ""
        if one.parent < 0 or full_sizes[one.parent] > context.settings.parent_room:
            is_large = full_sizes[at] >= room
            parent_why = why if at and ((is_large and not joins) or (large_before and not is_first_child)) else ""
            large_before = is_large
        cut = CUT_LEAD_IN if leads_in else _CUT_SUB_CLAUSE if one.depth > 1 else CUT_PARAGRAPH
        unit = Unit(one.start, one.end, "clause", cut, "" if joins or not at else why, parent_why)
        units.extend(_by_sentences(text, unit, one, context.settings.clause_sentences))
    return units


def _by_sentences(text: str, unit: Unit, one: Clause, most: int) -> list[Unit]:
    """A clause's unit split into units of ``most`` sentences each; 0 leaves it whole."""
    starts = [span.start for span in sentence_spans(text, one.body, one.end)][most::most] if most else []
    ends = [*starts, unit.end]
    later = [
        Unit(start, end, "sentence", CUT_SENTENCE, f"another sentence of clause {one.label} starts here")
        for start, end in zip(starts, ends[1:], strict=True)
    ]
    return [replace(unit, end=ends[0]), *later]


def _citation(text: str, one: Clause, start: int, end: int) -> str:
    """How a clause is cited, with the numbers of its sentences in ``[start, end)`` where only a part of it is there."""
    if start <= one.start and one.end <= end:
        return one.label
    spans = sentence_spans(text, one.body, one.end)
    inside = [number for number, span in enumerate(spans, start=1) if start <= span.start < end]
    if not inside or len(inside) == len(spans):
        return one.label
    which = f"sentence {inside[0]}" if len(inside) == 1 else f"sentences {inside[0]} to {inside[-1]}"
    return f"{one.label}, {which}"


def _with_span(term: Term) -> str:
    """A term with the span of its definition, as metadata.

    >>> from core.types import Span
    >>> _with_span(Term("Rent", Span(120, 180)))
    'Rent 120:180'
    """
    return f"{term.name} {term.definition.start}:{term.definition.end}"
