"""Problems by suite and id, for callers that have an output and only the name of its problem."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence

from editscope.cases import Case, Instruction
from editscope.errors import BadInput, EditscopeError, unknown
from editscope.images import load
from editscope.suites import Suite, load_suite
from editscope.training.data.examples import EditExample

KEPT = 64
"""Problems that stay in memory: those of a few groups of rollouts."""


class Problems:
    """The cases of suites as examples, made or read on demand.

    ``suites`` are specs or suites. A problem is looked up by the spec or name of its suite; if there is only one suite,
    by its id alone.
    """

    def __init__(self, suites: Sequence[str | Suite], kept: int = KEPT) -> None:
        self.suites: dict[str, Suite] = {}
        for suite in suites:
            loaded = load_suite(suite) if isinstance(suite, str) else suite
            for name in dict.fromkeys([suite if isinstance(suite, str) else loaded.name, loaded.name]):
                if self.suites.setdefault(name, loaded) is not loaded:
                    raise BadInput(f"two suites are called {name!r}; name them with their options, each once")
        self._ids = {id(suite): frozenset(suite.ids) for suite in self.suites.values()}
        self._kept: OrderedDict[tuple[int, str, str], EditExample] = OrderedDict()
        self._most = kept
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return sum(map(len, self._ids.values()))

    def example(self, case_id: str, suite: str = "", variant: str = "") -> EditExample:
        """A problem; ``variant`` is the name, the level or the language of one of its instructions."""
        own = self._suite(suite)
        key = (id(own), case_id, variant)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        if case_id not in self._ids[id(own)]:
            raise unknown(f"case in {own.name}", case_id, self._ids[id(own)])
        try:
            made = example_of(own.case(case_id), variant)
        except EditscopeError:
            raise
        except OSError as error:
            raise BadInput(f"case {case_id!r} of {own.name} cannot be read ({error.strerror or error})") from error
        with self._lock:
            self._kept[key] = made
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return made

    def _suite(self, name: str) -> Suite:
        if not self.suites:
            raise BadInput("a problem is named by its id, but no suite is loaded; give suite=NAME, or the pictures")
        if name:
            if name not in self.suites:
                raise unknown("suite here", name, self.suites)
            return self.suites[name]
        if len(self._ids) > 1:
            raise BadInput(f"several suites are loaded ({', '.join(self.suites)}); name the problem's suite")
        return next(iter(self.suites.values()))


def example_of(case: Case, variant: str = "") -> EditExample:
    """A case as an example, for one of its instructions; the first unless ``variant`` names another."""
    instruction = _instruction(case, variant)
    return EditExample(
        case.id,
        case.suite,
        tuple(load(image) for image in case.images),
        instruction.text,
        None if case.answer is None else load(case.answer),
        instruction.level,
        case.tags,
        case,
    )


def _instruction(case: Case, variant: str) -> Instruction:
    if not variant:
        return case.instructions[0]
    for instruction in case.instructions:
        if variant in (instruction.variant, instruction.level, instruction.language):
            return instruction
    known = {name for one in case.instructions for name in (one.variant, one.level, one.language) if name}
    raise unknown(f"variant of case {case.id!r}", variant, known)
