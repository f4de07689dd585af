"""Small runs for the tests of the report, written as a run folder is, with everything that a report must survive."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from shutil import copytree
from typing import Any

from PIL import Image

from editscope.cases import Aggregation, Group
from editscope.images import THUMB_SUFFIX
from editscope.results import Run, open_run
from editscope.runfolder.files import THUMBS, safe_path, write_whole
from editscope.runfolder.journal import Journal
from editscope.runfolder.run_json import FILE, FORMAT, aggregation_json, info_json
from editscope.scoring import PixelScore

Line = dict[str, Any]

NASTY = "Recolor </script><script>document.title='broken'</script> the <b>heart</b> & \u2028 \"star\""
TASKS = {"border": "structural", "removal": "structural", "recolor": "color_change", "legend": "symbolic"}
MODES = {"removal": ("attribute", "location"), "recolor": ("color_code", "dropper")}
AT = "2026-01-02T03:04:05.000+00:00"
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
    suite: str = "paintbench",
    options: Mapping[str, Any] | None = None,
    aggregation: Aggregation = PLAN,
    change: Callable[[Line, Line], bool | None] | None = None,
) -> Run:
    """A run of an editor with some skill over 4 tasks, 6 modes, 2 conditions and 2 diagnostic cases.

    ``change`` may change the two lines of a case, edit and score, before they are written; False leaves the case out.
    """
    rng = Random(name)
    home = _home(folder, name)
    apart = {
        "category": "",
        "task": "preservation",
        "mode": "default",
        "condition": "baseline",
        "split": "preservation",
    }
    wanted = [(tags, number) for task in TASKS for number, tags in enumerate(_cells(task, slots))]
    wanted += [(apart, number) for number in range(2)]
    lines: list[tuple[Line, Line]] = []
    for tags, number in wanted:
        edit, score = _lines(rng, tags, number, skill, missing)
        if change is None or change(edit, score) is not False:
            edit["index"] = score["index"] = len(lines)
            lines.append((edit, score))
    with Journal(home) as journal:
        for edit, score in lines:
            journal.append(edit, score)
            if thumbs:
                _write_pictures(home, rng, edit)
    info = {
        "format": FORMAT,
        "suite": {
            "name": suite,
            "options": dict(options or {}),
            "fingerprint": fingerprint,
            "label": "read from /home/somebody/sets/mine",
        },
        "editor": {"name": name, "spec": spec or f"ref:{name}"},
        "judge": None,
        "editscope": "0.1.0",
        "created": "2026-01-02T03:04:05+00:00",
        "seed": 0,
        "versions": {"python": "3.12.1", "numpy": "2.1.0"},
        "aggregation": aggregation_json(aggregation),
        "selection": {"where": None, "limit": None, "n": len(lines), "ids_digest": ""},
        "settings": {"timeout_s": None},
        "files": {
            "outputs": None,
            "missing": list(missing),
            "unmatched": ["stray.png"] if missing else [],
            "unreadable": [],
        },
    }
    write_whole(home / FILE, info_json(info))
    return open_run(home)


def copy_run(run: Run, path: Path) -> Run:
    """The same run in another folder."""
    return open_run(copytree(run.path, path))


def with_miou(miou: Callable[[Line], float]) -> Callable[[Line, Line], None]:
    """A change that gives every case another mIoU, by the line of its score."""

    def change(edit: Line, score: Line) -> None:
        score["metrics"]["miou"] = miou(score)

    return change


def _home(folder: Path, name: str) -> Path:
    """A new folder that ends in the name of the run: tests make several of one name."""
    plain = name.replace("/", "_")
    places = (folder / plain, *(folder / f"{number}" / plain for number in range(2, 9)))
    return next(place for place in places if not place.exists())


def _cells(task: str, slots: int) -> list[dict[str, str]]:
    return [
        {"category": TASKS[task], "task": task, "mode": mode, "condition": condition, "split": "test"}
        for condition in CONDITIONS
        for mode in MODES.get(task, ("default",))
        for _ in range(slots)
    ]


def _lines(
    rng: Random, tags: Mapping[str, str], number: int, skill: float, missing: Sequence[str]
) -> tuple[Line, Line]:
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
    shared: Line = {"case": case_id, "variant": "", "status": "ok" if there else "no_output", "at": AT}
    edit = {
        "step": "edit",
        **shared,
        "image": f"images/{case_id}.png" if there else None,
        "reason": None if there else "no file in the folder",
        "latency_s": 0.25,
        "cost_usd": None,
        "trace": None,
        "notes": [],
    }
    scored = {
        "step": "score",
        **shared,
        "metrics": score.metrics() if there else dict.fromkeys(score.metrics(), 0.0),
        "evidence": {**score.to_json(), "floor_miou": 0.025},
        "failure": score.failure if there else "no_output",
        "tags": dict(tags),
        "instruction": NASTY if case_id == "border/000" else f"Change shape {number} of the {tags['task']} problem.",
        "fingerprint": f"print-{case_id}",
    }
    return edit, scored


def _write_pictures(home: Path, rng: Random, edit: Line) -> None:
    folder = home / THUMBS / safe_path(edit["case"])
    folder.mkdir(parents=True, exist_ok=True)
    there = edit["status"] == "ok"
    for role in ("input", "answer", "edit", "error") if there else ("input", "answer"):
        color = tuple(rng.randrange(256) for _ in range(3))
        Image.new("RGB", (32, 48), color).save(folder / f"{role}{THUMB_SUFFIX}", lossless=True)
        if role == "edit":
            full = home / edit["image"]
            full.parent.mkdir(parents=True, exist_ok=True)
            Image.new("RGB", (64, 96), color).save(full)
