"""Volcengine Ark on loopback: ``POST /images/generations`` with the fields and limits of SeedEdit and Seedream."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from aiohttp import web

from support.servers.editor_server import EditorServer, Fault, Reply, Seen, Wrong

PREFIX = "data:image/png;base64,"
FIELDS = {"model", "prompt", "image", "size", "response_format", "watermark", "stream"}
SEEDEDIT = {"seed", "guidance_scale"}
SEEDREAM = {"sequential_image_generation", "output_format"}
AREAS = {"4-0": (1280 * 720, 4096 * 4096), "4-5": (2560 * 1440, 4096 * 4096), "5-0": (2560 * 1440, 10_404_496)}


@dataclass(frozen=True)
class Drawn(Reply):
    """A reply; ``errors`` are what stands in the list of pictures in place of one, ``error`` in place of the list."""

    errors: tuple[Mapping[str, str], ...] = ()
    error: Mapping[str, str] | None = None


class ArkServer(EditorServer):
    """Answers 400 with a code and a reason to whatever the API would not take."""

    kind = "ark"
    model = "doubao-seedream-4-0-250828"

    @property
    def url(self) -> str:
        """The address to give as ``?base_url=``."""
        return f"http://127.0.0.1:{self.port}/api/v3"

    async def read(self, request: web.Request) -> Seen:
        if request.path != "/api/v3/images/generations" or request.content_type != "application/json":
            raise Wrong(f"no endpoint {request.path} for {request.content_type}")
        body = orjson.loads(await request.read())
        seededit = "seededit" in body["model"]
        for name in body:
            if name not in FIELDS | (SEEDEDIT if seededit else SEEDREAM):
                raise Wrong(f"The parameter `{name}` specified in the request is not valid for {body['model']}")
        image = body.pop("image", []) if self.draws else body.pop("image")
        urls = [image] if isinstance(image, str) else image
        if len(urls) > (1 if seededit else 14) or (isinstance(image, list) and seededit):
            raise Wrong("too many pictures")
        if not all(url.startswith(PREFIX) for url in urls):
            raise Wrong("pictures are expected as data URLs")
        if body.get("stream") or (not seededit and body["sequential_image_generation"] != "disabled"):
            raise Wrong("one picture, not streamed, is expected")
        if not -1 <= body.get("seed", -1) < 2**31 or not 1 <= body.get("guidance_scale", 1) <= 10:
            raise Wrong("seed or guidance_scale is out of range")
        self._check_size(body["model"], str(body.get("size", "2K")), seededit)
        pictures = tuple(base64.b64decode(url.removeprefix(PREFIX), validate=True) for url in urls)
        return Seen(body["prompt"], pictures, body["model"], body)

    def _check_size(self, model: str, size: str, seededit: bool) -> None:
        if seededit and size != "adaptive":
            raise Wrong("size must be adaptive")
        if "x" in size and not seededit:
            width, height = map(int, size.split("x"))
            least, most = next((area for version, area in AREAS.items() if version in model), AREAS["5-0"])
            if not least <= width * height <= most or max(width, height) > 16 * min(width, height):
                raise Wrong(f"The parameter `size` specified in the request is not valid: {size}")

    def written(self, seen: Seen, reply: Reply) -> Mapping[str, Any] | Fault:
        drawn = reply if isinstance(reply, Drawn) else Drawn(**vars(reply))
        if drawn.refused:
            return Fault(400, drawn.refused, error={"code": "InputTextSensitiveContentDetected", "type": "BadRequest"})
        if drawn.error:
            return {"model": seen.model, "error": dict(drawn.error)}
        data: list[dict[str, Any]] = [{"error": dict(error)} for error in drawn.errors]
        by_url = drawn.by_url or seen.fields["response_format"] == "url"
        for picture in self.pictures(seen, drawn):
            given = {"url": self.file(picture)} if by_url else {"b64_json": self.encoded(drawn, picture)}
            data.append({**given, "size": "1024x1024"})
        usage = {"generated_images": len(data) - len(drawn.errors), "output_tokens": 4096, "total_tokens": 4096}
        return {"model": drawn.model or seen.model, "created": 1_800_000_000, "data": data, "usage": usage}
