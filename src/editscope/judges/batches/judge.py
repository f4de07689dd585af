"""A hosted judge whose calls go through the vendor's batch API."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from editscope.errors import BadInput
from editscope.judges.batches.anthropic import AnthropicBatches
from editscope.judges.batches.api import REQUEST_S, BatchApi, Talk
from editscope.judges.batches.gemini import GeminiBatches
from editscope.judges.batches.openai import OpenAIBatches
from editscope.judges.batches.post import BatchPost
from editscope.judges.client import HostedJudge, VerdictTally
from editscope.judges.records import Call, Estimate, Verdict
from editscope.judges.wire.base import Answer
from editscope.transport.faults import Failed, Fault
from editscope.transport.forecast import PaidCalls

APIS: dict[str, type[BatchApi]] = {
    "openai": OpenAIBatches,
    "responses": OpenAIBatches,
    "anthropic": AnthropicBatches,
    "gemini": GeminiBatches,
}
CALLS_AT_ONCE = 2_000
"""So many calls may be out in batches at the same time where nobody says; their pictures stay in memory."""


class BatchedJudge(HostedJudge):
    """As ``HostedJudge``, with the same bodies, checks, retries and budget; only the way of a request is another.

    A reply that is not a verdict, and a call that failed or expired in its batch, goes into another batch.
    """

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **{"concurrency": CALLS_AT_ONCE, **settings})
        self._post = BatchPost(self.spec, APIS[self.wire.kind](), self._talk, self.patience.give_up)
        self._batch_session: Any = None
        self._batch_loop: asyncio.AbstractEventLoop | None = None

    @property
    def batches(self) -> BatchPost | None:
        """What hands its calls in."""
        return self._post

    def paid_calls(self, estimate: Estimate) -> PaidCalls:
        """As for ordinary calls, with the size of a batch."""
        return replace(super().paid_calls(estimate), in_batch=self._post.api.most_requests)

    async def check(self) -> None:
        """Also ask whether the server has a batch API."""
        await super().check()
        talk = Talk(self._new_session(REQUEST_S), self.wire, self.settings)
        try:
            await talk.json("GET", self._post.api.list_path)
        except Failed as failed:
            if not failed.fault.again:
                raise BadInput(
                    f"{self.settings.base_url} has no batch API for this key ({failed.fault.text}); leave --batch out"
                ) from failed
        finally:
            await talk.session.close()

    async def ask(self, call: Call, sample: int = 0) -> Verdict:
        """The verdict on one call. What a stopped one has cost is not kept: resuming reads the same replies again."""
        return await self._ask(call, sample, VerdictTally())

    async def close(self) -> None:
        """Leave batches at the server; close the connections."""
        await self._post.close()
        await super().close()
        if self._batch_session is not None:
            await self._batch_session.close()
            self._batch_session = None

    async def _exchange(self, body: Callable[[], bytes], sample: int, reserved: float) -> Answer | Fault:
        return await self._post.exchange(body, sample, reserved)

    def _talk(self) -> Talk:
        """A session with a longer limit than an ordinary call has."""
        loop = asyncio.get_running_loop()
        if self._batch_session is None or self._batch_session.closed or self._batch_loop is not loop:
            self._batch_session, self._batch_loop = self._new_session(REQUEST_S), loop
        return Talk(self._batch_session, self.wire, self.settings)
