"""The command line: one file per group of commands; they parse, call and print."""

from __future__ import annotations

import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    try:
        # Here and not above: a Ctrl-C while all of this loads must not end in a traceback.
        from editscope.cli.app import STOPPED
        from editscope.cli.app import main as run_command
    except KeyboardInterrupt:
        sys.stderr.write("editscope: stopped on request before anything was done\n")
        sys.exit(3)
    try:
        run_command(arguments)
    except KeyboardInterrupt:
        sys.stderr.write("editscope: stopped on request; the same command does the rest\n")
        sys.exit(STOPPED)
