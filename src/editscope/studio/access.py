"""Access to a studio: who may ask for what, and what browsers are told to refuse.

On loopback everybody who can reach the studio is its admin. On any other address an admin shows a token once, as
``?token=…``, and gets a cookie; raters have private links of their own. Three checks hold for every request: the
``Host`` is one that the studio answers to, so that a foreign site cannot reach a loopback studio through a name of its
own; what changes state comes from a page of the studio; and what changes state is JSON, which no form can send.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from urllib.parse import urlsplit

from fastapi import Request, Response
from fastapi.responses import RedirectResponse
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from editscope.studio.settings import Settings, is_loopback

COOKIE = "editscope_studio"
TOKEN = "token"
OPEN_PREFIXES = ("/static/", "/rate/")
"""Paths that need no admin: style and scripts, and the pages of raters, whose link is their key."""
READING = frozenset({"GET", "HEAD", "OPTIONS"})
LARGEST_BODY = 32 << 20
"""Bytes that a request may send; pages whose data is larger send it in parts."""
EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
"""The hash of a style element without content: Plotly adds one and fills it by script, which lays its plots out."""
POLICY = (
    f"default-src 'none'; script-src 'self'; style-src 'self' {EMPTY_STYLE}; img-src 'self' blob: data:; "
    "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Gate:
    """The middleware that lets a request in, or says why not."""

    def __init__(self, app: ASGIApp, *, settings: Settings, refuse: Callable[[Request, int, str], Response]) -> None:
        self._app = app
        self._settings = settings
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, answer it, and add the headers that every answer has."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        request = Request(scope)
        refused = self._refused(request)
        answer = self._refuse(request, *refused) if refused is not None else self._signed_in(request)
        await (self._app if answer is None else answer)(scope, receive, send_with_headers)

    def _refused(self, request: Request) -> tuple[int, str] | None:
        if b"%00" in request.scope["raw_path"] or b"%00" in request.scope["query_string"]:
            return 404, "There is no such page."  # no name has a NUL, and databases and files refuse one
        host = request.headers.get("host", "")
        if not self._settings.open_to_others and not is_loopback(_host_name(host)):
            return 421, "This studio answers on this machine only. Open it as http://127.0.0.1 with its port."
        if request.method not in READING:
            if not _same_origin(request, host):
                return 403, "This change did not come from a page of the studio, so it was not made."
            kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
            if request.headers.get("content-length", "0") != "0" and kind != "application/json":
                return 415, "Send changes as application/json."
        size = request.headers.get("content-length", "0")
        if not size.isdecimal() or int(size) > LARGEST_BODY or "transfer-encoding" in request.headers:
            return 413, f"A request may send at most {LARGEST_BODY >> 20} MiB, and must say how much it sends."
        if self._settings.needs_token and not self.is_admin(request) and not request.url.path.startswith(OPEN_PREFIXES):
            return 401, "This page is for the studio's admin. Open its address with ?token= and the admin's token once."
        return None

    def is_admin(self, request: Request) -> bool:
        """Whether a request comes from an admin: with the cookie, or with the token in its address."""
        if not self._settings.needs_token:
            return True
        shown = request.cookies.get(COOKIE, "")
        if shown and hmac.compare_digest(shown.encode(), session_of(self._settings.admin_token).encode()):
            return True
        return self._shows_token(request)

    def _shows_token(self, request: Request) -> bool:
        token = request.query_params.get(TOKEN, "")
        return bool(token) and hmac.compare_digest(token.encode(), self._settings.admin_token.encode())

    def _signed_in(self, request: Request) -> Response | None:
        """A redirect that takes the token out of the address and leaves a cookie, where the address has the token."""
        if request.method != "GET" or not self._settings.needs_token or not self._shows_token(request):
            return None
        rest = request.url.remove_query_params(TOKEN)
        query = f"?{rest.query}" if rest.query else ""
        response = RedirectResponse(f"/{rest.path.lstrip('/')}{query}", status_code=303)  # never to another host
        secure = request.url.scheme == "https"
        value = session_of(self._settings.admin_token)
        response.set_cookie(COOKIE, value, httponly=True, samesite="strict", secure=secure, max_age=30 * 24 * 3600)
        return response


def session_of(token: str) -> str:
    """What the cookie of an admin holds: it follows from the token, which itself is never kept in a browser.

    >>> session_of("a secret of the admin") == session_of("another secret, as long")
    False
    """
    return hmac.new(token.encode(), b"editscope studio session", hashlib.sha256).hexdigest()


def _host_name(host: str) -> str:
    """The name in a Host header, without its port.

    >>> _host_name("127.0.0.1:8765"), _host_name("[::1]:8765"), _host_name("example.org"), _host_name("[::1")
    ('127.0.0.1', '::1', 'example.org', '')
    """
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:  # such as a bracket without its other one
        return ""


def _same_origin(request: Request, host: str) -> bool:
    """Whether a change comes from a page of this studio, or from a program that is not a browser."""
    site = request.headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        return False
    origin = request.headers.get("origin")
    # Compared as a text: an origin is a scheme and a host, and nothing is to be parsed that a foreign page chose.
    return origin is None or ("://" in origin and origin.lower().partition("://")[2] == host.lower())
