"""The writer of generated suites: the released layout, several processes, and a set that was begun is continued."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from editscope.documents import read_json
from editscope.errors import BadInput
from editscope.files import SETTINGS, read_file
from editscope.images import encode_png, keep_freed_memory
from editscope.processes import end_on_interrupt, end_with_parent, starting_deaf
from editscope.suites.generated.suite import GeneratedSuite
from editscope.suites.generated.whole import LIST, MARKER
from editscope.suites.registry import load_suite

CHUNK = 16
BRIEF = ("problem_id", "instruction", "task", "category", "mode", "visual_condition", "seed")


def write(
    suite: GeneratedSuite,
    out: Path,
    jobs: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> int:
    """Write every problem of the suite and ``problems.jsonl``; return how many there are.

    The bytes are the same for any number of jobs. A folder that holds another set is refused; one that holds a part
    of this set is completed.
    """
    _claim(suite, out)
    ids = suite.ids
    jobs = min(jobs or os.cpu_count() or 1, max(1, len(ids) // CHUNK))
    lines: dict[str, str] = {}
    _report_progress(on_progress, 0, len(ids))
    if jobs == 1:
        for case_id in ids:
            lines[case_id] = write_problem(suite, case_id, out)
            _report_progress(on_progress, len(lines), len(ids))
    else:
        recipe = json.dumps(dict(suite.options))
        chunks = [ids[i : i + CHUNK] for i in range(0, len(ids), CHUNK)]
        with ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (suite.compiled_in,)) as pool:
            try:
                with starting_deaf():
                    futures = [pool.submit(_write_chunk, suite.name, recipe, chunk, out) for chunk in chunks]
                for future in as_completed(futures):
                    lines.update(future.result())
                    _report_progress(on_progress, len(lines), len(ids))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
    replace_file(out / LIST, "".join(lines[case_id] + "\n" for case_id in ids).encode())
    return len(ids)


def write_problem(suite: GeneratedSuite, case_id: str, out: Path) -> str:
    """Write one problem's three files; its line of ``problems.jsonl`` is returned.

    The description comes last and whole: where it is, the pictures are whole too, and need not be made again.
    """
    stem = str(out / case_id)
    files = [Path(f"{stem}{ending}") for ending in ("_input.png", "_answer.png", ".json")]
    if all(file.is_file() for file in files):
        return _line(case_id, _described(files[2]))
    problem = suite.problem(case_id)
    for file, picture in zip(files, (problem.input, problem.answer), strict=False):
        replace_file(file, encode_png(picture, fixed_bytes=True))
    replace_file(files[2], pretty(problem.sidecar).encode())
    return _line(case_id, problem.sidecar)


def _described(path: Path) -> Mapping[str, Any]:
    try:
        fields = read_json(read_file(path, SETTINGS))
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise BadInput(f"{path} cannot be read ({why}); remove it to have the problem written again") from None
    if not isinstance(fields, dict):
        raise BadInput(f"{path} holds no JSON object; remove it to have the problem written again")
    return fields


def _line(case_id: str, fields: Mapping[str, Any]) -> str:
    files = {"id": case_id, "input": f"{case_id}_input.png", "answer": f"{case_id}_answer.png"}
    return json.dumps({**files, **{key: fields[key] for key in BRIEF if key in fields}}, ensure_ascii=False)


def pretty(fields: Mapping[str, Any]) -> str:
    """JSON with one field a line: easy to read, and made by the fast encoder.

    >>> print(pretty({"n": 3, "box": [1, 2]}), end="")
    {
     "n": 3,
     "box": [1, 2]
    }
    """
    lines = (f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


@cache
def _suite(name: str, recipe: str) -> GeneratedSuite:
    suite = load_suite(name, **json.loads(recipe))
    assert isinstance(suite, GeneratedSuite)
    return suite


def _begin(compiled_in: tuple[str, ...]) -> None:
    from editscope.compiled import compile_ahead

    end_on_interrupt()
    keep_freed_memory()
    end_with_parent()
    compile_ahead(compiled_in)


def _write_chunk(name: str, recipe: str, ids: tuple[str, ...], out: Path) -> dict[str, str]:
    return {case_id: write_problem(_suite(name, recipe), case_id, out) for case_id in ids}


def _claim(suite: GeneratedSuite, out: Path) -> None:
    """Make sure that the folder is ours to write."""
    marker = {
        "suite": suite.name,
        "generator": suite.generator,
        "fingerprint": suite.fingerprint,
        "options": dict(suite.options),
        "environment": dict(suite.environment()),
    }
    claim_folder(out, MARKER, (json.dumps(marker, indent=1) + "\n").encode(), "a generated set")


def claim_folder(out: Path, marker: str, content: bytes, kind: str) -> None:
    """Make a new or empty folder ours with a marker, or see that it has this one; BadInput where it has not.

    ``kind`` says in words what a folder with such a marker holds.
    """
    if out.exists() and not out.is_dir():
        raise BadInput(f"{out} is a file; --out takes a folder")
    try:
        if out.is_dir() and any(_foreign(out)):
            there = out / marker
            if not there.is_file():
                raise BadInput(f"{out} is not empty and does not hold {kind}; choose a new folder for --out")
            if read_file(there, SETTINGS) != content:
                raise BadInput(f"{out} holds another set ({marker} differs); choose a new folder for --out")
            return
        out.mkdir(parents=True, exist_ok=True)
        replace_file(out / marker, content)
    except OSError as error:
        raise BadInput(f"{out} cannot be written ({error.strerror}); choose another folder for --out") from error


def _foreign(out: Path) -> Iterator[Path]:
    return (path for path in out.iterdir() if not path.name.startswith("."))


def replace_file(path: Path, data: bytes) -> None:
    """Write a file whole, in the place of what is there and never into it: that may be a pipe or a link."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(data)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise BadInput(f"{path} cannot be written ({error.strerror}); choose another folder for --out") from error


def remove_remains(folder: Path) -> None:
    """Remove what ``replace_file`` left in a folder when it was killed."""
    for path in folder.glob(".*.*"):
        if path.name.rpartition(".")[2].isdigit():
            path.unlink(missing_ok=True)


def _report_progress(on_progress: Callable[[int, int], None] | None, done: int, total: int) -> None:
    if on_progress is not None:
        on_progress(done, total)
