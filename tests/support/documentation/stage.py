"""A page, run: its commands and programs in order, in one folder, with what it takes as given."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import signal
import subprocess
import sys
import textwrap
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any

import pytest

import editscope as es
from support.documentation.loopback_vendors import KEYS, Vendors
from support.documentation.markdown_blocks import Block, blocks
from support.documentation.names_in_programs import before_the_page
from support.documentation.props import CASES, few_steps, put_files, put_models, put_runs, put_what_it_needs
from support.documentation.shell_commands import MORE, PROGRAM, read_arguments, shell_lines, simple_commands
from support.documentation.voters import let_raters_vote

PATIENCE_S = 600
SHELL = ("console", "bash", "sh")
OUTSIDE = {"pip", "git", "huggingface-cli", "sbatch", "make", "tail", "cd", "python3.10"}
"""Commands that install, download, or need a cluster; tests elsewhere build and install Editscope."""
SMALL_SETS = {
    "paintbench": ("--per-mode", "1", "--conditions", "baseline"),
    "tinygrafix": ("--per-task", "1"),
    "optics": ("--per-task", "1"),
    "mechanics": ("--per-task", "1"),
}
IN_A_SHELL = re.compile(r"/\*|--install-completion")
"""What a shell does, or what is done to the shell that it is called in, whose files are in the folder of the page."""
LOOP = re.compile(r"^(for \w+ in(?: [\w-]+))(?: [\w-]+)*")
"""A loop over many things, of which one will do."""
STAND_INS = """
import builtins

builtins.make_pipeline = lambda: lambda image, *more, **options: image
"""
"""A module that every Python of a page imports first: the reader's pipeline, which returns the picture it gets."""


class Stage:
    """Runs pages; ``faults`` has a line for everything that did not work as printed."""

    def __init__(self, folder: Path, pool: Path, vendors: Vendors) -> None:
        self.folder, self.pool, self.vendors = folder, pool, vendors
        self.faults: list[str] = []
        self.names: dict[str, Any] = {"__name__": "page", "es": es}
        self.ran = 0
        folder.mkdir(parents=True, exist_ok=True)
        put_files(folder)
        (folder / "sitecustomize.py").write_text(STAND_INS)
        keys = dict.fromkeys(KEYS, "a-key-for-loopback")
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        self.env = {
            "HOME": str(folder),
            "PATH": path,
            "PYTHONPATH": str(folder),
            "EDITSCOPE_CACHE": str(pool / "cache"),
            "COLUMNS": "120",
            "EDITSCOPE_JOBS": "1",
            "EDITSCOPE_STUDIO_TOKEN": "a-token-for-pages-that-open-a-studio",
            **keys,
        }

    def play(self, page: Path) -> None:
        """Run all blocks of a page that can run here."""
        with self._here():
            exec(STAND_INS, {})
            exec(before_the_page(page.name), self.names)
            for block in blocks(page):
                if block.file:
                    self._write(block)
                elif block.language in SHELL:
                    for line in shell_lines(block):
                        self._type(block, line)
                elif block.language in ("python", "pycon") and block.runs():
                    self._execute(block)

    @contextmanager
    def _here(self) -> Iterator[None]:
        """This process in the folder, with the same variables and few cases for every run."""
        plain = es.run

        def short(suite: Any, editor: Any, judge: Any = None, **given: Any) -> Any:
            limit = min(given.pop("limit", None) or CASES, CASES)
            return plain(suite, editor, judge, limit=limit, progress=False, **given)

        with chdir(self.folder), pytest.MonkeyPatch.context() as patch:
            for name, value in self.env.items():
                patch.setenv(name, value)
            patch.syspath_prepend(str(self.folder))
            patch.setattr(es, "run", short)
            before = set(sys.modules)
            try:
                yield
            finally:
                for name in set(sys.modules) - before:
                    if str(getattr(sys.modules[name], "__file__", "")).startswith(str(self.folder)):
                        del sys.modules[name]

    def _write(self, block: Block) -> None:
        """Save a file that the page prints; a module's names are there for the programs after it."""
        place = self.folder / block.file
        place.parent.mkdir(parents=True, exist_ok=True)
        put_models(self.folder, block.text, self.pool)
        place.write_text(few_steps(self.vendors.redirected(block.text)), encoding="utf-8")
        if place.suffix == ".py" and block.runs():
            sys.modules.pop(place.stem, None)
            self._attempt(block, f"from {block.file.removesuffix('.py').replace('/', '.')} import *")

    def _execute(self, block: Block) -> None:
        """Run a program; where it has prompts, what it prints is compared, too."""
        text = textwrap.dedent(self.vendors.redirected(block.text))
        put_runs(self.folder, text, self.pool)
        put_models(self.folder, text, self.pool)
        if ">>> " not in text:
            self._attempt(block, text)
            return
        example = doctest.DocTestParser().get_doctest(text, self.names, block.place, None, None)
        printed: list[str] = []
        doctest.DocTestRunner(verbose=False).run(example, out=printed.append, clear_globs=False)
        self.names.update(example.globs)
        self.ran += 1
        self.faults += [f"{block.place}: {''.join(printed)}"] if printed else []

    def _attempt(self, block: Block, text: str) -> None:
        self.ran += 1
        try:
            exec(compile(text, block.place, "exec"), self.names)
        except BaseException as error:
            where = [
                frame.lineno or 0
                for frame in traceback.extract_tb(error.__traceback__)
                if frame.filename == block.place
            ]
            line = text.splitlines()[where[-1] - 1].strip() if where else ""
            self.faults.append(f"{block.place}: {line}: {type(error).__name__}: {error}")

    def _type(self, block: Block, line: str) -> None:
        """Run a line of the shell, apart from what installs or downloads."""
        line = self.vendors.redirected(line).replace("pip install editscope && ", "")
        line = few_steps(LOOP.sub(r"\1", line))
        commands = simple_commands(line)
        if not block.runs(line) or {command[0] for command in commands} & OUTSIDE:
            return
        try:
            put_runs(self.folder, line, self.pool)
            put_models(self.folder, line, self.pool)
            alone = len(commands) == 1 and commands[0][0] == PROGRAM and not IN_A_SHELL.search(line)
            arguments = self._smaller(commands[0][1:]) if alone else []
        except es.EditscopeError as error:
            self.faults.append(f"{block.place}: {line}: {error}")
            return
        if alone:
            with_server = arguments[0] in ("serve-editor", "studio")
            self._call(block, line, [sys.executable, "-m", PROGRAM, *arguments], until_ready=with_server)
            if arguments[0] == "studio" and len(arguments) > 1 and (self.folder / arguments[1]).is_dir():
                let_raters_vote(self.folder / arguments[1])
        else:
            self._call(block, line, ["/bin/bash", "-e", "-o", "pipefail", "-c", f"{line}\nexit"])

    def _smaller(self, arguments: Sequence[str]) -> list[str]:
        """The same command with few cases, and without a question before money is spent or a wait for more."""
        words = list(arguments)
        if words[-1] == MORE and not words[-2].startswith("-"):
            words.pop()
        for place, word in enumerate(words):
            if word == MORE:
                role = words[place - 1]
                words[place] = (
                    self.vendors.redirected("--judge openai:gpt-4o").split()[1]
                    if role == "--judge"
                    else ("data" if role == "--data" else "ref:identity")
                )
        put_what_it_needs(self.folder, words)
        has: Mapping[str, Any] = read_arguments(words)
        most = 1 if "diffusers:" in " ".join(words) or "--config" in words else CASES
        if "limit" in has and not (has["limit"] and has["limit"] <= most):
            if "--limit" in words:
                del words[words.index("--limit") : words.index("--limit") + 2]
            words += ["--limit", str(most)]
        words += ["--n", str(CASES)] if words[:2] == ["judge", "audit"] else []
        words += ["--yes"] if has.get("yes") is False and not has.get("dry_run") else []
        words += ["--once", "--settle", "0"] if "once" in has else []
        if words[0] == "generate":
            words += SMALL_SETS[words[1]] if not set(words) & set(SMALL_SETS[words[1]]) else ()
        return words

    def _call(self, block: Block, line: str, command: Sequence[str], until_ready: bool = False) -> None:
        self.ran += 1
        env = {**os.environ, **self.env}
        if until_ready:
            self._serve(block, line, command, env)
            return
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=env,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE_S,
        )
        waits = done.returncode == 3 and "wait for people at step" in done.stdout  # as a page about review says
        if done.returncode and not waits:
            said = (done.stderr or done.stdout).strip()[-600:]
            self.faults.append(
                f"{block.place}: {line}\n  ran {shlex.join(command)}\n  exit code {done.returncode}: {said}"
            )

    def _serve(self, block: Block, line: str, command: Sequence[str], env: Mapping[str, str]) -> None:
        """Start a server, wait until it answers, and interrupt it."""
        process = subprocess.Popen(
            command, cwd=self.folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        try:
            assert process.stdout is not None
            printed = []
            for text in process.stdout:
                printed.append(text)
                if "http://" in text:
                    break
            else:
                self.faults.append(f"{block.place}: {line}\n  {''.join(printed)}")
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
            process.wait()
