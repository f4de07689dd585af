"""Terminals: no text of a model, a server, a file name or a data file can steer one, whichever command prints it."""

from __future__ import annotations

import ast
import json
import os
import re
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import editscope as es
from editscope import printing
from editscope.cases import Edit
from editscope.editors import Editor, Request
from editscope.printing import plain
from support.foreign_suite import MANIFEST, PROMPT
from support.judged_data_more import make_own
from support.nasty_strings import NASTY, STEERING
from support.servers.judge_server import Asked, JudgeServer, Reply

SOURCE = Path(es.__file__).parent
MOUTH = {"printing.py", "editors/worker/skeleton.py"}
"""Who may print: the one module for it, and a file that is copied to where Editscope is not."""

EVIL = "\x1b[31;7;5mE\x1b]0;PWNED\x07V\x9b31;7mI\u202eL\u2066\u200f\u061c\x00\x08\x1bc\r[bold]x[/nope]"
EVIL_ID = "c\x9b31;7m\u202e[red]"
"""What an id can hold: no C0, which the suite refuses."""


PRINTING = re.compile(r"\b(Console|print|echo|secho|print_exc|print_exception)\(")


def test_nobody_prints_but_the_one_module() -> None:
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if path.relative_to(SOURCE).as_posix() in MOUTH or not PRINTING.search(text):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call):
                plain_name = isinstance(node.func, ast.Name)
                said = ast.unparse(node.func).rpartition(".")[2] + "("
                if PRINTING.fullmatch(said) and (plain_name or said != "print("):  # console.print is ours
                    found.append(f"{path.relative_to(SOURCE)}:{node.lineno}")
    assert not found


def test_nobody_writes_to_the_streams_but_the_one_module() -> None:
    found = [
        f"{path.relative_to(SOURCE)}: {match[0]}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).as_posix() not in MOUTH
        for match in re.finditer(r"std(?:out|err)\.(?:write|buffer)|writer\(sys\.std|file=sys\.std", path.read_text())
    ]
    assert not found


def test_plain_text_steers_nothing_and_keeps_what_can_be_read() -> None:
    for text in NASTY:
        made = plain(text)
        assert not STEERING & set(made)
        made.encode()
    for text in ("溶解 · naïve — 1,234 ± 5 %", "👩‍👩‍👧‍👦", "a\tb\nc", "[bold]x[/bold]"):
        assert plain(text) == text


def test_json_on_the_screen_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    printing.say_json({"id": EVIL, "more": ["\u202e", "ü"]})
    said = capsys.readouterr().out
    assert json.loads(said) == {"id": EVIL, "more": ["\u202e", "ü"]}
    assert not STEERING & set(said) and "ü" in said


class Evil(Editor):
    """Says what would take over a terminal."""

    name = f"evil {EVIL}"

    def edit(self, case: Request) -> Edit:
        number = int(case.instruction.split("#")[1].split()[0])
        if number == 2:
            raise ValueError(EVIL)
        said: dict[str, Any] = {"reason": EVIL, "trace": EVIL, "asked": EVIL, "model": EVIL, "notes": (EVIL,)}
        return Edit(case.case_id, image=255 - case.arrays[0], status="refused" if number == 1 else "ok", **said)


def verdict(asked: Asked) -> Reply:
    return Reply({"reason": EVIL, "score": 1 + asked.number % 5}, snapshot=EVIL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Two runs of a suite whose ids and tags are evil, edits in files with evil names, and a suite that is refused."""
    root = tmp_path_factory.mktemp("terminal")
    cases = [
        {
            "id": f"{EVIL_ID}{n}",
            "image": f"images/{n}.png",
            "instruction": f"Write #{n} {EVIL}".replace("\x00", ""),
            "tags": {"kind": f"k{n % 2} {EVIL}".replace("\x00", "")},
        }
        for n in range(4)
    ]
    suite = make_own(root / "suite", MANIFEST, cases, {"legible.txt": PROMPT})
    refused = make_own(
        root / "refused", MANIFEST, [{**cases[0], "id": "a", "image": f"images/{EVIL_ID}.png"}], {"legible.txt": PROMPT}
    )
    (refused / "images" / f"{EVIL_ID}.png").write_bytes(b"no picture")
    (root / "outputs").mkdir()
    for name in (EVIL_ID, "odd\x1b]0;PWNED\x07", "odd\x1b[31;7;5m"):
        (root / "outputs" / f"{name}.png").write_bytes(b"no picture")
    with pytest.MonkeyPatch.context() as patch, JudgeServer(verdict) as server:
        patch.setenv("OPENAI_API_KEY", "key-of-this-test-file")
        for name in ("a", "b"):
            es.run(
                es.load_suite(str(suite)),
                Evil(),
                judge=server.spec(),
                out=root / name,
                progress=False,
                jobs=1,
                cache="off",
            )
    yield root


COMMANDS = """
import json, sys
from editscope.cli import main
for arguments in json.loads(sys.argv[1]):
    print("$", ascii(arguments), flush=True)
    try:
        main(arguments)
    except SystemExit as done:
        print("exit", done.code, flush=True)
import editscope as es
es.open_run("a").cases().worst(4).show()
print(repr(es.compare("a", "b").table()))
"""


def on_a_terminal(script: str, arguments: list[str], cwd: Path) -> str:
    """All that a Python process writes to a terminal of its own."""
    import pty
    import subprocess

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=cwd,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "160"},
    )
    os.close(theirs)
    said = bytearray()

    def read() -> None:
        try:
            while piece := os.read(ours, 1 << 16):
                said.extend(piece)
        except OSError:  # the other end is closed
            pass

    reader = threading.Thread(target=read)
    reader.start()
    process.wait(600)
    reader.join(30)
    os.close(ours)
    return said.decode("utf-8", "strict")


OURS = re.compile(r"\x1b\[[0-9;]*m|\x1b\[\?25[lh]|\x1b\[[0-9]*[AKG]|\r")
"""What Rich and our own progress lines send: colors, hiding the cursor, going up, clearing a line."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_no_command_lets_a_foreign_text_steer_the_terminal(folder: Path) -> None:
    case = f"{EVIL_ID}0"
    commands = [
        ["show", "a"],
        *(["show", "a", f"{EVIL_ID}{number}"] for number in range(4)),
        ["show", "a", f"{EVIL_ID}99"],
        ["show", EVIL.replace("\x00", "")],
        ["compare", "a", "b", "--cases", "4"],
        ["compare", "a", "b", "--csv"],
        ["report", "a", "b", "--out", "report.html"],
        ["report", "a", "--out", "report.md"],
        ["resume", "a"],
        ["suite", "check", "suite"],
        ["suite", "check", "refused"],
        [
            "run",
            "suite",
            "--editor",
            "folder:outputs",
            "--judge",
            "openai:gpt-4o?base_url=http://127.0.0.1:9/v1",
            "--dry-run",
        ],
        ["run", "suite", "--editor", "folder:outputs", "--where", f"kind={case}"],
        ["editors", f"worker:python {EVIL_ID}.py?name={EVIL_ID}"],
        ["editors", f"worker:python {EVIL_ID}.py", "--json"],
        ["pack", "a"],
        ["published", EVIL_ID],
        ["measure", "a"],
        ["suites"],
        ["doctor"],
    ]
    said = on_a_terminal(COMMANDS, [json.dumps(commands)], folder)
    assert said.count("$ ") >= len(commands) and "Traceback" not in said
    assert "\x1b]" not in said and "\x1b[31;7" not in said  # which OURS would take for one of ours
    left = OURS.sub("", said.replace("\r\n", "\n"))
    found = sorted({ascii(sign) for sign in STEERING & set(left)})
    assert not found, [left[max(0, left.index(sign) - 80) : left.index(sign) + 20] for sign in STEERING & set(left)][:3]


@pytest.mark.slow
def test_markup_from_outside_is_shown_as_it_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from editscope.cli import main

    with pytest.raises(SystemExit):
        main(["show", str(folder / "a"), f"{EVIL_ID}0"])
    assert "[bold]x[/nope]" in capsys.readouterr().out
