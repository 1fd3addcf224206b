"""What is there for long is not looked through again after every run of a script.

Streamlit has Python collect its garbage when a script has run, which keeps memory low. With models loaded that looks at
600,000 objects each time, a third of a second in which no window is answered. What has lived through a collection that
took long is set aside (``gc.freeze``): libraries, models, what is kept between questions. Those after it look at what
came since, some thousand objects, in milliseconds; and one in ten minutes looks at all again, so that nothing stays
that is over, such as a library that was closed.
"""

from __future__ import annotations

import gc
from collections.abc import Mapping
from time import monotonic, thread_time

LONG = 0.1  # seconds of this thread's own time: about 150,000 objects
WHOLE_EVERY = 600.0  # seconds

_began = _whole = 0.0


def _set_aside(phase: str, told: Mapping[str, int]) -> None:
    global _began, _whole
    if told["generation"] < 2:
        return
    if phase == "start":
        if monotonic() - _whole > WHOLE_EVERY:
            _whole = monotonic()
            gc.unfreeze()  # before this collection begins, which then looks at all
        _began = thread_time()
    elif thread_time() - _began > LONG:
        gc.freeze()  # right after it: there is no garbage now


def watch() -> None:
    """Look at every collection of this process from now on. Twice is once."""
    if _set_aside not in gc.callbacks:
        gc.callbacks.append(_set_aside)
