"""Diagnose every reference editor on PaintBench and write the confusion table: docs/reference-editors.md.

python docs/reference_editors.py [--limit N]
"""

from __future__ import annotations

import argparse
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from editscope.editors import Request, load_editor, request_seed
from editscope.editors.reference import FLAWS
from editscope.images import load
from editscope.scoring import FAILURE_MODES, floor_miou, score_pixels
from editscope.suites import load_suite

EXPECTED = {
    "oracle": "success",
    "resized": "success",
    "identity": "execution_omission",
    "drift": "color_imprecision",
    "jpeg": "color_imprecision",
    "noise": "color_imprecision",
    "shift": "structural_imprecision",
    "half": "structural_imprecision",
    "blur": "structural_imprecision",
    "cropped": "structural_imprecision",
    "unrelated": "structural_catastrophe",
}
PAGE = """# Reference editors

Eleven editors with known faults check the instrument: each starts from the answer (`ref:identity` from the input) and
damages it in one way. `ref:NAME?strength=2` makes the damage stronger. The table counts the diagnoses of each editor on
{n:,} problems of the standard set (`python docs/reference_editors.py`); the expected one is in bold.
[The metric](metric.md) has the rules. Five more are for cases whose effects are known: `cutout`, `consequences`,
`faint`, `gain` and `shifted_shadow`; see [effects](effects.md). `editscope editors ref` lists all with a sentence.

| editor | mIoU | {modes} |
| --- | ---: | {rules} |
{rows}

{checks}
"""


def judge(ids: list[str]) -> tuple[dict[str, Counter[str]], dict[str, float], dict[str, int]]:
    """Failure modes and summed mIoU of every editor on some problems, and what the exact editors got wrong."""
    suite = load_suite("paintbench")
    editors = {name: load_editor(f"ref:{name}") for name in FLAWS}
    modes: dict[str, Counter[str]] = {name: Counter() for name in FLAWS}
    total = dict.fromkeys(FLAWS, 0.0)
    wrong: Counter[str] = Counter()
    for case_id in ids:
        case = suite[case_id]
        assert case.answer is not None
        before, answer = load(case.images[0]), load(case.answer)
        for name, editor in editors.items():
            request = Request(case_id, (before,), case.instruction, request_seed(0, case_id), case.tags, "", answer)
            output = editor.edit(request)
            assert output is not None
            score = score_pixels(before, answer, output)  # type: ignore[arg-type]
            modes[name][score.failure] += 1
            total[name] += score.miou
            if name == "oracle":
                wrong["oracle below 100"] += score.miou != 1.0
            if name == "identity":
                wrong["identity with IoU@0 above 0"] += score.iou[0] != 0.0
                wrong["identity with preservation below 100"] += any(p != 1.0 for p in score.preservation_accuracy)
                wrong["identity off the closed form"] += abs(score.miou - floor_miou(before, answer)) > 1e-12
    return modes, total, dict(wrong)


def main() -> None:
    """Run over two processes and write the page."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--limit", type=int, default=None)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    ids = load_suite("paintbench").select(limit=arguments.limit)
    chunks = [list(ids[i::64]) for i in range(64)]
    modes: dict[str, Counter[str]] = {name: Counter() for name in FLAWS}
    total: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    with ProcessPoolExecutor(arguments.jobs, mp_context=get_context("spawn")) as pool:
        for part, sums, mistakes in pool.map(judge, chunks):
            for name in FLAWS:
                modes[name].update(part[name])
            total.update(sums)
            wrong.update(mistakes)
    rows = []
    for name, right in EXPECTED.items():
        cells = [
            f"**{modes[name][mode]}**" if mode == right else str(modes[name][mode] or "·") for mode in FAILURE_MODES
        ]
        rows.append(f"| `ref:{name}` | {100 * total[name] / len(ids):.1f} | {' | '.join(cells)} |")
    checks = "Exact editors, problems that break the rule: " + "; ".join(f"{k}: {v}" for k, v in wrong.items()) + "."
    page = PAGE.format(
        n=len(ids),
        modes=" | ".join(mode.replace("_", " ") for mode in FAILURE_MODES),
        rules=" | ".join("---:" for _ in FAILURE_MODES),
        rows="\n".join(rows),
        checks=checks,
    )
    (Path(__file__).parent / "reference-editors.md").write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
