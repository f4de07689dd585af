"""Changes to runs that are on disk, as damage, a careless hand or an older version would make them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from editscope.runfolder.journal_lines import encoded_line

Line = dict[str, Any]


def read(run: Path) -> list[Line]:
    """The lines of a journal, unchecked."""
    return [json.loads(line) for line in (run / "journal.jsonl").read_bytes().splitlines()]


def write(run: Path, lines: list[Line]) -> None:
    """Write a journal whose lines have right checksums, whatever they say."""
    (run / "journal.jsonl").write_bytes(b"".join(encoded_line(line) + b"\n" for line in lines))


def rewrite(run: Path, change: Callable[[Line], Line]) -> None:
    """Change the lines of a journal, with right checksums."""
    write(run, [change(line) for line in read(run)])


def age(run: Path) -> None:
    """Make a run look like one of version 0.1: no checksums, no hashes of edits, no stamp."""
    lines = [{key: value for key, value in line.items() if key not in ("sum", "image_hash")} for line in read(run)]
    text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    (run / "journal.jsonl").write_text(text)
    summary = json.loads((run / "summary.json").read_text())
    del summary["made_from"]
    (run / "summary.json").write_text(json.dumps(summary, indent=1, ensure_ascii=False) + "\n")
