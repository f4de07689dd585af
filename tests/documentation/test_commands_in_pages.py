"""Every command on every page is one that Editscope takes, and every name on a page is one that is there."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from editscope.cli.app import PANELS
from editscope.editors.registry import check_spec, parse_spec
from editscope.errors import EditscopeError
from support.documentation.markdown_blocks import CODE, Block, blocks, pages, prose
from support.documentation.shell_commands import MORE, editscope_commands, mistake, shell_lines, simple_commands
from support.documentation.stage import OUTSIDE, SHELL
from support.places import DOCS, ROOT

PLACEHOLDER = re.compile(r"Missing parameter|requires an argument|must be a whole number, not '[A-Z]'")
"""What is wrong with a command that a sentence only names, such as `editscope resume`."""
OF_THE_READER = ("diffusers", "folder", "python", "worker", "painter")
"""Kinds of editors that need a file or a model of the reader, or a package that a page shows how to write."""


def console_lines() -> Iterator[tuple[Block, str]]:
    """Every line that a page tells its reader to type."""
    for page in pages():
        for block in blocks(page):
            if block.language in SHELL:
                yield from ((block, line) for line in shell_lines(block))


def write_files(page: Path, folder: Path) -> None:
    """Save the files that a page prints: its commands read options from them."""
    for block in blocks(page):
        if block.file:
            (folder / block.file).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.file).write_text(block.text, encoding="utf-8")


def test_there_are_pages_and_commands() -> None:
    assert len(pages()) > 60
    assert sum(1 for _ in console_lines()) > 200


def test_every_command_in_a_block_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    for page in pages():
        write_files(page, tmp_path)
    monkeypatch.chdir(tmp_path)
    wrong = [
        f"{block.place}: {line}: {why}"
        for block, line in console_lines()
        for arguments in editscope_commands(line)
        if (why := mistake(arguments))
    ]
    assert wrong == []


def test_every_command_in_a_sentence_has_options_that_exist() -> None:
    wrong = [
        f"{page.name}: {code}: {why}"
        for page in pages()
        for code in CODE.findall(prose(page))
        if code.startswith("editscope")
        for arguments in editscope_commands(code)
        if "--help" not in arguments and (why := mistake(arguments)) and not PLACEHOLDER.search(why)
    ]
    assert wrong == []


def test_every_editor_that_a_command_names_has_the_options_that_it_is_given() -> None:
    wrong = []
    for block, line in console_lines():
        for arguments in editscope_commands(line):
            for name, spec in pairwise(arguments):
                if name == "--editor" and spec != MORE and "$" not in spec:
                    try:
                        parsed = innermost = parse_spec(spec)
                        while innermost.inner is not None:
                            innermost = innermost.inner
                        theirs = innermost.kind == "small" and innermost.target  # the weights of a training
                        if innermost.kind not in OF_THE_READER and not theirs:
                            check_spec(parsed)
                    except EditscopeError as error:
                        wrong.append(f"{block.place}: {spec}: {error}")
    assert wrong == []


def test_every_make_target_and_every_extra_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+)(?: [a-z-]+)*:", (ROOT / "Makefile").read_text(), re.MULTILINE)) | {"ray"}
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for block, line in console_lines():
        for command in simple_commands(line):
            if command[0] == "make":
                assert command[1] in targets, block.place
            for extra in re.findall(r"editscope\[([\w,]+)\]", line) if command[0] == "pip" else ():
                assert set(extra.split(",")) <= set(extras), block.place


def test_a_block_that_is_not_run_says_why() -> None:
    for page in pages():
        text = page.read_text(encoding="utf-8")
        marks = [block for block in blocks(page) if block.why_not]
        assert len(marks) == len(re.findall(r"^ *<!-- not run", text, re.MULTILINE)), (
            f"a mark in {page.name} stands before no block"
        )
        assert all(not block.only or block.only in block.text for block in marks), page.name


def test_programs_outside_editscope_are_known() -> None:
    known = OUTSIDE | {"editscope", "export", "curl", "jq", "pdflatex", "python", "mkdir", "echo", "for", "do", "done"}
    marked = {block.place for page in pages() for block in blocks(page) if block.why_not}
    others = {
        f"{block.place}: {command[0]}"
        for block, line in console_lines()
        if block.place not in marked
        for command in simple_commands(line)
        if command[0] not in known
    }
    assert others == set(), "say in tests/support/documentation/stage.py whether it can run"


def test_the_page_of_commands_lists_them_all() -> None:
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    listed = {words[1] for words in re.findall(r"^\| `(editscope) ([\w-]+)", page, re.MULTILINE)}
    assert listed == {name for commands in PANELS.values() for name in commands}


def test_links_between_pages_lead_somewhere() -> None:
    dead = [
        f"{page.name}: {target}"
        for page in pages()
        for target in re.findall(r"\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)", prose(page))
        if not (page.parent / target).exists()
    ]
    assert dead == []
