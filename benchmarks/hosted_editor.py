"""400 edits by an editor on loopback that takes 50 ms: wall time and client CPU, against threads with urllib.

    python benchmarks/hosted_editor.py [--edits 400] [--concurrency 32] [--latency 0.05] [--rounds 3]

The server runs in its own process and answers after a fixed latency, so edits · latency / concurrency is the floor. All
ways encode the input as PNG, send it as a multipart form, and decode the picture that comes back; the plain ones are
what one would write down with the standard library and Pillow, without retries, budget or limits. The rounds are
interleaved and the best of each way counts.
"""

from __future__ import annotations

import argparse
import base64
import io
import json
import resource
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import Request as UrlRequest
from urllib.request import urlopen

import numpy as np
from PIL import Image

from editscope.cases import Edit
from editscope.editors import EditLimits, Request, load_editor

TESTS = Path(__file__).parent.parent / "tests"


def requests(count: int) -> list[Request]:
    """Flat shapes on a canvas of 512 × 512, as PaintBench has them."""
    made = []
    for number in range(count):
        rng = np.random.default_rng(number)
        pixels = np.full((512, 512, 3), rng.integers(0, 256, 3), np.uint8)
        for _ in range(12):
            top, left = rng.integers(0, 400, 2)
            pixels[top : top + 90, left : left + 70] = rng.integers(0, 256, 3)
        made.append(Request(f"case/{number}", (pixels,), f"Edit number {number}.", number))
    return made


def form(request: Request) -> tuple[bytes, str]:
    """The multipart form of one edit, by hand."""
    file = io.BytesIO()
    Image.fromarray(request.arrays[0]).save(file, "PNG")
    mark = uuid.uuid4().hex
    parts = [
        f'--{mark}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in (("model", "gpt-image-1"), ("prompt", request.instruction), ("n", "1"))
    ]
    head = (
        f'--{mark}\r\nContent-Disposition: form-data; name="image"; filename="1.png"\r\nContent-Type: image/png\r\n\r\n'
    )
    body = b"".join([*parts, head.encode(), file.getvalue(), f"\r\n--{mark}--\r\n".encode()])
    return body, f"multipart/form-data; boundary={mark}"


def decoded(content: bytes) -> Any:
    """The picture of a reply."""
    picture = base64.b64decode(json.loads(content)["data"][0]["b64_json"])
    return np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"))


def with_urllib(url: str, asked: list[Request], concurrency: int) -> None:
    """Threads and ``urlopen``: a new connection for every edit."""

    def one(request: Request) -> Any:
        body, kind = form(request)
        with urlopen(UrlRequest(f"{url}/images/edits", body, {"Content-Type": kind})) as response:
            return decoded(response.read())

    with ThreadPoolExecutor(concurrency) as pool:
        assert {pixels.shape for pixels in pool.map(one, asked)} == {(512, 512, 3)}


def with_connections(url: str, asked: list[Request], concurrency: int) -> None:
    """Threads, each with a connection that it keeps, as a careful hand would write it."""
    address = urlsplit(url)

    def some(share: list[Request]) -> int:
        connection = HTTPConnection(str(address.hostname), address.port)
        for request in share:
            body, kind = form(request)
            connection.request("POST", f"{address.path}/images/edits", body, {"Content-Type": kind})
            assert decoded(connection.getresponse().read()).shape == (512, 512, 3)
        connection.close()
        return len(share)

    with ThreadPoolExecutor(concurrency) as pool:
        assert sum(pool.map(some, [asked[n::concurrency] for n in range(concurrency)])) == len(asked)


def with_editor(url: str, asked: list[Request], concurrency: int) -> None:
    """The hosted editor, called from as many threads as the engine would use."""
    editor = load_editor(f"openai:gpt-image-1?base_url={url}")
    editor.limit(EditLimits(concurrency=concurrency))
    editor.load()

    def one(request: Request) -> Any:
        edit = editor.edit(request)
        assert isinstance(edit, Edit) and edit.status == "ok"
        return edit.image

    with ThreadPoolExecutor(concurrency) as pool:
        assert {pixels.shape for pixels in pool.map(one, asked)} == {(512, 512, 3)}
    editor.close()


def measured(work: Callable[[], None]) -> tuple[float, float]:
    """Wall and CPU seconds of this process."""
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    work()
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--edits", type=int, default=400)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--latency", type=float, default=0.05)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    ways: dict[str, Callable[[str, list[Request], int], None]] = {
        "threads and urllib": with_urllib,
        "threads, kept connections": with_connections,
        "hosted editor": with_editor,
    }
    command = [sys.executable, "-m", "support.servers.editor_server", "--latency", str(asked.latency)]
    server = subprocess.Popen(command, cwd=TESTS, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    url = server.stdout.readline().strip()
    try:
        work = requests(asked.edits)
        for way in ways.values():
            way(url, work[: asked.concurrency], asked.concurrency)
        rounds = [
            {name: measured(lambda way=way: way(url, work, asked.concurrency)) for name, way in ways.items()}  # type: ignore[misc]
            for _ in range(asked.rounds)
        ]
    finally:
        server.terminate()
        server.wait()
    best = {name: (min(one[name][0] for one in rounds), min(one[name][1] for one in rounds)) for name in ways}
    floor = asked.edits * asked.latency / asked.concurrency
    print(f"\n{asked.edits} edits of 512 × 512, concurrency {asked.concurrency}, floor {floor:.2f} s")
    print(f"{'':28}{'wall s':>9}{'CPU ms an edit':>16}{'CPU, urllib / this':>20}")
    plain = best["threads and urllib"][1]
    for name, (wall, cpu) in best.items():
        print(f"{name:28}{wall:9.2f}{1000 * cpu / asked.edits:16.2f}{plain / cpu:19.1f}×")


if __name__ == "__main__":
    main()
