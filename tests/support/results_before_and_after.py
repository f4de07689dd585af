"""A proof that a change of the code changed no result: record what two trees give, then compare.

    python tests/support/results_before_and_after.py record before --tree OLD --python OLD/.venv/bin/python
    python tests/support/results_before_and_after.py record after --tree NEW --python NEW/.venv/bin/python
    python tests/support/results_before_and_after.py compare before after

Editscope runs as an outside program, so that the same script serves trees with other modules. Record both trees with
the same version of this script and with the same versions of libraries.
"""

from __future__ import annotations

import argparse
import difflib
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.recorded.spelling import american

NOT_WITH_SPELLING = ".requests.sha256"
"""Hashes of whole requests say nothing about spelling; the readable requests beside them do."""


def main() -> int:
    """Record or compare; 0 where everything is equal."""
    parser = argparse.ArgumentParser(description="Shows that a change of the code changed no result.")
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="run a tree's Editscope and write its results into a folder")
    recording.add_argument("folder", type=Path)
    recording.add_argument("--tree", type=Path, required=True, help="a checkout, with src/ and pyproject.toml")
    recording.add_argument("--python", default=sys.executable, help="a Python with the libraries [this one]")
    comparing = commands.add_parser("compare", help="compare two recordings; exit code 1 where they differ")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--ignore-spelling", action="store_true", help="read British spellings as American ones")
    comparing.add_argument("--lines", type=int, default=12, help="lines of each difference [12]")
    given = parser.parse_args()
    if given.command == "record":
        return record(given.folder, given.tree.resolve(), given.python)
    return compare(given.before, given.after, ignore_spelling=given.ignore_spelling, lines=given.lines)


def record(folder: Path, tree: Path, python: str) -> int:
    """Write the results of a tree into a new or empty folder."""
    from support.recorded.data import write_sets
    from support.recorded.judge import RecordingJudge
    from support.recorded.recorder import Recorder
    from support.recorded.steps import STEPS

    if folder.exists() and any(folder.iterdir()):
        print(f"{folder} is not empty; name another folder", file=sys.stderr)
        return 2
    work = Path(tempfile.mkdtemp(prefix="editscope-results-")).resolve()
    try:
        write_sets(work)
        with RecordingJudge() as judge:
            recorder = Recorder(tree, python, folder, work, judge)
            for name, step in STEPS.items():
                began = time.monotonic()
                step(recorder)
                recorder.finish()
                print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return 0


def compare(before: Path, after: Path, *, ignore_spelling: bool = False, lines: int = 12) -> int:
    """Print what is equal and how the rest differs."""
    left, right = _files(before), _files(after)
    if not left or not right:
        print(f"{before if not left else after} holds no recording", file=sys.stderr)
        return 2
    outcomes: dict[str, str] = {}
    for name in sorted({*left, *right}):
        if ignore_spelling and name.endswith(NOT_WITH_SPELLING):
            continue
        outcomes[name] = _outcome(left.get(name), right.get(name), ignore_spelling=ignore_spelling)
    _print_table(outcomes)
    for name, outcome in outcomes.items():
        if outcome == "differs":
            _print_difference(name, left[name], right[name], ignore_spelling=ignore_spelling, lines=lines)
        elif outcome.startswith("only"):
            print(f"\n{name}: {outcome}")
    return int(any(not outcome.startswith("equal") for outcome in outcomes.values()))


def _files(folder: Path) -> dict[str, Path]:
    return {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}


def _outcome(left: Path | None, right: Path | None, *, ignore_spelling: bool) -> str:
    if left is None or right is None:
        return "only after" if left is None else "only before"
    texts = left.read_text(encoding="utf-8"), right.read_text(encoding="utf-8")
    if texts[0] == texts[1]:
        return "equal"
    return "equal but for spelling" if ignore_spelling and american(texts[0]) == american(texts[1]) else "differs"


def _print_table(outcomes: dict[str, str]) -> None:
    """A row for each folder of the recording, a column for each outcome."""
    possible = ("equal", "equal but for spelling", "differs", "only before", "only after")
    columns = [name for name in possible if name in outcomes.values()]
    counts = Counter((name.partition("/")[0], outcome) for name, outcome in outcomes.items())
    totals = Counter(outcomes.values())
    print(f"{'':24}" + "".join(f"{name:>{len(name) + 2}}" for name in columns))
    for folder in sorted({folder for folder, _ in counts}):
        print(f"{folder:24}" + "".join(f"{counts[folder, name] or '':>{len(name) + 2}}" for name in columns))
    print(f"{'all':24}" + "".join(f"{totals[name]:>{len(name) + 2}}" for name in columns))


def _print_difference(name: str, left: Path, right: Path, *, ignore_spelling: bool, lines: int) -> None:
    before, after = (path.read_text(encoding="utf-8") for path in (left, right))
    if ignore_spelling:
        before, after = american(before), american(after)
    found = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0))[2:]
    print(f"\n{name}: {sum(not line.startswith('@@') for line in found)} lines")
    for line in found[:lines]:
        print(f"  {line[:300]}")
    if len(found) > lines:
        print("  …")


if __name__ == "__main__":
    sys.exit(main())
