"""Joining a cluster: what is wrong with it is one sentence, and what travels to a node arrives once."""

from __future__ import annotations

import os
import queue
import socket
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import editscope as es
from editscope.errors import BadInput
from editscope.runs.engine.worker_process import Job, WorkerReport, WorkerSetup
from editscope.runs.ray import cluster as ray_cluster
from editscope.runs.ray import node_worker as ray_node
from editscope.runs.ray.cluster import joined, keys_for
from editscope.runs.ray.node_worker import NodeSetup, NodeWorker, WorkerLocation
from editscope.runs.ray.worker_handle import Mailbox

pytestmark = pytest.mark.slow

pytest.importorskip("ray")


def sentence(address: str | None) -> str:
    with pytest.raises(BadInput) as found, joined(address):
        pass
    return str(found.value)


def test_without_ray_one_is_told_what_to_install(small_set: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BadInput, match=r"--engine ray needs Ray .*; pip install 'editscope\[ray\]'"):
        es.run(es.load_suite("paintbench", root=small_set), "ref:noise", out=small_set / "run", engine="ray")
    assert not (small_set / "run").exists()


def test_an_address_where_nothing_listens_is_said_at_once() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
        said = f"no Ray cluster answers at {address}; start one with `ray start --head`, or leave the address out"
        assert sentence(address) == said


def test_a_cluster_that_is_gone_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    assert sentence("auto").startswith("no Ray cluster answers on this machine; ")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        (tmp_path / "ray").mkdir()
        (tmp_path / "ray/ray_current_cluster").write_text(f"127.0.0.1:{unused.getsockname()[1]}")
        assert sentence("auto").startswith("no Ray cluster answers on this machine; ")


def test_the_address_of_a_ray_client_is_turned_down() -> None:
    assert "call editscope on a node of the cluster" in sentence("ray://10.0.0.1:10001")


def test_other_versions_on_the_cluster_are_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    def refuses(**settings: Any) -> None:
        there = "The cluster was started with:\n    Ray: 2.9.0\n    Python: 3.10.4\n"
        raise RuntimeError(
            f"Version mismatch: {there}This process was started with:\n    Ray: 2.60.0\n    Python: 3.11.7"
        )

    monkeypatch.setattr(ray, "init", refuses)
    monkeypatch.setattr(ray_cluster, "_answers", lambda address: True)
    assert sentence("10.0.0.1:6379") == (
        "the Ray cluster at 10.0.0.1:6379 has Ray 2.9.0 and Python 3.10.4, this process Ray 2.60.0 and Python 3.11.7; "
        "install the same versions on all nodes"
    )


def test_only_keys_that_may_be_needed_travel(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.upper().endswith(("_KEY", "_TOKEN", "_PROXY")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("OPENAI_API_KEY", "one")
    monkeypatch.setenv("MY_KEY", "two")
    monkeypatch.setenv("ANOTHER_KEY", "three")
    assert keys_for("openai:gpt-image-1?quality=high") == {"OPENAI_API_KEY": "one"}
    assert keys_for("rewrite(judge=openai:m?key_env=MY_KEY):ref:noise") == {"OPENAI_API_KEY": "one", "MY_KEY": "two"}


def test_a_mailbox_gives_all_reports_and_then_the_end() -> None:
    taken: list[Job | None] = []
    box = Mailbox(taken.append)
    box.put(WorkerReport("ready"))
    box.put(WorkerReport("note", said="hello"))
    box.end()
    box.put(WorkerReport("note", said="too late"))
    box.send(Job("a", 0))
    assert box.poll()
    assert [box.recv().kind, box.recv().said] == ["ready", "hello"]
    with pytest.raises(EOFError):
        box.recv()
    box.close()
    box.close()
    assert taken == [Job("a", 0)]


@pytest.fixture
def hand(small_set: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> NodeWorker:
    monkeypatch.setattr(ray_node, "this_location", lambda: WorkerLocation("id", "10.0.0.9", 1))
    monkeypatch.setattr(ray_node, "POLL_S", 60.0)
    found = NodeWorker()
    suite = ("paintbench", {"root": small_set})
    assert found.start(NodeSetup(WorkerSetup(suite, "ref:noise", tmp_path / "run", 0)), True, {}).name == "10.0.0.9"
    return found


def until(hand: NodeWorker, kind: str, heard: int = -1) -> list[tuple[int, WorkerReport]]:
    """What is told up to a report of some kind, less what an editor is at."""
    found: list[tuple[int, WorkerReport]] = []
    while not found or found[-1][1].kind != kind:
        found += [(n, report) for n, report in hand.reports(found[-1][0] if found else heard) if report is not None]
    return [told for told in found if told[1].kind != "began"]


def test_a_job_that_is_given_twice_is_done_once_and_its_files_travel(hand: NodeWorker, tmp_path: Path) -> None:
    for _ in range(2):
        hand.give(0, Job("border/001", 1), {})
    told = until(hand, "scored")
    assert [report.kind for _, report in told] == ["ready", "edited", "scored"]
    assert list(told[1][1].files) == ["images/border/001_output.png"]
    thumbs = {f"thumbs/border/001/{name}.webp" for name in ("input", "answer", "edit", "levels")}
    assert {name.rsplit(".", 1)[0] for name in told[2][1].files} == {name.rsplit(".", 1)[0] for name in thumbs}
    assert not (tmp_path / "run").exists()
    hand.give(1, None, {})
    ((_, end),) = hand.reports(told[-1][0])
    assert end is None


def test_what_was_not_heard_is_told_again(hand: NodeWorker) -> None:
    first = until(hand, "ready")
    assert hand.reports(-1) == first
    hand.give(0, None, {})
    assert hand.reports(first[-1][0]) == [(1, None)]


def test_a_hand_that_nobody_listens_to_begins_no_job(hand: NodeWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    (ready,) = until(hand, "ready")
    begun: queue.SimpleQueue[str] = queue.SimpleQueue()
    monkeypatch.setattr(ray_node, "DEAF_S", 0.0)
    hand.give(0, Job("border/001", 1), {})
    threading.Thread(target=lambda: begun.put(until(hand, "scored", ready[0])[0][1].kind), daemon=True).start()
    with pytest.raises(queue.Empty):
        begun.get(timeout=0.5)
    monkeypatch.setattr(ray_node, "DEAF_S", 60.0)
    with hand._new:
        hand._new.notify_all()
    assert begun.get(timeout=600) == "edited"
    hand.give(1, None, {})


def test_an_edit_from_elsewhere_is_found_for_its_score_and_is_not_sent_back(hand: NodeWorker) -> None:
    hand.give(0, Job("border/001", 1), {})
    (_, (_, edited), (heard, _)) = until(hand, "scored")
    assert edited.line is not None
    job = Job("border/001", 1, make=(), edits={"": edited.line})
    hand.give(1, job, edited.files)
    ((heard, again),) = until(hand, "scored", heard)
    assert again.files
    assert not [name for name in again.files if name.startswith("images/")]
    hand.give(2, job, {})
    ((_, lost),) = until(hand, "lost", heard)
    assert "run/images/border/001_output.png" in lost.said
    assert lost.said.endswith("(on node 10.0.0.9)")
    hand.give(3, None, {})


def test_a_node_with_another_version_says_so(small_set: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_node, "this_location", lambda: WorkerLocation("id", "10.0.0.9", 1))
    hand = NodeWorker()
    hand.start(NodeSetup(WorkerSetup(("paintbench", {"root": small_set}), None, tmp_path, 0), version="0.0"), True, {})
    (told,) = until(hand, "unfit")
    assert told[1].said.startswith("the run was started by editscope 0.0 and this node has ")
    assert told[1].said.endswith("install the same version on all nodes (on node 10.0.0.9)")
