"""A hosted judge: one call becomes requests, retries and, in the end, a verdict or a status."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from editscope.cases import Status
from editscope.errors import Stopped
from editscope.judges.prices import TABLE, Price, picture_rule
from editscope.judges.records import Call, Estimate, Judge, Picture, Usage, Verdict
from editscope.judges.replies import Broken, is_refusal, parse
from editscope.judges.tokens import call_tokens, text_tokens
from editscope.judges.wire.base import Answer, JudgeSettings, Manner, Wire
from editscope.outside import keep_secret, name_received, received
from editscope.transport.account import Account
from editscope.transport.budget import Bill, Budget
from editscope.transport.check import Endpoint
from editscope.transport.faults import UNREADABLE, Fault, fault_of, from_exception, from_reading
from editscope.transport.forecast import PaidCalls
from editscope.transport.local_network import is_own_server
from editscope.transport.messages import loads
from editscope.transport.prices import require_price
from editscope.transport.rate_control import Concurrency
from editscope.transport.reply import send
from editscope.transport.session import open_session
from editscope.transport.traffic import Patience, Tally, Traffic

OUTPUT_GUESS = 300
"""Tokens that a reply is taken to have until replies have shown better."""
SEED_STEP = 1_000_003
MOST_GUESSED = 100_000
"""Tokens of a reply at most, as far as the guess for the next one goes; a server can claim any number."""


@dataclass(slots=True)
class VerdictTally(Tally):
    """What one verdict has taken so far, and the name of the model that answered last."""

    snapshot: str = ""

    def usage(self, priced: bool) -> Usage:
        """The tally as a verdict keeps it; the cost only where the price is known."""
        cost = round(self.cost, 9) if priced else None
        tokens = (self.input_tokens, self.output_tokens)
        return Usage(*tokens, cost, round(self.seconds, 4), self.attempts, self.estimated)


class HostedJudge(Judge):
    """A judge behind an HTTP API, in any of the wire formats.

    One connection pool, bodies as bytes in which each picture keeps the base64 that it already has, as many requests
    in flight as the server bears. What the server or the network does ends as a status; only a spent budget
    (BudgetSpent) and a judge that has stopped answering at all (Stopped) end the run, which can be resumed.
    """

    reserves = True

    def __init__(
        self,
        wire: Wire,
        settings: JudgeSettings,
        *,
        spec: str,
        key: str = "",
        key_env: str = "",
        concurrency: int = 32,
        rpm: float | None = None,
        tpm: float | None = None,
        patience: Patience = Patience(),
        budget: Budget | None = None,
        price: Price | None = None,
    ) -> None:
        self.spec = spec
        self.concurrency = concurrency
        self.settings = settings
        self.wire = wire
        self.patience = patience
        self.price = price
        self.traffic = Traffic(
            f"the judge {spec}", patience=patience, budget=budget, concurrency=concurrency, rpm=rpm, tpm=tpm
        )
        self._output_guess = float(OUTPUT_GUESS)
        self._longest_reply = 0
        self._manner = Manner(json=settings.json)
        self._key = key
        keep_secret(key)
        self._key_env = key_env or wire.key_env
        self._session: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def budget(self) -> Budget:
        """What may be spent; several judges can share one."""
        return self.traffic.budget

    def use_budget(self, budget: Budget) -> None:
        """Spend no more than this budget allows."""
        self.traffic.budget = budget

    def use_account(self, account: Account | None) -> None:
        """Spend no more than the budget of a run allows; BadInput where that needs a price and none is known."""
        self.traffic.budget.account = account
        own = is_own_server(self.settings.base_url)
        require_price(self.traffic.budget, self.price is not None, f"the judge {self.settings.model!r}", TABLE, own=own)

    @property
    def at_once(self) -> int:
        """How many requests the rate control allows just now."""
        return int(self.control.limit)

    @property
    def control(self) -> Concurrency:
        """How many requests are in flight."""
        return self.traffic.control

    @property
    def identity(self) -> Mapping[str, Any]:
        """Kind, address, model and sampling settings; no key, and not the name of the variable that holds it."""
        return {"kind": self.wire.kind, **asdict(self.settings)}

    def estimate(self, calls: Iterable[Call], samples: int = 1) -> Estimate:
        """What the calls will take, each asked ``samples`` times and answered at the first attempt."""
        rule = picture_rule(self.price)
        count, images, tokens = 0, 0, 0
        for call in calls:
            count += samples
            images += samples * len(call.pictures)
            tokens += samples * call_tokens(call, rule)
        output = count * round(self._output_guess)
        return Estimate(count, images, tokens, output, self.price.cost(tokens, output) if self.price else None)

    def sends(self, call: Call) -> Mapping[str, Any]:
        """Address and fields of the first request for a call, without its texts and pictures. It holds no key."""
        outline = replace(call, system="", parts=(Picture(b""),) if call.pictures else ())
        body = loads(self.wire.body(outline, self.settings, self._manner, self.settings.seed))
        message = next(body.pop(name) for name in ("messages", "contents", "input") if name in body)
        detail = _value_of("detail", message)
        return {"POST": self.wire.url(self.settings), **body, **({"detail": detail} if detail else {})}

    def paid_calls(self, estimate: Estimate) -> PaidCalls:
        """An estimate with the price's source, and the key that is missing."""
        needs_key = self.wire.needs_key and self.settings.base_url == self.wire.home
        needs_key = needs_key or self._key_env != self.wire.key_env  # somebody who names a variable uses it
        priced = self.price is not None and self.price.source.yours
        return replace(
            super().paid_calls(estimate),
            source=self.price.source if self.price else None,
            own=is_own_server(self.settings.base_url) and not priced,
            missing_key=self._key_env if needs_key and not self._key else "",
            price_entry=f'[{TABLE}."{self.settings.model}"]',
        )

    async def check(self) -> None:
        """Ask, free of charge where the server allows it, whether address, key and model are right."""
        from editscope.judges.trial import CHECK_S, check

        endpoint = Endpoint(
            "judge",
            f"{self.wire.kind}:{self.settings.model}",
            self.settings.base_url,
            self.settings.model,
            self._key,
            self._key_env,
        )
        session = self._new_session(CHECK_S)
        try:
            self._manner = await check(self.wire, self.settings, endpoint, session)
            self.traffic.forgive()
        finally:
            await session.close()

    async def ask(self, call: Call, sample: int = 0) -> Verdict:
        """The verdict on one call; ``sample`` numbers the times that the same call is asked."""
        tally = VerdictTally()
        try:
            return await self._ask(call, sample, tally)
        except Stopped as stop:
            if tally.cost or tally.input_tokens:
                why = f"stopped after {tally.attempts} attempts ({stop})"
                stop.unfinished = self._verdict("error", call, sample, tally, why)
            raise

    async def _ask(self, call: Call, sample: int, tally: VerdictTally) -> Verdict:
        why, reply = "", ""
        for again in range(self.patience.again + 1):
            answer = await self._answer(call, sample, again, tally)
            if isinstance(answer, Fault):
                return self._verdict("refused" if answer.refused else "error", call, sample, tally, answer.text)
            reply = answer.text
            if answer.refused:
                return self._verdict("refused", call, sample, tally, answer.refused, reply)
            read = parse(reply, call.schema)
            if not isinstance(read, Broken):
                verdict = self._verdict("ok", call, sample, tally, read.reason, reply)
                return replace(verdict, values=read.values)
            if is_refusal(reply):
                return self._verdict("refused", call, sample, tally, "the reply declines to answer", reply)
            why = read.why + ("; it was cut off at the limit of tokens (?max_tokens=…)" if answer.cut else "")
        return self._verdict("unparsed", call, sample, tally, why, reply)

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _verdict(
        self, status: Status, call: Call, sample: int, tally: VerdictTally, reason: str, reply: str = ""
    ) -> Verdict:
        return Verdict(
            status=status,
            # Here, too: a text that was put together of parts, or read from JSON within the reply, is a new text.
            reason=received(reason),
            reply=received(reply),
            judge=self.spec,
            snapshot=name_received(tally.snapshot),
            prompt_hash=call.prompt_hash,
            usage=tally.usage(self.price is not None),
            sample=sample,
        )

    async def _answer(self, call: Call, sample: int, again: int, tally: VerdictTally) -> Answer | Fault:
        """Send until there is an answer, or a fault that sending again cannot mend."""
        seed = self.settings.seed
        seed = None if seed is None else seed + sample + SEED_STEP * again
        tokens = call_tokens(call, picture_rule(self.price))
        manner, written = self._manner, tally.output_tokens
        reserved = 0.0

        async def attempt() -> Answer | Fault:
            """One request. Its body is made when its turn has come: thousands of calls may be waiting, with pictures
            of megabytes."""
            nonlocal manner
            manner = self._manner
            return await self._exchange(partial(self.wire.body, call, self.settings, manner, seed), sample, reserved)

        def expected() -> Bill:
            nonlocal reserved
            guess = round(self._output_guess)
            # The budget of a run is hard: a reply as long as the longest so far must fit.
            most = guess if self.budget.account is None else max(guess, self._longest_reply)
            reserved = self.price.cost(tokens, self.settings.max_tokens or most) if self.price else 0.0
            return Bill(reserved, tokens, guess)

        def gives_way(fault: Fault) -> bool:
            gentler = self.wire.gives_way(fault.text, manner, self.settings)
            if gentler is not None and self._manner == manner:
                self._manner = gentler
            return gentler is not None

        answer = await self.traffic.answer(
            attempt, lambda answer: self._bill(answer, tokens), tally, expected=expected, gives_way=gives_way
        )
        if isinstance(answer, Answer):
            self.traffic.answered()
            tally.snapshot = answer.snapshot or tally.snapshot
            if wrote := tally.output_tokens - written:
                self._longest_reply = max(self._longest_reply, min(wrote, MOST_GUESSED))
                self._output_guess += 0.05 * (min(wrote, MOST_GUESSED) - self._output_guess)
        return answer

    def _bill(self, answer: Answer, asked: int) -> Bill:
        """What an answer to a call of so many tokens came to.

        Its cost is what the server reports; where that is nothing or nonsense, what we estimate. The budget is charged
        the larger of both: for the input our estimate, for the output what the length of the reply implies, are the
        least.
        """
        wrote = text_tokens(answer.text)
        went, came = answer.input_tokens or asked, answer.output_tokens or wrote
        estimated = not answer.input_tokens or (not answer.output_tokens and wrote > 0)
        if self.price is None:
            return Bill(0.0, went, came, estimated=estimated)
        charged = self.price.cost(max(went, asked), max(came, wrote))
        return Bill(self.price.cost(went, came), went, came, charged, estimated)

    async def _exchange(self, body: Callable[[], bytes], sample: int, reserved: float) -> Answer | Fault:
        """The answer to one request about a sample of a call, for which so many dollars are reserved."""
        try:
            reply = await send(self._connected(), "POST", self.wire.url(self.settings), data=body())
        except Exception as error:  # aiohttp's own, OSError, ssl: each is a fault with a name, anything else is raised
            return from_exception(error, self.patience.timeout_s)
        if reply.status != 200:
            return fault_of(reply.status, reply.headers, reply.content)
        try:
            return self.wire.read(loads(reply.content))
        except UNREADABLE as error:
            return from_reading(error)

    def _connected(self) -> Any:
        """The session of this event loop; a judge that is used under another loop gets another session."""
        loop = asyncio.get_running_loop()
        if self._session is None or self._session.closed or self._loop is not loop:
            self._session, self._loop = self._new_session(), loop
        return self._session

    def _new_session(self, timeout_s: float | None = None) -> Any:
        headers = {"Content-Type": "application/json", "Accept": "application/json", **self.wire.headers(self._key)}
        return open_session(self.settings.base_url, headers, timeout_s=timeout_s or self.patience.timeout_s)


def _value_of(name: str, message: Any) -> Any:
    """The first value under a name, however deep in a message; None where there is none."""
    if isinstance(message, list):
        return next((value for one in message if (value := _value_of(name, one)) is not None), None)
    if isinstance(message, dict):
        return message.get(name) or _value_of(name, list(message.values()))
    return None
