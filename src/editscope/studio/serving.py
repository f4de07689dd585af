"""Serving of a studio: a free port, the address to open, and an orderly end."""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable

import uvicorn

from editscope.errors import BadInput
from editscope.studio.access import TOKEN
from editscope.studio.app import create_app
from editscope.studio.settings import PORT, Settings
from editscope.studio.store.engine import Store

TRIES = 20
"""Ports after the usual one that are tried where nobody asked for a certain one."""


class _Server(uvicorn.Server):
    """A server that says when it answers."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            self._ready()


def serve(settings: Settings, *, port: int | None = None, ready: Callable[[str], None]) -> None:
    """Serve until Ctrl-C. ``ready`` is called with the address when the studio answers.

    Without ``port``, the usual one is taken, or the next that is free.
    """
    settings.checked()
    Store.opened(settings).close()  # a database that cannot be opened is said here, before anything listens
    bound = bound_socket(settings.host, port)
    address = address_of(settings, bound.getsockname()[1])
    config = uvicorn.Config(
        create_app(settings), log_level="warning", access_log=False, server_header=False, date_header=False,
        timeout_graceful_shutdown=5,
    )  # fmt: skip
    try:
        _Server(config, lambda: ready(address)).run(sockets=[bound])
    finally:
        bound.close()


def address_of(settings: Settings, port: int) -> str:
    """The address that an admin opens.

    >>> from pathlib import Path
    >>> address_of(Settings(Path("runs"), host="::1"), 8765)
    'http://[::1]:8765/'
    """
    host = settings.host.strip("[]")
    shown = f"[{host}]" if ":" in host else host
    key = f"?{TOKEN}={settings.admin_token}" if settings.needs_token else ""
    return f"http://{shown}:{port}/{key}"


def bound_socket(host: str, port: int | None) -> socket.socket:
    """A socket that is bound to the port, or to the first free one after the usual one."""
    name = host.strip("[]")
    family = socket.AF_INET6 if ":" in name else socket.AF_INET
    wanted = range(PORT, PORT + TRIES) if port is None else (port,)
    for number in wanted:
        # Named as TCP: asyncio sends small parts at once, rather than 40 ms later, only where it reads that here.
        tried = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((name, number))
        except OSError as error:
            tried.close()
            if error.errno == errno.EADDRINUSE and number != wanted[-1]:
                continue
            reason = "it is in use" if error.errno == errno.EADDRINUSE else (error.strerror or str(error))
            raise BadInput(f"port {number} of {host} cannot be used: {reason}; choose another with --port") from error
        return tried
    raise AssertionError("the last port either was bound or raised")
