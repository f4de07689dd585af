"""A hosted editor: one request becomes a picture or a status."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from editscope.cases import Edit, Status
from editscope.editors.base import EditLimits, Editor, Request
from editscope.editors.hosted.client import CONCURRENCY, HostedModel
from editscope.editors.hosted.exchange import Exchange
from editscope.editors.hosted.options import read_options
from editscope.editors.hosted.prices import TABLE, EditPrice, load_edit_prices
from editscope.editors.hosted.service import EncodedRequest, PictureAnswer, Service, ServiceSettings
from editscope.editors.make_edits import fault_of_picture
from editscope.errors import BadImage
from editscope.images import Decoded, decode
from editscope.transport.budget import Bill
from editscope.transport.faults import Fault
from editscope.transport.forecast import PaidCalls
from editscope.transport.keys import key_from
from editscope.transport.local_network import is_own_server
from editscope.transport.prices import price_of
from editscope.transport.traffic import Tally

__all__ = ["CONCURRENCY", "HostedEditor", "load_hosted"]

TEXT_ONLY = "the model answered with text only"


def load_hosted(service: type[Service], target: str, options: Mapping[str, Any]) -> HostedEditor:
    """The editor for a spec of a vendor's kind; nothing is sent yet."""
    read, base_url, key_env = read_options(service.kind, target, options, service.options)
    settings = ServiceSettings(target, base_url or service.home, read)
    return HostedEditor(service, settings, key_env=key_env or service.key_env)


class HostedEditor(HostedModel[EncodedRequest, PictureAnswer], Editor):
    """An editor behind a vendor's HTTP API, or a model that draws: then it is asked without pictures."""

    workers = 1
    own_clock = True
    reserves = True

    def __init__(self, service: type[Service], settings: ServiceSettings, *, key_env: str = "") -> None:
        self.service = service(settings)
        super().__init__(self.service, key_env)
        self.max_images = self.service.max_images
        self._prices: dict[str, EditPrice] | None = None

    def limit(self, limits: EditLimits) -> None:
        """Take limits of speed and money."""
        super().limit(limits)
        self._prices = None

    @property
    def price(self) -> EditPrice | None:
        """The list price of the model, None where nobody knows it."""
        if self._prices is None:
            self._prices = load_edit_prices(self._limits.prices)
        return price_of(self.settings.model, self._prices)

    def edit(self, case: Request) -> Edit:
        """The edited picture, or the status that says why there is none."""
        return self._waited_for(self._edited(EncodedRequest.of(case)))

    def draw(self, prompt: str, size: tuple[int, int] | None, seed: int, name: str = "") -> Edit:
        """A picture of nothing but a prompt, of about this size; without one the model chooses."""
        return self._waited_for(self._edited(EncodedRequest(Request(name, (), prompt, seed), (), canvas=size)))

    def estimate(self, edits: int, images: int = 1) -> float | None:
        """Dollars for so many edits at the list price, each answered at the first attempt."""
        listed = self.price.listed(self.service.grades(None), images) if self.price else None
        return None if listed is None else edits * listed

    def paid_calls(self, edits: int, images: int = 1) -> tuple[PaidCalls, ...]:
        """The requests for so many edits, each answered at the first attempt."""
        needs_key = self.needs_key or self.key_env != self.service.key_env  # somebody who names a variable uses it
        priced = self.price is not None and self.price.source.yours
        return (
            PaidCalls(
                f"editor {self.spec}",
                edits,
                "edit",
                images=edits * images,
                cost_usd=self.estimate(edits, images),
                source=self.price.source if self.price else None,
                own=is_own_server(self.settings.base_url) and not priced,
                missing_key=self.key_env if needs_key and not key_from(self.key_env) else "",
                price_entry=f'[{TABLE}."{self.settings.model}"]',
            ),
        )

    # --- one edit, in the event loop ------------------------------------------------------------------

    async def _edited(self, encoded: EncodedRequest) -> Edit:
        assert self._traffic is not None
        tally, why, answer = Tally(), "", PictureAnswer()
        for _ in range(self._traffic.patience.again + 1):
            outcome = await self._answer(encoded, tally)
            if isinstance(outcome, Fault):
                return self._edit(encoded, tally, "refused" if outcome.refused else "error", outcome.text)
            answer = outcome
            decoded = await _decoded(answer)
            if isinstance(decoded, BadImage):
                why = fault_of_picture(decoded)
                continue
            self._traffic.answered()
            if answer.refused:
                return self._edit(encoded, tally, "refused", answer.refused, answer)
            if decoded is None:
                return self._edit(encoded, tally, "no_output", answer.lacking or TEXT_ONLY, answer)
            return self._edit(encoded, tally, "ok", None, answer, decoded)
        fault = self._traffic.given_up(Fault(why), tally.attempts)
        return self._edit(encoded, tally, "no_output", fault.text, answer)

    async def _make(self, asked: EncodedRequest, exchange: Exchange) -> PictureAnswer:
        return await self.service.make(asked, exchange)

    def _edit(
        self,
        encoded: EncodedRequest,
        tally: Tally,
        status: Status,
        reason: str | None,
        answer: PictureAnswer = PictureAnswer(),
        decoded: Decoded | None = None,
    ) -> Edit:
        notes = [*answer.notes, *(decoded.notes if decoded else ())]
        if decoded is not None and answer.size is not None:
            height, width = decoded.pixels.shape[:2]
            if (width, height) != answer.size:
                notes.append(f"asked for {answer.size[0]}×{answer.size[1]}, got {width}×{height}")
        if tally.lost and tally.cost:
            lost = "a lost request" if tally.lost == 1 else f"{tally.lost} lost requests"
            notes.append(f"the cost counts {lost} that may have been paid for")
        return Edit(
            encoded.request.case_id,
            encoded.request.variant,
            image=None if decoded is None else decoded.pixels,
            status=status,
            reason=reason,
            latency_s=tally.last_seconds,
            cost_usd=None if self._listed(encoded) is None and not tally.cost else round(tally.cost, 9),
            charged_usd=round(tally.charged, 9) if tally.charged > tally.cost else None,
            trace=answer.text or None,
            asked=answer.prompt if answer.prompt not in ("", encoded.request.instruction) else None,
            attempts=tally.attempts,
            notes=tuple(notes),
            model=answer.model,
        )

    # --- money ----------------------------------------------------------------------------------------

    def _listed(self, encoded: EncodedRequest) -> float | None:
        return self.price.listed(self.service.grades(encoded), len(encoded.pictures)) if self.price else None

    def _expected(self, encoded: EncodedRequest) -> float:
        """What a request is taken to cost: the list price; without one, what the server charged last."""
        listed = self._listed(encoded)
        return self.last_cost if listed is None else listed

    def _bill(self, encoded: EncodedRequest, answer: PictureAnswer) -> Bill:
        """What an answer came to: as the server says, by its tokens, or by the list.

        The budget is charged no less than the list price of the pictures that came.
        """
        listed = 0.0
        if self.price is not None and answer.picture is not None:
            listed = self.price.listed(self.service.grades(encoded), len(encoded.pictures), answer.pictures) or 0.0
        by_tokens = self.price.of_tokens(answer.tokens) if self.price and answer.tokens is not None else None
        cost = answer.cost_usd if answer.cost_usd is not None else by_tokens
        self.last_cost = cost or self.last_cost
        return Bill(listed if cost is None else cost, charged=listed)

    @property
    def _is_priced(self) -> bool:
        return self.estimate(1) is not None


async def _decoded(answer: PictureAnswer) -> Decoded | BadImage | None:
    """The picture of an answer; None where it has none. Decoded in another thread: the loop has others to serve."""
    if answer.refused or answer.picture is None:
        return None
    try:
        return await asyncio.to_thread(decode, answer.picture, name="the picture that the server sent")
    except BadImage as error:
        return error
