"""Note on a run whose editor's code has changed since some of its edits were made."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from editscope.runfolder.code_versions import CODE
from editscope.runfolder.run_json import FILE, read_info
from editscope.runs.editor_code import code_of, made_by_other_code
from editscope.runs.plan import Plan
from editscope.runs.remaining import done_so_far
from editscope.wording import count

if TYPE_CHECKING:
    from rich.console import Console


def code_note(plan: Plan) -> str:
    """What the user should know before a run goes on with other code than it began with; "" where there is nothing.

    Only edits that stay count: failed ones that are made again do not. Where the code is the one that made them all,
    the journal is not read.
    """
    code = code_of(plan.editor)
    if code is None or "edits_of" in plan.info or not (plan.out / FILE).exists():
        return ""
    versions = read_info(plan.out)["editor"].get(CODE, ())
    if all(version["hash"] == code.hash for version in versions):
        return ""
    edits = done_so_far(plan).edits
    # Edits whose line names no version are those of an older Editscope: nobody knows what made them.
    other = sum(bool(edits[step].get(CODE)) for step in made_by_other_code(plan, edits))
    if not other:
        return ""
    every = plan.repeats * sum(len(plan.suite.variants(case_id)) for case_id in plan.ids)
    part = count(every, "edit") if other == every else f"{other:,} of {count(every, 'edit')}"
    again = "To measure the code of now, give another folder."
    if plan.resumable:
        again = f"To make them again: editscope resume {shlex.quote(str(plan.out))} --edit-again-changed"
    keep = "it keeps its score" if other == 1 else "they keep their scores"
    return f"{code.file} has changed since {part} {'was' if other == 1 else 'were'} made; {keep}. {again}"


def say_code_note(plan: Plan, console: Console) -> None:
    """Print the note, where there is one."""
    if note := code_note(plan):
        console.print(f" note: {note}", markup=False)
