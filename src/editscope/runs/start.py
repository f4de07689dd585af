"""Execution of runs: plan, edit and score what the journal does not have yet, then write the tables."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from editscope import printing
from editscope.editors import Editor
from editscope.editors.base import EditLimits, check_editor
from editscope.errors import BadInput, Stopped, unknown
from editscope.processes import cores
from editscope.results.judged_tables import snapshots
from editscope.results.run import Run
from editscope.results.stored_tables import PixelScan, kept_summary, make_tables, write_tables
from editscope.results.tables import scored
from editscope.runfolder.files import EDITOR_LOG, ERRORS, IMAGES, THUMBS, DiskError, FolderGone, writing
from editscope.runfolder.journal import FILE as JOURNAL
from editscope.runfolder.journal import Journal, Progress
from editscope.runfolder.run_json import FILE, add_to_judging, read_info
from editscope.runs.budget import read_budget
from editscope.runs.code_note import say_code_note
from editscope.runs.editor_code import sign_edits
from editscope.runs.editor_identity import has_worked
from editscope.runs.engine.first_results import FirstResults
from editscope.runs.engine.loop import Engine
from editscope.runs.engine.worker_process import Job
from editscope.runs.engine.workers import WorkerPlan
from editscope.runs.forecast import say_forecast
from editscope.runs.judging.batches import check_batches, open_batches
from editscope.runs.judging.judge_queue import JudgeQueue
from editscope.runs.judging.loop import JudgedEngine, JudgingContext
from editscope.runs.judging.settings import Judges, Judging, make_judging, read_limits
from editscope.runs.plan import Plan, check_folder, make_plan, plan_again, write_info
from editscope.runs.progress import judging_progress_display, progress_display, with_outcome
from editscope.runs.remaining import done_so_far, failures_to_repeat, nothing_left, todo
from editscope.runs.spending import open_account
from editscope.runs.stop_message import resumable
from editscope.runs.worker_plan import worker_plan
from editscope.suites import Suite, load_suite, parse_where
from editscope.trackers.run_log import log_run
from editscope.trackers.targets import LogTarget, read_targets
from editscope.transport.account import FILE as SPENDING
from editscope.transport.account import Account

LOCAL, RAY = "local", "ray"
ENGINES = (LOCAL, RAY)

if TYPE_CHECKING:
    from rich.console import Console


def run(
    suite: Suite | str,
    editor: Editor | str,
    judge: Judges | None = None,
    out: str | Path | None = None,
    *,
    jobs: int | None = None,
    limit: int | None = None,
    where: Mapping[str, str | Sequence[str]] | None = None,
    timeout: float | None = None,
    seed: int = 0,
    progress: bool = True,
    protocol: str | None = None,
    prompts: str | Path | None = None,
    samples: int = 1,
    missing: str | None = None,
    accounting: str = "ours",
    repeats: int = 1,
    engine: str = "local",
    ray_address: str | None = None,
    edit_limits: EditLimits | None = None,
    keep_going: bool = False,
    budget: float | None = None,
    log: str | Sequence[str] | None = None,
    **limits: Any,
) -> Run:
    """Edit and score the cases of a suite; the run it returns is on disk.

    ``suite`` is a Suite or a name, ``editor`` an Editor or a spec such as ``"folder:outputs"``. ``out`` is
    the run folder (a new one in ``runs/`` if None); given a folder that holds the same run, it goes on with
    it. An Editor is the same where its public attributes are. ``jobs`` worker processes (one per core if None);
    ``limit`` and ``where={"task": "border"}`` take a part of the suite; ``timeout`` is seconds for one edit. Raises
    Stopped when it was interrupted and can be resumed.

    ``judge`` is a spec such as ``"openai:gpt-4o"``, a Judge, or several of them, which are asked the same. ``protocol``
    judges by another suite's rubric, ``prompts`` is a folder that replaces its prompts, ``samples`` asks each question
    so often; ``missing`` says what an edit that is not there counts: ``"worst"`` (the default), ``"skip"`` or
    ``"fail"``; ``accounting="released"`` counts it, and calls that failed, as the authors' tool does. Further names are
    those of ``editscope.runs.judging.settings.Limits``: concurrency, max_cost, max_calls, cache and more.

    ``repeats`` edits each case so often, each time with another seed. ``engine="ray"`` puts the work on a Ray cluster,
    that at ``ray_address`` or the one that is here. ``edit_limits`` is how fast an editor may be asked. ``budget`` is
    in dollars, for edits and judges together, all calls for this run included: the run stops before a request that
    would go over it, and can be resumed with more. Where the first five edits, or the first five verdicts of a judge,
    all fail for the same reason, the run stops; ``keep_going=True`` goes on. ``log`` names trackers that get the
    results, such as ``"tensorboard:logs"`` or ``["wandb:my-project"]``; a failure there is printed and stops nothing.
    """
    targets = read_targets(log)
    if isinstance(suite, str):
        suite = load_suite(suite)
    chosen = None if where is None else parse_where(f"{tag}={_joined(values)}" for tag, values in where.items())
    judging = None
    if judge is not None:
        bounds = read_limits(limits)
        judging = make_judging(
            suite,
            judge,
            protocol=protocol,
            prompts=prompts,
            samples=samples,
            missing=missing,
            accounting=accounting,
            limits=bounds,
        )
    elif protocol is not None or prompts is not None or accounting != "ours" or limits:
        raise BadInput(
            "a protocol, prompts, accounting or limits of judging need a judge, such as judge='openai:gpt-4o'"
        )
    plan = make_plan(
        suite,
        editor,
        out=out,
        where=chosen,
        limit=limit,
        seed=seed,
        timeout=timeout,
        judging=judging,
        repeats=repeats,
        edit_limits=edit_limits,
        budget=None if budget is None else read_budget(budget),
    )
    plan = replace(plan, keep_going=keep_going)
    return _shown_and_logged(plan, progress, targets, jobs=jobs, engine=engine, ray_address=ray_address)


def resume(
    folder: str | Path,
    *,
    jobs: int | None = None,
    progress: bool = True,
    engine: str = "local",
    ray_address: str | None = None,
    edit_limits: EditLimits | None = None,
    edit_again: Sequence[str] = (),
    keep_going: bool = False,
    budget: float | None = None,
    log: str | Sequence[str] | None = None,
    **limits: Any,
) -> Run:
    """Go on with a run that was stopped or killed; finished steps are not repeated.

    ``limits``, ``edit_limits`` and ``budget`` are those of ``editscope.run``, in place of those that the run had.
    ``edit_again`` names statuses, such as ``["error"]``: edits that ended so are made once more; ``["changed"]`` is for
    those of another version of the editor's code. ``keep_going`` and ``log`` are those of ``editscope.run``. A run
    that was begun by one engine may be finished by the other.
    """
    targets = read_targets(log)
    plan = plan_again(
        Path(folder),
        limits=read_limits(limits),
        edit_limits=edit_limits,
        edit_again=tuple(edit_again),
        budget=None if budget is None else read_budget(budget),
    )
    plan = replace(plan, keep_going=keep_going)
    return _shown_and_logged(plan, progress, targets, jobs=jobs, engine=engine, ray_address=ray_address)


def _shown_and_logged(plan: Plan, progress: bool, targets: Sequence[LogTarget], **how: Any) -> Run:
    """Do a plan for a caller in Python, who sees on stderr how it goes, and log it."""
    shown = _console() if progress else None
    say_code_note(plan, shown or _console())
    say_forecast(plan, shown)
    done = with_outcome(execute(plan, console=shown, **how), shown)
    log_run(done, targets, lambda text: _console().print(f" {text}", markup=False, soft_wrap=True))
    return done


def execute(
    plan: Plan,
    *,
    jobs: int | None = None,
    console: Console | None = None,
    engine: str = "local",
    ray_address: str | None = None,
) -> Run:
    """Do what a plan says, as far as the journal does not have it yet."""
    if engine not in ENGINES:
        raise unknown("engine", engine, ENGINES)
    if jobs is not None and jobs < 1:
        raise BadInput(f"--jobs must be at least 1, not {jobs}")
    check_batches(plan.judging, on_ray=engine == RAY)
    plan.editor.limit(plan.edit_limits)
    try:
        # The lock comes first: who does not hold it makes, changes and removes nothing, and asks nobody.
        with Journal(plan.out) as journal, _taken_back(plan, journal), ExitStack() as stack:
            if journal.warning and console is not None:
                console.print(f" note: {journal.warning}", markup=False)
            done = Progress() if (all_done := nothing_left(plan)) else done_so_far(plan)
            to_edit, to_score = ([], []) if all_done else todo(plan, done)
            left = bool(to_edit or to_score)
            account = open_account(plan, bool(to_edit), bool(to_score))
            on_ray = engine == RAY and left
            asking = _judge_queue(plan.judging, account, on_ray, ray_address, jobs) if plan.judging else None
            queue = None if asking is None else stack.enter_context(asking)
            if left:
                open_batches(plan.judging, plan.out, account)
            if to_edit:
                check_editor(plan.editor)
            if queue is not None and left:
                queue.check()
            workers = worker_plan(plan, jobs or cores(), account, local=engine == LOCAL) if left else None
            if workers is not None and on_ray:
                from editscope.runs.ray.engine import ray_worker_plan

                workers = stack.enter_context(ray_worker_plan(plan, workers, ray_address, jobs=jobs))
            journal.check()
            write_info(plan)
            _take_over(plan, journal)
            if workers is not None:
                sign_edits(plan, journal)
                if again := failures_to_repeat(plan):
                    journal.append(*again)
                _sweep(plan.out / IMAGES)
                _work(plan, (to_edit, to_score), done, workers, journal, console, queue)
            journal.check()
            _finish(plan, left)
    except DiskError as error:
        if _began(plan.out):
            raise resumable(plan, error) from error
        raise BadInput(str(error)) from error
    except FolderGone:
        raise
    except Stopped as stop:
        raise resumable(plan, stop) from stop
    finally:
        has_worked(plan.editor)
    return Run(plan.out, read_info(plan.out), journal=plan.journal)


def _take_over(plan: Plan, journal: Journal) -> None:
    """Start a run with the lines and thumbnails of the one that it counts again, in one write, unless it has them."""
    if plan.taken_over is None or not journal.empty:
        return
    thumbs = plan.taken_over.folder / THUMBS
    if thumbs.is_dir():
        with writing(plan.out / THUMBS):
            shutil.copytree(thumbs, plan.out / THUMBS, dirs_exist_ok=True)
    journal.append(*plan.taken_over.lines)


@contextmanager
def _taken_back(plan: Plan, journal: Journal) -> Iterator[None]:
    """Leave nothing of a new run that was refused before its first step, so that the corrected command can have its
    folder. Only who holds the lock may, and only what this call has made is removed."""
    new = check_folder(plan)
    try:
        yield
    except FolderGone:
        raise
    except BaseException as error:
        journal.check()  # where the folder is gone, that is why
        refused = isinstance(error, BadInput | DiskError) or not (plan.out / FILE).exists()
        if new and refused:
            journal.take_back(FILE, ERRORS, EDITOR_LOG, SPENDING)
        raise


def _began(folder: Path) -> bool:
    """Whether a run has a step that is worth going on with."""
    try:
        return bool((folder / JOURNAL).stat().st_size)
    except OSError:
        return False


def _judge_queue(
    judging: Judging, account: Account | None, on_ray: bool, address: str | None, jobs: int | None
) -> AbstractContextManager[JudgeQueue]:
    """How the judges of a run are asked: from this process, or through an actor of a cluster."""
    if not on_ray:
        return JudgeQueue(judging.judges, account)
    from editscope.runs.ray.judge_actor import ray_judge_queue

    return ray_judge_queue(judging, address, jobs=jobs, account=account)


def _work(
    plan: Plan,
    left: tuple[list[Job], list[Job]],
    done_before: Progress,
    workers: WorkerPlan,
    journal: Journal,
    console: Console | None,
    queue: JudgeQueue | None,
) -> None:
    """Make the edits and scores that are left."""
    to_edit, to_score = left
    plan.journal.forget()  # what is left to do has the lines that it needs
    spent = bool(to_score) or len(to_edit) < plan.jobs
    done = plan.jobs - len(to_edit) - len(to_score)
    timeout_s = None if plan.editor.own_clock else plan.timeout_s
    # Which files of a folder are missing was said before the run.
    first = None if plan.keep_going or plan.editor.in_place else FirstResults()
    if plan.judging is None or queue is None:
        with progress_display(console, plan.jobs, done) as listener:
            Engine(workers, journal, plan.out, timeout_s, listener, first).work(to_edit, to_score, spent=spent)
    else:
        judging = plan.judging
        context = JudgingContext(
            judging.rubric, queue, judging.samples, judging.missing, done_before.verdicts, plan.keep_going
        )
        with judging_progress_display(console, plan.jobs, done, queue) as listener:
            engine = JudgedEngine(workers, journal, plan.out, timeout_s, listener, context, first)
            engine.work(to_edit, to_score, spent=spent)


def _finish(plan: Plan, worked: bool) -> None:
    """Write the tables, unless those that are there were made from this very journal."""
    info = read_info(plan.out)
    if plan.judging is not None:
        seen = snapshots(scored(plan.journal.read().progress))
        info = add_to_judging(plan.out, {"missing": plan.judging.missing, "snapshots": seen})
    if worked or kept_summary(plan.out, info, plan.journal.source()) is None:
        if plan.judging is None:
            tables = PixelScan.of(plan.out, info).tables(info)
        else:
            content = plan.journal.read()
            tables = make_tables(info, content.progress, content.source)
        write_tables(plan.out, tables)


def _sweep(images: Path) -> None:
    """Remove what a killed writer left half written; nobody else writes now."""
    for torn in images.rglob(".*_output.png.*"):
        with suppress(OSError):
            torn.unlink()


def _joined(values: str | Sequence[str]) -> str:
    return values if isinstance(values, str) else ",".join(values)


def _console() -> Console:
    return printing.console(stderr=True)
