"""Whose word counts where sources disagree: the list of it on the Settings page, and one entry of it more or less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from core.search.context.conflicts_authority import Authority, fits
from pages.ui.shared import background, services, words
from pages.ui.shared.guard import attempt, attempt_or_toast

EXAMPLE = "handbook > notes\naccess tokens: api.md > architecture.md\nmeeting*.md > *"


def off() -> str:
    """Why the list cannot be changed now, "" where it can."""
    if not services.library().writable:
        return "Another program writes this library, this window only reads it."
    if background.active_jobs("apply"):  # it ends with the settings it began with
        return "The library is taking on other settings; the Library page shows how far it is."
    return ""


def show_authority() -> None:
    """The list, one entry a line, kept at once."""
    why = off()
    st.caption(
        "Where documents contradict each other, Ask shows every side. A side that ranks above the others here stands "
        "first and is marked, with the reason; no side is hidden."
    )
    with st.form("settings.authority", border=True):
        text = st.text_area(
            "Whose word counts, one entry a line",
            "\n".join(services.library().settings.answering.authority),
            placeholder=EXAMPLE,
            height=180,
            key="settings.authority.lines",
            disabled=bool(why),
        )
        st.caption(
            words.escaped(
                "Names, titles or kinds of documents, best first, with > between them; * stands for anything. Before a "
                "colon, the subject that the entry is for: access tokens: api.md > architecture.md. Entries with a "
                "subject count before the others, and of several the upper one."
            )
        )
        if st.form_submit_button("Save", type="primary", disabled=bool(why)):
            _save(list(dict.fromkeys(words.lines(text or ""))))
    if why:
        st.caption(why)


def _save(entries: Sequence[str]) -> None:
    if not attempt(lambda: keep(entries)):
        return
    said = (
        f"{words.count(len(entries), 'line')} kept with the library." if entries else "No source ranks above another."
    )
    st.success(f"{said} It holds from the next question on.", icon=":material/check:")
    strange = strangers(entries, [(row.name, row.title, row.document_kind) for row in services.library().sources()])
    if strange:
        named = ", ".join(f"“{pattern}”" for pattern in strange)
        st.warning(
            words.escaped(f"No document of this library is called that, or of that kind: {named}."),
            icon=":material/search_off:",
        )


def strangers(entries: Sequence[str], documents: Sequence[tuple[str, str, str]]) -> list[str]:
    """What entries name and no document is: each a name, a title and a kind.

    >>> strangers(["api.md > notes", "tokens: faq.md > *"], [("api.md", "The API", "markdown")])
    ['notes', 'faq.md']
    """
    named = dict.fromkeys(pattern for entry in entries for pattern in Authority.read(entry).patterns)
    return [pattern for pattern in named if not any(fits(pattern, *document) for document in documents)]


def keep(entries: Sequence[str]) -> None:
    """Make these the library's entries. Raises ``SettingsError`` where one says nothing."""
    library = services.library()
    answering = replace(library.settings.answering, authority=tuple(entries))
    library.adopt(replace(library.settings, answering=answering))


def put_first(entry: str) -> None:
    """One entry more, before the others; for a callback."""
    held = services.library().settings.answering.authority
    attempt_or_toast(lambda: keep(list(dict.fromkeys([entry, *held]))))


def take_out(entry: str) -> None:
    """One entry less; for a callback."""
    held = services.library().settings.answering.authority
    attempt_or_toast(lambda: keep([one for one in held if one != entry]))
