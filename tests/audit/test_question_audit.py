"""An audit by questions finds how often a judge errs, and about what."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest

from editscope.audit import known_questions
from editscope.audit.audit import open_audit, plan_audit, run_audit
from editscope.audit.forecast import forecast_audit
from editscope.audit.known_edit_set import AuditProblem, make_set, read_set
from editscope.audit.means import Mean
from editscope.audit.question_calls import asked_keys
from editscope.audit.question_findings import QuestionFindings, question_findings
from editscope.errors import BadInput
from editscope.judges import Verdict
from editscope.report.pages.audit import write_audit
from editscope.suites import Suite, load_suite
from editscope.suites.effect_questions import questions_about
from editscope.transport.budget import BudgetSpent
from support.judged.answering_judges import AnswerTruth, erring, perfect, quota
from support.servers.judge_server import KEY, JudgeServer, Script

pytestmark = pytest.mark.slow

MANY = 10
"""Problems from which on the interval of an effect comes from resampling, and hardly ever from its exact bound."""


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture(scope="module")
def suite() -> Suite:
    """Two problems of every task, small."""
    return load_suite("optics", per_task=2, levels="superficial", size=96)


@pytest.fixture(scope="module")
def anchor(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All problems with their edits and questions, made once."""
    folder = tmp_path_factory.mktemp("anchor")
    make_set(folder, suite, len(suite))
    return folder


def found_by(script: Script, anchor: Path, out: Path) -> QuestionFindings:
    with JudgeServer(script) as server:
        (found,) = run_audit(plan_audit([server.spec()], anchor=anchor, out=out, samples=1)).findings
    assert isinstance(found, QuestionFindings)
    return found


def holds(mean: Mean, rate: float) -> bool:
    return mean.lo is not None and mean.hi is not None and mean.lo <= rate <= mean.hi


def test_a_perfect_judge_is_always_right(anchor: Path, tmp_path: Path) -> None:
    found = found_by(perfect(AnswerTruth(anchor)), anchor, tmp_path / "audit")
    assert found.overall.accuracy.value == 1.0 and found.flags == {}
    assert all(some.accuracy.value == 1.0 for group in found.by.values() for some in group.values())
    assert found.yes.value == pytest.approx(0.5, abs=0.05)
    assert {"light", "shadow", "mirror image", "refraction", "object"} <= set(found.by["effect"])
    assert list(found.by["edit"]) == ["oracle", "cutout", "consequences", "identity"]


def test_an_audit_says_how_many_problems_it_asks_about_and_why_not_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = load_suite("optics", tasks="fog,remove_object,lamp_off", per_task=1, levels="superficial", size=96)
    silent = "fog_superficial/000"
    monkeypatch.setattr(known_questions, "questions_about", lambda case: questions_about(case) * (case.id != silent))
    heard: list[tuple[str, int, int]] = []
    remarks = []
    with JudgeServer(perfect(AnswerTruth(tmp_path / "audit" / "exhibits"))) as server:
        for _ in range(2):
            plan = plan_audit([server.spec()], suite=suite, n=3, out=tmp_path / "audit", samples=1)
            run_audit(plan, lambda *told: heard.append(told))
            remarks.append([said for said, _, total in heard if total == 0][-1])
    assert remarks == [
        "asking about 2 of 3 problems: the other one has no question whose answer is known",
        f"asking about the 2 problems that {tmp_path / 'audit' / 'exhibits'} has",
    ]


def test_a_perfect_judge_of_mechanics_is_right_about_what_fell_moved_and_floats(tmp_path: Path) -> None:
    mechanics = load_suite("mechanics", per_task=1, levels="superficial", size=128)
    make_set(tmp_path / "anchor", mechanics, len(mechanics))
    found = found_by(perfect(AnswerTruth(tmp_path / "anchor")), tmp_path / "anchor", tmp_path / "audit")
    assert found.overall.accuracy.value == 1.0 and found.flags == {}
    assert {"object", "fallen", "moved", "water", "shadow"} <= set(found.by["effect"])


def test_the_error_rates_of_a_judge_are_found_within_the_interval(anchor: Path, tmp_path: Path) -> None:
    found = found_by(quota(AnswerTruth(anchor), 10, 4, worse="mirror image"), anchor, tmp_path / "audit")
    for effect in ("object", "shadow", "light"):
        some = found.by["effect"][effect]
        assert holds(some.false_yes, 0.1) and holds(some.false_no, 0.25), effect
    mirror = found.by["effect"]["mirror image"]
    assert holds(mirror.accuracy, 0.5)
    assert found.flags == {}  # ten answers are too few to say so, see below
    assert (found.overall.false_no.value or 0.0) > (found.overall.false_yes.value or 1.0)


def wrong_share(effect: str, true: bool) -> float:
    """How often a judge errs about an effect where Yes is true, or No; about mirrors more often."""
    if effect == "mirror image":
        return 0.5 if true else 0.4
    return 0.25 if true else 0.1


def found_by_chance(
    problems: Sequence[AuditProblem], seed: int, share: Callable[[str, bool], float]
) -> QuestionFindings:
    """The findings about a judge that errs at random, without a server."""
    verdicts = {}
    for problem in problems:
        for key, place, level in asked_keys(problem):
            question = problem.questions[place]
            true = question.answers[level] == "Yes"
            # The same crop gets the same answer, whichever edit it is of.
            wrong = Random(f"{seed}|{problem.id}|{place}|{true}").random() < share(question.effect, true)
            verdicts[problem.id, key, 0] = Verdict("ok", {"answer": true != wrong})
    return question_findings("judge", problems, verdicts)


def test_intervals_hold_the_rates_of_judges_that_err_by_chance(anchor: Path) -> None:
    problems = read_set(anchor).problems
    held = []
    for seed in range(60):
        overall = found_by_chance(problems, seed, lambda _, true: 0.25 if true else 0.1).overall
        held += [holds(overall.false_yes, 0.1), holds(overall.false_no, 0.25)]
    assert sum(held) / len(held) > 0.88  # 95 % intervals of 48 problems


def test_intervals_by_effect_hold_the_rates_of_judges_that_err_by_chance(anchor: Path) -> None:
    problems = read_set(anchor).problems
    held: dict[str, list[bool]] = defaultdict(list)
    many = []
    for seed in range(100):
        for effect, some in found_by_chance(problems, seed, wrong_share).by["effect"].items():
            for mean, true in ((some.false_yes, False), (some.false_no, True)):
                held[effect].append(holds(mean, wrong_share(effect, true)))
                many += [held[effect][-1]] if mean.n >= MANY else []
    every = [one for some_held in held.values() for one in some_held]
    assert len(held) >= 8 and sum(every) / len(every) >= 0.92
    # Intervals of a handful of problems are wide and hold nearly always; they must not hide narrow ones that do not.
    assert 0.92 <= sum(many) / len(many) <= 0.98
    assert all(sum(some_held) / len(some_held) >= 0.88 for some_held in held.values())


def weak_in_audits(
    problems: Sequence[AuditProblem], share: Callable[[str, bool], float], audits: int = 60
) -> list[str]:
    """What a judge that errs at these rates is called weak on, in so many audits: one name for every flag."""
    flags = (flag for seed in range(audits) for flag in found_by_chance(problems, seed, share).flags)
    return [flag for flag in flags if flag.startswith("weak on")]


@pytest.mark.parametrize(("false_yes", "false_no"), [(0.3, 0.1), (0.2, 0.2), (0.1, 0.1)])
def test_a_judge_that_errs_alike_about_all_effects_is_seldom_called_weak_on_one(
    false_yes: float, false_no: float, anchor: Path
) -> None:
    flags = weak_in_audits(read_set(anchor).problems, lambda _, true: false_no if true else false_yes)
    assert len(flags) <= 0.1 * 60  # 5 % are promised; so many are three standard errors more


def test_a_judge_that_does_not_see_mirrors_is_found_with_two_problems_a_task(anchor: Path) -> None:
    blind = weak_in_audits(
        read_set(anchor).problems, lambda effect, true: float(true) if effect == "mirror image" else 0.1
    )
    assert blind.count("weak on mirror image") >= 0.9 * 60


def test_a_judge_that_guesses_about_mirrors_is_found_with_four_problems_a_task(tmp_path: Path) -> None:
    suite = load_suite("optics", per_task=4, levels="superficial", size=64)
    make_set(tmp_path / "set", suite, len(suite))
    guesses = weak_in_audits(
        read_set(tmp_path / "set").problems, lambda effect, _: 0.5 if effect == "mirror image" else 0.1
    )
    assert guesses.count("weak on mirror image") >= 0.85 * 60


def test_two_problems_say_nothing_of_an_effect(anchor: Path) -> None:
    wrong_about_fog = found_by_chance(read_set(anchor).problems, 0, lambda effect, _: float(effect == "fog"))
    fog = wrong_about_fog.by["effect"]["fog"]
    assert fog.accuracy.n == 2 and fog.accuracy.value == 0.0
    assert wrong_about_fog.flags == {}
    half = found_by_chance(read_set(anchor).problems, 0, lambda effect, true: float(effect == "fog" and true))
    accuracy = half.by["effect"]["fog"].accuracy
    assert accuracy.value == 0.5 and accuracy.lo == pytest.approx(0.09, abs=0.01) and half.flags == {}


def test_a_judge_that_always_says_yes_is_found_out(anchor: Path, tmp_path: Path) -> None:
    found = found_by(lambda asked: {"reason": "sure", "answer": "Yes"}, anchor, tmp_path / "audit")
    assert {"indifferent", "cannot tell"} <= set(found.flags)
    assert found.overall.false_yes.value == 1.0 and found.overall.false_no.value == 0.0


def test_an_audit_that_ran_out_of_calls_goes_on_without_repeating_one(suite: Suite, tmp_path: Path) -> None:
    out = tmp_path / "audit"
    with JudgeServer(perfect(AnswerTruth(out))) as server:
        plan = plan_audit([server.spec()], suite=suite, n=3, out=out)
        (before,) = forecast_audit(plan).parts
        assert server.calls == 0 and not out.exists()
        with pytest.raises(BudgetSpent):
            run_audit(plan_audit([server.spec()], suite=suite, n=3, out=out, max_calls=5))
        assert server.calls == 5
        audit = run_audit(plan_audit([server.spec()], suite=suite, n=3, out=out))
        assert server.calls == before.calls == audit.findings[0].asked
    assert open_audit(out).findings == audit.findings and audit.complete
    said = json.loads((out / "findings.json").read_text())
    assert said["judges"][0]["overall"]["accuracy"]["value"] == 1.0


def test_the_page_has_every_question_and_what_is_true(suite: Suite, tmp_path: Path) -> None:
    out = tmp_path / "audit"
    with JudgeServer(perfect(AnswerTruth(out))) as one, JudgeServer(erring(AnswerTruth(out), 0.5, 0.5)) as two:
        audit = run_audit(plan_audit([one.spec(), two.spec()], suite=suite, n=4, out=out))
    page = write_audit(audit).read_text()
    assert all(question.text in page for problem in audit.edit_set.problems for question in problem.questions)
    assert "By size of the effect" in page and "Scores against the truth" not in page
    assert audit.agreement["answers"]["value"] < 1.0


def test_a_judge_that_answers_otherwise_has_drifted(suite: Suite, tmp_path: Path) -> None:
    anchor = tmp_path / "anchor"
    scripts: list[Script] = [perfect(AnswerTruth(anchor))]
    with JudgeServer(lambda asked: scripts[0](asked)) as server:  # type: ignore[operator]
        run_audit(plan_audit([server.spec()], suite=suite, n=6, out=tmp_path / "1", anchor=anchor))
        same = run_audit(plan_audit([server.spec()], out=tmp_path / "2", anchor=anchor))
        scripts[0] = erring(AnswerTruth(anchor), 1.0, 0.0)
        later = run_audit(plan_audit([server.spec()], out=tmp_path / "3", anchor=anchor))
    assert not same.drifts[0].drifted
    assert later.drifts[0].drifted and "of the share of Yes" in later.drifts[0].sentence
    assert open_audit(tmp_path / "3").drifts == later.drifts


def test_equal_seeds_give_equal_sets_and_a_damaged_one_is_named(suite: Suite, tmp_path: Path) -> None:
    made = make_set(tmp_path / "a", suite, 3, seed=1)
    assert make_set(tmp_path / "b", suite, 3, seed=1).digest == made.digest == read_set(tmp_path / "a").digest
    file = tmp_path / "a" / "exhibits.json"
    said = json.loads(file.read_text())
    said["problems"][0]["questions"][0]["answers"]["oracle"] = "Maybe"
    file.write_text(json.dumps(said))
    with pytest.raises(BadInput, match="not Yes and No"):
        read_set(tmp_path / "a")
