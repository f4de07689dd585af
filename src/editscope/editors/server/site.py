"""Site of a server: where it listens, whom it lets in, and how it ends; for editors, rewards, and what comes."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import ipaddress
import logging
import os
import signal
import socket
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from editscope import printing
from editscope.editors.server.connections import KEEPALIVE_S, Connections
from editscope.editors.server.forms import Unfit
from editscope.editors.server.task_queue import MOST_WAITING, TaskQueue
from editscope.errors import BadInput
from editscope.images import MAX_PIXELS

if TYPE_CHECKING:
    from aiohttp import web

Handler: TypeAlias = "Callable[[web.Request], Awaitable[web.StreamResponse]]"
Routes: TypeAlias = "Mapping[tuple[str, str], Handler]"
"""Handlers by method and path."""

TOKEN = "EDITSCOPE_SERVE_TOKEN"
SHORTEST_TOKEN = 16
"""Characters; a shorter one is guessed by whoever can reach the server."""
LARGEST_BODY = 256 << 20
SILENT_S = 30.0
MOST_CONNECTIONS = 256
LINGERING_S = 2.0
"""How long the rest of a request that was refused is taken in, so that its caller hears why."""
STOPPING_S = 600.0
STOPPED = 3


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Where a server listens and what it lets in; ``token`` "" lets in whoever comes from this machine."""

    host: str = "127.0.0.1"
    port: int = 8008
    token: str = ""
    max_pixels: int = MAX_PIXELS
    max_body: int = LARGEST_BODY
    most_waiting: int = MOST_WAITING
    silent_s: float = SILENT_S
    """How long a caller may send nothing while its request is not there whole."""
    most_connections: int = MOST_CONNECTIONS

    def check(self, open_to_all: bool = False) -> None:
        """BadInput where others than this machine can reach it and its token does not keep them out.

        >>> ServerSettings("0.0.0.0", token="x").check()
        Traceback (most recent call last):
        editscope.errors.BadInput: the token in EDITSCOPE_SERVE_TOKEN has 1 of at least 16 characters and 0.0.0.0 can \
be reached by others; make one with: python -c "import secrets; print(secrets.token_urlsafe(32))"
        """
        if self.local or (open_to_all and not self.token):
            return
        if not self.token:
            raise BadInput(f"{self.host} can be reached by others; set a token in {TOKEN}, or use --no-token")
        if len(self.token) < SHORTEST_TOKEN:
            raise BadInput(
                f"the token in {TOKEN} has {len(self.token)} of at least {SHORTEST_TOKEN} characters and {self.host} "
                'can be reached by others; make one with: python -c "import secrets; print(secrets.token_urlsafe(32))"'
            )

    @property
    def local(self) -> bool:
        """Whether only this machine can reach it.

        >>> ServerSettings("localhost").local, ServerSettings("127.0.0.2").local, ServerSettings("0.0.0.0").local
        (True, True, False)
        """
        return is_loopback(self.host)


def need_aiohttp(command: str) -> None:
    """Raise BadInput where the library that serves is not installed."""
    try:
        import aiohttp  # noqa: F401
    except ImportError as error:
        raise BadInput(f"{command} needs aiohttp: pip install 'editscope[judge]'") from error


def listening_socket(settings: ServerSettings) -> socket.socket:
    """The socket of a server; BadInput where somebody else has the port, or there is no such address here."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        raise BadInput(f"{settings.host}:{settings.port} cannot be used ({reason}); try another --port") from error


def serve_until_stopped(
    queue: TaskQueue[Any, Any],
    routes: Routes,
    settings: ServerSettings,
    at: socket.socket,
    path: str,
    told: Callable[[str], None],
) -> None:
    """Answer at a socket until Ctrl-C or SIGTERM; ``told`` is given the address with its path."""
    asyncio.run(_serve(queue, routes, settings, at, path, told))


async def _serve(
    queue: TaskQueue[Any, Any],
    routes: Routes,
    settings: ServerSettings,
    at: socket.socket,
    path: str,
    told: Callable[[str], None],
) -> None:
    stop = asyncio.Event()

    def asked_to_stop() -> None:
        if stop.is_set():
            os._exit(STOPPED)  # the second time: no more waiting for a result; workers notice that we are gone
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, asked_to_stop)
    async with listening_at(routes, settings, at) as address:
        told(address + path)
        await stop.wait()
        queue.turn_away()


@contextlib.asynccontextmanager
async def listening_at(routes: Routes, settings: ServerSettings, at: socket.socket) -> AsyncIterator[str]:
    """Answer at a socket while the block lasts; gives the address. Requests in hand are answered before it ends."""
    from aiohttp import web

    connections = Connections(settings.most_connections, settings.silent_s)
    # What a stranger sends wrong is not worth a traceback in the log, and is not inflated: forms come as they are.
    silent = logging.getLogger("editscope.serving")
    silent.disabled = True
    runner = web.AppRunner(
        _application(routes, settings, connections),
        access_log=None,
        logger=silent,
        auto_decompress=False,
        shutdown_timeout=STOPPING_S,
        keepalive_timeout=KEEPALIVE_S,
        lingering_time=LINGERING_S,
    )
    await runner.setup()
    assert runner.server is not None
    loop = asyncio.get_running_loop()
    server = await loop.create_server(connections.protocol(runner.server), sock=at, backlog=128)
    try:
        shown = f"[{settings.host}]" if ":" in settings.host else settings.host
        yield f"http://{shown}:{at.getsockname()[1]}"
    finally:
        server.close()
        await runner.cleanup()


def _application(routes: Routes, settings: ServerSettings, connections: Connections) -> web.Application:
    """The web application: its routes, each behind the guard."""
    from aiohttp import web

    @web.middleware
    async def guard(request: web.Request, handler: Any) -> web.StreamResponse:
        transport = request.transport
        connections.busy(transport)
        try:
            return await answered(request, handler)
        finally:
            connections.idle(transport)

    async def answered(request: web.Request, handler: Any) -> web.StreamResponse:
        try:
            if (objection := _objection(request, settings)) is not None:
                return objection
            return cast("web.StreamResponse", await handler(request))
        except Unfit as error:
            response = said(error.status, {"error": str(error)})
            response.force_close()  # what is left of a form that was not read to its end is nobody's request
            return response
        except ConnectionError:
            return said(400, {"error": "the connection broke before the request was there"})
        except web.HTTPException as error:
            return said(error.status, {"error": error.reason})
        except Exception:  # a fault of ours: the traceback is for whoever runs the server
            printing.say(traceback.format_exc(), error=True)
            return said(500, {"error": "the server failed; its log says how"})

    app = web.Application(middlewares=[guard], client_max_size=settings.max_body)
    for (method, path), handler in routes.items():
        app.router.add_route(method, path, handler)
    return app


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine's own, out of reach for others.

    >>> is_loopback("::1"), is_loopback("localhost"), is_loopback("gpu.example.org")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _objection(request: web.Request, settings: ServerSettings) -> web.Response | None:
    """Why a request is not let in."""
    if settings.token:
        given = request.headers.get("Authorization", "")
        if not hmac.compare_digest(given.encode("utf-8", "surrogateescape"), f"Bearer {settings.token}".encode()):
            return said(401, {"error": "the token is missing or wrong"})
    elif settings.local and ("Origin" in request.headers or not is_loopback(_host(request))):
        # A page in this machine's browser could reach us too: edits cost time, and some cost money.
        return said(403, {"error": "requests of web pages are not answered"})
    return None


def _host(request: web.Request) -> str:
    try:
        return request.url.host or ""
    except ValueError:  # a Host header that is not a host
        return ""


def said(status: int, data: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> web.Response:
    """A reply of JSON."""
    from aiohttp import web

    return web.json_response(data, status=status, headers=headers)
