"""A line between browsers and a studio that can be cut: a proxy on loopback."""

from __future__ import annotations

import asyncio
import contextlib


class CutLine:
    """Passes bytes on to a port; ``cut`` ends every connection at once, in the middle of whatever it carries."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.port = 0
        self._open: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    def cut(self) -> int:
        """End all connections; how many there were."""
        cut = [writer for writer in self._open if not writer.is_closing()]
        for writer in cut:
            writer.transport.abort()
        return len(cut)

    async def close(self) -> None:
        """Stop listening, and end what is open."""
        assert self._server is not None
        self._server.close()
        self.cut()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        self._open |= {writer, far_writer}
        await asyncio.gather(self._pump(reader, far_writer), self._pump(far_reader, writer))
        self._open -= {writer, far_writer}

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        with contextlib.suppress(OSError, RuntimeError):
            writer.close()
