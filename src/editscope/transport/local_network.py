"""Addresses of the local network: a server on the Internet must not make us ask machines of our own."""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from editscope.transport.faults import Failed, Fault

if TYPE_CHECKING:
    from aiohttp.abc import AbstractResolver


def points_inward() -> Failed:
    """The error for an address that a server names and that lies in our network, where it has no business."""
    return Failed(Fault("the server points to an address of the local network", paid=True))


def is_local(host: str) -> bool:
    """Whether a host is this machine or its network, as far as the name says.

    >>> is_local("169.254.169.254"), is_local("localhost"), is_local("cdn.example.org")
    (True, True, False)
    """
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".local", ".internal"))


def is_own_server(url: str) -> bool:
    """Whether an address is that of a server on this machine or in its network, as far as the name says.

    >>> is_own_server("http://127.0.0.1:8000/v1"), is_own_server("https://api.openai.com/v1")
    (True, False)
    """
    host = urlsplit(url).hostname or ""
    return is_local(host) or ("." not in host and ":" not in host)


def resolver(base_url: str, proxy: str | None = None) -> AbstractResolver:
    """Looks up names as the system does, and raises Failed for one that leads into our network, however it is written.

    The server of ``base_url`` and the proxy may be anywhere. Where the server is in our network, so may be what it
    points to.
    """
    from aiohttp import ThreadedResolver

    home = urlsplit(base_url).hostname or ""
    trusted = (home, urlsplit(proxy).hostname if proxy else home)

    class OutwardResolver(ThreadedResolver):
        async def resolve(self, host: str, *arguments: Any, **more: Any) -> Any:
            addresses = await super().resolve(host, *arguments, **more)
            if host in trusted or not any(is_local(address["host"]) for address in addresses) or is_local(home):
                return addresses
            if any(is_local(address["host"]) for address in await super().resolve(home, *arguments, **more)):
                return addresses
            raise points_inward()

    return OutwardResolver()
