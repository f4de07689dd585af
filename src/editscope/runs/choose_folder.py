"""The folder of a run: a new one, or one that holds the same run already."""

from __future__ import annotations

import json
import os
import re
import secrets
import shlex
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from editscope.errors import BadInput
from editscope.outside import required
from editscope.runfolder.files import half_written
from editscope.runfolder.journal import FILE as JOURNAL
from editscope.runfolder.lock import LockFile
from editscope.runfolder.repeats import check_more, repeats_of
from editscope.runfolder.run_json import FILE, Info, info_json, read_info
from editscope.runfolder.run_names import editor_with_options
from editscope.runs.editor_identity import settings_apart
from editscope.transport.account import FILE as SPENDING

LONGEST = 80
"""So many characters an editor may have in the name of a folder."""


def run_folder(out: str | Path | None, info: Info) -> Path:
    """Where the run goes: the folder asked for, if free or holding the same run; or a new one in runs/."""
    if out is None:
        stem = f"{info['suite']['name']}-{slug(editor_with_options(info['editor']))}"
        while (folder := Path("runs") / f"{stem}-{secrets.token_hex(2)}").exists():
            continue
        _check_writable(folder)
        return folder
    folder = Path(out)
    required("--out", str(folder.absolute()), "choose another folder")
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"--out {folder} is a file; a run is a folder")
    if (folder / FILE).exists():
        check_same(folder, read_info(folder), info)
    elif folder.is_dir() and not all(map(_of_a_start, folder.iterdir())):
        raise BadInput(f"--out {folder} is neither empty nor a run; choose a new or empty folder")
    _check_writable(folder)
    return folder


def _of_a_start(path: Path) -> bool:
    """Whether a file is one that a start leaves which was killed before run.json was there."""
    lock = LockFile.place(path.with_name(JOURNAL)).name
    return path.name in (JOURNAL, SPENDING) or path.name.startswith(lock) or half_written(path)


def check_same(folder: Path, there: Info, asked: Info) -> None:
    """Raise BadInput where the run that a folder holds is not the one that is asked for."""
    there, asked = json.loads(info_json(there)), json.loads(info_json(asked))
    differences = [
        f"{what} {_brief(old)} (asked: {_brief(new)})"
        for what, old, new in (
            ("suite", there["suite"]["name"], asked["suite"]["name"]),
            ("cases", there["suite"]["fingerprint"], asked["suite"]["fingerprint"]),
            ("editor", _identity(there["editor"]), _identity(asked["editor"])),
            ("seed", there["seed"], asked["seed"]),
            ("strata", there["aggregation"].get("resampling") or _strata(asked), _strata(asked)),
            *(
                (what, there.get("judging", {}).get(key), asked.get("judging", {}).get(key))
                for what, key in (("judges", "judges"), ("protocol", "protocol"), ("prompts", "prompts"))
            ),
            ("samples", there.get("judging", {}).get("samples"), asked.get("judging", {}).get("samples")),
            *(
                ("accounting", old.get("accounting", "ours"), new.get("accounting", "ours"))
                for old, new in ((there.get("judging", {}), asked.get("judging", {})),)
            ),
        )
        if old != new
    ]
    differences += _other_selection(there["selection"], asked["selection"])
    apart = settings_apart(there["editor"], asked["editor"])
    of = f", of {there['editor']['name']} with {apart[0]} (asked: {apart[1]})" if apart else ""
    if differences or apart:
        with_ = f", with {', '.join(differences)}" if differences else ""
        raise BadInput(
            f"--out {folder} holds another run{of}{with_}; give another --out, or resume the run that is there: "
            f"editscope resume {shlex.quote(str(folder))}"
        )
    check_more(folder, there, repeats_of(asked))
    if repeats_of(there) == repeats_of(asked) and there.get("files", {}).get("digest", "") != asked["files"]["digest"]:
        raise BadInput(
            f"--out {folder} holds a run over the same outputs as they were before (files changed since); "
            f"give another folder, or `editscope resume {folder}` to continue with the files of today"
        )


def _other_selection(there: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """In words how the cases of a run differ from those that are asked for; nothing where they are the same."""
    if there["ids_digest"] == asked["ids_digest"]:
        return []
    old, new = (_chosen(selection) for selection in (there, asked))
    return [f"{old} (asked: {new})" if old != new else f"other {old} than those asked for"]


def _chosen(selection: Mapping[str, Any]) -> str:
    """Which cases of its suite a run is on.

    >>> _chosen({"n": 40, "where": {"task": ["border", "removal"]}})
    '40 cases of task border or removal'
    """
    tags = [f"{tag} {' or '.join(values)}" for tag, values in (selection["where"] or {}).items()]
    cases = f"{selection['n']:,} case{'' if selection['n'] == 1 else 's'}"
    return f"{cases} of {' and '.join(tags)}" if tags else cases


def _strata(info: Info) -> str:
    # A run of a version that knew one way only keeps it, whatever the default is now.
    return str(info["aggregation"].get("resampling", ""))


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


def slug(name: str) -> str:
    """A name as the name of a folder; a long one ends in a few digits made from all of it, so that nothing that sets it
    apart is lost.

    >>> slug("ref:noise?strength=2"), slug("python:my_model:Painter?size=200&crash=0.3")
    ('ref-noise-strength-2', 'python-my_model-Painter-size-200-crash-0.3')
    """
    folder = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "editor"
    return folder if len(folder) <= LONGEST else f"{folder[: LONGEST - 5]}-{sha256(name.encode()).hexdigest()[:4]}"
