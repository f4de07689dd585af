"""The command line: one file per command; each parses, calls and prints."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line."""
    gc.set_threshold(200_000, 30, 30)  # nothing that is imported is garbage, and looking takes a tenth of a second
    message = b"editscope: stopped on request before anything was done\n"
    try:
        # Here and not above: a Ctrl-C while all of this loads must not end in a traceback.
        from editscope.cli.app import main as run_command

        message = b"editscope: stopped on request; run the same command to continue\n"
        run_command(arguments)
    except KeyboardInterrupt:
        os.write(2, message)  # the module that prints may not be there yet
        sys.exit(3)
