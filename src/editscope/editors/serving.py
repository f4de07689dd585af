"""A server that puts any editor behind the protocol of ``http://`` editors."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hmac
import ipaddress
import json
import os
import signal
import socket
import traceback
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from editscope import printing
from editscope.cases import Edit
from editscope.editors.base import Editor, Request
from editscope.editors.desk import MOST_WAITING, Desk, Full
from editscope.editors.http import HEADERS, PROTOCOL
from editscope.editors.reference import ReferenceEditor
from editscope.errors import BadImage, BadInput, Stopped
from editscope.images import MAX_PIXELS, Pixels, decode, encode_png

if TYPE_CHECKING:
    from aiohttp import web

TOKEN = "EDITSCOPE_SERVE_TOKEN"
MOST_IMAGES = 16
LONGEST_INSTRUCTION = 100_000
LARGEST_BODY = 256 << 20
STOPPING_S = 600.0
STOPPED = 3
TEXTS = ("trace", "asked", "reason")


class Unfit(BadInput):
    """A request that cannot be read; the sentence is the server's answer."""


@dataclass(frozen=True, slots=True)
class Door:
    """Where a server listens and what it lets in; ``token`` "" lets in whoever comes from this machine."""

    host: str = "127.0.0.1"
    port: int = 8008
    token: str = ""
    max_pixels: int = MAX_PIXELS
    max_body: int = LARGEST_BODY
    most_waiting: int = MOST_WAITING

    @property
    def local(self) -> bool:
        """Whether only this machine can reach it.

        >>> Door("localhost").local, Door("127.0.0.2").local, Door("0.0.0.0").local
        (True, True, False)
        """
        return is_loopback(self.host)


def serve(editor: Editor, door: Door, told: Callable[[str], None]) -> None:
    """Load the editor, answer requests until Ctrl-C or SIGTERM, and let go of it; ``told`` is given the address."""
    identity = isinstance(editor, ReferenceEditor) and editor.flaw_name == "identity"
    if (editor.needs_answer or editor.wants_answer) and not identity:
        raise BadInput(f"the editor {editor.name} works from the answers of a suite, which no request holds")
    if editor.in_place:
        raise BadInput(f"the editor {editor.name} gives files that are there already and edits nothing that it is sent")
    try:
        import aiohttp  # noqa: F401
    except ImportError as error:
        raise BadInput("serve-editor needs aiohttp: pip install 'editscope[judge]'") from error
    editor.check()
    at = bound(door)  # before the model is loaded, which takes long; whoever connects meanwhile waits
    try:
        desk = Desk(editor, most_waiting=door.most_waiting)
        desk.open()
        try:
            asyncio.run(_serve(desk, door, at, told))
        finally:
            desk.close()
    finally:
        at.close()


def bound(door: Door) -> socket.socket:
    """The socket of a door; BadInput where somebody else has the port, or there is no such address here."""
    family = socket.AF_INET6 if ":" in door.host else socket.AF_INET
    try:
        return socket.create_server((door.host, door.port), family=family)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        raise BadInput(f"{door.host}:{door.port} cannot be listened at ({reason}); try another --port") from error


async def _serve(desk: Desk, door: Door, at: socket.socket, told: Callable[[str], None]) -> None:
    stop = asyncio.Event()

    def asked_to_stop() -> None:
        if stop.is_set():
            os._exit(STOPPED)  # the second time: no more waiting for an edit; workers notice that we are gone
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, asked_to_stop)
    async with listening(desk, door, at) as address:
        told(address)
        await stop.wait()
        desk.turn_away()


@contextlib.asynccontextmanager
async def listening(desk: Desk, door: Door, at: socket.socket) -> AsyncIterator[str]:
    """Answer at a socket while the block lasts; gives the address. Requests in hand are answered before it ends."""
    from aiohttp import web

    runner = web.AppRunner(application(desk, door), access_log=None, shutdown_timeout=STOPPING_S)
    await runner.setup()
    try:
        await web.SockSite(runner, at).start()
        shown = f"[{door.host}]" if ":" in door.host else door.host
        yield f"http://{shown}:{at.getsockname()[1]}/edit"
    finally:
        await runner.cleanup()


def application(desk: Desk, door: Door) -> web.Application:
    """The web application: ``POST /edit``, ``GET /health`` and the same at ``GET /``."""
    from aiohttp import web

    @web.middleware
    async def guard(request: web.Request, handler: Any) -> web.StreamResponse:
        try:
            if (objection := _objection(request, door)) is not None:
                return objection
            return cast("web.StreamResponse", await handler(request))
        except web.HTTPRequestEntityTooLarge:
            return _said(413, {"error": f"the request is larger than {door.max_body >> 20} MiB"})
        except web.HTTPException as error:
            return _said(error.status, {"error": error.reason})
        except Exception:  # a fault of ours: the traceback is for whoever runs the server
            printing.say(traceback.format_exc(), error=True)
            return _said(500, {"error": "the server failed; its log says how"})

    async def health(request: web.Request) -> web.Response:
        editor = desk.editor
        about = {"protocol": PROTOCOL, "name": editor.name, "max_images": editor.max_images, "edits": desk.edits}
        about |= {"batch": editor.batch, "at_once": editor.at_once}
        return _said(503, {**about, "stopped": desk.stopped}) if desk.stopped else _said(200, about)

    async def edit(request: web.Request) -> web.Response:
        return await _edit(request, desk, door)

    app = web.Application(middlewares=[guard], client_max_size=door.max_body)
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


def _objection(request: web.Request, door: Door) -> web.Response | None:
    """Why a request is not let in."""
    if door.token:
        given = request.headers.get("Authorization", "")
        if not hmac.compare_digest(given.encode(), f"Bearer {door.token}".encode()):
            return _said(401, {"error": "the token is missing or wrong"})
    elif door.local and ("Origin" in request.headers or not is_loopback(request.url.host or "")):
        # A page in this machine's browser could reach us too: edits cost time, and some cost money.
        return _said(403, {"error": "requests of web pages are not answered"})
    return None


async def _edit(request: web.Request, desk: Desk, door: Door) -> web.Response:
    try:
        asked = await _read(request, door)
        most = desk.editor.max_images
        if most is not None and len(asked.arrays) > most:
            reason = f"the editor takes {most} image{'s'[: most > 1]}, not {len(asked.arrays)}"
            edit = Edit(asked.case_id, status="no_output", reason=reason)
        else:
            edit = await desk.ask(asked, lambda: request.transport is None or request.transport.is_closing())
    except Unfit as error:
        return _said(400, {"error": str(error)})
    except Full as error:
        return _said(503, {"error": str(error)}, {"Retry-After": "2"})
    except Stopped as error:
        return _said(503, {"stopped": desk.stopped} if desk.stopped else {"error": str(error)})
    return await asyncio.to_thread(_answer, edit, "application/json" in request.headers.get("Accept", ""))


async def _read(request: web.Request, door: Door) -> Request:
    """The request in a form; Unfit, in one sentence, where there is none."""
    from aiohttp import web

    if not request.content_type.startswith("multipart/form-data"):
        raise Unfit("send multipart/form-data with the fields image (a file, several times if need be) and instruction")
    try:
        form = await request.post()
    except (ValueError, AssertionError) as error:
        raise Unfit("the form cannot be read; is it multipart/form-data with a boundary?") from error
    files = [field for name in ("image", "image[]") for field in form.getall(name, ())]
    if not files or not all(isinstance(field, web.FileField) for field in files):
        raise Unfit("the field image is missing, or is no file; in curl it is -F image=@input.png")
    if len(files) > MOST_IMAGES:
        raise Unfit(f"{len(files)} pictures are more than the {MOST_IMAGES} that one request may have")
    instruction = form.get("instruction")
    if not isinstance(instruction, str) or not 0 < len(instruction.strip()) <= LONGEST_INSTRUCTION:
        raise Unfit(f"the field instruction is missing, empty or longer than {LONGEST_INSTRUCTION:,} characters")
    details = _details(form.get("details", "{}"))
    arrays = await asyncio.to_thread(_pictures, [cast("web.FileField", field) for field in files], door.max_pixels)
    return Request(
        case_id=str(details.get("id", "")),
        arrays=arrays,
        instruction=instruction,
        seed=_seed(form.get("seed", "0")),
        tags={str(name): str(value) for name, value in dict(details.get("tags") or {}).items()},
        variant=str(details.get("variant", "")),
    )


def _pictures(files: list[web.FileField], max_pixels: int) -> tuple[Pixels, ...]:
    found = []
    for place, field in enumerate(files, 1):
        try:
            found.append(decode(field.file.read(), name=f"picture {place}", max_pixels=max_pixels).pixels)
        except BadImage as error:
            raise Unfit(str(error)) from error
        finally:
            field.file.close()
    return tuple(found)


def _details(given: Any) -> dict[str, Any]:
    try:
        details = json.loads(given) if isinstance(given, str) else None
    except (ValueError, RecursionError):
        details = None
    if not isinstance(details, dict) or not isinstance(details.get("tags") or {}, dict):
        raise Unfit('the field details is not a JSON object such as {"id": "a", "variant": "", "tags": {}}')
    return details


def _seed(given: Any) -> int:
    if isinstance(given, str) and given.isascii() and given.isdigit() and len(given) <= 20:
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
    said = {at: str(getattr(edit, name)) for name, at in HEADERS.items() if getattr(edit, name) not in (None, "")}
    headers = {name: value for name, value in said.items() if value.isascii() and value.isprintable()}
    return web.Response(body=png, content_type="image/png", headers=headers)


def _fields(edit: Edit) -> dict[str, Any]:
    names = (*TEXTS, *HEADERS)
    said = {name: getattr(edit, name) for name in names if getattr(edit, name) not in (None, "")}
    return {**said, **({"notes": list(edit.notes)} if edit.notes else {})}


def _said(status: int, data: dict[str, Any], headers: dict[str, str] | None = None) -> web.Response:
    from aiohttp import web

    return web.json_response(data, status=status, headers=headers)
