"""Vendors of videos on loopback: a task is submitted, polled and fetched, in this order and with the right headers."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from aiohttp import BodyPartReader, web

from support.factory.made_videos import video_of
from support.servers.editor_server import EditorServer, Fault, Reply, Seen, Wrong, load_bytes
from support.servers.loopback import as_json

PREFIX = "data:image/png;base64,"


@dataclass(frozen=True)
class Clip(Reply):
    """A task: how many polls find it pending, how it ends, and the video; None for one of the first frame.

    ``place`` is the address of the video in place of one of this server.
    """

    video: bytes | None = None
    pending: int = 1
    failed: Mapping[str, Any] | None = None
    polls: tuple[Fault, ...] = ()
    place: str = ""


class VideoServer(EditorServer):
    """What the vendors share; ``polled_with`` holds the keys that polls and downloads carried."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*(arguments or ((Clip(),),)), **more)
        self.tasks: dict[str, tuple[Seen, Clip]] = {}
        self.polled_with: set[str] = set()
        self._polls: dict[str, int] = {}

    def spec(self, model: str = "", **options: Any) -> str:
        """The spec of this server, polled without long pauses."""
        return super().spec(model, **{"poll": 0.01, **options})

    def begun(self, seen: Seen, reply: Reply) -> str:
        """The name of a new task."""
        name = f"task-{len(self.tasks)}"
        self.tasks[name] = (seen, reply if isinstance(reply, Clip) else Clip(**vars(reply)))
        return name

    async def polled(self, request: web.Request, name: str) -> web.StreamResponse | tuple[Seen, Clip] | None:
        """The answer to a poll while the task goes on (None) or fails, or the task that has ended."""
        self.polled_with.add(self.key(request.headers))
        if name not in self.tasks:
            return self.failed(Fault(404, "no such task"))
        number = self._polls[name] = self._polls.get(name, -1) + 1
        seen, clip = self.tasks[name]
        if number < len(clip.polls):
            return await self.fail(request, clip.polls[number], b"{}")
        return None if number < len(clip.polls) + clip.pending else (seen, clip)

    def video(self, seen: Seen, clip: Clip) -> bytes:
        """The video of a task."""
        return clip.video if clip.video is not None else video_of(load_bytes(seen.pictures[0]))

    def describe(self, path: str) -> Mapping[str, Any] | Fault:
        name = path.rpartition("/models/")[2]
        known = self.models is None or name in self.models
        return {"id": name, "name": f"models/{name}"} if known else Fault(404, "not found")


class OpenAIVideoServer(VideoServer):
    """``POST /videos`` as a form with ``input_reference``; ``GET /videos/ID`` and ``GET /videos/ID/content``."""

    kind = "openai"
    model = "sora-2"
    SIZES = ("1280x720", "720x1280")
    LARGE = ("1792x1024", "1024x1792")

    async def read(self, request: web.Request) -> Seen:
        if request.path != "/v1/videos" or request.content_type != "multipart/form-data":
            raise Wrong(f"Invalid URL (POST {request.path})")
        fields: dict[str, str] = {}
        pictures: list[bytes] = []
        async for part in await request.multipart():
            assert isinstance(part, BodyPartReader)
            data = bytes(await part.read())
            if part.name == "input_reference":
                pictures.append(data)
            else:
                fields[str(part.name)] = data.decode()
        for name in fields:
            if name not in ("model", "prompt", "seconds", "size", "seed"):
                raise Wrong(f"Unknown parameter: '{name}'.")
        size = fields.get("size", "720x1280")
        if fields["model"].startswith("sora"):
            if "seed" in fields or fields.get("seconds", "4") not in ("4", "8", "12"):
                raise Wrong("Invalid value for 'seconds', or a seed.")
            if size not in (*self.SIZES, *(self.LARGE if "pro" in fields["model"] else ())):
                raise Wrong(f"Invalid value: '{size}' for 'size'.")
        for picture in pictures:
            height, width = load_bytes(picture).shape[:2]
            if f"{width}x{height}" != size:
                raise Wrong("Inpaint image must match the requested width and height")
        return Seen(fields["prompt"], tuple(pictures), fields["model"], fields)

    def written(self, seen: Seen, reply: Reply) -> Mapping[str, Any] | Fault:
        if reply.refused:
            return Fault(400, reply.refused, error={"code": "moderation_blocked"})
        return self._job(self.begun(seen, reply), seen, "queued")

    def _job(self, name: str, seen: Seen, status: str, **more: Any) -> dict[str, Any]:
        seconds = seen.fields.get("seconds", "4")
        return {"id": name, "object": "video", "model": seen.model, "status": status, "seconds": seconds, **more}

    async def other(self, request: web.Request) -> web.StreamResponse | None:
        if request.method != "GET" or not request.path.startswith("/v1/videos/"):
            return None
        name = request.path.removeprefix("/v1/videos/").removesuffix("/content")
        if request.path.endswith("/content"):
            self.polled_with.add(self.key(request.headers))
            seen, clip = self.tasks[name]
            if clip.place:
                return web.Response(status=302, headers={"Location": clip.place})
            return web.Response(body=self.video(seen, clip), content_type="video/mp4")
        ended = await self.polled(request, name)
        if isinstance(ended, web.StreamResponse):
            return ended
        if ended is None:
            return as_json(self._job(name, self.tasks[name][0], "in_progress", progress=50))
        failed = ended[1].failed
        return as_json(self._job(name, ended[0], "failed" if failed else "completed", error=failed, progress=100))


class VeoServer(VideoServer):
    """``POST /models/MODEL:predictLongRunning``; the operation names an address that wants the key and redirects."""

    kind = "gemini"
    model = "veo-3.1-generate-preview"
    PARAMETERS = ("aspectRatio", "durationSeconds", "resolution", "negativePrompt", "personGeneration", "seed")

    @property
    def url(self) -> str:
        """The address to give as ``?base_url=``."""
        return f"http://127.0.0.1:{self.port}/v1beta"

    def key(self, headers: Mapping[str, str]) -> str:
        return headers.get("x-goog-api-key", "")

    async def read(self, request: web.Request) -> Seen:
        before, _, method = request.path.rpartition(":")
        if method != "predictLongRunning" or not before.startswith("/v1beta/models/") or request.query_string:
            raise Wrong(f"no method {request.path}")
        body = orjson.loads(await request.read())
        (instance,) = body["instances"]
        for name in body["parameters"]:
            if name not in self.PARAMETERS:
                raise Wrong(f"Invalid JSON payload received. Unknown name {name}")
        if body["parameters"].get("aspectRatio", "16:9") not in ("16:9", "9:16"):
            raise Wrong("unsupported aspect ratio")
        if body["parameters"].get("durationSeconds", 8) not in (4, 6, 8):
            raise Wrong("unsupported duration")
        if set(instance["image"]) != {"bytesBase64Encoded", "mimeType"}:
            raise Wrong("an image is bytesBase64Encoded and mimeType")
        picture = base64.b64decode(instance["image"]["bytesBase64Encoded"], validate=True)
        return Seen(instance["prompt"], (picture,), before.removeprefix("/v1beta/models/"), body["parameters"])

    def written(self, seen: Seen, reply: Reply) -> Mapping[str, Any] | Fault:
        return {"name": f"models/{seen.model}/operations/{self.begun(seen, reply)}"}

    async def other(self, request: web.Request) -> web.StreamResponse | None:
        if request.path.startswith("/v1beta/files/"):
            self.polled_with.add(self.key(request.headers))
            name = request.path.removeprefix("/v1beta/files/").partition(":")[0]
            seen, clip = self.tasks[name]
            return web.Response(status=302, headers={"Location": clip.place or self.file(self.video(seen, clip))})
        if "/operations/" not in request.path:
            return None
        name = request.path.rpartition("/")[2]
        ended = await self.polled(request, name)
        if isinstance(ended, web.StreamResponse):
            return ended
        whole: dict[str, Any] = {"name": request.path}
        if ended is None:
            return as_json(whole)
        _, clip = ended
        if clip.failed:
            return as_json({**whole, "done": True, "error": dict(clip.failed)})
        response: dict[str, Any]
        if clip.refused:
            response = {"raiMediaFilteredCount": 1, "raiMediaFilteredReasons": [clip.refused]}
        else:
            response = {"generatedSamples": [{"video": {"uri": f"{self.url}/files/{name}:download?alt=media"}}]}
        return as_json({**whole, "done": True, "response": {"generateVideoResponse": response}})

    def error(self, fault: Fault) -> Mapping[str, Any]:
        return {"error": {"code": fault.status, "message": fault.message, "status": "INVALID_ARGUMENT", **fault.error}}


class SeedanceServer(VideoServer):
    """``POST /contents/generations/tasks`` with the picture as a data URL; the video is behind a signed address."""

    kind = "ark"
    model = "doubao-seedance-1-0-pro-250528"
    FIELDS = ("model", "content", "resolution", "ratio", "duration", "seed", "camera_fixed", "watermark")

    @property
    def url(self) -> str:
        """The address to give as ``?base_url=``."""
        return f"http://127.0.0.1:{self.port}/api/v3"

    async def read(self, request: web.Request) -> Seen:
        if request.path != "/api/v3/contents/generations/tasks" or request.content_type != "application/json":
            raise Wrong(f"no endpoint {request.path}")
        body = orjson.loads(await request.read())
        for name in body:
            if name not in self.FIELDS:
                raise Wrong(f"The parameter `{name}` specified in the request is not valid")
        text, image = body["content"]
        url = image["image_url"]["url"]
        if text["type"] != "text" or image["role"] != "first_frame" or not url.startswith(PREFIX):
            raise Wrong("a text, then the first frame as a data URL")
        return Seen(text["text"], (base64.b64decode(url.removeprefix(PREFIX), validate=True),), body["model"], body)

    def written(self, seen: Seen, reply: Reply) -> Mapping[str, Any] | Fault:
        if reply.refused:
            return Fault(400, reply.refused, error={"code": "InputTextSensitiveContentDetected"})
        return {"id": self.begun(seen, reply)}

    async def other(self, request: web.Request) -> web.StreamResponse | None:
        if request.method != "GET" or "/contents/generations/tasks/" not in request.path:
            return None
        name = request.path.rpartition("/")[2]
        ended = await self.polled(request, name)
        if isinstance(ended, web.StreamResponse):
            return ended
        seen = self.tasks[name][0]
        whole: dict[str, Any] = {"id": name, "model": seen.model}
        if ended is None:
            return as_json({**whole, "status": "running"})
        _, clip = ended
        if clip.failed:
            return as_json({**whole, "status": "failed", "error": dict(clip.failed)})
        place = clip.place or self.file(self.video(seen, clip)) + "?X-Tos-Signature=signed"
        usage = {"completion_tokens": 48_600, "total_tokens": 48_600}
        return as_json({**whole, "status": "succeeded", "content": {"video_url": place}, "usage": usage})
