"""A terminal of eighty columns: no command breaks a word or a number, and no line is wider than the terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len

from editscope.printing import wrapped
from support.command_line import broken_lines, on_terminal, pieces, screen_lines
from support.judged_data import make_picabench
from support.servers.judge_server import KEY, JudgeServer
from support.small_sets import make_small_set

WALK = """
import json, sys
from editscope.cli import main
for arguments in json.loads(sys.argv[1]):
    print("$", json.dumps(arguments), flush=True)
    try:
        main(arguments)
    except SystemExit as done:
        pass
"""

FAILS = """
import editscope as es

class Fails(es.Editor):
    def edit(self, case):
        raise ValueError("the weights of this model were trained with another tokenizer than the one in the folder")
"""


def outputs(lines: list[str]) -> dict[str, list[str]]:
    """What each command printed."""
    found: dict[str, list[str]] = {}
    current = ""
    for line in lines:
        if line.startswith("$ ["):
            current = line
            while current in found:
                current += "+"
        found.setdefault(current, []).append(line)
    return {command: printed[1:] for command, printed in found.items() if command}


def test_lines_are_broken_between_words_and_paths_after_separators() -> None:
    path = "/data/" + "/".join(f"folder-{number}" for number in range(12))
    sentence = "a sentence that goes on for a while, 溶解溶解 and 1,234,567 more"
    shown = wrapped(f"  {sentence} about {path} and {sentence}", 40)
    assert all(cell_len(line) <= 40 for line in shown.split("\n"))
    assert set(shown.split()) <= pieces({path, "about", *sentence.split()})
    assert wrapped("short", 40) == "short"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("walk")
    make_small_set(folder / "set")
    make_picabench(folder / "pica", 4, questions=2)
    (folder / "failing.py").write_text(FAILS)
    yield folder


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_no_command_breaks_a_word_at_eighty_columns(site: Path) -> None:
    small = ["paintbench", "--data", "set", "--jobs", "1"]
    with JudgeServer(keys=[KEY]) as server:
        judged = ["picabench", "--data", "pica", "--editor", "ref:identity", "--judge", server.spec(), "--cache", "off"]

        def commands(where: str) -> list[list[str]]:
            return [
                ["run", *small, "--editor", "ref:drift", "--editor", "ref:noise?strength=2", "--out", where],
                ["run", *small, "--editor", "python:failing:Fails", "--out", f"{where}/failed"],
                ["run", *small, "--editor", "python:failing:Fails", "--out", f"{where}/all", "--keep-going"],
                ["run", *small, "--editor", "ref:drift", "--editor", "ref:noise", "--dry-run"],
                ["run", *judged, "--dry-run"],
                ["run", *judged, "--out", f"{where}/judged"],
                ["run", "paintbnch", "--editor", "ref:drift"],
                ["run", *small, "--editor", "ref:dirft"],
                ["show", f"{where}/ref-drift"],
                ["show", f"{where}/ref-drift", "border/000"],
                ["show", f"{where}/judged"],
                ["show", f"{where}/judged", "0"],
                ["compare", f"{where}/ref-drift", f"{where}/ref-noise-strength-2", "--all-groups"],
                ["resume", f"{where}/ref-drift"],
                ["report", f"{where}/ref-drift", "--out", f"{where}/report.html"],
                ["pack", f"{where}/ref-drift"],
                ["measure", f"{where}/ref-drift", "--measures", "psnr"],
                ["suites"],
                ["suites", "paintbench"],
                ["suites", "picabench"],
                ["editors"],
                ["editors", "diffusers"],
                ["editors", "best_of(4, by=miou):openai:gpt-image-1?quality=high"],
                ["published"],
                ["published", "paintbench"],
                ["published", "picabench"],
                ["prompts", "show", "picabench"],
                ["doctor"],
                *([*name.split(), "--help"] for name in HELPED),
            ]

        written = {}
        for width, where in ((80, "narrow"), (1000, "inwide")):
            text, code = on_terminal(
                ["-c", WALK, json.dumps(commands(where))], site, width, {"OPENAI_API_KEY": KEY, "COLUMNS": str(width)}
            )
            assert code == 0 and "Traceback" not in text, text[-2000:]
            written[width] = outputs(screen_lines(text))
    wrong = []
    for (command, narrow), wide in zip(written[80].items(), written[1000].values(), strict=True):
        renamed = [line.replace("inwide", "narrow") for line in wide]
        wrong += [f"{command}: {what}" for what in broken_lines(narrow, renamed, 80)]
    assert not wrong, "\n".join(wrong[:60])


HELPED = (
    *("", "run", "score", "resume", "rescore", "watch", "show", "report", "compare", "figures", "measure", "pack"),
    *("published", "suites", "generate", "suite", "editors", "serve-editor", "worker", "judge", "prompts", "doctor"),
    "serve-reward",
)
