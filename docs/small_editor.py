"""Write the figures and tables of docs/small-editor.md from what was measured.

    python docs/small_editor.py                      # draw again from docs/small-editor.json and the weights that ship
    python docs/small_editor.py STAGE1 STAGE2 STAGE3      # first read the folders of stages, in order
    python docs/small_editor.py --against FOLDER [--without striped …]    # only print: another training beside this one

The folder of a stage has ``metrics.jsonl`` and ``scores.json``, the scores of problems of the default set after it:
[task, mode, condition, mIoU], as benchmarks/small_editor_training.py writes them. The last two have all problems.
``--against`` takes such a folder of another training with as many stages; what it held out stands apart.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from editscope.editors.small.editor import SmallEditor
from editscope.editors.small.sentences import read_sentence
from editscope.images import Pixels
from editscope.scoring.pixels import score_pixels
from editscope.stats.paired import Paired, compare_rows
from editscope.stats.summary import summarize
from editscope.suites.paintbench.catalog import AGGREGATION, CATEGORIES, CATEGORY_OF, CONDITIONS, MODES
from editscope.suites.paintbench.lessons import default_slots, problem_at

HERE = Path(__file__).parent
DATA, PAGE, IMAGES = HERE / "small-editor.json", HERE / "small-editor.md", HERE / "images"
BATCH = 256
PARTS = ("changed", "kept", "field", "figure", "reward")
SIDE, GAP, LINE = 132, 6, 30


def read_stages(folders: list[Path]) -> dict[str, Any]:
    """What the folders of stages say; the log of each has those before it."""
    steps: dict[int, dict[str, float]] = {}
    scores, ends = [], []
    for folder in folders:
        rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
        for row in rows:
            if row["kind"] == "step":
                kept = {name: row["metrics"][name] for name in PARTS if name in row["metrics"]}
                steps[row["step"]] = {name: round(value, 4) for name, value in kept.items()}
        ends.append(max(steps) * BATCH)
        listed = json.loads((folder / "scores.json").read_text())
        scores.append([[*names, round(miou, 3)] for *names, miou in listed])
    log = [{"step": step, **steps[step]} for step in sorted(steps)]
    return {"batch": BATCH, "log": log, "scores": scores, "ends": ends}


def rows_of(scores: list[list[Any]]) -> dict[str, list[Any]]:
    """Scores as the rows of a run."""
    return {
        "task": [task for task, *_ in scores],
        "mode": [mode for _, mode, *_ in scores],
        "condition": [condition for *_, condition, _ in scores],
        "category": [CATEGORY_OF[task] for task, *_ in scores],
        "miou": [miou / 100 for *_, miou in scores],
        "preservation": [False] * len(scores),
        "split": ["test"] * len(scores),
        "case_id": [f"{place:04d}" for place in range(len(scores))],
    }


def summary(scores: list[list[Any]]) -> dict[str, Any]:
    """Means with 95 % intervals, as a run has them."""
    return summarize(rows_of(scores), AGGREGATION, ["miou"])


def gain(data: dict[str, Any]) -> Paired:
    """What the last stage added, problem by problem."""
    taught, rewarded = (rows_of(scores) for scores in data["scores"][-2:])
    return compare_rows(taught, rewarded, AGGREGATION, "miou").overall


def published(by: str) -> dict[str, tuple[float, str]]:
    """The best published value of each row, and whose it is."""
    text = files("editscope.suites.paintbench").joinpath("published/results.csv").read_text("utf-8")
    best: dict[str, tuple[float, str]] = {}
    for row in csv.DictReader(text.splitlines()):
        if (row["suite"], row["by"], row["metric"]) == ("paintbench", by, "miou") and row["table"] != "":
            value = float(row["value"])
            if value > best.get(row["group"], (-1.0, ""))[0]:
                best[row["group"]] = value, row["model"]
    return best


def tables(data: dict[str, Any]) -> str:
    """The tables of the page."""
    last, first = summary(data["scores"][-1]), summary(data["scores"][-2])
    lines = [
        "| | before the reward | small | 95 % | n | best published model |",
        "| --- | ---: | ---: | --- | ---: | --- |",
    ]
    before = {(row["by"], row["key"]): row["mean"] for row in first["groups"]}
    theirs = published("overall").get("")
    all_of = last["overall"]["miou"]
    lines.append(_row("**all**", first["overall"]["miou"]["mean"], all_of, theirs))
    modes = [f"{task}/{mode}" for task, all_modes in MODES.items() for mode in all_modes if len(all_modes) > 1]
    for by, keys in (("category", CATEGORIES), ("task", CATEGORY_OF), ("mode", modes), ("condition", CONDITIONS)):
        best = published(by)
        cells = {row["key"]: row for row in last["groups"] if row["by"] == by}
        order = [key for key in keys if key in cells]
        if by == "task":
            order.sort(key=lambda key: -cells[key]["mean"])
        lines.append(f"| *{by}* | | | | | |")
        for key in order:
            name = key.replace("_", " ").replace("/", ", ")
            lines.append(_row(name, before[by, key], cells[key], best.get(key)))
    return "\n".join(lines)


def _row(name: str, before: float, cell: dict[str, Any], theirs: tuple[float, str] | None) -> str:
    return f"| {name} | {before:.1f} | {cell['mean']:.1f} | {_interval(cell)} | {cell['n']} | {_theirs(theirs)} |"


def _interval(cell: dict[str, Any]) -> str:
    return "" if cell["lo"] is None else f"{cell['lo']:.1f}–{cell['hi']:.1f}"


def _theirs(best: tuple[float, str] | None) -> str:
    return "" if best is None else f"{best[0]:.1f} ({best[1]})"


def curve(data: dict[str, Any], path: Path) -> None:
    """The learning curve: parts of the loss, and the score after each stage."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    seen = [row["step"] * data["batch"] / 1000 for row in data["log"]]
    figure, axes = plt.subplots(figsize=(8, 3.6), dpi=110)
    for name, label, color in (
        ("changed", "loss of pixels to change", "#3b5bdb"),
        ("kept", "loss of pixels to keep", "#0b7285"),
        ("field", "error of offsets", "#868e96"),
        ("figure", "error of figures", "#c2a100"),
    ):
        axes.plot(seen, [row[name] for row in data["log"]], label=label, color=color)
    axes.set_yscale("log")
    axes.set_xlabel("problems seen, thousands")
    axes.set_ylabel("loss")
    axes.set_xlim(0, 1.05 * max(data["ends"]) / 1000)
    ends = data["ends"]
    other = axes.twinx()
    means = [summary(scores)["overall"]["miou"]["mean"] for scores in data["scores"]]
    other.plot([end / 1000 for end in ends], means, "o", color="#c92a2a", label="mIoU of test problems")
    rewarded = [row for row in data["log"] if "reward" in row]
    other.plot(
        [row["step"] * data["batch"] / 1000 for row in rewarded],
        [100 * row["reward"] for row in rewarded],
        color="#c92a2a",
        label="reward: mIoU expected in training",
    )
    for end, mean in zip(ends, means, strict=True):
        other.annotate(f"{mean:.1f}", (end / 1000, mean), textcoords="offset points", xytext=(-8, 7), ha="right")
    other.set_ylim(0, 100)
    other.set_ylabel("mIoU")
    handles = [*axes.get_legend_handles_labels()[0], *other.get_legend_handles_labels()[0]]
    axes.legend(handles=handles, frameon=False, loc="upper center", ncols=3, fontsize=7)
    axes.set_ylim(top=25)
    figure.tight_layout()
    figure.savefig(path, metadata={"Software": None})


def gallery(path: Path) -> None:
    """One problem of each task, not chosen: the second of the default set's baseline. Input, answer, edit."""
    editor = SmallEditor()
    tasks: dict[str, Any] = {}
    for slot in default_slots():
        if slot.condition == "baseline" and slot.slot == 1:
            tasks.setdefault(slot.task, slot)
    columns = 4
    wide, high = 3 * (SIDE + GAP) + 4 * GAP, SIDE + LINE
    rows = -(-len(tasks) // columns)
    sheet = Image.new("RGB", (columns * wide, rows * high), "#ffffff")
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(13)
    for place, (task, slot) in enumerate(tasks.items()):
        before, after, instruction = problem_at(slot)
        edit = editor.painted(before, read_sentence(instruction))
        left, top = place % columns * wide, place // columns * high
        score = 100 * float(score_pixels(before, after, edit).miou)
        draw.text((left, top + 8), f"{task.replace('_', ' ')} ({slot.mode}): {score:.0f}", "#222222", font)
        for number, picture in enumerate((before, after, edit)):
            sheet.paste(_small(picture), (left + number * (SIDE + GAP), top + LINE - 4))
    sheet.quantize(256).save(path, optimize=True)


def _small(picture: Pixels) -> Image.Image:
    image = Image.fromarray(picture)
    image.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    return image


def beside(data: dict[str, Any], folder: Path, without: list[str]) -> str:
    """Another training with as many stages beside this one: the same problems, apart for what it held out."""
    log = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    seen = max(row["step"] for row in log if row["kind"] == "step") * data["batch"]
    number = min(range(len(data["ends"])), key=lambda place: abs(data["ends"][place] - seen))
    here, there = data["scores"][number], json.loads((folder / "scores.json").read_text())
    if [names for *names, _ in here] != [names for *names, _ in there]:
        sys.exit(f"{folder} and stage {number + 1} of this page were not scored on the same problems; use --every")
    lines = [
        f"| after stage {number + 1} | n | this training | the other one | difference, 95 % |",
        "| --- | ---: | ---: | ---: | --- |",
    ]

    def kinds(task: str, mode: str, condition: str) -> set[str]:
        return {task, f"{task}/{mode}", condition}

    groups = [("all", [True] * len(here))]
    groups += [(name, [name in kinds(*names) for *names, _ in here]) for name in without]
    if without:
        groups.append(("all else", [not kinds(*names) & set(without) for *names, _ in here]))
    for name, wanted in groups:
        pairs = [(one, other) for one, other, take in zip(here, there, wanted, strict=True) if take]
        first, second = (rows_of([pair[side] for pair in pairs]) for side in range(2))
        found = compare_rows(first, second, AGGREGATION, "miou").overall
        lines.append(
            f"| {name} | {found.n} | {found.mean_a:.1f} | {found.mean_b:.1f} "
            f"| {found.difference:.1f}{'' if found.lo is None else f' ({found.lo:.1f} to {found.hi:.1f})'} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Read what is given, draw, and put the tables into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stages", nargs="*", type=Path, metavar="STAGE")
    parser.add_argument("--against", type=Path, metavar="FOLDER")
    parser.add_argument("--without", nargs="+", default=[], metavar="NAME")
    given = parser.parse_args()
    for folder in (*given.stages, *([given.against] if given.against else [])):
        for name in ("metrics.jsonl", "scores.json"):
            if not (folder / name).is_file():
                sys.exit(f"{folder} has no {name}; give a folder after-N of benchmarks/small_editor_training.py")
    if given.against:
        print(beside(json.loads(DATA.read_text()), given.against, given.without))
        return
    if given.stages:
        data = read_stages(given.stages)
        DATA.write_text(json.dumps(data, separators=(",", ":")).replace('"scores"', '\n"scores"') + "\n")
    data = json.loads(DATA.read_text())
    added = gain(data)
    print(f"the reward added {added.difference:.1f} ({added.lo:.1f} to {added.hi:.1f}), {added.n} problems")
    curve(data, IMAGES / "small-editor-curve.png")
    gallery(IMAGES / "small-editor-gallery.png")
    text = PAGE.read_text()
    new = re.sub(r"^\| \| before the reward.*?(?=\n\n)", lambda _: tables(data), text, flags=re.DOTALL | re.MULTILINE)
    PAGE.write_text(new)


if __name__ == "__main__":
    main()
