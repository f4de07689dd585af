"""An image editor on loopback: a real HTTP server that checks the wire format and does what a script tells it.

In a test::

    with OpenAIServer([Fault(429), Reply()]) as server:
        editor = load_editor(server.spec())

A reply without a picture of its own is the input in negative, so that a test knows what must come back. For
benchmarks, ``python -m support.servers.editor_server --latency 0.05`` in ``tests/`` runs it and prints its address.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import io
import threading
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, TypeAlias

import numpy as np
import orjson
from aiohttp import BodyPartReader, web

from editscope.editors import Editor, Request, load_editor
from editscope.images import Pixels, encode_png
from support.servers.loopback import Fault as Fault  # tests take it from here
from support.servers.loopback import Loopback, as_json, broken

KEY = "loopback-key-of-an-editor-that-must-not-be-written-anywhere"
"""A key for tests: whatever a run writes can be searched for it."""


@dataclass(frozen=True)
class Seen:
    """One request for an edit, as the server saw it; ``number`` counts from 0 in order of arrival.

    ``fields`` is all that was sent besides the pictures, under the vendor's names.
    """

    instruction: str
    pictures: tuple[bytes, ...]
    model: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    number: int = 0
    key: str = ""
    time: float = 0.0


@dataclass(frozen=True)
class Reply:
    """A reply: ``picture`` as encoded bytes, None for the first input in negative; ``text`` instead of it or beside it.

    ``more`` are further pictures; ``by_url`` gives addresses of this server in place of base64; ``broken_base64``
    cuts a character off; ``refused`` is the vendor's way to say that a filter or the model would not do it; ``raw`` is
    sent as it is.
    """

    picture: bytes | None = None
    text: str = ""
    text_only: bool = False
    refused: str = ""
    more: tuple[bytes, ...] = ()
    by_url: bool = False
    broken_base64: bool = False
    latency: float | None = None
    model: str = ""
    usage: Mapping[str, Any] | None = None
    raw: Mapping[str, Any] | None = None


class Wrong(Exception):
    """A request that is not of the vendor's form; answered with 400 and this reason."""


Outcome: TypeAlias = "Reply | Fault"
Script: TypeAlias = "Callable[[Seen], Outcome] | Sequence[Outcome]"


class EditorServer(Loopback):
    """Runs in a thread of its own while the ``with`` block lasts; a vendor's server is a subclass.

    ``script`` is a function of what is seen, or a list of outcomes given in order of arrival (the last one again for
    all that come later). With ``draws`` it makes a picture of a prompt alone, too. ``calls`` counts requests for edits,
    ``checks`` other questions about models, ``wrong`` holds why requests were turned down; ``peak`` is the largest
    number at the same time; ``seen`` keeps what was asked; ``leaks`` counts requests for files that carried a key.
    """

    kind: str
    model: str

    def __init__(
        self,
        script: Script = (Reply(),),
        *,
        latency: float = 0.0,
        keys: Sequence[str] | None = None,
        models: Sequence[str] | None = None,
        lists_models: bool = True,
        keep: bool = True,
        draws: bool = False,
        port: int = 0,
    ) -> None:
        super().__init__(port)
        self.draws = draws
        self.script = script
        self.latency = latency
        self.keys = keys
        self.models = models
        self.lists_models = lists_models
        self.keep = keep
        self.calls = self.checks = self.in_flight = self.peak = self.fetches = self.leaks = 0
        self.seen: list[Seen] = []
        self.wrong: list[str] = []
        self.files: dict[str, list[bytes | Fault | str]] = {}

    # --- what a vendor says -----------------------------------------------------------------------

    @abstractmethod
    async def read(self, request: web.Request) -> Seen:
        """What a POST asks for; raises Wrong for whatever the vendor's API would not take."""

    @abstractmethod
    def written(self, seen: Seen, reply: Reply) -> Mapping[str, Any] | Fault:
        """The vendor's JSON for a reply; a Fault where the vendor answers it with a status."""

    def key(self, headers: Mapping[str, str]) -> str:
        """The key that a request carries."""
        return headers.get("Authorization", "").removeprefix("Bearer ")

    def error(self, fault: Fault) -> Mapping[str, Any]:
        """The vendor's JSON for an error."""
        return {"error": {"message": fault.message, **fault.error}}

    def describe(self, path: str) -> Mapping[str, Any] | Fault:
        """The vendor's answer to a GET about models."""
        return Fault(404, "Not Found")

    async def other(self, request: web.Request) -> web.StreamResponse | None:
        """A vendor's further routes, such as polling; None for those that are not its own."""
        return None

    @property
    def url(self) -> str:
        """The address to give as ``?base_url=``."""
        return f"http://127.0.0.1:{self.port}/v1"

    def spec(self, model: str = "", **options: Any) -> str:
        """The editor spec of this server."""
        more = "".join(f"&{name}={value}" for name, value in options.items())
        return f"{self.kind}:{model or self.model}?base_url={self.url}{more}"

    def file(self, *contents: bytes | Fault | str) -> str:
        """The address of a file of this server: bytes, a fault, or another address to which it is redirected.

        Several are given one after the other, the last one for ever.
        """
        name = f"{len(self.files)}.png"
        self.files[name] = list(contents)
        return f"http://127.0.0.1:{self.port}/files/{name}"

    async def handle(self, request: web.Request) -> web.StreamResponse:
        if request.path.startswith("/files/"):
            return await self._file(request)
        key = self.key(request.headers)
        if self.keys is not None and key not in self.keys:
            return self.failed(Fault(401, f"Incorrect API key provided: {key}"))
        if (answer := await self.other(request)) is not None:
            return answer
        if request.method == "GET":
            self.checks += 1
            data = self.describe(request.path) if self.lists_models else Fault(404, "Not Found")
            return self.failed(data) if isinstance(data, Fault) else as_json(data)
        self.in_flight += 1
        self.peak = max(self.peak, self.in_flight)
        try:
            return await self._edit(request, key)
        finally:
            self.in_flight -= 1

    async def _file(self, request: web.Request) -> web.StreamResponse:
        self.fetches += 1
        self.leaks += any(KEY in value for value in request.headers.values())
        contents = self.files.get(request.path.removeprefix("/files/"), [Fault(404, "Not Found")])
        content = contents.pop(0) if len(contents) > 1 else contents[0]
        if isinstance(content, str):
            return web.Response(status=302, headers={"Location": content})
        if isinstance(content, Fault):
            return await self.fail(request, content, b"")
        return web.Response(body=content, content_type="image/png")

    async def _edit(self, request: web.Request, key: str) -> web.StreamResponse:
        try:
            seen = await self.read(request)
            if self.models is not None and seen.model not in self.models:
                return self.failed(Fault(404, f"The model {seen.model} does not exist"))
        except Wrong as wrong:
            self.wrong.append(str(wrong))
            return self.failed(Fault(400, str(wrong)))
        seen = Seen(seen.instruction, seen.pictures, seen.model, seen.fields, self.calls, key, time.monotonic())
        self.calls += 1
        if self.keep:
            self.seen.append(seen)
        script = self.script
        outcome = script(seen) if callable(script) else script[min(seen.number, len(script) - 1)]
        latency = outcome.latency if outcome.latency is not None else self.latency
        if latency:
            await asyncio.sleep(latency)
        if isinstance(outcome, Fault):
            whole = self.written(seen, Reply())
            return await self.fail(request, outcome, orjson.dumps(whole))
        written = self.written(seen, outcome) if outcome.raw is None else outcome.raw
        return self.failed(written) if isinstance(written, Fault) else as_json(written)

    def failed(self, fault: Fault) -> web.Response:
        """An error of the vendor."""
        return as_json(self.error(fault), fault.status, fault.headers)

    async def fail(self, request: web.Request, fault: Fault, whole: bytes) -> web.StreamResponse:
        """Do what goes wrong; ``whole`` is what the reply would have been."""
        if fault.kind == "hang":
            await self.hang()
        return await broken(request, fault.kind, whole) or self.failed(fault)

    def pictures(self, seen: Seen, reply: Reply) -> list[bytes]:
        """The pictures of a reply."""
        if reply.picture is not None:
            first = reply.picture
        else:
            first = encode_png(negative(load_bytes(seen.pictures[0])) if seen.pictures else drawn(seen.instruction))
        return [] if reply.text_only else [first, *reply.more]

    def encoded(self, reply: Reply, picture: bytes) -> str:
        """A picture as base64, broken where the script says so."""
        text = base64.b64encode(picture).decode()
        return text[:-3] + "*" if reply.broken_base64 else text


class OpenAIServer(EditorServer):
    """``POST /images/edits``: a multipart form with the fields and limits of OpenAI's gpt-image models."""

    kind = "openai"
    model = "gpt-image-1"

    WORDS: Mapping[str, tuple[str, ...]] = {
        "quality": ("auto", "low", "medium", "high", "standard"),
        "background": ("auto", "opaque", "transparent"),
        "input_fidelity": ("low", "high"),
        "output_format": ("png", "jpeg", "webp"),
        "moderation": ("auto", "low"),
        "n": tuple(map(str, range(1, 11))),
    }
    FIXED = ("auto", "1024x1024", "1536x1024", "1024x1536")

    async def read(self, request: web.Request) -> Seen:
        if self.draws and request.path.endswith("/images/generations"):
            return await self._drawing(request)
        if not request.path.endswith("/images/edits"):
            raise Wrong(f"Invalid URL (POST {request.path})")
        if request.content_type != "multipart/form-data":
            raise Wrong(f"Unsupported content type {request.content_type}")
        fields: dict[str, str] = {}
        pictures: list[bytes] = []
        names: set[str] = set()
        async for part in await request.multipart():
            assert isinstance(part, BodyPartReader)
            if part.filename is None:
                if part.name in fields:
                    raise Wrong(f"Duplicate parameter: '{part.name}'")
                fields[str(part.name)] = (await part.read()).decode()
                continue
            names.add(str(part.name))
            data = bytes(await part.read())
            if part.headers.get("Content-Type") != "image/png" or not data.startswith(b"\x89PNG\r\n\x1a\n"):
                raise Wrong(f"Invalid file '{part.filename}': unsupported mimetype")
            pictures.append(data)
        self._check(fields, names, len(pictures))
        return Seen(fields["prompt"], tuple(pictures), fields["model"], fields)

    async def _drawing(self, request: web.Request) -> Seen:
        if request.content_type != "application/json":
            raise Wrong(f"Unsupported content type {request.content_type}")
        fields = orjson.loads(await request.read())
        if "input_fidelity" in fields or fields.get("n") != 1:
            raise Wrong("Unknown parameter: 'input_fidelity', or another n than 1.")
        self._check_fields({name: str(value) for name, value in fields.items()})
        return Seen(fields["prompt"], (), fields["model"], fields)

    def _check(self, fields: Mapping[str, str], names: set[str], pictures: int) -> None:
        if names not in ({"image"}, {"image[]"}) or not 1 <= pictures <= 16 or (names == {"image"} and pictures > 1):
            raise Wrong(f"Expected 'image' or up to 16 of 'image[]', got {pictures} of {sorted(names)}")
        self._check_fields(fields)

    def _check_fields(self, fields: Mapping[str, str]) -> None:
        for name in ("model", "prompt"):
            if not fields.get(name):
                raise Wrong(f"Missing required parameter: '{name}'.")
        known = {*self.WORDS, "model", "prompt", "size", "output_compression", "user"}
        for name, value in fields.items():
            if name not in known:
                raise Wrong(f"Unknown parameter: '{name}'.")
            if name in self.WORDS and value not in self.WORDS[name]:
                raise Wrong(f"Invalid value: '{value}' for '{name}'.")
        size = fields.get("size", "auto")
        if fields["model"].startswith("gpt-image-1") and size not in self.FIXED:
            raise Wrong(f"Invalid value: '{size}'. Supported values are: {', '.join(self.FIXED)}.")
        if size != "auto" and any(int(side) % 16 or int(side) > 3840 for side in size.split("x")):
            raise Wrong(f"Invalid size '{size}'")

    def written(self, seen: Seen, reply: Reply) -> Mapping[str, Any] | Fault:
        if reply.refused:
            code = {"type": "image_generation_user_error", "code": "moderation_blocked"}
            return Fault(400, reply.refused, error=code)
        data: list[dict[str, Any]] = []
        for picture in self.pictures(seen, reply):
            given = {"url": self.file(picture)} if reply.by_url else {"b64_json": self.encoded(reply, picture)}
            data.append({**given, **({"revised_prompt": reply.text} if reply.text else {})})
        usage = reply.usage if reply.usage is not None else USAGE
        return {"created": 1_800_000_000, "data": data, "size": "1024x1024", "quality": "high", "usage": usage}

    def describe(self, path: str) -> Mapping[str, Any] | Fault:
        name = path.rpartition("/models/")[2]
        known = self.models is None or name in self.models
        return {"id": name, "object": "model"} if known else Fault(404, f"The model '{name}' does not exist")


USAGE = {
    "input_tokens": 400,
    "input_tokens_details": {"text_tokens": 100, "image_tokens": 300},
    "output_tokens": 1000,
    "total_tokens": 1400,
}


def negative(pixels: Pixels) -> Pixels:
    """The picture in negative."""
    return 255 - pixels


def drawn(prompt: str) -> Pixels:
    """A small picture in a color of its own for each prompt."""
    color = np.frombuffer(sha256(prompt.encode()).digest()[:3], np.uint8)
    return np.ascontiguousarray(np.broadcast_to(color, (48, 64, 3)))


def load_bytes(data: bytes) -> Pixels:
    """The pixels of an encoded picture."""
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


def request(number: int = 0, side: int = 32, pictures: int = 1, **more: Any) -> Request:
    """A request with small pictures of its own."""
    rng = np.random.default_rng(number)
    arrays = tuple(rng.integers(0, 256, (side, side + 16 * n, 3), np.uint8) for n in range(pictures))
    return Request(
        **{"case_id": f"case/{number:03}", "arrays": arrays, "instruction": f"Edit {number}.", "seed": 7, **more}
    )


def quick(spec: str, **limits: Any) -> Editor:
    """The editor of a spec, with short pauses between attempts."""
    from editscope.editors import EditLimits

    editor: Any = load_editor(spec)
    editor.backoff_s = 0.005
    editor.limit(EditLimits(**limits))
    return editor  # type: ignore[no-any-return]


def main() -> None:
    """Serve negatives until interrupted."""
    parser = argparse.ArgumentParser(description="An editor on loopback that gives every picture back in negative.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.05, help="seconds before each reply")
    arguments = parser.parse_args()
    picture = encode_png(np.random.default_rng(0).integers(0, 256, (64, 64, 3), np.uint8).repeat(8, 0).repeat(8, 1))
    server = OpenAIServer([Reply(picture)], latency=arguments.latency, port=arguments.port, keep=False)
    with server:
        print(server.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
