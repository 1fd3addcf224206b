"""The login, where ``[auth]`` in Streamlit's secrets names an OpenID Connect provider: nobody else sees a page."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pages.ui.server.access_key import has_login


def is_in() -> bool:
    """Whether this session may see pages: no login is set up, or the logged-in account is allowed."""
    return not has_login() or (st.user.is_logged_in is True and _is_named())


def ask() -> None:
    """Draw the login and stop the script unless ``is_in``."""
    if is_in():
        return
    st.title("Lectern")
    if st.user.is_logged_in:
        st.warning("This account is not among the people of this Lectern. Log in by another, or ask who runs it.")
        st.button("Log out", on_click=st.logout)
    else:
        auth = st.secrets["auth"]
        for provider in [None] if "client_id" in auth else [name for name in auth if isinstance(auth[name], Mapping)]:
            st.button(f"Log in by {provider}" if provider else "Log in", on_click=st.login, args=[provider])
    st.stop()


def offer_logout() -> None:
    """Draw a button to log out, if a login is set up."""
    if has_login():
        st.button("Log out", icon=":material/logout:", on_click=st.logout)


def _is_named() -> bool:
    """Whether ``people`` in ``[auth]`` lists the account's verified email address; ``True`` without such a list."""
    people = st.secrets["auth"].get("people")
    address = str(st.user.get("email") or "").casefold()
    verified = st.user.get("email_verified", True) is not False
    return people is None or (verified and address in {str(person).casefold() for person in people})
