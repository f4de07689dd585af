"""A chat endpoint on loopback that answers with pictures, in every shape that compatible servers use."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any

import orjson
from aiohttp import web

from support.servers.editor_server import EditorServer, Fault, Reply, Seen, Wrong

PREFIX = "data:image/png;base64,"


class ChatServer(EditorServer):
    """``POST /chat/completions``; ``shape`` says where the pictures stand in the reply.

    ``objects_to`` names fields that this server does not know.
    """

    kind = "chat"
    model = "some/image-chat"

    def __init__(self, *arguments: Any, shape: str = "images", objects_to: tuple[str, ...] = (), **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.shape = shape
        self.objects_to = objects_to

    async def read(self, request: web.Request) -> Seen:
        if not request.path.endswith("/chat/completions") or request.content_type != "application/json":
            raise Wrong(f"no such endpoint: {request.path} with {request.content_type}")
        body = orjson.loads(await request.read())
        for name in self.objects_to:
            if name in body:
                raise Wrong(f"Unrecognized request argument supplied: {name}")
        (message,) = body.pop("messages")
        if message["role"] != "user" or body.get("stream"):
            raise Wrong("one message of the user, not streamed, is expected")
        *pictures, text = message["content"]
        if text["type"] != "text" or any(part["type"] != "image_url" for part in pictures):
            raise Wrong("pictures first, then the instruction")
        urls = [part["image_url"]["url"] for part in pictures]
        if not (urls or self.draws) or not all(url.startswith(PREFIX) for url in urls):
            raise Wrong("pictures are expected as data URLs")
        decoded = tuple(base64.b64decode(url.removeprefix(PREFIX), validate=True) for url in urls)
        return Seen(text["text"], decoded, body["model"], body)

    def written(self, seen: Seen, reply: Reply) -> Mapping[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
        pictures = self.pictures(seen, reply)
        if pictures and not reply.refused:
            urls = [self.file(one) if reply.by_url else PREFIX + self.encoded(reply, one) for one in pictures]
            message |= SHAPES[self.shape](urls, reply.text)
        usage = reply.usage if reply.usage is not None else {"prompt_tokens": 300, "completion_tokens": 1300}
        ended = "content_filter" if reply.refused else "stop"
        choice = {"index": 0, "message": message, "finish_reason": ended}
        return {"model": reply.model or f"{seen.model}-2030-01-01", "choices": [choice], "usage": usage}

    def describe(self, path: str) -> Mapping[str, Any] | Fault:
        return {"data": [{"id": model} for model in self.models or (self.model,)]}


def _bare(urls: list[str], text: str) -> dict[str, Any]:
    return {"content": urls[0].removeprefix(PREFIX)}


SHAPES: dict[str, Callable[[list[str], str], dict[str, Any]]] = {
    "images": lambda urls, text: {"images": [{"type": "image_url", "image_url": {"url": url}} for url in urls]},
    "images, plain": lambda urls, text: {"images": [{"type": "image_url", "image_url": url} for url in urls]},
    "content parts": lambda urls, text: {
        "content": [{"type": "text", "text": text}, *({"type": "image_url", "image_url": {"url": u}} for u in urls)]
    },
    "output_image": lambda urls, text: {
        "content": [{"type": "text", "text": text}, *({"type": "output_image", "image_url": u} for u in urls)]
    },
    "b64_json part": lambda urls, text: {
        "content": [{"type": "image", "b64_json": url.removeprefix(PREFIX)} for url in urls]
    },
    "markdown": lambda urls, text: {"content": f"{text}\n" + "\n".join(f"![edited]({url})" for url in urls)},
    "data URL in text": lambda urls, text: {"content": f"{text} {' '.join(urls)} and that is all"},
    "bare base64": _bare,
}
"""Where servers put pictures: a function of their data URLs (or addresses) and the text."""
