"""The data card: what an export is, how it was made, and how to load it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from editscope.factory.engine.counts import StepCounts
from editscope.factory.output.columns import PROVENANCE, ExportColumn
from editscope.factory.output.roles import TrainingRoles
from editscope.factory.output.settings import OutputSettings
from editscope.factory.plan import BuildPlan
from editscope.factory.records import Record, digest
from editscope.suites.registry import OWN
from editscope.version import __version__

GROUPS = ("law", "mode", "category", "task", "operation")
"""Fields by whose values records are counted."""
LICENSE = "license"
UNKNOWN = "not stated"
MOST_ROWS = 60
_SIGNS = re.compile(r"([\\`*_{}\[\]<>|#~&!])")


@dataclass(slots=True)
class CardCounts:
    """What a card counts about the records of an export."""

    splits: Counter[str] = field(default_factory=Counter)
    groups: dict[str, Counter[tuple[str, str]]] = field(default_factory=dict)
    licenses: Counter[str] = field(default_factory=Counter)
    models: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)

    def add(self, record: Record, split: str) -> None:
        """Count a record."""
        self.splits[split] += 1
        for name in GROUPS:
            if isinstance(value := record.fields.get(name), str):
                self.groups.setdefault(name, Counter())[value, split] += 1
        self.licenses[str(record.fields.get(LICENSE) or UNKNOWN)] += 1
        for step, notes in record.history:
            model, snapshot, prompt = (str(notes.get(name) or "") for name in ("model", "snapshot", "prompt"))
            self.models[step, model, snapshot, prompt] += 1


def plan_hash(plan: BuildPlan, source: Any) -> str:
    """What stands for all that a plan says: another plan, other settings or another prompt, another hash."""
    steps = [step.identity() for step in plan.steps]
    return digest(plan.name, plan.seed, source, steps, dict(plan.models), dict(plan.output)).hex()


def data_card(
    plan: BuildPlan,
    settings: OutputSettings,
    *,
    hashed: str,
    columns: Sequence[ExportColumn],
    roles: TrainingRoles,
    counts: CardCounts,
    sizes: Mapping[str, int],
    funnel: Mapping[str, StepCounts],
    remarks: Sequence[str],
    suite: tuple[str, int] | None = None,
    inferred: bool = False,
) -> str:
    """README.md of an export. What comes from outside is escaped."""
    title, splits = plan.title or plan.name, _ordered(counts.splits)
    parts = [
        _front_matter(settings, columns, counts, sizes, splits),
        f"# {plain(title)}",
        _about(plan, settings, counts, hashed),
        *(f"> {plain(remark)}" for remark in remarks),
        "## How to load it",
        _loading(plan, settings, splits, suite),
        "## Columns",
        _columns(columns, roles, inferred),
        "## Records",
        _table(("split", "records"), [(split, f"{counts.splits[split]:,}") for split in splits]),
        _split_note(settings),
        *_grouped(counts, splits),
        "## Funnel",
        "How many records each step got, gave and dropped. Steps that expand give more than they get.",
        _table(("step", "kind", "in", "out", "dropped"), [_funnel_row(plan, step, funnel[step]) for step in funnel]),
        "## Checks",
        _checks(plan),
        "## Models and prompts",
        _models(counts),
        "## Licenses of the sources",
        _table(("license", "records"), [(name, f"{n:,}") for name, n in _by_count(counts.licenses)]),
        _license_note(counts),
        "## Known limits",
        _limits(plan, counts),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def plain(text: Any) -> str:
    """A text from outside as Markdown shows it: one line, no markup.

    >>> plain("a | <b>\\n[c](d)")
    'a \\\\| \\\\<b\\\\> \\\\[c\\\\](d)'
    """
    return _SIGNS.sub(r"\\\1", " ".join(str(text).split()))


def _front_matter(
    settings: OutputSettings,
    columns: Sequence[ExportColumn],
    counts: CardCounts,
    sizes: Mapping[str, int],
    splits: list[str],
) -> str:
    listed = [*(ExportColumn(name, "text") for name in PROVENANCE), *columns]
    lines = ["---"]
    if settings.license:
        lines.append(f"license: {json.dumps(settings.license, ensure_ascii=False)}")
    lines += ["dataset_info:", "  features:"]
    for column in listed:
        name, *rest = column.yaml.items()
        lines += [f"  - {name[0]}: {json.dumps(name[1], ensure_ascii=False)}", *(f"    {key}: {v}" for key, v in rest)]
    lines.append("  splits:")
    for split in splits:
        lines += [f"  - name: {split}", f"    num_bytes: {sizes[split]}", f"    num_examples: {counts.splits[split]}"]
    lines += ["configs:", "- config_name: default", "  data_files:"]
    for split in splits:
        lines += [f"  - split: {split}", f"    path: data/{split}-*"]
    return "\n".join([*lines, "---"])


def _about(plan: BuildPlan, settings: OutputSettings, counts: CardCounts, hashed: str) -> str:
    what = "A test set" if settings.kind == "suite" else "A training set"
    return (
        f"{what} of {sum(counts.splits.values()):,} records, built by the plan `{_code(plan.name)}` "
        f"(hash `{hashed}`, seed {plan.seed}) with Editscope {__version__}."
    )


def _loading(plan: BuildPlan, settings: OutputSettings, splits: list[str], suite: tuple[str, int] | None) -> str:
    lines = ["```python", "from datasets import load_dataset", "", 'data = load_dataset("path/to/this/folder")', "```"]
    lines += ["", "With Editscope, lazily and by index:", "", "```python"]
    lines += ["from editscope.factory.output.reading import load_training_set", ""]
    lines += [f'records = load_training_set("path/to/this/folder", split="{splits[0]}")', "```"]
    if settings.webdataset:
        lines += ["", "The folder `webdataset/` holds the same records as tar shards."]
    if suite is not None:
        name, number = suite
        lines += ["", f"The folder `suite/` holds {number:,} cases in the layout of {plain(name)}, ready for a run:"]
        data = "path/to/this/folder/suite"
        spec = data if settings.suite == OWN else f"{_code(settings.suite)} --data {data}"
        lines += ["", "```", f"editscope run {spec} --editor …", "```"]
    return "\n".join(lines)


def _columns(columns: Sequence[ExportColumn], roles: TrainingRoles, inferred: bool) -> str:
    shown = [("id", "text", "the id of the record"), ("source\\_id", "text", "equal for records of one source picture")]
    shown.append(("history", "json", "for each step: model, snapshot, prompt with its hash"))
    for column in columns:
        role = "goes in" if column.name in roles.inputs else "should come out" if column.name == roles.answer else ""
        role = "instruction" if column.name in roles.instructions else role
        optional = "may be missing" if column.optional else ""
        shown.append((plain(column.name), column.type, ", ".join(filter(None, [role, optional]))))
    note = "\n\nThe plan names no columns; these were inferred from the records." if inferred else ""
    return _table(("column", "type", "about"), shown, escaped=True) + note


def _split_note(settings: OutputSettings) -> str:
    if not settings.split:
        return ""
    shares = ", ".join(f"{name} {share:g}" for name, share in sorted(settings.split.items()))
    return (
        f"Shares asked for: {shares}. Records of one source picture, or of sources that look the same, are in one "
        "split. A hash of the seed and the source decides: a larger build moves a record to another split only where "
        "a new source looks the same as its own."
    )


def _grouped(counts: CardCounts, splits: list[str]) -> Iterable[str]:
    for name, found in counts.groups.items():
        values = sorted({value for value, _ in found})
        rows = [(value, *(f"{found[value, split]:,}" for split in splits)) for value in values[:MOST_ROWS]]
        if len(values) > MOST_ROWS:
            rows.append((f"{len(values) - MOST_ROWS:,} more", *("" for _ in splits)))
        yield _table((name, *splits), rows)


def _funnel_row(plan: BuildPlan, step: str, counts: StepCounts) -> tuple[str, ...]:
    dropped = ", ".join(f"{n:,} {reason}" for reason, n in _by_count(counts.dropped))
    return step, plan.step(step).kind, f"{counts.records_in:,}", f"{counts.records_out:,}", dropped


def _checks(plan: BuildPlan) -> str:
    rows = []
    for step in plan.steps:
        if step.kind in ("filter", "sample", "review"):
            said = "; ".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in step.settings.items())
            rows.append((step.name, step.kind, said))
    if not rows:
        return "The plan has no step that drops records by a rule."
    return _table(("step", "kind", "settings"), rows)


def _models(counts: CardCounts) -> str:
    if not counts.models:
        return "No step asked a model."
    rows = [(*names, f"{number:,}") for names, number in sorted(counts.models.items())]
    return _table(("step", "model", "snapshot", "prompt and its hash", "records"), rows)


def _license_note(counts: CardCounts) -> str:
    if not (missing := counts.licenses[UNKNOWN]):
        return ""
    return f"For {missing:,} records the source states no license. Find it out before you pass them on."


def _limits(plan: BuildPlan, counts: CardCounts) -> str:
    filters = [step for step in plan.steps if step.kind == "filter"]
    guarded = [str(suite).partition("=")[0] for step in filters for suite in step.settings.get("suites", [])]
    compared = (
        f"Compared with the test suites {', '.join(map(plain, guarded))}; others were not at hand."
        if guarded
        else "Not compared with any test suite: a picture of a benchmark may be among these."
    )
    reviewed = any(step.kind == "review" for step in plan.steps)
    lines = [
        compared,
        "People reviewed the records." if reviewed else "Nobody has reviewed the records.",
        "Checks by code find what they are made for. What else is wrong with a record stays.",
    ]
    if counts.models:
        lines.append("Texts or pictures come from models, with the mistakes and the leanings of these models.")
    return "\n".join(f"- {line}" for line in lines)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], *, escaped: bool = False) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    lines += [f"| {' | '.join(row if escaped else map(plain, row))} |" for row in rows]
    return "\n".join(lines)


def _by_count(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _ordered(splits: Mapping[str, int]) -> list[str]:
    return sorted(splits, key=lambda name: (name != "train", name))


def _code(text: str) -> str:
    return re.sub(r"[`\s]+", " ", text)
