"""Who logs in, where ``[auth]`` in Streamlit's secrets names a provider of OpenID Connect: nobody else sees a page."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from pages.ui.server.access_key import has_login


def is_in() -> bool:
    """Whether this session may see pages: no login is set up, or one of the people logged in."""
    return not has_login() or (st.user.is_logged_in is True and _is_named())


def ask() -> None:
    """Go on only where ``is_in``; else ask for a login."""
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
    """A button that ends the login, where there is one."""
    if has_login():
        st.button("Log out", icon=":material/logout:", on_click=st.logout)


def _is_named() -> bool:
    """Whether ``people`` in ``[auth]`` holds the account's address; without such a list everybody who can log in."""
    people = st.secrets["auth"].get("people")
    address = str(st.user.get("email") or "").casefold()
    verified = st.user.get("email_verified", True) is not False
    return people is None or (verified and address in {str(one).casefold() for one in people})
