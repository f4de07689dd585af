"""The audit as a user calls it, and its page in a real browser."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from editscope.audit.audit import plan_audit, run_audit
from editscope.report.pages.audit import write_audit
from editscope.suites import load_suite
from support.command_line import Called
from support.judged.audited_judges import Truth, good, lazy, stricter
from support.reports.render_report import PATIENCE_MS
from support.servers.judge_server import KEY, JudgeServer

pytestmark = pytest.mark.slow

ENV = {**os.environ, "OPENAI_API_KEY": KEY}


def test_an_audit_prints_its_figures_and_names_its_page(editscope: Callable[..., Called], tmp_path: Path) -> None:
    out = tmp_path / "here" / "audit"
    with JudgeServer(lazy(Truth(out))) as server:
        arguments = ("judge", "audit", "--judge", server.spec(), "--n", "2", "--cache", "off", "--out", out)
        before = editscope(*arguments, "--dry-run", env=ENV)
        assert "28 calls" in before.stdout and "no calls were made" in before.stdout and server.calls == 0
        done = editscope(*arguments, env=ENV)
        assert server.calls == 28
    assert done.returncode == 0, done.stderr
    assert "rank accuracy" in done.stdout and "50.0 %" in done.stdout and "indifferent" in done.stdout
    assert (out / "audit.html").is_file() and str(out / "audit.html") in done.stdout
    assert KEY not in done.stdout + done.stderr
    assert "\n  asking 28/28" in f"\n{done.stderr}" and "  making edits 2/2" in done.stderr, "lines, as of a run"


def test_drift_is_one_command(editscope: Callable[..., Called], tmp_path: Path) -> None:
    anchor = tmp_path / "here" / "anchor"
    with JudgeServer(good(Truth(anchor))) as server:
        options = ("--suite", "tinygrafix", "--n", "3", "--cache", "off", "--anchor", anchor)
        first = editscope("judge", "audit", "--judge", server.spec(), *options, env=ENV)
        server.script = stricter(Truth(anchor))
        later = editscope("judge", "drift", anchor, "--judge", server.spec(), env=ENV)
    assert (first.returncode, later.returncode) == (0, 0), first.stderr + later.stderr
    assert "has drifted" in later.stdout and "mean change -0.8" in later.stdout


def test_an_audit_that_is_interrupted_keeps_what_was_paid_for_and_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "audit"
    with JudgeServer(good(Truth(out)), latency=0.3) as server:
        options = ("--n", "2", "--cache", "off", "--concurrency", "3", "--quiet", "--out", str(out))
        command = [sys.executable, "-m", "editscope", "judge", "audit", "--judge", server.spec(), *options]
        process = subprocess.Popen(command, env=ENV, stderr=subprocess.PIPE, text=True)
        while server.calls < 4 and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=600)
        assert process.returncode == 3 and "run the same command to continue" in complaint
        assert 4 <= server.calls < 28
        server.latency = 0.0
        assert subprocess.run(command, env=ENV, timeout=600, capture_output=True).returncode == 0
        assert server.calls == 28  # what was in flight was waited for, so nothing was asked twice


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("audit",), "needs a judge"),
        (("audit", "--judge", "openai:gpt-4o?base_url=http://127.0.0.1:9/v1", "--n", "1"), "127.0.0.1:9"),
        (("audit", "--judge", "local:nowhere"), "is not a folder"),
        (("audit", "--judge", "openai:m", "--suite", "paint"), "no suite 'paint'"),
        (("audit", "--judge", "openai:m", "--suite", "picabench"), "--suite paintbench, tinygrafix, optics or mecha"),
        (("drift", "nowhere", "--judge", "openai:m"), "cannot be read"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    editscope: Callable[..., Called], arguments: tuple[str, ...], said: str
) -> None:
    done = editscope("judge", *arguments, env=ENV)
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_cell_of_the_matrix_shows_its_exhibits(
    browser: Browser, make_set: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    suite = load_suite("paintbench", root=make_set(tmp_path / "set"))
    with JudgeServer(good(Truth(tmp_path / "audit"))) as server:
        audit = run_audit(plan_audit([server.spec()], suite=suite, n=6, out=tmp_path / "audit"))
    address = write_audit(audit).resolve().as_uri()
    page = browser.new_page()
    page.set_default_timeout(PATIENCE_MS)
    heard: list[str] = []
    page.on("console", lambda message: heard.append(message.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("request", lambda request: heard.append(request.url))
    page.goto(address)
    visible = page.locator(".problem:visible")
    assert visible.count() == 6
    cell = page.locator('[data-cell="0-none-1"]')
    assert cell.inner_text() == "12"
    cell.click()
    assert visible.count() == 6 and "no edit, score 1" in page.locator(".chosen-note").inner_text()
    page.get_by_text("show all").click()
    assert not page.locator(".chosen-note").is_visible()
    page.locator(".theme").click()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.close()
    assert [said for said in heard if said != address and not said.startswith("data:")] == []
