"""Gibberish for labels, and numbers as both the sentence and the picture use them."""

from __future__ import annotations

from collections.abc import Collection

from editscope.suites.generated.seeded_random import SeededRandom

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def word(rng: SeededRandom, shortest: int = 3, longest: int = 8) -> str:
    """Letters that mean nothing."""
    return "".join(rng.choice(LETTERS) for _ in range(rng.integer(shortest, longest)))


def words(rng: SeededRandom, most: int = 3, longest: int = 8) -> str:
    """One to ``most`` such words."""
    return " ".join(word(rng, 3, longest) for _ in range(rng.integer(1, most)))


def new_word(rng: SeededRandom, used: Collection[str], shortest: int = 3, longest: int = 7) -> str:
    """A word that none of ``used`` is, whatever their case, so that no two labels can be confused."""
    taken = {w.lower() for w in used}
    while (found := word(rng, shortest, longest)).lower() in taken:
        continue
    return found


def sig3(value: float) -> float:
    """A number rounded to three significant figures: what the sentence says and the picture shows.

    >>> sig3(1234.5), sig3(-0.0056789)
    (1230.0, -0.00568)
    """
    return float(f"{value:.3g}")


def decimal(value: float) -> str:
    """A three-figure number in plain decimals.

    >>> decimal(1230.0), decimal(-0.00568), decimal(0.5), decimal(30.0)
    ('1230', '-0.00568', '0.5', '30')
    """
    text = f"{value:.10f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def magnitude(rng: SeededRandom) -> float:
    """The scale of a chart's numbers: 0.001 to 1000, one of seven decades."""
    return 10.0 ** rng.integer(-3, 3)
