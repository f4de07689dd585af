"""Whether a hosted judge can be asked at all, said before anything is spent."""

from __future__ import annotations

from typing import Any

from editscope.errors import BadInput
from editscope.judges.records import Call, Field, Schema
from editscope.judges.wire.base import Manner, Settings, Wire
from editscope.transport.faults import fault_of
from editscope.transport.messages import loads
from editscope.transport.reach import unreachable, wants_tls
from editscope.transport.session import body as body_of

TINY = Call("check", ("Answer yes.",), Schema((Field("answer", "yes_no"),), reason=""))
CHECK_S = 30.0
MOST_LISTED = 16_000_000
"""Bytes of a list of models: gateways list hundreds, with descriptions."""


async def check(wire: Wire, settings: Settings, session: Any, key: str, key_env: str) -> Manner:
    """Raise BadInput with one sentence where address, key or model are wrong.

    It asks for the description of the model, which is free. Where a server has none, or does not list the model, one
    request of a few words settles it. Gives the manner in which the server wants to be asked, as far as is known by
    then.
    """
    if wire.needs_key and not key and settings.base_url == wire.home:
        raise BadInput(f"the judge {wire.kind}:{settings.model} needs a key; put it into the variable {key_env}")
    status, content = await _asked(session, settings, "GET", wire.check_url(settings), None)
    manner = Manner(json=settings.json)
    if status == 200 and _listed(wire, content, settings):
        return manner
    if status == 401 or (status == 400 and b"API_KEY_INVALID" in content):
        raise _wrong_key(settings, key, key_env)
    while True:
        body = wire.body(TINY, settings, manner, settings.seed)
        status, content = await _asked(session, settings, "POST", wire.url(settings), body)
        if status == 200:
            return manner
        fault = fault_of(status, {}, content)
        gentle = wire.gives_way(fault.text, manner, settings) if fault.objects else None
        if gentle is None:
            break
        manner = gentle
    if not (fault.again or fault.refused):  # a busy or failing server may be well when the run gets there
        raise _lasting(status, content, fault.text, wire, settings, key, key_env)
    return manner


def _lasting(
    status: int, content: bytes, said: str, wire: Wire, settings: Settings, key: str, key_env: str
) -> BadInput:
    """The sentence for what will not change by waiting."""
    if (status in (401, 403) and "credit" not in said) or b"API_KEY_INVALID" in content:
        return _wrong_key(settings, key, key_env)
    if status == 404:
        return BadInput(
            f"{settings.base_url} knows no model {settings.model!r}, or is no {wire.kind} endpoint; check the name in "
            f"--judge {wire.kind}:MODEL and ?base_url="
        )
    return BadInput(f"the judge {wire.kind}:{settings.model} cannot be asked: {said}")


def _wrong_key(settings: Settings, key: str, key_env: str) -> BadInput:
    if not key:
        return BadInput(f"{settings.base_url} wants a key; put it into the variable {key_env}")
    return BadInput(
        f"{settings.base_url} does not accept the key in {key_env} for {settings.model}; check that variable"
    )


def _listed(wire: Wire, content: bytes, settings: Settings) -> bool:
    try:
        return wire.known(loads(content), settings)
    except (ValueError, KeyError, TypeError, AttributeError):
        return False


async def _asked(session: Any, settings: Settings, method: str, url: str, body: bytes | None) -> tuple[int, bytes]:
    import aiohttp

    limit = aiohttp.ClientTimeout(total=CHECK_S)
    try:
        async with session.request(method, url, data=body, timeout=limit, allow_redirects=False) as response:
            status, content = response.status, await body_of(response, MOST_LISTED)
    except Exception as error:
        unreached = await unreachable(error, CHECK_S, url)
    else:
        found = wants_tls(status, content)
        if found is None:
            return status, content
        unreached = found
    said = unreached.said("check the network and ?base_url=")
    raise BadInput(f"the judge's server {settings.base_url} cannot be reached {said}")
