"""Small real runs of the judged suites against the judge on loopback, for the tests of their report."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from editscope.editors import Editor, Request
from editscope.images import load
from editscope.results import Run
from editscope.runs import run as execute_run
from editscope.suites import Suite, load_suite
from support.judged_data import make_picabench, make_wiseedit, make_worldedit
from support.judged_data_more import make_inedit, make_kris, make_rise
from support.servers.judge_server import KEY, Asked, JudgeServer, Outcome, Reply

NASTY = "</script><script>document.title='broken'</script> <b>bold</b> & \u2028 “quoted”"
"""A reason as no judge should write it, and some will."""
SNAPSHOT = "gpt-4o-2024-11-20"


def number_of(asked: Asked) -> int:
    """A number that depends on nothing but what was asked."""
    digest = sha256(asked.text.encode())
    for picture in asked.pictures:
        digest.update(picture)
    return int.from_bytes(digest.digest()[:4], "big")


def mixed(asked: Asked) -> Outcome:
    """A value of each field's scale by what was asked; one in nine refuses, and every reason is nasty."""
    number = number_of(asked)
    if number % 9 == 4:
        return Reply(refusal="I cannot judge this picture.", snapshot=SNAPSHOT)
    properties: Mapping[str, Any] = (asked.schema or {})["properties"]
    return Reply({name: _value(shape, number) for name, shape in properties.items()}, snapshot=SNAPSHOT)


def uneven(asked: Asked) -> Outcome:
    """The lowest and the highest value by turns, so that two samples of a call seldom agree."""
    properties: Mapping[str, Any] = (asked.schema or {})["properties"]
    end = -(asked.number % 2)
    return {name: shape["enum"][end] if "enum" in shape else "so it seems" for name, shape in properties.items()}


def _value(shape: Mapping[str, Any], number: int) -> Any:
    if "enum" in shape:
        return shape["enum"][number // 9 % len(shape["enum"])]
    return f"{NASTY} ({number})"


def suite_of(name: str, folder: Path) -> Suite:
    """A made set of one of the judged suites."""
    match name:
        case "picabench":
            make_picabench(folder, 8, hub=True, by_category=True)
            return load_suite(name, root=folder, levels="superficial,explicit")
        case "worldedit":
            return load_suite(name, root=make_worldedit(folder, 22), forms="implicit,paraphrase")
        case "wiseedit" | "wiseedit-complex":
            return load_suite(name, root=make_wiseedit(folder, tags=True))
        case "inedit":
            return load_suite(name, root=make_inedit(folder))
        case "kris":
            return load_suite(name, root=make_kris(folder, 1))
    return load_suite("rise", root=make_rise(folder))


class Darker(Editor):
    """Makes every picture half as bright, and nothing of a case whose instruction speaks of thing 3."""

    name = "darker"

    def edit(self, case: Request) -> Any:
        """The first input, darker."""
        return None if "thing 3" in case.instruction else load(case.images[0]) // 2


def judged_run(
    suite: Suite, out: Path, editor: str | Editor = "ref:identity", script: Any = mixed, **options: Any
) -> Run:
    """A run of a suite, judged by a server that lives as long as it takes."""
    with JudgeServer(script) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", KEY)
        judge = options.pop("judge", None) or server.spec()
        return execute_run(suite, editor, judge, out, jobs=1, progress=False, cache="off", **options)


_MADE: dict[str, Run] = {}


def made_run(factory: pytest.TempPathFactory, name: str) -> Run:
    """A run of a suite that all tests of a session share."""
    if name not in _MADE:
        root = factory.mktemp(name)
        _MADE[name] = judged_run(suite_of(name, root / "data"), root / name, Darker())
    return _MADE[name]


def rows_of(run: Run, **tags: str) -> list[dict[str, Any]]:
    """Every number of a run with the tags of its case and its own, as the journal has them."""
    found = []
    for record in run.records():
        for row in record.rows:
            own = {**record.tags, **row.get("tags", {})}
            if all(own.get(tag) == value for tag, value in tags.items()):
                found.append({**row, "case": record.case_id, "variant": record.variant, "own": own})
    return found
