"""`editscope serve-editor` under attack: broken, huge, endless and slow requests, and tokens that anybody guesses."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from PIL import Image

from editscope.editors import Editor, Request
from editscope.editors.server.site import ServerSettings
from editscope.errors import BadInput
from editscope.images import encode_png
from support.servers.http_editor_server import Served

PNG = encode_png(np.random.default_rng(3).integers(0, 256, (9, 11, 3), dtype=np.uint8))
FORM = "multipart/form-data; boundary=cut"
PATIENCE_S = 600.0
"""Only guards against waiting for ever."""


class Negative(Editor):
    """Gives back its input in negative."""

    name = "negative"

    def edit(self, case: Request) -> Any:
        return 255 - case.arrays[0]


def field(name: str, value: bytes, more: bytes = b"", disposition: bytes = b"") -> bytes:
    said = disposition or b'form-data; name="%s"' % name.encode()
    if name == "image":
        said += b'; filename="a.png"'
    return b"--cut\r\nContent-Disposition: " + said + b"\r\n" + more + b"\r\n" + value + b"\r\n"


END = b"--cut--\r\n"
GOOD = field("instruction", b"Invert.") + field("image", PNG) + END


def connected(url: str) -> socket.socket:
    at = urlsplit(url)
    assert at.hostname and at.port
    return socket.create_connection((at.hostname, at.port), timeout=PATIENCE_S)


def request(body: bytes, *headers: str, length: int | None = None) -> bytes:
    lines = ["POST /edit HTTP/1.1", "Host: 127.0.0.1", *headers]
    if not any(line.lower().startswith(("content-length", "transfer-encoding")) for line in headers):
        lines.append(f"Content-Length: {len(body) if length is None else length}")
    if not any(line.lower().startswith("content-type") for line in headers):
        lines.append(f"Content-Type: {FORM}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def answer(url: str, data: bytes) -> tuple[int, bytes]:
    """The status and the rest of what the server says to these bytes; 0 where it says nothing."""
    with closing(connected(url)) as wire:
        wire.sendall(data)
        return read_answer(wire)


def read_answer(wire: socket.socket) -> tuple[int, bytes]:
    said = b""
    try:
        while b"\r\n\r\n" not in said and (piece := wire.recv(65536)):
            said += piece
    except ConnectionResetError:
        pass
    return (int(said.split()[1]) if said else 0), said


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    with Served(Negative(), ServerSettings(port=0, max_pixels=1_000_000, max_body=4 << 20)) as url:
        yield url


BROKEN = {
    "a part header that is none": (request(b"--cut\r\nnonsense\r\n\r\nx\r\n" + END), 400),
    "a part header without end": (request(b"--cut\r\nX: " + b"a" * 100_000 + b"\r\n\r\nx\r\n" + END), 400),
    "thousands of part headers": (request(b"--cut\r\n" + b"X: a\r\n" * 5000 + b"\r\nx\r\n" + END), 400),
    "a part header of other bytes": (request(b"--cut\r\n\xff\xfe: \x00\r\n\r\nx\r\n" + END), 400),
    "a part's length that is none": (request(field("image", PNG, b"Content-Length: many\r\n") + END), 400),
    "a part's length below zero": (request(field("image", PNG, b"Content-Length: -1\r\n") + END), 400),
    "a gzip part": (request(field("image", gzip.compress(PNG), b"Content-Encoding: gzip\r\n") + END), 400),
    "a part that is not gzip": (request(field("image", PNG, b"Content-Encoding: gzip\r\n") + END), 400),
    "a part in an unknown coding": (request(field("image", PNG, b"Content-Transfer-Encoding: rot13\r\n") + END), 400),
    "a form in a form": (request(field("x", b"", b"Content-Type: multipart/mixed; boundary=b\r\n") + END), 400),
    "no boundary": (request(GOOD, "Content-Type: multipart/form-data"), 400),
    "a boundary without end": (request(GOOD, "Content-Type: multipart/form-data; boundary=" + "b" * 5000), 400),
    "another boundary": (request(GOOD, "Content-Type: multipart/form-data; boundary=other"), 400),
    "no end of the form": (request(GOOD.removesuffix(END)), 400),
    "a form that breaks off": (request(GOOD[:120]), 400),
    "an empty form": (request(b""), 400),
    "no form": (request(b"{}", "Content-Type: application/json"), 400),
    "no type": (request(GOOD, "Content-Type: "), 400),
    "a type that is none": (request(GOOD, "Content-Type: ;;;=\x7f"), 400),
    "the body in gzip": (request(gzip.compress(GOOD), "Content-Encoding: gzip"), 415),
    "a body that is not gzip": (request(GOOD, "Content-Encoding: gzip"), 415),
    "a gzip bomb": (request(gzip.compress(bytes(1 << 26)), "Content-Encoding: gzip"), 415),
    "chunks that are none": (request(b"zz\r\nabc\r\n0\r\n\r\n", "Transfer-Encoding: chunked"), 400),
    "a chunk larger than said": (request(b"2\r\nabcdef\r\n0\r\n\r\n", "Transfer-Encoding: chunked"), 400),
    "a length that is none": (request(GOOD, "Content-Length: many"), 400),
    "a length below zero": (request(GOOD, "Content-Length: -5"), 400),
    "two lengths": (request(GOOD, "Content-Length: 5", "Content-Length: 7"), 400),
    "a length beyond all limits": (request(b"", length=10**15), 413),
    "nested details": (request(field("instruction", b"a") + field("details", b"[" * 100_000) + GOOD), 400),
    "details with a key twice": (
        request(field("details", b'{"id": "a", "id": "b"}') + field("instruction", b"a") + field("image", PNG) + END),
        400,
    ),
    "a field twice": (request(field("seed", b"1") + field("seed", b"2") + GOOD), 400),
    "a text that is not UTF-8": (request(field("instruction", b"\xff\xfe") + field("image", PNG) + END), 400),
    "a hundred fields": (request(b"".join(field(f"f{n}", b"x") for n in range(100)) + GOOD), 400),
    "a long text": (request(field("note", b"x" * (2 << 20)) + GOOD), 413),
    "a form that is too large": (request(field("image", bytes(5 << 20)) + END), 413),
    "a host that is none": (request(GOOD).replace(b"Host: 127.0.0.1", b"Host: [::"), 403),
    "no HTTP": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200) + b"\r\n\r\n", 400),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_request_is_answered_and_never_by_a_failure(
    served: str, what: str, capfd: pytest.CaptureFixture[str]
) -> None:
    data, wanted = BROKEN[what]
    code, said = answer(served, data)
    assert code == wanted, said[:500]
    assert b"Traceback" not in said and "Traceback" not in capfd.readouterr().err
    assert answer(served, request(GOOD))[0] == 200, "one bad request broke the server"


def test_a_caller_that_leaves_in_the_middle_is_no_failure(served: str, capfd: pytest.CaptureFixture[str]) -> None:
    for end in (40, 200, len(request(GOOD)) - 30):
        with closing(connected(served)) as wire:
            wire.sendall(request(GOOD)[:end])
    assert answer(served, request(GOOD))[0] == 200
    assert "Traceback" not in capfd.readouterr().err


def test_header_values_that_are_no_text_are_a_wrong_token() -> None:
    with Served(Negative(), ServerSettings(port=0, token="a-token-of-a-test")) as url:
        good = answer(url, request(GOOD, "Authorization: Bearer a-token-of-a-test"))[0]
        assert (answer(url, request(GOOD, "Authorization: Bearer \xff\xfe"))[0], good) == (401, 200)


def test_pictures_that_are_small_files_and_large_pictures_are_turned_away(served: str) -> None:
    buffer = io.BytesIO()
    Image.new("1", (900, 900)).save(buffer, "PNG")
    bomb = buffer.getvalue()
    together = request(field("instruction", b"a") + field("image", bomb) * 2 + END)
    assert answer(served, together)[0] == 400
    buffer = io.BytesIO()
    Image.new("1", (3000, 3000)).save(buffer, "PNG")
    assert answer(served, request(field("instruction", b"a") + field("image", buffer.getvalue()) + END))[0] == 400


@pytest.mark.slow
def test_a_caller_that_says_nothing_or_trickles_is_let_go() -> None:
    whole = request(GOOD)
    body = whole.index(b"\r\n\r\n") + 4
    with Served(Negative(), ServerSettings(port=0, silent_s=0.4)) as url:
        for start in (b"", whole[:30], whole[: body + 50]):  # nothing, half of the headers, half of the form
            with closing(connected(url)) as wire:
                wire.sendall(start)
                code, _ = read_answer(wire)  # returns when the server has closed
                assert code == (408 if len(start) > body else 0)
        with closing(connected(url)) as wire:  # a byte now and then is not progress
            wire.sendall(whole[:body])
            stop = threading.Event()
            threading.Thread(target=_trickle, args=(wire, whole[body:], stop), daemon=True).start()
            assert read_answer(wire)[0] == 408
            stop.set()
        assert answer(url, whole)[0] == 200


def _trickle(wire: socket.socket, data: bytes, stop: threading.Event) -> None:
    try:
        for byte in data:
            wire.sendall(bytes([byte]))
            if stop.wait(0.1):
                return
    except OSError:
        pass


def test_so_many_connections_and_no_more() -> None:
    with Served(Negative(), ServerSettings(port=0, most_connections=3)) as url:
        open_ones = [connected(url) for _ in range(3)]
        for wire in open_ones:
            wire.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert read_answer(wire)[0] == 200
        with closing(connected(url)) as one_more:
            assert read_answer(one_more)[0] == 503
        for wire in open_ones:
            wire.close()
        until = time.monotonic() + PATIENCE_S
        while answer(url, request(GOOD))[0] != 200:
            assert time.monotonic() < until


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_texts_of_hundreds_of_megabytes_are_refused_early_and_memory_stays_flat(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "editscope", "serve-editor", "ref:identity", "--port", "0"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stderr is not None
    try:
        found = re.search(r"answers at (\S+)", process.stdout.readline())
        assert found
        url = found[1]
        assert answer(url, request(GOOD))[0] == 200
        before = peak(process.pid)
        codes: list[int] = []
        threads = [threading.Thread(target=lambda: codes.append(flood(url))) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 413 in codes and set(codes) <= {413, 0}  # 0: the connection was gone before the answer was read
        assert peak(process.pid) - before < 100 << 20
        assert answer(url, request(GOOD))[0] == 200
    finally:
        process.terminate()
        process.stdout.read()
        said = process.stderr.read()
        process.wait(PATIENCE_S)
        process.stdout.close()
        process.stderr.close()
    assert "Traceback" not in said


def flood(url: str) -> int:
    """Begin with a text of 240 MB; the status that comes long before its end."""
    with closing(connected(url)) as wire:
        wire.sendall(request(b"", length=250_000_000) + field("a", b"")[:-2])
        try:
            for _ in range(40):
                wire.sendall(b"x" * 1_000_000)
        except OSError:
            pass
        return read_answer(wire)[0]


def peak(pid: int) -> int:
    """The most memory that a process has had, in bytes."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found
    return int(found[1]) << 10


@pytest.mark.slow
def test_beyond_this_machine_a_token_of_one_letter_is_refused(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "editscope", "serve-editor", "ref:identity", "--host", "0.0.0.0"]
    env = {**os.environ, "EDITSCOPE_SERVE_TOKEN": "x"}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 2 and "has 1 of at least 16 characters" in done.stderr


def test_the_check_of_a_token_leaves_this_machine_alone() -> None:
    ServerSettings("127.0.0.1", token="x").check()
    ServerSettings("0.0.0.0", token="sixteen-letters!").check()
    ServerSettings("0.0.0.0").check(open_to_all=True)
    for settings, open_to_all in (
        (ServerSettings("192.0.2.1", token="fifteen-letters"), True),
        (ServerSettings("::"), False),
    ):
        with pytest.raises(BadInput, match="can be reached by others"):
            settings.check(open_to_all)


def test_answers_say_what_was_wrong(served: str) -> None:
    code, said = answer(served, request(field("instruction", b"a") + field("image", b"no picture") + END))
    body = said.partition(b"\r\n\r\n")[2]
    assert code == 400 and "picture 1 is not a picture" in json.loads(body)["error"]
