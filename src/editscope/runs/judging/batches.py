"""Batches of a run: whether they can be, and their log in the run folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from editscope.errors import BadInput
from editscope.judges.batches.log import FILE, BatchLog
from editscope.transport.account import Account

if TYPE_CHECKING:
    from editscope.runs.judging.settings import Judging, Limits


def check_batches(judging: Judging | None, *, on_ray: bool) -> None:
    """Raise BadInput where batches are wanted and cannot be."""
    if judging is None or not judging.limits.batch:
        return
    if on_ray:
        raise BadInput(
            "--batch does not work with --engine ray: one process submits batches; make the edits with --engine ray, "
            "then judge them with `editscope rescore RUN --judge SPEC --batch`"
        )
    for judge in judging.judges:
        if judge.batches is None:
            raise BadInput(f"the judge {judge.spec} has no batch API; leave --batch out")


def open_batches(judging: Judging | None, folder: Path, account: Account | None) -> None:
    """Take up the batches that the log of a run has; the run's lock must be held."""
    if judging is None:
        return
    posts = [post for judge in judging.judges if (post := judge.batches) is not None]
    if has_batches(folder) and not posts:
        raise BadInput(
            f"{folder} has submitted batches, which ordinary calls would pay for again; continue with --batch, or with "
            f"`editscope resume {folder}`"
        )
    log = BatchLog(folder) if posts else None
    for post in posts:
        post.account = account
        assert log is not None
        post.open(log, judging.again)


def has_batches(folder: Path) -> bool:
    """Whether a run has submitted batches."""
    return (folder / FILE).exists()


def limits_of_batches(folder: Path, limits: Limits | None) -> Limits | None:
    """The limits of a run that goes on: by batches where it has submitted any, whatever it was started with."""
    from editscope.runs.judging.settings import Limits

    return replace(limits or Limits(), batch=True) if has_batches(folder) else limits


def batches_in_words(folder: Path) -> list[str]:
    """What a forecast says of calls that are in batches already: they are not paid for again."""
    out = BatchLog(folder).calls_out if has_batches(folder) else 0
    calls = f"{out:,} call{'' if out == 1 else 's'}"
    return [f"{calls} in submitted batches are counted above, and not paid for again"] if out else []
