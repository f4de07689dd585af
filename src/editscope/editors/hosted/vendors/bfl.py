"""Black Forest Labs, ``bfl:MODEL``: submit with ``POST {base_url}/v1/MODEL``, poll until done, fetch at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from editscope.editors.hosted.editor import HostedEditor, load_hosted
from editscope.editors.hosted.exchange import Exchange
from editscope.editors.hosted.options import ServiceOption, flag, matching, number, one_of
from editscope.editors.hosted.pictures import from_url
from editscope.editors.hosted.ratios import nearest_aspect
from editscope.editors.hosted.service import EncodedRequest, PictureAnswer, Service, ServiceSettings
from editscope.editors.sizing import Size, fit_to
from editscope.errors import BadInput
from editscope.outside import MOST_DOLLARS, measure
from editscope.transport.faults import Failed, Fault, fault_of
from editscope.transport.messages import NotAnAnswer, dumps

KONTEXT, FLUX_2, FLEX, KLEIN = "flux-kontext", "flux-2", "flux-2-flex", "flux-2-klein"

READY, LOST = "Ready", "Task not found"
MODERATED = ("Request Moderated", "Content Moderated")
BROKEN = ("Error", "Failed")

POLL_S, LONGEST_POLL_S = 0.5, 1.0
"""Pauses between polls. The time of an edit is known to within one, so they stay short."""

DOLLARS_PER_CREDIT = 0.01
FIRST_STEP, FIRST_LEAST, FIRST_LONGEST = 32, 256, 1440
BY_RATIO = (KONTEXT, "flux-pro-1.1-ultra")
RATIOS = ("1:1", "4:3", "3:4", "3:2", "2:3", "16:9", "9:16", "21:9", "9:21")
STEP, LEAST_SIDE, MOST_AREA = 16, 64, 4_000_000
FIXED = (KONTEXT, "flux-2-pro", "flux-2-max", KLEIN)
UNFIT = {"aspect": (FLUX_2,), "size": (KONTEXT,), "steps": FIXED, "guidance": FIXED, "upsample": (KLEIN,)}
"""Options that some models do not take, and how the names of those models begin."""

HINTS = {
    "aspect": "write ?size= for FLUX.2",
    "size": "write ?aspect= for Kontext",
    "upsample": "it never rewrites an instruction",
}
MOST_SAFETY = 5
"""The largest tolerance of FLUX.2; Kontext knows one more."""


def load(target: str, **options: Any) -> HostedEditor:
    """The editor for ``bfl:MODEL``."""
    for name in options:
        if target.startswith(UNFIT.get(name, ())):
            hint = HINTS.get(name, "flux-2-flex does")
            raise BadInput(f"editor bfl:{target}, option {name}: this model does not take it; {hint}")
    if target.startswith(FLUX_2) and options.get("safety") == MOST_SAFETY + 1:
        raise BadInput(f"editor bfl:{target}, option safety: FLUX.2 knows 0 to {MOST_SAFETY}, not 6")
    return load_hosted(BlackForest, target, options)


class BlackForest(Service):
    """FLUX behind its makers' API. A task is submitted, polled at the address that the server names, and fetched."""

    kind = "bfl"
    home = "https://api.bfl.ai"
    key_env = "BFL_API_KEY"
    family = ("bfl.ai", "bfl.ml")
    draws = True
    options: ClassVar[Mapping[str, ServiceOption]] = {
        "aspect": matching(r"auto|[1-9]\d?:[1-9]\d?", "auto or a ratio such as 16:9"),
        "size": matching(r"auto|closest|[1-9]\d{1,3}x[1-9]\d{1,3}", "auto, closest or WIDTHxHEIGHT"),
        "upsample": flag(),
        "safety": number(int, 0, 6),
        "steps": number(int, 1, 50),
        "guidance": number(float, 1.5, 10.0),
        "seed": flag(),
        "output_format": one_of("png", "jpeg"),
        "poll": number(float, 0.01, 60.0),
    }

    def __init__(self, settings: ServiceSettings) -> None:
        super().__init__(settings)
        few = settings.model.startswith((KONTEXT, KLEIN))
        self.max_images = 4 if few else 8
        self._root = "" if settings.base_url.endswith("/v1") else "v1/"

    @property
    def check_path(self) -> str:  # type: ignore[override]
        """The account's credits: free to ask for."""
        return f"{self._root}credits"

    def headers(self, key: str) -> dict[str, str]:
        """The vendor's key header."""
        return {"x-key": key} if key else {}

    async def make(self, encoded: EncodedRequest, exchange: Exchange) -> PictureAnswer:
        """One task: from submitting it to having its picture."""
        task = await exchange.post(f"{self._root}{self.settings.model}", json=dumps(self.fields(encoded)))
        where = str(task.get("polling_url") or f"{self._root}get_result?id={task['id']}")
        if "://" in where and not exchange.may_see_key(where):
            raise Failed(Fault("the task is to be polled at a host to which the key is not sent", paid=True))
        pause = float(self.option("poll", POLL_S))
        done = await exchange.poll(where, finished, first_s=pause, longest_s=max(pause, LONGEST_POLL_S))
        cost = _dollars(done.get("cost"), task.get("cost"))
        status = str(done["status"])
        if status in MODERATED:
            return PictureAnswer(refused=_because(status, done.get("details")), pictures=0, cost_usd=cost)
        if status in BROKEN:
            raise Failed(Fault(_because("the task failed", done.get("details")), again=True, paid=True))
        result = done["result"]
        return PictureAnswer(
            picture=await self._picture(result["sample"], where, exchange),
            cost_usd=cost,
            size=self.size(encoded),
            prompt=str(result.get("prompt") or ""),
        )

    def fields(self, encoded: EncodedRequest) -> dict[str, Any]:
        """The fields of the task; what the user did not ask for is left to the server, but for a lossless picture."""
        size = self.size(encoded)
        aspect = self.option("aspect", self._drawn_aspect(encoded))
        fields = {
            "prompt": encoded.request.instruction,
            "seed": encoded.request.seed if self.option("seed", True) else None,
            "aspect_ratio": None if aspect == "auto" else aspect,
            "width": size[0] if size else None,
            "height": size[1] if size else None,
            **self._upsampling(),
            "safety_tolerance": self.option("safety"),
            "steps": self.option("steps"),
            "guidance": self.option("guidance"),
            "output_format": self.option("output_format", "png"),
        }
        for number_, picture in enumerate(encoded.base64, 1):
            fields["input_image" if number_ == 1 else f"input_image_{number_}"] = picture.decode("ascii")
        return {name: value for name, value in fields.items() if value is not None}

    def _upsampling(self) -> dict[str, bool]:
        """Whether the instruction may be rewritten: pro and max of FLUX.2 are told not to, others are told to."""
        wanted = self.option("upsample")
        if wanted is None:
            return {}
        model = self.settings.model
        unasked = model.startswith(FLUX_2) and not model.startswith(FLEX)
        return {"disable_pup": not wanted} if unasked else {"prompt_upsampling": wanted}

    def _drawn_aspect(self, encoded: EncodedRequest) -> str:
        """What models that know no sides, only ratios, are asked for where a size is wanted."""
        if encoded.canvas is None or not self.settings.model.startswith(BY_RATIO):
            return "auto"
        return nearest_aspect(encoded.canvas, RATIOS)

    def size(self, encoded: EncodedRequest) -> Size | None:
        """The size that is asked for; None leaves it to the model, which follows the first picture."""
        drawn = encoded.canvas is not None and not self.settings.model.startswith(BY_RATIO)
        wanted = str(self.option("size", "closest" if drawn else "auto"))
        if wanted == "auto":
            return None
        if wanted == "closest":
            if drawn and not self.settings.model.startswith(FLUX_2):
                return closest_of_first(encoded.size)
            return closest_size(encoded.size)
        width, _, height = wanted.partition("x")
        return int(width), int(height)

    def fault(self, status: int, headers: Mapping[str, str], content: bytes) -> Fault:
        """A task that a region does not know yet may be known at the next poll; a wrong key is 403 here."""
        if status == 404 and LOST.encode() in content:
            return Fault("the server knows nothing of the task", again=True, paid=True)
        fault = fault_of(status, headers, content)
        if status == 403 and not fault.refused:
            return Fault("the server does not accept the key (403)", closed=True)
        return fault

    def denies(self, status: int, content: bytes) -> bool:
        """Whether the key is wrong."""
        return status in (401, 403)

    async def _picture(self, sample: Any, where: str, exchange: Exchange) -> bytes:
        """The bytes behind a signed address. One that has run out is asked for once more: the picture is paid for."""
        if not isinstance(sample, str) or not sample:
            raise NotAnAnswer("the finished task names no picture")
        try:
            return await from_url(sample, exchange)
        except Failed:
            again = await exchange.get(where)
            fresh = (again.get("result") or {}).get("sample") if isinstance(again, dict) else None
            if not isinstance(fresh, str) or fresh == sample:
                raise
        return await from_url(fresh, exchange)


def finished(data: Any) -> Any:
    """The reply to a poll where it is the last one; None while the task goes on.

    >>> finished({"status": "Pending", "result": None}) is None
    True
    """
    status = data["status"]
    if status == LOST:
        raise Failed(Fault("the server knows nothing of the task", again=True, paid=True))
    return data if status in (READY, *MODERATED, *BROKEN) else None


def closest_size(size: Size) -> Size:
    """The size nearest to a picture's own that FLUX.2 makes: sides in steps of 16 from 64 on, at most 4 megapixels.

    >>> closest_size((1000, 700)), closest_size((30, 30)), closest_size((4000, 3000))
    ((1008, 704), (64, 64), (2304, 1728))
    """
    fitted = fit_to(size, multiple=STEP).sent
    if fitted[0] * fitted[1] > MOST_AREA:
        scale = (MOST_AREA / (size[0] * size[1])) ** 0.5
        fitted = (int(size[0] * scale) // STEP * STEP, int(size[1] * scale) // STEP * STEP)
    return max(LEAST_SIDE, fitted[0]), max(LEAST_SIDE, fitted[1])


def closest_of_first(size: Size) -> Size:
    """The size nearest to the one that is wanted that FLUX.1 draws: sides in steps of 32 from 256 to 1440.

    >>> closest_of_first((1024, 576)), closest_of_first((2048, 1000))
    ((1024, 576), (1440, 704))
    """
    scale = min(1.0, FIRST_LONGEST / max(size))
    width, height = (max(FIRST_LEAST, round(side * scale / FIRST_STEP) * FIRST_STEP) for side in size)
    return width, height


def _because(what: str, details: Any) -> str:
    """The status with what the server adds: the reasons of its moderation, or a message."""
    reasons = details
    if isinstance(details, dict):
        reasons = details.get("Moderation Reasons") or details.get("error") or details.get("message")
    listed = ", ".join(str(one) for one in reasons) if isinstance(reasons, list) else str(reasons or "")
    return f"{what}: {' '.join(listed.split())[:300]}" if listed else what


def _dollars(*charged: Any) -> float | None:
    """What the server charged, the last word first; None where it does not say."""
    for cost in charged:
        if (found := measure(cost, MOST_DOLLARS / DOLLARS_PER_CREDIT)) is not None:
            return round(found * DOLLARS_PER_CREDIT, 9)
    return None
