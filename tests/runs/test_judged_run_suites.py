"""The real samples of three benchmarks, run end to end against a judge on loopback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import editscope as es
from support.judged_data_more import make_inedit
from support.places import SHARED
from support.servers.judge_server import Asked, JudgeServer, Outcome

pytestmark = pytest.mark.slow

SAMPLES = SHARED / "data" / "samples"


class Same(es.Editor):
    """Gives the first picture back."""

    name = "same"
    workers = None

    def edit(self, case: es.Request) -> Any:
        return case.images[0]


def fours(asked: Asked) -> Outcome:
    """Four for every score that can be four, one elsewhere."""
    assert asked.schema is not None
    shapes = asked.schema["properties"]
    allowed = {name: shape["enum"] for name, shape in shapes.items() if "enum" in shape}
    scores = {name: min(4, max(values)) for name, values in allowed.items()}
    return {**scores, "reason": "as the script says"}


def judged(suite: es.Suite, out: Path) -> es.Run:
    with JudgeServer(fours) as server:
        return es.run(suite, Same(), judge=server.spec(), out=out, cache="off", jobs=1, progress=False)


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the real samples are not here")
@pytest.mark.parametrize(
    ("name", "cases", "verdicts", "headline"),
    [("inedit", 15, 57, 75.0), ("kris", 40, 120, 75.0), ("rise", 12, 33, 25.0)],
)
def test_the_real_samples_run_end_to_end(name: str, cases: int, verdicts: int, headline: float, tmp_path: Path) -> None:
    suite = es.load_suite(name, root=SAMPLES / name)
    run = judged(suite, tmp_path / "run")
    assert run.coverage == {"ok": cases}
    assert run.summary["verdicts"] == {"ok": verdicts}
    # RISE's accuracy wants the best of every score, which only its logical cases, of 0 and 1, have here.
    assert run.summary["overall"][run.summary["headline"]]["mean"] == pytest.approx(headline)
    for record in run.records():
        assert "input" in record.thumbs
        assert all(verdict.values for verdict in record.verdicts)


def test_two_paths_of_a_case_are_judged_in_one_call(tmp_path: Path) -> None:
    suite = es.load_suite("inedit", root=make_inedit(tmp_path / "data", 1))
    run = judged(suite, tmp_path / "run")
    (pair,) = [record for record in run.records() if len(record.images) == 2]
    assert pair.variant == "A+B"
    assert [verdict.key for verdict in pair.verdicts] == ["pp"]
    assert set(pair.thumbs) >= {"input", "edit A", "edit B"}
    assert pair.metrics["pp"] == pytest.approx(0.75)
    names = {path.name for path in (run.path / "images").rglob("*_output.png")}
    assert {name.partition("@")[2] for name in names} == {"", "A_output.png", "B_output.png"}
