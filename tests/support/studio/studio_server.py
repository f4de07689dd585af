"""A real studio on a free port of loopback, in a thread of the test or as a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from editscope.studio.app import create_app
from editscope.studio.serving import bound_socket
from editscope.studio.settings import Settings


@contextmanager
def studio(folder: Path, **settings: Any) -> Iterator[str]:
    """The address of a studio of a folder that answers already, such as ``http://127.0.0.1:40123``."""
    bound = bound_socket("127.0.0.1", 0)
    port = bound.getsockname()[1]
    config = uvicorn.Config(create_app(Settings(folder, port=port, **settings)), log_level="error", lifespan="on")
    server = uvicorn.Server(config)
    ready = threading.Event()
    started = server.startup

    async def startup(sockets: Any = None) -> None:
        await started(sockets=sockets)
        ready.set()

    server.startup = startup  # type: ignore[method-assign]
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    try:
        while not ready.wait(0.2):
            if not thread.is_alive():
                raise RuntimeError("the studio did not start")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()
        bound.close()


class StudioProcess:
    """`editscope studio` as a process that can be killed and started again on the same port."""

    def __init__(
        self,
        folder: Path,
        port: int = 0,
        env: Mapping[str, str] | None = None,
        program: Sequence[str] = ("-m", "editscope"),
    ) -> None:
        command = [sys.executable, *program, "studio", str(folder), "--no-browser", "--port", str(port)]
        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**(os.environ if env is None else env), "PYTHONUNBUFFERED": "1"},
        )
        self.address = ""
        self.said: list[str] = []
        """Every line that it printed."""
        self._heard = threading.Event()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self._heard.wait()
        if not self.address:
            raise RuntimeError("the studio did not start: " + "".join(self.said))

    def _listen(self) -> None:
        """Read what it prints until it ends, so that a pipe that is full never stops it."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line)
            if not self.address and "http://" in line:
                self.address = line[line.index("http://") :].strip().split("?")[0].rstrip("/")
                self._heard.set()
        self._heard.set()

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self.address.rpartition(":")[2])

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        self.process.kill()
        self._ended()

    def stop(self) -> int:
        """End it as Ctrl-C does; its exit code."""
        self.process.send_signal(signal.SIGINT)
        return self._ended()

    def _ended(self) -> int:
        code = self.process.wait()
        self._listener.join()
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code
