"""Ideas for cases that need knowledge: by task and sub-task, with type of knowledge, domain, pictures and hint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from editscope.errors import unknown
from editscope.factory.words.entries import (
    SHIPPED,
    balance,
    check_kinds,
    raise_flaws,
    repeats,
    rows_of,
    texts,
    toml_files,
)
from editscope.factory.words.names import named_sentences, toml_kind
from editscope.suites.datafolder.rows import DataRow, Flaw

MOST_PICTURES = 5


@dataclass(frozen=True, slots=True)
class CaseIdea:
    """A case in words: what its pictures show, what is asked, and what a judge has to know."""

    task: str
    subtask: str
    knowledge: str
    domain: str
    pictures: tuple[str, ...]
    instruction: str
    hint: str


@dataclass(frozen=True, slots=True)
class IdeaWords:
    """A dictionary of ideas."""

    tasks: Mapping[str, tuple[str, ...]]
    """The sub-tasks of each task."""
    about: Mapping[str, str]
    """A sentence about each task."""
    knowledge: Mapping[str, str]
    domains: Mapping[str, str]
    ideas: tuple[CaseIdea, ...]


@cache
def shipped_idea_words() -> IdeaWords:
    """The dictionary that comes with Editscope."""
    return _read(SHIPPED / "knowledge", None)


def read_idea_words(path: str | Path | None = None) -> IdeaWords:
    """A dictionary of ideas from a TOML file or a folder of them; None is the shipped one.

    Tasks, types of knowledge and domains that it defines come in addition. BadInput lists all that is wrong with it.
    """
    return shipped_idea_words() if path is None else _read(Path(path), SHIPPED / "knowledge")


def _read(path: Path, base: Path | None) -> IdeaWords:
    own = toml_files(path)
    everything = [*(toml_files(base) if base else []), *own]
    flaws = list(check_kinds(own, ("knowledge", "domains", "tasks", "ideas")))
    knowledge = named_sentences(everything, "knowledge", flaws)
    domains = named_sentences(everything, "domains", flaws)
    about, tasks = _tasks(everything, flaws)
    owners = {subtask: task for task, subtasks in tasks.items() for subtask in subtasks}
    found = list(_ideas(own, owners, knowledge, domains, flaws))
    flaws += repeats(((where, f"{' / '.join(one.pictures)}: {one.instruction}") for where, one in found), "idea")
    if not found:
        flaws.append(Flaw(str(path), "there is no [[ideas]] entry; add some"))
    ideas = tuple(idea for _, idea in found)
    counted = (
        ("sub-task", owners, [idea.subtask for idea in ideas]),
        ("type of knowledge", knowledge, [idea.knowledge for idea in ideas]),
        ("domain", domains, [idea.domain for idea in ideas]),
    )
    for of, names, given in counted:
        flaws += balance({name: given.count(name) for name in names if name in given}, str(path), "ideas", of)
    raise_flaws(flaws, f"the dictionary {path}")
    return IdeaWords(tasks, about, knowledge, domains, ideas)


def _tasks(
    contents: Sequence[tuple[Path, Mapping[str, Any]]], flaws: list[Flaw]
) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    """What tasks are about, and their sub-tasks."""
    found: dict[str, tuple[str, ...]] = {}
    about: dict[str, str] = {}
    for file, content in contents:
        given = content.get("tasks", {})
        if not isinstance(given, dict):
            flaws.append(Flaw(str(file), f"'tasks' is a {toml_kind(given)}, not a table"))
            continue
        for name, fields in given.items():
            where = f"{file} tasks.{name}"
            if not isinstance(fields, dict):
                flaws.append(Flaw(where, f"the task is a {toml_kind(fields)}, not a table"))
                continue
            row = DataRow(where, fields, file.parent)
            for key in fields:
                if key not in ("about", "subtasks"):
                    row.flaw(str(unknown("key", key, ("about", "subtasks"))))
            about[name] = row.text("about")
            subtasks = texts(row, "subtasks")
            taken = {subtask for others in found.values() for subtask in others} & set(subtasks)
            if name in found or taken or len(set(subtasks)) < len(subtasks):
                row.flaw(f"{min(taken, default=name)!r} is defined twice; choose another name")
            flaws += row.flaws
            found[name] = subtasks
    return about, found


def _ideas(
    contents: Sequence[tuple[Path, Mapping[str, Any]]],
    owners: Mapping[str, str],
    knowledge: Mapping[str, str],
    domains: Mapping[str, str],
    flaws: list[Flaw],
) -> Iterator[tuple[str, CaseIdea]]:
    known = ("subtask", "knowledge", "domain", "pictures", "instruction", "hint")
    for row in rows_of(contents, "ideas", known, "instruction"):
        if not row.flaws:
            subtask = row.choice("subtask", tuple(owners))
            kind_of, domain = row.choice("knowledge", tuple(knowledge)), row.choice("domain", tuple(domains))
            pictures, instruction, hint = texts(row, "pictures"), row.text("instruction"), row.text("hint")
            if len(pictures) > MOST_PICTURES:
                row.flaw(f"it has {len(pictures)} pictures; a case has at most {MOST_PICTURES}")
            yield row.where, CaseIdea(owners.get(subtask, ""), subtask, kind_of, domain, pictures, instruction, hint)
        flaws += row.flaws
