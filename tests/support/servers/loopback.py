"""A real HTTP server on loopback, in a thread of its own, for whoever plays a judge or an editor in a test."""

from __future__ import annotations

import asyncio
import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import orjson
from aiohttp import web


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong: an HTTP status with a message, or ``kind`` hang, drop, truncated, malformed, empty."""

    status: int = 500
    message: str = "scripted fault"
    headers: Mapping[str, str] = field(default_factory=dict)
    error: Mapping[str, Any] = field(default_factory=dict)
    kind: str = "status"
    latency: float | None = None


class Loopback(ABC):
    """Serves while the ``with`` block lasts; ``port`` 0 takes one that is free."""

    def __init__(self, port: int = 0) -> None:
        self.port = port
        self.ready = threading.Event()
        self._thread = threading.Thread(target=self.serve, daemon=True)
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()

    @abstractmethod
    async def handle(self, request: web.Request) -> web.StreamResponse:
        """The answer to any request."""

    def __enter__(self) -> Self:
        self._thread.start()
        if not self.ready.wait(600):
            raise RuntimeError("the server on loopback did not start")
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(30)

    def serve(self) -> None:
        """Serve in this thread until interrupted."""
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def hang(self) -> None:
        """Say nothing until the server ends."""
        await self._stop.wait()

    async def _serve(self) -> None:
        app = web.Application(client_max_size=1 << 30)
        app.router.add_route("*", "/{path:.*}", self.handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.05)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", self.port, backlog=1024).start()
        self.port = runner.addresses[0][1]
        self.ready.set()
        try:
            await self._stop.wait()
        finally:
            await runner.cleanup()
            # Handlers whose client has gone are not the runner's any more; none may outlive the loop.
            left = asyncio.all_tasks() - {asyncio.current_task()}
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)


def as_json(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """A response of JSON."""
    return web.Response(body=json_bytes(data), status=status, headers=headers, content_type="application/json")


def json_bytes(data: Any) -> bytes:
    """JSON, in which half of a character stands as an escape: servers in other languages send such things."""
    try:
        return orjson.dumps(data)
    except TypeError:
        return json.dumps(data).encode()


async def broken(request: web.Request, kind: str, whole: bytes) -> web.StreamResponse | None:
    """What a fault of a kind makes of a reply that would have been ``whole``; None where the connection is fine."""
    if kind == "malformed":
        return web.Response(body=b"<html>" + whole[:40], content_type="application/json")
    if kind == "empty":
        return web.Response(body=b"", content_type="application/json")
    if kind == "truncated":
        return await _broken_off(request, whole or bytes(1000))
    if kind == "drop":
        _cut(request)
    return None


async def _broken_off(request: web.Request, whole: bytes) -> web.StreamResponse:
    """A response whose second half never comes."""
    response = web.StreamResponse(headers={"Content-Length": str(len(whole))})
    await response.prepare(request)
    await response.write(whole[: len(whole) // 2])
    _cut(request)
    return response


def _cut(request: web.Request) -> None:
    """Close the connection under a request."""
    if request.transport is not None:
        request.transport.close()
