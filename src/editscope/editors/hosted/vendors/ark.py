"""Volcengine Ark (SeedEdit, Seedream), ``ark:MODEL``: ``POST {base_url}/images/generations``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from math import ceil, floor, sqrt
from typing import Any, ClassVar

from editscope.editors.hosted.editor import HostedEditor, load_hosted
from editscope.editors.hosted.exchange import Exchange
from editscope.editors.hosted.options import ServiceOption, flag, matching, number, one_of
from editscope.editors.hosted.pictures import from_base64, from_url
from editscope.editors.hosted.service import EncodedRequest, PictureAnswer, Service, ServiceSettings
from editscope.editors.sizing import Size
from editscope.transport.faults import Failed, Fault, fault_of
from editscope.transport.messages import NotAnAnswer, closing_fields, dumps, joined, loads

SEEDREAM = re.compile(r"seedream-(\d+)[-.](\d+)")
NEWEST = (5, 0)
AREAS = {(4, 0): (921_600, 16_777_216), (4, 5): (3_686_400, 16_777_216), NEWEST: (3_686_400, 10_404_496)}
"""Fewest and most pixels that a version makes; a later one is taken to be like the last."""

STEEPEST = 16.0
LARGEST_SEED = 2**31 - 1

SENSITIVE = ("SensitiveContent", "RiskDetection", "PolicyViolation")
"""What is in the codes of Ark's filters, of texts and pictures, on the way in and on the way out."""

CLOSED = (
    *("AccountOverdue", "ServiceOverdue", "InvalidAccountStatus", "ServiceNotOpen", "ModelNotOpen"),
    *("ClosedEndpoint", "SetLimitExceeded", "QuotaExceeded"),
)
"""What is in the codes that no waiting cures: an unpaid bill, a model that is not turned on, a limit of the account."""


def load(target: str, **options: Any) -> HostedEditor:
    """The editor for ``ark:MODEL``."""
    return load_hosted(Ark, target, options)


class Ark(Service):
    """One picture for one request: no watermark, no series, as base64 in the reply."""

    kind = "ark"
    home = "https://ark.cn-beijing.volces.com/api/v3"
    key_env = "ARK_API_KEY"
    draws = True
    options: ClassVar[Mapping[str, ServiceOption]] = {
        "size": matching(
            r"auto|closest|adaptive|[1-4]K|[1-9]\d{1,3}x[1-9]\d{1,3}", "closest, auto, 2K or WIDTHxHEIGHT"
        ),
        "guidance": number(float, 1.0, 10.0),
        "seed": flag(),
        "watermark": flag(),
        "output_format": one_of("png", "jpeg"),
        "response_format": one_of("b64_json", "url"),
    }

    def __init__(self, settings: ServiceSettings) -> None:
        super().__init__(settings)
        self.version = version_of(settings.model)
        self.seededit = "seededit" in settings.model
        self.max_images = 1 if self.seededit else 14
        # Seedream takes no seed from version 4 on, and says nothing when it gets one.
        self._sends_seed = bool(self.option("seed", self.seededit or (self.version or NEWEST) < (4, 0)))

    async def make(self, encoded: EncodedRequest, exchange: Exchange) -> PictureAnswer:
        """The picture in the reply, or the filter that kept it."""
        data = await exchange.post("images/generations", json=self.body(encoded))
        error = data.get("error")
        items = [item for item in data.get("data") or () if isinstance(item, dict)]
        drawn = [item for item in items if item.get("b64_json") is not None or item.get("url")]
        if not drawn:
            error = error or next((item["error"] for item in items if item.get("error")), None)
            raise Failed(_fault_in(error)) if error else NotAnAnswer("there is no picture in the reply")
        first = drawn[0]
        written = first.get("b64_json")
        return PictureAnswer(
            picture=from_base64(written) if written is not None else await from_url(str(first["url"]), exchange),
            model=str(data.get("model") or ""),
            pictures=len(drawn),
            size=self.size(encoded.size),
            notes=(f"the first of {len(drawn)} pictures",) if len(drawn) > 1 else (),
        )

    def body(self, encoded: EncodedRequest) -> bytes:
        """The request as JSON, the pictures as data URLs: one alone, several as a list."""
        pictures = [b'"data:image/png;base64,' + data + b'"' for data in encoded.base64]
        size = self.size(encoded.size)
        wanted = str(self.option("size", "adaptive" if self.seededit else "closest"))
        lossless = "png" if (self.version or (0, 0)) >= NEWEST else None
        fields = {
            "model": self.settings.model,
            "prompt": encoded.request.instruction,
            "size": f"{size[0]}x{size[1]}" if size else None if wanted == "auto" else wanted,
            "seed": encoded.request.seed & LARGEST_SEED if self._sends_seed else None,
            "guidance_scale": self.option("guidance"),
            "output_format": self.option("output_format", lossless),
            "response_format": self.option("response_format", "b64_json"),
            "sequential_image_generation": None if self.seededit else "disabled",
            "watermark": self.option("watermark", False),
            "stream": False,
        }
        if not pictures:
            return dumps({name: value for name, value in fields.items() if value is not None})
        if len(pictures) == 1:
            return b'{"image":' + pictures[0] + closing_fields(fields)
        return joined(pictures, b'{"image":[', b"]" + closing_fields(fields))

    def size(self, size: Size) -> Size | None:
        """The size that is asked for in pixels; None leaves it to the model, or to a name such as 2K."""
        wanted = str(self.option("size", "adaptive" if self.seededit else "closest"))
        if wanted == "closest":
            return closest_size(self.version, size)
        if "x" not in wanted:
            return None
        width, _, height = wanted.partition("x")
        return int(width), int(height)

    def fault(self, status: int, headers: Mapping[str, str], content: bytes) -> Fault:
        """What Ark's own codes mean, where they say more than the status."""
        return ark_fault(status, headers, content)

    def gives_way(self, message: str) -> bool:
        """A model that knows no seed is asked without, unless the user wants one."""
        if "seed" not in message.lower() or not self._sends_seed or self.option("seed"):
            return False
        self._sends_seed = False
        return True


def ark_fault(status: int, headers: Mapping[str, str], content: bytes) -> Fault:
    """What Ark's own codes mean, where they say more than the status."""
    fault = fault_of(status, headers, content)
    try:
        error = loads(content)["error"]
        code = str(error["code"])
    except (ValueError, KeyError, TypeError):
        return fault
    return fault_by_code(code, str(error.get("message") or ""), fault)


def version_of(model: str) -> tuple[int, int] | None:
    """The version of a Seedream model; None for other names, such as those of endpoints.

    >>> version_of("doubao-seedream-4-5-251128"), version_of("ep-20260101000000-abcde")
    ((4, 5), None)
    """
    match = SEEDREAM.search(model)
    return (int(match[1]), int(match[2])) if match else None


def closest_size(version: tuple[int, int] | None, size: Size) -> Size:
    """The size nearest to a picture's own that a Seedream model makes: the same aspect ratio, within its areas.

    >>> closest_size((4, 0), (1024, 1024)), closest_size((4, 5), (1024, 1024)), closest_size((4, 0), (640, 360))
    ((1024, 1024), (1920, 1920), (1280, 720))
    """
    near = [known for known in AREAS if known <= (version or NEWEST)]
    least, most = AREAS[max(near, default=(4, 0))]
    width, height = min(size[0], STEEPEST * size[1]), min(size[1], STEEPEST * size[0])
    if width * height < least:
        scale = sqrt(least / (width * height))
        return ceil(round(width * scale, 6)), ceil(round(height * scale, 6))
    scale = min(1.0, sqrt(most / (width * height)))
    return floor(round(width * scale, 6)), floor(round(height * scale, 6))


def _fault_in(error: Any) -> Fault:
    """An error that came with status 200, in the place of a picture or of all of them."""
    code, message = (str(error.get(name) or "") for name in ("code", "message"))
    return fault_by_code(
        code, message, Fault(f"the server made no picture ({code}): {message}"[:300], again=True, paid=True)
    )


def fault_by_code(code: str, message: str, fault: Fault) -> Fault:
    """The fault that a code of Ark stands for; the given one where it says nothing more."""
    reason = " ".join(message.split())[:300] or "nothing more"
    if any(word in code for word in SENSITIVE):
        return Fault(f"content filter ({code}): {reason}", refused=True)
    if any(word in code for word in CLOSED):
        return replace(
            fault, text=f"the account is turned away ({code}): {reason}", again=False, busy=False, closed=True
        )
    return fault
