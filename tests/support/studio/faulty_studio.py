"""A studio that is killed and a line that is cut, in turn, while somebody works with it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from support.studio.cut_line import CutLine
from support.studio.studio_server import StudioProcess

Address = Callable[[], str]


@dataclass
class Faults:
    """What was done to a studio: kills with SIGKILL, cuts of the line, and connections that were open at the cuts."""

    kills: int = 0
    cuts: int = 0
    connections: int = 0


async def with_faults(
    folder: Path, env: Mapping[str, str], kills: int, total: int, work: Callable[[Address], Awaitable[object]],
    done: Callable[[], int],
) -> Faults:  # fmt: skip
    """Let ``work`` go on through kills and as many cuts, evenly over its ``total`` steps, of which ``done`` counts."""
    faults = Faults()
    studio = StudioProcess(folder, env=env)
    line = CutLine(studio.port)
    await line.start()
    try:
        going = asyncio.ensure_future(work(lambda: f"http://127.0.0.1:{line.port}"))
        for turn in range(2 * kills):
            while not going.done() and done() < total * (turn + 1) / (2 * kills + 1):
                await asyncio.wait([going], timeout=0.01)
            if going.done():
                break
            if turn % 2:
                faults.cuts += 1
                faults.connections += line.cut()
                continue
            studio.kill()
            faults.kills += 1
            studio = await asyncio.to_thread(StudioProcess, folder, line.target, env)
        await going
    finally:
        await line.close()
        studio.kill()
    return faults
