"""Work that a page waits for: its progress, and the way out of it, in both ways they are laid out."""

from __future__ import annotations

from threading import Event

import pytest
from streamlit.testing.v1 import AppTest


def waiting_page(work, stacked: bool) -> None:  # type: ignore[no-untyped-def] # run in a file of its own
    import streamlit

    from pages.ui.shared import tasks

    task = tasks.get_or_start("making", "key", work)
    if task.over:
        streamlit.text("over")
    elif streamlit.session_state.get("left"):
        streamlit.text("left")
    else:

        def leave() -> None:
            streamlit.session_state["left"] = True

        tasks.finished_or_progress("making", task, "Step {done} of {total}", leave, "Getting ready", stacked=stacked)


@pytest.mark.parametrize("stacked", [True, False])
def test_progress_is_drawn_and_cancel_stops_the_work(stacked: bool) -> None:
    told, go_on, stopped = Event(), Event(), Event()

    def work(task) -> None:  # type: ignore[no-untyped-def] # a Task
        task.tell(3, 1200)
        told.set()
        go_on.wait(60)
        try:
            task.tell(4, 1200)
        except Exception:
            stopped.set()
            raise

    app = AppTest.from_function(waiting_page, default_timeout=120, args=(work, stacked)).run()
    assert not app.exception
    assert not app.error
    assert told.wait(60)
    app.run()
    assert [bar.proto.text for bar in app.get("progress")] == ["Step 3 of 1,200"]
    app.button(key="cancel.making").click().run()
    go_on.set()
    assert stopped.wait(60)
    assert [line.value for line in app.text] == ["left"]
