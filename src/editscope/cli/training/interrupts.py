"""A second Ctrl-C during a training: a sentence that says how to resume, and exit code 3."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from editscope.errors import Stopped


@contextmanager
def ended_at_once(folder: Path, resume_with: str = "run the same command with --resume") -> Iterator[None]:
    """Turn a Ctrl-C that stops at once, which the second one does, into a sentence that says how to resume."""
    try:
        yield
    except KeyboardInterrupt:
        from editscope.training.run_files import checkpoints_in

        there = checkpoints_in(folder)
        if not there:
            raise Stopped("aborted before the first checkpoint; run the same command to start over") from None
        raise Stopped(
            f"aborted, but the checkpoint of step {there[-1][0]} is kept: to resume from it, {resume_with}"
        ) from None
