"""Keeps long-lived objects out of the garbage collection that Streamlit runs after every script.

Streamlit calls ``gc.collect`` when a script has run, which keeps memory low. With models loaded that scans 600,000
objects, a third of a second in which no window is answered. So the objects that survive a slow collection (libraries,
models, caches) are moved to the permanent generation (``gc.freeze``), and later collections scan the few thousand
objects made since, in milliseconds. Once in ten minutes everything is scanned again, so that what is no longer used,
such as a closed library, is freed.
"""

from __future__ import annotations

import gc
from collections.abc import Mapping
from time import monotonic, thread_time

LONG = 0.1  # seconds of CPU time of this thread: about 150,000 objects
WHOLE_EVERY = 600.0  # seconds between two scans of all objects

_started_at = _last_whole = 0.0


def _on_collection(phase: str, info: Mapping[str, int]) -> None:
    """For ``gc.callbacks``: freeze after a slow full collection; unfreeze before one if ``WHOLE_EVERY`` has passed."""
    global _started_at, _last_whole
    if info["generation"] < 2:
        return
    if phase == "start":
        if monotonic() - _last_whole > WHOLE_EVERY:
            _last_whole = monotonic()
            gc.unfreeze()  # before the collection, which then scans everything
        _started_at = thread_time()
    elif thread_time() - _started_at > LONG:
        gc.freeze()  # right after a collection, when there is no garbage to freeze


def watch() -> None:
    """Install the callback for this process. A second call does nothing."""
    if _on_collection not in gc.callbacks:
        gc.callbacks.append(_on_collection)
