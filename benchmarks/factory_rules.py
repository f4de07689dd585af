"""Precision and recall of every rule for texts that code decides, with Wilson's 95 % intervals, and the misses."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from editscope.factory.rules import RULES, TextRule
from measuring import share_text

EXAMPLES = Path(__file__).parents[1] / "tests" / "factory"
SETS = ("labelled", "tuned", "unseen")
AIM = 95.0


@dataclass(frozen=True, slots=True)
class Measured:
    """A breach is what a rule finds: right and wrong finds, and breaches that it passed."""

    found: int
    wrong: int
    passed: int
    misses: tuple[str, ...]

    @property
    def precision(self) -> str:
        return share_text(self.found, self.found + self.wrong)

    @property
    def recall(self) -> str:
        return share_text(self.found, self.found + self.passed)

    @property
    def reached(self) -> bool:
        return self.found > 0 and 100 * self.found / (self.found + max(self.wrong, self.passed)) >= AIM


def measure(rule: TextRule[Any], file: Path) -> Measured:
    found = wrong = passed = 0
    misses = []
    for line in file.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        breach = rule.check(rule.record.from_json(entry))
        found += entry["breaks"] and breach is not None
        if entry["breaks"] == (breach is not None):
            continue
        wrong += not entry["breaks"]
        passed += entry["breaks"]
        text = json.dumps({key: value for key, value in entry.items() if key != "breaks"}, ensure_ascii=False)
        misses.append(f"keeps it, but: {breach.reason} {text}" if breach else f"breaks it, not found: {text}")
    return Measured(found, wrong, passed, tuple(misses))


def table(examples: Path, names: list[str]) -> str:
    """The rows of the table in docs/factory-rules.md, with two columns for each set that is shown there."""
    rows = []
    for name in names:
        cells = []
        for folder in ("labelled", "unseen"):
            file = examples / folder / f"{name}.jsonl"
            one = measure(RULES[name], file) if file.is_file() else Measured(0, 0, 0, ())
            cells += [one.precision, one.recall]
        rows.append(f"| `{name}` | {' | '.join(cells)} |")
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rules", nargs="*", help="rules to measure; all that code decides where none is named")
    parser.add_argument("--set", choices=SETS, help="one set of examples only")
    parser.add_argument("--examples", type=Path, default=EXAMPLES, help="the folder with the sets")
    parser.add_argument("--table", action="store_true", help="the rows of the table in docs/factory-rules.md")
    chosen = parser.parse_args()
    names = chosen.rules or [name for name, rule in RULES.items() if rule.decided_by == "code"]
    if chosen.table:
        print(table(chosen.examples, names))
        return
    for folder in (chosen.set,) if chosen.set else SETS:
        files = [(name, chosen.examples / folder / f"{name}.jsonl") for name in names]
        results = {name: measure(RULES[name], file) for name, file in files if file.is_file()}
        if not results:
            print(f"{folder}: no examples in {chosen.examples / folder}\n")
            continue
        print(f"{folder}\n  {'rule':<24}{'precision':<22}{'recall':<22}")
        for name, one in results.items():
            print(f"  {name:<24}{one.precision:<22}{one.recall:<22}{'' if one.reached else 'below 0.95'}")
            print("".join(f"      {miss}\n" for miss in one.misses), end="")
        print(f"  {sum(one.reached for one in results.values())} of {len(results)} rules reach 0.95 in both\n")


if __name__ == "__main__":
    main()
