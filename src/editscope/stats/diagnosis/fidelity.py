"""Fidelity of a model to its input: the size of its outputs, and the pixels it had to keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from editscope.stats.diagnosis.columns import curves, has_output, taking_part
from editscope.stats.frame import column

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from editscope.stats.frame import Rows

Size: TypeAlias = tuple[int, int]
"""Width and height."""

KEEPS, REDRAWS = 95.0, 50.0
"""Median preservation at ΔE 0, in percent, from which a model keeps pixels, and under which it redraws them."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """The size that an output came in, and the one that was wanted; None where it is not known."""

    delivered: Size | None
    wanted: Size | None

    @property
    def other_size(self) -> bool:
        """Whether the output had to be fitted."""
        return self.delivered is not None and self.wanted is not None and self.delivered != self.wanted

    @property
    def other_shape(self) -> bool:
        """Whether even its aspect is another, by more than a pixel of rounding: then a part was cut off.

        >>> Sizes((512, 288), (1024, 576)).other_shape, Sizes((1024, 1024), (1024, 576)).other_shape
        (False, True)
        """
        if self.delivered is None or self.wanted is None or self.delivered == self.wanted:
            return False
        (w, h), (wide, high) = self.delivered, self.wanted
        return abs(w * high - h * wide) > max(wide, high)


@dataclass(frozen=True, slots=True)
class Fidelity:
    """The input fidelity of ``n`` outputs; percentages over ΔE 0 … 10.

    ``other_size`` and ``other_shape`` count outputs (None: sizes are not known). ``lower``, ``median`` and
    ``upper`` are the quartiles over cases of preservation accuracy at each tolerance. ``exact`` is the percentage
    of outputs that keep every pixel they should. ``diagnostic`` is the same over the diagnostic cases, where the
    whole picture was to be returned: what a model loses there it loses in every edit, the floor of its fidelity.
    """

    n: int
    other_size: int | None
    other_shape: int | None
    lower: tuple[float, ...]
    median: tuple[float, ...]
    upper: tuple[float, ...]
    exact: float
    diagnostic: Fidelity | None = None

    @property
    def kind(self) -> Literal["keeps pixels", "redraws the picture", "in between"]:
        """Whether the model copies the pixels it should keep, or draws the whole picture again."""
        if self.median[0] >= KEEPS:
            return "keeps pixels"
        return "redraws the picture" if self.median[0] < REDRAWS else "in between"


def fidelity(
    rows: Rows, sizes: Mapping[str, Sizes] | None = None, *, exclude: Mapping[str, str] | None = None
) -> Fidelity | None:
    """Output sizes and kept pixels of a run; ``sizes`` by case id. None when it has no output.

    A model that keeps pixels has a preservation accuracy near 100 at ΔE 0 already; one that redraws the
    picture, through a latent code say, has nearly 0 there and rises with the tolerance.

    >>> rows = {
    ...     "case_id": ["1", "2"],
    ...     "status": ["ok", "ok"],
    ...     "preservation_accuracy_curve": [[1.0] * 11, [0.5] + [1.0] * 10],
    ... }
    >>> found = fidelity(rows)
    >>> found.median[:2], found.exact, found.kind
    ((75.0, 100.0), 50.0, 'in between')
    """
    part = taking_part(rows, exclude)
    has_edit = has_output(rows)
    accuracy = curves(rows, "preservation_accuracy_curve")
    ids = [str(case_id) for case_id in column(rows, "case_id")]

    def measure(chosen: NDArray[np.bool_], diagnostic: Fidelity | None) -> Fidelity | None:
        places = np.flatnonzero(chosen & has_edit & ~np.isnan(accuracy[:, 0]))
        if not places.size:
            return None
        known_sizes = None if sizes is None else [sizes[ids[i]] for i in places.tolist() if ids[i] in sizes]
        lower, median, upper = (_percent(np.quantile(accuracy[places], q, axis=0)) for q in (0.25, 0.5, 0.75))
        return Fidelity(
            n=len(places),
            other_size=None if known_sizes is None else sum(size.other_size for size in known_sizes),
            other_shape=None if known_sizes is None else sum(size.other_shape for size in known_sizes),
            lower=lower,
            median=median,
            upper=upper,
            exact=100.0 * float((accuracy[places, 0] == 1.0).sum()) / len(places),
            diagnostic=diagnostic,
        )

    apart = measure(~part, None)
    return measure(part, apart) if part.any() else apart


def _percent(values: Sequence[float] | NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(round(100.0 * float(value), 9) for value in values)
