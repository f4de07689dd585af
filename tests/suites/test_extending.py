"""What docs/extending.md prints runs as printed, and a suite of another package can do all that ours can."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import sleep

import pytest

import editscope as es
from editscope.suites.own.start import start
from support import extending_page as page
from support.command_line import Called

pytestmark = pytest.mark.slow

SQUARES = "python:my_suite:SQUARES"
WAITING_JUDGE = '''
import asyncio
from pathlib import Path
from my_judge import ColorJudge


class Waiting(ColorJudge):
    """Answers three calls; the rest wait until there is a file ``go``."""

    concurrency, answered = 4, 0

    async def ask(self, call, sample=0):
        while self.answered >= 3 and not Path("go").exists():
            await asyncio.sleep(0.05)
        self.answered += 1
        return await super().ask(call, sample)
'''


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of the page, in which its commands are run one after the other."""
    return page.write_files(tmp_path_factory.mktemp("here"))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of the page, as an installer leaves it."""
    return page.install_package(tmp_path_factory.mktemp("site"))


def call(folder: Path, arguments: Sequence[str | Path], site: Path | None = None) -> Called:
    """The command line in a folder, with the package of the page where ``site`` is given."""
    command = [sys.executable, "-m", "editscope", *map(str, arguments)]
    return subprocess.run(
        command, cwd=folder, env=_environment(folder, site), capture_output=True, text=True, timeout=600
    )


def _environment(folder: Path, site: Path | None) -> dict[str, str]:
    path = {} if site is None else {"PYTHONPATH": str(site)}
    return {**os.environ, "EDITSCOPE_CACHE": str(folder / "cache"), **path}


def run_section(section: str, folder: Path, site: Path | None = None) -> str:
    """Run the commands of a section; what they print, one after the other."""
    printed = ""
    for arguments in page.commands(section):
        done = call(folder, arguments, site)
        assert done.returncode == 0, f"editscope {' '.join(arguments)}: {done.stderr}"
        printed += done.stdout
    return printed


@pytest.fixture(scope="module")
def printed(here: Path) -> dict[str, str]:
    """What the commands of each section print."""
    return {section: run_section(section, here) for section in ("A suite", "A judge", "An editor", "A metric")}


@pytest.fixture(scope="module")
def packaged(here: Path, site: Path) -> str:
    """What the commands print that name the parts of an installed package."""
    return run_section(page.PACKAGE, here, site)


def summary(run: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((run / "summary.json").read_text())
    return found


def overall(run: Path) -> float:
    return float(es.open_run(run).summary["overall"]["color"]["mean"])


def test_the_page_has_four_examples_that_are_short() -> None:
    files = page.files()
    assert {"my_suite.py", "my_judge.py", "my_editor.py", "my_metric.py", "prompts/color.txt"} <= set(files)
    assert max(text.count("\n") for text in files.values()) <= 90


@pytest.mark.drill(only=True)
def test_the_examples_run_as_files(printed: dict[str, str], here: Path) -> None:
    assert "--colors" in printed["A suite"] and "--tone" in printed["A suite"] and "1 prompt ·" in printed["A suite"]
    assert overall(here / "runs" / "perfect") == 100.0
    assert summary(here / "runs" / "dark")["n_cases"] == 4
    assert "Vividness (levels)" in printed["A metric"]
    html = (here / "report.html").read_text()
    assert all(text in html for text in ("Color by size", "python:my_judge:ColorJudge", "Painter, dark", "Vividness"))


def test_the_examples_run_as_a_package_and_show_in_the_report(packaged: str, here: Path) -> None:
    assert "Color squares (colors)" in packaged and "Brush One" in packaged and "Vividness (levels)" in packaged
    html, tables = (here / "package.html").read_text(), (here / "tables.tex").read_text()
    assert all(text in html for text in ("Color by size", "color-judge:median", "Painter, dark", "Vividness"))
    assert "%<*colors-sizes>" in tables and "Brush One & 90.0" in tables
    info = json.loads((here / "runs" / "colors" / "run.json").read_text())
    assert info["suite"]["name"] == "colors" and info["judging"]["protocol"]["name"] == "colors"
    exact = json.loads((here / "runs" / "exact" / "run.json").read_text())
    assert exact["judging"]["protocol"] == {"name": "colors", "options": {"tone": "exact"}}


def test_the_study_of_the_package_is_listed(here: Path, site: Path) -> None:
    assert "Color squares" in call(here, ("study", "presets"), site).stdout


def test_options_in_the_name_and_as_flags_mean_the_same(here: Path, site: Path) -> None:
    shared = ("--editor", "painter:plain", "--judge", "color-judge:mean", "--dry-run", "--out", "runs/dry")
    name = call(here, ("run", "colors?colors=red,blue&tone=exact", *shared), site)
    flags = call(here, ("run", "colors", "--colors", "red", "--colors", "blue", "--tone=exact", *shared), site)
    assert name.returncode == 0 and "4 cases" in name.stdout + name.stderr, name.stderr
    assert (name.stdout, name.stderr) == (flags.stdout, flags.stderr)
    wrong = call(here, ("run", "colors?colours=red", *shared), site)
    assert wrong.returncode == 2 and "did you mean 'colors'?" in wrong.stderr
    both = call(here, ("run", "colors?colors=red", "--colors", "blue", *shared), site)
    assert both.returncode == 2 and "twice" in both.stderr


def test_its_protocol_judges_the_cases_of_others(here: Path, site: Path, tmp_path: Path) -> None:
    folder = start(tmp_path / "shapes", "judged")
    shared = ("--editor", "ref:identity", "--judge", "color-judge:mean", "--out", tmp_path / "run")
    done = call(here, ("run", folder, "--protocol", "colors", "--tone", "exact", *shared), site)
    assert done.returncode in (0, 1), done.stderr  # the judge knows not every color
    protocol = json.loads((tmp_path / "run" / "run.json").read_text())["judging"]["protocol"]
    assert protocol == {"name": "colors", "options": {"tone": "exact"}}


def test_its_prompts_can_be_exported_changed_and_checked(here: Path, site: Path, tmp_path: Path) -> None:
    done = call(here, ("prompts", "export", "colors", tmp_path / "mine"), site)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "mine" / "color.txt").read_text()
    (tmp_path / "mine" / "color.txt").write_text(text.replace("A square was", "One square was"))
    done = call(here, ("prompts", "check", tmp_path / "mine", "--suite", SQUARES), site)
    assert done.returncode == 0 and "changed" in done.stdout, done.stderr


def test_a_killed_run_of_it_goes_on_and_asks_nothing_twice(here: Path, tmp_path: Path) -> None:
    folder = page.write_files(tmp_path / "killed")
    (folder / "waiting.py").write_text(WAITING_JUDGE)
    out = folder / "runs" / "killed"
    spec = ("run", SQUARES, "--editor", "python:my_editor:Painter", "--judge", "python:waiting:Waiting")
    with running(folder, (*spec, "--cache", "off", "--jobs", "2", "--out", str(out))) as process:
        while _verdicts(out) < 3:
            assert process.poll() is None, process.returncode
            sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
    (folder / "go").touch()
    done = call(folder, ("resume", out))
    assert done.returncode == 0, done.stderr
    assert _verdicts(out) == summary(out)["n_cases"] == 8
    assert overall(out) == 100.0


@contextmanager
def running(folder: Path, arguments: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
    """A command that is killed when the test leaves it."""
    command = [sys.executable, "-m", "editscope", *arguments]
    process = subprocess.Popen(
        command, cwd=folder, env=_environment(folder, None), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _verdicts(run: Path) -> int:
    """How many verdicts the journal holds."""
    journal = run / "journal.jsonl"
    return journal.read_text().count('"step":"verdict"') if journal.exists() else 0


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A package whose modules are gone, though its entry points are there."""
    info = tmp_path / "gone-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gone\nVersion: 1.0\n")
    groups = ("suites", "judges", "editors", "metrics", "prompts")
    (info / "entry_points.txt").write_text(
        "".join(f"[editscope.{group}]\ngone = gone.module:Name\n" for group in groups)
    )
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "gone", "--editor", "ref:identity"),
        ("run", "paintbench", "--editor", "gone:x"),
        ("run", SQUARES, "--editor", "ref:oracle", "--judge", "gone:x"),
    ],
)
def test_a_broken_package_is_named_where_it_is_used(here: Path, broken: Path, arguments: Sequence[str]) -> None:
    done = call(here, arguments, broken)
    assert done.returncode == 2 and "registered as gone.module:Name but cannot be imported" in done.stderr


def test_a_broken_package_does_not_affect_anything_else(here: Path, broken: Path) -> None:
    for arguments in (("suites",), ("prompts", "show", "kris"), ("published",), ("editors",)):
        done = call(here, arguments, broken)
        assert done.returncode == 0, done.stderr


def test_import_editscope_is_light() -> None:
    check = "import sys, editscope; sys.exit(any(name in sys.modules for name in ('numpy', 'PIL', 'pydantic')))"
    assert subprocess.run([sys.executable, "-c", check]).returncode == 0
    for name in ("Instruction", "Aggregation", "Group", "Judge", "Verdict", "Rubric", "Metric", "Option", "Benchmark"):
        assert name in es.__all__ and getattr(es, name).__doc__


def test_the_page_lists_every_public_name() -> None:
    listed = page.PAGE.read_text().partition("## Public names")[2]
    assert [name for name in es.__all__ if f"`{name}`" not in listed] == []
