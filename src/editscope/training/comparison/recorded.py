"""Record of a comparison: the settings that it was started with, which must not change until it is done."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from editscope.documents import Malformed, read_json
from editscope.errors import BadInput
from editscope.files import DOCUMENT, read_file
from editscope.runfolder.files import write_whole
from editscope.training.changes import changes_in_words
from editscope.training.comparison.arms import Arm
from editscope.training.comparison.settings import ComparisonPlan
from editscope.training.settings import flattened

FILE = "plan.json"


def settings_of(plan: ComparisonPlan, arms: Sequence[Arm]) -> dict[str, Any]:
    """All settings that affect the figures of a comparison, by dotted name: the plan, and each arm's experiment."""
    trained = {
        f"experiment of {arm.name}": {**arm.experiment.decides, "data": arm.experiment.data}
        for arm in arms
        if arm.trains
    }
    decided: dict[str, Any] = json.loads(json.dumps({**plan.decides(), **flattened(trained)}, default=str))
    return decided


def check_recorded(out: Path, plan: ComparisonPlan, arms: Sequence[Arm]) -> None:
    """Raise BadInput if a comparison was started with different settings, with the old and new values.

    New arms, evaluations and judges are allowed: they do not affect the existing ones.
    """
    if not (out / FILE).is_file():
        return
    then, now = _read(out / FILE), settings_of(plan, arms)
    apart = [name for name in then if name not in now or now[name] != then[name]]
    apart += [name for name in now if name not in then and not _added(name, then)]
    if apart:
        raise BadInput(
            f"{out} was started with a different plan ({changes_in_words(apart, then, now)}); restore it, or choose "
            "another --out for the new plan"
        )


def record(out: Path, plan: ComparisonPlan, arms: Sequence[Arm]) -> None:
    """Write the settings of the comparison."""
    write_whole(out / FILE, json.dumps(settings_of(plan, arms), indent=1, ensure_ascii=False).encode())


def _added(name: str, then: Mapping[str, Any]) -> bool:
    """Whether an entry belongs to an arm, an evaluation or a judge that was not there before."""
    kind, _, rest = name.partition(".")
    if kind not in ("arms", "evaluations") and not kind.startswith("experiment of "):
        return False
    if kind == "evaluations" and ".judge " in f".{rest}":
        return True
    owner = kind if kind.startswith("experiment of ") else f"{kind}.{rest.rpartition('.')[0] or rest}"
    return not any(one.startswith(f"{owner}.") for one in then)


def _read(path: Path) -> dict[str, Any]:
    try:
        read = read_json(read_file(path, DOCUMENT))
        if not isinstance(read, dict):
            raise Malformed("it is not an object")
    except (OSError, Malformed) as error:
        raise BadInput(f"{path} cannot be read ({error}); restore it, or choose another --out") from error
    return read
