"""A recorder: it runs a tree's Editscope as an outside program and writes what comes of it into a folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
import zipfile
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from secrets import token_hex
from typing import Any

from support.recorded import normal
from support.recorded.judge import RecordingJudge, readable

GIVEN = ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH")
"""Variables that the program gets from here; keys and settings of the user would change its answers."""


THREADS = 2


class Recorder:
    """Writes one text file for each thing recorded; ``work`` is where the program runs.

    What is asked for is done by two threads at once; ``finish`` waits for it.
    """

    def __init__(self, tree: Path, python: str, folder: Path, work: Path, judge: RecordingJudge) -> None:
        self.python, self.folder, self.work, self.judge = python, folder, work, judge
        self.places = {str(tree): "TREE", str(work): "WORK", judge.address: "JUDGE"}
        self.environment = {name: os.environ[name] for name in GIVEN if name in os.environ} | {
            "PYTHONPATH": os.pathsep.join((str(_entry_points(tree, work)), str(tree / "src"))),
            "EDITSCOPE_CACHE": str(work / "cache"),
            "COLUMNS": "160",
            "LANG": "C.UTF-8",
            "NO_COLOR": "1",
            "HF_HUB_OFFLINE": "1",
        }
        self.options_in_spec = self._takes_options_in_spec()
        self._pool = ThreadPoolExecutor(THREADS)
        self._pending: list[Future[None]] = []

    def finish(self) -> None:
        """Wait until all that was asked for is recorded."""
        pending, self._pending = self._pending, []
        for done in pending:
            done.result()

    def command(self, name: str, *arguments: str, expected: tuple[int, ...] = (0,)) -> None:
        """Record what a command prints, its exit code, and what it asked the judge."""
        self._later(self._command, name, *arguments, expected=expected)

    def run(self, name: str, suite: str, *arguments: str, **options: str) -> None:
        """Record a run, which goes into the folder ``name``; ``options`` are those of the suite."""
        self._later(self._run, name, *self._suite(suite, options), *arguments)

    def rescore(self, name: str, *arguments: str) -> None:
        """Record a run that is made of the edits of another."""
        self._later(self._rescore, name, *arguments)

    def report(self, name: str, *runs: str) -> None:
        """Record the report of runs in each of its formats."""
        self._later(self._report, name, *runs)

    def figures(self, name: str, *runs: str) -> None:
        """Record the figures of runs: which there are, and the hash of each."""
        self._later(self._figures, name, *runs)

    def archive(self, name: str) -> None:
        """Record what a run's archive holds, and what is shown of it."""
        self._later(self._archive, name)

    def prompts(self, pack: str) -> None:
        """Record the prompts of a pack, listed and in full."""
        self._later(self._prompts, pack)

    def fix_times(self) -> list[str]:
        """Give all runs times that follow from their cases, and return the names of the runs."""
        journals = sorted(self.work.glob("*/journal.jsonl"))
        for path in journals:
            normal.fix_times(path)
        return [path.parent.name for path in journals]

    def write(self, name: str, text: str) -> None:
        """Write one result."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(normal.plain(text, self.places), encoding="utf-8")

    def write_hashes(self, name: str, folder: str) -> None:
        """Write the hashes of all files of a folder."""
        self.write(f"{name}.sha256", normal.file_hashes(self.work / folder))

    def _later(self, work: Callable[..., None], *arguments: str, **named: Any) -> None:
        self._pending.append(self._pool.submit(work, *arguments, **named))

    def _call(self, *arguments: str, key: str = "key-of-a-recording") -> subprocess.CompletedProcess[str]:
        """Run one command of the tree; the judge knows it by its key."""
        return subprocess.run(
            [self.python, "-m", "editscope", *arguments],
            cwd=self.work,
            env=self.environment | {"OPENAI_API_KEY": key},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    def _command(self, name: str, *arguments: str, expected: tuple[int, ...] = (0,)) -> None:
        key = f"key-{token_hex(16)}"
        done = self._call(*arguments, key=key)
        if done.returncode not in expected:
            print(f"{name}: exit code {done.returncode}\n{done.stderr[-2000:]}", flush=True)
        self.write(f"{name}.txt", f"exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
        if bodies := self.judge.bodies(key):
            self.write(f"{name}.requests.sha256", "".join(normal.sha256(body) + "\n" for body in bodies))
            self.write(f"{name}.requests.jsonl", "".join(sorted(readable(body) + "\n" for body in bodies)))

    def _run(self, name: str, *arguments: str) -> None:
        self._command(f"{name}/run", "run", *arguments, "--out", name, "-q", "-j", "1", expected=(0, 1))
        self._run_folder(name)

    def _rescore(self, name: str, *arguments: str) -> None:
        self._command(f"{name}/rescore", "rescore", *arguments, "--out", name, "-q", "-j", "1", expected=(0, 1))
        self._run_folder(name)

    def _run_folder(self, name: str) -> None:
        home = self.work / name
        self.write(f"{name}/journal.jsonl", normal.journal(home / "journal.jsonl"))
        self.write(f"{name}/run.json", normal.run_json(home / "run.json"))
        self.write(f"{name}/summary.json", normal.summary(home / "summary.json"))
        self.write(f"{name}/scores.csv", normal.scores(home / "scores.parquet"))
        self.write(f"{name}/pictures.sha256", normal.file_hashes(home, "*.png") + normal.file_hashes(home, "*.webp"))

    def _report(self, name: str, *runs: str) -> None:
        for ending in ("html", "tex", "md", "csv"):
            file = self.work / f"{name}.{ending}"
            done = self._call("report", *runs, "--out", file.name, "--with-published")
            text = file.read_text(encoding="utf-8") if done.returncode == 0 else done.stderr
            self.write(f"report/{file.name}", normal.html(text) if ending == "html" else text)

    def _figures(self, name: str, *runs: str) -> None:
        self._command(f"figures/{name}", "figures", *runs, "--out", f"figures-{name}", "--format", "svg,pdf")
        self.write_hashes(f"figures/{name}", f"figures-{name}")

    def _archive(self, name: str) -> None:
        done = self._call("pack", name, "--out", f"{name}.zip")
        assert done.returncode == 0, done.stderr
        with zipfile.ZipFile(self.work / f"{name}.zip") as archive:
            self.write(f"pack/{name}.names", "".join(sorted(f"{member}\n" for member in archive.namelist())))
        self._command(f"pack/{name}-show", "show", f"{name}.zip")

    def _prompts(self, pack: str) -> None:
        self._command(f"prompts/{pack}", "prompts", "show", pack)
        self._command(f"prompts/{pack}-export", "prompts", "export", pack, f"prompts-{pack}")
        for file in sorted((self.work / f"prompts-{pack}").rglob("*")):
            if file.is_file():
                self.write(f"prompts/{pack}/{file.name}", file.read_text(encoding="utf-8"))

    def _suite(self, name: str, options: Mapping[str, str]) -> list[str]:
        """How to name a suite with options: in its spec, or with flags where the tree has them so."""
        if self.options_in_spec or not options:
            return [name + "?" * bool(options) + "&".join(f"{key}={value}" for key, value in options.items())]
        flags = {f"--{key.replace('_', '-')}": value for key, value in options.items()}
        return [name, *(part for pair in flags.items() for part in pair)]

    def _takes_options_in_spec(self) -> bool:
        arguments = ("--data", "picabench", "--editor", "ref:identity", "--judge", self.judge.spec(), "--dry-run")
        return self._call("run", "picabench?region=whole", *arguments).returncode == 0


def _entry_points(tree: Path, work: Path) -> Path:
    """A folder for the path with the entry points of the tree, whichever tree the environment has installed."""
    project = tomllib.loads((tree / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    home = work / "installed"
    info = home / "editscope-0.dist-info"
    shutil.rmtree(home, ignore_errors=True)
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: editscope\nVersion: 0\n", encoding="utf-8")
    groups = {"console_scripts": project.get("scripts", {}), **project.get("entry-points", {})}
    lines = [
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in points.items())
        for group, points in groups.items()
    ]
    (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
    return home
