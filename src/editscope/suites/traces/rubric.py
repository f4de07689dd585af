"""The rubric of traces: one question about what an editor said or thought, which does not look at its picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from editscope.cases import Case, Status
from editscope.errors import BadInput
from editscope.images import Pixels
from editscope.judges import Call, Verdict
from editscope.scoring.rubrics.base import Measure, Prompts, ScoreRow, Unit
from editscope.scoring.rubrics.pictures import LazyPictures, pictures_of
from editscope.scoring.rubrics.scales import Ask, ScaleRubric

KEY = "thoughts"
LONGEST = 12_000
"""Characters of a trace that a judge reads; of a longer one the beginning and the end."""
COMMAND = "editscope rescore RUN --protocol trace --judge SPEC"


class TraceRubric(ScaleRubric):
    """Whether the trace of an edit comes to the right result; an edit without a trace or a picture has no row.

    The judge sees the inputs, the instruction and whatever the case says of the right result, but not the edit: what
    was drawn is scored by the run itself, and the two are set against each other.
    """

    name = "trace"
    headline = "reasoned"
    reads_traces = True
    default_side = 1024
    default_quality = 90
    measures = (Measure("reasoned", ("reasoned",), "Reasoned right", note="share of traces that reason right"),)

    def asks(self, case: Case, unit: Unit) -> tuple[Ask, ...]:
        """One question about each trace."""
        return (Ask(KEY, KEY, {"answer": "reasoned"}),)

    def words(self, case: Case, unit: Unit) -> Mapping[str, str]:
        """The instruction, and what the case says of the right result."""
        return {**super().words(case, unit), "expected": expected(case)}

    def shown(self, case: Case, unit: Unit, edits: Mapping[str, Pixels]) -> LazyPictures:
        """The inputs, and the answer or the references where there are any."""
        form = self.form(case)
        right = case.references if case.answer is None else (case.answer,)
        return LazyPictures(
            source=lambda: pictures_of(case.images, form),
            answer=lambda: pictures_of(right, form),
        )

    def calls(self, case: Case, unit: Unit, edits: Mapping[str, Pixels], prompts: Prompts) -> NoReturn:
        """Raises: there is nothing to ask without a trace."""
        raise BadInput(f"the protocol {self.name} reads the traces of a run's edits; use it as `{COMMAND}`")

    def calls_about(
        self, case: Case, unit: Unit, edits: Mapping[str, Pixels], traces: Mapping[str, str], prompts: Prompts
    ) -> tuple[Call, ...]:
        """The question about the trace of an edit; none where it has no trace."""
        trace = traces.get(unit.variants[0], "").strip()
        if not trace:
            return ()
        pictures, words = self.shown(case, unit, edits), {**self.words(case, unit), "trace": shortened(trace)}
        return (self.sent(prompts.call(KEY, KEY, pictures, words)),)

    def rows(
        self,
        case: Case,
        unit: Unit,
        verdicts: Mapping[str, Sequence[Verdict]],
        pixels: Mapping[str, float | None],
        missing: Status | None = None,
    ) -> tuple[ScoreRow, ...]:
        """One row where there was a trace to judge."""
        return super().rows(case, unit, verdicts, pixels) if verdicts.get(KEY) else ()


def expected(case: Case) -> str:
    """What a case says of the right result: its hint or explanation, its checklist, its questions with their answers.

    >>> from editscope.cases import Question
    >>> expected(Case("1", "s", (), (), {}, hint="It melts.", questions=(Question("Is there a puddle?", "Yes"),)))
    'It melts.\\nIs there a puddle? Yes'
    """
    told = (case.hint, str(case.details.get("explanation") or ""), case.checklist)
    answers = [f"{question.text} {question.answer}" for question in case.questions]
    return "\n".join(dict.fromkeys(part.strip() for part in (*told, *answers) if part and part.strip()))


def shortened(trace: str) -> str:
    """A trace as the judge reads it.

    >>> len(shortened("a" * 50_000)) < 12_100
    True
    """
    if len(trace) <= LONGEST:
        return trace
    half = LONGEST // 2
    return f"{trace[:half]}\n[… {len(trace) - 2 * half:,} characters left out …]\n{trace[-half:]}"


def no_cases(root: Any = None) -> NoReturn:
    """Raises: a protocol has no cases of its own."""
    raise BadInput(f"trace is a protocol and no suite: it judges the traces of a run that is done, `{COMMAND}`")
