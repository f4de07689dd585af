"""What drills found: faults by kind, added up over all processes of a test session and printed as one table."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

FOLDER = "EDITSCOPE_DRILL_TALLY"
"""The variable that names the folder where tallies are collected; without it they are not kept."""

COUNTED = ("lost", "doubled", "stale")
OTHER = "other"


@dataclass(frozen=True)
class Fault:
    """Something that must not be: ``lost``, ``doubled``, ``stale`` or ``other``, how often, and where."""

    kind: str
    said: str
    times: int = 1

    def __str__(self) -> str:
        return f"{self.kind} {self.times}: {self.said}"


@dataclass
class Tally:
    """One row of the table: runs of a name, the kills they took, the steps in their journals, and the faults."""

    name: str
    runs: int = 0
    kills: int = 0
    steps: int = 0
    faults: list[Fault] = field(default_factory=list)

    def add(self, kind: str, said: str, times: int = 1) -> None:
        """Note a fault; none where it happened 0 times."""
        if times > 0:
            self.faults.append(Fault(kind, said, int(times)))

    def count(self, kind: str) -> int:
        """How many faults of a kind there are."""
        return sum(fault.times for fault in self.faults if fault.kind == kind)

    def keep(self) -> None:
        """Write it where ``make drills`` collects what its tests found."""
        if FOLDER in os.environ:
            folder = Path(os.environ[FOLDER])
            (folder / f"{uuid.uuid4().hex}.json").write_text(json.dumps(asdict(self)), encoding="utf-8")


def read_tallies(folder: Path) -> list[Tally]:
    """The tallies of a folder, one for each name, in the order of names."""
    rows: dict[str, Tally] = {}
    for path in sorted(folder.glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        row = rows.setdefault(data["name"], Tally(data["name"]))
        row.runs += data["runs"]
        row.kills += data["kills"]
        row.steps += data["steps"]
        row.faults += [Fault(**fault) for fault in data["faults"]]
    return [rows[name] for name in sorted(rows)]


def table(rows: Iterable[Tally]) -> str:
    """The rows and their sum as text.

    >>> print(table([Tally("pixel", runs=2, kills=10, steps=96)]))
    drill           runs   kills   steps    lost doubled   stale   other
    pixel              2      10      96       0       0       0       0
    all                2      10      96       0       0       0       0
    """
    rows = list(rows)
    total = Tally("all", *(sum(getattr(row, name) for row in rows) for name in ("runs", "kills", "steps")))
    total.faults = [fault for row in rows for fault in row.faults]
    kinds = (*COUNTED, OTHER)
    width = max(12, *(len(row.name) + 1 for row in rows)) if rows else 12
    lines = [f"{'drill':<{width}}" + "".join(f"{name:>8}" for name in ("runs", "kills", "steps", *kinds))]
    for row in (*rows, total):
        numbers = (row.runs, row.kills, row.steps, *map(row.count, kinds))
        lines.append(f"{row.name:<{width}}" + "".join(f"{number:>8}" for number in numbers))
    return "\n".join(lines)
