"""Small sets of GEdit-Bench as a list of cases, with drawn pictures."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from editscope.suites.gedit.data import GROUPS
from support.judged_data import draw, write_json, write_lines

RAW = (96, 64)


def gedit_row(number: int, language: str, **changes: Any) -> dict[str, Any]:
    """One row of the list: groups by turns; of every third picture some model returned no Chinese edit."""
    wish = f"Change thing {number}" if language == "en" else f"改变 {number}"
    return {
        "key": f"{number:032x}",
        "task_type": GROUPS[number % len(GROUPS)],
        "instruction": wish,
        "instruction_language": language,
        "input_image_raw": f"images/{number}.png",
        "Intersection_exist": language == "en" or number % 3 != 0,
        **changes,
    }


def gedit_rows(n: int) -> list[dict[str, Any]]:
    """The rows of ``n`` pictures in both languages."""
    return [gedit_row(number, language) for number in range(n) for language in ("en", "cn")]


def make_gedit(folder: Path, rows: Iterable[dict[str, Any]], name: str = "cases.jsonl") -> Path:
    """A folder with these rows and their pictures."""
    rows = list(rows)
    for place in {row["input_image_raw"] for row in rows if row.get("input_image_raw")}:
        draw(folder / place, int(Path(place).stem), RAW)
    (write_lines if name.endswith("l") else write_json)(folder / name, rows)
    return folder
