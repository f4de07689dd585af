"""What the weights of the small editor have never seen: the conditions, tasks and modes that every stage held out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from editscope.training.checkpoints import STATE, checkpoints_in, read_state
from editscope.wording import listed

HELD_OUT = "held_out"
"""The entry of a checkpoint."""


def never_seen(without: Sequence[str], before: Sequence[str] | None = None) -> tuple[str, ...]:
    """What a stage holds out and earlier stages have held out too; ``before`` is None if there are none.

    >>> never_seen(["striped", "legend"]), never_seen(["striped", "legend"], ["legend"])
    (('legend', 'striped'), ('legend',))
    """
    return tuple(sorted(set(without) if before is None else set(without) & set(before)))


def held_out_by(state: Mapping[str, Any]) -> tuple[str, ...]:
    """What the weights of a checkpoint have never seen, from its state; earlier versions noted only the last stage."""
    return tuple(state["more"].get(HELD_OUT, state["settings"].get("stage.without", ())))


def held_out_in(path: Path) -> tuple[str, ...]:
    """What the weights in a training, a checkpoint or a PyTorch file have never seen; of a file, nothing is known."""
    if not path.is_dir():
        return ()
    saved = checkpoints_in(path)
    place = saved[-1][1] if saved else path
    return held_out_by(read_state(place)) if (place / STATE).is_file() else ()


def seen_note(without: Sequence[str], never: Sequence[str]) -> str:
    """A sentence if a stage holds out what earlier ones have seen; else "".

    >>> seen_note(["striped"], [])
    'striped: held out of this stage, but an earlier one may have seen it, so scores on it are not held out'
    """
    seen = sorted(set(without) - set(never))
    if not seen:
        return ""
    it = "it" if len(seen) == 1 else "them"
    return (
        f"{listed(seen)}: held out of this stage, but an earlier one may have seen {it}, so scores on {it} are not "
        "held out"
    )
