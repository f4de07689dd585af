"""OpenAI's videos and servers that speak the same, ``openai:MODEL``: submit to ``{base_url}/videos``, poll, fetch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from editscope.editors.hosted.exchange import Exchange, FormPart
from editscope.editors.hosted.options import ServiceOption, flag, matching, number
from editscope.editors.sizing import Size, fit_to
from editscope.factory.models import mp4
from editscope.factory.models.videos.service import (
    LONGEST_POLL_S,
    POLL_S,
    VideoAnswer,
    VideoRequest,
    VideoService,
    nearest_length,
)
from editscope.transport.faults import FILTERED, Failed, Fault, barred, fault_of

SORA = "sora-2"
SIZES: tuple[Size, ...] = ((1280, 720), (720, 1280))
LARGE: tuple[Size, ...] = ((1792, 1024), (1024, 1792))
LENGTHS = (4, 8, 12)
ENDED = ("completed", "failed", "cancelled", "expired")
REFUSALS = (*FILTERED, "moderation", "policy", "sentinel", "safety")
"""What is in the codes and messages of a task that a filter has ended."""


class OpenAIVideos(VideoService):
    """Sora, and whatever server has ``/videos``: the picture goes as ``input_reference``, in the size of the video."""

    kind = "openai"
    home = "https://api.openai.com/v1"
    key_env = "OPENAI_API_KEY"
    usual_s = 4.0
    options: ClassVar[Mapping[str, ServiceOption]] = {
        "size": matching(r"[1-9]\d{1,3}x[1-9]\d{1,3}", "WIDTHxHEIGHT"),
        "seed": flag(),
        "poll": number(float, 0.01, 120.0),
    }

    @property
    def check_path(self) -> str:  # type: ignore[override]
        """The model's own page in the list of models."""
        return f"models/{self.settings.model}"

    @property
    def sora(self) -> bool:
        """Whether the model knows some sizes and lengths only."""
        return self.settings.model.rpartition("/")[2].startswith(SORA)

    async def make(self, asked: VideoRequest, exchange: Exchange) -> VideoAnswer:
        """One task: from submitting it to having its video."""
        task = await exchange.post("videos", form=self._form(asked))
        name, pause = str(task["id"]), float(self.option("poll", POLL_S))
        ended: Any = task
        if task.get("status") not in ENDED:
            ended = await exchange.poll(f"videos/{name}", _ended, first_s=pause, longest_s=max(pause, LONGEST_POLL_S))
        model = str(ended.get("model") or "")
        if ended["status"] != "completed":
            return self._failed(ended, model)
        video = await exchange.fetch(f"videos/{name}/content", what="video", most=mp4.MOST_VIDEO, with_key=True)
        return VideoAnswer(video, model=model, seconds=_seconds(ended.get("seconds")))

    def _failed(self, task: Any, model: str) -> VideoAnswer:
        error = task.get("error") or {}
        code, message = (
            str(error.get("code") or task["status"]),
            " ".join(str(error.get("message") or "").split())[:300],
        )
        if any(word in f"{code} {message}".lower() for word in REFUSALS):
            return VideoAnswer(refused=f"content filter ({code}): {message}", model=model)
        raise Failed(Fault(f"the task failed ({code}): {message}", again=True, paid=True))

    def _form(self, asked: VideoRequest) -> list[FormPart]:
        size = self.size(asked)
        fields = {
            "model": self.settings.model,
            "prompt": asked.prompt,
            "seconds": self._length(asked),
            "size": f"{size[0]}x{size[1]}",
            "seed": str(asked.seed) if self.option("seed", False) else "",
        }
        parts = [FormPart(name, value) for name, value in fields.items() if value]
        return [*parts, FormPart("input_reference", asked.png(size), "first-frame.png")]

    def _length(self, asked: VideoRequest) -> str:
        if not asked.seconds:
            return ""
        return str(nearest_length(asked.seconds, LENGTHS)) if self.sora else f"{asked.seconds:g}"

    def seconds(self, asked: VideoRequest) -> float:
        """How long the video will be."""
        return float(self._length(asked) or self.usual_s)

    def size(self, asked: VideoRequest) -> Size:
        """The size that is asked for: what the user said, else the nearest to the picture's that the model makes."""
        if wanted := self.option("size"):
            width, _, height = str(wanted).partition("x")
            return int(width), int(height)
        if self.sora:
            return fit_to(asked.size, sizes=SIZES).sent
        return fit_to(asked.size, multiple=16).sent

    def grades(self, asked: VideoRequest | None) -> tuple[str, ...]:
        """The size of the video, where one is asked for by name."""
        wanted = self.option("size")
        return (str(wanted),) if wanted else ()

    def fault(self, status: int, headers: Mapping[str, str], content: bytes) -> Fault:
        """OpenAI's 403 is for organizations that may not use the model: for every video."""
        fault = fault_of(status, headers, content)
        return barred(status, fault) if self.settings.base_url == self.home else fault

    def known(self, data: Any) -> bool:
        """Whether the page is that of the model."""
        return "id" in data


def _ended(task: Any) -> Any:
    return task if task["status"] in ENDED else None


def _seconds(value: Any) -> float:
    try:
        return max(0.0, min(3600.0, float(value)))
    except (TypeError, ValueError):
        return 0.0
