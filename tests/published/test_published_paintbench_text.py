"""A second reading of the PaintBench paper: its tables, read mechanically, hold the numbers we carry and no others."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

import pytest

from editscope.published import card, corrections, results
from editscope.suites.paintbench.catalog import CATEGORIES, CONDITIONS, MODES
from editscope.suites.tinygrafix.catalog import CHARTS
from support.places import SHARED

SEED = SHARED / "seeds" / "001_068664c53b1807bd.txt"
pytestmark = pytest.mark.skipif(not SEED.is_file(), reason="the text of the paper is not here")

NUMBER = re.compile(r"(?<![\w.])([-+]?\d+\.\d)(?:\s*±\s*(\d+\.\d))?(?![\d])")
Cell = tuple[float, float | None]


@lru_cache
def lines_of(table: int) -> list[str]:
    """The lines of a table: from its caption to the next empty line after its first row."""
    text = SEED.read_text(encoding="utf-8")
    after = text.split(f"\nTable {table} |", 1)[1].split("\n", 1)[1].lstrip("\n")
    return after.split("\n\n", 1)[0].splitlines()


@lru_cache
def numbers(line: str) -> list[Cell]:
    return [(float(value), float(width) if width else None) for value, width in NUMBER.findall(line)]


@lru_cache
def carried(suite: str, table: int, *, model: str | None = None) -> dict[tuple[str, str, str], list[Cell]]:
    """The rows that we carry: for each (by, group, metric) the cells, in the order of the models."""
    rows: dict[tuple[str, str, str], list[Cell]] = {}
    for row in results(suite, table=table, model=model):
        rows.setdefault((row.by, row.group, row.metric), []).append((row.value, row.half_width))
    return rows


def columns(table: int) -> list[str]:
    """The models that head the columns of a table, by the names under which we carry them."""
    slips = {slip.printed: slip.used for slip in corrections("paintbench") if slip.table in ("1", str(table))}
    names = []
    for label in lines_of(table)[0].split("\t"):
        known = card(slips.get(label, label))
        if known is not None:
            names.append(known.name)
    return names


def test_the_columns_of_every_table_are_the_models_in_the_order_in_which_we_carry_them() -> None:
    for table in (1, 2, 3, *range(15, 25)):
        order = list(dict.fromkeys(row.model for row in results(source="paintbench", table=table)))
        assert columns(table) == order, table
        assert len(order) == 11


def snake(label: str) -> str:
    return re.sub(r"\W+", "_", re.sub(r"<.*?>", "", label).lower()).strip("_")


def in_order(suite: str, metric: str) -> list[tuple[str, str, str]]:
    """The rows of a table by task: for each category its average, then its tasks; the benchmark last."""
    outer = "category" if suite == "paintbench" else "chart"
    rows: list[tuple[str, str, str]] = []
    groups = CATEGORIES if suite == "paintbench" else CHARTS
    for group, tasks in groups.items():
        rows.append((outer, group, metric))
        rows += [("task", task if suite == "paintbench" else f"{group}_{task}", metric) for task in tasks]
    return [*rows, ("overall", "", metric)]


@pytest.mark.parametrize(
    ("suite", "table", "metric"),
    [
        ("paintbench", 1, "miou"),
        ("tinygrafix", 3, "miou"),
        ("tinygrafix", 22, "miou"),
        ("tinygrafix", 23, "edit_accuracy"),
        ("tinygrafix", 24, "preservation_accuracy"),
    ],
)
def test_tables_by_task(suite: str, table: int, metric: str) -> None:
    printed = [line for line in lines_of(table) if numbers(line)]
    keys = in_order(suite, metric)
    assert len(printed) == len(keys)
    ours = carried(suite, table)
    assert ours.keys() == set(keys)
    for line, key in zip(printed, keys, strict=True):
        assert numbers(line) == ours[key]
        label = snake(NUMBER.split(line)[0])
        assert label in key[1] if key[0] == "task" else "avg" in label


@pytest.mark.parametrize(("table", "metric"), [(16, "miou"), (17, "edit_accuracy"), (18, "preservation_accuracy")])
def test_tables_by_mode_with_the_modes_of_a_task_in_alphabetical_order(table: int, metric: str) -> None:
    keys: list[tuple[str, str, str]] = []
    for category, tasks in CATEGORIES.items():
        keys.append(("category", category, metric))
        keys += [("mode", f"{task}/{mode}", metric) for task in tasks for mode in sorted(MODES[task])]
    keys.append(("overall", "", metric))
    printed = [numbers(line) for line in lines_of(table) if numbers(line)]
    ours = carried("paintbench", table)
    assert ours.keys() == set(keys)
    assert printed == [ours[key] for key in keys]


@pytest.mark.parametrize(
    ("table", "metric"), [(2, "miou_delta"), (19, "miou"), (20, "edit_accuracy"), (21, "preservation_accuracy")]
)
def test_tables_by_condition(table: int, metric: str) -> None:
    printed = [line for line in lines_of(table) if numbers(line)]
    ours = carried("paintbench", table)
    assert len(printed) == len(ours) == len(CONDITIONS)
    for line, condition in zip(printed, CONDITIONS, strict=True):
        assert snake(line.split("\t")[0]).replace("__", "_").startswith(condition)
        absolute = table == 2 and condition == "baseline"
        assert numbers(line) == ours["condition", condition, "miou" if absolute else metric]


def test_intervals_by_condition() -> None:
    printed = [numbers(line) for line in lines_of(15) if numbers(line)]
    ours = carried("paintbench", 15)
    assert len(printed) == len(ours) == 24
    for i, condition in enumerate(CONDITIONS):
        for j, metric in enumerate(("miou", "miou_lo", "miou_hi")):
            values = [(value, None) for value, _ in ours["condition", condition, metric]]
            assert printed[3 * i + j] == values


@pytest.mark.parametrize(("suite", "table"), [("paintbench", 13), ("tinygrafix", 14)])
def test_intervals_by_category(suite: str, table: int) -> None:
    groups = [*(CATEGORIES if suite == "paintbench" else CHARTS), ""]
    printed = [line for line in lines_of(table) if numbers(line)]
    assert len(printed) == 11
    for line in printed:
        model = card(line.split("\t")[0])
        assert model is not None
        ours = carried(suite, table, model=model.name)
        by = {group: "overall" if not group else "category" if suite == "paintbench" else "chart" for group in groups}
        order = [(by[group], group, metric) for group in groups for metric in ("miou", "miou_lo", "miou_hi")]
        assert numbers(line) == [ours[key][0] for key in order]


def test_prompt_augmentation() -> None:
    printed = [line for line in lines_of(12) if numbers(line)]
    ours = carried("paintbench", 12)
    assert len(printed) == 16
    for line in printed:
        task = snake(line.split("\t")[0])
        cells = [
            cell
            for metric in ("edit_accuracy@5", "preservation_accuracy@5")
            for cell in (*ours["task", task, metric], *ours["task", task, f"{metric}_gain"])
        ]
        assert numbers(line) == cells


def test_the_text_holds_as_many_numbers_as_we_carry() -> None:
    tables = [*range(1, 4), *range(12, 25)]
    printed = {table: sum(len(numbers(line)) for line in lines_of(table)) for table in tables}
    assert printed == dict(sorted(Counter(int(row.table) for row in results(source="paintbench")).items()))
    assert sum(printed.values()) == 3814


def test_every_slipped_label_is_listed() -> None:
    """A correction says what stands in the text, so each of them can be found there."""
    for slip in corrections("paintbench"):
        if "/" not in slip.cell or slip.printed == "(no label)":
            continue
        first = results("paintbench", table=slip.table, by="mode", group=slip.used)[0].value
        (line,) = [
            line
            for line in lines_of(int(slip.table))
            if numbers(line) == carried("paintbench", int(slip.table))["mode", slip.used, _metric(slip.table)]
        ]
        assert numbers(line)[0][0] == first
        label = NUMBER.split(line)[0]
        said = [part for part in re.sub(r"<.*?>", "", label).split("\t") if part]
        assert ", ".join(said) == slip.printed


def _metric(table: str) -> str:
    return {"16": "miou", "17": "edit_accuracy", "18": "preservation_accuracy"}[table]
