"""A disk of a few megabytes, to be filled to the brim."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest


@contextmanager
def mounted(place: Path, megabytes: int) -> Iterator[Path]:
    """A new folder ``place`` on a file system of its own; skips the test in plain sight where none can be mounted."""
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(place)]
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    if not root or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(place: Path) -> Path:
    """Leave no room at all on the disk; returns the file that takes it."""
    filler = place / "filler"
    with filler.open("wb", buffering=0) as stream, suppress(OSError):
        while stream.write(bytes(1 << 12)):
            pass
    assert shutil.disk_usage(place).free == 0
    return filler
