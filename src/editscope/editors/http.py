"""Editors behind an HTTP server of one's own: ``http://HOST:PORT/edit``, pictures and instruction in, a picture out."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast, get_args
from urllib.parse import parse_qsl, urljoin, urlsplit

from editscope.cases import Edit, Status
from editscope.editors.base import EditLimits, Editor
from editscope.editors.hosted import (
    EncodedRequest,
    Exchange,
    Failed,
    FormPart,
    HostedEditor,
    PictureAnswer,
    Service,
    ServiceOption,
    ServiceSettings,
    number,
)
from editscope.editors.hosted.pictures import from_base64, from_data_url
from editscope.errors import BadInput, unknown
from editscope.outside import MOST_DOLLARS, MOST_MEGABYTES, MOST_SECONDS, measure, received
from editscope.transport.background import run_once
from editscope.transport.check import Endpoint
from editscope.transport.faults import Fault
from editscope.transport.keys import bearer, is_secret, key_from, plain_address
from editscope.transport.messages import NotAnAnswer, loads
from editscope.transport.reply import Reply
from editscope.transport.session import open_session, require_packages

STATUSES: tuple[str, ...] = get_args(Status)
PATH = "/edit"
HEALTH = "health"
HEALTH_S = 15.0
TEXT = "the server answered with text only"
AT_ONCE, MOST_AT_ONCE, AHEAD = 4, 1024, 2
PROTOCOL = 1
OPTIONS: Mapping[str, ServiceOption] = {
    "concurrency": number(int, 1, MOST_AT_ONCE),
    "key_env": ServiceOption(str, "the name of a variable"),
    "name": ServiceOption(str, "a name"),
}
HEADERS = {"latency_s": "X-Latency-S", "memory_mb": "X-Memory-MB", "cost_usd": "X-Cost-USD", "model": "X-Model"}
"""What a server that answers with a picture alone may say beside it."""
MEASURED = {"latency_s": MOST_SECONDS, "memory_mb": MOST_MEGABYTES, "cost_usd": MOST_DOLLARS}


@dataclass(frozen=True, slots=True)
class Answered(PictureAnswer):
    """A reply in the server's own words: ``status`` and ``reason`` where it has no picture, and what it measured."""

    status: Status = "ok"
    reason: str = ""
    latency_s: float | None = None
    memory_mb: float | None = None
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Health:
    """What a server says of itself at ``/health``; nothing, where it has no such page.

    ``at_once`` is how many requests are worth sending at the same time: as many edits as it makes at once. A server
    that reports how long an edit took gets AHEAD more, which wait there for their turn while others are on their way.
    """

    name: str = ""
    max_images: int | None = None
    at_once: int | None = None


def load(target: str, **options: Any) -> Editor:
    """The editor for an address; ``concurrency``, ``key_env`` (a bearer token) and ``name`` follow a ``#``."""
    kind = target.partition(":")[0]
    read: dict[str, Any] = {}
    for name, value in options.items():
        if name not in OPTIONS:
            raise unknown("option", name, OPTIONS, of=f"editors of kind {kind}")
        read[name] = OPTIONS[name].read(value)
        if read[name] is None:
            raise BadInput(f"editor {target}, option {name}: {value!r} is not {OPTIONS[name].wants}")
    return HttpEditor(address(target), read)


def address(target: str) -> str:
    """Where edits are posted: the address as given, with ``/edit`` where it names only a host.

    >>> address("http://127.0.0.1:8008"), address("https://gpu.example.org/v2/edit?model=a")
    ('http://127.0.0.1:8008/edit', 'https://gpu.example.org/v2/edit?model=a')
    """
    plain, question, query = target.partition("?")
    if any(is_secret(name) for name, _ in parse_qsl(query, keep_blank_values=True)):
        raise BadInput(f"the address of editor {plain} holds a key; put it into a variable and add #key_env=NAME")
    plain = plain_address(f"the address of editor {plain}", plain)
    return (plain if urlsplit(plain).path else plain + PATH) + question + query


class HttpService(Service):
    """The protocol of ``editscope serve-editor``; a server needs no more of it than to answer with a picture."""

    kind = "http"
    home = ""
    key_env = ""
    needs_key = False

    async def make(self, encoded: EncodedRequest, exchange: Exchange) -> PictureAnswer:
        """Post the pictures and the instruction; read whatever comes."""
        reply = await exchange.send(self.settings.model, _form(encoded))
        answer = read_reply(reply)
        if answer is None:
            ended = _ended(reply)
            raise Failed(Fault(ended, closed=True) if ended else exchange.fault(reply))
        exchange.answered = True
        return answer


class HttpEditor(HostedEditor):
    """Whoever answers at an address. What the server says of itself decides how many pictures it gets, and how fast."""

    def __init__(self, url: str, options: Mapping[str, Any] | None = None) -> None:
        parts = urlsplit(url)
        settings = ServiceSettings(url, f"{parts.scheme}://{parts.netloc}", dict(options or {}))
        super().__init__(HttpService, settings, key_env=str(settings.options.get("key_env", "")))
        self.name = str(settings.options.get("name") or parts.netloc + parts.path.removesuffix(PATH))
        self.at_once = self._at_once()

    @property
    def spec(self) -> str:
        """The address, without its query."""
        return self.settings.model.partition("?")[0]

    def limit(self, limits: EditLimits) -> None:
        """Take limits of speed and money."""
        super().limit(limits)
        self.at_once = self._at_once()

    def check(self) -> None:
        """Raise BadInput where nobody answers, or the token is wrong; learn what the server says of itself."""
        require_packages(f"the editor {self.spec}")
        self._require_price()
        self._adopt(self._health())

    def load(self) -> None:
        """Open the connections."""
        require_packages(f"the editor {self.spec}")
        # It answered when the run was started; if it does not now, retries bridge the time until it does again.
        with contextlib.suppress(BadInput):
            self._adopt(self._health())
        super().load()

    def _edit(
        self,
        encoded: EncodedRequest,
        tally: Any,
        status: Status,
        reason: str | None,
        answer: PictureAnswer = PictureAnswer(),
        decoded: Any = None,
    ) -> Edit:
        edit = super()._edit(encoded, tally, status, reason, answer, decoded)
        if not isinstance(answer, Answered):
            return edit
        if answer.status != "ok":
            edit = replace(edit, status=answer.status, reason=answer.reason)
        took = edit.latency_s if answer.latency_s is None else answer.latency_s
        return replace(edit, latency_s=took, memory_mb=answer.memory_mb, asked=answer.asked or None)

    def _at_once(self, said: int | None = None) -> int:
        """How many requests at once: what the user said, else what the server says."""
        given = self._limits.concurrency or self.settings.options.get("concurrency")
        return int(given or min(MOST_AT_ONCE, said or AT_ONCE))

    def _adopt(self, health: Health) -> None:
        self.max_images = health.max_images
        self.at_once = self._at_once(health.at_once)

    def _health(self) -> Health:
        return run_once(ask_health(self.settings.model, key_from(self.key_env), self.key_env))


async def ask_health(url: str, key: str, key_env: str) -> Health:
    """What the page ``health`` beside the address says; BadInput where nobody is there or the token is wrong."""
    parts = urlsplit(url)
    server = f"{parts.scheme}://{parts.netloc}"
    endpoint = Endpoint("editor", url, server, url, key, key_env)
    headers = bearer(key)
    async with open_session(server, headers, timeout_s=HEALTH_S) as session:
        page = urljoin(url.partition("?")[0], HEALTH)
        reply = await endpoint.ask(session, "GET", page, timeout_s=HEALTH_S, hint="is it running?")
    return _health(url, reply.status, reply.content, key_env)


def read_reply(reply: Reply) -> PictureAnswer | None:
    """What a reply says; None where it is a fault of the server or of the request, which its status tells.

    A picture is a picture whatever its type is called; a text is what the model said instead of one.

    >>> read_reply(Reply(200, {"Content-Type": "text/plain"}, b"I cannot draw.")).text
    'I cannot draw.'
    >>> read_reply(Reply(422, {"Content-Type": "application/json"}, b'{"status": "refused", "reason": "no"}')).refused
    'no'
    >>> read_reply(Reply(500, {}, b"")) is None
    True
    """
    kind = reply.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind.endswith("json") and reply.status < 500 and reply.status != 429:
        try:
            data = loads(reply.content)
        except ValueError as error:
            raise NotAnAnswer("something that is not JSON, though it says so") from error
        if isinstance(data, dict) and ("status" in data or reply.status == 200):
            return _from_json(data)
    if reply.status != 200:
        return None
    if kind.startswith("text/"):
        return Answered(text=received(reply.content.decode(errors="replace")), status="no_output", reason=TEXT)
    return _measured(Answered(picture=reply.content), {name: reply.headers.get(at) for name, at in HEADERS.items()})


def _ended(reply: Reply) -> str:
    """Why the server says that it will make no more edits; "" where it does not say so."""
    try:
        data = loads(reply.content)
    except ValueError:
        return ""
    return _text(data, "stopped") if isinstance(data, dict) else ""


def _from_json(data: Mapping[str, Any]) -> PictureAnswer:
    status = data.get("status", "ok")
    if status not in STATUSES:
        raise NotAnAnswer(f"the status {status!r}, which is none of {', '.join(STATUSES)}")
    picture, reason = _picture(data), _text(data, "reason")
    if status == "ok" and picture is None:
        status, reason = "no_output", reason or TEXT
    reason = reason or f"the server says {status}"
    notes = data.get("notes")
    answer = Answered(
        picture=picture if status == "ok" else None,
        text=_text(data, "trace"),
        refused=reason if status == "refused" else "",
        notes=tuple(str(note) for note in notes) if isinstance(notes, list) else (),
        status=cast("Status", status),
        reason=reason,
        asked=_text(data, "asked"),
    )
    return _measured(answer, data)


def _picture(data: Mapping[str, Any]) -> bytes | None:
    text = _text(data, "image_b64")
    if not text:
        return None
    return from_data_url(text) if text.startswith("data:") else from_base64(text)


def _measured(answer: Answered, data: Mapping[str, Any]) -> Answered:
    numbers = {name: _number(data.get(name), most) for name, most in MEASURED.items()}
    return replace(answer, model=received(_text(data, "model")), **numbers)  # type: ignore[arg-type]


def _number(value: Any, most: float) -> float | None:
    """A measure, also from a header, where it is a text."""
    try:
        return measure(float(value) if isinstance(value, str) else value, most)
    except ValueError:
        return None


def _text(data: Mapping[str, Any], name: str) -> str:
    value = data.get(name)
    return "" if value is None else str(value)


def _form(encoded: EncodedRequest) -> list[FormPart]:
    request = encoded.request
    details = {"id": request.case_id, "variant": request.variant, "tags": dict(request.tags)}
    return [
        FormPart("instruction", request.instruction),
        FormPart("seed", str(request.seed)),
        FormPart("details", json.dumps(details, ensure_ascii=False)),
        *(FormPart("image", png, f"input-{place}.png") for place, png in enumerate(encoded.pictures, 1)),
    ]


def _health(url: str, status: int, content: bytes, key_env: str) -> Health:
    if status == 401:
        named = f"the token in {key_env}" if key_env else "a request without a token"
        raise BadInput(f"{url} does not accept {named}; put it into a variable and add #key_env=NAME to the address")
    try:
        data = loads(content) if status in (200, 503) else {}
    except ValueError:
        data = {}
    data = data if isinstance(data, dict) else {}
    if ended := _text(data, "stopped"):
        raise BadInput(f"the server at {url} makes no more edits ({ended}); restart it")
    most, batch, at_once = (_whole(data.get(name)) for name in ("max_images", "batch", "at_once"))
    ahead = AHEAD if data.get("protocol") == PROTOCOL else 0
    return Health(_text(data, "name"), most, at_once and at_once * (batch or 1) + ahead)


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
