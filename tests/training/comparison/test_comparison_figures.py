"""`editscope train compare`: the figures of base and arms are those of the run folders, paired case by case."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

import editscope as es
from editscope.training.comparison.figures import cells_of
from support.training.arms import write_across
from support.training.comparisons import Compared, called

pytestmark = [pytest.mark.slow]
JUDGES = {"openai:gpt-5": "openai-gpt-5", "openai:dice": "openai-dice"}
EDITS, ASKED = 24, 2


def figures(compared: Compared) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((compared.out / "comparison.json").read_text())["figures"]
    return found


def run_of(compared: Compared, arm: str, judge: str, evaluation: str = "picabench") -> es.Run:
    return es.open_run(compared.out / "runs" / evaluation / arm.lower() / JUDGES[judge])


def values(run: es.Run, metric: str, level: str, law: str = "") -> dict[tuple[str, ...], float]:
    """What the table of scores has of a metric at a level, by case and question."""
    rows = run.rows()
    return {
        (rows["case_id"][i], rows["variant"][i], rows["key"][i]): 100 * value
        for i, value in enumerate(rows[metric])
        if value is not None and rows["level"][i] == level and law in ("", rows["law"][i])
    }


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("metric", ["accuracy", "consistency"])
def test_every_mean_and_difference_follows_from_the_run_folders(compared: Compared, judge: str, metric: str) -> None:
    mine = [
        row
        for row in figures(compared)
        if (row["evaluation"], row["judge"], row["metric"]) == ("picabench", judge, metric)
    ]
    laws = {row["key"] for row in mine}
    assert len(mine) == 4 * 2 * len(laws) and len(laws) == 9
    for row in mine:
        here = values(run_of(compared, row["arm"], judge), metric, row["level"], row["key"])
        base = values(run_of(compared, "base", judge), metric, row["level"], row["key"])
        assert row["mean"] == pytest.approx(fmean(here.values()), abs=1e-6)
        assert row["n"] == len(here)
        if row["arm"] == "base":
            assert "difference" not in row
            continue
        shared = here.keys() & base.keys()
        wanted = fmean(here[key] for key in shared) - fmean(base[key] for key in shared)
        assert row["difference"] == pytest.approx(wanted, abs=1e-6) and row["pairs"] == len(shared)
        if row["difference_lo"] is not None:
            assert row["difference_lo"] <= row["difference"] <= row["difference_hi"]


def test_edits_are_made_once_for_all_judges(compared: Compared) -> None:
    made = Counter((compared.root / "edits.log").read_text().splitlines())
    assert set(made.values()) == {1}
    assert len(made) == 4 * EDITS
    first, second = (run_of(compared, "Grafix", judge) for judge in JUDGES)
    assert second.info["edits_of"] == str(first.path.resolve()) and "edits_of" not in first.info
    texts = Counter((asked.text, asked.pictures) for asked in compared.judges[1].asked)
    retried = {key: n for key, n in texts.items() if "thing" in key[0] and "thing 3.1" not in key[0] and n > 1}
    assert retried == {}


def test_weights_that_change_nothing_differ_by_exactly_nothing(compared: Compared) -> None:
    same = [row for row in figures(compared) if row["arm"] == "same" and row["evaluation"] == "picabench"]
    assert {row["difference"] for row in same} == {0.0}
    assert {(row["wins"], row["losses"]) for row in same} == {(0, 0)}
    with_interval = [row for row in same if row["difference_lo"] is not None]
    assert with_interval and {(row["difference_lo"], row["difference_hi"]) for row in with_interval} == {(0.0, 0.0)}


def test_a_missing_verdict_is_counted_and_is_no_number(compared: Compared) -> None:
    assert compared.code == 1
    rows = [row for row in figures(compared) if row["judge"] == "openai:dice" and row["metric"] == "accuracy"]
    overall = {(row["arm"], row["level"]): row for row in rows if row["by"] == "overall"}
    assert {(row["n"], row["missing"]) for row in overall.values()} == {(ASKED * 12 - 1, 1)}
    read = json.loads((compared.out / "comparison.json").read_text())
    lacking = {run["arm"]: run["missing"] for run in read["runs"] if run["judge"] == "openai:dice"}
    assert lacking["lazy"]["verdicts"] == {"unparsed": 2}
    assert "missing: + lazy: 2 verdicts unparsed" in compared.printed


def test_base_on_paraphrases_is_paired_with_arms_on_implicit_instructions(compared: Compared) -> None:
    arm = '[[arms]]\nname = "lazy"\nweights = "lazy.safetensors"\n'
    plan = write_across(compared.root / "across.toml", compared.judges[0].spec(), arm)
    assert called("train", "compare", plan, "--yes", "--jobs", "1", "--cache", "verdicts", "--quiet") == 0
    out = compared.root / "compared/across"
    base, lazy = (es.open_run(out / "runs/worldedit" / name / "openai-gpt-4o") for name in ("base", "lazy"))
    assert {line["variant"] for line in base.edits().values()} == {"paraphrase"}
    assert {line["variant"] for line in lazy.edits().values()} == {""}
    pair = es.compare(base, lazy, metric="average", across=True)
    read = json.loads((out / "comparison.json").read_text())
    (row,) = [
        row for row in read["figures"] if (row["arm"], row["by"], row["metric"]) == ("lazy", "overall", "average")
    ]
    assert row["pairs"] == pair.overall.n and row["difference"] == pair.overall.difference
    assert row["difference"] == pytest.approx(2 - 5)
    assert list(pair.cases(1)[0].scores) == [5.0, 2.0]
    with pytest.raises(es.EditscopeError, match="no case in common"):
        es.compare(base, lazy, metric="average")


def test_an_arm_that_stops_editing_is_told_in_a_sentence(compared: Compared) -> None:
    read = json.loads((compared.out / "comparison.json").read_text())
    drift = read["drift"]["picabench"]
    assert drift["lazy"]["identity"] == 1.0 and drift["base"]["identity"] == 0.0
    assert drift["lazy"]["over_edit"] == 0.0 and drift["base"]["over_edit"] > 1.0
    assert drift["base"]["measured"] == 2 * 9, "every fourth case has no edited area"
    (sentence,) = [text for text in read["sentences"] if text.startswith("picabench, openai:gpt-5: + lazy")]
    assert "drift toward not editing: accuracy falls by 100.00 while consistency rises by" in sentence
    assert "100% of its edits leave the picture as it is, and 0% of the base's" in sentence
    assert not any("+ same" in text for text in read["sentences"])
    assert sentence in compared.printed


def test_tables_have_base_arms_and_deltas_in_every_format(compared: Compared) -> None:
    text = (compared.out / "comparison.md").read_text()
    table = text.split("### PICABench, superficial instructions, judge openai:gpt-5\n")[1].split("###")[0]
    rows = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("|")][2:]
    delta = "*&nbsp;&nbsp;&nbsp;&nbsp;Δ*"
    assert rows == [
        *("base", "+ Grafix", delta, "+ same", delta, "+ lazy", delta),
        *(f"{name} <sub>published</sub>" for name in ("FLUX.1-Kontext-dev", "FLUX.1-Kontext-dev + MIRA400K")),
        delta,
    ]
    assert "48.93" in table and "−1.97" in table
    explicit = text.split("### PICABench, explicit instructions, judge openai:dice\n")[1].split("###")[0]
    assert "MIRA400K" not in explicit, "the paper has no such row at this level"
    latex = (compared.out / "comparison.tex").read_text()
    assert "%<*picabench-openai-gpt-5-superficial>" in latex and latex.endswith("\\end{document}\n")
    with (compared.out / "comparison.csv").open() as file:
        rows_of_csv = list(csv.DictReader(file))
    assert len(rows_of_csv) == len(figures(compared))
    assert rows_of_csv[0]["arm"] == "base" and rows_of_csv[0]["difference"] == ""
    assert (compared.out / "comparison.txt").read_text().strip() in compared.printed


def test_the_same_command_again_asks_and_makes_nothing(compared: Compared, capsys: pytest.CaptureFixture[str]) -> None:
    before = (compared.root / "edits.log").read_text(), [judge.calls for judge in compared.judges]
    stamps = {path: path.stat().st_mtime_ns for path in (compared.out / "arms").rglob("*") if path.is_file()}
    assert called("train", "compare", compared.plan, "--jobs", "1", "--cache", "verdicts", "--json") == 1
    assert json.loads(capsys.readouterr().out)["complete"] is True
    assert before == ((compared.root / "edits.log").read_text(), [judge.calls for judge in compared.judges])
    assert stamps == {path: path.stat().st_mtime_ns for path in stamps}


def test_a_changed_plan_is_refused_with_what_differs_and_more_arms_are_not(
    compared: Compared, capsys: pytest.CaptureFixture[str]
) -> None:
    text = compared.plan.read_text()
    other = compared.root / "other.toml"

    def refused(changed: str) -> str:
        other.write_text(changed)
        code = called("train", "compare", other, "--out", compared.out, "--dry-run")
        captured = capsys.readouterr()
        return "" if code == 0 else captured.err

    assert "sampler.steps was 1, now 2" in refused(text.replace("steps = 1", "steps = 2"))
    assert "arms.lazy.weights was" in refused(text.replace("lazy.safetensors", "zero.safetensors"))
    gone = text.replace('[[arms]]\nname = "same"\nweights = "zero.safetensors"\n', "")
    assert "arms.same" in refused(gone)
    assert refused(text.replace("[[evaluations]]", '[[arms]]\nname = "more"\n[[evaluations]]', 1)) == ""
    experiment = (compared.root / "mine.toml").read_text()
    Path("mine.toml").write_text(experiment.replace("rate = 0.01", "rate = 0.02"))
    try:
        assert "experiment of Grafix.optimizer.rate was 0.01, now 0.02" in refused(text)
    finally:
        Path("mine.toml").write_text(experiment)


def test_a_metric_that_only_the_journal_has_has_a_mean_too(tmp_path: Path) -> None:
    suite = es.load_suite("paintbench", tasks="border", conditions="baseline", canvas="256x256")
    run = es.run(suite, "ref:half", out=tmp_path / "run", limit=3)
    cell = cells_of(run, ["miou", "edit_accuracy@5"])["overall", "", "edit_accuracy@5"]
    values = run.averaged_rows("edit_accuracy@5")["edit_accuracy@5"]
    assert cell["n"] == 3 and cell["mean"] == pytest.approx(100 * fmean(values)) and 0 < cell["mean"] < 100
