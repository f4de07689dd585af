"""Ray clusters: find the one that is meant or start a small one, quietly, and know what it has."""

from __future__ import annotations

import logging
import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from editscope.errors import BadInput

ANSWER_S = 10.0
LOCAL = "local"
AUTO = "auto"
STORE_BYTES = 512 << 20
STORE_BYTES_A_JOB = 32 << 20
"""The object store of a cluster of our own: what is in flight is a few pictures for each job."""

OWN = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_worker_niceness": "0",
    "RAY_IGNORE_UNHANDLED_ERRORS": "1",
}
"""What a cluster of our own is started with, unless the user says otherwise: it tells nobody that it is used, an editor
that asks for no GPU of its own sees those that are there, and workers have the priority that local ones have."""

KEYS = (
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "ANTHROPIC_API_KEY",
    "BFL_API_KEY",
    "ARK_API_KEY",
    "HF_TOKEN",
    *(name for proxy in ("http_proxy", "https_proxy", "no_proxy") for name in (proxy, proxy.upper())),
)
"""Variables that an editor or a judge may need on another machine, and that may hold a secret."""

VERSIONS = re.compile(r"Ray: (\S+) Python: (\S+)")
KEY_ENV = re.compile(r"\bkey_env=([A-Za-z_][A-Za-z0-9_]*)")


@dataclass(frozen=True)
class Cluster:
    """A cluster that this process has joined; ``started`` says that it is ours and ends with us."""

    ray: ModuleType
    started: bool
    node_id: str
    """The node on which this process runs: the one that has the run folder."""

    @property
    def cpus(self) -> int:
        """The CPUs of all nodes that are there now."""
        return int(self.total("CPU"))

    @property
    def gpus(self) -> int:
        """The GPUs of all nodes that are there now."""
        return int(self.total("GPU"))

    @property
    def gpus_here(self) -> int:
        """The GPUs of the node on which this process runs."""
        own = [node for node in self.ray.nodes() if node["NodeID"] == self.node_id]
        return int(own[0]["Resources"].get("GPU", 0)) if own else 0

    def nodes_with(self, resource: str) -> list[str]:
        """The nodes that are there and have some of a resource, held or free; in a stable order."""
        return sorted(
            node["NodeID"] for node in self.ray.nodes() if node["Alive"] and node["Resources"].get(resource, 0) >= 1
        )

    def is_alive(self, node_id: str) -> bool:
        """Whether a node is still in the cluster."""
        return any(node["NodeID"] == node_id and node["Alive"] for node in self.ray.nodes())

    def has_free(self, resource: str) -> bool:
        """Whether a node has a whole "GPU" or "CPU" that nobody holds."""
        return bool(self.ray.available_resources().get(resource, 0) >= 1)

    def total(self, resource: str) -> float:
        """How many of a resource all nodes together have."""
        return float(self.ray.cluster_resources().get(resource, 0))

    def lacks(self, wanted: str) -> str:
        """Why a worker may have no place yet, in words; ``wanted`` is "GPU" or "CPU"."""
        there = self.total(wanted)
        nodes = sum(node["Alive"] for node in self.ray.nodes())
        capacity = f"{there:g} {wanted}{'' if there == 1 else 's'} on {nodes} node{'' if nodes == 1 else 's'}"
        return f"waiting for a node with a free {wanted} (the cluster has {capacity}; `ray status` says who holds them)"


@contextmanager
def joined(address: str | None = None, *, jobs: int | None = None) -> Iterator[Cluster]:
    """Join the cluster at ``address`` while this is entered: ``ip:port``, ``"auto"`` for one that runs here, or
    ``"local"`` for one of our own; None takes RAY_ADDRESS, then one that runs here, then one of our own.

    A process that is in a cluster already stays in it.
    """
    ray = import_ray()
    if ray.is_initialized():
        yield Cluster(ray, started=False, node_id=ray.get_runtime_context().get_node_id())
        return
    with _silence():
        started = _join(ray, address, jobs)
        try:
            yield Cluster(ray, started=started, node_id=ray.get_runtime_context().get_node_id())
        finally:
            ray.shutdown()


@contextmanager
def _silence() -> Iterator[None]:
    """Keep Ray from printing pages over the progress of a run when one of its processes dies: the engine says so."""
    from ray._private import worker

    original = getattr(worker, "print_to_stdstream", None)
    if original is None:
        yield
        return
    worker.print_to_stdstream = lambda *_, **__: None
    try:
        yield
    finally:
        worker.print_to_stdstream = original


def import_ray() -> ModuleType:
    """Ray, or the sentence that says how to get it."""
    for name, value in OWN.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError as error:
        raise BadInput(f"--engine ray needs Ray ({error}); pip install 'editscope[ray]'") from error
    return ray


def keys_for(*specs: str) -> dict[str, str]:
    """The keys that these specs may need, from this environment, for a call: they belong in no setting of Ray's."""
    named = [name for spec in specs for name in KEY_ENV.findall(spec)]
    return {name: os.environ[name] for name in (*KEYS, *named) if name in os.environ}


def _join(ray: ModuleType, address: str | None, jobs: int | None) -> bool:
    """Join a cluster; whether it is one that this started."""
    wanted = address or os.environ.get("RAY_ADDRESS") or ""
    if wanted.startswith("ray://"):
        raise BadInput(
            f"the Ray address {wanted} is that of a Ray client; call editscope on a node of the cluster, "
            "with --ray-address auto"
        )
    cluster_address = _running_here() if wanted in ("", AUTO) else wanted
    if cluster_address is None and wanted == AUTO:
        raise BadInput(_no_cluster(AUTO))
    if cluster_address is None or cluster_address == LOCAL:
        size = jobs or _cores()
        store = STORE_BYTES + STORE_BYTES_A_JOB * size
        _init(ray, address=LOCAL, num_cpus=size, object_store_memory=store, include_dashboard=False)
        return True
    if not _answers(cluster_address):
        raise BadInput(_no_cluster(cluster_address))
    # For a cluster that it finds by itself Ray takes the user's token, where there is one; never for a given address.
    _init(ray, address=AUTO if wanted in ("", AUTO) else cluster_address)
    return False


def _running_here() -> str | None:
    """The cluster that ``ray start`` began or joined on this machine last, if it is still there.

    Ray's own "auto" would wait minutes for one that is gone, and would join a cluster that another run has for itself.
    """
    folder = os.environ.get("RAY_TMPDIR") or os.environ.get("TMPDIR") or "/tmp"
    try:
        address = (Path(folder) / "ray" / "ray_current_cluster").read_text().strip()
    except OSError:
        return None
    return address if _answers(address) else None


def _answers(address: str) -> bool:
    """Whether something listens at ``host:port``; Ray itself would try for a minute. Names are left to Ray."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdigit():
        return True
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=ANSWER_S).close()
    except (OSError, OverflowError):
        return False
    return True


def _no_cluster(address: str) -> str:
    where = "on this machine" if address == AUTO else f"at {address}"
    return f"no Ray cluster answers {where}; start one with `ray start --head`, or leave the address out"


def _init(ray: ModuleType, **settings: Any) -> None:
    where = settings["address"]
    try:
        ray.init(log_to_driver=False, logging_level=logging.ERROR, **settings)
    except ConnectionError as error:
        message = f"something answers at {where}, but this process cannot join it as a Ray cluster"
        raise BadInput(f"{message}; if its nodes use a token, set RAY_AUTH_MODE=token here too") from error
    except (RuntimeError, ValueError, OSError) as error:
        message = " ".join(str(error).split())
        versions = VERSIONS.findall(message)
        if len(versions) == 2:
            theirs, ours = (f"Ray {of_ray} and Python {of_python}" for of_ray, of_python in versions)
            message = (
                f"the Ray cluster at {where} has {theirs}, this process {ours}; install the same versions on all nodes"
            )
            raise BadInput(message) from error
        what = "a Ray cluster on this machine could not be started" if where == LOCAL else f"no way to Ray at {where}"
        raise BadInput(f"{what} ({message})") from error


def _cores() -> int:
    from editscope.processes import cores

    return cores()
