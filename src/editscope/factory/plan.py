"""Plans: a source and steps, from a TOML file or made in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from editscope.cases import NOTHING
from editscope.documents import Malformed, read_toml
from editscope.errors import BadInput, unknown
from editscope.factory.sources.base import RecordSource
from editscope.factory.steps.base import PipelineStep
from editscope.factory.steps.registry import make_source, make_step
from editscope.files import SETTINGS, read_file

NAMES = ("name", "title", "seed", "source", "models", "steps", "output")


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """A pipeline: where records come from, and the steps that they go through, in order.

    ``models`` are specs by name. ``folder`` is where files that it names are looked for.
    """

    name: str
    source: RecordSource
    steps: Sequence[PipelineStep]
    models: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    seed: int = 0
    title: str = ""
    folder: Path = Path()
    output: Mapping[str, Any] = field(default_factory=lambda: NOTHING)

    def __post_init__(self) -> None:
        names = [step.name for step in self.steps]
        for name in names:
            if names.count(name) > 1:
                raise BadInput(f"the plan {self.name} has two steps called {name!r}; give each its own name")
        for step in self.steps:
            for setting in step.models:
                wanted = step.settings.get(setting)
                if wanted and wanted not in self.models:
                    raise unknown("model", str(wanted), self.models, of=f"the plan, for step {step.name!r}")

    def step(self, name: str) -> PipelineStep:
        """A step by its name."""
        found = next((step for step in self.steps if step.name == name), None)
        if found is None:
            raise unknown("step", name, [step.name for step in self.steps], of=f"the plan {self.name}")
        return found


def read_plan(path: Path) -> BuildPlan:
    """The plan of a TOML file; BadInput names the file, the step and the fix."""
    try:
        found = read_toml(read_file(path, SETTINGS).decode("utf-8"))
    except OSError as error:
        raise BadInput(
            f"{path} cannot be read ({error.strerror}); name a plan (a TOML file, or a folder with plan.toml)"
        ) from error
    except (Malformed, UnicodeDecodeError) as error:
        raise BadInput(f"{path} is not TOML ({error}); write it again") from error
    return plan_from(found, str(path), path.parent)


def plan_from(found: Mapping[str, Any], where: str, folder: Path) -> BuildPlan:
    """A plan from what a TOML file says."""
    for entry_name in found:
        if entry_name not in NAMES:
            raise unknown("entry", entry_name, NAMES, of=where)
    name, seed = found.get("name", ""), found.get("seed", 0)
    if not isinstance(name, str) or not name:
        raise BadInput(f"{where} has no name; begin it with: name = 'my-set'")
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise BadInput(f"{where}: seed is {seed!r}; write a whole number")
    source, entries = found.get("source"), found.get("steps", [])
    if not isinstance(source, dict):
        raise BadInput(
            f"{where} has no source; write, for example: source = {{ use = 'list', path = 'records.jsonl' }}"
        )
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise BadInput(f"{where}: steps are tables; write each as [[steps]]")
    models = found.get("models", {})
    if not isinstance(models, dict) or not all(isinstance(spec, str) for spec in models.values()):
        raise BadInput(f"{where}: models are specs by name; write, for example: writer = 'openai:gpt-5' under [models]")
    steps = [make_step(entry, f"{where}, step {number}") for number, entry in enumerate(entries, start=1)]
    output = found.get("output", {})
    return BuildPlan(name, make_source(source, where), steps, models, seed, str(found.get("title", "")), folder, output)
