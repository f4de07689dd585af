"""Google's Veo, ``gemini:MODEL``: ``POST {base_url}/models/MODEL:predictLongRunning``, poll the operation, fetch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from editscope.editors.hosted.exchange import Exchange
from editscope.editors.hosted.options import ServiceOption, flag, matching, number, one_of
from editscope.editors.hosted.pictures import from_base64
from editscope.editors.hosted.ratios import nearest_aspect
from editscope.editors.hosted.vendors.gemini import google_denies, google_fault
from editscope.factory.models import mp4
from editscope.factory.models.videos.service import (
    LONGEST_POLL_S,
    POLL_S,
    VideoAnswer,
    VideoRequest,
    VideoService,
    nearest_length,
)
from editscope.transport.faults import FILTERED, Failed, Fault
from editscope.transport.messages import NotAnAnswer

LENGTHS, SECOND_LENGTHS = (4, 6, 8), (5, 6, 7, 8)
RATIOS = ("16:9", "9:16")
INVALID = 3
"""Google's code for a request that is not as it should be; it is what a filter on the prompt answers with, too."""
REFUSALS = (*FILTERED, "safety", "policy", "prohibited", "sensitive", "responsible ai", "violate", "usage guidelines")


class Veo(VideoService):
    """Veo through the Gemini API: the picture is the first frame; the video is behind an address that wants the key."""

    kind = "gemini"
    home = "https://generativelanguage.googleapis.com/v1beta"
    key_env = "GEMINI_API_KEY"
    family = ("googleapis.com",)
    usual_s = 8.0
    options: ClassVar[Mapping[str, ServiceOption]] = {
        "aspect": one_of("closest", *RATIOS),
        "resolution": one_of("720p", "1080p", "4k"),
        "negative_prompt": matching(r"(?s).+", "a text"),
        "people": one_of("allow_all", "allow_adult", "dont_allow"),
        "seed": flag(),
        "poll": number(float, 0.01, 120.0),
    }

    @property
    def model(self) -> str:
        """The name without Google's prefix."""
        return self.settings.model.removeprefix("models/")

    @property
    def check_path(self) -> str:  # type: ignore[override]
        """The description of the model."""
        return f"models/{self.model}"

    def headers(self, key: str) -> dict[str, str]:
        """Google's key header."""
        return {"x-goog-api-key": key} if key else {}

    async def make(self, asked: VideoRequest, exchange: Exchange) -> VideoAnswer:
        """One operation: from starting it to having its video."""
        begun = await exchange.post(f"models/{self.model}:predictLongRunning", json=self.body(asked))
        pause = float(self.option("poll", POLL_S))
        done: Any = begun
        if not begun.get("done"):
            done = await exchange.poll(str(begun["name"]), _done, first_s=pause, longest_s=max(pause, LONGEST_POLL_S))
        if error := done.get("error"):
            return _failed(error)
        return await self._read(done["response"], asked, exchange)

    def body(self, asked: VideoRequest) -> dict[str, Any]:
        """The request as JSON; what the user did not ask for is left to the server."""
        aspect = str(self.option("aspect", "closest"))
        parameters = {
            "aspectRatio": nearest_aspect(asked.size, RATIOS) if aspect == "closest" else aspect,
            "durationSeconds": self._length(asked),
            "resolution": self.option("resolution"),
            "negativePrompt": self.option("negative_prompt"),
            "personGeneration": self.option("people"),
            "seed": asked.seed if self.option("seed", False) else None,
        }
        picture = {"bytesBase64Encoded": asked.base64(), "mimeType": "image/png"}
        return {
            "instances": [{"prompt": asked.prompt, "image": picture}],
            "parameters": {name: value for name, value in parameters.items() if value is not None},
        }

    def _length(self, asked: VideoRequest) -> int | None:
        known = SECOND_LENGTHS if self.model.startswith("veo-2") else LENGTHS
        return nearest_length(asked.seconds, known) if asked.seconds else None

    def seconds(self, asked: VideoRequest) -> float:
        """How long the video will be."""
        return float(self._length(asked) or self.usual_s)

    def grades(self, asked: VideoRequest | None) -> tuple[str, ...]:
        """The resolution, where one is asked for."""
        wanted = self.option("resolution")
        return (str(wanted),) if wanted else ()

    def fault(self, status: int, headers: Mapping[str, str], content: bytes) -> Fault:
        """What a status means at Google."""
        return google_fault(status, headers, content)

    def denies(self, status: int, content: bytes) -> bool:
        """Whether the key is wrong."""
        return google_denies(status, content)

    async def _read(self, response: Any, asked: VideoRequest, exchange: Exchange) -> VideoAnswer:
        made = response.get("generateVideoResponse") or response
        samples = made.get("generatedSamples") or made.get("videos") or ()
        if not samples:
            reasons = made.get("raiMediaFilteredReasons") or ()
            if reasons or made.get("raiMediaFilteredCount"):
                listed = " ".join(" ".join(map(str, reasons)).split())[:300]
                return VideoAnswer(refused=f"the video was withheld: {listed}" if listed else "the video was withheld")
            raise NotAnAnswer("there is no video in the reply")
        video = samples[0].get("video") or samples[0]
        written = video.get("encodedVideo") or video.get("bytesBase64Encoded")
        if written:
            return VideoAnswer(from_base64(written), seconds=self.seconds(asked))
        data = await exchange.fetch(str(video["uri"]), what="video", most=mp4.MOST_VIDEO, with_key=True)
        return VideoAnswer(data, seconds=self.seconds(asked))


def _done(operation: Any) -> Any:
    return operation if operation.get("done") else None


def _failed(error: Any) -> VideoAnswer:
    message, code = " ".join(str(error.get("message") or "").split())[:300], error.get("code")
    if any(word in message.lower() for word in REFUSALS):
        return VideoAnswer(refused=f"content filter: {message}")
    again = code != INVALID
    raise Failed(Fault(f"the operation failed ({code}): {message}", again=again, paid=again))
