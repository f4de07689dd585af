"""Reviewers of a queue, over the studio's own API."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any


def ask(address: str, body: Any = None, **headers: str) -> tuple[int, Any]:
    """Status and JSON of an answer; a POST where there is a body."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def add(address: str, key: str, name: str, role: str = "reviewer") -> str:
    """The private address of a new person."""
    status, answer = ask(f"{address}/review/{key}/api/reviewers", {"name": name, "role": role})
    assert status == 200, answer
    return address + str(answer["link"])


def decide(link: str, number: int, decision: str, **more: Any) -> tuple[int, Any]:
    """Decide on a record as the page would."""
    _, record = ask(f"{link}/api/record/{number}")
    given = {
        "record": record["id"],
        "fingerprint": record["fingerprint"],
        "decision": decision,
        "key": f"key-{number}-{decision}",
    }
    return ask(f"{link}/api/decisions", given | more)
