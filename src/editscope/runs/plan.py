"""What a run is going to do, checked before anything is spent, and the run.json that says so."""

from __future__ import annotations

import json
import os
import platform
import re
import secrets
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeAlias

from editscope import __version__
from editscope.cases import Aggregation, Group
from editscope.editors import Editor, Inventory, load_editor
from editscope.errors import BadInput
from editscope.runs.disk import write_whole, writing
from editscope.runs.journal import FILE as JOURNAL
from editscope.suites import Suite, Where, load_suite

Info: TypeAlias = dict[str, Any]
"""The content of run.json."""

FORMAT = 1
FILE = "run.json"


@dataclass(frozen=True, eq=False)
class Plan:
    """A run that can start: the suite, the cases of it, the editor, and the folder."""

    suite: Suite
    ids: tuple[str, ...]
    editor: Editor
    inventory: Inventory
    out: Path
    info: Info

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
        """The spec from which another process can load the editor; None for an object from Python."""
        spec: str | None = self.info["editor"]["spec"]
        return spec

    def headline(self) -> str:
        """The first line of a run: what, how many, by whom, and what is wrong with the files."""
        editor = self.info["editor"]
        shown = editor["spec"] or editor["name"]
        if shown.startswith("folder:"):
            shown = f"folder:{self.editor.name}"
        parts = [self.suite.name, _counted(len(self.ids), "case"), f"editor {shown}"]
        return " · ".join([*parts, *self._files_said()])

    def _files_said(self) -> list[str]:
        found = self.inventory
        if found.outputs is None:
            return []
        said = [_counted(found.outputs, "output")]
        if found.missing:
            said.append(f"{len(found.missing):,} missing")
        if found.unreadable:
            said.append(f"{len(found.unreadable):,} unreadable")
        text = ", ".join(said) + (" (listed in run.json)" if len(said) > 1 else "")
        if found.unmatched:
            files = "file matches" if len(found.unmatched) == 1 else "files match"
            text += f", {len(found.unmatched):,} {files} no case"
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
) -> Plan:
    """Check everything that can be checked and decide where the run goes; writes nothing."""
    if suite.scoring != "pixels":
        raise BadInput(f"suite {suite.name} is scored by a judge, which this version does not have yet")
    if timeout is not None and not timeout > 0:
        raise BadInput(f"--timeout must be a number of seconds above 0, not {timeout:g}")
    spec = editor if isinstance(editor, str) else None
    if isinstance(editor, str):
        editor = load_editor(editor)
    elif not isinstance(editor, Editor):
        raise BadInput(f"the editor is a {type(editor).__name__}, neither a spec nor an editscope.Editor")
    ids = suite.select(where, limit)
    if not ids:
        raise BadInput(f"suite {suite.name} has no cases to run")
    suite.check()
    inventory = editor.inventory(ids, suite.ids)
    info = _info(suite, ids, editor, spec, inventory, where, limit, seed, timeout)
    return Plan(suite, ids, editor, inventory, _folder(out, info), info)


def start_folder(plan: Plan) -> Info:
    """Make the run folder and its run.json, or find the same run there; the content of its run.json."""
    if (plan.out / FILE).exists():
        return read_info(plan.out)
    with writing(plan.out):
        plan.out.mkdir(parents=True, exist_ok=True)
    write_whole(plan.out / FILE, _json(plan.info))
    return plan.info


def read_info(folder: Path) -> Info:
    """The run.json of a run folder, if it is one that this version understands."""
    path = folder / FILE
    if not path.is_file():
        raise BadInput(f"{folder} is not a run: it holds no {FILE}")
    try:
        info = json.loads(path.read_text(encoding="utf-8"))
        found = info["format"]
        for key in ("suite", "selection", "editor", "seed", "aggregation", "settings"):
            _ = info[key]
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(
            f"{path} cannot be read ({type(error).__name__}: {error}); it is not a run of Editscope"
        ) from error
    if not isinstance(found, int) or found > FORMAT:
        wrote = info.get("editscope", "a newer version")
        raise BadInput(
            f"{path} has format {found}, written by editscope {wrote}; this is {__version__} and reads "
            f"up to format {FORMAT}: upgrade with pip install --upgrade editscope"
        )
    return dict(info)


def plan_again(folder: Path) -> Plan:
    """The plan of a run that was started before, checked against what is there now."""
    info = read_info(folder)
    spec = info["editor"]["spec"]
    if spec is None:
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
    where = {tag: tuple(values) for tag, values in (selection["where"] or {}).items()}
    ids = suite.select(where, selection["limit"])
    if _ids_digest(ids) != selection["ids_digest"]:
        raise BadInput(f"this version selects other cases for {folder} than the one that started it; start a new run")
    _look_in(info["editor"].get("cwd"))
    editor = load_editor(spec)
    files = info["files"]
    missing, unmatched, unreadable = (tuple(files[key]) for key in ("missing", "unmatched", "unreadable"))
    found = Inventory(files.get("outputs"), missing, unmatched, unreadable, files.get("digest", ""))
    return Plan(suite, ids, editor, found, folder, info)


def aggregation_from(info: Info) -> Aggregation:
    """The aggregation of a run, from its run.json."""
    saved = info["aggregation"]

    def group(fields: Mapping[str, Any]) -> Group:
        return Group(fields["name"], tuple(fields["by"]), tuple(fields["over"]))

    return Aggregation(
        overall=group(saved["overall"]),
        groups=tuple(group(fields) for fields in saved["groups"]),
        strata=tuple(saved["strata"]),
        exclude=dict(saved["exclude"]),
        headline=saved["headline"],
        orders={tag: tuple(values) for tag, values in saved["orders"].items()},
    )


def _info(
    suite: Suite,
    ids: tuple[str, ...],
    editor: Editor,
    spec: str | None,
    inventory: Inventory,
    where: Where | None,
    limit: int | None,
    seed: int,
    timeout: float | None,
) -> Info:
    if spec is not None and spec.startswith("folder:"):
        # So that the run can be resumed from anywhere.
        spec = f"folder:{Path(spec.removeprefix('folder:')).resolve()}"
    options = {} if spec is None else dict(_options(spec))
    return {
        "format": FORMAT,
        "editscope": __version__,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "suite": {
            "name": suite.name,
            "options": dict(suite.options),
            "fingerprint": suite.fingerprint,
            "scoring": suite.scoring,
            "label": suite.label(),
        },
        "selection": {
            "where": None if where is None else {tag: list(values) for tag, values in where.items()},
            "limit": limit,
            "n": len(ids),
            "ids_digest": _ids_digest(ids),
        },
        "editor": {
            "spec": spec,
            "name": editor.name or type(editor).__name__,
            "options": options,
            "cwd": str(Path.cwd()),
        },
        "judge": None,
        "seed": seed,
        "aggregation": _aggregation(suite.aggregation),
        "versions": _versions(),
        "settings": {"timeout_s": timeout},
        "files": {
            "outputs": inventory.outputs,
            "missing": list(inventory.missing),
            "unmatched": list(inventory.unmatched),
            "unreadable": list(inventory.unreadable),
            "digest": inventory.digest,
        },
    }


def _look_in(folder: str | None) -> None:
    """Find a user's module where the run was started, wherever it is resumed."""
    if folder and folder not in sys.path and Path(folder).is_dir():
        sys.path.append(folder)


def _options(spec: str) -> Mapping[str, Any]:
    from editscope.editors import parse_spec

    return parse_spec(spec).options


def _aggregation(aggregation: Aggregation) -> dict[str, Any]:
    return {
        "overall": asdict(aggregation.overall),
        "groups": [asdict(group) for group in aggregation.groups],
        "strata": aggregation.strata,
        "exclude": dict(aggregation.exclude),
        "headline": aggregation.headline,
        "orders": dict(aggregation.orders),
    }


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "platform": platform.platform()}
    for package in ("numpy", "numba", "pillow", "isal"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "missing"
    return found


def _folder(out: str | Path | None, info: Info) -> Path:
    """Where the run goes: the folder asked for, if free or holding the same run; or a new one in runs/."""
    if out is None:
        stem = f"{info['suite']['name']}-{_slug(info['editor']['name'])}"
        while (folder := Path("runs") / f"{stem}-{secrets.token_hex(2)}").exists():
            continue
        _check_writable(folder)
        return folder
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"--out {folder} is a file; a run is a folder")
    if (folder / FILE).exists():
        _check_same(folder, read_info(folder), info)
    elif folder.is_dir() and any(entry.name != JOURNAL for entry in folder.iterdir()):
        raise BadInput(f"--out {folder} is not empty and not a run; give a new or empty folder")
    _check_writable(folder)
    return folder


def _check_same(folder: Path, there: Info, asked: Info) -> None:
    there, asked = json.loads(_json(there)), json.loads(_json(asked))
    differences = [
        f"{what} {_brief(old)} (asked: {_brief(new)})"
        for what, old, new in (
            ("suite", there["suite"]["name"], asked["suite"]["name"]),
            ("cases", there["suite"]["fingerprint"], asked["suite"]["fingerprint"]),
            ("selection", there["selection"]["ids_digest"], asked["selection"]["ids_digest"]),
            ("editor", _identity(there["editor"]), _identity(asked["editor"])),
            ("seed", there["seed"], asked["seed"]),
        )
        if old != new
    ]
    if differences:
        raise BadInput(f"--out {folder} holds another run, with {', '.join(differences)}; give another folder")
    if there.get("files", {}).get("digest", "") != asked["files"]["digest"]:
        raise BadInput(
            f"--out {folder} holds a run over the same outputs as they were before (files changed since); "
            f"give another folder, or `editscope resume {folder}` to go on with the files of today"
        )


def _identity(editor: Mapping[str, Any]) -> str:
    return str(editor["spec"] or f"object {editor['name']}")


def _brief(value: object) -> str:
    text = str(value)
    return text if len(text) <= 80 else text[:79] + "…"


def _check_writable(folder: Path) -> None:
    nearest = folder.absolute()
    while not nearest.exists():
        nearest = nearest.parent
    if not nearest.is_dir():
        raise BadInput(f"--out {folder} cannot be made: {nearest} is a file")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise BadInput(f"--out {folder} cannot be made: {nearest} may not be written; choose another folder")


def _counted(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def _ids_digest(ids: tuple[str, ...]) -> str:
    return sha256("\n".join(ids).encode()).hexdigest()[:16]


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:40] or "editor"


def _json(info: Info) -> bytes:
    return (json.dumps(info, indent=2, ensure_ascii=False) + "\n").encode()
