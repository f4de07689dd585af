"""How often a drill does its thing: a few times in ``make test``, many times in ``make drills``.

``EDITSCOPE_DRILL=full`` raises the counts, ``EDITSCOPE_DRILL_KILLS`` says how many random kills there are in all,
``EDITSCOPE_DRILL_SEED`` decides what is killed, how, and at which moment.
"""

from __future__ import annotations

import os
from math import ceil

FULL = os.environ.get("EDITSCOPE_DRILL", "") == "full"
KILLS = int(os.environ.get("EDITSCOPE_DRILL_KILLS", "120"))
SAMPLED = FULL or os.environ.get("EDITSCOPE_SAMPLE", "") == "1"
"""Whether ``make test`` and ``make drills`` share the parameters of slow tests; pytest by itself runs all of them."""
SEED = int(os.environ.get("EDITSCOPE_DRILL_SEED", "7"))
PER_LIFE = 5
"""Kills of one run from its first command to its last."""


def times(usual: int, full: int) -> int:
    """``usual`` in ``make test``, ``full`` in ``make drills``."""
    return full if FULL else usual


def lives(share: float, usual: int = 1) -> int:
    """How many runs get a share of all random kills: ``usual`` in ``make test``, enough of them in ``make drills``."""
    return times(usual, max(1, ceil(KILLS * share / PER_LIFE)))
