"""The whole HTTP API under Schemathesis: no answer is a failure of the studio, whatever is asked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from drills.counts import FULL, SEED, times
from editscope.studio.app import create_app
from editscope.studio.parts import PARTS
from editscope.studio.settings import DATABASE_VARIABLE, Settings
from support.studio.api_fuzz import fuzzed
from support.studio.api_schema import with_filters, with_known_values
from support.studio.postgres import database_of, installed
from support.studio.studio_server import StudioProcess
from support.studio.whole_studio import WholeStudio, whole_studio

STRICTER = "postgresql" if installed() else "sqlite"


@contextmanager
def served(folder: Path, kind: str) -> Iterator[tuple[WholeStudio, str]]:
    """A studio with something in every part and its address; afterwards, no line of its log is about a failure."""
    with database_of(kind) as database:
        made = whole_studio(folder, database)
        process = StudioProcess(folder, env={**os.environ, DATABASE_VARIABLE: database})
        try:
            yield made, process.address
        finally:
            process.stop()
        log = "".join(process.said)
        assert "Traceback" not in log and "Errno" not in log and "ERROR" not in log, log[:4000]


def test_the_schema_has_every_route_but_those_of_style_and_scripts(tmp_path: Path) -> None:
    described = create_app(Settings(tmp_path)).openapi()["paths"]
    for part in PARTS:
        for route in part.router.routes:
            path = str(route.path).replace(":path}", "}")  # type: ignore[attr-defined]
            assert path in described or path.startswith("/static/"), path


@pytest.mark.slow
@pytest.mark.drill
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_no_request_makes_the_studio_fail(kind: str, tmp_path: Path) -> None:
    with served(tmp_path, kind) as (made, address):
        document = with_filters(create_app(Settings(tmp_path)).openapi())
        known = with_known_values(document, made, address)
        accepted, wrong, answers = set(), [], 0
        # Ids that exist first: what is sent to random ones seldom meets anything. The edges of every field take
        # longest, so that `make test` tries them on the stricter database only.
        edges = ("coverage",) if FULL or kind == STRICTER else ()
        rounds = [(known, ("examples", *edges, "fuzzing"))]
        if FULL or kind != STRICTER:
            rounds.append((document, (*edges, "fuzzing")))
        for which, phases in rounds:
            for answer in fuzzed(which, address, times(4, 60), SEED, phases):
                answers += 1
                if answer.wrong:
                    wrong.append(str(answer))
                if answer.status < 400 and (answer.phase == "examples" or "{" not in answer.operation):
                    accepted.add(answer.operation)
        assert not wrong, "\n".join([f"{len(wrong)} of {answers} answers", *wrong[:20]])
        paths = document["paths"].items()
        everything = {f"{method.upper()} {path}" for path, operations in paths for method in operations}
        assert accepted == everything, everything - accepted
