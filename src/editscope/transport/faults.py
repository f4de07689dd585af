"""Faults between a request and its answer, and whether sending it again can help."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from editscope.outside import received
from editscope.transport.messages import NotAnAnswer, NotJson, loads
from editscope.transport.rate_control import retry_after
from editscope.transport.reach import short, tls_fault
from editscope.transport.reply import TooLarge, Unreadable

BUSY = frozenset({429, 503, 529})
TRANSIENT = frozenset({408, 409, 425, 500, 502, 504, 520, 521, 522, 523, 524})
SPENT = ("insufficient_quota", "billing_hard_limit", "credit balance is too low", "arrearage")
"""What an empty account is called. (Gemini speaks of plan and billing where only the minute's share is used up.)"""

FILTERED = (
    *("content_policy", "content_filter", "content management policy", "data_inspection_failed"),
    *("safety system", "moderation_blocked", "responsibleaipolicyviolation"),
)
LONGEST_TEXT = 300


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a request has no answer."""

    text: str
    again: bool = False
    """Whether the same request may succeed later."""
    busy: bool = False
    """Whether the server has too much to do: slow down."""
    timed_out: bool = False
    refused: bool = False
    """Whether a filter would not let the request pass."""
    objects: bool = False
    """Whether the server did not like the form of the request; another form may do."""
    paid: bool = False
    """Whether the request may have been paid for all the same."""
    pause: float | None = None
    """Seconds that the server asked to wait."""
    closed: bool = False
    """Whether it is the account that is turned away, so that no other request will pass either."""


class Failed(Exception):
    """A request came to nothing; ``fault`` says why, and whether sending it again can help."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.text)
        self.fault = fault


def fault_of(status: int, headers: Mapping[str, str], content: bytes) -> Fault:
    """What a status other than 200 means."""
    data = _decoded(content)
    message = _message(data, content)
    lower = (message + " " + _code(data)).lower()
    if status in (400, 403, 422, 451) and any(word in lower for word in FILTERED):
        return Fault(f"content filter: {message}", refused=True)
    if status == 402 or (status < 500 and any(word in lower for word in SPENT)):
        return Fault(f"the account has no credit left ({status}); top it up at the provider", closed=True)
    if status in (400, 422):
        return Fault(f"the server objects ({status}): {message}", objects=True)
    if status in BUSY:
        pause = retry_after(headers)
        return Fault(
            f"the server is busy ({status})", again=True, busy=True, pause=_delay(data) if pause is None else pause
        )
    if status in TRANSIENT or status >= 500:
        return Fault(f"the server failed ({status})", again=True, pause=retry_after(headers))
    if status == 401:
        # What the server says here may repeat parts of the key, so it is not quoted.
        return Fault("the server does not accept the key (401)", closed=True)
    if status == 413:
        return Fault("the request is too large for the server (413); send smaller pictures")
    return Fault(f"the server answered {status}: {message}")


def barred(status: int, fault: Fault) -> Fault:
    """The fault where 403 speaks of the account, as it does at most vendors: no other request will pass either."""
    return replace(fault, closed=True) if status == 403 and not fault.refused else fault


def from_exception(error: Exception, timeout_s: float) -> Fault:
    """The fault behind an exception of the connection; whatever else it is is raised again."""
    import aiohttp

    if isinstance(error, TooLarge):
        # It was made and sent, so it may be paid for; the same question would bring the same flood.
        return Fault(f"the reply is too large ({error})", paid=True)
    if isinstance(error, Unreadable):
        return Fault(str(error), again=True, paid=True)
    if isinstance(error, TimeoutError):
        return Fault(f"no answer within {timeout_s:g} s", again=True, timed_out=True, paid=True)
    if (broken := tls_fault(error)) is not None:
        return Fault(f"no connection ({broken.why})" + (f"; {broken.fix}" if broken.fix else ""), closed=True)
    if isinstance(error, aiohttp.ClientConnectorError):
        return Fault(f"no connection ({short(error.os_error)})", again=True)
    if isinstance(error, aiohttp.InvalidURL):
        return Fault("the address is not a URL")
    if isinstance(error, aiohttp.ClientPayloadError):
        return Fault("the response broke off", again=True, paid=True)
    if isinstance(error, aiohttp.ClientError | OSError):
        return Fault(f"the connection broke ({type(error).__name__})", again=True, paid=True)
    raise error


UNREADABLE = (NotAnAnswer, ValueError, KeyError, TypeError, IndexError, AttributeError)
"""What reading a reply raises that is not what its API promises."""


def from_reading(error: Exception) -> Fault:
    """The fault behind an exception of UNREADABLE: the reply came, so it may be paid for."""
    if isinstance(error, NotAnAnswer):
        return Fault(f"the server sent no answer: {received(error, LONGEST_TEXT)}", again=True, paid=True)
    text = str(error) if isinstance(error, NotJson) else "something that is not a response of its API"
    return Fault(f"the server sent {text}", again=True, paid=True)


def _decoded(content: bytes) -> Any:
    try:
        return loads(content)
    except ValueError:
        return None


def _error(data: Any) -> Any:
    data = data[0] if isinstance(data, list) and data else data
    return data.get("error", data) if isinstance(data, dict) else data


def _message(data: Any, content: bytes) -> str:
    error = _error(data)
    message = error.get("message") or error.get("detail") if isinstance(error, dict) else error
    text = message if isinstance(message, str) else received(content.decode(errors="replace"))
    return " ".join(text.split())[:LONGEST_TEXT] or "nothing more"


def _code(data: Any) -> str:
    error = _error(data)
    if not isinstance(error, dict):
        return ""
    inner = error.get("innererror")
    codes = [error.get(name) for name in ("code", "type", "status", "param")]
    codes.append(inner.get("code") if isinstance(inner, dict) else None)
    return " ".join(str(code) for code in codes if code)


def _delay(data: Any) -> float | None:
    """Gemini says in the body how long to wait: ``retryDelay`` of its RetryInfo, such as "34s"."""
    error = _error(data)
    details = error.get("details") if isinstance(error, dict) else None
    for detail in details if isinstance(details, list) else ():
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(delay, str) and delay.endswith("s"):
            return retry_after({"retry-after": delay[:-1]})
    return None
