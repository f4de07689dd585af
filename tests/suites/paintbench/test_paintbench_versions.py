"""Sets of other origin than this generator: version 1 of ours, the authors' own, and sets that name box points."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

import editscope as es
from editscope.errors import BadInput
from editscope.runs import run as execute_run
from editscope.suites.paintbench.suite import PaintBenchSuite
from support.places import DATA

VERSION_1 = DATA / "paintbench_v1"
"""Four problems that version 1 of the generator wrote."""


@pytest.mark.slow
def test_a_set_of_version_1_is_read_and_scored(tmp_path: Path) -> None:
    suite = es.load_suite("paintbench", root=VERSION_1)
    assert [suite.tags(case_id)["task"] for case_id in suite.ids] == ["gradient", "legend", "removal", "rotation"]
    assert suite.notes() == (), "a set of ours turns as it says"
    suite.check()
    for editor, score in (("ref:oracle", 100.0), ("ref:identity", 0.0)):
        done = execute_run(suite, editor, out=tmp_path / editor[4:], jobs=1, progress=False)
        assert done.complete
        assert done.summary["overall"]["miou"]["mean"] == pytest.approx(score, abs=1e-9)


def test_a_made_set_says_its_version_and_is_another_than_that_of_version_1() -> None:
    assert PaintBenchSuite.generator == "2"
    assert es.load_suite("paintbench", tasks="border").fingerprint != VERSION_1.joinpath("set.json").read_text()


def test_the_authors_own_set_says_that_its_rotations_turn_the_other_way(tmp_path: Path) -> None:
    released = Path(shutil.copytree(VERSION_1, tmp_path / "PaintBench"))
    for name in ("set.json", "problems.jsonl"):
        (released / name).unlink()
    assert es.load_suite("paintbench", root=released).notes() == (), "ours without its set.json"
    described = json.loads((released / "rotation" / "000.json").read_text())
    del described["attempt"]
    (released / "rotation" / "000.json").write_text(json.dumps(described))
    (note,) = es.load_suite("paintbench", root=released).notes()
    assert "turn the other way" in note
    shutil.rmtree(released / "rotation")
    assert es.load_suite("paintbench", root=released).notes() == ()


def test_instructions_name_own_points_unless_box_points_are_asked_for() -> None:
    texts = {}
    for points in ("own", "box"):
        suite = es.load_suite("paintbench", tasks="rotation,translation", conditions="baseline", points=points)
        texts[points] = [suite[case_id].instruction for case_id in suite.ids]
        assert ("points" in suite.options) == (points == "box")
    assert not any("bounding-box" in text for text in texts["own"])
    assert sum("bounding-box" in text for text in texts["box"]) >= 4
    assert any(
        re.search(r"(center|tip|corner|vertex|midpoint|point) of (the|its)|its (center|tip)", t) for t in texts["own"]
    )
    with pytest.raises(BadInput, match="option points is 'edge'; choose from own, box"):
        es.load_suite("paintbench", points="edge")


def test_published_numbers_of_rotation_carry_a_remark(capsys: pytest.CaptureFixture[str]) -> None:
    from editscope.cli import main

    with pytest.raises(SystemExit) as end:
        main(["published", "paintbench"])
    assert not end.value.code
    assert "turn the other way than their instructions say" in " ".join(capsys.readouterr().out.split())
