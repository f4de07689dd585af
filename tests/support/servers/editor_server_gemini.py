"""Gemini's image models on loopback: ``POST /models/MODEL:generateContent``, its fields, limits and errors."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from aiohttp import web

from support.servers.editor_server import EditorServer, Fault, Reply, Seen, Wrong

GENERATION = {"responseModalities", "imageConfig", "thinkingConfig", "seed", "temperature", "topP"}
ASPECTS = ("1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9")
STEEP = ("1:4", "4:1", "1:8", "8:1")

USAGE = {
    "promptTokenCount": 300,
    "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 42}, {"modality": "IMAGE", "tokenCount": 258}],
    "candidatesTokenCount": 1300,
    "candidatesTokensDetails": [{"modality": "IMAGE", "tokenCount": 1290}],
    "thoughtsTokenCount": 200,
    "totalTokenCount": 1800,
}


@dataclass(frozen=True)
class Candidate(Reply):
    """A reply with what only Gemini says: why it ended, why the request was blocked, and what it thought."""

    ended: str = "STOP"
    message: str = ""
    thoughts: str = ""
    thought_picture: bytes = b""
    empty: bool = False


class GeminiServer(EditorServer):
    """Answers 400 with a reason to what the API would not take; ``objects_to`` names fields that it does not know."""

    kind = "gemini"
    model = "gemini-2.5-flash-image"

    def __init__(self, *arguments: Any, objects_to: tuple[str, ...] = (), **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.objects_to = objects_to

    @property
    def url(self) -> str:
        """The address to give as ``?base_url=``."""
        return f"http://127.0.0.1:{self.port}/v1beta"

    def key(self, headers: Mapping[str, str]) -> str:
        return headers.get("x-goog-api-key", "")

    async def read(self, request: web.Request) -> Seen:
        before, _, method = request.path.rpartition(":")
        model = before.removeprefix("/v1beta/models/")
        if method != "generateContent" or not before.startswith("/v1beta/models/") or "/" in model:
            raise Wrong(f"no method {request.path}")
        if request.query_string or "Authorization" in request.headers:
            raise Wrong("the key belongs into its header, and nowhere else")
        if request.content_type != "application/json":
            raise Wrong(f"unsupported content type {request.content_type}")
        body = orjson.loads(await request.read())
        if set(body) != {"contents", "generationConfig"}:
            raise Wrong(f"Invalid JSON payload received. Unknown name in {sorted(body)}")
        (content,) = body["contents"]
        if content["role"] != "user" or set(content) != {"role", "parts"}:
            raise Wrong("one content of the user is expected")
        *pictures, text = content["parts"]
        if (
            set(text) != {"text"}
            or any(set(part) != {"inlineData"} for part in pictures)
            or not (pictures or self.draws)
        ):
            raise Wrong("pictures first, then the instruction")
        self._check(model, body["generationConfig"])
        return Seen(text["text"], tuple(_picture(part["inlineData"]) for part in pictures), model, body)

    def _check(self, model: str, generation: Mapping[str, Any]) -> None:
        for name in generation:
            if name not in GENERATION or name in self.objects_to:
                raise Wrong(f"Invalid JSON payload received. Unknown name \"{name}\" at 'generation_config'")
        if "IMAGE" not in generation["responseModalities"]:
            raise Wrong("a picture is not among the modalities")
        if not 0 <= generation.get("seed", 0) < 2**31:
            raise Wrong("Invalid value at 'generation_config.seed' (TYPE_INT32)")
        image = generation.get("imageConfig", {})
        old = model.startswith(("gemini-2.5", "gemini-3-pro"))
        if image.get("aspectRatio", "1:1") not in (ASPECTS if old else (*ASPECTS, *STEEP)):
            raise Wrong(f"aspect ratio {image['aspectRatio']} is not supported")
        if image.get("imageSize", "1K") not in ("1K", "2K", "4K") and (old or image["imageSize"] != "512"):
            raise Wrong(f"image size {image['imageSize']} is not supported")

    def written(self, seen: Seen, reply: Reply) -> Mapping[str, Any]:
        given = reply if isinstance(reply, Candidate) else Candidate(**vars(reply))
        usage = given.usage if given.usage is not None else USAGE
        whole: dict[str, Any] = {"modelVersion": given.model or f"{seen.model}-001", "usageMetadata": usage}
        if given.refused:
            return {**whole, "promptFeedback": {"blockReason": given.refused, "blockReasonMessage": given.message}}
        parts: list[dict[str, Any]] = []
        if given.thoughts:
            parts.append({"text": given.thoughts, "thought": True})
        if given.thought_picture:
            parts.append({"inlineData": _inline(base64.b64encode(given.thought_picture).decode()), "thought": True})
        if given.text:
            parts.append({"text": given.text})
        if given.ended == "STOP":
            pictures = self.pictures(seen, given)
            parts += [{"inlineData": _inline(self.encoded(given, one)), "thoughtSignature": "c2ln"} for one in pictures]
        candidate: dict[str, Any] = {"finishReason": given.ended, "index": 0}
        if parts and not given.empty:
            candidate["content"] = {"role": "model", "parts": parts}
        if given.message:
            candidate["finishMessage"] = given.message
        return {**whole, "candidates": [candidate]}

    def error(self, fault: Fault) -> Mapping[str, Any]:
        return {"error": {"code": fault.status, "message": fault.message, "status": "INVALID_ARGUMENT", **fault.error}}

    def failed(self, fault: Fault) -> web.Response:
        """A wrong key is a bad request at Google."""
        if fault.status == 401:
            reason = {"details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]}
            fault = Fault(400, f"API key not valid: {fault.message}", error=reason)
        return super().failed(fault)

    def describe(self, path: str) -> Mapping[str, Any] | Fault:
        name = path.rpartition("/models/")[2]
        known = self.models is None or name in self.models
        methods = ["generateContent", "countTokens"]
        return {"name": f"models/{name}", "supportedGenerationMethods": methods} if known else Fault(404, "not found")


def _picture(inline: Mapping[str, str]) -> bytes:
    data = base64.b64decode(inline["data"], validate=True)
    if inline["mimeType"] != "image/png" or not data.startswith(b"\x89PNG\r\n\x1a\n"):
        raise Wrong("Unsupported MIME type")
    return data


def _inline(data: str) -> dict[str, str]:
    return {"mimeType": "image/png", "data": data}
