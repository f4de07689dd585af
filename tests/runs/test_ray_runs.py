"""A run on a real cluster of three nodes: the same as on one machine, and whole when a node is lost."""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import editscope as es
from drills import counts
from drills.drill import Drill
from drills.pixel_sites import RaySite
from editscope.errors import BadInput, Stopped
from editscope.runs.ray import dispatcher as ray_bridge
from editscope.runs.ray import engine as ray_engine
from editscope.runs.ray.cluster import Cluster
from editscope.runs.start import resume
from support.judged_data import make_picabench
from support.ray_cluster import Nodes, differences, journal, made, nodes, put_editors
from support.servers.judge_server import KEY, Asked, JudgeServer, Outcome

pytestmark = pytest.mark.slow

pytest.importorskip("ray")

SHARE = 0.1
"""Of all random kills of the drills."""
IN_HAND = 3
"""A worker holds one edit that is being made, one made ready, and one being kept."""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nodes]:
    """Three nodes that this process has joined: runs stay in it, and find processes that have all code loaded."""
    import ray

    put_editors(tmp_path_factory.mktemp("editors"))
    with nodes() as found:
        ray.init(address=found.address, log_to_driver=False, logging_level=logging.ERROR)
        yield found
        ray.shutdown()


@pytest.fixture
def twelve(small_set: Path) -> es.Suite:
    return es.load_suite("paintbench", root=small_set)


def counted(log: Path, **options: Any) -> str:
    """The spec of the editor that writes down what it does."""
    return "python:counted:Counted?" + "&".join(f"{name}={value}" for name, value in {"log": log, **options}.items())


def test_a_run_on_three_nodes_equals_the_local_one(cluster: Nodes, twelve: es.Suite, tmp_path: Path) -> None:
    log = tmp_path / "log"
    spec = counted(log, workers=3, takes=0.2, together=3)
    local = es.run(twelve, spec, out=tmp_path / "local", progress=False)
    for file in tmp_path.glob("log*"):
        file.unlink()
    ray = es.run(twelve, spec, out=tmp_path / "ray", progress=False, engine="ray")
    assert differences(local, ray) == []
    assert ray.coverage == {"ok": 12}
    begun = made(log)
    assert sorted(case for case, _, _ in begun) == sorted(twelve.ids)
    assert len({pid for _, pid, _ in begun}) == 3
    assert len({node for _, _, node in begun}) > 1
    assert str(os.getpid()) not in {pid for _, pid, _ in begun}


def test_first_edits_that_fail_alike_stop_a_run_on_a_cluster_too(
    cluster: Nodes, twelve: es.Suite, tmp_path: Path
) -> None:
    class Lists(es.Editor):
        def edit(self, case: es.Request) -> Any:
            return [case.images[0]]

    with pytest.raises(Stopped, match="the first 5 edits all failed for the same reason"):
        es.run(twelve, Lists(), out=tmp_path / "run", progress=False, engine="ray")
    run = es.run(twelve, Lists(), out=tmp_path / "run", progress=False, engine="ray", keep_going=True)
    assert run.coverage == {"ok": 0, "no_output": 12}


@pytest.mark.drill(only=True)
def test_workers_that_edit_and_score_in_one_go_make_the_same_run(
    cluster: Nodes, twelve: es.Suite, tmp_path: Path
) -> None:
    local = es.run(twelve, "ref:noise", out=tmp_path / "local", progress=False, repeats=2)
    ray = es.run(
        twelve,
        "ref:noise",
        out=tmp_path / "ray",
        progress=False,
        repeats=2,
        engine="ray",
    )
    assert differences(local, ray) == []


def opinion(asked: Asked) -> Outcome:
    return {"answer": "No" if "thing 0.1 " in asked.text else "Yes", "reason": "one sees it"}


def test_a_judged_run_equals_the_local_one_and_its_key_is_nowhere(
    cluster: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    suite = es.load_suite("picabench", root=make_picabench(tmp_path / "data", 8))
    with JudgeServer(opinion, keys=[KEY]) as server:
        local, ray = (
            es.run(
                suite,
                counted(tmp_path / "log", workers=2),
                server.spec(),
                out=tmp_path / engine,
                cache="off",
                progress=False,
                engine=engine,
            )
            for engine in ("local", "ray")
        )
        assert len(server.asked) == 2 * 16
    assert differences(local, ray) == []
    assert ray.coverage == {"ok": 8}
    for folder in (ray.path, cluster.logs):
        files = [path for path in folder.rglob("*") if path.is_file()]
        assert files
        assert not [path for path in files if KEY.encode() in path.read_bytes()]


@pytest.mark.drill(only=True)
def test_a_spent_budget_ends_a_run_on_the_cluster_and_no_verdict_is_asked_again(
    cluster: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    data = make_picabench(tmp_path / "data", 4)
    with JudgeServer(opinion, keys=[KEY]) as server:
        settings = {"out": tmp_path / "run", "cache": "off", "progress": False, "engine": "ray"}
        suite, editor = es.load_suite("picabench", root=data), f"folder:{data / 'input_img'}"
        with pytest.raises(Stopped, match="the budget of 3 judge calls is spent"):
            es.run(suite, editor, server.spec(), max_calls=3, **settings)  # type: ignore[arg-type]
        assert len(server.asked) == 3
        run = resume(tmp_path / "run", progress=False, engine="ray", max_calls=100)
        assert run.coverage == {"ok": 4}
        assert len(server.asked) == 8


@pytest.mark.drill(only=True)
def test_what_the_local_engine_began_is_finished_on_the_cluster(
    cluster: Nodes, twelve: es.Suite, tmp_path: Path
) -> None:
    log, part = tmp_path / "log", tmp_path / "part"
    whole = es.run(twelve, counted(log), out=tmp_path / "whole", progress=False)
    log.unlink()
    shutil.copytree(whole.path, part)
    lines = (part / "journal.jsonl").read_text().splitlines(keepends=True)[:9]
    (part / "journal.jsonl").write_text("".join(lines))
    done = {str(json.loads(line)["image"]) for line in lines if '"step":"edit"' in line}
    for image in (part / "images").rglob("*.png"):
        if image.relative_to(part).as_posix() not in done:
            image.unlink()
    again = resume(part, progress=False, engine="ray")
    assert differences(whole, again) == []
    assert len(made(log)) == 12 - len(done)


def test_an_editor_that_kills_its_process_has_an_error_and_all_others_their_scores(
    cluster: Nodes, twelve: es.Suite, tmp_path: Path
) -> None:
    spec = counted(tmp_path / "log").replace("Counted", "Deadly")
    run = es.run(twelve, spec, out=tmp_path / "run", progress=False, engine="ray")
    assert run.coverage == {"ok": 11, "error": 1}
    assert (run.case("border/001").reason or "").startswith("worker died (its process on node ")
    assert {count for case, count in Counter(case for case, _, _ in made(tmp_path / "log")).items()} <= {1, 2}


def test_a_lost_node_costs_nothing_but_the_steps_in_hand(
    cluster: Nodes, make_set: Callable[..., Path], tmp_path: Path
) -> None:
    suite = es.load_suite("paintbench", root=make_set(tmp_path / "set", per_task=12))
    log = tmp_path / "log"
    lost: list[str] = []
    nodes = {node.node_id: node for node in (*cluster.others, cluster.add())}

    def kill_one_in_the_middle() -> None:
        while not lost:
            busy = Counter(node for _, _, node in made(log) if node in nodes)
            lost.extend(node for node, edits in busy.most_common(1) if edits >= 3)
            time.sleep(0.02)
        cluster.kill(nodes[lost[0]])

    killer = threading.Thread(target=kill_one_in_the_middle, daemon=True)
    killer.start()
    spec = counted(log, workers=4, takes=0.5, together=4)
    run = es.run(suite, spec, out=tmp_path / "run", progress=False, engine="ray")
    killer.join(600)
    assert lost
    assert run.complete
    assert run.coverage == {"ok": 48}
    lines = journal(run)
    assert len(lines) == len({(line["step"], line["case"]) for line in lines}) == 2 * 48
    begun = Counter(case for case, _, _ in made(log))
    assert set(begun) == set(suite.ids)
    assert max(begun.values()) <= 2
    twice = {case for case, count in begun.items() if count > 1}
    assert twice <= {case for case, _, node in made(log) if node == lost[0]}
    assert len(twice) <= IN_HAND * len({pid for _, pid, node in made(log) if node == lost[0]})


@pytest.mark.drill(only=True)
def test_a_run_waits_for_a_node_with_a_gpu_and_says_so(
    cluster: Nodes,
    twelve: es.Suite,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(ray_bridge, "WAIT_SAID_S", 0.5)
    said: list[str] = []
    lacks = Cluster.lacks

    def lacks_and_then_has(self: Any, resource: str) -> str:
        said.append(lacks(self, resource))
        cluster.join_with_gpu()
        return said[-1]

    monkeypatch.setattr(Cluster, "lacks", lacks_and_then_has)
    spec = counted(tmp_path / "log", gpu="true")
    run = es.run(twelve, spec, out=tmp_path / "run", limit=3, engine="ray")
    assert run.coverage == {"ok": 3}
    assert said[0].startswith("waiting for a node with a free GPU (the cluster has 0 GPUs on ")
    assert said[0] in capsys.readouterr().err
    assert len({node for _, _, node in made(tmp_path / "log")}) == 1


def test_what_a_node_does_not_see_is_said_before_anything_is_spent(
    cluster: Nodes, twelve: es.Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_engine, "_seen", lambda plan: (("the data of the suite", "/not/on/this/node"),))
    with pytest.raises(
        BadInput, match=r"the data of the suite /not/on/this/node does not exist; .* \(on node [\d.]+\)"
    ):
        es.run(twelve, "ref:noise", out=tmp_path / "run", progress=False, engine="ray")
    assert not (tmp_path / "run").exists()


SCRIPT = """
import os, sys
import editscope as es

class Mine(es.Editor):
    driver = os.getpid()

    def edit(self, case):
        assert os.getpid() != self.driver
        return case.images[0]

run = es.run(es.load_suite("paintbench", root=sys.argv[1]), Mine(), out=sys.argv[2], limit=4, engine="ray",
             ray_address=sys.argv[3], progress=False)
print(run.coverage)
"""


@pytest.mark.drill(only=True)
def test_a_class_of_a_script_travels_to_the_nodes(cluster: Nodes, small_set: Path, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, *map(str, (tmp_path / "script.py", small_set, tmp_path / "run")), cluster.address]
    called = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert called.stdout == "{'ok': 4}\n", called.stderr


@pytest.mark.drill(only=True)
def test_a_run_whose_driver_and_workers_are_killed_ends_as_if_they_had_not_been(
    cluster: Nodes, make_set: Callable[..., Path], tmp_path: Path
) -> None:
    drill = Drill(RaySite(tmp_path, make_set, cluster.address))
    for number in range(counts.lives(SHARE)):
        drill.life(number)
