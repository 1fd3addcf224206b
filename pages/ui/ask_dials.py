"""All of Ask's dials, by stage, and how they stand."""

from __future__ import annotations

from collections.abc import Mapping

from core.settings import Settings
from pages.ui import state
from pages.ui.ask_dial import Dial, Fold
from pages.ui.ask_dials_found import RETRIEVAL, UNDERSTANDING
from pages.ui.ask_dials_ranked import DIVERSITY, RERANKING
from pages.ui.ask_dials_read import ANSWERING, ASSEMBLY, EXPANSION

FOLDS: tuple[Fold, ...] = (UNDERSTANDING, RETRIEVAL, DIVERSITY, RERANKING, EXPANSION, ASSEMBLY, ANSWERING)
DIALS: tuple[Dial, ...] = tuple(dial for fold in FOLDS for dial in fold.dials)
BY_NAME: Mapping[str, Dial] = {dial.name: dial for dial in DIALS}
LABELS: Mapping[str, str] = {dial.name: f"{fold.title} · {dial.label}" for fold in FOLDS for dial in fold.dials}
KEYS: dict[str, str] = {dial.key: dial.name for dial in DIALS}  # widget key -> the setting it turns


def differing(settings: Settings, base: Settings) -> list[Dial]:
    """The dials that are read and stand elsewhere than in ``base``, in the order they are drawn.

    >>> [dial.label for dial in differing(Settings().with_value("retrieval.k", 9), Settings())]
    ['Chunks kept (k)']
    """
    return [
        dial
        for dial in DIALS
        if dial.read(settings) and state.setting(settings, dial.name) != state.setting(base, dial.name)
    ]


def in_words(settings: Settings, base: Settings) -> str:
    """What was turned, from where to where; "" where nothing was.

    >>> in_words(Settings().with_value("retrieval.k", 9), Settings())
    'Chunks kept (k) 9 instead of 50'
    """
    return " · ".join(
        f"{dial.label} {dial.said(state.setting(settings, dial.name))} "
        f"instead of {dial.said(state.setting(base, dial.name))}"
        for dial in differing(settings, base)
    )
