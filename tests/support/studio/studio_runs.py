"""Questions to a studio over small runs."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from typing import Any


def get(address: str, accept: str = "text/html") -> tuple[int, str]:
    """Status and text of an answer."""
    request = urllib.request.Request(address, headers={"accept": accept})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode("utf-8", "replace")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode("utf-8", "replace")


def ask(address: str) -> Any:
    """The JSON of an answer."""
    return json.loads(get(address, "application/json")[1])


def the_set(address: str) -> str:
    """The id of the only set of a studio, once its runs are read."""
    while True:
        _, html = get(f"{address}/")
        found: set[str] = set(re.findall(r'href="/sets/(\w+)"', html))
        if found and "Reading runs" not in html:
            return found.pop()
