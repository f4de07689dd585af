"""Workers of a run: which processes do its work, with which part of it, and what they are given."""

from __future__ import annotations

from functools import partial

from editscope.editors import Editor
from editscope.runs.engine.capacity import paid, slots
from editscope.runs.engine.gpus import visible_gpus
from editscope.runs.engine.worker_process import WorkerSetup
from editscope.runs.engine.workers import WorkerPlan
from editscope.runs.judging.prepare import judged_case_steps
from editscope.runs.plan import Plan
from editscope.runs.shipping import pickled, suite_setup
from editscope.transport.account import Account

MOST_KEEPERS = 8
"""More threads beside an editor than this wait for each other, not for work."""


def worker_plan(plan: Plan, jobs: int, account: Account | None, *, local: bool) -> WorkerPlan:
    """Who does the work on this machine; another engine takes it from there."""
    editor, limits = plan.editor, plan.edit_limits
    shipped: str | bytes | None = plan.editor_spec
    local_editor: Editor | None = None
    if shipped is None:
        shipped = pickled(editor)
        local_editor = editor if shipped is None else None
    fused = editor.workers is None and not editor.gpu and local_editor is None
    gpus = visible_gpus() if editor.gpu and local and local_editor is None else ()
    editing = 1 if local_editor is not None else jobs if editor.workers is None else max(1, editor.workers)
    if gpus:
        editing = len(gpus) if editor.workers is None else min(editing, len(gpus))
    steps = None
    if plan.judging is not None:
        steps = partial(judged_case_steps, protocol=plan.judging.protocol, cache_folder=plan.judging.prepared_folder)
    suite = suite_setup(plan.suite)
    setup = WorkerSetup(
        suite,
        shipped,
        plan.out.absolute(),
        plan.seed,
        steps,
        limits,
        account=account,
        keepers=max(1, min(MOST_KEEPERS, jobs // editing)),
    )
    return WorkerPlan(
        setup,
        jobs=jobs,
        editing=editing,
        fused=fused,
        # Reference editors and folders cost nothing; a model's edit is paid for and never asked for twice.
        free=editor.free,
        local_editor=local_editor,
        # Pixels are scored where they are, which spares drawing the case and reading the edit again; what a judge is
        # to be shown takes longer than an edit should wait for.
        beside=local and not fused and local_editor is None and plan.judging is None,
        at_once=slots(editor, limits),
        batch=max(1, editor.batch),
        gpus=gpus,
        paid=paid(editor),
    )
