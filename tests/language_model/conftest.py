"""For tests of what asks a server."""

from __future__ import annotations

import pytest

from core.language_model import client


@pytest.fixture(autouse=True)
def _soon_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another attempt is made at once: how many there are is what matters."""
    monkeypatch.setattr(client, "FIRST_WAIT", 0.01)
