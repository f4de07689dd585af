"""Whether a written set of ours is whole: ``problems.jsonl``, which is written last, lists what must be there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from editscope.documents import read_json
from editscope.errors import BadInput
from editscope.files import DOCUMENT, SETTINGS, read_file

MARKER = "set.json"
"""Says what a set of ours consists of, beside its folders; it is written first."""
LIST = "problems.jsonl"
"""Has a line for every problem; it is written last."""
UNFINISHED = ".unfinished.json"
"""Says which cases a folder in the layout of another suite is about, until all of them are written."""
AGAIN = "run the same `editscope generate` command again"


def check_whole(root: Path, name: str, *, only_ours: bool = False) -> None:
    """Raise BadInput where a set of ours is unfinished or damaged; a folder of the authors' own has no ``set.json``.

    ``only_ours`` says that nobody else releases sets of this suite, so that a folder without ``set.json`` has lost it.
    """
    there = _problems_there(root)
    if not (root / MARKER).is_file():
        if there and (only_ours or _listed_by_us(root)):
            raise BadInput(
                f"{root} has lost its {MARKER}, so nobody can tell whether the set is whole; write it again with "
                f"`editscope generate {name}` to a new folder"
            )
        return
    marker = read_marker(root, name)
    if not (root / LIST).is_file():
        raise BadInput(_unfinished(root, there, _planned(marker)))
    listed = _listed(root)
    if missing := _without(listed, there):
        raise BadInput(
            f"{root} lacks {_counted(missing)} of the {len(listed):,} that {LIST} lists, first "
            f"{root / missing[0]}.json; {AGAIN} to write what is missing"
        )
    if added := _without(there, listed):
        raise BadInput(
            f"{root} holds {_counted(added)} that {LIST} does not list, first {root / added[0]}.json; move it out of "
            f"the set, or {AGAIN} if it belongs there"
        )


def read_marker(root: Path, name: str) -> dict[str, Any]:
    """What ``set.json`` says; BadInput where it is damaged or about another suite."""
    path = root / MARKER
    try:
        marker = read_json(read_file(path, SETTINGS))
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise BadInput(f"{path} cannot be read ({why}); write the set again to a new folder") from None
    suite = marker.get("suite") if isinstance(marker, dict) else None
    if not isinstance(suite, str):
        raise BadInput(f"{path} does not name a suite in its field 'suite'; write the set again to a new folder")
    if suite != name:
        raise BadInput(f"{root} is a set of {suite}, as its {MARKER} says, and not of {name}; give a set of {name}")
    return dict(marker)


def _problems_there(root: Path) -> list[str]:
    return [
        f"{folder.name}/{sidecar.stem}"
        for folder in sorted(path for path in root.iterdir() if path.is_dir())
        for sidecar in sorted(folder.glob("*.json"))
        if sidecar.stem.isdigit()
    ]


def _listed(root: Path) -> list[str]:
    """The ids of ``problems.jsonl``, in its order."""
    path = root / LIST
    try:
        lines = read_file(path, DOCUMENT).splitlines()
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); {AGAIN} to write it") from None
    return [_id_in(path, number, line) for number, line in enumerate(lines, start=1)]


def _id_in(path: Path, number: int, line: bytes) -> str:
    try:
        fields = read_json(line)
    except ValueError as error:
        raise BadInput(f"line {number} of {path} is not JSON ({error}); {AGAIN} to rewrite the list") from None
    case_id = fields.get("id") if isinstance(fields, dict) else None
    if not isinstance(case_id, str):
        raise BadInput(f"line {number} of {path} has no text in its field 'id'; {AGAIN} to rewrite the list")
    return case_id


def _listed_by_us(root: Path) -> bool:
    """Whether there is a list with our field ``id`` in its first line."""
    try:
        first = read_file(root / LIST, DOCUMENT).partition(b"\n")[0]
        fields = read_json(first)
    except (OSError, ValueError):
        return False
    return isinstance(fields, dict) and {"id", "input", "answer"} <= fields.keys()


def _planned(marker: dict[str, Any]) -> Sequence[str]:
    """The ids of the set that ``set.json`` describes; none where this version would make another one."""
    from editscope.suites.generated.suite import GeneratedSuite
    from editscope.suites.registry import load_suite

    options = marker.get("options")
    try:
        suite = load_suite(marker["suite"], **(options if isinstance(options, dict) else {}))
    except (BadInput, TypeError, ValueError):
        return ()
    same = isinstance(suite, GeneratedSuite) and suite.generator == marker.get("generator")
    return suite.ids if same else ()


def _unfinished(root: Path, there: Sequence[str], planned: Sequence[str]) -> str:
    found = f"{len(there):,} of {len(planned):,}" if planned else f"{len(there):,}"
    missing = _without(planned, there)
    first = f", without {missing[0]}" if missing else f", and its {LIST} is missing"
    return f"{root} is an unfinished set: it holds {found} problems{first}; {AGAIN} to finish it"


def _without(ids: Sequence[str], others: Sequence[str]) -> list[str]:
    apart = set(others)
    return [case_id for case_id in ids if case_id not in apart]


def _counted(ids: Sequence[str]) -> str:
    return f"{len(ids):,} problem{'' if len(ids) == 1 else 's'}"
