"""A hosted editor: one request becomes attempts, retries and, in the end, a picture or a status."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from editscope.cases import Edit, Status
from editscope.editors.base import EditLimits, Editor, Request
from editscope.editors.hosted.exchange import Exchange
from editscope.editors.hosted.options import read_options
from editscope.editors.hosted.prices import TABLE, EditPrice, load_edit_prices
from editscope.editors.hosted.service import EncodedRequest, PictureAnswer, Service, ServiceSettings
from editscope.editors.make_edits import fault_of_picture
from editscope.errors import BadImage, BadInput
from editscope.images import Decoded, decode
from editscope.transport.background import Background, run_once
from editscope.transport.budget import Bill, Budget
from editscope.transport.check import Endpoint
from editscope.transport.faults import UNREADABLE, Failed, Fault, from_exception, from_reading
from editscope.transport.forecast import PaidCalls
from editscope.transport.keys import key_from
from editscope.transport.local_network import is_own_server
from editscope.transport.messages import NotAnAnswer
from editscope.transport.prices import price_of, require_price
from editscope.transport.session import open_session, require_packages
from editscope.transport.traffic import Patience, Tally, Traffic

CONCURRENCY = 8
TIMEOUT_S = 300.0
"""Large pictures at high quality take minutes."""
RETRIES = 4
AGAIN = 1
"""A picture that cannot be read is asked for once more: each time it is paid for."""
GIVE_UP = 12
MOST_YIELDS = 4
"""So often a request is made in another form because the server did not like the last one."""
CONNECT_S = 30.0
CHECK_S = 15.0
TEXT_ONLY = "the model answered with text only"


def load_hosted(service: type[Service], target: str, options: Mapping[str, Any]) -> HostedEditor:
    """The editor for a spec of a vendor's kind; nothing is sent yet."""
    read, base_url, key_env = read_options(service.kind, target, options, service.options)
    settings = ServiceSettings(target, base_url or service.home, read)
    return HostedEditor(service, settings, key_env=key_env or service.key_env)


class HostedEditor(Editor):
    """An editor behind a vendor's HTTP API.

    One process, one connection pool, as many requests in flight as the server bears, at most ``at_once``; ``edit``
    blocks the thread that calls it. What the server or the network does ends as a status of the edit; only a spent
    budget, an account that is turned away and a server that has stopped answering end the run, which can be resumed.
    """

    workers = 1
    own_clock = True
    reserves = True
    backoff_s = 0.5

    def __init__(self, service: type[Service], settings: ServiceSettings, *, key_env: str = "") -> None:
        self.service = service(settings)
        self.settings = settings
        self.key_env = key_env or service.key_env
        self.name = settings.model.rpartition("/")[2]
        self.max_images = self.service.max_images
        self.at_once = CONCURRENCY
        self._limits = EditLimits()
        self._prices: dict[str, EditPrice] | None = None
        self._key = ""
        self._background: Background | None = None
        self._session: Any = None
        self._traffic: Traffic | None = None

    def __getstate__(self) -> dict[str, Any]:
        """A copy in another process has no connections yet, and takes the key from its own environment."""
        state = dict(self.__dict__)
        return {**state, "_key": "", "_background": None, "_session": None, "_traffic": None}

    @property
    def spec(self) -> str:
        """What messages call it."""
        return f"{self.service.kind}:{self.settings.model}"

    def limit(self, limits: EditLimits) -> None:
        """Take limits of speed and money."""
        for name in ("concurrency", "rpm", "timeout_s"):
            value = getattr(limits, name)
            if value is not None and not 0 < value < float("inf"):
                raise BadInput(f"the limit {name} of the editor is {value}; use a number above 0")
        if limits.retries is not None and limits.retries < 0:
            raise BadInput(f"the limit retries of the editor is {limits.retries}; use 0 or more")
        self._limits = limits
        self._prices = None
        self.at_once = int(limits.concurrency or CONCURRENCY)

    @property
    def price(self) -> EditPrice | None:
        """The list price of the model, None where nobody knows it."""
        if self._prices is None:
            self._prices = load_edit_prices(self._limits.prices)
        return price_of(self.settings.model, self._prices)

    def check(self) -> None:
        """Raise BadInput for a missing key or package, a budget that cannot be kept, an address that is not there."""
        require_packages(f"the editor {self.spec}")
        self._require_price()
        endpoint = self._endpoint(key_from(self.key_env))
        if self.service.needs_key and self.settings.base_url == self.service.home:
            endpoint.require_key()
        if self.service.check_path is not None:
            run_once(self._check(endpoint))

    def load(self) -> None:
        """Open the connections."""
        require_packages(f"the editor {self.spec}")
        self._key = key_from(self.key_env)
        limits = self._limits
        self._traffic = Traffic(
            f"the editor {self.spec}",
            what="edits",
            stops_when_closed=True,
            patience=Patience(
                timeout_s=limits.timeout_s or TIMEOUT_S,
                retries=RETRIES if limits.retries is None else limits.retries,
                again=AGAIN,
                backoff_s=self.backoff_s,
                give_up=GIVE_UP,
            ),
            budget=self._budget(),
            concurrency=self.at_once,
            rpm=limits.rpm,
        )
        self._background = Background("editscope-editor")
        self._session = self._background.run(_new_session(self.settings.base_url))

    def edit(self, case: Request) -> Edit:
        """The edited picture, or the status that says why there is none."""
        if self._background is None:
            self.load()
        assert self._background is not None
        return self._background.run(self._edited(EncodedRequest.of(case)))

    def estimate(self, edits: int, images: int = 1) -> float | None:
        """Dollars for so many edits at the list price, each answered at the first attempt."""
        listed = self.price.listed(self.service.grades(None), images) if self.price else None
        return None if listed is None else edits * listed

    def paid_calls(self, edits: int, images: int = 1) -> tuple[PaidCalls, ...]:
        """The requests for so many edits, each answered at the first attempt."""
        needs_key = self.service.needs_key and self.settings.base_url == self.service.home
        needs_key = needs_key or self.key_env != self.service.key_env  # somebody who names a variable uses it
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

    def close(self) -> None:
        """Close the connections."""
        if self._background is not None:
            self._background.run(self._session.close())
            self._background.close()
            self._background = self._session = self._traffic = None

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

    async def _answer(self, encoded: EncodedRequest, tally: Tally) -> PictureAnswer | Fault:
        """What the server answers, or a fault that sending again cannot mend."""
        assert self._traffic is not None
        yielded = 0

        def gives_way(fault: Fault) -> bool:
            nonlocal yielded
            yielded += 1
            return yielded <= MOST_YIELDS and self.service.gives_way(fault.text)

        return await self._traffic.answer(
            lambda: self._attempt(encoded),
            lambda answer: self._bill(encoded, answer),
            tally,
            expected=lambda: Bill(self._expected(encoded)),
            gives_way=gives_way,
        )

    async def _attempt(self, encoded: EncodedRequest) -> PictureAnswer | Fault:
        assert self._traffic is not None
        timeout_s = self._traffic.patience.timeout_s
        exchange = Exchange(self._session, self.service, self._key, timeout_s)
        try:
            async with asyncio.timeout(timeout_s):
                return await self.service.make(encoded, exchange)
        except Failed as failed:
            return failed.fault
        except TimeoutError as error:
            late = from_exception(error, timeout_s)
            # What the server has taken on is being made and paid for; asking for it once more would be paid for, too.
            return replace(late, again=False) if exchange.answered else late
        except UNREADABLE as error:
            if not exchange.answered and not isinstance(error, NotAnAnswer):
                raise  # a fault of ours, in making the request
            return from_reading(error)

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

    def _budget(self) -> Budget:
        limits = self._limits
        options = ("--max-edit-cost", "--max-edits")
        return Budget(limits.max_cost, limits.max_calls, what="edit", options=options, account=self.budget_account)

    def _require_price(self) -> None:
        own = is_own_server(self.settings.base_url)
        require_price(self._budget(), self.estimate(1) is not None, f"the editor {self.spec}", TABLE, own=own)

    # --- the check --------------------------------------------------------------------------------------

    def _endpoint(self, key: str) -> Endpoint:
        return Endpoint("editor", self.spec, self.settings.base_url, self.settings.model, key, self.key_env)

    async def _check(self, endpoint: Endpoint) -> None:
        """Raise BadInput where address, key or model are wrong; it asks for what is free.

        A server that does not offer that is believed to be right: compatible servers often have nothing but the
        endpoint that makes pictures.
        """
        service, base_url = self.service, endpoint.base_url
        async with open_session(base_url, service.headers(endpoint.key), timeout_s=CHECK_S) as session:
            listed = await endpoint.lists_model(
                session,
                f"{base_url}/{str(service.check_path).lstrip('/')}",
                denies=service.denies,
                known=service.known,
                timeout_s=CHECK_S,
            )
        if listed is False and base_url == service.home:
            raise endpoint.unknown_model("this key may not use it", self.spec)


async def _decoded(answer: PictureAnswer) -> Decoded | BadImage | None:
    """The picture of an answer; None where it has none. Decoded in another thread: the loop has others to serve."""
    if answer.refused or answer.picture is None:
        return None
    try:
        return await asyncio.to_thread(decode, answer.picture, name="the picture that the server sent")
    except BadImage as error:
        return error


async def _new_session(base_url: str) -> Any:
    return open_session(base_url, {"Accept": "application/json, image/*"}, connect_s=CONNECT_S)
