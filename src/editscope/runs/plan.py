"""Plans of runs, checked before anything is spent, and the run.json that records them."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from editscope.cases import NOTHING
from editscope.editors import Editor, Inventory, load_editor
from editscope.editors.base import EditLimits, check_attributes
from editscope.errors import BadInput
from editscope.outside import kind_of, received_json
from editscope.runfolder.files import write_whole
from editscope.runfolder.journal import JournalReader, Line, Step
from editscope.runfolder.repeats import check_more, check_repeats, file_names, repeated, repeats_of
from editscope.runfolder.run_json import FILE, FORMAT, Info, aggregation_json, info_json, is_judged, read_info
from editscope.runfolder.stored_edits import problem_with_file, stored_at
from editscope.runs.budget import budget_of
from editscope.runs.checks import check_all_there, check_texts, check_units
from editscope.runs.choose_folder import check_same, run_folder
from editscope.runs.edit_limits import checked_limits, limits_of, settings_with_limits
from editscope.runs.editor_code import check_edit_again
from editscope.runs.editor_identity import editor_info
from editscope.runs.judging.batches import limits_of_batches
from editscope.runs.judging.settings import Judging, Limits, judging_again
from editscope.runs.selection import digest_in, ids_digest, selected, selection_json, where_of
from editscope.suites import Suite, Where, load_suite
from editscope.version import __version__
from editscope.wording import part_of_cases

__all__ = ["Plan", "check_folder", "check_units", "make_plan", "output_names", "plan_again", "write_info"]


@dataclass(frozen=True, eq=False)
class TakenOver:
    """What a new run takes over from a finished one: lines of its journal, and its thumbnails."""

    lines: tuple[Line, ...]
    folder: Path


@dataclass(frozen=True, eq=False)
class Plan:
    """A run that can start: the suite, the cases of it, the editor, and the folder."""

    suite: Suite
    ids: tuple[str, ...]
    editor: Editor
    inventory: Inventory
    out: Path
    info: Info
    judging: Judging | None = None
    edit_again: tuple[str, ...] = ()
    """Edits that ended with one of these statuses are made once more; "changed" is about the editor's code."""
    taken_over: TakenOver | None = None
    """What its journal starts with, where it counts the verdicts of another run."""
    keep_going: bool = False
    """Whether it goes on where the first edits, or the first verdicts of a judge, all fail alike."""

    @cached_property
    def journal(self) -> JournalReader:
        """The journal of the run, as far as it is there."""
        return JournalReader(self.out, judged=self.judging is not None)

    @cached_property
    def damaged(self) -> frozenset[Step]:
        """Edits whose file is missing or is not the one that was stored; ``edit_again`` makes them once more."""
        return _damaged(self) if self.edit_again else frozenset()

    @property
    def repeats(self) -> int:
        """How many edits each case gets."""
        return repeats_of(self.info)

    @property
    def jobs(self) -> int:
        """How many jobs it has in all: every repeat of every case is one."""
        return self.repeats * len(self.ids)

    @property
    def edit_limits(self) -> EditLimits:
        """How fast the editor may be asked and what it may spend."""
        return limits_of(self.info)

    @property
    def budget(self) -> float | None:
        """Dollars that the run may spend in all, edits and judges together; None where nobody said."""
        budget = self.info["settings"].get("budget")
        return None if budget is None else float(budget)

    @property
    def seed(self) -> int:
        """The seed of the run, from which every edit has its own."""
        return int(self.info["seed"])

    @property
    def timeout_s(self) -> float | None:
        """How long one edit may take."""
        timeout = self.info["settings"]["timeout_s"]
        return None if timeout is None else float(timeout)

    @property
    def editor_spec(self) -> str | None:
        """The spec from which another process can load the editor; None for an object, or edits of another run."""
        spec: str | None = None if "edits_of" in self.info else self.info["editor"]["spec"]
        return spec

    @property
    def resumable(self) -> bool:
        """Whether the command line can go on with it: nothing of it lives in this process only."""
        judges = self.info.get("judging", {}).get("judges", ())
        reloadable = self.editor_spec is not None or "edits_of" in self.info
        return reloadable and not any(judge.startswith("object ") for judge in judges)

    def headline(self, listed: str = "in run.json") -> str:
        """The first line of a run: what, how many, by whom, and what is wrong with the files, ``listed`` there."""
        editor = self.info["editor"]
        shown = editor["spec"] or editor["name"]
        if shown.startswith("folder:"):
            shown = f"folder:{self.editor.name}"
        often = f" × {self.repeats}" if self.repeats > 1 else ""
        parts = [self.suite.name, part_of_cases(self.info["selection"]) + often, f"editor {shown}"]
        if self.judging is not None:
            parts.append(f"judge {self.judging.label}")
            protocol, plain = self.judging.protocol, not self.judging.protocol.options
            own = protocol.name == self.suite.default_protocol and (plain or bool(self.suite.rubric_options))
            parts += [] if own else [f"protocol {protocol}"]
        return " · ".join([*parts, *self._files_said(listed)])

    def _files_said(self, listed: str) -> list[str]:
        inventory = self.inventory
        if inventory.outputs is None:
            return []
        parts = [_counted(inventory.outputs, "output")]
        if inventory.missing:
            parts.append(f"{len(inventory.missing):,} missing")
        if inventory.unreadable:
            parts.append(f"{len(inventory.unreadable):,} unreadable")
        text = ", ".join(parts) + (f" (listed {listed})" if len(parts) > 1 else "")
        if inventory.unmatched:
            files = "file matches" if len(inventory.unmatched) == 1 else "files match"
            text += f", {len(inventory.unmatched):,} {files} no case"
        return [text]


def make_plan(
    suite: Suite,
    editor: Editor | str,
    *,
    out: str | Path | None = None,
    where: Where | None = None,
    limit: int | None = None,
    seed: int = 0,
    timeout: float | None = None,
    judging: Judging | None = None,
    repeats: int = 1,
    edit_limits: EditLimits | None = None,
    budget: float | None = None,
    also: Mapping[str, Any] = NOTHING,
    cases_like: str | Path | None = None,
) -> Plan:
    """Check everything that can be checked and decide where the run goes; writes nothing.

    ``judging`` is for suites that a judge scores, or for another protocol on any suite; ``repeats`` is how many edits
    each case gets, each with a seed of its own; ``budget`` is in dollars; ``also`` goes into run.json. ``cases_like``
    is a run whose cases it is to have, should another version have chosen them.
    """
    if suite.scoring != "pixels" and judging is None:
        raise BadInput(f"suite {suite.name} is scored by a judge; choose one with --judge, such as openai:gpt-4o")
    if timeout is not None and not timeout > 0:
        raise BadInput(f"--timeout must be a number of seconds above 0, not {timeout:g}")
    check_repeats(repeats)
    spec = editor if isinstance(editor, str) else None
    if isinstance(editor, str):
        editor = load_editor(editor)
    elif not isinstance(editor, Editor):
        raise BadInput(
            f"the editor is {kind_of(editor)}, neither a spec nor an editscope.Editor; to run your model, write a "
            "class MyEditor(editscope.Editor) whose method edit(self, case) calls it and returns the picture"
        )
    else:
        check_attributes(editor, f"the editor {type(editor).__name__}")
    described = editor_info(editor, spec)
    ids = selected(suite, where, limit, digest_in(out) or digest_in(cases_like))
    if not ids:
        raise BadInput(f"suite {suite.name} has no cases to run")
    suite.check()
    check_texts(suite, ids)
    if judging is not None:
        check_units(suite, ids, judging)
    inventory = editor.inventory(ids, suite.ids, output_names(suite, repeats))
    if judging is not None and judging.missing == "fail":
        check_all_there(inventory)
    info = _info(suite, ids, described, inventory, where, limit, seed)
    info["settings"] = {"timeout_s": timeout, "repeats": repeats}
    info["settings"] = settings_with_limits(info, edit_limits and checked_limits(edit_limits))
    if judging is not None:
        info |= {
            "judge": judging.label,
            "judging": judging.described(),
            "aggregation": aggregation_json(judging.aggregation(suite)),
        }
    info |= also
    folder = run_folder(out, info)
    if (folder / FILE).exists():  # a run that goes on keeps its tables, whatever the suite's default is by now
        info["aggregation"] = (there := read_info(folder))["aggregation"]
        budget = budget_of(there, folder) if budget is None else budget
    if budget is not None:
        info["settings"] = {**info["settings"], "budget": budget}
    return Plan(suite, ids, editor, inventory, folder, received_json(info), judging)


def output_names(suite: Suite, repeats: int = 1) -> dict[str, dict[str, tuple[str, ...]]]:
    """Where the edits of a judged suite lie in a folder of edits; pixel suites have the released names.

    With repeats each edit is there as often, under the name of its variant in that repeat.
    """
    judged = suite.scoring == "judged"
    if not judged and repeats == 1:
        return {}
    return {
        case_id: {
            repeated(variant, repeat): file_names(suite, case_id, variant, repeat) if judged else ()
            for repeat in range(repeats)
            for variant in suite.variants(case_id)
        }
        for case_id in suite.ids
    }


def check_folder(plan: Plan) -> bool:
    """Whether the run is new; BadInput where its folder has got another run since the plan was made.

    Only who holds the run's lock can know: before that, another process may still be at work there.
    """
    if not (plan.out / FILE).exists():
        return True
    check_same(plan.out, read_info(plan.out), plan.info)
    return False


def write_info(plan: Plan) -> None:
    """Write run.json, unless the run has one; only who holds the run's lock may.

    A run that is there with fewer repeats gets more: its run.json then says so, and all else in it stays.
    """
    if not (plan.out / FILE).exists():
        write_whole(plan.out / FILE, info_json(plan.info), make_folder=False)
        return
    there = read_info(plan.out)
    if repeats_of(there) < plan.repeats:
        there |= {"settings": {**there["settings"], "repeats": plan.repeats}, "files": plan.info["files"]}
        write_whole(plan.out / FILE, info_json(there), make_folder=False)


def plan_again(
    folder: Path,
    *,
    limits: Limits | None = None,
    missing: str | None = None,
    again: bool = False,
    repeats: int | None = None,
    edit_limits: EditLimits | None = None,
    edit_again: tuple[str, ...] = (),
    budget: float | None = None,
) -> Plan:
    """The plan of a run that was started before, checked against what is there now.

    For a run with judges ``limits`` and ``missing`` replace those it was started with, and ``again`` asks once more
    what ended without a verdict. ``repeats`` adds repeats to those it has; ``edit_limits`` are
    over those that the editor had; ``edit_again`` names statuses: edits that ended so are made once more, and with
    "changed" those of another version of the editor's code. ``budget`` replaces the one that the run had.
    """
    info = read_info(folder)
    budget = budget_of(info, folder) if budget is None else budget
    if budget is not None:
        info["settings"] = {**info["settings"], "budget": budget}
    if repeats is not None:
        check_more(folder, info, check_repeats(repeats))
        info["settings"] = {**info["settings"], "repeats": repeats}
    info["settings"] = settings_with_limits(info, edit_limits and checked_limits(edit_limits))
    spec = info["editor"]["spec"]
    if spec is None and "edits_of" not in info:
        raise BadInput(
            f"{folder} was made with an editor object from Python ({info['editor']['name']}); "
            f"continue it there with editscope.run(suite, editor, out={str(folder)!r})"
        )
    suite = load_suite(info["suite"]["name"], **info["suite"]["options"])
    if suite.fingerprint != info["suite"]["fingerprint"]:
        raise BadInput(
            f"the cases of {suite.name} ({suite.label()}) are not those that {folder} was started with "
            f"(fingerprint {suite.fingerprint}, was {info['suite']['fingerprint']}); start a new run"
        )
    selection = info["selection"]
    ids = selected(suite, where_of(info), selection["limit"], selection["ids_digest"])
    if ids_digest(ids) != selection["ids_digest"]:
        raise BadInput(f"this version selects other cases for {folder} than the one that started it; start a new run")
    _look_in(info["editor"].get("cwd"))
    editor = _edits_of(info["edits_of"]) if "edits_of" in info else load_editor(spec)
    check_edit_again(editor, edit_again)
    files = info["files"]
    missed, unmatched, unreadable = (tuple(files[key]) for key in ("missing", "unmatched", "unreadable"))
    inventory = Inventory(files.get("outputs"), missed, unmatched, unreadable, files.get("digest", ""))
    limits = limits_of_batches(folder, limits)
    judging = judging_again(suite, info, limits, missing, again) if is_judged(info) else None
    if judging is not None:
        info["judging"] |= {"missing": judging.missing}
    return Plan(suite, ids, editor, inventory, folder, info, judging, edit_again)


def _damaged(plan: Plan) -> frozenset[Step]:
    """The edits of a run whose file is not what it was."""
    edits = plan.journal.read().progress.edits
    return frozenset(
        step
        for step, line in edits.items()
        if line["status"] == "ok" and problem_with_file(stored_at(plan.out, line), line)
    )


def _info(
    suite: Suite,
    ids: tuple[str, ...],
    described: Mapping[str, Any],
    inventory: Inventory,
    where: Where | None,
    limit: int | None,
    seed: int,
) -> Info:
    return {
        "format": FORMAT,
        "editscope": __version__,
        "created": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "suite": {
            "name": suite.name,
            "options": dict(suite.options),
            "fingerprint": suite.fingerprint,
            "scoring": suite.scoring,
            "label": suite.label(),
        },
        "selection": selection_json(suite, ids, where, limit),
        "editor": described,
        "judge": None,
        "seed": seed,
        "aggregation": aggregation_json(suite.aggregation),
        "versions": _versions(),
        "settings": {},
        "files": {
            "outputs": inventory.outputs,
            "missing": list(inventory.missing),
            "unmatched": list(inventory.unmatched),
            "unreadable": list(inventory.unreadable),
            "digest": inventory.digest,
        },
    }


def _edits_of(run: str) -> Editor:
    from editscope.runs.rescore import run_edits

    return run_edits(run)


def _look_in(folder: str | None) -> None:
    """Find a user's module where the run was started, wherever it is resumed."""
    if folder and folder not in sys.path and Path(folder).is_dir():
        sys.path.append(folder)


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version(), "platform": platform.platform()}
    for package in ("numpy", "numba", "pillow", "isal"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "missing"
    return versions


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"
