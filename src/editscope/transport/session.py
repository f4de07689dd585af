"""Sessions with servers: one factory for judges, editors and checks, with the proxy that the environment names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from editscope.errors import BadInput
from editscope.transport.local_network import resolver
from editscope.transport.reply import ENCODINGS


def open_session(
    base_url: str, headers: Mapping[str, str], *, timeout_s: float | None = None, connect_s: float | None = None
) -> Any:
    """A session with one server, to be opened within an event loop.

    ``timeout_s`` limits a whole request, ``connect_s`` the time until there is a connection. Bodies are decompressed
    by ``reply.body``, which stops at a limit, and nowhere else. Names that lead into our own network are not followed
    unless the server itself, or the proxy, is there.
    """
    import aiohttp

    proxy = proxy_of(base_url)
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(
            limit=0, keepalive_timeout=60.0, ttl_dns_cache=300, resolver=resolver(base_url, proxy)
        ),
        timeout=aiohttp.ClientTimeout(total=timeout_s, sock_connect=connect_s),
        headers={"User-Agent": "editscope", "Accept-Encoding": ENCODINGS, **headers},
        cookie_jar=aiohttp.DummyCookieJar(),
        proxy=proxy,
        auto_decompress=False,
    )


def proxy_of(base_url: str) -> str | None:
    """The proxy that the environment names for this address; aiohttp's own way reads .netrc too, on every request."""
    from urllib.request import getproxies, proxy_bypass

    address = urlsplit(base_url)
    if address.hostname is None or proxy_bypass(address.hostname):
        return None
    return getproxies().get(address.scheme)


def require_packages(service: str) -> None:
    """Raise BadInput where the libraries that talk to servers are not installed."""
    try:
        import aiohttp  # noqa: F401
        import orjson  # noqa: F401
    except ImportError as error:
        raise BadInput(f"{service} needs aiohttp: pip install 'editscope[judge]'") from error
