"""Claims about the audit of judges, with judges on loopback whose flaws are known."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from editscope.audit.audit import Audit, open_audit, plan_audit, run_audit
from editscope.audit.findings import Findings
from editscope.audit.forecast import forecast_audit
from editscope.audit.known_edit_set import make_set, read_set
from editscope.audit.known_edits import APART, DAMAGES, graded_edits
from editscope.errors import BadInput, Stopped
from editscope.images import load
from editscope.report.pages.audit import write_audit
from editscope.scoring import score_pixels
from editscope.suites import Suite, load_suite
from editscope.transport.budget import BudgetSpent
from support.judged.audited_judges import Truth, first_sighted, good, lazy, noisy, right, stricter
from support.servers.judge_server import KEY, Asked, Fault, JudgeServer, Reply, Script

pytestmark = pytest.mark.slow

Kind = Callable[[Truth], Script]


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


@pytest.fixture
def suite(make_set: Callable[..., Path], tmp_path: Path) -> Suite:
    """Sixteen problems of 48 × 48 pixels."""
    return load_suite("paintbench", root=make_set(tmp_path / "set", per_task=4))


def audited(kind: Kind, suite: Suite, out: Path, n: int = 16, **options: Any) -> Audit:
    with JudgeServer(kind(Truth(out))) as server:
        return run_audit(plan_audit([server.spec()], suite=suite, n=n, out=out, **options))


def only(audit: Audit) -> Findings:
    (found,) = audit.findings
    assert isinstance(found, Findings)
    return found


# --- judges are told apart ------------------------------------------------------------------------


def test_nothing_is_found_against_a_good_judge(suite: Suite, tmp_path: Path) -> None:
    found = only(audited(good, suite, tmp_path / "audit"))
    assert found.flags == {}
    assert found.rank_accuracy.value == 1.0 and found.pair_accuracy.value == 1.0 and found.same_again.value == 1.0
    assert found.kendall.value == 1.0 and found.spearman.value is not None and found.spearman.value > 0.95
    assert [mean.value for mean in found.levels.values()] == [5.0, 4.0, 3.0, 2.0, 1.0]
    assert found.chose_first.value == 0.5
    assert found.statuses == {"ok": 16 * (5 * 2 + 4)} and found.share("ok") == 1.0


def test_a_lazy_judge_is_found_out(suite: Suite, tmp_path: Path) -> None:
    found = only(audited(lazy, suite, tmp_path / "audit"))
    assert {"indifferent", "cannot rank", "praises no edit"} <= set(found.flags)
    assert found.rank_accuracy.value == 0.5 and found.ties.value == 1.0 and found.kendall.value == 0.0
    assert found.spearman.value is None  # scores that never differ have no correlation with anything
    assert "score 5 in 100 %" in found.flags["indifferent"]


def test_a_judge_that_likes_the_first_place_is_found_out(suite: Suite, tmp_path: Path) -> None:
    found = only(audited(first_sighted, suite, tmp_path / "audit"))
    assert set(found.flags) == {"position bias"}
    assert found.rank_accuracy.value == 1.0  # its scores are right; only pairs show it
    assert found.chose_first.value is not None and found.chose_first.value > 0.8
    assert found.same_in_both_orders.value is not None and found.same_in_both_orders.value < 0.5


def test_a_noisy_judge_is_found_out(make_set: Callable[..., Path], tmp_path: Path) -> None:
    # As many problems as an audit has by default: with few of them, noise looks like a bias now and then.
    suite = load_suite("paintbench", root=make_set(tmp_path / "set", per_task=10))
    found = only(audited(noisy, suite, tmp_path / "audit", n=40))
    assert "inconsistent" in found.flags and "position bias" not in found.flags and "indifferent" not in found.flags
    assert found.same_again.value is not None and found.same_again.value < 0.6
    assert found.rank_accuracy.value is not None and 0.5 < found.rank_accuracy.value < 0.9


def test_asked_once_nothing_is_said_of_consistency(suite: Suite, tmp_path: Path) -> None:
    found = only(audited(noisy, suite, tmp_path / "audit", samples=1))
    assert found.same_again.value is None and "inconsistent" not in found.flags


# --- what is not a verdict ---------------------------------------------------------------------------


def test_calls_without_a_verdict_are_counted_and_are_no_number(suite: Suite, tmp_path: Path) -> None:
    truth = Truth(tmp_path / "audit")

    def failing(asked: Asked) -> Any:
        mious = truth.of(asked)
        if len(mious) == 1 and mious[0] == 0.0:
            return Reply(refusal="I will not look at this.")
        if len(mious) == 1 and mious[0] == 1.0:
            return "The score is five out of five!"
        if len(mious) == 2:
            return Fault(400, "no pairs here")
        return right(mious)

    with JudgeServer(failing) as server:
        plan = plan_audit([server.spec()], suite=suite, n=4, out=tmp_path / "audit", give_up=99)
        audit = run_audit(plan)
    found = only(audit)
    assert found.statuses == {"error": 16, "ok": 24, "refused": 8, "unparsed": 8}
    assert found.levels["oracle"].value is None and found.levels["none"].value is None
    assert found.levels["light"].value == 4.0
    assert found.pair_accuracy.value is None and "gaps" in found.flags and not audit.complete
    assert sum(found.distribution["none"].values()) == 0


def test_cost_is_that_of_the_verdicts(suite: Suite, tmp_path: Path) -> None:
    found = only(audited(good, suite, tmp_path / "audit"))
    # 1,000 tokens in and 50 out, at $2.50 and $10 for a million
    assert found.spent["cost_per_verdict_usd"] == pytest.approx(0.003)
    assert found.spent["cost_usd"] == pytest.approx(0.003 * found.asked)
    assert found.spent["requests_per_verdict"] == 1.0


# --- stopping and going on ------------------------------------------------------------------------


def test_an_audit_that_ran_out_of_calls_goes_on_without_repeating_one(suite: Suite, tmp_path: Path) -> None:
    out = tmp_path / "audit"
    with JudgeServer(good(Truth(out))) as server:
        with pytest.raises(BudgetSpent):
            run_audit(plan_audit([server.spec()], suite=suite, n=4, out=out, max_calls=20))
        assert server.calls == 20
        audit = run_audit(plan_audit([server.spec()], suite=suite, n=4, out=out))
        assert server.calls == 4 * 14 == audit.findings[0].asked
        again = run_audit(plan_audit([server.spec()], suite=suite, n=4, out=out))
        assert server.calls == 4 * 14
    assert again.findings == audit.findings == open_audit(out).findings


def test_a_judge_that_is_gone_stops_the_audit_and_keeps_what_was_said(suite: Suite, tmp_path: Path) -> None:
    out = tmp_path / "audit"
    truth = Truth(out)

    def dying(asked: Asked) -> Any:
        return right(truth.of(asked)) if asked.number < 10 else Fault(401, "key revoked")

    with JudgeServer(dying) as server, pytest.raises(Stopped, match="has not answered"):
        run_audit(plan_audit([server.spec()], suite=suite, n=8, out=out, give_up=5))
    assert sum(verdict.status == "ok" for verdict in open_audit(out).verdicts.values()) == 10


def test_another_audit_is_not_mixed_into_a_folder(suite: Suite, tmp_path: Path) -> None:
    audited(good, suite, tmp_path / "audit")
    with JudgeServer(lazy(Truth(tmp_path))) as server:
        with pytest.raises(BadInput, match="other judges"):
            run_audit(plan_audit([server.spec()], suite=suite, n=16, out=tmp_path / "audit"))
        (tmp_path / "full").mkdir()
        (tmp_path / "full" / "letter.txt").write_text("dear me")
        with pytest.raises(BadInput, match="neither empty nor an audit"):
            run_audit(plan_audit([server.spec()], suite=suite, n=2, out=tmp_path / "full"))
        assert server.calls == 0
    assert not (tmp_path / "full" / "exhibits").exists()


def test_a_wrong_key_is_said_before_anything_is_made(suite: Suite, tmp_path: Path) -> None:
    with JudgeServer(keys=["another"]) as server, pytest.raises(BadInput, match="OPENAI_API_KEY"):
        run_audit(plan_audit([server.spec()], suite=suite, n=2, out=tmp_path / "audit"))
    assert not (tmp_path / "audit").exists()


# --- exhibits -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["paintbench", "tinygrafix"])
def test_exhibits_have_the_miou_that_the_metric_gives_them(name: str, tmp_path: Path) -> None:
    suite = load_suite(name)
    made = make_set(tmp_path / "a", suite, 2, seed=3)
    for problem in made.problems:
        case = suite[problem.id]
        mious = [edit.miou for edit in problem.edits]
        assert mious == sorted(mious, reverse=True) and mious[0] == 1.0
        for edit in problem.edits:
            pixels = load(tmp_path / "a" / edit.file)
            assert case.answer is not None
            assert score_pixels(case.images[0], case.answer, pixels).miou == pytest.approx(edit.miou, abs=1e-6)
        assert (load(tmp_path / "a" / problem.edits[-1].file) == load(case.images[0])).all()
    again = make_set(tmp_path / "b", suite, 2, seed=3)
    assert again.digest == made.digest == read_set(tmp_path / "a").digest
    assert (tmp_path / "a/exhibits.json").read_bytes() == (tmp_path / "b/exhibits.json").read_bytes()


def test_every_kind_of_damage_makes_a_ladder(suite: Suite) -> None:
    case = suite[suite.ids[0]]
    assert case.answer is not None
    for seed, name in enumerate(DAMAGES):
        made = graded_edits(case.images[0], case.answer, seed)
        mious = [one.miou for one in made.edits]
        assert made.damage == name and len(mious) == 5
        assert all(a - b >= APART for a, b in pairwise(mious))


def test_a_spill_that_has_no_room_becomes_another_damage() -> None:
    import numpy as np

    before = np.zeros((20, 20, 3), np.uint8)
    assert graded_edits(before, before + 200, seed=2).damage == "undone"


# --- anchors and drift ----------------------------------------------------------------------------


def test_a_judge_that_has_become_stricter_has_drifted(suite: Suite, tmp_path: Path) -> None:
    anchor = tmp_path / "anchor"
    judges: dict[str, Script] = {"script": good(Truth(anchor))}
    with JudgeServer(lambda asked: judges["script"](asked)) as server:  # type: ignore[operator]
        spec = server.spec()
        first = run_audit(plan_audit([spec], suite=suite, n=16, out=tmp_path / "1", anchor=anchor))
        assert first.drifts == ()
        same = run_audit(plan_audit([spec], out=tmp_path / "2", anchor=anchor, pairs=False))
        judges["script"] = stricter(Truth(anchor))
        later = run_audit(plan_audit([spec], out=tmp_path / "3", anchor=anchor, pairs=False))
    assert not same.drifts[0].drifted and same.drifts[0].change.value == 0.0
    (drift,) = later.drifts
    assert drift.drifted and drift.exhibits == 80
    assert drift.change.value == pytest.approx(-0.8)  # a point less for all but the unedited ones, which have 1
    assert drift.change.hi is not None and drift.change.hi < 0 and "has drifted" in drift.sentence
    assert open_audit(tmp_path / "3").drifts == later.drifts
    assert len(list((anchor / "judged").iterdir())) == 3


def test_a_noisy_judge_that_stays_as_it_is_has_not_drifted(suite: Suite, tmp_path: Path) -> None:
    anchor = tmp_path / "anchor"
    with JudgeServer(noisy(Truth(anchor))) as server:
        run_audit(plan_audit([server.spec()], suite=suite, n=16, out=tmp_path / "1", anchor=anchor, samples=3))
        later = run_audit(plan_audit([server.spec()], out=tmp_path / "2", anchor=anchor, pairs=False, samples=3))
    (drift,) = later.drifts
    assert not drift.drifted and drift.changed.value is not None and drift.changed.value > 0.3
    assert drift.noise.value == pytest.approx(drift.changed.value, abs=0.12)


def test_an_anchor_is_judged_afresh_whatever_the_cache_knows(suite: Suite, tmp_path: Path) -> None:
    anchor, cache = tmp_path / "anchor", tmp_path / "cache"
    with JudgeServer(good(Truth(anchor))) as server:
        run_audit(plan_audit([server.spec()], suite=suite, n=4, out=tmp_path / "1", anchor=anchor, cache=cache))
        before = server.calls
        run_audit(plan_audit([server.spec()], out=tmp_path / "2", anchor=anchor, cache=cache, pairs=False))
        assert server.calls == before + 4 * 5 * 2


def test_a_picture_of_an_anchor_that_was_changed_is_named(suite: Suite, tmp_path: Path) -> None:
    anchor = tmp_path / "anchor"
    with JudgeServer(good(Truth(anchor))) as server:
        run_audit(plan_audit([server.spec()], suite=suite, n=2, out=tmp_path / "1", anchor=anchor))
        shown = read_set(anchor).problems[0].edits
        (anchor / shown[0].file).write_bytes((anchor / shown[1].file).read_bytes())
        with pytest.raises(BadInput, match=r"oracle\.png has changed"):
            run_audit(plan_audit([server.spec()], out=tmp_path / "2", anchor=anchor))


def test_a_set_that_names_files_outside_of_its_folder_is_turned_away(suite: Suite, tmp_path: Path) -> None:
    make_set(tmp_path / "set2", suite, 1)
    said = json.loads((tmp_path / "set2/exhibits.json").read_text())
    said["problems"][0]["source"]["file"] = "../../secret.png"
    (tmp_path / "set2/exhibits.json").write_text(json.dumps(said))
    with pytest.raises(BadInput, match="outside its folder"):
        read_set(tmp_path / "set2")


# --- several judges, the page, the cost before ----------------------------------------------------


def test_judges_are_compared_and_their_agreement_is_reported(suite: Suite, tmp_path: Path) -> None:
    out = tmp_path / "audit"
    with (
        JudgeServer(good(Truth(out))) as one,
        JudgeServer(lazy(Truth(out))) as two,
        JudgeServer(good(Truth(out))) as three,
    ):
        both = run_audit(plan_audit([one.spec(), three.spec()], suite=suite, n=8, out=out))
        apart = run_audit(plan_audit([one.spec(), two.spec()], suite=suite, n=8, out=tmp_path / "other"))
    assert both.agreement["scores"]["value"] == 1.0 and both.agreement["pairs"]["value"] == 1.0
    assert apart.agreement["scores"]["value"] < 0.2
    assert [bool(one.flags) for one in apart.findings] == [False, True]


def test_the_page_holds_everything_and_replies_are_text(suite: Suite, tmp_path: Path) -> None:
    truth = Truth(tmp_path / "audit")

    def sly(asked: Asked) -> dict[str, Any]:
        return {**right(truth.of(asked)), "reason": "<script>alert('caught')</script>"}

    with JudgeServer(sly) as server:
        audit = run_audit(plan_audit([server.spec()], suite=suite, n=4, out=tmp_path / "audit"))
    text = write_audit(audit).read_text()
    assert "<script>alert" not in text and "&lt;script&gt;alert" in text
    assert text.count("data:image/webp") == 4 * 6 and "http://www" not in text.replace("http://www.w3.org", "")
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path
    assert write_audit(audit).read_text() == text


def test_what_an_audit_would_take_is_known_before(suite: Suite, tmp_path: Path) -> None:
    with JudgeServer() as server:
        plan = plan_audit([server.spec()], suite=suite, n=16, out=tmp_path / "audit")
        (found,) = forecast_audit(plan).parts
        assert server.calls == 0
    assert found.calls == 16 * 14 and found.images == 16 * (10 * 2 + 4 * 3)
    assert found.cost_usd is not None and found.cost_usd > 0 and not (tmp_path / "audit").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [({"n": 0}, "--n is 0"), ({"samples": 0}, "--samples is 0"), ({"suite": "paintbnech"}, "did you mean")],
)
def test_what_makes_no_sense_is_said(options: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=said):
        plan_audit(["openai:gpt-4o"], out=tmp_path / "audit", **options)


def test_a_judge_is_needed() -> None:
    with pytest.raises(BadInput, match="needs a judge"):
        plan_audit([])
