"""Pictures and texts that a case gives, from the suite that its runs were made with."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from editscope.errors import BadInput, EditscopeError
from editscope.report.html.picture_folder import pictures_of_case
from editscope.studio.catalog.records import RunCard

if TYPE_CHECKING:
    from editscope.cases import Case
    from editscope.images import ImageLike
    from editscope.suites import Suite

MOST_SUITES, MOST_CASES = 6, 24


class GivenCases:
    """Suites that are open, and the cases that were asked for last. Not used: a suite that gives other cases today."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._suites: OrderedDict[str, Suite | EditscopeError] = OrderedDict()
        self._cases: OrderedDict[tuple[str, str], Case] = OrderedDict()

    def case(self, card: RunCard, case_id: str) -> Case:
        """A case of a run's suite; an EditscopeError where the suite cannot be read here, or is another one today."""
        key = (card.set_id, case_id)
        with self._lock:
            if key in self._cases:
                self._cases.move_to_end(key)
                return self._cases[key]
            suite = self._suite(card)
            case = suite[case_id]
            self._cases[key] = case
            while len(self._cases) > MOST_CASES:
                self._cases.popitem(last=False)
            return case

    def pictures(self, card: RunCard, case_id: str) -> dict[str, ImageLike]:
        """The pictures of a case by what they are: input, input2, reference, answer."""
        return pictures_of_case(self.case(card, case_id))

    def about(self, card: RunCard, case_id: str) -> dict[str, Any]:
        """The texts of a case: every instruction, and what else its suite says about it."""
        case = self.case(card, case_id)
        return {
            "instructions": [
                {"text": one.text, "level": one.level, "language": one.language, "variant": one.variant}
                for one in case.instructions
            ],
            "hint": case.hint,
            "checklist": case.checklist,
            "questions": [
                {
                    "text": question.text,
                    "answer": question.answer,
                    "category": question.category,
                    "region": None if question.region is None else question.region.name,
                }
                for question in case.questions
            ],
            "regions": [{"name": region.name, "box": list(region.box)} for region in case.regions],
        }

    def _suite(self, card: RunCard) -> Suite:
        from editscope.suites import load_suite

        known = self._suites.get(card.set_id)
        if known is None:
            try:
                known = load_suite(card.suite, **dict(card.suite_options))
                if known.fingerprint != card.fingerprint:
                    known = BadInput(f"{card.suite_title} gives another set of cases here than when the run was made")
            except EditscopeError as error:
                known = error
            self._suites[card.set_id] = known
            while len(self._suites) > MOST_SUITES:
                self._suites.popitem(last=False)
        if isinstance(known, EditscopeError):
            raise known
        return known
