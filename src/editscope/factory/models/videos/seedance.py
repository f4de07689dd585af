"""Volcengine Ark's Seedance, ``ark:MODEL``: submit to ``{base_url}/contents/generations/tasks``, poll, fetch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from editscope.editors.hosted.exchange import Exchange
from editscope.editors.hosted.options import ServiceOption, flag, number, one_of
from editscope.editors.hosted.vendors.ark import LARGEST_SEED, Ark, ark_fault, fault_by_code
from editscope.factory.models import mp4
from editscope.factory.models.videos.service import LONGEST_POLL_S, POLL_S, VideoAnswer, VideoRequest, VideoService
from editscope.transport.faults import Failed, Fault
from editscope.transport.messages import NotAnAnswer, reported_tokens

ENDED = ("succeeded", "failed", "cancelled", "expired")
RATIOS = ("adaptive", "16:9", "4:3", "1:1", "3:4", "9:16", "21:9")


class Seedance(VideoService):
    """Seedance on Ark: the picture is the first frame, as a data URL; the video is behind a signed address."""

    kind = "ark"
    home = Ark.home
    key_env = Ark.key_env
    usual_s = 5.0
    options: ClassVar[Mapping[str, ServiceOption]] = {
        "resolution": one_of("480p", "720p", "1080p"),
        "ratio": one_of(*RATIOS),
        "camera_fixed": flag(),
        "audio": flag(),
        "watermark": flag(),
        "seed": flag(),
        "poll": number(float, 0.01, 120.0),
    }

    async def make(self, asked: VideoRequest, exchange: Exchange) -> VideoAnswer:
        """One task: from submitting it to having its video."""
        where = "contents/generations/tasks"
        task = await exchange.post(where, json=self.body(asked))
        pause = float(self.option("poll", POLL_S))
        ended = await exchange.poll(
            f"{where}/{task['id']}", _ended, first_s=pause, longest_s=max(pause, LONGEST_POLL_S)
        )
        model = str(ended.get("model") or "")
        if ended["status"] != "succeeded":
            raise Failed(_fault_in(ended))
        url = (ended.get("content") or {}).get("video_url")
        if not isinstance(url, str) or not url:
            raise NotAnAnswer("the finished task names no video")
        video = await exchange.fetch(url, what="video", most=mp4.MOST_VIDEO)
        tokens = reported_tokens(ended.get("usage"), "completion_tokens")
        return VideoAnswer(video, model=model, seconds=self.seconds(asked), tokens=tokens)

    def body(self, asked: VideoRequest) -> dict[str, Any]:
        """The task as JSON; what the user did not ask for is left to the server, but for the watermark."""
        picture = {"url": f"data:image/png;base64,{asked.base64()}"}
        fields = {
            "model": self.settings.model,
            "content": [
                {"type": "text", "text": asked.prompt},
                {"type": "image_url", "image_url": picture, "role": "first_frame"},
            ],
            "resolution": self.option("resolution"),
            "ratio": self.option("ratio"),
            "duration": round(asked.seconds) or None,
            "seed": asked.seed & LARGEST_SEED if self.option("seed", True) else None,
            "camera_fixed": self.option("camera_fixed"),
            "generate_audio": self.option("audio"),
            "watermark": self.option("watermark", False),
        }
        return {name: value for name, value in fields.items() if value is not None}

    def seconds(self, asked: VideoRequest) -> float:
        """How long the video will be."""
        return float(round(asked.seconds) or self.usual_s)

    def grades(self, asked: VideoRequest | None) -> tuple[str, ...]:
        """The resolution, where one is asked for."""
        wanted = self.option("resolution")
        return (str(wanted),) if wanted else ()

    def fault(self, status: int, headers: Mapping[str, str], content: bytes) -> Fault:
        """What Ark's own codes mean, where they say more than the status."""
        return ark_fault(status, headers, content)


def _ended(task: Any) -> Any:
    return task if task["status"] in ENDED else None


def _fault_in(task: Any) -> Fault:
    error = task.get("error") or {}
    code, message = (str(error.get(name) or "") for name in ("code", "message"))
    text = f"the task {task['status']} ({code}): {message}"[:300]
    return fault_by_code(code, message, Fault(text, again=True, paid=True))
