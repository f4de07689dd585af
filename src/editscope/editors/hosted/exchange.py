"""Exchange with a server for one edit: posting, polling, and fetching what the reply points to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any, TypeVar
from urllib.parse import urljoin, urlsplit

from editscope.editors.hosted.service import VendorService
from editscope.transport.faults import Failed, Fault, fault_of, from_exception, from_reading
from editscope.transport.local_network import is_local, points_inward
from editscope.transport.messages import NotJson, dumps, loads
from editscope.transport.reply import MOST_PICTURE, MOST_TEXT, MOST_WITH_PICTURE, Reply, send

T = TypeVar("T")

MOST_REDIRECTS = 5
MOST_LAPSES = 4
"""So many polls or fetches in a row may fail: the edit is paid for already, so it is not asked for again at once."""

GROWTH = 1.5


@dataclass(frozen=True, slots=True)
class FormPart:
    """One field of a multipart form: a text, or a file where it has a file name."""

    name: str
    value: str | bytes
    filename: str = ""
    mime: str = "image/png"


class Exchange:
    """What a service may do to make one answer.

    Only hosts of the service see its key; nothing is followed that is not http or https, and no redirect of the API
    itself. Once a request was answered, whatever fails later counts as paid for.
    """

    def __init__(self, session: Any, service: VendorService, key: str, timeout_s: float) -> None:
        self.answered = False
        """Whether the server has answered at all: from there on an edit may be paid for."""
        self._session = session
        self._service = service
        self._key = key
        self._timeout_s = timeout_s
        self._glance_s = timeout_s / 4  # for a poll or a fetch, so that one that hangs leaves time for another

    async def post(
        self,
        path: str,
        *,
        json: bytes | Mapping[str, Any] | None = None,
        form: Sequence[FormPart] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """POST JSON or a multipart form to a path below ``base_url``; gives the decoded JSON of the reply."""
        more = dict(headers or {})
        if form is not None:
            data: Any = _form(form)
        else:
            data, more["Content-Type"] = json if isinstance(json, bytes) else dumps(json), "application/json"
        return _decoded(await self._asked("POST", self._url(path), data, more))

    async def send(self, url: str, form: Sequence[FormPart]) -> Reply:
        """POST a form to an address of the server; gives the reply as it came, whatever its status and content."""
        return await self._reply("POST", url, _form(form), {})

    def fault(self, reply: Reply) -> Fault:
        """What a reply with a status other than 200 means."""
        return self._service.fault(reply.status, reply.headers, reply.content)

    async def get(self, where: str, headers: Mapping[str, str] | None = None) -> Any:
        """GET a path below ``base_url``, or an address that the server named; gives the decoded JSON.

        Such a reply holds no picture, only where one is.
        """
        return _decoded(await self._asked("GET", self._url(where), None, dict(headers or {})))

    async def poll(
        self, where: str, read: Callable[[Any], T | None], *, first_s: float = 0.5, longest_s: float = 5.0
    ) -> T:
        """GET again and again, with growing pauses, until ``read`` makes something of the reply.

        It ends with the time of the edit. A poll that fails and may succeed later is no reason to ask for the edit
        once more, unless several in a row do.
        """
        pause, lapses = first_s, 0
        while True:
            await asyncio.sleep(pause)
            try:
                result = read(await self.get(where))
            except Failed as failed:
                lapses += 1
                if not failed.fault.again or lapses > MOST_LAPSES:
                    raise Failed(replace(failed.fault, paid=True)) from failed
                pause = max(pause, min(failed.fault.pause or 0.0, self._timeout_s))
            else:
                if result is not None:
                    return result
                lapses = 0
            pause = min(longest_s, pause * GROWTH) if pause < longest_s else pause

    async def fetch(
        self, where: str, *, what: str = "picture", most: int | None = None, with_key: bool = False
    ) -> bytes:
        """The bytes behind an address that the server named, at most so many; redirects are followed with care.

        Our key goes along only where it is asked for, and only to hosts that may see it.
        """
        lapses, url = 0, self._url(where) if with_key else where
        while True:
            try:
                return await self._fetched(url, what, most or MOST_PICTURE, with_key)
            except Failed as failed:
                lapses += 1
                if not failed.fault.again or lapses > MOST_LAPSES:
                    raise Failed(replace(failed.fault, paid=True, objects=False)) from failed
            await asyncio.sleep(min(4.0, 0.25 * 2.0**lapses))

    async def _asked(self, method: str, url: str, data: Any, headers: dict[str, str]) -> bytes:
        reply = await self._reply(method, url, data, headers)
        if reply.status not in (200, 201, 202):
            raise Failed(self.fault(reply))
        self.answered = True
        return reply.content

    async def _reply(self, method: str, url: str, data: Any, headers: dict[str, str]) -> Reply:
        own = self._service.headers(self._key) if self.may_see_key(url) else {}
        limit = None if method == "POST" else self._glance_s
        most = MOST_WITH_PICTURE if method == "POST" else MOST_TEXT
        try:
            return await send(
                self._session, method, url, data=data, headers={**own, **headers}, timeout_s=limit, most=most
            )
        except Failed:
            raise
        except Exception as error:  # aiohttp's own, OSError, ssl: each is a fault with a name, anything else is raised
            raise Failed(from_exception(error, limit or self._timeout_s)) from error

    async def _fetched(self, url: str, what: str, most: int, with_key: bool) -> bytes:
        for _ in range(MOST_REDIRECTS + 1):
            self._must_be_safe(url)
            own = self._service.headers(self._key) if with_key and self.may_see_key(url) else {}
            try:
                reply = await send(self._session, "GET", url, headers=own, timeout_s=self._glance_s, most=most)
            except Failed:
                raise
            except Exception as error:
                raise Failed(from_exception(error, self._glance_s)) from error
            if reply.status == 200:
                return reply.content
            if reply.status not in (301, 302, 303, 307, 308) or "Location" not in reply.headers:
                fault = fault_of(reply.status, reply.headers, b"")
                text = f"the {what} could not be fetched ({reply.status})"
                raise Failed(Fault(text, again=fault.again, pause=fault.pause))
            url = _joined(url, reply.headers["Location"])
        raise Failed(Fault(f"the {what} could not be fetched: it is redirected without end"))

    def _url(self, where: str) -> str:
        if "://" not in where:
            return f"{self._service.settings.base_url}/{where.lstrip('/')}"
        self._must_be_safe(where)
        return where

    def may_see_key(self, url: str) -> bool:
        """The server that was configured, or a host of the same family over https."""
        there, home = urlsplit(url), urlsplit(self._service.settings.base_url)
        if (there.scheme, there.netloc) == (home.scheme, home.netloc):
            return True
        family = self._service.family if _within(home.hostname or "", self._service.family) else ()
        return there.scheme == "https" and _within(there.hostname or "", family)

    def _must_be_safe(self, url: str) -> None:
        """No other scheme, no step down from https, nothing of the local network unless the API is there too."""
        home = urlsplit(self._service.settings.base_url)
        try:
            there = urlsplit(url)
            host, _port = there.hostname or "", there.port
        except ValueError:
            host, there = "", home
        allowed = ("https",) if home.scheme == "https" else ("http", "https")
        if not host or there.scheme not in allowed:
            raise Failed(Fault(f"the server points to an address that is not {' or '.join(allowed)}", paid=True))
        if host != home.hostname and is_local(host) and not is_local(home.hostname or ""):
            raise points_inward()


def _joined(url: str, location: str) -> str:
    try:
        return urljoin(url, location)
    except ValueError:  # not an address at all; whoever looks at it next will say so
        return location


def _within(host: str, domains: Sequence[str]) -> bool:
    return any(host == domain or host.endswith(f".{domain}") for domain in domains)


def _form(parts: Sequence[FormPart]) -> Any:
    import aiohttp

    # Names such as image[] go out as they are: quoted they would be other names.
    form = aiohttp.FormData(quote_fields=False, default_to_multipart=True)
    for part in parts:
        if part.filename:
            value = BytesIO(part.value if isinstance(part.value, bytes) else part.value.encode())
            form.add_field(part.name, value, filename=part.filename, content_type=part.mime)
        else:
            form.add_field(part.name, part.value)
    return form


def _decoded(content: bytes) -> Any:
    try:
        return loads(content)
    except NotJson as error:
        raise Failed(from_reading(error)) from error
