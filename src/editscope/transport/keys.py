"""Keys and addresses: where a key may come from, and what an address may hold."""

from __future__ import annotations

import os
import re
from typing import Any
from urllib.parse import urlsplit

from editscope.errors import BadInput
from editscope.outside import keep_secret

SECRET = ("key", "token", "secret", "password", "auth")
"""Words in the name of an option that holds a key."""


def key_from(name: str) -> str:
    """The key in a variable of the environment, "" where there is none."""
    key = os.environ.get(name, "").strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise BadInput(
            f"the variable {name} holds spaces, line breaks or letters that cannot be in a key; set it again"
        )
    keep_secret(key)
    return key


def bearer(key: str) -> dict[str, str]:
    """The header that carries a key as a bearer token; none for a server that wants no key."""
    return {"Authorization": f"Bearer {key}"} if key else {}


def no_secret(where: str, name: str, value: Any = "") -> None:
    """Raise BadInput for an option that holds a key, or seems to: specs go into run.json. The value is not repeated."""
    if is_secret(name):
        raise BadInput(
            f"{where} has the option {name!r}; keys come from the environment only: put it into a variable and name "
            "that with key_env=NAME"
        )
    if name == "key_env" and not re.fullmatch("[A-Z_][A-Z0-9_]*", str(value)):
        raise BadInput(
            f"{where} has a key_env that is not the name of a variable in capital letters, such as OPENAI_API_KEY; "
            "the key itself belongs in that variable"
        )


def is_secret(name: str) -> bool:
    """Whether an option of this name would hold a key, which no spec may.

    >>> is_secret("api_key"), is_secret("key_env"), is_secret("max_tokens")
    (True, False, False)
    """
    words = name.lower().split("_")
    return name != "key_env" and any(word in words for word in SECRET)


def plain_address(where: str, value: str) -> str:
    """An address of a server without name, password, query or fragment; ``where`` begins the sentence if it is not."""
    try:
        address = urlsplit(value)
        host, _port = address.hostname, address.port
    except ValueError:
        raise BadInput(f"{where} is not a URL, such as http://127.0.0.1:8000/v1") from None
    if "@" in address.netloc:
        raise BadInput(f"{where} holds a name or password; keys come from the environment only (?key_env=NAME)")
    if address.scheme not in ("http", "https") or not host or "?" in value or "#" in value:
        raise BadInput(f"{where} is not a plain http:// or https:// address, such as http://127.0.0.1:8000/v1")
    return value.rstrip("/")
