"""Dialogs for selected documents: collections, tags and a note; words alone; Markdown; and the original file."""

from __future__ import annotations

import io
import mimetypes
import zipfile
from collections.abc import Sequence

import streamlit as st

from core.errors import LecternError
from core.inspecting.as_markdown import document_as_markdown, markdown_names
from core.library import Library, SourceRow
from pages.ui.shared import background, services, words
from pages.ui.shared.guard import attempt_and_rerun

DOWNLOAD_AT_MOST = 200_000_000  # bytes, as a download is held in the app's memory


@st.dialog("Organise", icon=":material/label:")
def organise(chosen: Sequence[SourceRow]) -> None:
    """The dialog for the collections and tags of the chosen documents, and for the note of a single one."""
    library = services.library()
    title = words.escaped(chosen[0].title) if len(chosen) == 1 else words.count(len(chosen), "document")
    st.markdown(f"**{title}**")
    collections = {collection.name: collection.id for collection in library.labels.collections()}
    in_all = [name for name in collections if all(name in source.collections for source in chosen)]
    on_all = sorted(set.intersection(*(set(source.tags) for source in chosen)))
    with st.form("library.organise.form", border=False):
        filed = st.multiselect(
            "Collections", list(collections), default=in_all, accept_new_options=True, placeholder="Choose, or name one"
        )
        tagged = st.multiselect(
            "Tags",
            sorted({tag.name for tag in library.labels.tags()} | set(on_all)),
            default=on_all,
            accept_new_options=True,
            placeholder="Choose, or write one",
        )
        note = st.text_area("Note", chosen[0].note, height=120) if len(chosen) == 1 else None
        if len(chosen) > 1:
            st.caption("Shown is what all of them have in common; the rest of each stays as it is.")
        if not st.form_submit_button("Save", type="primary"):
            return

    def save() -> None:
        ids = [source.id for source in chosen]
        for name in filed:
            if name not in in_all:
                collection = collections[name] if name in collections else library.labels.create_collection(name)
                library.labels.collect(ids, collection)
        for name in set(in_all) - set(filed):
            library.labels.uncollect(ids, collections[name])
        for name in set(tagged) - set(on_all):
            library.labels.tag(ids, name)
        for name in set(on_all) - set(tagged):
            library.labels.untag(ids, name)
        if note is not None and note != chosen[0].note:
            library.labels.write_note(ids[0], note)

    attempt_and_rerun(save)


@st.dialog("Words alone", icon=":material/match_word:")
def leave_to_words(chosen: Sequence[SourceRow]) -> None:
    """The dialog that drops the vectors of the chosen documents, with what that saves.

    If all of them have been left to words already, it offers to encode them again.
    """
    library, ids = services.library(), [source.id for source in chosen]
    if not all(source.words_alone for source in chosen):
        _leave(ids)
        return
    st.markdown(library.cutting.tier_cost(ids).encoding)
    st.caption("They are found by their meaning again, as they are encoded.")
    if st.button("Encode them again", type="primary"):

        def act() -> None:
            if versions := library.cutting.take_from_words(ids):
                background.recut(versions)

        attempt_and_rerun(act)


@st.dialog("Words alone", icon=":material/match_word:")
def leave_rarely_used() -> None:
    """The dialog that drops the vectors of documents by age, and by how long no question has read them."""
    st.caption("Documents that have not changed, and that no question on Ask has read. Tick some to choose by hand.")
    left, right = st.columns(2)
    older = left.number_input("Days unchanged", min_value=0, value=365, step=30, help="0: whether they did or not.")
    unread = right.number_input("Days unread", min_value=0, value=0, step=30, help="0: whether read or not.")
    try:
        ids = services.library().cutting.rarely_used(older, unread) if older or unread else []
    except LecternError as error:
        st.warning(words.escaped(str(error)))
        return
    if ids:
        _leave(ids)
    else:
        st.caption("There are none.")


def _leave(ids: Sequence[int]) -> None:
    """Draw what dropping the vectors of documents saves and loses, and the button that does it."""
    cutting = services.library().cutting
    st.markdown(cutting.tier_cost(ids).leaving)
    st.caption(
        "They stay in every list, and are searched by their words alone, also when their files change. What is "
        "freed is used by what comes in next; *Erase* returns it to the disk."
    )
    if st.button("Leave them to their words", type="primary"):
        attempt_and_rerun(lambda: cutting.leave_to_words(ids))


def as_markdown(library: Library, chosen: Sequence[SourceRow]) -> bytes:
    """The documents' texts, notes and judged questions: one Markdown file, or several in a .zip."""
    texts = [
        document_as_markdown(library.document(source.version_id), source, library.judgments(source.version_id)).encode()
        for source in chosen
    ]
    if len(texts) == 1:
        return texts[0]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in zip(markdown_names(chosen), texts, strict=True):
            archive.writestr(name, text)
    return buffer.getvalue()


def markdown_name(chosen: Sequence[SourceRow]) -> str:
    """The file name for the result of ``as_markdown``."""
    return markdown_names(chosen)[0] if len(chosen) == 1 else "documents.zip"


@st.dialog("The file itself", icon=":material/draft:")
def original(source: SourceRow) -> None:
    """The dialog with the path of a document's file on this machine, and a copy to download."""
    library = services.library()
    place = library.folders.original_path(source.id)
    if place:
        st.caption("It lies here; a browser may not open it from there, so copy the path:")
        st.code(str(place), language=None, wrap_lines=True)
    elif source.kind == "path":
        st.caption("The file is no longer where it was read. Lectern keeps the bytes it read:")
    else:
        st.caption("Lectern keeps the bytes that were uploaded:")
    if source.size_bytes > DOWNLOAD_AT_MOST:
        st.caption(f"At {words.size(source.size_bytes)} it is too large to hand over here.")
        return
    name = words.file_name(source.name)
    st.download_button(
        f"Save a copy ({words.size(source.size_bytes)})",
        data=lambda: library.original(source.version_id),
        file_name=name,
        mime=mimetypes.guess_type(name)[0] or "application/octet-stream",
        icon=":material/download:",
        type="primary",
        on_click="ignore",
    )
