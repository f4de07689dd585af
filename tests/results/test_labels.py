"""HumanLabels of people: read from a file, they make the judge's means estimates, and rank only what they can."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import editscope as es
from editscope.cli import main
from editscope.editors import Editor, Request
from editscope.errors import BadInput
from editscope.images import load
from editscope.results import Run
from editscope.results.calibration import calibrate, read_labels
from editscope.suites import load_suite
from support.judged_data import make_worldedit
from support.reports.report_judged_runs import judged_run

pytestmark = pytest.mark.slow

Cli = Callable[..., tuple[int, str]]


class Dimmer(Editor):
    """Makes every picture half as bright."""

    name = "dimmer"

    def edit(self, case: Request) -> Any:
        """The first input, darker."""
        return load(case.images[0]) // 2


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Run]:
    """Two judged runs over the same 44 cases; the judge's scores depend on nothing but the pixels."""
    root = tmp_path_factory.mktemp("labels")
    suite = load_suite("worldedit", root=make_worldedit(root / "data", 44))
    return judged_run(suite, root / "same"), judged_run(suite, root / "dimmer", Dimmer())


def judged_cases(run: Run) -> dict[str, float]:
    """The judge's mean of every case whose edit is there, from 1 to 5."""
    scores: dict[str, list[float]] = {}
    rows = run.averaged_rows()
    for case, value, status in zip(rows["case_id"], rows["average"], rows["edit_status"], strict=True):
        if value is not None and status == "ok":
            scores.setdefault(case, []).append(100 * value)
    return {case: sum(values) / len(values) for case, values in scores.items()}


def write_labels(path: Path, *runs: Run, people: Callable[[float], float], least: int = 36) -> Path:
    """HumanLabels by two raters of the same cases of each run: what ``people`` make of the judge's score."""
    draw = random.Random(4)
    chosen = set(draw.sample(sorted(judged_cases(runs[0])), least))
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["run", "case", "variant", "rater", "score", "remark"])
        for run in runs:
            for case, score in judged_cases(run).items():
                for rater in ("ann", "bo"):
                    given = min(5.0, max(1.0, people(score) + draw.uniform(-0.2, 0.2)))
                    if case in chosen:
                        writer.writerow([run.path.name, case, "", rater, round(given, 3), "fine"])
    return path


def test_labels_may_name_the_level_of_the_only_instruction_as_the_export_of_a_study_does(
    runs: tuple[Run, Run], tmp_path: Path
) -> None:
    same, _ = runs
    plain = write_labels(tmp_path / "labels.csv", same, people=lambda score: score - 0.7)
    rows = list(csv.DictReader(plain.read_text().splitlines()))
    for level, fits in (("implicit", True), ("explicit", False)):
        named = tmp_path / f"{level}.csv"
        with named.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["model_a", "case", "level", "rater", "score_average"])
            writer.writerows([row["run"], row["case"], level, row["rater"], row["score"]] for row in rows)
        if fits:
            assert calibrate(same, str(named)) == calibrate(same, str(plain))
        else:
            with pytest.raises(BadInput, match=r"no label of .* is on an edit of this run"):
                calibrate(same, str(named))


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Call the command line: exit code and what it printed."""

    def call(*arguments: object) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return int(ended.value.code or 0), " ".join((said.out + said.err).split())

    return call


def test_the_mean_of_a_run_is_what_people_would_score(runs: tuple[Run, Run], tmp_path: Path, cli: Cli) -> None:
    same, _ = runs
    labels = write_labels(tmp_path / "labels.csv", same, people=lambda score: score - 0.7)
    found = calibrate(same, str(labels))
    assert found.judged == pytest.approx(same.summary["overall"]["average"]["mean"])
    assert found.lo < found.judged - 0.7 < found.hi < found.judged
    assert (found.labels, found.cases) == (36, 44)
    code, said = cli("show", same.path, "--labels", labels)
    assert code == 0
    assert f"people would score {found.mean:.2f} ({found.lo:.2f} … {found.hi:.2f}), from labels of 36 of 44" in said
    assert "by 2 raters" in said and "Krippendorff's alpha" in said
    code, said = cli("show", same.path, "--labels", labels, "--json")
    assert json.loads(said)["people"]["mean"] == found.mean


def test_people_who_see_no_difference_leave_the_runs_unranked(runs: tuple[Run, Run], tmp_path: Path, cli: Cli) -> None:
    labels = write_labels(tmp_path / "labels.csv", *runs, people=lambda _: 3.0)
    compared = es.compare(*runs, labels=labels)
    assert compared.calibration is not None
    apart = compared.calibration.difference(0, 1)
    assert not isinstance(apart, str) and not apart.decided and abs(apart.difference) < 0.2
    assert compared.notes()[0].startswith("dimmer and identity cannot be ranked: people would score them ")
    assert "would show a difference of this size" in compared.notes()[0]
    code, _ = cli("report", *(run.path for run in runs), "--labels", labels, "--out", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert code == 0 and "People and judge" in page and "judge alone" in page
    assert "cannot be ranked: people would score" in page and "scores best" not in page
    with pytest.raises(BadInput, match="or a part of the cases"):
        es.compare(*runs, labels=labels, where={"mode": "time"})


def test_people_who_see_a_difference_rank_the_runs(runs: tuple[Run, Run], tmp_path: Path, cli: Cli) -> None:
    labels = write_labels(tmp_path / "labels.csv", *runs, people=lambda score: score - 0.8)
    text = labels.read_text().splitlines()
    better = [text[0], *(_raised(line) if line.startswith("dimmer") else line for line in text[1:])]
    labels.write_text("\n".join(better))
    code, said = cli("compare", *(run.path for run in runs), "--labels", labels, "--cases", 0)
    assert code == 0 and "People would score dimmer higher than identity by" in said
    cli("report", *(run.path for run in runs), "--labels", labels, "--out", tmp_path / "r.html")
    assert "People would score dimmer highest" in (tmp_path / "r.html").read_text()
    code, said = cli("compare", *(run.path for run in runs), "--labels", labels, "--json", "--cases", 0)
    people = json.loads(said)["people"]
    assert people["differences"][0]["calibrated"]["lo"] > 0
    assert [run["name"] for run in people["runs"]] == ["identity", "dimmer"]
    cli("report", runs[0].path, "--labels", labels, "--out", tmp_path / "r.md")
    assert "people would score" in (tmp_path / "r.md").read_text()
    cli("report", runs[0].path, "--out", tmp_path / "plain.md")
    assert "people would score" not in (tmp_path / "plain.md").read_text()


def _raised(line: str) -> str:
    run, case, variant, rater, score, *rest = line.split(",")
    return ",".join([run, case, variant, rater, str(min(5.0, float(score) + 1.5)), *rest])


def test_few_labels_or_a_wrong_scale_are_refused_with_a_sentence(
    runs: tuple[Run, Run], tmp_path: Path, cli: Cli
) -> None:
    same, dimmer = runs
    few = write_labels(tmp_path / "few.csv", same, people=lambda score: score, least=12)
    code, said = cli("show", same.path, "--labels", few)
    assert code == 2 and "people labeled 12 cases" in said and "at least 30" in said
    scale = tmp_path / "scale.csv"
    scale.write_text("case,score\ntime_000,7\n")
    code, said = cli("show", same.path, "--labels", scale)
    assert code == 2 and "scale.csv row 1" in said and "1 to 5" in said
    code, said = cli("compare", same.path, dimmer.path, "--labels", scale)
    assert code == 2 and "add a column 'run'" in said
    other = tmp_path / "other.csv"
    other.write_text("run,case,score\nnobody,time_000,3\n")
    code, said = cli("show", same.path, "--labels", other)
    assert code == 2 and "labels of nobody" in said


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("a.csv", "case,rater\nx,ann\n", "the header lacks 'score'"),
        ("a.csv", "case,score\nx,high\n", "row 1 .*field 'score' holds 'high'"),
        ("a.csv", "case,score\n,3\n", "field 'case' is missing"),
        ("a.csv", "case,score\n", "has no labels"),
        ("a.jsonl", '{"case": "x", "score": 3}\nnonsense\n', r"row 2 .*is not JSON"),
        ("a.jsonl", '{"case": "x", "scores": 3}\n', "field 'scores' is not an object"),
        ("a.jsonl", '{"case": "x", "score": true}\n', "field 'score' holds True"),
        ("a.txt", "case,score\n", "neither .csv nor .jsonl"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_row_field_and_fix(
    name: str, text: str, why: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(BadInput, match=why):
        read_labels(tmp_path / name)
    with pytest.raises(BadInput, match="is not a file"):
        read_labels(tmp_path / "none.csv")


def test_what_a_study_exports_is_read_too(tmp_path: Path) -> None:
    rows = [
        {"case_id": "x", "level": "explicit", "model": "mine", "rater": 3, "scores": {"vq": 4, "if": 2}, "seconds": 9},
        {"case_id": "y", "level": "", "model": "mine", "rater": 3, "scores": {"vq": 1}, "excluded": "attention"},
    ]
    path = tmp_path / "votes.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    labels = read_labels(path)
    assert [(one.case, one.variant, one.run, one.rater, one.metric, one.score) for one in labels.entries] == [
        ("x", "explicit", "mine", "3", "vq", 4.0),
        ("x", "explicit", "mine", "3", "if", 2.0),
    ]
    assert labels.excluded == 1
    flat = tmp_path / "votes.csv"
    flat.write_text("case,level,model_a,rater,excluded,score_vq,score_if\nx,,mine,1,,4,2\ny,,mine,1,,3,\n")
    assert [(one.case, one.metric, one.score) for one in read_labels(flat).entries] == [
        ("x", "vq", 4.0),
        ("x", "if", 2.0),
        ("y", "vq", 3.0),
    ]
