"""Servers for http editors on loopback: one that answers what a script says, and the real one around any editor.

In a test::

    with RawServer([Raw(500), Raw(body=png)]) as server:
        editor = load_editor(server.url)

    with Served(MyEditor()) as url:
        editor = load_editor(url)
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import BodyPartReader, web

from editscope.editors import Editor
from editscope.editors.server.request_queue import RequestQueue
from editscope.editors.server.serve import listening
from editscope.editors.server.site import ServerSettings, listening_socket
from support.servers.loopback import json_bytes


@dataclass(frozen=True)
class Raw:
    """One answer: a status, a type and bytes (an object becomes JSON); ``kind`` hang or drop instead."""

    status: int = 200
    body: bytes | Mapping[str, Any] = b""
    type: str = "image/png"
    kind: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    def response(self) -> web.Response:
        if isinstance(self.body, bytes):
            return web.Response(status=self.status, body=self.body, content_type=self.type, headers=self.headers)
        content = json_bytes(dict(self.body))
        return web.Response(status=self.status, body=content, content_type="application/json", headers=self.headers)


class Looped:
    """Something that lives in an event loop in a thread of its own while a ``with`` block lasts."""

    def __init__(self) -> None:
        self.url = ""
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._failed: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def life(self) -> AbstractAsyncContextManager[str]:
        raise NotImplementedError

    def start(self) -> None:
        self._thread.start()
        if not self._ready.wait(600):
            raise RuntimeError("the server did not start")
        if self._failed is not None:
            raise self._failed

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(30)

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._live())
        except BaseException as error:
            self._failed = error
        finally:
            self._ready.set()
            self._loop.close()

    async def _live(self) -> None:
        async with self.life() as self.url:
            self._ready.set()
            await self._stop.wait()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


class RawServer(Looped):
    """Answers edits in order of arrival, the last answer again for all that come later; ``health`` is its page."""

    def __init__(self, script: Sequence[Raw], health: Raw = Raw(404, {"error": "Not Found"})) -> None:
        super().__init__()
        self.script = script
        self.health = health
        self.seen: list[dict[str, Any]] = []
        self.headers: list[Mapping[str, str]] = []

    def __enter__(self) -> RawServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @asynccontextmanager
    async def life(self) -> Any:
        app = web.Application(client_max_size=1 << 30)
        app.router.add_route("*", "/{path:.*}", self._handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.05)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        try:
            yield f"http://127.0.0.1:{runner.addresses[0][1]}/edit"
        finally:
            await runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.headers.append(dict(request.headers))
        if request.method == "GET":
            return self.health.response()
        fields: dict[str, Any] = {"path": request.path_qs, "image": []}
        async for part in await request.multipart():
            assert isinstance(part, BodyPartReader) and part.name is not None
            if part.filename is None:
                fields[part.name] = (await part.read()).decode()
            else:
                fields[part.name].append(bytes(await part.read()))
        self.seen.append(fields)
        answer = self.script[min(len(self.seen), len(self.script)) - 1]
        if answer.kind == "hang":
            await self._stop.wait()
        if answer.kind == "drop":
            assert request.transport is not None
            request.transport.abort()
        return answer.response()


class Served(Looped):
    """The real server around an editor, in this process."""

    def __init__(self, editor: Editor, settings: ServerSettings = ServerSettings(port=0)) -> None:
        super().__init__()
        self.queue = RequestQueue(editor, most_waiting=settings.most_waiting)
        self.settings = settings

    def __enter__(self) -> str:
        self._socket = listening_socket(self.settings)
        self.queue.open()
        self.start()
        return self.url

    def __exit__(self, *_: object) -> None:
        self.queue.turn_away()
        self.stop()
        self.queue.close()
        self._socket.close()

    def life(self) -> AbstractAsyncContextManager[str]:
        return listening(self.queue, self.settings, self._socket)
