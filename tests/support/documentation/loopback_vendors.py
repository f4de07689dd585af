"""Vendors on loopback: the addresses that the models named on a page are sent to while the page is run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from editscope.editors.registry import load_editor
from support.servers.batch_server import BatchServer
from support.servers.editor_server import OpenAIServer
from support.servers.editor_server_ark import ArkServer
from support.servers.editor_server_bfl import BFLServer
from support.servers.editor_server_chat import ChatServer
from support.servers.editor_server_gemini import GeminiServer
from support.servers.http_editor_server import Served

KEYS = ("OPENAI_API_KEY", "GEMINI_API_KEY", "ANTHROPIC_API_KEY", "BFL_API_KEY", "ARK_API_KEY", "OPENROUTER_API_KEY")
JUDGES_ONLY = ("responses", "anthropic")

_SPEC = re.compile(
    r"(?P<role>(?:--judge[ =]|\bjudge=|\bby=|_judge\(|_audit\(\[)[\"']?)?"
    r"(?<![\w/])(?P<kind>openai|responses|gemini|anthropic|bfl|ark|chat):(?P<model>[A-Za-z][\w./-]*)"
    r"(?:\?(?P<options>[^\s'\",)]*))?"
)
_OWN_SERVER = re.compile(r"https?://(?:localhost|127\.0\.0\.1|gpu[\w.-]*):\d+(?:/edit)?(?=[\s'\"]|$)")


@dataclass(frozen=True)
class Vendors:
    """The addresses of one editor server for each vendor, of a judge, and of an editor behind HTTP."""

    editors: Mapping[str, str]
    judge: str
    http_editor: str

    def redirected(self, text: str) -> str:
        """A command or a program whose hosted models are those on loopback."""
        return _SPEC.sub(self._spec, _OWN_SERVER.sub(self.http_editor, text))

    def _spec(self, found: re.Match[str]) -> str:
        judged = found["role"] or found["kind"] in JUDGES_ONLY
        options = [text for text in (found["options"] or "").split("&") if text and not text.startswith("base_url=")]
        options = [text for text in options if not text.startswith("key_env=")]
        address = self.judge if judged else self.editors[found["kind"]]
        query = "&".join([f"base_url={address}", *options])
        return f"{found['role'] or ''}{found['kind']}:{found['model']}?{query}"


@contextmanager
def loopback_vendors() -> Iterator[Vendors]:
    """All of them, while the ``with`` block lasts."""
    kinds = (OpenAIServer, GeminiServer, BFLServer, ArkServer, ChatServer)
    with ExitStack() as stack:
        editors = {server.kind: stack.enter_context(server).url for server in (kind(keep=False) for kind in kinds)}
        judge = stack.enter_context(BatchServer(keep=False))
        http_editor = stack.enter_context(Served(load_editor("ref:identity")))
        yield Vendors(editors, judge.url, http_editor)
