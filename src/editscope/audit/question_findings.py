"""Findings about a judge that answered questions: how often it is right, in which way it errs, about what it errs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from editscope.audit.judge_findings import STEADY, JudgeFindings, call_facts, gap_flag
from editscope.audit.known_edit_set import AuditProblem
from editscope.audit.known_questions import EDITS
from editscope.audit.means import Mean, mean_over_problems
from editscope.audit.question_calls import asked_keys
from editscope.audit.weak_effects import WEAK, weak_effects
from editscope.judges import Verdict

SIZES = (0.01, 0.05, 0.2)
"""Where buckets of the area of an effect begin, as shares of the picture."""
SIZE_NAMES = ("under 1 %", "1 to 5 %", "5 to 20 %", "20 % and more")
MOSTLY_ONE = 0.9
"""A judge that gives one answer so often says nothing; half of the right ones are Yes."""
LEANING = 0.1
"""So much more often than the other a wrong answer may be Yes or No, whatever the intervals say."""


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """One question about one edit: what is true, and what the judge said each time; None where it gave no verdict."""

    problem: int
    effect: str
    size: str
    law: str
    edit: str
    truth: bool
    answers: tuple[bool | None, ...]

    @property
    def said(self) -> list[bool]:
        """The answers that there are."""
        return [answer for answer in self.answers if answer is not None]


@dataclass(frozen=True, slots=True)
class Rates:
    """How often a judge is right about some questions, and how often it says Yes where No is true, and the reverse."""

    accuracy: Mean
    false_yes: Mean
    false_no: Mean
    questions: int


@dataclass(frozen=True)
class QuestionFindings(JudgeFindings):
    """All that answers say about one judge. ``by`` has the rates by effect, size of effect, law and edit."""

    overall: Rates
    by: Mapping[str, Mapping[str, Rates]]
    yes: Mean
    same_again: Mean


def size_name(area: float) -> str:
    """The bucket of an effect by its share of the picture.

    >>> size_name(0.004), size_name(0.01), size_name(0.6)
    ('under 1 %', '1 to 5 %', '20 % and more')
    """
    return SIZE_NAMES[sum(area >= start for start in SIZES)]


def question_findings(
    judge: str, problems: Sequence[AuditProblem], verdicts: Mapping[tuple[str, str, int], Verdict]
) -> QuestionFindings:
    """What the answers of one judge come to; ``verdicts`` by problem, key of the call, and sample."""
    given = given_answers(problems, verdicts)
    count = len(problems)
    groups: dict[str, Callable[[GivenAnswer], str]] = {
        "effect": lambda one: one.effect,
        "size": lambda one: one.size,
        "law": lambda one: one.law,
        "edit": lambda one: one.edit,
    }
    orders: dict[str, Sequence[str]] = {"size": SIZE_NAMES, "edit": EDITS}
    unflagged = QuestionFindings(
        **call_facts(judge, list(verdicts.values())),
        overall=rates(given, count),
        by={name: _rates_by(given, key, count, orders.get(name, ())) for name, key in groups.items()},
        yes=mean_over_problems([(one.problem, float(answer)) for one in given for answer in one.said], count),
        same_again=mean_over_problems(
            [(one.problem, float(a == b)) for one in given for a, b in combinations(one.said, 2)], count
        ),
    )
    return replace(unflagged, flags=question_flags(unflagged, weak_effects(given)))


def given_answers(
    problems: Sequence[AuditProblem], verdicts: Mapping[tuple[str, str, int], Verdict]
) -> list[GivenAnswer]:
    """The verdicts of one judge, each with what is true."""
    samples = 1 + max((sample for _, _, sample in verdicts), default=0)
    given = []
    for number, problem in enumerate(problems):
        for key, place, level in asked_keys(problem):
            question = problem.questions[place]
            answers = tuple(_answer(verdicts.get((problem.id, key, sample))) for sample in range(samples))
            law = problem.tags.get("law", "")
            truth = question.answers[level] == "Yes"
            given.append(GivenAnswer(number, question.effect, size_name(question.area), law, level, truth, answers))
    return given


def rates(given: Iterable[GivenAnswer], problems: int) -> Rates:
    """The rates of some answers; problems are resampled whole.

    >>> said = [GivenAnswer(0, "shadow", "", "", "oracle", truth, (answer,))
    ...         for truth, answer in ((True, True), (True, False), (False, False), (False, False))]
    >>> found = rates(said, 1)
    >>> found.accuracy.value, found.false_yes.value, found.false_no.value
    (0.75, 0.0, 0.5)
    """
    listed = list(given)
    right = [(one.problem, one.truth, answer) for one in listed for answer in one.said]
    return Rates(
        mean_over_problems([(problem, float(truth == answer)) for problem, truth, answer in right], problems),
        mean_over_problems([(problem, float(answer)) for problem, truth, answer in right if not truth], problems),
        mean_over_problems([(problem, float(not answer)) for problem, truth, answer in right if truth], problems),
        len(listed),
    )


def question_flags(found: QuestionFindings, weak_on: Sequence[str]) -> dict[str, str]:
    """What is wrong with a judge, by name, each in a sentence; nothing for a good one."""
    flaws: dict[str, str] = {}
    overall = found.overall
    yes = found.yes.value
    if yes is not None and max(yes, 1 - yes) >= MOSTLY_ONE:
        word, share = ("Yes", yes) if yes > 0.5 else ("No", 1 - yes)
        flaws["indifferent"] = f"It says {word} in {100 * share:.0f} % of all verdicts, whatever it is shown."
    if overall.accuracy.value is not None and not overall.accuracy.above(0.5):
        flaws["cannot tell"] = "Its answers are not right more often than chance."
    leaning = _leaning(overall)
    if leaning and "indifferent" not in flaws:
        flaws[f"leans to {leaning}"] = (
            f"It says Yes to {_percent(overall.false_yes)} of what is not so, and No to "
            f"{_percent(overall.false_no)} of what is."
        )
    if "cannot tell" not in flaws:
        if overall.accuracy.below(WEAK):
            flaws["often wrong"] = f"Only {_percent(overall.accuracy)} of its answers are right; half is chance."
        for effect in weak_on:
            flaws[f"weak on {effect}"] = (
                f"It is right about {effect.replace('_', ' ')} in only {_percent(found.by['effect'][effect].accuracy)} "
                "of cases, and more often about other effects; half is chance."
            )
    if found.same_again.value is not None and found.same_again.value < STEADY:
        flaws["inconsistent"] = f"Asked again, it gives the same answer in only {_percent(found.same_again)} of cases."
    return flaws | gap_flag(found)


def _leaning(overall: Rates) -> str:
    """The answer that is wrong more often: far more, and surely so."""
    yes, no = overall.false_yes, overall.false_no
    if yes.value is None or no.value is None or abs(yes.value - no.value) < LEANING:
        return ""
    if no.hi is not None and yes.above(no.hi):
        return "Yes"
    return "No" if yes.hi is not None and no.above(yes.hi) else ""


def _rates_by(
    given: Sequence[GivenAnswer], key: Callable[[GivenAnswer], str], problems: int, order: Sequence[str]
) -> dict[str, Rates]:
    counts = Counter(key(one) for one in given)
    names = [name for name in order if name in counts] or sorted(counts)
    return {name: rates([one for one in given if key(one) == name], problems) for name in names if name}


def _answer(verdict: Verdict | None) -> bool | None:
    return bool(verdict.values["answer"]) if verdict is not None and verdict.status == "ok" else None


def _percent(mean: Mean) -> str:
    return "–" if mean.value is None else f"{100 * mean.value:.0f} %"
