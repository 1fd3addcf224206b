"""A server of Chroma's own, as ``chroma run`` starts it."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx


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
        program = Path(sys.executable).with_name("chroma")
        command = [str(program), "run", "--path", str(self._folder), "--host", "127.0.0.1", "--port", str(self.port)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            try:
                httpx.get(f"{self.address}/api/v2/heartbeat", timeout=5)
                return
            except httpx.TransportError:
                time.sleep(0.1)
        raise TimeoutError("Chroma's server did not start.")

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(30)
