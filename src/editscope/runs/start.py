"""Doing a run: plan, edit and score what the journal does not have yet, then write the tables."""

from __future__ import annotations

import os
import pickle
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editscope.editors import Editor
from editscope.errors import BadInput, Stopped
from editscope.runs.disk import DiskError
from editscope.runs.engine import Crew, Engine
from editscope.runs.journal import Journal, progress, read_journal
from editscope.runs.plan import Plan, make_plan, plan_again, start_folder
from editscope.runs.progress import meter
from editscope.runs.record import Run, open_run
from editscope.runs.tables import SCORES, SUMMARY, scored, write_tables
from editscope.runs.worker import Job, Setup
from editscope.suites import Suite, load_suite, parse_where, suite_names

if TYPE_CHECKING:
    from rich.console import Console


def run(
    suite: Suite | str,
    editor: Editor | str,
    judge: None = None,
    out: str | Path | None = None,
    *,
    jobs: int | None = None,
    limit: int | None = None,
    where: Mapping[str, str | Sequence[str]] | None = None,
    timeout: float | None = None,
    seed: int = 0,
    progress: bool = True,
) -> Run:
    """Edit and score the cases of a suite; the run it returns is on disk.

    ``suite`` is a Suite or a name, ``editor`` an Editor or a spec such as ``"folder:outputs"``. ``out`` is
    the run folder (a new one in ``runs/`` if None); given a folder that holds the same run, it goes on with
    it. ``jobs`` worker processes (one per core if None); ``limit`` and ``where={"task": "border"}`` take a
    part of the suite; ``timeout`` is seconds for one edit. Raises Stopped when it was interrupted and can be
    resumed.
    """
    if judge is not None:
        raise BadInput("this version has no judges yet; leave judge out")
    if isinstance(suite, str):
        suite = load_suite(suite)
    chosen = None if where is None else parse_where(f"{tag}={_joined(values)}" for tag, values in where.items())
    plan = make_plan(suite, editor, out=out, where=chosen, limit=limit, seed=seed, timeout=timeout)
    return execute(plan, jobs=jobs, console=_console() if progress else None)


def resume(folder: str | Path, *, jobs: int | None = None, progress: bool = True) -> Run:
    """Go on with a run that was stopped or killed; finished steps are not repeated."""
    return execute(plan_again(Path(folder)), jobs=jobs, console=_console() if progress else None)


def execute(plan: Plan, *, jobs: int | None = None, console: Console | None = None) -> Run:
    """Do what a plan says, as far as the journal does not have it yet."""
    jobs = cores() if jobs is None else jobs
    if jobs < 1:
        raise BadInput(f"--jobs must be at least 1, not {jobs}")
    crew = _crew(plan, jobs)
    try:
        start_folder(plan)
        with Journal(plan.out) as journal:
            _work(plan, crew, journal, console)
            _finish(plan)
    except DiskError as error:
        if not read_journal(plan.out):
            raise BadInput(str(error)) from error
        raise _resumable(plan, str(error)) from error
    except Stopped as stop:
        raise _resumable(plan, str(stop)) from stop
    return open_run(plan.out)


def cores() -> int:
    """How many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def _work(plan: Plan, crew: Crew, journal: Journal, console: Console | None) -> None:
    done = progress(read_journal(plan.out))
    to_edit, to_score = [], []
    for index, case_id in enumerate(plan.ids):
        step = (case_id, "")
        if step not in done.edits:
            to_edit.append(Job(case_id, index))
        elif step not in done.scores:
            to_score.append(Job(case_id, index, done.edits[step]))
    with meter(console, len(plan.ids), len(plan.ids) - len(to_edit) - len(to_score)) as shown:
        engine = Engine(crew, journal, plan.out, plan.timeout_s, shown)
        engine.work(to_edit, to_score, spent=bool(done.edits))


def _finish(plan: Plan) -> None:
    if not ((plan.out / SCORES).exists() and (plan.out / SUMMARY).exists()):
        write_tables(plan.out, plan.info, scored(progress(read_journal(plan.out))))


def _resumable(plan: Plan, said: str) -> Stopped:
    if plan.editor_spec is None:
        return Stopped(f"{said}; go on with editscope.run(suite, editor, out={str(plan.out)!r})")
    return Stopped(f"{said}; go on with: editscope resume {shlex.quote(str(plan.out))}")


def _crew(plan: Plan, jobs: int) -> Crew:
    editor = plan.editor
    shipped: str | bytes | None = plan.editor_spec
    at_home: Editor | None = None
    if shipped is None:
        shipped = _pickled(editor)
        at_home = editor if shipped is None else None
    fused = editor.workers is None and at_home is None
    editing = 1 if at_home is not None else jobs if editor.workers is None else max(1, editor.workers)
    setup = Setup(_suite_setup(plan.suite), shipped, plan.out.absolute(), plan.seed)
    # Reference editors and folders cost nothing; a model's edit is paid for and never asked for twice.
    free = editor.needs_answer or editor.in_place
    return Crew(setup, jobs=jobs, editing=editing, fused=fused, free=free, at_home=at_home)


def _suite_setup(suite: Suite) -> bytes | tuple[str, dict[str, Any]]:
    """The suite as workers get it: as it is, which spares them reading a folder again, or by name."""
    pickled = _pickled(suite)
    if pickled is not None:
        return pickled
    if suite.name not in suite_names():
        raise BadInput(
            f"suite {suite.name} is not installed and cannot be sent to workers; define its class in a module"
        )
    return suite.name, dict(suite.options)


def _pickled(thing: object) -> bytes | None:
    """The thing as bytes that another process can read; None where its class lives only in this one."""
    if type(thing).__module__ == "__main__":
        return None
    try:
        return pickle.dumps(thing)
    except Exception:
        return None


def _joined(values: str | Sequence[str]) -> str:
    return values if isinstance(values, str) else ",".join(values)


def _console() -> Console:
    from rich.console import Console

    return Console(stderr=True)
