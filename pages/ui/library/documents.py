"""The Library page's table of documents: filter, open, organise, put in the trash."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.library import SourceRow
from pages.ui.library import organising
from pages.ui.shared import address, background, services, state, words
from pages.ui.shared.tables import select_rows

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator
    from streamlit.elements.lib.column_types import ButtonColumnResult

COLUMNS: Mapping[str, Any] = {
    # The columns that distinguish documents come first, where they are visible at a width of 1024 pixels.
    "File": st.column_config.TextColumn(width=170),
    "Found by": st.column_config.TextColumn(
        width=112,
        help="A document is found by its words as soon as it is cut, and by its meaning once that is encoded, unless "
        "you left it to its words.",
    ),
    "Kind": st.column_config.TextColumn(width=118),
    "Pages": st.column_config.NumberColumn(width=58, format="localized", help="Pages of a PDF, slides of a deck."),
    "Read": st.column_config.TextColumn(
        width=190,
        help="Where not every page told its own text: how many were read by OCR, and how sure it was of its letters; "
        "in how many pictures it found no words; and how many are unread, so that the document is there in part.",
    ),
    "Chunks": st.column_config.NumberColumn(width=62, format="localized"),
    "In chunks": st.column_config.TextColumn(
        width=184,
        help="Share of the non-blank characters in some chunk. Front matter and running page headers are set aside.",
    ),
    "Words found": st.column_config.TextColumn(
        width=104,
        help="A second, different program reads each file as well. This is the share of the words it found that are in "
        "the text, in the metadata, or left out for a reason that Chunks names.",
    ),
    "Collections and tags": st.column_config.TextColumn(width=150),
    "Note": st.column_config.TextColumn(width=180),
    "Changed": st.column_config.DatetimeColumn(format="distance", width=108),
    "Size": st.column_config.TextColumn(width=64),
    "Also as": st.column_config.TextColumn(width=110, help="Other files with exactly the same content."),
    "Cut by": st.column_config.TextColumn(width=210, help="The recipe: chunker, sizes and overlap."),
}


FILTERS = {"kind": state.KINDS, "collection": state.COLLECTIONS, "tag": state.TAGS}  # by parameter of the address


def arrive() -> None:
    """Set the filters from the address, if the page has to follow it."""
    query = address.take()
    if query is None:
        return
    st.session_state[state.FILTER] = address.last(query, "find")
    for name, key in FILTERS.items():
        st.session_state[key] = query.get(name, [])


def say() -> None:
    """Put the filters into the address."""
    chosen = {name: st.session_state.get(key) for name, key in FILTERS.items()}
    address.say({"find": st.session_state.get(state.FILTER), **chosen})


TITLE_SHOWN, FILE_SHOWN = 36, 24  # characters that fit into the columns
SCROLLED = 60  # documents; the table of more scrolls by itself


def show_documents(sources: list[SourceRow]) -> None:
    """Draw the filters, the actions for selected rows, and the table."""
    shown = sorted(filtered(sources), key=lambda source: source.title.casefold())
    bar = st.container(horizontal=True, vertical_alignment="bottom", gap="small")
    names, columns = [source.id for source in shown], {"Title": _title(shown), **COLUMNS}
    height = None if len(shown) <= SCROLLED else 520
    chosen = select_rows(
        shown, names, table(shown), state.TABLE, "The documents of the library", columns, height=height
    )
    show_unfinished(sources)
    if not shown:
        st.caption("No document matches the filter.")
    elif not chosen:
        st.caption("A click on a title opens it. Tick rows to file them, or to put them in the trash.")
    with bar:
        actions(chosen)


def _title(shown: list[SourceRow]) -> ButtonColumnResult:
    """The column of titles; a click on one opens its document."""

    def opened() -> None:
        source = shown[st.session_state[state.TITLE].row]
        if source.version_id:
            address.go("pages/chunks.py", {"document": source.version_id})

    return st.column_config.ButtonColumn(
        width=230, alignment="left", type="tertiary", help="A click opens it.", on_click=opened, key=state.TITLE
    )


def show_unfinished(sources: list[SourceRow]) -> None:
    """Draw how many documents are not encoded, or were parsed by an earlier parser, each with a button to catch up.

    A cancelled or failed batch leaves documents without vectors.
    """
    if not services.library().writable or background.active_jobs("ingest", "apply"):
        return
    unencoded = list(dict.fromkeys(source.version_id for source in sources if source.by_words))
    _offer(unencoded, "found by words alone so far.", "Encode the rest", "library.encode")
    earlier = "read by an earlier version of Lectern, or with other settings."
    _offer(services.outdated(), earlier, "Read them again", "library.outdated")


def _offer(versions: Sequence[str], state_words: str, label: str, key: str) -> None:
    """Draw what these documents are, and a button that chunks them again; nothing where there are none."""
    if versions:
        text, button = st.columns([6, 1.4], vertical_alignment="center")
        text.caption(f"{words.count(len(versions), 'document')} {state_words}")
        button.button(label, key=key, on_click=background.recut, args=[versions])


def filtered(sources: list[SourceRow]) -> list[SourceRow]:
    """Draw the row of filters; returns the sources that match."""
    find, kind, collection, tag = st.columns([4, 2, 2, 2], vertical_alignment="bottom")
    sought = find.text_input(
        "Filter",
        key=state.FILTER,
        placeholder="Filter by title, file or kind",
        label_visibility="collapsed",
        type="search",
        live=True,
        persist_state="session",
    )
    kinds = _choice(kind, "Kind", state.KINDS, {source.document_kind for source in sources}, words.kind)
    collections = _choice(
        collection, "Collection", state.COLLECTIONS, {name for source in sources for name in source.collections}
    )
    tags = _choice(tag, "Tag", state.TAGS, {name for source in sources for name in source.tags})
    return [
        source
        for source in sources
        if matches(source, sought or "")
        and (not kinds or source.document_kind in kinds)
        and (not collections or set(collections) & set(source.collections))
        and (not tags or set(tags) & set(source.tags))
    ]


def _choice(
    place: DeltaGenerator, label: str, key: str, options: set[str], format_func: Callable[[str], str] = str
) -> list[str]:
    """Draw a filter by value; returns the values chosen. Draws nothing without options."""
    if not options:
        return []
    st.session_state[key] = [value for value in st.session_state.get(key, []) if value in options]
    return place.multiselect(
        label, sorted(options), key=key, format_func=format_func, placeholder=label, label_visibility="collapsed"
    )


def matches(source: SourceRow, sought: str) -> bool:
    """Whether title, name, kind and note together contain every word of ``sought``."""
    return words.holds_all(f"{source.title} {source.name} {words.kind(source.document_kind)} {source.note}", sought)


def actions(chosen: list[SourceRow]) -> None:
    """Draw the actions for the selected rows."""
    writable = services.library().writable
    one = chosen[0] if len(chosen) == 1 else None
    if st.button("Open in Chunks", key="library.open", disabled=one is None, icon=":material/data_array:") and one:
        address.go("pages/chunks.py", {"document": one.version_id})
    if st.button(
        "Organise",
        key="library.organise",
        disabled=not (chosen and writable),
        icon=":material/label:",
        help="Collections, tags and a note. Questions can be asked of a collection or a tag alone.",
    ):
        organising.organise(chosen)
    if st.button(
        "Find by words alone" if chosen else "Rarely read …",
        key="library.words_alone",
        disabled=not writable,
        icon=":material/match_word:",
        help="Leave documents to their words, which frees their vectors; or encode them again. Where none is ticked, "
        "those that are old or rarely read. What it saves is told.",
    ):
        organising.leave_to_words(chosen) if chosen else organising.leave_rarely_used()
    if (
        st.button(
            "Original", key="library.original", disabled=one is None, icon=":material/draft:", help="The file itself."
        )
        and one
    ):
        organising.original(one)
    st.download_button(
        "Markdown",
        data=partial(
            organising.as_markdown, services.library(), chosen
        ),  # called outside the session, which ``services`` needs
        file_name=organising.markdown_name(chosen),
        key="library.markdown",
        disabled=not chosen,
        icon=":material/download:",
        on_click="ignore",
        help="The text Lectern reads, with note and judged questions: one file, or several in a .zip.",
    )
    if st.button("To the trash", key="library.trash", disabled=not (chosen and writable), icon=":material/delete:"):
        with st.spinner("Putting it in the trash …"):
            trashed = [source.id for source in chosen]
            services.library().trash(trashed)
            st.session_state[state.THROWN] = trashed
        st.rerun()


def table(sources: list[SourceRow]) -> dict[str, list[object]]:
    """The table's columns; those are left out that are empty or that say "all" of every document, and the recipe if all
    documents have the same.
    """
    some_by_words = any(source.by_words or source.words_alone for source in sources)
    columns: dict[str, list[object]] = {
        "Title": [
            words.shortened(source.title, TITLE_SHOWN) for source in sources
        ],  # a button would cut without an ellipsis
        "File": [words.shortened(words.place_name(source.name), FILE_SHOWN, keep=8) for source in sources],
        "Found by": [_found_by(source) for source in sources] if some_by_words else [],
        "Kind": [words.kind(source.document_kind) for source in sources],
        "Pages": [source.pages or None for source in sources],
        "Read": [words.read(source.read) for source in sources],
        "Chunks": [source.chunks for source in sources],
        "In chunks": [
            words.covered(
                source.covered, services.gap_reasons(source), of_part=bool(source.read and source.read.unread)
            )
            for source in sources
        ],
        "Words found": [words.found(source.words) for source in sources],
        "Collections and tags": [labels(source) for source in sources],
        "Note": [source.note for source in sources],
        "Changed": [source.changed_at for source in sources],
        "Size": [words.size(source.size_bytes) for source in sources],
        "Also as": [", ".join(words.place_name(name) for name in source.also) for source in sources],
        "Cut by": [source.recipe for source in sources] if len({source.recipe for source in sources}) > 1 else [],
    }
    needed = {"Title", "File", "Kind", "Chunks"}
    return {
        name: values for name, values in columns.items() if name in needed or not {"", "all", None}.issuperset(values)
    }


def _found_by(source: SourceRow) -> str:
    if source.words_alone:
        return "words, as chosen"
    return "words so far" if source.by_words else "words, meaning"


def labels(source: SourceRow) -> str:
    """The names of collections, then of tags with "#".

    >>> from dataclasses import replace
    >>> row = SourceRow(*[""] * 18)
    >>> labels(replace(row, collections=("Work",), tags=("urgent",)))
    'Work, #urgent'
    """
    return ", ".join([*source.collections, *(f"#{name}" for name in source.tags)])
