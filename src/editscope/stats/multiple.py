"""Correction of p-values when many hypotheses are tested at once."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p: Sequence[float]) -> tuple[float, ...]:
    """Holm's step-down correction: the chance of any false alarm among m tests stays below the level.

    In ascending order, p̃₍ᵢ₎ = max over j ≤ i of min(1, (m - j + 1) · p₍ⱼ₎); given back in the order asked.

    >>> holm([0.01, 0.04, 0.03])
    (0.03, 0.06, 0.06)
    """
    m = len(p)
    corrected = [1.0] * m
    highest = 0.0
    for place, i in enumerate(sorted(range(m), key=p.__getitem__)):
        highest = max(highest, min(1.0, (m - place) * p[i]))
        corrected[i] = highest
    return tuple(corrected)
