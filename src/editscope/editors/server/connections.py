"""Connections of a server: a limited number, and none that stays silent before its request has come."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

KEEPALIVE_S = 75.0
"""How long a connection may rest between two requests; clients release it sooner."""
_SAID = b'{"error": "too many connections are open already"}'
_FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 2\r\n"
    b"Connection: close\r\nContent-Length: %d\r\n\r\n%s" % (len(_SAID), _SAID)
)


class Connections:
    """All connections of one server.

    A caller that sends its headers byte by byte holds a connection and nothing else: the HTTP library waits for the
    end of the headers without a limit of its own.
    """

    def __init__(self, most: int, silent_s: float) -> None:
        self.most = most
        self.silent_s = silent_s
        self._open: dict[asyncio.BaseTransport, _Connection] = {}

    def protocol(self, inner: Callable[[], asyncio.Protocol]) -> Callable[[], asyncio.Protocol]:
        """What ``create_server`` is given, where ``inner`` makes the protocol that speaks HTTP."""
        return lambda: _Connection(self, inner())

    def busy(self, transport: asyncio.BaseTransport | None) -> None:
        """A request is there, and its clock is another one."""
        if (found := self._found(transport)) is not None:
            found.wait(None)

    def idle(self, transport: asyncio.BaseTransport | None) -> None:
        """The request is answered."""
        if (found := self._found(transport)) is not None:
            found.wait(KEEPALIVE_S + self.silent_s)

    def _found(self, transport: asyncio.BaseTransport | None) -> _Connection | None:
        return None if transport is None else self._open.get(transport)


class _Connection(asyncio.Protocol):
    """One connection, which is ended when no request has come in time."""

    def __init__(self, all_of_them: Connections, inner: asyncio.Protocol) -> None:
        self._all = all_of_them
        self._inner = inner
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None

    def wait(self, seconds: float | None) -> None:
        """Give the next request so many seconds; None: for ever."""
        if self._timer is not None:
            self._timer.cancel()
        transport, self._timer = self._transport, None
        if seconds is not None and transport is not None:
            self._timer = asyncio.get_running_loop().call_later(seconds, transport.abort)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        if len(self._all._open) >= self._all.most:
            transport.write(_FULL)
            transport.close()
            return
        self._transport = transport
        self._all._open[transport] = self
        self.wait(self._all.silent_s)
        self._inner.connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        self.wait(None)
        if self._transport is not None:
            del self._all._open[self._transport]
            self._transport = None
            self._inner.connection_lost(error)

    def data_received(self, data: bytes) -> None:
        if self._transport is not None:
            self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received() if self._transport is not None else None

    def pause_writing(self) -> None:
        if self._transport is not None:
            self._inner.pause_writing()

    def resume_writing(self) -> None:
        if self._transport is not None:
            self._inner.resume_writing()
