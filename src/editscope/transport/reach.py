"""Reasons why a server cannot be reached: unknown names, certificates that are not accepted, the wrong scheme."""

from __future__ import annotations

import asyncio
import contextlib
import os
import ssl
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from editscope.transport.reply import TooLarge, Unreadable

_PROBE_S = 5.0
_EXPIRED, _NOT_YET = 10, 9
_BY_ITSELF, _BY_ITSELF_IN_CHAIN = 18, 19
_UNKNOWN_SIGNER = (2, 20, 21)
_OTHER_NAME = (62, 64)
_NOT_TLS = ("WRONG_VERSION_NUMBER", "PACKET_LENGTH_TOO_LONG", "HTTP_REQUEST", "UNKNOWN_PROTOCOL")
"""What the TLS library says of an answer that is none of TLS. (Other faults of it may be gone the next time.)"""
_TO_HTTPS = (
    b"plain http request was sent to https",
    b"http request to an https server",
    b"speaking plain http to an ssl",
)
"""What nginx, Go and Apache say, with status 400, to a request that came without TLS."""


@dataclass(frozen=True, slots=True)
class Unreached:
    """Why nobody answered, in a few words, and what to do about it where that is known."""

    why: str
    fix: str = ""

    def with_fix(self, otherwise: str) -> str:
        """Both, for the end of a sentence; ``otherwise`` is what to do where no fix is known.

        >>> Unreached("Connection refused").with_fix(otherwise="is it running?")
        '(Connection refused); is it running?'
        """
        return f"({self.why}); {self.fix or otherwise}"


def tls_fault(error: BaseException, url: str = "") -> Unreached | None:
    """What is wrong with TLS, where that is it; sending again cannot mend it."""
    tls_error = _tls_error(error)
    if tls_error is None:
        return None
    if not isinstance(tls_error, ssl.SSLCertVerificationError):
        return _NO_TLS if tls_error.reason in _NOT_TLS else None
    code = getattr(tls_error, "verify_code", 0)
    if code in (_BY_ITSELF, _BY_ITSELF_IN_CHAIN):
        why, fix = "its certificate is signed by itself", "put the path of that certificate into SSL_CERT_FILE"
        return Unreached(why, f"if you trust the server, {fix}")
    if code in _UNKNOWN_SIGNER:
        why = "its certificate is signed by nobody whom this machine trusts"
        return Unreached(why, "if you trust the server, put the path of its signer's certificate into SSL_CERT_FILE")
    if code == _EXPIRED:
        return Unreached("its certificate has expired", "renew it at the server, or set this machine's clock")
    if code == _NOT_YET:
        return Unreached("its certificate is not valid yet", "set this machine's clock")
    if code in _OTHER_NAME:
        host = urlsplit(url).hostname
        named = f"than {host}" if host else "than the address has"
        return Unreached(f"its certificate is for another name {named}", "write the name that the certificate is for")
    return Unreached(
        f"its certificate is not accepted: {getattr(tls_error, 'verify_message', 'no reason given')}",
        "check the server's certificate",
    )


async def unreachable(error: Exception, timeout_s: float, url: str) -> Unreached:
    """Why nobody answered at an address; whatever is not a failure of the connection is raised again."""
    import aiohttp

    if isinstance(error, TooLarge):
        return Unreached(f"its reply is too large: {error}")
    if isinstance(error, Unreadable):
        return Unreached(str(error))
    if isinstance(error, TimeoutError):
        return Unreached(f"no answer within {timeout_s:g} s")
    if (fault := tls_fault(error, url)) is not None:
        return fault
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        host = urlsplit(url).hostname
        return Unreached(f"there is no host {host!r}: {short(error.os_error)}", "check the name and the network")
    if isinstance(error, aiohttp.ClientConnectorError) and not isinstance(error, aiohttp.ClientSSLError):
        return Unreached(short(error.os_error))
    if isinstance(error, aiohttp.ClientError | OSError):
        return await _other_scheme(url) or Unreached(type(error).__name__)
    raise error


def wants_tls(status: int, content: bytes) -> Unreached | None:
    """What is wrong where a server answers to plain HTTP that it wants TLS, as many do."""
    if status == 400 and any(words in content[:2000].lower() for words in _TO_HTTPS):
        return _WANTS_TLS
    return None


def short(error: OSError) -> str:
    """The system's words: those of asyncio name the address once more, and failures of names have numbers below 0."""
    if error.errno is not None and error.errno > 0:
        return os.strerror(error.errno)
    return error.strerror or type(error).__name__


_NO_TLS = Unreached("it does not speak TLS at this port", "write http:// in its address, or give the port of https")
_WANTS_TLS = Unreached("it speaks TLS at this port", "write https:// in its address")


def _tls_error(error: BaseException) -> ssl.SSLError | None:
    """The error of TLS in an error of aiohttp, which holds it in one of several places."""
    # aiohttp's own error is one of TLS by its class only, so it comes last.
    places: list[Any] = [getattr(error, name, None) for name in ("certificate_error", "os_error")]
    places += [error.__cause__, error.__context__, error]
    return next((one for one in places if isinstance(one, ssl.SSLError)), None)


async def _other_scheme(url: str) -> Unreached | None:
    """Whether the server hung up because it speaks the other of http and https; found out without key or request."""
    there = urlsplit(url)
    if there.hostname is None or there.scheme not in ("http", "https"):
        return None
    plain = there.scheme == "https"
    context = None if plain else ssl.create_default_context()
    if context is not None:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # we only look who is there
    try:
        async with asyncio.timeout(_PROBE_S):
            port = there.port or (443 if plain else 80)
            reader, writer = await asyncio.open_connection(there.hostname, port, ssl=context)
            try:
                if plain:
                    writer.write(b"HEAD / HTTP/1.0\r\n\r\n")
                    return _NO_TLS if (await reader.read(5)) == b"HTTP/" else None
                return _WANTS_TLS
            finally:
                writer.transport.abort()
                with contextlib.suppress(OSError):
                    await writer.wait_closed()
    except (OSError, TimeoutError, ValueError):
        return None
