"""What would admit a lost place, with the dials called as the page calls them. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from core.search.explaining.why_not import Change
from pages.ui.settings.ask_dials import BY_NAME
from pages.ui.shared import words


def offer(change: Change) -> str:
    """A change as a button says it.

    >>> offer(Change({"assembly.budget_tokens": (1000, 1600)}, 0.1, 1.0))
    'Set “Budget, tokens” to 1,600'
    >>> offer(Change({}, 0.5, 1.0, (("type", "pdf"),)))
    'Take away “type: pdf”'
    >>> offer(Change({"retrieval.k": (50, 90)}, 0.1, 1.0, (("type", "pdf"),)))
    'Take away “type: pdf” and set “Chunks kept (k)” to 90'
    """
    taken = " and ".join(f"“{kind}: {value}”" for kind, value in change.remove)
    told = []
    for name, (_, after) in change.settings.items():
        dial = BY_NAME.get(name)
        told.append(f"“{dial.label}” to {dial.said(after)}" if dial else f"{name} to {after}")
    parts = [f"take away {taken}"] if taken else []
    parts += [f"set {' and '.join(told)}"] if told else []
    whole = " and ".join(parts)
    return f"{whole[:1].upper()}{whole[1:]}"


def dialled(change: Change) -> bool:
    """Whether this page has a dial for everything that a change turns.

    >>> dialled(Change({"retrieval.k": (50, 90)}, 0.1, 1.0))
    True
    >>> dialled(Change({"retrieval.lexical_engine": ("fts5", "rank-bm25")}, 0.1, 1.0))
    False
    """
    return all(name in BY_NAME for name in change.settings)


def undialled(changes: Sequence[Change]) -> str:
    """How to make the changes that this page has no dial for; "" where it has one for all.

    >>> undialled([Change({"retrieval.k": (50, 90)}, 0.1, 1.0)])
    ''
    >>> undialled([Change({"retrieval.lexical_engine": ("fts5", "rank-bm25")}, 0.3, 1.0)])
    'Also in with retrieval.lexical_engine=rank-bm25, which has no dial here: the command line sets it.'
    """
    missing = [
        " ".join(f"{name}={after}" for name, (_, after) in change.settings.items())
        for change in changes
        if not dialled(change)
    ]
    return f"Also in with {' or '.join(missing)}, which has no dial here: the command line sets it." if missing else ""


def dials_said(names: Sequence[str]) -> str:
    """Dials as the page calls them, one after another.

    >>> dials_said(["retrieval.k", "retrieval.lexical_engine"])
    'Chunks kept (k), retrieval.lexical_engine'
    """
    return ", ".join(BY_NAME[name].label if name in BY_NAME else name for name in names)


def said(sentence: str) -> str:
    """A sentence of core with the dials called as the page calls them, for a label.

    >>> said("It would be in with retrieval.k at 90 instead of 50.")
    'It would be in with “Chunks kept \\\\(k\\\\)” at 90 instead of 50\\\\.'
    """
    for name, dial in BY_NAME.items():
        sentence = sentence.replace(name, f"“{dial.label}”")
    return words.escaped(sentence)
