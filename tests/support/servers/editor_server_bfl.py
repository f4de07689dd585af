"""Black Forest Labs on loopback: a task is submitted, polled and fetched, in this order and with the right headers."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import orjson
from aiohttp import web

from support.servers.editor_server import EditorServer, Fault, Reply, Seen, Wrong
from support.servers.loopback import as_json

EVERY = {"prompt", "seed", "output_format", "safety_tolerance"}
FIELDS = {
    "flux-kontext": {"aspect_ratio", "prompt_upsampling"},
    "flux-pro-1.1": {"width", "height", "prompt_upsampling"},
    "flux-2": {"width", "height", "disable_pup"},
    "flux-2-flex": {"width", "height", "prompt_upsampling", "steps", "guidance"},
    "flux-2-klein": {"width", "height"},
}
SAFETY = {"flux-kontext": 6, "flux-pro-1.1": 6, "flux-2": 5}
MOST = {"flux-kontext": 4, "flux-pro-1.1": 1, "flux-2-klein": 4, "flux-2": 8}


@dataclass(frozen=True)
class Task(Reply):
    """A task: how many polls find it pending, how it ends, what a poll meets, and where its picture lies.

    ``sample`` is the address of the picture in place of one of this server; ``polls`` are faults that polls meet
    before they are answered; ``elsewhere`` is the root of another server whose address is given for polling.
    """

    status: str = "Ready"
    pending: int = 2
    details: Mapping[str, Any] | None = None
    sample: str | Fault | None = None
    fresh: str | None = None
    polls: tuple[Fault, ...] = ()
    elsewhere: str | None = None
    unnamed: bool = False
    cost: float | None = None
    prompt: str | None = None


class BFLServer(EditorServer):
    """``polled`` counts polls, ``polled_with`` holds the keys that they carried."""

    kind = "bfl"
    model = "flux-2-pro"

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.tasks: dict[str, tuple[Seen, Task]] = {}
        self.polled = 0
        self.polled_with: set[str] = set()
        self._polls: dict[str, int] = {}

    @property
    def url(self) -> str:
        """The address to give as ``?base_url=``."""
        return f"http://127.0.0.1:{self.port}"

    def spec(self, model: str = "", **options: Any) -> str:
        """The editor spec of this server, polled without long pauses."""
        return super().spec(model, **{"poll": 0.01, **options})

    def key(self, headers: Mapping[str, str]) -> str:
        return headers.get("x-key", "")

    async def read(self, request: web.Request) -> Seen:
        root, _, model = request.path.rpartition("/")
        if root != "/v1" or request.content_type != "application/json":
            raise Wrong(f"no endpoint {request.path} for {request.content_type}")
        body = orjson.loads(await request.read())
        names = ["input_image", *(f"input_image_{number}" for number in range(2, 9))]
        sent = [name for name in names if name in body]
        if sent != names[: len(sent)] or not (sent or self.draws) or len(sent) > _of(MOST, model):
            raise Wrong(f"{model} does not take the pictures {sent}")
        for name in set(body) - set(sent):
            if name not in EVERY | _of(FIELDS, model):
                raise Wrong(f"Extra inputs are not permitted: {name}")
        sides = [body[name] for name in ("width", "height") if name in body]
        if any(side % 16 or side < 64 for side in sides) or len(sides) == 1 or (sides and sides[0] * sides[1] > 4e6):
            raise Wrong(f"width and height {sides} are not multiples of 16 within 4 megapixels")
        if body.get("output_format") not in ("png", "jpeg") or not 0 <= body.get("safety_tolerance", 2) <= _of(
            SAFETY, model
        ):
            raise Wrong("output_format or safety_tolerance is out of range")
        pictures = [base64.b64decode(body[name], validate=True) for name in sent]
        if not all(picture.startswith(b"\x89PNG\r\n\x1a\n") for picture in pictures):
            raise Wrong("input_image is not a picture")
        fields = {name: value for name, value in body.items() if name not in sent}
        return Seen(body["prompt"], tuple(pictures), model, fields)

    def written(self, seen: Seen, reply: Reply) -> Mapping[str, Any]:
        task = reply if isinstance(reply, Task) else Task(**vars(reply))
        if task.refused:
            task = replace(task, status="Content Moderated", details={"Moderation Reasons": [task.refused]})
        name = f"task-{len(self.tasks)}"
        self.tasks[name] = (seen, task)
        polling = {} if task.unnamed else {"polling_url": f"{task.elsewhere or self.url}/v1/get_result?id={name}"}
        return {"id": name, **polling, "cost": None}

    async def other(self, request: web.Request) -> web.StreamResponse | None:
        if request.path == "/v1/credits":
            self.checks += 1
            return as_json({"credits": 1000.0})
        if request.path != "/v1/get_result":
            return None
        self.polled += 1
        self.polled_with.add(self.key(request.headers))
        name = request.query["id"]
        if name not in self.tasks:
            return as_json({"id": name, "status": "Task not found", "result": None}, 404)
        number = self._polls.get(name, 0)
        self._polls[name] = number + 1
        seen, task = self.tasks[name]
        if number < len(task.polls):
            return await self.fail(request, task.polls[number], b'{"id": "task", "status": "Ready"}')
        if number < len(task.polls) + task.pending:
            return as_json({"id": name, "status": "Pending", "progress": 0.5, "result": None})
        return as_json(self._finished(name, seen, task, number - len(task.polls) - task.pending))

    def _finished(self, name: str, seen: Seen, task: Task, asked_before: int) -> Mapping[str, Any]:
        whole: dict[str, Any] = {"id": name, "status": task.status, "details": task.details, "result": None}
        if task.status != "Ready":
            return whole
        sample = task.fresh if asked_before and task.fresh else task.sample
        if isinstance(sample, Fault):
            sample = self.file(sample)
        if sample is None:
            sample = self.file(self.pictures(seen, task)[0]) + "?se=2030&sig=signed"
        result = {"sample": sample, "prompt": task.prompt or seen.instruction, "seed": seen.fields.get("seed")}
        return {**whole, "result": result, **({} if task.cost is None else {"cost": task.cost})}

    def error(self, fault: Fault) -> Mapping[str, Any]:
        return {"detail": fault.message, **fault.error}

    def failed(self, fault: Fault) -> web.Response:
        """A wrong key is forbidden here."""
        return super().failed(replace(fault, status=403) if fault.status == 401 else fault)


def _of(table: Mapping[str, Any], model: str) -> Any:
    """The entry with the longest name with which the model's begins."""
    return table[max((name for name in table if model.startswith(name)), key=len)]
