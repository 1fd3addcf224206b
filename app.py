"""Lectern: see how your documents are cut, ask, and measure. Start with ``streamlit run app.py``."""

from __future__ import annotations

import streamlit as st

if __name__ == "__main__":  # Streamlit runs this file as a script for each page
    from pages.ui.shared import state
    from pages.ui.shared.entry import frame
    from pages.ui.shared.guard import guarded
    from pages.ui.shared.repair import run_or_repair

    page = frame()
    st.session_state[state.ENTERED] = True
    with guarded():
        run_or_repair(page.run)
else:  # the server imports this file for its ``app``
    from pages.ui.server import long_lived
    from pages.ui.server.access_key import announced, of_this_start
    from pages.ui.server.origin_checks import doors

    long_lived.watch()
    keys = of_this_start()
    app = st.App(__file__, middleware=doors(keys), lifespan=announced(keys))
