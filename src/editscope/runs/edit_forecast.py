"""What the edits of a run will cost, before any is made."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from editscope.runs.plan import Plan
from editscope.runs.remaining import todo


@dataclass(frozen=True, slots=True)
class EditForecast:
    """How many edits are left to be made, and their price in dollars: 0 at home, None where nobody knows."""

    edits: int
    cost_usd: float | None

    def said(self) -> str:
        """It in a few words.

        >>> EditForecast(1, 0.5).said(), EditForecast(3, 0.0).said()
        ('1 edit to be made, for about $0.50', '3 edits to be made')
        """
        text = f"{self.edits:,} edit{'' if self.edits == 1 else 's'} to be made"
        if self.cost_usd is None:
            return f"{text}, at a price that is not known"
        return f"{text}, for about ${self.cost_usd:,.2f}" if self.cost_usd else text


def forecast_edits(plan: Plan) -> EditForecast:
    """Ask the editor of a plan for its price, for the edits that the journal does not have yet."""
    plan.editor.limit(plan.edit_limits)
    to_edit, _ = todo(plan)
    by_images: Counter[int] = Counter()
    for job in to_edit:
        # Suites that draw their cases have one picture each, and drawing them all would take long.
        images = len(plan.suite.case(job.case_id).images) if plan.suite.scoring == "judged" else 1
        by_images[images] += len(job.make)
    prices = [plan.editor.estimate(edits, images) for images, edits in by_images.items()]
    known = [price for price in prices if price is not None]
    return EditForecast(by_images.total(), sum(known) if len(known) == len(prices) else None)
