"""Comparing runs: only equal cases take part, what is said is true, and what is left out is counted."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import editscope as es
from editscope.errors import BadInput
from editscope.images import write_png
from support import run_surgery
from support.command_line import called

pytestmark = pytest.mark.slow

PER_TASK = 4


@dataclass(frozen=True)
class Made:
    """A set and three runs over it: nothing done, half of every edit, everything right."""

    data: Path
    nothing: Path
    half: Path
    right: Path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    from support.small_sets import make_small_set

    root = tmp_path_factory.mktemp("compared")
    data = make_small_set(root / "set", per_task=PER_TASK)
    suite = es.load_suite("paintbench", root=data)
    for name, spec in (("nothing", "ref:identity"), ("half", "ref:half"), ("right", "ref:oracle")):
        es.run(suite, spec, out=root / name, jobs=1, progress=False)
    return Made(data, root / "nothing", root / "half", root / "right")


def altered(run: Path, out: Path, change: Callable[[dict[str, Any]], dict[str, Any] | None]) -> Path:
    """A copy of a run whose journal lines were changed, or dropped."""
    out.mkdir()
    (out / "run.json").write_bytes((run / "run.json").read_bytes())
    lines = [change(line) for line in run_surgery.read(run)]
    run_surgery.write(out, [line for line in lines if line is not None])
    return out


class TestFigures:
    def test_a_run_against_itself_has_no_difference(self, made: Made) -> None:
        same = es.compare(made.half, made.half)
        assert (same.overall.difference, same.overall.lo, same.overall.hi) == (0.0, 0.0, 0.0)
        assert (same.overall.wins, same.overall.ties, same.overall.losses) == (0, 16, 0)
        assert same.notes()[0].startswith("half · 2 and half · 1 have the same mIoU in all 16 cases")

    def test_means_are_those_of_the_summaries_and_differences_turn_round(self, made: Made) -> None:
        there, back = es.compare(made.nothing, made.half), es.compare(made.half, made.nothing)
        assert there.overall.mean_a == es.open_run(made.nothing).summary["overall"]["miou"]["mean"]
        assert there.overall.mean_b == es.open_run(made.half).summary["overall"]["miou"]["mean"]
        assert there.overall.difference == pytest.approx(-back.overall.difference)
        assert (there.overall.wins, there.overall.losses) == (back.overall.losses, back.overall.wins)

    def test_every_edit_right_against_none_wins_every_case_and_says_so(self, made: Made) -> None:
        found = es.compare(made.nothing, made.right)
        assert found.overall.mean_b == 100.0
        assert found.overall.wins == found.overall.n == 16
        assert found.overall.stars == "***"
        assert found.notes()[0].startswith("oracle is better than identity by ")
        assert "on 100 % of 16 cases" in found.notes()[0]

    def test_three_runs_stand_against_the_first(self, made: Made) -> None:
        found = es.compare(made.nothing, made.half, made.right)
        assert [table.overall.mean_b for table in found.tables] == sorted(t.overall.mean_b for t in found.tables)
        frame = found.frame()
        assert set(frame["run"]) == {"half", "oracle"}
        assert list(frame[frame["by"] == "overall"]["n"]) == [16, 16]
        assert {"category", "task"} <= set(frame["by"])

    def test_another_metric_is_compared_when_asked(self, made: Made) -> None:
        found = es.compare(made.half, made.right, metric="over_edit_ratio")
        assert found.overall.mean_b == pytest.approx(1.0)
        assert "oracle is higher than half by 0." in found.notes()[0]

    def test_a_part_of_the_cases_is_compared_when_asked(self, made: Made) -> None:
        found = es.compare(made.nothing, made.right, where={"task": ["border", "recolor"]})
        assert found.overall.n == 2 * PER_TASK
        assert {key for kind, key, _ in found.lines("task")} == {"border", "recolor"}

    def test_the_cases_that_differ_most_come_first_with_what_was_asked(self, made: Made) -> None:
        found = es.compare(made.nothing, made.half)
        cases = found.cases(5)
        apart = [abs(case.difference) for case in cases]
        assert apart == sorted(apart, reverse=True)
        scores = [
            abs(b - a)
            for a, b in zip(
                es.open_run(made.nothing).rows()["miou"], es.open_run(made.half).rows()["miou"], strict=True
            )
        ]
        assert apart[0] == pytest.approx(100 * max(scores))
        assert cases[0].instruction.startswith("Paint the square")
        assert cases[0].failures[0] == "execution_omission"
        assert len(cases[0].records) == 2


class TestWhatTakesPart:
    def test_cases_of_one_run_only_are_left_out_and_counted(self, made: Made, tmp_path: Path) -> None:
        few = altered(made.half, tmp_path / "few", lambda line: line if line["index"] < 5 else None)
        found = es.compare(made.nothing, few)
        assert found.overall.n == 5
        assert found.left_out.missing == 11
        assert "Left out: 11 not in every run." in found.notes()

    def test_a_case_whose_pixels_changed_is_left_out_and_counted(
        self, made: Made, tmp_path: Path, make_set: Callable[..., Path]
    ) -> None:
        data = make_set(tmp_path / "set", per_task=PER_TASK)
        picture = np.zeros((48, 48, 3), np.uint8)
        write_png(data / "border/000_answer.png", picture)
        es.run(es.load_suite("paintbench", root=data), "ref:half", out=tmp_path / "other", jobs=1, progress=False)
        found = es.compare(made.nothing, tmp_path / "other")
        assert (found.overall.n, found.left_out.changed) == (15, 1)
        assert "fingerprints differ" in found.notes()[1]
        assert all(case.case_id != "border/000" for case in found.cases(20))

    def test_a_missing_edit_counts_as_zero_as_in_the_summary(
        self, made: Made, tmp_path: Path, put_outputs: Callable[..., Path]
    ) -> None:
        outputs = put_outputs(made.data, tmp_path / "outputs")
        (outputs / "border/0001_output.png").unlink()
        suite = es.load_suite("paintbench", root=made.data)
        run = es.run(suite, f"folder:{outputs}", out=tmp_path / "run", jobs=1, progress=False)
        found = es.compare(made.right, run)
        assert found.overall.n == 16
        assert found.overall.mean_b == run.summary["overall"]["miou"]["mean"]
        assert (found.cases(1)[0].case_id, found.cases(1)[0].difference) == ("border/001", -100.0)

    def test_nothing_in_common_is_refused_with_the_reason(self, made: Made, tmp_path: Path) -> None:
        reseeded = altered(
            made.half, tmp_path / "reseeded", lambda line: {**line, "fingerprint": f"other {line['case']}"}
        )
        with pytest.raises(BadInput, match=r"share 16 case ids but no case: pixels or words differ in all of them"):
            es.compare(made.nothing, reseeded)
        renamed = altered(made.half, tmp_path / "renamed", lambda line: {**line, "case": f"new/{line['case']}"})
        with pytest.raises(BadInput, match="have no case in common"):
            es.compare(made.nothing, renamed)

    def test_diagnostic_cases_stay_out_of_the_averages(self, tmp_path: Path) -> None:
        suite = es.load_suite("paintbench", split="all", tasks=("removal",), conditions=("baseline",), per_cell=2)
        for name in ("identity", "oracle"):
            es.run(suite, f"ref:{name}", out=tmp_path / name, jobs=1, progress=False)
        rows = es.open_run(tmp_path / "identity").rows()
        kept = [task for task, split in zip(rows["task"], rows["split"], strict=True) if split != "preservation"]
        found = es.compare(tmp_path / "identity", tmp_path / "oracle")
        assert 0 < len(kept) < len(rows["task"])
        assert found.overall.n == len(kept)
        assert found.left_out.diagnostic == len(rows["task"]) - len(kept)


class TestTerminal:
    def test_tables_notes_and_cases_are_printed(self, made: Made, capsys: pytest.CaptureFixture[str]) -> None:
        code, said, _ = called(capsys, "compare", made.nothing, made.half, "--cases", "2")
        assert code == 0
        assert "paintbench · mIoU · 16 shared cases" in said
        assert "A  identity" in said
        assert "by task" in said
        assert "the 2 cases that differ most" in said
        assert "A execution omission" in said
        assert "Paint the square number" in said

    @pytest.mark.parametrize("columns", ["50", "80", "140"])
    def test_no_line_is_wider_than_the_terminal_and_no_figure_is_cut(
        self, made: Made, columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", columns)
        code, said, _ = called(capsys, "compare", made.nothing, made.half, "--all-groups")
        assert code == 0
        assert max(map(len, said.splitlines())) <= int(columns)
        expected = es.compare(made.nothing, made.half).overall
        line = next(line for line in said.splitlines() if line.startswith("B  half"))
        assert f"{expected.mean_b:.1f}" in line
        assert f"+{expected.difference:.1f}***" in line
        assert f"+{expected.lo:.1f} … +{expected.hi:.1f}" in line

    def test_csv_has_every_group_of_every_run(self, made: Made, capsys: pytest.CaptureFixture[str]) -> None:
        code, said, _ = called(capsys, "compare", made.nothing, made.half, made.right, "--csv")
        assert code == 0
        rows = list(csv.DictReader(io.StringIO(said)))
        assert {row["run"] for row in rows} == {"half", "oracle"}
        assert {row["key"] for row in rows if row["by"] == "task"} == {"border", "recolor", "removal", "translation"}
        assert float(rows[0]["difference"]) == es.compare(made.nothing, made.half).overall.difference

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["{nothing}"], "needs at least two runs"),
            (["{nothing}", "no-such-run"], "is not a run"),
            (["{nothing}", "{half}", "--metric", "mio"], "did you mean 'miou'"),
            (["{nothing}", "{half}", "--by", "tsk"], "did you mean 'task'"),
            (["{nothing}", "{half}", "--where", "task=bordr"], "did you mean 'border'"),
            (["{nothing}", "{half}", "--where", "tusk=border"], "did you mean 'task'"),
        ],
    )
    def test_wrong_names_are_answered_with_the_right_ones(
        self, arguments: list[str], said: str, made: Made, capsys: pytest.CaptureFixture[str]
    ) -> None:
        code, out, err = called(capsys, "compare", *(a.format(nothing=made.nothing, half=made.half) for a in arguments))
        assert (code, out) == (2, "")
        assert said in err
        assert len(err.strip().splitlines()) == 1

    def test_runs_of_two_suites_are_refused(self, made: Made, tmp_path: Path) -> None:
        info = json.loads((made.half / "run.json").read_text())
        info["suite"]["name"] = "tinygrafix"
        (tmp_path / "run.json").write_text(json.dumps(info))
        (tmp_path / "journal.jsonl").write_bytes((made.half / "journal.jsonl").read_bytes())
        with pytest.raises(BadInput, match="only runs of one suite are compared"):
            es.compare(made.nothing, tmp_path)


def test_a_difference_that_could_be_chance_says_how_many_cases_would_tell(made: Made, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)

    def noisy(line: dict[str, Any]) -> dict[str, Any]:
        return line if line["step"] == "edit" else {**line, "metrics": {"miou": float(rng.uniform(0.3, 0.5))}}

    found = es.compare(altered(made.half, tmp_path / "a", noisy), altered(made.half, tmp_path / "b", noisy))
    assert found.overall.p > 0.05
    assert "which could be chance (p = " in found.notes()[0]
    assert "would need about " in found.notes()[0]
