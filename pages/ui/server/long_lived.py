"""What is there for good is not looked through again after every run of a script.

Streamlit has Python collect its garbage when a script has run, which keeps memory low. With models loaded that looks at
600,000 objects each time, a third of a second in which no window is answered. What has lived through a collection that
took long is set aside (``gc.freeze``): libraries, models, what is kept between questions. Later ones look at what came
since, some thousand objects, in milliseconds. What is set aside is freed by its reference counts as ever. Only what
refers to itself in a ring stays of it once it is over, and there is little: before the next time that anything is set
aside, more than a hundred thousand objects have to come and live.
"""

from __future__ import annotations

import gc
from collections.abc import Mapping
from time import thread_time

LONG = 0.1  # seconds of this thread's own time: about 150,000 objects

_began = 0.0


def _set_aside(phase: str, told: Mapping[str, int]) -> None:
    global _began
    if phase == "start":
        _began = thread_time()
    elif told["generation"] == 2 and thread_time() - _began > LONG:
        gc.freeze()  # right after it: there is no garbage now


def watch() -> None:
    """Look at every collection of this process from now on. Twice is once."""
    if _set_aside not in gc.callbacks:
        gc.callbacks.append(_set_aside)
