"""What would admit a lost place, with the dials called as the page calls them. Pure."""

from __future__ import annotations

from core.explaining import Change
from pages.ui import words
from pages.ui.ask_dials import BY_NAME


def offer(change: Change) -> str:
    """A change as a button says it.

    >>> offer(Change({"assembly.budget_tokens": (1000, 1600)}, 0.1, 1.0))
    'Set budget, tokens to 1,600'
    >>> offer(Change({}, 0.5, 1.0, (("type", "pdf"),)))
    'Take away “type: pdf”'
    >>> offer(Change({"retrieval.k": (50, 90)}, 0.1, 1.0, (("type", "pdf"),)))
    'Take away “type: pdf” and set chunks kept (k) to 90'
    """
    taken = " and ".join(f"“{kind}: {value}”" for kind, value in change.remove)
    told = []
    for name, (_, after) in change.settings.items():
        dial = BY_NAME.get(name)
        told.append(f"{dial.label[:1].lower()}{dial.label[1:]} to {dial.said(after)}" if dial else f"{name} to {after}")
    parts = [f"take away {taken}"] if taken else []
    parts += [f"set {' and '.join(told)}"] if told else []
    whole = " and ".join(parts)
    return f"{whole[:1].upper()}{whole[1:]}"


def said(sentence: str) -> str:
    """A sentence of core with the dials called as the page calls them, for a label.

    >>> said("It would be in with retrieval.k at 90 instead of 50.")
    'It would be in with “Chunks kept \\\\(k\\\\)” at 90 instead of 50\\\\.'
    """
    for name, dial in BY_NAME.items():
        sentence = sentence.replace(name, f"“{dial.label}”")
    return words.escaped(sentence)
