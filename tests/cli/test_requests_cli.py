"""`prompts show --request` and `run --dry-run` show one whole request, in the terminal and as a page."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from editscope.cli import main
from editscope.images import write_png
from editscope.judges import Call, Field, Picture, Schema
from editscope.judges.prompts.packs import load_pack, pack_names
from editscope.judges.request_text import request_text
from editscope.outside import keep_secret
from editscope.report.pages.requests import requests_page
from editscope.runs.judging.sample_requests import scene_call
from editscope.suites.own.start import start

pytestmark = pytest.mark.slow

KEY = "sk-a-key-that-no-page-may-hold-0123456789"
MIDDLE = "Done: {instruction}? Original: [[source]] Edited: [[edit]] Say Yes or No."


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `editscope …`."""
    code = 0
    try:
        main(list(arguments))
    except SystemExit as end:
        code = int(end.code or 0)
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.fixture
def signs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A benchmark with a prompt whose pictures are in the middle of a line; there is a key."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("EDITSCOPE_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    folder = start(tmp_path / "signs")
    (folder / "middle.txt").write_text(MIDDLE, encoding="utf-8")
    manifest = (folder / "suite.toml").read_text(encoding="utf-8")
    metric = '[[metrics]]\nname = "middle"\nprompt = "middle.txt"\nreply = "yes/no"\n\n[[metrics]]\n'
    (folder / "suite.toml").write_text(manifest.replace("[[metrics]]\n", metric, 1), encoding="utf-8")
    return folder


def between_rules(out: str) -> list[str]:
    """The paragraphs of the request that was printed."""
    return out.split("─" * 72)[1].strip().split("\n\n")


def test_every_prompt_that_ships_can_be_seen_as_a_request(capsys: pytest.CaptureFixture[str]) -> None:
    for prompt in (load_pack(suite)[name] for suite in pack_names() for name in load_pack(suite).names):
        text = request_text(scene_call(prompt), {})
        assert text.count(" kB JPEG]") == len(prompt.pictures)
        assert "[[" not in text
    code, out, _ = call(capsys, "prompts", "show", "audit", "fidelity", "--request")
    assert (code, f"prompt fidelity {load_pack('audit')['fidelity'].hash}" in out) == (0, True)


def test_a_request_of_your_own_benchmark_shows_each_picture_in_its_place(
    capsys: pytest.CaptureFixture[str], signs: Path
) -> None:
    code, out, _ = call(capsys, "prompts", "show", str(signs), "middle", "--request", "--case", "removal-2")
    assert code == 0
    assert between_rules(out) == [
        "Done: Take the blue square away.? Original:",
        "[source 256×256, 5 kB JPEG]",
        "Edited:",
        "[edit 256×256, 5 kB JPEG]",
        "Say Yes or No.",
    ]
    assert "reply: answer, Yes or No; reason, a text" in out
    write_png("wide.png", np.zeros((10, 30, 3), np.uint8))
    code, out, _ = call(capsys, "prompts", "show", str(signs), "middle", "--request", "--edit", "wide.png")
    assert "[edit 30×10, 1 kB JPEG]" in out


def test_a_dry_run_shows_the_first_request_as_it_would_be_sent(capsys: pytest.CaptureFixture[str], signs: Path) -> None:
    arguments = ("run", str(signs), "--editor", "ref:identity", "--judge", "openai:gpt-4o?detail=low", "--dry-run")
    code, out, _ = call(capsys, *arguments)
    assert code == 0
    assert "request about case color-1 (its input stands in for the edit)" in out
    assert "POST https://api.openai.com/v1/chat/completions · model gpt-4o · temperature 0.0 · detail low" in out
    form = next(line for line in out.splitlines() if line.startswith("response_format "))
    assert json.loads(form.removeprefix("response_format "))["json_schema"]["strict"] is True
    assert between_rules(out)[1::2] == ["[source 256×256, 5 kB JPEG]", "[edit 256×256, 5 kB JPEG]"]
    assert "2 more requests about case color-1" in out
    assert KEY not in out
    code, out, _ = call(capsys, *arguments, "--html", "page.html")
    assert "3 requests about case color-1 (its input stands in for the edit): page.html" in out
    page = Path("page.html").read_text(encoding="utf-8")
    assert page.count('<img src="data:image/webp;base64,') == 6
    assert page.index("Original:") < page.index("source 256×256") < page.index("Edited:") < page.index("edit 256×256")
    assert not Path("runs").exists()


def test_a_dry_run_that_is_quiet_shows_no_request(capsys: pytest.CaptureFixture[str], signs: Path) -> None:
    out = call(capsys, "run", str(signs), "-e", "ref:identity", "--judge", "openai:gpt-4o", "--dry-run", "-q")[1]
    assert "Original:" not in out
    assert "nothing was done" in out


def test_outside_text_on_the_page_is_only_text() -> None:
    keep_secret(KEY)
    nasty = f"</pre><script>alert(1)</script><img src=x onerror=alert(1)> \x1b[31m \u202e {KEY} \"'&"
    asked = Call("k", (nasty, Picture(b"no picture")), Schema((Field("score", "integer", 1, 5),)), prompt=nasty)
    page = requests_page(nasty, [(asked, {"model": nasty, "tools": [nasty]})])
    assert page.count("<script>") == 1
    assert "onerror=alert(1)&gt;" in page
    assert "<img" not in page
    assert not {"\x1b", "\u202e"} & set(page)
    assert KEY not in page


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (MIDDLE.replace("source", "sorce"), "line 1 has a place [[sorce]] for a picture"),
        (MIDDLE.replace("[[edit]]", "the edit"), "shows other pictures and never [[edit]], which it must show"),
        (MIDDLE.replace("instruction", "instrution"), "line 1: {instrution} is never filled"),
    ],
)
def test_a_prompt_that_would_drop_something_is_refused_by_check_run_and_show(
    capsys: pytest.CaptureFixture[str], signs: Path, text: str, said: str
) -> None:
    (signs / "middle.txt").write_text(text, encoding="utf-8")
    run = ("run", str(signs), "--editor", "ref:identity", "--judge", "openai:gpt-4o")
    for arguments in (("suite", "check", str(signs)), run, (*run, "--dry-run"), (*run, "--limit", "1")):
        code, _, err = call(capsys, *arguments)
        assert code == 2
        assert said in err
        assert str(signs / "middle.txt") in err
        assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("prompts", "show", "kris", "quality", "--request", "--case", "1"), "need the data that the case is in"),
        (("prompts", "show", "signs", "middle", "--request", "--case", "nope"), "has no case 'nope'"),
        (("prompts", "show", "signs", "mddle", "--request"), "did you mean 'middle'?"),
        (("prompts", "show", "signs", "middle", "--html", "signs/suite.toml/x.html"), "cannot write"),
        (("run", "signs", "-e", "ref:identity", "--judge", "openai:x", "--html", "x.html"), "--judge and --dry-run"),
        (("run", "paintbench", "-e", "ref:identity", "--dry-run", "--html", "x.html"), "--judge and --dry-run"),
    ],
)
def test_bad_input_is_said_in_one_sentence(
    capsys: pytest.CaptureFixture[str], signs: Path, arguments: tuple[str, ...], said: str
) -> None:
    code, _, err = call(capsys, *arguments)
    assert code == 2
    assert said in err
    assert len(err.splitlines()) == 1
