"""Datasets of the Hugging Face hub: a real client against a small hub on loopback."""

from __future__ import annotations

import hashlib
import json
import re
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote

import pytest

from editscope.errors import BadInput
from editscope.suites.datafolder import hub
from editscope.suites.picabench import data as picabench
from editscope.suites.wiseedit import data as wiseedit
from support.judged_data import make_picabench, make_wiseedit

pytest.importorskip("huggingface_hub")

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub(ThreadingHTTPServer):
    """One dataset, ``someone/things``, at one commit that ``main`` stands for; ``asked`` lists the paths."""

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Answer(BaseHTTPRequestHandler):
    server: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
        pass

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = unquote(self.path.partition("?")[0])
        self.server.asked.append(path)
        base = "/api/datasets/someone/things"
        if not path.startswith((base, "/datasets/someone/things/")):
            return self._send(404, b"{}", {"X-Error-Code": "RepoNotFound"})
        if path.startswith(f"{base}/tree/"):
            entries = [
                {"type": "file", "path": name, "size": place.stat().st_size, "oid": self._oid(place)}
                for name, place in self.server.files.items()
            ]
            return self._send(200, json.dumps(entries).encode(), {})
        if path == base or path.startswith(f"{base}/revision/"):
            if path.rpartition("/")[2] not in ("things", "main", COMMIT):
                return self._send(404, b"{}", {"X-Error-Code": "RevisionNotFound"})
            siblings = [{"rfilename": name} for name in self.server.files]
            content = {"id": "someone/things", "sha": COMMIT, "siblings": siblings, "tags": [], "private": False}
            return self._send(200, json.dumps(content).encode(), {})
        found = re.fullmatch(r"/datasets/someone/things/resolve/\w+/(.+)", path)
        if found is None or found[1] not in self.server.files:
            return self._send(404, b"", {"X-Error-Code": "EntryNotFound"})
        place = self.server.files[found[1]]
        return self._send(200, place.read_bytes(), {"ETag": f'"{self._oid(place)}"', "X-Repo-Commit": COMMIT})

    def _oid(self, place: Path) -> str:
        return hashlib.sha1(place.read_bytes()).hexdigest()

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    make_picabench(tmp_path / "data", 3, hub=True)
    make_wiseedit(tmp_path / "data", 1)
    server = Hub(tmp_path / "data")
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_dataset_is_fetched_once_and_its_commit_is_in_the_options(served: Hub, tmp_path: Path) -> None:
    suite = picabench.load("hf:someone/things")
    pinned = f"hf:someone/things@{COMMIT}"
    assert suite.options["root"] == pinned
    assert suite.fingerprint == picabench.load(tmp_path / "data").fingerprint
    assert len(wiseedit.load(pinned)) == 5
    served.asked.clear()
    again = picabench.load(**suite.options)
    assert (again.options, again.fingerprint) == (suite.options, suite.fingerprint)
    assert served.asked == [], "a commit that is here whole needs no network"


def test_what_the_hub_does_not_have_is_said(served: Hub) -> None:
    with pytest.raises(BadInput, match=r"cannot be fetched .there is no such dataset"):
        hub.fetch("hf:someone/nothing")
    with pytest.raises(BadInput, match=r"cannot be fetched .it has no such revision"):
        hub.fetch("hf:someone/things@other")
    with pytest.raises(BadInput, match="is not of the form hf:OWNER/NAME"):
        hub.fetch("hf:things")


def test_no_network_is_one_sentence(served: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{closed.getsockname()[1]}")
        with pytest.raises(BadInput, match=r"hf:someone/things cannot be fetched .the hub cannot be reached"):
            hub.fetch("hf:someone/things")
