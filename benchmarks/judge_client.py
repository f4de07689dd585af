"""2,000 rubric calls to a judge on loopback: wall time and client CPU, against plain aiohttp, json and base64.

    python benchmarks/judge_client.py [--calls 2000] [--concurrency 100] [--latency 0.2]

The judge runs in its own process and answers after a fixed latency, so calls · latency / concurrency is the floor.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import aiohttp
import numpy as np
from PIL import Image

from editscope.judges import Call, Field, Judge, Picture, Schema
from editscope.judges.registry import load_judge
from editscope.judges.replies import json_schema

TESTS = Path(__file__).parent.parent / "tests"
METRICS = ("instruction", "consistency", "quality", "knowledge")
SCALE = Schema((Field("score", "integer", 1, 5),))
PROMPT = "Look at the two pictures and rate the edit from 1 to 5. " * 20


def picture(number: int) -> bytes:
    """A 512 × 512 JPEG of about 58 kB: soft shapes with some grain."""
    rng = np.random.default_rng(number)
    coarse = Image.fromarray(rng.integers(0, 256, (16, 16, 3), np.uint8)).resize((512, 512), Image.Resampling.BICUBIC)
    grain = rng.integers(0, 18, (512, 512, 1), np.uint8)
    pixels = np.clip(np.asarray(coarse, np.int16) + grain - 9, 0, 255).astype(np.uint8)
    file = BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", quality=84)
    return file.getvalue()


def rubric_calls(count: int) -> list[Call]:
    """Calls like a rubric's: four metrics about each pair of pictures."""
    calls = []
    source = [picture(number) for number in range(8)]
    for case in range(-(-count // len(METRICS))):
        # Another comment in the file makes every edit another picture without encoding thousands of them here.
        note = f"edit {case:06}".encode()
        data = source[case % 8]
        edit = data[:2] + b"\xff\xfe" + (len(note) + 2).to_bytes(2) + note + data[2:]
        pair = (Picture(source[(case + 1) % 8]), Picture(edit))
        calls += [Call(name, (PROMPT, pair[0], name, pair[1]), SCALE, name, name) for name in METRICS]
    return calls[:count]


async def plainly(url: str, calls: Sequence[Call], concurrency: int) -> None:
    """The same requests as one would write them down: base64 and json.dumps for each, a semaphore."""
    gate = asyncio.Semaphore(concurrency)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def ask(call: Call) -> int:
            async with gate:
                content: list[dict[str, Any]] = []
                for part in call.parts:
                    if isinstance(part, str):
                        content.append({"type": "text", "text": part})
                    else:
                        data = f"data:{part.mime};base64,{base64.b64encode(part.data).decode()}"
                        content.append({"type": "image_url", "image_url": {"url": data}})
                shape = {"name": "verdict", "strict": True, "schema": json_schema(call.schema)}
                body = {
                    "model": "gpt-4o",
                    "messages": [{"role": "user", "content": content}],
                    "response_format": {"type": "json_schema", "json_schema": shape},
                }
                headers = {"Content-Type": "application/json"}
                async with session.post(f"{url}/chat/completions", data=json.dumps(body), headers=headers) as response:
                    reply = (await response.json())["choices"][0]["message"]["content"]
                    return int(json.loads(reply)["score"])

        assert set(await asyncio.gather(*(ask(call) for call in calls))) == {5}


async def with_judge(judge: Judge, calls: Sequence[Call]) -> None:
    """The calls through the judge client."""
    verdicts = await asyncio.gather(*(judge.ask(call) for call in calls))
    assert all(verdict.status == "ok" and verdict.values["score"] == 5 for verdict in verdicts)
    await judge.close()


def measured(work: Callable[[], Awaitable[None]]) -> tuple[float, float]:
    """Wall and CPU seconds of this process."""
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    asyncio.run(work())  # type: ignore[arg-type]
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--concurrency", type=int, default=100)
    parser.add_argument("--latency", type=float, default=0.2)
    asked = parser.parse_args()
    server = subprocess.Popen(
        [sys.executable, "-m", "support.servers.judge_server", "--latency", str(asked.latency)],
        cwd=TESTS,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    url = server.stdout.readline().strip()
    spec = f"openai:gpt-4o?base_url={url}"
    try:
        asyncio.run(with_judge(load_judge(spec), rubric_calls(20)))
        with tempfile.TemporaryDirectory() as folder:

            def ours(cache: str | None) -> tuple[float, float]:
                calls = rubric_calls(asked.calls)  # new pictures, so that nothing is hashed or encoded beforehand
                judge = load_judge(spec, concurrency=asked.concurrency, cache=cache)
                return measured(lambda: with_judge(judge, calls))

            fresh = rubric_calls(asked.calls)
            plain = measured(lambda: plainly(url, fresh, asked.concurrency))
            body = sum(len(part.base64) if isinstance(part, Picture) else len(part) for part in fresh[0].parts)
            rows = [("plain aiohttp, json.dumps, base64", plain), ("judge client", ours(None))]
            rows += [("judge client, filling the cache", ours(folder)), ("the same calls again", ours(folder))]
    finally:
        server.terminate()
        server.wait()
    floor = asked.calls * asked.latency / asked.concurrency
    print(
        f"\n{asked.calls:,} calls, bodies of {body / 1000:.0f} kB, concurrency {asked.concurrency}, floor {floor:.1f} s"
    )
    print(f"{'':36}{'wall s':>9}{'CPU ms a call':>15}{'plain / this':>14}")
    for name, (wall, cpu) in rows:
        print(f"{name:36}{wall:9.2f}{1000 * cpu / asked.calls:15.2f}{plain[1] / cpu:13.1f}×")


if __name__ == "__main__":
    main()
