"""What an editor may spend, how long it may take, on which GPU it runs, and what is made again."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

import editscope as es
from editscope.editors.base import EditLimits
from editscope.errors import BadInput, Stopped
from editscope.runfolder.journal import read_journal
from editscope.runs.edit_limits import checked_limits

pytestmark = pytest.mark.slow

Cli = Callable[..., "CompletedProcess[str]"]

EDITOR = '''
import os, time
import editscope as es
from editscope.cases import Edit
from editscope.errors import BadInput

class Priced(es.Editor):
    """Costs 40 cents an edit."""

    def __init__(self, price=0.4, key=True, slow=0.0):
        self.price, self.key, self.slow = price, key, slow
        self.own_clock = slow > 0
    def limit(self, limits):
        self.limits = limits
    def check(self):
        if not self.key:
            raise BadInput("the editor needs a key; put it into the variable PRICED_KEY")
    def estimate(self, edits, images=1):
        return None if self.price < 0 else self.price * edits * images
    def edit(self, case):
        time.sleep(self.slow)
        said = f"{self.limits.max_cost} {self.limits.max_calls} {self.limits.timeout_s}"
        if case.case_id == os.environ.get("DIES_AT") and not os.path.exists("died"):
            open("died", "w").close()
            os._exit(5)
        return Edit(case.case_id, image=case.arrays[0], cost_usd=self.price, trace=said)

class Moody(es.Editor):
    """Raises, refuses and returns nothing, unless it is in a good mood."""

    def edit(self, case):
        kind = case.case_id.split("/")[0]
        if os.environ.get("MOOD") != "good" and case.case_id.endswith("/001"):
            if kind == "border":
                raise ValueError("not now")
            if kind == "recolor":
                return Edit(case.case_id, status="refused", reason="never")
            if kind == "removal":
                return None
        return case.arrays[0]

class OnGpu(es.Editor):
    """Says which device it sees, and waits for another that sees another one."""

    gpu, workers = True, 4

    def edit(self, case):
        device, until = os.environ["CUDA_VISIBLE_DEVICES"], time.monotonic() + 600
        open(f"device-{device}", "w").close()
        while len([name for name in os.listdir() if name.startswith("device-")]) < 2 and time.monotonic() < until:
            time.sleep(0.01)
        return Edit(case.case_id, image=case.arrays[0], trace=device)
'''


@pytest.fixture
def here(tmp_path: Path, small_set: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module with editors, where runs are started."""
    name = f"priced_{abs(hash(tmp_path))}"
    (tmp_path / f"{name}.py").write_text(EDITOR)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


def run(spec: str, out: str = "run", **more: Any) -> es.Run:
    return es.run(es.load_suite("paintbench", root="set"), f"python:{spec}", out=out, jobs=1, progress=False, **more)


def edits(out: str = "run") -> list[dict[str, Any]]:
    return [line for line in read_journal(Path(out)) if line["step"] == "edit"]


def test_a_run_stops_after_so_many_edits_and_goes_on_with_more(here: str, editscope: Cli) -> None:
    with pytest.raises(Stopped, match=r"the 5 edits of --max-edits are made; .* editscope resume run --max-edits N$"):
        run(f"{here}:Priced", edit_limits=EditLimits(max_calls=5))
    assert len(edits()) == 5
    settings = json.loads(Path("run/run.json").read_text())["settings"]
    assert settings["edit_limits"] == {"max_calls": 5}
    called = editscope("resume", Path("run").resolve(), "--max-edits", "100", "-q", "--yes")
    assert called.returncode == 0, called.stderr
    assert sorted(Counter(line["case"] for line in edits()).values()) == [1] * 12


def test_a_run_stops_when_its_edits_have_cost_enough(here: str) -> None:
    with pytest.raises(
        Stopped, match=r"the edits have cost \$1\.20 of \$1\.00; .* editscope resume run --max-edit-cost N"
    ):
        run(f"{here}:Priced", edit_limits=EditLimits(max_cost=1.0))
    assert len(edits()) == 3


def test_a_worker_that_starts_again_gets_what_is_left_of_the_money(here: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = es.load_suite("paintbench", root="set").ids
    monkeypatch.setenv("DIES_AT", ids[4])
    done = run(f"{here}:Priced", edit_limits=EditLimits(max_cost=100.0, max_calls=50), timeout=60)
    told = {line["case"]: line["trace"] for line in edits()}
    assert told[ids[0]] == "100.0 50 60"
    assert told[ids[4]] is None
    assert done.coverage == {"ok": 11, "error": 1}
    cost, calls, _ = told[ids[11]].split()
    assert (round(float(cost), 6), int(calls)) == (98.4, 45), "four were paid for, and the fifth was asked for"


def test_an_editor_with_a_clock_of_its_own_is_told_the_time_and_not_killed(here: str) -> None:
    done = run(f"{here}:Priced?slow=0.4", timeout=0.1, limit=2)
    assert done.coverage == {"ok": 2}
    assert edits()[0]["trace"].endswith(" 0.1")


def test_a_missing_key_is_said_before_there_is_a_folder(here: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="PRICED_KEY"):
        run(f"{here}:Priced?key=false")
    assert not (tmp_path / "run").exists()


def test_a_finished_run_needs_no_key(here: str) -> None:
    run(f"{here}:Priced", limit=2)
    module = Path(f"{here}.py")
    module.write_text(module.read_text().replace("if not self.key", "if True"))
    assert es.open_run("run").complete
    from editscope.runs import resume

    assert resume("run", progress=False).complete


@pytest.mark.parametrize(
    ("price", "said"), [("0.4", "Priced: 12 edits, $4.80"), ("-1", "Priced: 12 edits, price unknown (it gives none)")]
)
def test_a_dry_run_says_what_the_edits_will_cost(here: str, tmp_path: Path, capsys: Any, price: str, said: str) -> None:
    from editscope.cli import main

    spec = f"python:{here}:Priced?price={price}"
    with pytest.raises(SystemExit):
        main(["run", "paintbench", "--data", "set", "-e", spec, "--out", "run", "--dry-run"])
    assert said in capsys.readouterr().out
    assert not (tmp_path / "run").exists()


def test_edits_that_failed_are_made_again_on_request_and_scored_again(
    here: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from editscope.runs import resume

    first = run(f"{here}:Moody")
    assert first.coverage == {"ok": 9, "error": 1, "refused": 1, "no_output": 1}
    monkeypatch.setenv("MOOD", "good")
    assert resume("run", progress=False).coverage == first.coverage, "not unless somebody asks for it"
    again = resume("run", progress=False, edit_again=("error",), jobs=1)
    assert again.coverage == {"ok": 10, "refused": 1, "no_output": 1}
    assert len(edits()) == 13
    everything = resume("run", progress=False, edit_again=("error", "refused", "no_output"), jobs=1)
    assert everything.coverage == {"ok": 12}
    assert everything.case("recolor/001").metrics["preservation_accuracy"] == 1


def test_each_worker_sees_a_gpu_of_its_own(here: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("editscope.editors.gpus._cards", lambda: 8)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,5")
    run(f"{here}:OnGpu")
    assert {line["trace"] for line in edits()} == {"3", "5"}, "two GPUs, so two of the four workers that it allows"
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "3,5"


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"concurrency": 0}, "--edit-concurrency is 0; write 1 or more"),
        ({"max_cost": -1.0}, "--max-edit-cost is -1.0"),
        ({"rpm": 0.0}, "--edit-rpm is 0"),
        ({"max_calls": -2}, "--max-edits is -2"),
        ({"retries": -1}, "--edit-retries is -1"),
    ],
)
def test_a_limit_that_is_none_is_refused(limits: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        checked_limits(EditLimits(**limits))


def test_an_engine_that_does_not_exist_is_named_with_the_nearest(here: str) -> None:
    with pytest.raises(BadInput, match="did you mean 'local'"):
        run(f"{here}:Priced", engine="locale")
