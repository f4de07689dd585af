"""A hosted model: one request becomes attempts, retries and, in the end, an answer or a fault."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Coroutine
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from editscope.editors.base import EditLimits
from editscope.editors.hosted.exchange import Exchange
from editscope.editors.hosted.service import ServiceSettings, VendorService
from editscope.errors import BadInput
from editscope.transport.background import Background, run_once
from editscope.transport.budget import Bill, Budget
from editscope.transport.check import Endpoint
from editscope.transport.faults import UNREADABLE, Failed, Fault, from_exception, from_reading
from editscope.transport.keys import key_from
from editscope.transport.local_network import is_own_server
from editscope.transport.messages import NotAnAnswer
from editscope.transport.prices import require_price
from editscope.transport.session import open_session, require_packages
from editscope.transport.traffic import Patience, Tally, Traffic

if TYPE_CHECKING:
    from editscope.transport.account import Account

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

Q = TypeVar("Q")
A = TypeVar("A")
T = TypeVar("T")


class HostedModel(Generic[Q, A]):
    """A model behind a vendor's HTTP API that makes an answer of a request.

    One process, one connection pool, as many requests in flight as the server bears, at most ``at_once``; a call
    blocks the thread that makes it. What the server or the network does ends as a fault; only a spent budget, an
    account that is turned away and a server that has stopped answering end the run, which can be resumed.
    """

    role: str = "editor"
    """What messages call it."""
    what: ClassVar[str] = "edit"
    """What one answer is."""
    limits_named: ClassVar[tuple[str, str]] = ("--max-edit-cost", "--max-edits")
    table: ClassVar[str] = "editors"
    """The table of prices that it stands in."""
    timeout_s: ClassVar[float] = TIMEOUT_S
    backoff_s = 0.5
    at_once: int
    budget_account: Account | None

    def __init__(self, service: VendorService, key_env: str = "") -> None:
        self.vendor = service
        self.settings: ServiceSettings = service.settings
        self.key_env = key_env or service.key_env
        self.name = self.settings.model.rpartition("/")[2]
        self.at_once = CONCURRENCY
        self._limits = EditLimits()
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
        return f"{self.vendor.kind}:{self.settings.model}"

    @abstractmethod
    async def _make(self, asked: Q, exchange: Exchange) -> A:
        """Ask the vendor once, and wait for the answer."""

    @abstractmethod
    def _expected(self, asked: Q) -> float:
        """What a request is taken to cost."""

    @abstractmethod
    def _bill(self, asked: Q, answer: A) -> Bill:
        """What an answer came to."""

    @property
    @abstractmethod
    def _is_priced(self) -> bool:
        """Whether the price of an answer is known."""

    def limit(self, limits: EditLimits) -> None:
        """Take limits of speed and money."""
        for name in ("concurrency", "rpm", "timeout_s"):
            value = getattr(limits, name)
            if value is not None and not 0 < value < float("inf"):
                raise BadInput(f"the limit {name} of the {self.role} is {value}; use a number above 0")
        if limits.retries is not None and limits.retries < 0:
            raise BadInput(f"the limit retries of the {self.role} is {limits.retries}; use 0 or more")
        self._limits = limits
        self.at_once = int(limits.concurrency or CONCURRENCY)

    @property
    def needs_key(self) -> bool:
        """Whether it cannot be asked without a key."""
        return self.vendor.needs_key and self.settings.base_url == self.vendor.home

    def check(self) -> None:
        """Raise BadInput for a missing key or package, a budget that cannot be kept, an address that is not there."""
        require_packages(f"the {self.role} {self.spec}")
        self._require_price()
        endpoint = self._endpoint(key_from(self.key_env))
        if self.needs_key:
            endpoint.require_key()
        if self.vendor.check_path is not None:
            run_once(self._check(endpoint))

    def load(self) -> None:
        """Open the connections."""
        require_packages(f"the {self.role} {self.spec}")
        self._key = key_from(self.key_env)
        limits = self._limits
        self._traffic = Traffic(
            f"the {self.role} {self.spec}",
            what=f"{self.what}s",
            stops_when_closed=True,
            patience=Patience(
                timeout_s=limits.timeout_s or self.timeout_s,
                retries=RETRIES if limits.retries is None else limits.retries,
                again=AGAIN,
                backoff_s=self.backoff_s,
                give_up=GIVE_UP,
            ),
            budget=self._budget(),
            concurrency=self.at_once,
            rpm=limits.rpm,
        )
        self._background = Background(f"editscope-{self.role.replace(' ', '-')}")
        self._session = self._background.run(_new_session(self.settings.base_url))

    def close(self) -> None:
        """Close the connections."""
        if self._background is not None:
            self._background.run(self._session.close())
            self._background.close()
            self._background = self._session = self._traffic = None

    def _waited_for(self, work: Coroutine[Any, Any, T]) -> T:
        """What a coroutine of this model gives, run in its event loop."""
        if self._background is None:
            self.load()
        assert self._background is not None
        return self._background.run(work)

    # --- one answer, in the event loop ----------------------------------------------------------------

    async def _answer(self, asked: Q, tally: Tally) -> A | Fault:
        """What the server answers, or a fault that sending again cannot mend."""
        assert self._traffic is not None
        yielded = 0

        def gives_way(fault: Fault) -> bool:
            nonlocal yielded
            yielded += 1
            return yielded <= MOST_YIELDS and self.vendor.gives_way(fault.text)

        return await self._traffic.answer(
            lambda: self._attempt(asked),
            lambda answer: self._bill(asked, answer),
            tally,
            expected=lambda: Bill(self._expected(asked)),
            gives_way=gives_way,
        )

    async def _attempt(self, asked: Q) -> A | Fault:
        assert self._traffic is not None
        timeout_s = self._traffic.patience.timeout_s
        exchange = Exchange(self._session, self.vendor, self._key, timeout_s)
        try:
            async with asyncio.timeout(timeout_s):
                return await self._make(asked, exchange)
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

    # --- money ----------------------------------------------------------------------------------------

    def _budget(self) -> Budget:
        limits = self._limits
        return Budget(
            limits.max_cost, limits.max_calls, what=self.what, options=self.limits_named, account=self.budget_account
        )

    def _require_price(self) -> None:
        own = is_own_server(self.settings.base_url)
        require_price(self._budget(), self._is_priced, f"the {self.role} {self.spec}", self.table, own=own)

    # --- the check --------------------------------------------------------------------------------------

    def _endpoint(self, key: str) -> Endpoint:
        return Endpoint(self.role, self.spec, self.settings.base_url, self.settings.model, key, self.key_env)

    async def _check(self, endpoint: Endpoint) -> None:
        """Raise BadInput where address, key or model are wrong; it asks for what is free.

        A server that does not offer that is believed to be right: compatible servers often have nothing but the
        endpoint that makes pictures.
        """
        service, base_url = self.vendor, endpoint.base_url
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


async def _new_session(base_url: str) -> Any:
    return open_session(base_url, {"Accept": "application/json, image/*"}, connect_s=CONNECT_S)
