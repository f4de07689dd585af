"""Messages that end a run early: the reason, the fix, and the command that resumes it."""

from __future__ import annotations

import re
import shlex

from editscope.editors.kinds import editor_kind
from editscope.editors.spec import parse_spec
from editscope.errors import EditscopeError, Stopped
from editscope.runfolder.files import EDITOR_LOG, ERRORS
from editscope.runs.engine.capacity import paid
from editscope.runs.engine.first_results import FailedAlike
from editscope.runs.plan import Plan

LONGEST_REASON = 400

_KEY = re.compile(
    r"\b40[13]\b|unauthori[sz]ed|forbidden|api[ _-]?key|does not accept the key|credential", re.IGNORECASE
)
_MEMORY = re.compile(r"out of memory|OutOfMemory|MemoryError|cannot allocate", re.IGNORECASE)
_MODULE = re.compile(r"(?:ModuleNotFoundError|ImportError): No module named '?([\w.]+)")
_PICTURE = re.compile(r"; give (a path, a PIL image|a NumPy array|one picture of|height × width)|convert it to uint8")
_RESUME = re.compile(r"; resume with(?: a higher limit)?:? editscope(?: resume |\.run\().*$", re.DOTALL)
HIGHER = re.compile(r"; resume the run with a higher (--[\w-]+)$")
RETURNS = "return the picture itself from edit: a PIL image, an array of height × width × 3, a path or an es.Edit"


def resumable(plan: Plan, stop: EditscopeError) -> Stopped:
    """The error that ends a run that can be resumed: what happened, and how to resume it."""
    message = str(stop)
    if isinstance(stop, FailedAlike):
        return Stopped(_failed_alike(plan, stop))
    if "editscope resume" in message:  # it already says how to resume
        return Stopped(message)
    more = HIGHER.search(message)
    if more and plan.resumable:  # one command, with the option in it
        return Stopped(f"{message[: more.start()]}; resume with a higher limit: {_resume(plan)} {more[1]} N")
    return Stopped(f"{message}; resume with{':' if plan.resumable else ''} {_resume(plan)}")


def without_resume(message: str) -> str:
    """A message of ``resumable`` without its command, for a caller that resumes in another way.

    >>> without_resume("the judge is down; resume with: editscope resume out"), without_resume("stopped")
    ('the judge is down', 'stopped')
    """
    return _RESUME.sub("", message)


def _failed_alike(plan: Plan, stop: FailedAlike) -> str:
    reason = stop.reason if len(stop.reason) <= LONGEST_REASON else f"{stop.reason[:LONGEST_REASON]}…"
    edits = stop.what == "edits"
    if _PICTURE.search(reason):
        reason = reason.partition("; ")[0]  # the fix says it better
    place = f", {stop.place}" if stop.place else ""
    parts = [
        f"the first {stop.count} {stop.what} all failed for the same reason ({stop.status}): "
        f"{reason or 'unknown'}{place}"
    ]
    parts += [f"fix: {fix}"] if (fix := _fix(plan, stop)) else []
    logs = [name for name in (ERRORS, *((EDITOR_LOG,) if edits else ())) if (plan.out / name).is_file()]
    parts += [f"details: {' and '.join(str(plan.out / name) for name in logs)}"] if logs else []
    if not edits:
        flags = " --ask-again" if plan.resumable else ""
        parts.append(f"then: {_resume(plan)}{flags}")
    elif plan.resumable and paid(plan.editor):
        flag = "--edit-again" if stop.status == "error" else "--edit-again-all"
        parts.append(f"then: {_resume(plan)} {flag}")
    else:
        parts.append(f"then: {_resume(plan)} makes these edits again and goes on")
    going = "--keep-going" if plan.resumable else "keep_going=True"
    return "\n  ".join([*parts, f"to continue whatever fails: {going}"])


def _resume(plan: Plan) -> str:
    if not plan.resumable:
        return f"editscope.run(suite, editor, out={str(plan.out)!r})"
    return f"editscope resume {shlex.quote(str(plan.out))}"


def _fix(plan: Plan, stop: FailedAlike) -> str:
    """What would most likely help; "" where the reason says it itself, or nobody knows."""
    reason = stop.reason
    if stop.what != "edits":
        return _judge_fix(plan, stop)
    if _PICTURE.search(reason):
        return RETURNS
    if reason == "the editor returned nothing":
        return f"{RETURNS} (does it end without a return statement?)"
    if module := _MODULE.search(reason):
        return f"pip install {module[1].partition('.')[0]}"
    if _KEY.search(reason):
        return f"check the key{_variable(plan.editor_spec)}"
    if _MEMORY.search(reason):
        return "free memory, or let the model see smaller pictures or smaller batches"
    if reason.startswith("timed out after"):
        return "start a new run with a longer --timeout, or make the editor faster"
    if reason.startswith("worker died"):
        return f"its process ended in the middle of an edit; {EDITOR_LOG} has what it printed, and memory may be short"
    return ""


def _judge_fix(plan: Plan, stop: FailedAlike) -> str:
    judge = stop.what.removeprefix("verdicts of ")
    if _KEY.search(stop.reason):
        return f"check the key of {judge}"
    if stop.status == "unparsed":
        return "use a model that replies in the form that the prompts ask for"
    return ""


def _variable(spec: str | None) -> str:
    """The variable that holds the key of an editor, for a sentence; "" where nobody knows it."""
    try:
        inner = parse_spec(spec or "").chain[-1]
        name = str(inner.options.get("key_env") or editor_kind(inner.kind).key_env)
    except EditscopeError:
        return ""
    return f" in {name}" if name else ""
