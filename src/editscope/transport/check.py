"""Checks of a service before anything is spent: whether it is there, takes the key and knows the model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from editscope.errors import BadInput
from editscope.transport.messages import loads
from editscope.transport.reach import unreachable, wants_tls
from editscope.transport.reply import MOST_TEXT, Reply, send

MOST_LISTED = 16_000_000
"""Bytes of a list of models: gateways list hundreds, with descriptions."""

OPTIONS = ("judge", "editor")
"""Roles that are options of commands, too."""

HINT = "check the network and ?base_url="


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A model at a server, as messages name it: ``role`` is "judge" or "editor", ``spec`` what the user wrote."""

    role: str
    spec: str
    base_url: str
    model: str
    key: str = field(default="", repr=False)
    key_env: str = ""

    def require_key(self) -> None:
        """Raise BadInput where there is no key."""
        if not self.key:
            raise BadInput(f"the {self.role} {self.spec} needs a key; put it into the variable {self.key_env}")

    def wrong_key(self) -> BadInput:
        """The error for a key that the server does not accept, or for none."""
        if not self.key:
            return BadInput(f"{self.base_url} wants a key; put it into the variable {self.key_env}")
        return BadInput(
            f"{self.base_url} does not accept the key in {self.key_env} for {self.model}; check that variable"
        )

    def unknown_model(self, otherwise: str, where: str) -> BadInput:
        """The error for a model that the server does not know; ``otherwise`` is what else may be wrong."""
        place = f"--{self.role}" if self.role in OPTIONS else f"the {self.role}"
        return BadInput(
            f"{self.base_url} knows no model {self.model!r}, or {otherwise}; check the name in {place} {where}"
        )

    async def ask(
        self,
        session: Any,
        method: str,
        url: str,
        body: bytes | None = None,
        *,
        timeout_s: float,
        most: int = MOST_TEXT,
        hint: str = HINT,
    ) -> Reply:
        """The reply to one request; BadInput, with what to do about it, where the server cannot be reached."""
        try:
            reply = await send(session, method, url, data=body, timeout_s=timeout_s, most=most)
        except Exception as error:  # whatever is not a failure of the connection is raised again
            unreached = await unreachable(error, timeout_s, url)
        else:
            plain_http = wants_tls(reply.status, reply.content)
            if plain_http is None:
                return reply
            unreached = plain_http
        raise BadInput(
            f"the {self.role}'s server {self.base_url} cannot be reached {unreached.with_fix(otherwise=hint)}"
        )

    async def lists_model(
        self,
        session: Any,
        url: str,
        *,
        denies: Callable[[int, bytes], bool],
        known: Callable[[Any], bool],
        timeout_s: float,
    ) -> bool | None:
        """Whether the server describes the model at an address that is free to ask; None where it does not say.

        ``denies`` tells whether a status and a body turn the key away, which is a BadInput; ``known`` whether the
        decoded reply shows the model.
        """
        reply = await self.ask(session, "GET", url, timeout_s=timeout_s, most=MOST_LISTED)
        if denies(reply.status, reply.content) and not _lacks_rights(reply.content):
            raise self.wrong_key()
        if reply.status != 200:
            return False if reply.status == 404 else None
        try:
            return known(loads(reply.content))
        except (ValueError, KeyError, TypeError, AttributeError):
            return None


def denies_key(status: int, content: bytes) -> bool:
    """Whether a reply says that the key is wrong: 401, or 400 with Google's code for it."""
    return status == 401 or (status == 400 and b"API_KEY_INVALID" in content)


def _lacks_rights(content: bytes) -> bool:
    """Whether the key is right but may not ask this: some keys are for verdicts or pictures alone."""
    text = content.lower()
    return b"scope" in text or b"permission" in text
