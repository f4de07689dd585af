"""The reward server for mIoU at 256²: rewards a second through HTTP, and the ratio to the function in the process.

    python benchmarks/reward_server.py [--side 256] [--rollouts 512] [--batch 32] [--clients 4] [--rounds 5]

The server runs in its own process on the same machine, so that it shares the cores with the client: encoding, sending,
reading and scoring all count. ``rgb`` and ``png`` send source, answer and output of each rollout, as bytes or as PNG
files; ``by id`` sends the output and names its problem, which the server knows. Outputs have noise on every pixel.
The rounds are interleaved and the best of each way counts, for time and for the CPU time of client and server together,
which says what idle cores can reach where others keep the machine busy. Values must be equal to those of the function.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import editscope as es
from editscope.processes import cores
from editscope.training.rewards import Reward, RewardValue, Rollout, load_reward
from editscope.training.rewards.client import RemoteReward
from editscope.training.rewards.problems import example_of

sys.path.append(str(Path(__file__).parent.parent / "tests"))
from support.small_sets import make_small_set

Way = Callable[[], list[RewardValue]]


def made_rollouts(data: Path, count: int) -> list[Rollout]:
    """Rollouts of a made set whose outputs are answers with noise, eight for each problem, as in a group."""
    suite = es.load_suite("paintbench", root=data)
    rng = np.random.default_rng(0)
    examples = [example_of(suite[case_id]) for case_id in suite.ids]
    rollouts = []
    for number in range(count):
        example = examples[number // 8 % len(examples)]
        assert example.answer is not None
        noise = rng.integers(-8, 9, example.answer.shape, np.int16)
        rollouts.append(Rollout(example, np.clip(example.answer + noise, 0, 255).astype(np.uint8)))
    return rollouts


@contextmanager
def server(data: Path) -> Iterator[tuple[str, int]]:
    """The command in a process of its own; gives its address and its number."""
    words = [sys.executable, "-m", "editscope", "serve-reward", "paintbench", "--data", str(data), "--port", "0"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if match := re.search(r"http://\S+/reward", line):
                yield match[0], process.pid
                return
        raise SystemExit("the server did not start")
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()


def cpu_seconds(server_id: int) -> float:
    """What this process and the server have used of the processor."""
    used = Path(f"/proc/{server_id}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return time.process_time() + (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK")


def by_clients(reward: Reward, rollouts: list[Rollout], batch: int, clients: int) -> list[RewardValue]:
    """All rewards, asked by several threads at a time, as ranks of a trainer do."""
    parts = [rollouts[start : start + batch] for start in range(0, len(rollouts), batch)]
    with ThreadPoolExecutor(clients) as pool:
        return [value for part in pool.map(reward.score, parts) for value in part]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=256)
    parser.add_argument("--rollouts", type=int, default=512)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data = make_small_set(Path(folder) / "set", side=given.side)
        rollouts = made_rollouts(data, given.rollouts)
        with server(data) as (address, server_id):
            here = load_reward("miou")
            remote = {
                "http, rgb": RemoteReward(address, batch=given.batch),
                "http, png": RemoteReward(address, encoding="png", batch=given.batch),
                "http, by id": RemoteReward(address, by_id=True, batch=given.batch),
            }
            ways: dict[str, Way] = {"in the process": lambda: here.score(rollouts)}
            for name, reward in remote.items():
                ways[name] = lambda reward=reward: by_clients(reward, rollouts, given.batch, given.clients)  # type: ignore[misc]
            expected = [value.value for value in here.score(rollouts)]
            best = dict.fromkeys(ways, float("inf"))
            least = dict.fromkeys(ways, float("inf"))
            for _ in range(given.rounds):
                for name, way in ways.items():
                    start, used = time.perf_counter(), cpu_seconds(server_id)
                    values = way()
                    best[name] = min(best[name], time.perf_counter() - start)
                    least[name] = min(least[name], cpu_seconds(server_id) - used)
                    assert [value.value for value in values] == expected, name
            for reward in remote.values():
                reward.close()
    how = f"{given.clients} clients, batches of {given.batch}, {cores()} cores"
    print(f"{given.rollouts} rollouts of {given.side}², {how}")
    for name, seconds in best.items():
        rate, ratio = given.rollouts / seconds, best["in the process"] / seconds
        cpu = 1000 * least[name] / given.rollouts
        print(f"{name:16}{rate:10,.0f} rewards/s{ratio:8.2f} of the function{cpu:8.2f} ms of CPU each")


if __name__ == "__main__":
    main()
