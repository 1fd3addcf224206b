"""The choice of where Chroma's index of vectors is: in the library's folder, or on a Chroma server."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.errors import LecternError
from core.storage.index.server import SENT, TOKEN, Server, reach, server_at
from pages.ui.shared import language, services, words
from pages.ui.shared.guard import attempt_and_rerun, guarded

MOVE, BACK, AGREE = "Agree and move it there", "Move it back into this library's folder", "Agree that it is asked"


def show_chroma_server() -> None:
    """Draw where the index is, and the way to agree to a server, to test it, or to move the index."""
    library = services.library()
    server = library.index.server
    st.subheader("Index of vectors")
    if server is None:
        st.markdown(":material/database: Chroma keeps it in this library's folder.")
        with st.expander("On a Chroma server instead", icon=":material/dns:"):
            st.caption(
                "For a library that several machines read, or that is too large for this one. The documents, their "
                f"text and the vectors stay in this library's folder, too. A server that wants a token: set {TOKEN} "
                "before Lectern is started."
            )
            _choose()
        return
    st.markdown(f":material/dns: It stands on the Chroma server **{words.escaped(server.host)}**.")
    if not server.agreed:
        _explain(server)
        if st.button(AGREE, key="chroma.agree", type="primary"):
            attempt_and_rerun(partial(_agreed, server.address))
        return
    if server.fault:
        st.error(words.escaped(server.fault), icon=":material/error:")
        st.caption("Questions are answered by comparing all vectors, and what changes waits until it answers.")
    test, back, _ = st.columns([1, 2, 3])
    if test.button("Test", key="chroma.test", width="stretch"):
        with st.spinner("Asking it …"), guarded():
            reach(server)
            st.success("It answers.", icon=":material/check:")
    if back.button(BACK, key="chroma.back", disabled=not library.writable, width="stretch"):
        _move(None)


def _choose() -> None:
    field = st.text_input("Its address", key="chroma.address", placeholder="http://localhost:8000").strip()
    if not field:
        return
    with guarded():
        server = server_at(field)
        _explain(server)
        if st.button(MOVE, key="chroma.move", type="primary", disabled=not services.library().writable):
            _move(_agreed(server.address))


def _explain(server: Server) -> None:
    st.markdown(words.escaped(SENT.format(host=server.host)))
    language.show_leaving(server)


def _agreed(address: str) -> Server:
    language.save(language.settings().agreeing(address))
    return server_at(address)


def _move(server: Server | None) -> None:
    """Move the index to a server, or to the library's folder (``None``), and draw the progress.

    Any click meanwhile stops the script and thereby the move; the index then stays where it was.
    """
    bar, stop = st.progress(0.0, "Asking whether it answers …"), st.empty()
    stop.button("Stop", key="chroma.stop")

    def show(done: int, total: int) -> None:
        bar.progress(done / max(1, total), f"{done:,} of {words.count(total, 'vector')}")

    try:
        services.library().index.move(server, show)
    except LecternError as error:
        bar.empty()
        stop.empty()
        st.error(words.escaped(str(error)), icon=":material/error:")
    else:
        st.rerun()
