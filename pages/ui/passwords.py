"""The question for an encrypted file's password, in place of what it locks."""

from __future__ import annotations

import streamlit as st

from core.errors import PasswordNeededError
from pages.ui import services
from pages.ui.words import escaped


def ask_password(version: str, error: PasswordNeededError) -> None:
    """Ask, and run the page again with what was typed; after a wrong password that means to ask again."""
    with st.form("chunks.password", border=True, width=520):
        st.markdown(":material/lock: **The pages of this file are locked.**")
        st.caption(escaped(str(error)))
        password = st.text_input("Password of the file", type="password", autocomplete="off")
        st.caption("It is used to draw the pages, kept in memory until Lectern ends, and never written down.")
        if st.form_submit_button("Unlock", type="primary") and password:
            services.library().passwords.remember(version, password)
            st.rerun()
