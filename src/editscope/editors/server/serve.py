"""Server that puts any editor behind the protocol of ``http://`` editors."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import socket
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any, cast

from editscope.cases import Edit
from editscope.documents import Malformed, read_json
from editscope.editors.base import Editor, Request, check_editor
from editscope.editors.http import HEADERS, PROTOCOL
from editscope.editors.reference import ReferenceEditor
from editscope.editors.server.forms import FormLimits, Intake, Share, Unfit, read_form
from editscope.editors.server.request_queue import RequestQueue
from editscope.editors.server.site import (
    Routes,
    ServerSettings,
    listening_at,
    listening_socket,
    need_aiohttp,
    said,
    serve_until_stopped,
)
from editscope.editors.server.task_queue import QueueFull
from editscope.errors import BadInput, Stopped
from editscope.images import Pixels, encode_png

if TYPE_CHECKING:
    from aiohttp import web

LONGEST_INSTRUCTION = 100_000
TEXTS = ("trace", "asked", "reason")
PATH = "/edit"


def serve(editor: Editor, settings: ServerSettings, told: Callable[[str], None]) -> None:
    """Load the editor, answer requests until Ctrl-C or SIGTERM, and release it; ``told`` is given the address."""
    identity = isinstance(editor, ReferenceEditor) and editor.flaw_name == "identity"
    if (editor.needs_answer or editor.wants_answer) and not identity:
        raise BadInput(f"the editor {editor.name} needs the answers of a suite, which requests do not contain")
    if editor.in_place:
        raise BadInput(f"the editor {editor.name} returns existing files and cannot edit the pictures of a request")
    need_aiohttp("serve-editor")
    check_editor(editor)
    at = listening_socket(settings)  # before the model is loaded, which takes long; whoever connects meanwhile waits
    try:
        queue = RequestQueue(editor, most_waiting=settings.most_waiting)
        queue.open()
        try:
            serve_until_stopped(queue, routes(queue, settings), settings, at, PATH, told)
        finally:
            queue.close()
    finally:
        at.close()


@contextlib.asynccontextmanager
async def listening(queue: RequestQueue, settings: ServerSettings, at: socket.socket) -> AsyncIterator[str]:
    """Answer at a socket while the block lasts; gives the address. Requests in hand are answered before it ends."""
    async with listening_at(routes(queue, settings), settings, at) as address:
        yield address + PATH


def routes(queue: RequestQueue, settings: ServerSettings) -> Routes:
    """What is answered: ``POST /edit``, ``GET /health`` and the same at ``GET /``."""
    intake = Intake(FormLimits(settings.max_body, settings.max_pixels, settings.silent_s))

    async def health(request: web.Request) -> web.Response:
        editor = queue.editor
        about = {"protocol": PROTOCOL, "name": editor.name, "max_images": editor.max_images, "edits": queue.done}
        about |= {"batch": editor.batch, "at_once": editor.at_once}
        return said(503, {**about, "stopped": queue.stopped}) if queue.stopped else said(200, about)

    async def edit(request: web.Request) -> web.Response:
        with intake.share() as share:
            return await _edit(request, queue, share)

    return {("GET", "/"): health, ("GET", "/health"): health, ("POST", PATH): edit}


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
        return said(503, {"error": str(error)}, {"Retry-After": "2"})
    except Stopped as error:
        return said(503, {"stopped": queue.stopped} if queue.stopped else {"error": str(error)})
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
        return said(422, {"status": edit.status, **_fields(edit)})
    png = encode_png(cast("Pixels", edit.image))
    texts = edit.notes or any(getattr(edit, name) for name in TEXTS) or not edit.model.isprintable()
    if takes_json and (texts or not edit.model.isascii()):
        return said(200, {"status": "ok", **_fields(edit), "image_b64": base64.b64encode(png).decode()})
    values = {at: str(getattr(edit, name)) for name, at in HEADERS.items() if getattr(edit, name) not in (None, "")}
    headers = {name: value for name, value in values.items() if value.isascii() and value.isprintable()}
    return web.Response(body=png, content_type="image/png", headers=headers)


def _fields(edit: Edit) -> dict[str, Any]:
    names = (*TEXTS, *HEADERS)
    fields = {name: getattr(edit, name) for name in names if getattr(edit, name) not in (None, "")}
    return {**fields, **({"notes": list(edit.notes)} if edit.notes else {})}
