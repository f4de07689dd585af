"""The command line in a process of its own, as the fixture `editscope` calls it."""

from __future__ import annotations

import subprocess

Called = subprocess.CompletedProcess[str]
