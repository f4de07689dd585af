"""Writing a set in the released layout, over several processes; a set that was begun is continued."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from editscope.errors import BadInput
from editscope.images import encode_png, keep_freed_memory
from editscope.suites.paintbench.slots import Overrides, Slot
from editscope.suites.paintbench.suite import GENERATOR, PaintBench

CHUNK = 16
MARKER = "set.json"


def write(
    suite: PaintBench,
    out: Path,
    jobs: int | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> int:
    """Write every problem of the suite and ``problems.jsonl``; return how many there are.

    The bytes are the same for any number of jobs. A folder that holds another set is refused; one that holds a part
    of this set is completed.
    """
    _claim(suite, out)
    slots = list(suite.slots.values())
    jobs = min(jobs or os.cpu_count() or 1, max(1, len(slots) // CHUNK))
    lines: dict[str, str] = {}
    if jobs == 1:
        for slot in slots:
            lines[slot.id] = write_problem(slot, suite.overrides, out)
            _tell(on_progress, len(lines), len(slots))
    else:
        chunks = [slots[i : i + CHUNK] for i in range(0, len(slots), CHUNK)]
        with ProcessPoolExecutor(jobs, get_context("spawn"), keep_freed_memory) as pool:
            futures = [pool.submit(_write_chunk, chunk, suite.overrides, out) for chunk in chunks]
            try:
                for future in as_completed(futures):
                    lines.update(future.result())
                    _tell(on_progress, len(lines), len(slots))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
    _replace(out / "problems.jsonl", "".join(lines[slot.id] + "\n" for slot in slots))
    return len(slots)


def write_problem(slot: Slot, overrides: Overrides, out: Path) -> str:
    """Write one problem's three files; its line of ``problems.jsonl`` is returned.

    The description comes last and whole: where it is, the pictures are whole too, and need not be made again.
    """
    from editscope.suites.paintbench.make import make

    stem = str(out / slot.id)
    files = [Path(f"{stem}{ending}") for ending in ("_input.png", "_answer.png", ".json")]
    if all(file.is_file() for file in files):
        return _line(slot, json.loads(files[2].read_text(encoding="utf-8")))
    made = make(slot, overrides)
    files[2].parent.mkdir(parents=True, exist_ok=True)
    for file, picture in zip(files, (made.input, made.answer), strict=False):
        file.write_bytes(encode_png(picture))
    _replace(files[2], pretty(made.sidecar))
    return _line(slot, made.sidecar)


def _line(slot: Slot, fields: Mapping[str, Any]) -> str:
    files = {"id": slot.id, "input": f"{slot.id}_input.png", "answer": f"{slot.id}_answer.png"}
    brief = {key: fields[key] for key in ("instruction", "task", "category", "mode", "visual_condition", "seed")}
    return json.dumps({**files, **brief}, ensure_ascii=False)


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


def _write_chunk(slots: list[Slot], overrides: Overrides, out: Path) -> dict[str, str]:
    return {slot.id: write_problem(slot, overrides, out) for slot in slots}


def _claim(suite: PaintBench, out: Path) -> None:
    """Make sure that the folder is ours to write."""
    marker = {
        "suite": suite.name,
        "generator": GENERATOR,
        "fingerprint": suite.fingerprint,
        "options": suite.options,
    }
    text = json.dumps(marker, indent=1) + "\n"
    if out.exists() and not out.is_dir():
        raise BadInput(f"{out} is a file; --out takes a folder")
    if out.is_dir() and any(_foreign(out)):
        there = out / MARKER
        if not there.is_file():
            raise BadInput(f"{out} is not empty and holds no set of ours; choose a new folder for --out")
        if there.read_text() != text:
            raise BadInput(f"{out} holds another set ({MARKER} differs); choose a new folder for --out")
        return
    try:
        out.mkdir(parents=True, exist_ok=True)
        _replace(out / MARKER, text)
    except OSError as error:
        raise BadInput(f"{out} cannot be written ({error.strerror}); choose another folder for --out") from error


def _foreign(out: Path) -> Iterator[Path]:
    return (path for path in out.iterdir() if not path.name.startswith("."))


def _replace(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def _tell(on_progress: Callable[[int, int], None] | None, done: int, total: int) -> None:
    if on_progress is not None:
        on_progress(done, total)
