"""Plans: a source and steps, from a TOML file or made in Python."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from editscope.cases import NOTHING
from editscope.documents import Malformed, read_toml
from editscope.errors import BadInput, unknown
from editscope.factory.inputs import apply_inputs, read_inputs
from editscope.factory.sources.base import RecordSource
from editscope.factory.steps.base import PipelineStep
from editscope.factory.steps.registry import make_source, make_step
from editscope.factory.types import check_types
from editscope.files import SETTINGS, read_file
from editscope.plugins import one_sentence

NAMES = ("name", "title", "seed", "source", "models", "fields", "steps", "output")
MADE = "PLAN"
"""The name that a plan has in a Python file."""
SKIP = "skip"
"""An entry of a step: with ``skip = true`` the plan is as if it had no such step."""


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """A pipeline: where records come from, and the steps that they go through, in order.

    ``models`` are specs by name. ``fields`` are types of fields by name, checked as steps produce them. ``folder`` is
    where files that the plan names are looked for.
    """

    name: str
    source: RecordSource
    steps: Sequence[PipelineStep]
    models: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    seed: int = 0
    title: str = ""
    folder: Path = Path()
    output: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    fields: Mapping[str, str] = field(default_factory=lambda: NOTHING)

    def __post_init__(self) -> None:
        check_types(self.fields, f"the plan {self.name}")
        names = [step.name for step in self.steps]
        for name in names:
            if names.count(name) > 1:
                raise BadInput(f"the plan {self.name} has two steps called {name!r}; give each its own name")
        for step in self.steps:
            for setting in step.models:
                wanted = step.settings.get(setting)
                if wanted and wanted not in self.models:
                    raise unknown(
                        "model",
                        str(wanted),
                        self.models,
                        of=f"the plan {self.name}, under [models], for step {step.name!r}",
                    )

    def missing_models(self) -> dict[str, str]:
        """Models that steps use and that have no spec yet, each with the first step that uses it."""
        missing: dict[str, str] = {}
        for step in self.steps:
            for setting in step.models:
                name = step.settings.get(setting)
                if name and not self.models[name]:
                    missing.setdefault(name, step.name)
        return missing

    def step(self, name: str) -> PipelineStep:
        """A step by its name."""
        found = next((step for step in self.steps if step.name == name), None)
        if found is None:
            raise unknown("step", name, [step.name for step in self.steps], of=f"the plan {self.name}")
        return found


def read_plan(path: Path, inputs: Mapping[str, Any] | None = None) -> BuildPlan:
    """The plan of a TOML file, or the ``PLAN`` of a Python file; BadInput names the file, the step and the fix.

    ``inputs`` take the place of those beside the plan.
    """
    folder = str(path.parent.resolve())
    if folder not in sys.path:  # steps of one's own lie beside the plan; other processes take over where to look
        sys.path.append(folder)
    if path.suffix == ".py":
        return _python_plan(path)
    try:
        found = read_toml(read_file(path, SETTINGS).decode("utf-8"))
    except OSError as error:
        raise BadInput(
            f"{path} cannot be read ({error.strerror}); name a plan (a TOML or Python file, or a folder with plan.toml)"
        ) from error
    except (Malformed, UnicodeDecodeError) as error:
        raise BadInput(f"{path} is not TOML ({error}); write it again") from error
    inputs = read_inputs(path.parent) if inputs is None else inputs
    return plan_from(apply_inputs(found, inputs, str(path)), str(path), path.parent)


def _python_plan(path: Path) -> BuildPlan:
    from importlib.util import module_from_spec, spec_from_file_location

    if not path.is_file():
        raise BadInput(f"{path} cannot be read; name a plan (a TOML or Python file, or a folder with plan.toml)")
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    with one_sentence(f"the plan {path} could not be loaded"):
        spec.loader.exec_module(module)
    made = getattr(module, MADE, None)
    if not isinstance(made, BuildPlan):
        raise BadInput(f"{path} has no plan; write: {MADE} = BuildPlan('my-set', source, steps)")
    return made if made.folder != Path() else replace(made, folder=path.parent)


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
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry.get(SKIP, False), bool):
            raise BadInput(f"{where}, step {number}: {SKIP} is {entry[SKIP]!r}; write true or false, without quotes")
    models = found.get("models", {})
    if not isinstance(models, dict) or not all(isinstance(spec, str) for spec in models.values()):
        raise BadInput(f"{where}: models are specs by name; write, for example: writer = 'openai:gpt-5' under [models]")
    steps = [
        make_step({key: value for key, value in entry.items() if key != SKIP}, f"{where}, step {number}")
        for number, entry in enumerate(entries, start=1)
        if not entry.get(SKIP)
    ]
    tables = {}
    for table in ("output", "fields"):
        tables[table] = found.get(table, {})
        if not isinstance(tables[table], dict):
            raise BadInput(f"{where}: {table} is a table; write [{table}] on a line of its own")
    title = str(found.get("title", ""))
    return BuildPlan(name, make_source(source, where), steps, models, seed, title, folder, **tables)
