"""A folder of judged cases that was stopped is written to the end by the same command, and by no other one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from editscope.errors import BadInput
from editscope.suites import Suite, load_suite
from editscope.suites.generated.whole import UNFINISHED
from editscope.suites.picabench.writing import write_judged

OPTIONS: dict[str, Any] = {"tasks": "fog,remove_object,lamp_off", "per_task": 1, "levels": "explicit", "size": 96}


class _Killed(BaseException):
    """The end of a process."""


def scenes(**other: Any) -> Suite:
    return load_suite("optics", **{**OPTIONS, **other})


def stopped_after(folder: Path, cases: int) -> Path:
    def stop(done: int, total: int) -> None:
        if done == cases:
            raise _Killed

    with pytest.raises(_Killed):
        write_judged(folder, scenes(), stop)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("cases", [1, 2, 3])
def test_the_same_command_finishes_the_folder_with_the_same_bytes(tmp_path: Path, cases: int) -> None:
    assert write_judged(tmp_path / "whole", scenes()) == 3
    begun = stopped_after(tmp_path / "begun", cases)
    (begun / "inputs" / ".0123.png.4242").write_bytes(b"half a pict")
    (begun / ".meta_info.json.4242").write_bytes(b"[")
    with pytest.raises(BadInput, match=r"is unfinished: it has no meta_info\.json yet; run the same"):
        load_suite("picabench", root=begun)
    assert write_judged(begun, scenes()) == 3
    assert contents(begun) == contents(tmp_path / "whole")
    assert not any(name.startswith(".") for name in contents(begun))


def test_what_another_command_began_and_what_is_finished_are_left_alone(tmp_path: Path) -> None:
    begun = stopped_after(tmp_path / "begun", 2)
    before = contents(begun)
    assert UNFINISHED in before
    with pytest.raises(BadInput, match="holds another set"):
        write_judged(begun, scenes(size=112))
    assert contents(begun) == before
    write_judged(begun, scenes())
    done = contents(begun)
    with pytest.raises(BadInput, match="is not empty and does not hold the unfinished cases of this command"):
        write_judged(begun, scenes())
    assert contents(begun) == done
