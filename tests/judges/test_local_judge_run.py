"""The judge on this machine from end to end: a judged suite, a second run from the cache, and an audit of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import editscope as es
from editscope.audit.audit import plan_audit, run_audit
from editscope.judges.cache import VerdictCache
from editscope.suites.own.start import start
from support.models.tiny_vlm import save_tiny_vlm

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_vlm(tmp_path_factory.mktemp("models") / "tiny-vlm")


def test_a_judged_suite_is_judged_here_and_the_same_again_from_the_cache(model: Path, tmp_path: Path) -> None:
    folder = start(tmp_path / "shapes", "judged")
    spec, cache = f"local:{model}", tmp_path / "cache"
    for name in ("first", "second"):
        es.run(str(folder), "ref:identity", judge=spec, out=tmp_path / name, jobs=1, cache=cache, progress=False)
    first, second = (json.loads((tmp_path / name / "summary.json").read_text()) for name in ("first", "second"))
    assert first["verdicts"] == {"ok": 12} and first["edits"] == {"ok": 6}
    assert first["overall"] == second["overall"] and 0 <= first["overall"]["average"]["mean"] <= 100
    assert (first["spent"]["calls"], second["spent"]["calls"]) == (12, 0)
    assert first["spent"]["cost_usd"] == 0
    (snapshot,) = first["snapshots"][spec]
    assert snapshot.startswith("tiny-vlm@")
    assert len(VerdictCache(cache)) == 12


def test_an_audit_finds_that_random_weights_judge_nothing(
    model: Path, make_set: Callable[..., Path], tmp_path: Path
) -> None:
    suite = es.load_suite("paintbench", root=make_set(tmp_path / "set"))
    audit = run_audit(plan_audit([f"local:{model}"], suite=suite, n=3, samples=1, out=tmp_path / "audit"))
    (found,) = audit.findings
    assert found.statuses == {"ok": 3 * 9}
    assert "cannot rank" in found.flags and found.spent["cost_usd"] == 0.0
