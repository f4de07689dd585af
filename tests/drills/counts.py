"""How often a drill does its thing: a few times in ``make test``, many times in ``make drills``.

``EDITSCOPE_DRILL=full`` raises the counts, ``EDITSCOPE_DRILL_KILLS`` says how many random kills there are in all,
``EDITSCOPE_DRILL_SEED`` decides what is killed, how, and at which moment.
"""

from __future__ import annotations

import os

FULL = os.environ.get("EDITSCOPE_DRILL", "") == "full"
KILLS = int(os.environ.get("EDITSCOPE_DRILL_KILLS", "120"))
SEED = int(os.environ.get("EDITSCOPE_DRILL_SEED", "7"))
PER_LIFE = 5
"""Kills of one run from its first command to its last."""


def times(usual: int, full: int) -> int:
    """``usual`` in ``make test``, ``full`` in ``make drills``."""
    return full if FULL else usual


def lives(share: float) -> int:
    """How many runs get a share of all random kills: one in ``make test``, enough for ``KILLS`` in ``make drills``."""
    return times(1, max(1, round(KILLS * share / PER_LIFE)))
