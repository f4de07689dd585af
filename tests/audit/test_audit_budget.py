"""The budget of an audit: it stops before a call that does not fit, and goes on with more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from editscope.audit.audit import plan_audit, run_audit
from editscope.audit.forecast import forecast_audit
from editscope.errors import Stopped
from editscope.suites import load_suite
from support.servers.judge_server import KEY, Asked, JudgeServer, Reply, agreeable

pytestmark = pytest.mark.slow


def answer(asked: Asked) -> Reply:
    """A verdict of $0.00225."""
    values: Any = agreeable(asked)
    return Reply(values, input_tokens=500, output_tokens=100)


def test_an_audit_keeps_its_budget_and_says_what_is_left(
    make_set: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    suite = load_suite("paintbench", root=make_set(tmp_path / "set", per_task=1))
    out = tmp_path / "audit"
    with JudgeServer(answer) as server:
        with pytest.raises(Stopped, match=r"another judge call .* does not fit into the budget of \$0\.06"):
            run_audit(plan_audit([server.spec()], suite=suite, n=2, out=out, budget=0.06, concurrency=4))
        assert 0 < server.calls * 0.00225 <= 0.06
        again = plan_audit([server.spec()], suite=suite, n=2, out=out, budget=1.0, concurrency=4)
        (left,) = forecast_audit(again).parts
        assert left.calls == 2 * 14 - server.calls
        assert forecast_audit(again).spent_usd >= server.calls * 0.00225
        run_audit(again)
        assert server.calls == 2 * 14
