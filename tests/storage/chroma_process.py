"""A server of Chroma's own: what ``chroma run`` starts, without the client that it takes seconds to import first."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

SERVER = "import sys, chromadb_rust_bindings; chromadb_rust_bindings.cli(['chroma', *sys.argv[1:]])"


class Chroma:
    """A server of Chroma's own on a port of this machine, which can be stopped and started again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            self.port = taken.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        place = ["--path", str(self._folder), "--host", "127.0.0.1", "--port", str(self.port)]
        command = [sys.executable, "-c", SERVER, "run", *place]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{self.address}/api/v2/heartbeat", timeout=5).close()  # noqa: S310 - our own
                return
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.1)
        raise TimeoutError("Chroma's server did not start.")

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(30)
