"""A judge on loopback whose replies follow from what it is sent, and that keeps what it was sent."""

from __future__ import annotations

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from support.recorded.spelling import american

REFUSED_OF = 41
"""One reply of so many is a refusal, so that missing verdicts are recorded too."""


class RecordingJudge:
    """Serves OpenAI's chat format while the ``with`` block lasts."""

    def __init__(self) -> None:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join(30)
        self._server.server_close()

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self._server.server_address[1]}"

    def spec(self, model: str = "gpt-4o") -> str:
        """The judge spec of this server."""
        return f"openai:{model}?base_url=http://{self.address}/v1"

    def bodies(self, key: str) -> list[bytes]:
        """The bodies of the requests for verdicts that came with this key, sorted."""
        return sorted(body for sent_key, body in tuple(self._server.requests) if sent_key == key)


class _Server(ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True

    def __init__(self, *arguments: Any) -> None:
        self.requests: list[tuple[str, bytes]] = []
        super().__init__(*arguments)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer({"id": self.path.rpartition("/")[2], "data": [{"id": "gpt-4o"}, {"id": "gpt-5"}]})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        server = self.server
        assert isinstance(server, _Server)
        server.requests.append((self.headers["Authorization"].removeprefix("Bearer "), body))
        self._answer(_response(body))

    def log_message(self, *_: Any) -> None:
        """Say nothing: the requests are recorded, not logged."""

    def _answer(self, content: dict[str, Any]) -> None:
        data = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def readable(body: bytes) -> str:
    """The body of a request as one line of JSON, each picture replaced by the hash of its data."""
    return json.dumps(json.loads(body, object_hook=_without_picture), ensure_ascii=False)


def _without_picture(value: dict[str, Any]) -> dict[str, Any]:
    url = value.get("url")
    if isinstance(url, str) and url.startswith("data:"):
        head, _, data = url.partition(",")
        return {**value, "url": f"{head},sha256={hashlib.sha256(data.encode()).hexdigest()[:32]}"}
    return value


def _response(body: bytes) -> dict[str, Any]:
    """A reply that depends on the request alone; spelling and the order of keys make no difference."""
    sent = json.loads(body)
    canonical = json.dumps(json.loads(american(readable(body))), sort_keys=True)
    number = int(hashlib.sha256(canonical.encode()).hexdigest(), 16)
    refused = number % REFUSED_OF == 0
    text = None if refused else json.dumps(_values(sent, number // REFUSED_OF))
    message = {"role": "assistant", "content": text, "refusal": "I cannot judge this." if refused else None}
    return {
        "model": f"{sent['model']}-2030-01-01",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 500 + number % 500, "completion_tokens": 20 + number % 30},
    }


def _values(sent: dict[str, Any], number: int) -> dict[str, Any]:
    """A value for each field of the schema that was sent."""
    values: dict[str, Any] = {}
    for name, shape in sent["response_format"]["json_schema"]["schema"]["properties"].items():
        number //= 11
        kind = shape.get("type")
        if "enum" in shape:
            values[name] = shape["enum"][number % len(shape["enum"])]
        elif kind in ("integer", "number"):
            low, high = int(shape.get("minimum", 1)), int(shape.get("maximum", 5))
            values[name] = low + number % (high - low + 1)
        elif kind == "boolean":
            values[name] = bool(number % 2)
        else:
            values[name] = f"Because of reason {number % 1000}."
    return values
