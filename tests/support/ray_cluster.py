"""A real Ray cluster of three nodes on this machine, editors that count what they do, and runs to compare."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import editscope as es

EDITORS = """
import os, time
from pathlib import Path
import numpy as np
import editscope as es

class Counted(es.Editor):
    \"\"\"Turns the picture, and writes down which case it got, in which process and on which node.\"\"\"

    def __init__(self, log, workers=1, takes=0.0, gpu=False, together=0):
        self.log, self.workers, self.takes, self.gpu, self.together = Path(log), workers, takes, gpu, together

    def load(self):
        if self.together:  # nobody begins before so many are there
            Path(f"{self.log}-{os.getpid()}").touch()
            while len(list(self.log.parent.glob(f"{self.log.name}-*"))) < self.together:
                time.sleep(0.02)

    def edit(self, case):
        import ray
        node = ray.get_runtime_context().get_node_id() if ray.is_initialized() else "here"
        with self.log.open("a") as file:
            file.write(f"{case.case_id} {os.getpid()} {node}\\n")
        time.sleep(self.takes)
        return case.arrays[0][::-1, :, [1, 2, 0]].copy()

class Deadly(Counted):
    def edit(self, case):
        edited = super().edit(case)
        if case.case_id == "border/001":
            os._exit(4)
        return edited
"""

PATIENCE_S = 600
"""How long a part of a cluster may take to start. It takes seconds, and minutes on a busy machine."""

WAITS = {
    "gcs_server_port_wait_time_s": PATIENCE_S,
    "gcs_rpc_server_connect_timeout_s": PATIENCE_S,
    "py_gcs_connect_timeout_s": PATIENCE_S,
    "raylet_start_wait_time_s": PATIENCE_S,
    "raylet_client_num_connect_attempts": PATIENCE_S,  # one a second
    "agent_register_timeout_ms": 1000 * PATIENCE_S,
    "worker_register_timeout_seconds": PATIENCE_S,
}
"""Limits of Ray's on how long its own processes may take to start."""

for name, limit in WAITS.items():  # before Ray is imported, which reads some of them then
    os.environ.setdefault(f"RAY_{name}", str(limit))

HEALTH = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 1000,
    "health_check_timeout_ms": 60_000,
    "health_check_failure_threshold": 3,
}
"""A node whose process is gone refuses the check at once, so it is missed after three seconds, where Ray's own setting
takes a quarter of a minute. A node that is only slow has a minute to answer."""

STORE_BYTES = 100 << 20


class Nodes:
    """A head and two more nodes, with a core each; nodes can be killed and added."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        self._joined: list[subprocess.Popen[bytes]] = []
        self._cluster: Any = Cluster()
        self.add(include_dashboard=False, _system_config=HEALTH)
        self.others = [self.add(), self.add()]

    @property
    def address(self) -> str:
        """Where it can be joined."""
        return str(self._cluster.address)

    @property
    def logs(self) -> Path:
        """What Ray has written down of this session."""
        return Path(self._cluster.head_node.get_session_dir_path())

    def add(self, **settings: Any) -> Any:
        """One more node, when the cluster knows it; the first is the head."""
        with _patient_start():
            node = self._cluster.add_node(wait=False, num_cpus=1, object_store_memory=STORE_BYTES, **settings)
        self._cluster._wait_for_node(node, timeout=PATIENCE_S)
        return node

    def join_with_gpu(self) -> None:
        """One more node, as an administrator or an autoscaler adds it: by the command of another process."""
        command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", f"--address={self.address}"]
        resources = ["--num-cpus=1", "--num-gpus=1", f"--object-store-memory={STORE_BYTES}"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._joined.append(subprocess.Popen([*command, *resources], **quiet))  # type: ignore[call-overload]

    def kill(self, node: Any) -> None:
        """End a node as a power cut does, and with it what it ran."""
        self._cluster.remove_node(node, allow_graceful=False)

    def close(self) -> None:
        """End all of it."""
        for process in self._joined:
            process.terminate()
            process.wait()
        self._cluster.shutdown()


@contextmanager
def _patient_start() -> Iterator[None]:
    """Nodes may take as long as they need to start: Ray gives up after half a minute, which no setting changes."""
    from ray._private import services

    ask_once = services.get_node

    def ask_until_there(*arguments: Any) -> Any:
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                return ask_once(*arguments)  # type: ignore[no-untyped-call]
            except RuntimeError:
                if time.monotonic() > until:
                    raise
            time.sleep(0.1)

    services.get_node = ask_until_there
    try:
        yield
    finally:
        services.get_node = ask_once


@contextmanager
def nodes() -> Iterator[Nodes]:
    """Three nodes while this is entered."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    found = Nodes()
    try:
        yield found
    finally:
        found.close()


def put_editors(folder: Path) -> None:
    """Make the module ``counted`` importable, here and in processes that are started from here."""
    (folder / "counted.py").write_text(EDITORS)
    sys.path.append(str(folder))


def made(log: Path) -> list[tuple[str, str, str]]:
    """The edits that were begun: case, process and node."""
    return [tuple(line.split()) for line in log.read_text().splitlines()] if log.exists() else []  # type: ignore[misc]


def journal(run: es.Run) -> list[dict[str, Any]]:
    """The lines of a journal without what the clock decides, in an order that does not depend on who was faster."""
    lines = [json.loads(line) for line in (run.path / "journal.jsonl").read_text().splitlines()]
    plain = [_timeless(line) for line in lines]
    return sorted(plain, key=lambda line: json.dumps([line.get("index", -1), line], sort_keys=True))


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _timeless(inner) for name, inner in value.items() if name not in ("at", "latency_s", "sum")}
    return [_timeless(inner) for inner in value] if isinstance(value, list) else value


def pictures(run: es.Run) -> dict[str, bytes]:
    """All files below images/ and thumbs/."""
    files = [path for room in ("images", "thumbs") for path in (run.path / room).rglob("*") if path.is_file()]
    return {path.relative_to(run.path).as_posix(): path.read_bytes() for path in files}


def scores(run: es.Run) -> dict[str, list[Any]]:
    """The columns of scores.parquet, except for the time that edits took."""
    return {name: values for name, values in run.rows().items() if name != "latency_s"}


def summary(run: es.Run) -> dict[str, Any]:
    """The summary, except for speed."""
    return {name: value for name, value in run.summary.items() if name != "speed"}


def differences(one: es.Run, other: es.Run) -> list[str]:
    """Where two runs are not the same to the last byte of every picture and every line that no clock decides."""
    found = [f"picture {name}" for name in _unlike(pictures(one), pictures(other))]
    found += [f"line {line}" for line in (*journal(one), *journal(other)) if line not in journal(one)]
    found += [f"line {line}" for line in journal(one) if line not in journal(other)]
    found += [f"column {name}" for name in _unlike(scores(one), scores(other))]
    return found + [f"summary {name}" for name in _unlike(summary(one), summary(other))]


def _unlike(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    return sorted(name for name in {*one, *other} if one.get(name) != other.get(name))
