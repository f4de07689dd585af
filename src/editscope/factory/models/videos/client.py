"""A hosted model of videos: one picture becomes a video or a status."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from editscope.cases import Status
from editscope.editors.base import EditLimits
from editscope.editors.hosted.client import HostedModel
from editscope.editors.hosted.exchange import Exchange
from editscope.editors.hosted.options import read_options
from editscope.editors.hosted.service import ServiceSettings
from editscope.factory.models.base import MP4, MadeMedia, VideoModel
from editscope.factory.models.mp4 import check_mp4, need_av
from editscope.factory.models.videos.prices import TABLE, VideoPrice, load_video_prices
from editscope.factory.models.videos.service import VideoAnswer, VideoRequest, VideoService
from editscope.factory.video.reading import BadVideo
from editscope.images import load
from editscope.transport.budget import Bill
from editscope.transport.faults import Fault
from editscope.transport.prices import price_of
from editscope.transport.traffic import Tally

if TYPE_CHECKING:
    import PIL.Image

TIMEOUT_S = 1800.0
"""Long videos at high resolution take many minutes, most of them in a queue."""


def load_service(service: type[VideoService], target: str, options: Mapping[str, Any]) -> HostedVideos:
    """The model for a spec of a vendor's kind; nothing is sent yet."""
    read, base_url, key_env = read_options(service.kind, target, options, service.options, role="video model")
    return HostedVideos(service(ServiceSettings(target, base_url or service.home, read)), key_env or service.key_env)


class HostedVideos(HostedModel[VideoRequest, VideoAnswer], VideoModel):
    """A model of videos behind a vendor's HTTP API. A video that cannot be decoded is asked for once more."""

    role = "video model"
    what: ClassVar[str] = "video"
    limits_named: ClassVar[tuple[str, str]] = ("--budget", "--limit")
    table: ClassVar[str] = TABLE
    timeout_s: ClassVar[float] = TIMEOUT_S

    def __init__(self, service: VideoService, key_env: str = "") -> None:
        self.service = service
        super().__init__(service, key_env)
        self._prices: dict[str, VideoPrice] | None = None
        self._last_cost = 0.0

    @property
    def spec(self) -> str:  # type: ignore[override]
        """What messages call it."""
        return super().spec

    def limit(self, limits: EditLimits) -> None:
        """Take limits of speed and the file of prices."""
        super().limit(limits)
        self._prices = None

    def check(self) -> None:
        """Raise BadInput for a missing key or package, a budget that cannot be kept, an address that is not there."""
        need_av()
        super().check()

    @property
    def price(self) -> VideoPrice | None:
        """The list price of the model, None where nobody knows it."""
        if self._prices is None:
            self._prices = load_video_prices(self._limits.prices)
        return price_of(self.settings.model, self._prices)

    def animate(
        self, picture: PIL.Image.Image, prompt: str, seed: int, seconds: float = 0.0, fps: int = 0
    ) -> MadeMedia:
        """A video that begins with the picture, or the status that says why there is none."""
        return self._waited_for(self._made(VideoRequest(load(picture), prompt, seed, seconds, fps)))

    # --- one video, in the event loop -----------------------------------------------------------------

    async def _made(self, asked: VideoRequest) -> MadeMedia:
        assert self._traffic is not None
        tally, why, answer = Tally(), "", VideoAnswer()
        for _ in range(self._traffic.patience.again + 1):
            outcome = await self._answer(asked, tally)
            if isinstance(outcome, Fault):
                return self._media(tally, "refused" if outcome.refused else "error", outcome.text)
            answer = outcome
            if answer.refused or answer.video is None:
                self._traffic.answered()
                status: Status = "refused" if answer.refused else "no_output"
                reason = answer.refused or answer.lacking or "the model made no video"
                return self._media(tally, status, reason, answer)
            try:
                await asyncio.to_thread(check_mp4, answer.video)
            except BadVideo as error:
                why = str(error)
                continue
            self._traffic.answered()
            return self._media(tally, "ok", "", answer)
        fault = self._traffic.given_up(Fault(why), tally.attempts)
        return self._media(tally, "no_output", fault.text, answer)

    def _media(self, tally: Tally, status: Status, reason: str, answer: VideoAnswer = VideoAnswer()) -> MadeMedia:
        data = answer.video if status == "ok" and answer.video else b""
        cost = round(max(tally.cost, tally.charged), 9)
        return MadeMedia(data, MP4, status, reason, cost, tally.attempts, answer.model, answer.notes)

    async def _make(self, asked: VideoRequest, exchange: Exchange) -> VideoAnswer:
        return await self.service.make(asked, exchange)

    # --- money ----------------------------------------------------------------------------------------

    def _listed(self, asked: VideoRequest | None, seconds: float) -> float | None:
        return self.price.listed(seconds, self.service.grades(asked)) if self.price else None

    def _expected(self, asked: VideoRequest) -> float:
        listed = self._listed(asked, self.service.seconds(asked))
        return self._last_cost if listed is None else listed

    def _bill(self, asked: VideoRequest, answer: VideoAnswer) -> Bill:
        """What an answer came to: by its tokens, or by its seconds; nothing where there is not a video."""
        if answer.video is None:
            return Bill()
        by_tokens = self.price.of_tokens(answer.tokens) if self.price and answer.tokens is not None else None
        listed = self._listed(asked, answer.seconds or self.service.seconds(asked))
        cost = by_tokens if by_tokens is not None else listed or 0.0
        self._last_cost = cost or self._last_cost
        return Bill(cost, charged=cost)

    @property
    def _is_priced(self) -> bool:
        return self._listed(None, self.service.usual_s) is not None
