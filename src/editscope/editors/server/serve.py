"""Server that puts any editor behind the protocol of ``http://`` editors."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hmac
import ipaddress
import logging
import os
import signal
import socket
import traceback
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from editscope import printing
from editscope.cases import Edit
from editscope.documents import Malformed, read_json
from editscope.editors.base import Editor, Request, check_editor
from editscope.editors.http import HEADERS, PROTOCOL
from editscope.editors.reference import ReferenceEditor
from editscope.editors.server.connections import KEEPALIVE_S, Connections
from editscope.editors.server.forms import FormLimits, Intake, Share, Unfit, read_form
from editscope.editors.server.request_queue import MOST_WAITING, QueueFull, RequestQueue
from editscope.errors import BadInput, Stopped
from editscope.images import MAX_PIXELS, Pixels, encode_png

if TYPE_CHECKING:
    from aiohttp import web

TOKEN = "EDITSCOPE_SERVE_TOKEN"
SHORTEST_TOKEN = 16
"""Characters; a shorter one is guessed by whoever can reach the server."""
LONGEST_INSTRUCTION = 100_000
LARGEST_BODY = 256 << 20
SILENT_S = 30.0
MOST_CONNECTIONS = 256
LINGERING_S = 2.0
"""How long the rest of a request that was refused is taken in, so that its caller hears why."""
STOPPING_S = 600.0
STOPPED = 3
TEXTS = ("trace", "asked", "reason")


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


def serve(editor: Editor, settings: ServerSettings, told: Callable[[str], None]) -> None:
    """Load the editor, answer requests until Ctrl-C or SIGTERM, and release it; ``told`` is given the address."""
    identity = isinstance(editor, ReferenceEditor) and editor.flaw_name == "identity"
    if (editor.needs_answer or editor.wants_answer) and not identity:
        raise BadInput(f"the editor {editor.name} needs the answers of a suite, which requests do not contain")
    if editor.in_place:
        raise BadInput(f"the editor {editor.name} returns existing files and cannot edit the pictures of a request")
    try:
        import aiohttp  # noqa: F401
    except ImportError as error:
        raise BadInput("serve-editor needs aiohttp: pip install 'editscope[judge]'") from error
    check_editor(editor)
    at = listening_socket(settings)  # before the model is loaded, which takes long; whoever connects meanwhile waits
    try:
        queue = RequestQueue(editor, most_waiting=settings.most_waiting)
        queue.open()
        try:
            asyncio.run(_serve(queue, settings, at, told))
        finally:
            queue.close()
    finally:
        at.close()


def listening_socket(settings: ServerSettings) -> socket.socket:
    """The socket of a server; BadInput where somebody else has the port, or there is no such address here."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        raise BadInput(
            f"{settings.host}:{settings.port} cannot be listened at ({reason}); try another --port"
        ) from error


async def _serve(queue: RequestQueue, settings: ServerSettings, at: socket.socket, told: Callable[[str], None]) -> None:
    stop = asyncio.Event()

    def asked_to_stop() -> None:
        if stop.is_set():
            os._exit(STOPPED)  # the second time: no more waiting for an edit; workers notice that we are gone
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, asked_to_stop)
    async with listening(queue, settings, at) as address:
        told(address)
        await stop.wait()
        queue.turn_away()


@contextlib.asynccontextmanager
async def listening(queue: RequestQueue, settings: ServerSettings, at: socket.socket) -> AsyncIterator[str]:
    """Answer at a socket while the block lasts; gives the address. Requests in hand are answered before it ends."""
    from aiohttp import web

    connections = Connections(settings.most_connections, settings.silent_s)
    # What a stranger sends wrong is not worth a traceback in the log, and is not inflated: forms come as they are.
    silent = logging.getLogger("editscope.serving")
    silent.disabled = True
    runner = web.AppRunner(
        application(queue, settings, connections),
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
        yield f"http://{shown}:{at.getsockname()[1]}/edit"
    finally:
        server.close()
        await runner.cleanup()


def application(queue: RequestQueue, settings: ServerSettings, connections: Connections) -> web.Application:
    """The web application: ``POST /edit``, ``GET /health`` and the same at ``GET /``."""
    from aiohttp import web

    intake = Intake(FormLimits(settings.max_body, settings.max_pixels, settings.silent_s))

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
            response = _said(error.status, {"error": str(error)})
            response.force_close()  # what is left of a form that was not read to its end is nobody's request
            return response
        except ConnectionError:
            return _said(400, {"error": "the connection broke before the request was there"})
        except web.HTTPException as error:
            return _said(error.status, {"error": error.reason})
        except Exception:  # a fault of ours: the traceback is for whoever runs the server
            printing.say(traceback.format_exc(), error=True)
            return _said(500, {"error": "the server failed; its log says how"})

    async def health(request: web.Request) -> web.Response:
        editor = queue.editor
        about = {"protocol": PROTOCOL, "name": editor.name, "max_images": editor.max_images, "edits": queue.edits}
        about |= {"batch": editor.batch, "at_once": editor.at_once}
        return _said(503, {**about, "stopped": queue.stopped}) if queue.stopped else _said(200, about)

    async def edit(request: web.Request) -> web.Response:
        with intake.share() as share:
            return await _edit(request, queue, share)

    app = web.Application(middlewares=[guard], client_max_size=settings.max_body)
    app.router.add_get("/", health)
    app.router.add_get("/health", health)
    app.router.add_post("/edit", edit)
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
            return _said(401, {"error": "the token is missing or wrong"})
    elif settings.local and ("Origin" in request.headers or not is_loopback(_host(request))):
        # A page in this machine's browser could reach us too: edits cost time, and some cost money.
        return _said(403, {"error": "requests of web pages are not answered"})
    return None


def _host(request: web.Request) -> str:
    try:
        return request.url.host or ""
    except ValueError:  # a Host header that is no host
        return ""


async def _edit(request: web.Request, queue: RequestQueue, share: Share) -> web.Response:
    try:
        case = await _asked(request, share)
        most = queue.editor.max_images
        if most is not None and len(case.arrays) > most:
            reason = f"the editor takes {most} image{'s'[: most > 1]}, not {len(case.arrays)}"
            edit = Edit(case.case_id, status="no_output", reason=reason)
        else:
            edit = await queue.ask(case, lambda: request.transport is None or request.transport.is_closing())
    except QueueFull as error:
        return _said(503, {"error": str(error)}, {"Retry-After": "2"})
    except Stopped as error:
        return _said(503, {"stopped": queue.stopped} if queue.stopped else {"error": str(error)})
    return await asyncio.to_thread(_answer, edit, "application/json" in request.headers.get("Accept", ""))


async def _asked(request: web.Request, share: Share) -> Request:
    """The request in a form; Unfit, in one sentence, where there is none."""
    form = await read_form(request, share)
    instruction = form.texts.get("instruction", "")
    if not 0 < len(instruction.strip()) <= LONGEST_INSTRUCTION:
        raise Unfit(f"the field instruction is missing, empty or longer than {LONGEST_INSTRUCTION:,} characters")
    details = _details(form.texts.get("details", "{}"))
    return Request(
        case_id=str(details.get("id", "")),
        arrays=form.pictures,
        instruction=instruction,
        seed=_seed(form.texts.get("seed", "0")),
        tags={str(name): str(value) for name, value in dict(details.get("tags") or {}).items()},
        variant=str(details.get("variant", "")),
    )


def _details(given: str) -> dict[str, Any]:
    try:
        details = read_json(given)
    except Malformed as error:
        raise Unfit(f"the field details is not JSON that can be used ({error})") from None
    if not isinstance(details, dict) or not isinstance(details.get("tags") or {}, dict):
        raise Unfit('the field details is not a JSON object such as {"id": "a", "variant": "", "tags": {}}')
    return details


def _seed(given: str) -> int:
    if given.isascii() and given.isdigit() and len(given) <= 20:
        return int(given)
    raise Unfit("the field seed is not a whole number of 0 or more")


def _answer(edit: Edit, takes_json: bool) -> web.Response:
    """The picture alone; or JSON, for a caller that takes it, where there is more to say, and where there is none."""
    from aiohttp import web

    if edit.image is None:
        return _said(422, {"status": edit.status, **_fields(edit)})
    png = encode_png(cast("Pixels", edit.image))
    texts = edit.notes or any(getattr(edit, name) for name in TEXTS) or not edit.model.isprintable()
    if takes_json and (texts or not edit.model.isascii()):
        return _said(200, {"status": "ok", **_fields(edit), "image_b64": base64.b64encode(png).decode()})
    values = {at: str(getattr(edit, name)) for name, at in HEADERS.items() if getattr(edit, name) not in (None, "")}
    headers = {name: value for name, value in values.items() if value.isascii() and value.isprintable()}
    return web.Response(body=png, content_type="image/png", headers=headers)


def _fields(edit: Edit) -> dict[str, Any]:
    names = (*TEXTS, *HEADERS)
    fields = {name: getattr(edit, name) for name in names if getattr(edit, name) not in (None, "")}
    return {**fields, **({"notes": list(edit.notes)} if edit.notes else {})}


def _said(status: int, data: dict[str, Any], headers: dict[str, str] | None = None) -> web.Response:
    from aiohttp import web

    return web.json_response(data, status=status, headers=headers)
