"""The Ray engine: the loop of the local one, with workers anywhere in a cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from editscope.editors import Editor
from editscope.editors.folder import FolderEditor
from editscope.runs.engine.workers import WorkerPlan
from editscope.runs.plan import Plan
from editscope.runs.ray.cluster import Cluster, joined, keys_for
from editscope.runs.ray.dispatcher import RayDispatcher, WorkerNeeds


@contextmanager
def ray_worker_plan(
    plan: Plan, workers: WorkerPlan, address: str | None = None, *, jobs: int | None = None
) -> Iterator[WorkerPlan]:
    """The worker plan of a run, with its workers in a Ray cluster; a cluster that was started for it ends with it.

    ``address`` is ``ip:port``, ``"auto"`` or ``"local"``; None takes RAY_ADDRESS, a cluster that runs here, or a new
    one. ``jobs`` is how many workers there may be at a time: as many as the cluster has cores if None.
    """
    with joined(address, jobs=jobs) as cluster:
        shipped = _shipped(plan, workers, cluster, jobs)
        dispatcher = RayDispatcher(
            cluster, WorkerNeeds(plan.out.absolute(), plan.editor.gpu, _seen(plan), keys_for(plan.editor_spec or ""))
        )
        try:
            yield replace(shipped, start_worker=dispatcher.start_worker)
        finally:
            dispatcher.close()


def _shipped(plan: Plan, workers: WorkerPlan, cluster: Cluster, jobs: int | None) -> WorkerPlan:
    """The worker plan with an editor that can travel, and with as many workers as the cluster has room for."""
    setup, local_editor, editor = workers.setup, workers.local_editor, plan.editor
    if local_editor is not None:
        traveling = _traveling(cluster, local_editor)
        setup, local_editor = (setup, local_editor) if traveling is None else (replace(setup, editor=traveling), None)
    if setup.steps is not None:
        # What was prepared before is remembered with the place of its thumbnails, which here is a scratch folder.
        setup = replace(setup, steps=partial(setup.steps, cache_folder=None))  # type: ignore[call-arg]
    room = jobs or max(1, cluster.cpus)
    return replace(
        workers,
        setup=replace(setup, account=None),  # its file is on this machine
        account=setup.account,
        edit_price=(editor.estimate(1) or 0.0) if setup.account is not None else 0.0,
        local_editor=local_editor,
        jobs=room,
        editing=_editing(editor, jobs, cluster, local_editor),
        beside=False,
        gpus=(),
        fused=editor.workers is None and not editor.gpu and local_editor is None,
    )


def _editing(editor: Editor, jobs: int | None, cluster: Cluster, local_editor: Editor | None) -> int:
    """How many workers hold the editor: as many as it says; else as many as there may be jobs, or GPUs, or cores.

    More than the cluster has room for wait for a place, which makes a cluster grow that can.
    """
    if local_editor is not None:
        return 1
    if editor.workers is not None:
        return max(1, editor.workers)
    return jobs or max(1, cluster.gpus if editor.gpu else cluster.cpus)


def _traveling(cluster: Cluster, editor: Editor) -> bytes | None:
    """An editor as bytes that any node can read, classes of a script or notebook included; None where it cannot."""
    try:
        data: bytes = cluster.ray.cloudpickle.dumps(editor)
    except Exception:
        return None
    return data


def _seen(plan: Plan) -> tuple[tuple[str, str], ...]:
    """What every node must see at the same path, each with a word for what it is."""
    paths: list[tuple[str, Any]] = [("the data of the suite", plan.suite.options.get("root"))]
    if isinstance(plan.editor, FolderEditor):
        paths.append(("the folder of edits", plan.editor.root))
    if plan.judging is not None:
        paths.append(("the folder of prompts", plan.judging.protocol.prompts))
    return tuple((what, str(Path(path).absolute())) for what, path in paths if path and Path(path).exists())
