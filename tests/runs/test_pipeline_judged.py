"""Cases with several edits, in a run with a judge: made at once, in a batch, and where one of them kills its worker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import editscope as es
from editscope.runfolder.journal import read_journal
from support.judged_data import make_picabench
from support.servers.judge_server import KEY, Asked, JudgeServer, Outcome

pytestmark = pytest.mark.slow

EDITOR = '''
import os
import editscope as es

class Levels(es.Editor):
    """Paints by level; dies where it is told to."""

    def __init__(self, at_once=1, batch=1, dies=""):
        self.at_once, self.batch, self.dies = at_once, batch, dies
    def edit(self, case):
        if f"{case.case_id}@{case.variant}" == self.dies:
            os._exit(9)
        pixels = case.arrays[0]
        pixels[: 5 + case.seed % 20] = len(case.variant)  # on its own input, which no other edit may see
        return pixels
'''
LEVELS = ("superficial", "intermediate", "explicit")


def yes(asked: Asked) -> Outcome:
    return {"answer": "Yes", "reason": "it is"}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[JudgeServer]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with JudgeServer(yes, keys=[KEY]) as found:
        yield found


class Site:
    def __init__(self, folder: Path, server: JudgeServer) -> None:
        self.folder, self.server = folder, server
        (folder / "by_level.py").write_text(EDITOR)
        self.suite = es.load_suite("picabench", root=make_picabench(folder / "data", 6, hub=True), levels=LEVELS)

    def run(self, out: str, spec: str) -> es.Run:
        settings: dict[str, Any] = {"judge": self.server.spec(), "cache": "off", "jobs": 1, "progress": False}
        return es.run(self.suite, f"python:by_level:Levels?{spec}", out=self.folder / out, **settings)


def lines(run: es.Run, step: str) -> list[tuple[str, str, str]]:
    return [(line["case"], line["variant"], line["status"]) for line in read_journal(run.path) if line["step"] == step]


def test_all_edits_of_a_case_are_made_and_judged_once_however_they_are_made(
    tmp_path: Path, server: JudgeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    site = Site(tmp_path, server)
    alone = site.run("alone", "at_once=1")
    together = site.run("together", "at_once=2&batch=2")
    for run in (alone, together):
        edits = Counter((case, variant) for case, variant, _ in lines(run, "edit"))
        assert len(edits) == 18
        assert set(edits.values()) == {1}
        assert run.coverage == {"ok": 18}
    pictures = [
        {path.name: path.read_bytes() for path in (run.path / "images").rglob("*.png")} for run in (alone, together)
    ]
    assert pictures[0] == pictures[1]
    assert alone.summary["overall"] == together.summary["overall"]

    killed = site.run("killed", "at_once=2&batch=2&dies=00003@intermediate")
    statuses = {(case, variant): status for case, variant, status in lines(killed, "edit")}
    assert len(statuses) == 18
    assert [step for step, status in statuses.items() if status != "ok"] == [("00003", "intermediate")]
