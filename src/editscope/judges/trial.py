"""A trial of a hosted judge, before anything is spent: its list of models, else one request of a few words."""

from __future__ import annotations

from typing import Any

from editscope.errors import BadInput
from editscope.judges.records import Call, Field, Schema
from editscope.judges.wire.base import JudgeSettings, Manner, Wire
from editscope.transport.check import Endpoint, denies_key
from editscope.transport.faults import Fault, fault_of
from editscope.transport.reply import Reply

TINY = Call("check", ("Answer yes.",), Schema((Field("answer", "yes_no"),), reason=""))
CHECK_S = 30.0


async def check(wire: Wire, settings: JudgeSettings, endpoint: Endpoint, session: Any) -> Manner:
    """Raise BadInput with one sentence where address, key or model are wrong.

    It asks for the description of the model, which is free. Where a server has none, or does not list the model, one
    request of a few words settles it. Gives the manner in which the server wants to be asked, as far as is known by
    then.
    """
    if wire.needs_key and settings.base_url == wire.home:
        endpoint.require_key()
    manner = Manner(json=settings.json)
    listed = await endpoint.lists_model(
        session,
        wire.check_url(settings),
        denies=denies_key,
        known=lambda data: wire.known(data, settings),
        timeout_s=CHECK_S,
    )
    while not listed:
        body = wire.body(TINY, settings, manner, settings.seed)
        reply = await endpoint.ask(session, "POST", wire.url(settings), body, timeout_s=CHECK_S)
        if reply.status == 200:
            break
        fault = fault_of(reply.status, {}, reply.content)
        gentler = wire.gives_way(fault.text, manner, settings) if fault.objects else None
        if gentler is None:
            if fault.again or fault.refused:  # a busy or failing server may be well when the run gets there
                break
            raise _lasting(reply, fault, wire, endpoint)
        manner = gentler
    return manner


def _lasting(reply: Reply, fault: Fault, wire: Wire, endpoint: Endpoint) -> BadInput:
    """The sentence for what will not change by waiting."""
    forbidden = reply.status == 403 and "credit" not in fault.text
    if forbidden or (denies_key(reply.status, reply.content) and "credit" not in fault.text):
        return endpoint.wrong_key()
    if reply.status == 404:
        return endpoint.unknown_model(
            f"is not an endpoint of the kind {wire.kind}", f"{wire.kind}:MODEL and ?base_url="
        )
    return BadInput(f"the judge {endpoint.spec} cannot be used: {fault.text}")
