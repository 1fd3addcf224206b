"""The guards of the suite hold: no network, and an encoder that keeps the Protocol's promises."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import pytest_socket

from tests.conftest import ROOT
from tests.fast_encoder import FastEncoder


def test_sockets_are_blocked() -> None:
    with pytest.warns(UserWarning, match="socket"), pytest.raises(pytest_socket.SocketBlockedError):
        socket.create_connection(("127.0.0.1", 9), timeout=1)


def test_event_loops_still_run() -> None:
    assert asyncio.run(asyncio.sleep(0, "done")) == "done"


@pytest.mark.browser
def test_browser_tests_reach_this_machine_alone() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        accepted = threading.Thread(target=lambda: server.accept()[0].close())
        accepted.start()
        socket.create_connection(server.getsockname(), timeout=5).close()
        accepted.join(timeout=5)
        assert not accepted.is_alive()
    # 192.0.2.0/24 is reserved for documentation (RFC 5737): nobody is asked even if the guard fails.
    with pytest.warns(UserWarning, match="socket"), pytest.raises(pytest_socket.SocketConnectBlockedError):
        socket.create_connection(("192.0.2.1", 80), timeout=1)


def test_no_test_finds_the_users_library() -> None:
    assert ROOT not in Path(os.environ["LECTERN_HOME"]).parents


def test_fast_encoder_is_deterministic_and_unit_norm() -> None:
    texts = ["Tokens expire after 3600 seconds.", "tokens EXPIRE after 3600 seconds", "", "…"]
    done: list[int] = []
    encoder = FastEncoder()
    vectors = encoder.encode(texts, done.append)
    assert vectors.shape == (4, encoder.dimension)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    np.testing.assert_array_equal(vectors[0], vectors[1])
    np.testing.assert_array_equal(FastEncoder().encode(texts), vectors)
    assert done == [1, 2, 3, 4]
    assert encoder.texts == texts
    assert FastEncoder().encode([]).shape == (0, encoder.dimension)
