"""Settings of a comparison: one TOML file with the experiment, its arms, and the evaluations of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from editscope.cases import NOTHING
from editscope.errors import BadInput, unknown
from editscope.runs.choose_folder import slug
from editscope.training.models.sampler_options import check_sampler
from editscope.training.settings import read_document, read_table, record_of

BASE = "base"
"""The name of the arm that is not trained."""


@dataclass(frozen=True, slots=True)
class SamplerSettings:
    """Table ``[sampler]``: how every arm makes its edits; None for the published settings of the model."""

    steps: int | None = None
    guidance: float | None = None
    scale: float | None = None
    max_area: int | None = None

    def check(self, where: str) -> None:
        """Raise BadInput for values that the diffusers editor does not take."""
        check_sampler(self, where)


@dataclass(frozen=True, slots=True)
class ArmSettings:
    """One entry of ``[[arms]]``: a name, and what differs from the experiment of the plan.

    ``data`` replaces entries of its table ``[data]``; ``experiment`` is its own file; ``weights`` are trained
    already: a LoRA file, a folder with a network, or the folder of a training. Without any of these the arm trains on
    the data of the experiment.
    """

    name: str
    data: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    experiment: str = ""
    weights: str = ""

    def check(self, where: str) -> None:
        """Raise BadInput for an arm without a name, or with more than one of data, experiment and weights."""
        if not self.name.strip():
            raise BadInput(f"{where}: an arm has no name; write name = 'PICA-100K' or the name of its data")
        given = [name for name in ("data", "experiment", "weights") if getattr(self, name)]
        if len(given) > 1:
            raise BadInput(f"{where}, arm {self.name!r}: {' and '.join(given)} exclude each other; keep only one")


@dataclass(frozen=True, slots=True)
class ArmEvaluation:
    """One entry of ``[[evaluations]]``: a suite that the base and every arm are run on.

    ``suite`` may have options; ``instead`` has another spec of the same suite for some arms, by name. ``data`` is the
    folder of a suite that has one. Each of ``judges`` judges the same edits. ``metrics`` and ``by`` choose the columns
    of the tables, ``preserved`` is the metric that is high where a picture stays as it is. ``published`` names printed
    models to stand beside arms: ``MODEL`` or ``MODEL, SETTING``.
    """

    suite: str
    name: str = ""
    data: str = ""
    judges: tuple[str, ...] = ()
    limit: int | None = None
    samples: int = 1
    missing: str | None = None
    accounting: str = "ours"
    metrics: tuple[str, ...] = ()
    by: str = ""
    preserved: str = ""
    instead: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    published: Mapping[str, str] = field(default_factory=lambda: NOTHING)

    @property
    def label(self) -> str:
        """Its name; the name of the suite if it has none."""
        return self.name or self.suite.partition("?")[0]

    def spec_for(self, arm: str) -> str:
        """The spec of the suite that an arm is run on."""
        return str(self.instead.get(arm, self.suite))

    def check(self, where: str) -> None:
        """Raise BadInput for values that no evaluation can have."""
        where = f"{where}, evaluation {self.label!r}"
        for name in ("limit", "samples"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise BadInput(f"{where} {name}: {value} must be 1 or more")
        if len(set(self.judges)) < len(self.judges):
            raise BadInput(f"{where} judges: a judge is listed twice; remove one, or use samples to ask it again")
        for arm, spec in self.instead.items():
            if spec.partition("?")[0] != self.suite.partition("?")[0]:
                raise BadInput(
                    f"{where} instead, {arm!r}: {spec} is a different suite from {self.suite}; only options may differ"
                )


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """All settings of a comparison; paths are relative to ``folder``, that of its file."""

    name: str
    experiment: str
    arms: tuple[ArmSettings, ...]
    evaluations: tuple[ArmEvaluation, ...]
    sampler: SamplerSettings = SamplerSettings()
    seed: int = 0
    processes: int = 1
    folder: Path = Path()
    file: str = "the plan"

    def decides(self) -> dict[str, Any]:
        """The settings that must not change once a comparison has started, by dotted name; adding to them is fine."""
        from editscope.training.settings import flattened

        tables = {
            "experiment": self.experiment,
            "seed": self.seed,
            "sampler": self.sampler,
            "arms": {arm.name: {**_given(arm), "name": arm.name} for arm in self.arms},
            "evaluations": {
                one.label: {
                    **{n: v for n, v in _given(one).items() if n in EDITS},
                    **{f"judge {number}": judge for number, judge in enumerate(one.judges, 1)},
                }
                for one in self.evaluations
            },
        }
        return flattened(tables)


EDITS = ("suite", "data", "limit", "samples", "missing", "accounting", "instead")
"""Entries of an evaluation that determine what is edited and judged; the others only affect tables."""


def _given(record: Any) -> dict[str, Any]:
    """The entries of a record that are not empty."""
    values = {one.name: getattr(record, one.name) for one in fields(record)}
    return {name: dict(v) if isinstance(v, Mapping) else v for name, v in values.items() if v not in (None, "", (), {})}


TABLES = ("sampler", "arms", "evaluations")
PLAIN: Mapping[str, type] = {"name": str, "experiment": str, "seed": int, "processes": int}


def read_plan(path: Path) -> ComparisonPlan:
    """Read a plan from a TOML file; BadInput names the file, table and entry of an unusable value."""
    document, file = read_document(path), path.name
    known = {*TABLES, *PLAIN}
    for entry in document:
        if entry not in known:
            raise BadInput(f"{file}: {unknown('entry', entry, known)}")
    for entry, kind in PLAIN.items():
        value = document.get(entry, kind())
        if not isinstance(value, kind) or isinstance(value, bool):
            raise BadInput(f"{file}, {entry}: {value!r} is not a {'string' if kind is str else 'whole number'}")
    if not document.get("experiment"):
        raise BadInput(f"{file} has no experiment; write experiment = 'FILE.toml' (`editscope train new` writes one)")
    if document.get("processes", 1) < 1:
        raise BadInput(f"{file}, processes: {document['processes']} must be 1 or more")
    plan = ComparisonPlan(
        name=document.get("name") or path.stem,
        experiment=document["experiment"],
        arms=tuple(_arm(one, f"{file}, [[arms]]") for one in _listed(document, "arms", file)),
        evaluations=tuple(
            _evaluation(one, f"{file}, [[evaluations]]") for one in _listed(document, "evaluations", file)
        ),
        sampler=read_table(SamplerSettings, document.get("sampler", {}), f"{file}, [sampler]"),
        seed=document.get("seed", 0),
        processes=document.get("processes", 1),
        folder=path.parent,
        file=file,
    )
    _check_names(plan)
    return plan


def _listed(document: Mapping[str, Any], entry: str, file: str) -> list[Any]:
    listed = document.get(entry, [])
    if not isinstance(listed, list):
        raise BadInput(f"{file}, {entry}: {listed!r} is not a list of tables; write [[{entry}]]")
    if not listed:
        raise BadInput(f"{file} has no {entry}; write at least one [[{entry}]]")
    return listed


def _arm(table: Any, where: str) -> ArmSettings:
    if isinstance(table, Mapping) and not isinstance(table.get("data", {}), Mapping):
        raise BadInput(f"{where} data: {table['data']!r} is not a table; write [[arms.data.parts]] with a source")
    return read_table(ArmSettings, table, where)


def _evaluation(table: Any, where: str) -> ArmEvaluation:
    if isinstance(table, Mapping):  # one judge and one metric can be written without brackets
        table = {
            name: [value] if name in ("judges", "metrics") and isinstance(value, str) else value
            for name, value in table.items()
        }
    evaluation = record_of(ArmEvaluation, table, where)
    evaluation.check(where)
    return evaluation


def _check_names(plan: ComparisonPlan) -> None:
    """Raise BadInput for two arms or evaluations with the same name, and for names of unknown arms."""
    arms: dict[str, str] = {BASE: BASE}
    for arm in plan.arms:
        other = arms.setdefault(folder_name(arm.name), arm.name)
        if folder_name(arm.name) == BASE:
            raise BadInput(
                f"{plan.file}, [[arms]]: {arm.name!r} is the name of the model without training; choose another"
            )
        if other is not arm.name or [one.name for one in plan.arms].count(arm.name) > 1:
            raise BadInput(f"{plan.file}, [[arms]]: two arms are called {arm.name!r}; give each its own name")
    labels: dict[str, str] = {}
    names = [BASE, *(arm.name for arm in plan.arms)]
    for one in plan.evaluations:
        if folder_name(one.label) in labels:
            raise BadInput(f"{plan.file}, [[evaluations]]: two are called {one.label!r}; give each its own name")
        labels[folder_name(one.label)] = one.label
        for entry in ("instead", "published"):
            for name in getattr(one, entry):
                if name not in names:
                    raise unknown("arm", name, names, of=f"{plan.file}, evaluation {one.label!r}, {entry}")


def folder_name(name: str) -> str:
    """The folder of an arm, an evaluation or a judge.

    >>> folder_name("PICA-100K"), folder_name("openai:gpt-4o?temperature=0")
    ('pica-100k', 'openai-gpt-4o-temperature-0')
    """
    return slug(name).lower()
