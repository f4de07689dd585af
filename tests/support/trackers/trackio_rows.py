"""Rows that Trackio keeps of a run, read by a process of its own: Trackio looks for its folder when it is imported."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

READ = """
import json, sys
from trackio.sqlite_storage import SQLiteStorage
print(json.dumps(SQLiteStorage.get_logs(*sys.argv[1:])))
"""


def trackio_rows(project: str, run: str) -> list[dict[str, Any]]:
    """The rows of a run, in the folder that TRACKIO_DIR names."""
    command = [sys.executable, "-W", "ignore", "-c", READ, project, run]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    rows: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return rows
