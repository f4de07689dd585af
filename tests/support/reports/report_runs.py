"""Small made runs for the tests of the report, with everything in them that a report must survive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from PIL import Image

from editscope.cases import Aggregation, Group
from editscope.scoring import PixelScore
from editscope.stats import summarize

NASTY = "Recolor </script><script>document.title='broken'</script> the <b>heart</b> & \u2028 \"star\""
TASKS = {"border": "structural", "removal": "structural", "recolor": "color_change", "legend": "symbolic"}
MODES = {"removal": ("attribute", "location"), "recolor": ("color_code", "dropper")}
CONDITIONS = ("baseline", "striped")
PLAN = Aggregation(
    overall=Group("overall", (), ("task", "category")),
    groups=(
        Group("category", ("category",), ("task",)),
        Group("task", ("task",)),
        Group("mode", ("task", "mode")),
        Group("condition", ("condition",), ("task",)),
    ),
    strata=("task", "mode"),
    exclude={"split": "preservation"},
)
INFO_PLAN = {
    "overall": {"name": "overall", "by": [], "over": ["task", "category"]},
    "groups": [{"name": g.name, "by": list(g.by), "over": list(g.over)} for g in PLAN.groups],
    "strata": list(PLAN.strata),
    "exclude": dict(PLAN.exclude),
    "headline": "miou",
    "orders": {},
}


@dataclass(frozen=True)
class MadeCase:
    case_id: str
    tags: Mapping[str, str]
    instruction: str
    status: str
    reason: str | None
    metrics: Mapping[str, float | None]
    failure: str | None
    evidence: Mapping[str, Any]
    fingerprint: str
    thumbs: Mapping[str, Path]
    latency_s: float | None = 0.25


@dataclass(frozen=True)
class MadeRun:
    path: Path
    info: Mapping[str, Any]
    summary: Mapping[str, Any]
    cases: Sequence[MadeCase] = field(default=())

    def records(self) -> Sequence[MadeCase]:
        return self.cases


def make_run(
    folder: Path,
    name: str,
    *,
    skill: float = 0.5,
    slots: int = 3,
    fingerprint: str = "f00d",
    missing: Sequence[str] = (),
    spec: str | None = None,
    thumbs: bool = True,
) -> MadeRun:
    """A run of an editor with some skill over 4 tasks, 6 modes, 2 conditions and 2 diagnostic cases."""
    rng = Random(name)
    cases = [
        _case(folder, rng, tags, number, skill, missing, thumbs)
        for task in TASKS
        for number, tags in enumerate(_cells(task, slots))
    ]
    apart = {
        "category": "",
        "task": "preservation",
        "mode": "default",
        "condition": "baseline",
        "split": "preservation",
    }
    cases += [_case(folder, rng, apart, number, skill, missing, thumbs) for number in range(2)]
    info = {
        "suite": {"name": "paintbench", "fingerprint": fingerprint, "label": "read from /home/somebody/sets/mine"},
        "editor": {"name": name, "spec": spec or f"ref:{name}"},
        "editscope": "0.1.0",
        "created": "2026-01-02T03:04:05+00:00",
        "seed": 0,
        "versions": {"python": "3.12.1", "numpy": "2.1.0"},
        "aggregation": INFO_PLAN,
        "selection": {"where": None, "limit": None, "n": len(cases)},
        "files": {"missing": list(missing), "unmatched": ["stray.png"] if missing else [], "unreadable": []},
    }
    return MadeRun(folder / name, info, summary_of(cases), cases)


def summary_of(cases: Sequence[MadeCase]) -> dict[str, Any]:
    """What summary.json would say."""
    metrics = list(cases[0].metrics)
    rows: dict[str, list[Any]] = {"case_id": [case.case_id for case in cases]}
    rows |= {tag: [case.tags.get(tag) for case in cases] for tag in cases[0].tags}
    rows |= {metric: [case.metrics[metric] for case in cases] for metric in metrics}
    table = summarize(rows, PLAN, metrics, resamples=200)
    return {
        **table,
        "n_cases": len(cases),
        "coverage": dict(Counter(case.status for case in cases)),
        "failures": dict(Counter(str(case.failure) for case in cases)),
        "floor": {"miou": {"mean": 2.5, "lo": 2.0, "hi": 3.0, "n": len(cases)}},
    }


def _cells(task: str, slots: int) -> list[dict[str, str]]:
    return [
        {"category": TASKS[task], "task": task, "mode": mode, "condition": condition, "split": "test"}
        for condition in CONDITIONS
        for mode in MODES.get(task, ("default",))
        for _ in range(slots)
    ]


def _case(
    folder: Path,
    rng: Random,
    tags: Mapping[str, str],
    number: int,
    skill: float,
    missing: Sequence[str],
    thumbs: bool,
) -> MadeCase:
    case_id = f"{tags['task']}/{number:03}"
    there = case_id not in missing
    right = [min(1.0, skill * rng.random() + t / 40) for t in range(11)] if there else [0.0] * 11
    score = PixelScore(
        edit_pixels=1000,
        preservation_pixels=9000,
        hits=tuple(sorted(int(1000 * share) for share in right)),
        spilled=tuple(sorted((int(900 * (1 - share)) if there else 9000 for share in right), reverse=True)),
        changed_pixels=(1500,) * 11,
        output_size=(100, 100) if there else None,
    )
    pictures = _pictures(folder, case_id, rng, there) if thumbs else {}
    return MadeCase(
        case_id=case_id,
        tags=dict(tags),
        instruction=NASTY if case_id == "border/000" else f"Change shape {number} of the {tags['task']} problem.",
        status="ok" if there else "no_output",
        reason=None if there else "no file in the folder",
        metrics=score.metrics() if there else dict.fromkeys(score.metrics(), 0.0),
        failure=score.failure if there else "no_output",
        evidence=score.to_json(),
        fingerprint=f"print-{case_id}",
        thumbs=pictures,
    )


def _pictures(folder: Path, case_id: str, rng: Random, there: bool) -> dict[str, Path]:
    home = folder / "thumbs" / case_id
    home.mkdir(parents=True, exist_ok=True)
    made = {}
    for role in ("input", "answer", "edit", "error") if there else ("input", "answer"):
        made[role] = home / f"{role}-{rng.randrange(10**6)}.png"
        color = tuple(rng.randrange(256) for _ in range(3))
        Image.new("RGB", (32, 48), color).save(made[role])
    return made
