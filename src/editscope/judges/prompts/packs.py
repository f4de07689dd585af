"""Prompt packs: the prompts of a suite, those that ship with the package or a user's own in their place."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from editscope.cases import NOTHING
from editscope.errors import BadInput, unknown
from editscope.judges.prompts.promptfile import Prompt, differences, read_prompt, short_hash
from editscope.judges.records import Call, Picture
from editscope.plugins import folder_of, installed

FOLDER = "prompts"
"""The folder of a pack, beside the code that asks with it."""
GROUPS = ("editscope.suites", "editscope.prompts")
"""Entry points whose packages may hold prompts: benchmarks, and whoever else asks judges."""

__all__ = ["Examined", "Prompt", "PromptPack", "examine", "export_pack", "load_pack", "pack_names", "read_prompt"]


MARK = re.compile(r"(?:[-*] )?(?P<mark>\d+(?: ?[-–] ?\d+)?) ?[=:] ?(?P<text>\S.*)")
"""A line of a prompt that says what a mark means."""


@dataclass(frozen=True)
class PromptPack:
    """The prompts of one suite, by name; ``hash`` covers them all and goes into every run."""

    name: str
    prompts: Mapping[str, Prompt]
    folder: Path | None = None

    def __getitem__(self, name: str) -> Prompt:
        if name not in self.prompts:
            raise unknown(f"prompt of {self.name}", name, self.prompts)
        return self.prompts[name]

    def call(
        self, name: str, key: str, pictures: Mapping[str, Sequence[Picture]], words: Mapping[str, str] = NOTHING
    ) -> Call:
        """The call that a prompt makes of these words and pictures; ``key`` names it within its case."""
        return self[name].call(key, pictures, words)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its prompts, sorted."""
        return tuple(sorted(self.prompts))

    @cached_property
    def hash(self) -> str:
        """Sixteen hexadecimal digits that change with any of its prompts."""
        return short_hash("\n".join(f"{name} {self.prompts[name].hash}" for name in self.names))

    @property
    def version(self) -> str:
        """The versions of its prompts: "1", or "1, 2" where some were changed."""
        return ", ".join(sorted({prompt.version for prompt in self.prompts.values()}))


def pack_names() -> tuple[str, ...]:
    """The packs that ship with the package.

    >>> {"audit", "best_of", "rewrite"} <= set(pack_names())
    True
    """
    return tuple(sorted(pack_folders()))


@lru_cache(maxsize=1)
def pack_folders() -> dict[str, Path]:
    """Where the prompts of each pack lie: beside a benchmark's code, or where ``editscope.prompts`` points."""
    folders: dict[str, Path] = {}
    for group in GROUPS:
        for point in sorted(installed(group), key=lambda point: point.name):
            home = folder_of(point)
            if home is None:
                continue
            folder = home / (point.attr if group == GROUPS[1] else FOLDER)
            if folder not in folders.values() and any(folder.glob("*.txt")):
                folders.setdefault(point.name, folder)
    return folders


def meaning_of_marks(prompt: Prompt) -> dict[str, str]:
    """What each mark of a prompt's scale means, best first, in its own words; nothing where it has several scales.

    A line that begins with a mark and "=" or ":" says it, with or without more marks: ``5 = perfect: …``, ``4: …``.
    """
    marks = [field for field in prompt.schema.fields if field.kind == "integer"]
    if len(marks) != 1:
        return {}
    lines = [match for line in prompt.text.splitlines() if (match := MARK.match(line))]
    meaning = {match["mark"].replace(" ", ""): match["text"].strip().rstrip(".;") for match in lines}
    low, high = sorted((marks[0].low, marks[0].high))
    ends = [[int(end) for end in mark.replace("–", "-").split("-")] for mark in meaning]
    inside = all(low <= end <= high for mark in ends for end in mark)
    return meaning if len(meaning) > 1 and inside and len(meaning) == len(lines) else {}


def load_pack(name: str, folder: str | Path | None = None, ours: Path | None = None) -> PromptPack:
    """The prompts of a suite: those that ship with it, or all of them from a folder of the same file names.

    ``ours`` is where those that ship lie; without it they are found by the entry points.
    """
    if folder is None:
        return _built_in(name, ours)
    review = examine(folder, name, ours)
    if review.problems:
        more = f" (and {len(review.problems) - 1} more: `editscope prompts check`)" if len(review.problems) > 1 else ""
        raise BadInput(review.problems[0] + more)
    return PromptPack(name, review.prompts, Path(folder))


def export_pack(name: str, folder: str | Path, ours: Path | None = None) -> tuple[Path, ...]:
    """Write the prompts that ship for a suite into a new or empty folder, to be changed there."""
    pack, folder = _built_in(name, ours), Path(folder)
    source = ours or pack_folders()[name]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise BadInput(f"{folder} is not empty; give a new folder, so that nothing is overwritten")
        written = []
        for one in pack.names:
            written.append(folder / f"{one}.txt")
            written[-1].write_bytes((source / f"{one}.txt").read_bytes())
    except OSError as error:
        raise BadInput(f"{folder} cannot be written: {error.strerror}") from None
    return tuple(written)


@dataclass(frozen=True, slots=True)
class Examined:
    """What a folder that is to replace a pack holds: the prompts that can be read, and all that is in the way."""

    ours: PromptPack
    prompts: Mapping[str, Prompt]
    problems: tuple[str, ...]


def examine(folder: str | Path, name: str | None = None, ours_at: Path | None = None) -> Examined:
    """Check a folder of prompts against the pack that it is to replace, or without a name against the most similar."""
    folder = Path(folder)
    if not folder.is_dir():
        start = f"`editscope prompts export {name or 'SUITE'} {folder}` makes one to start from"
        raise BadInput(f"{folder} is not a folder of prompts; {start}")
    files = {path.stem: path for path in sorted(folder.glob("*.txt")) if path.stem.lower() != "readme"}
    ours = _built_in(name or _most_similar(folder, files), ours_at)
    problems = [
        f"{folder} has no {one}.txt: what replaces the prompts of {ours.name} has all of them"
        for one in ours.names
        if one not in files
    ]
    prompts: dict[str, Prompt] = {}
    for stem, path in files.items():
        try:
            prompts[stem] = read_prompt(path, ours[stem])
        except BadInput as error:
            problems.append(str(error) if stem in ours.prompts else f"{path} replaces nothing: {error}")
            continue
        problems += [f"{path} cannot stand in for ours: {why}" for why in differences(prompts[stem], ours[stem])]
    return Examined(ours, prompts, tuple(problems))


def _most_similar(folder: Path, files: Collection[str]) -> str:
    """The pack with the most file names in common."""
    shared = {name: len(set(files) & set(_built_in(name).names)) for name in pack_names()}
    most = max(shared.values())
    best = [name for name, count in shared.items() if count == most]
    if not most or len(best) > 1:
        raise BadInput(
            f"{folder} may be meant for {' or '.join(best) if most else 'any suite'}: say which with --suite"
        )
    return best[0]


@lru_cache(maxsize=32)
def _built_in(name: str, folder: Path | None = None) -> PromptPack:
    if folder is None and name not in pack_folders():
        raise unknown("prompt pack", name, pack_names())
    return PromptPack(
        name, {path.stem: read_prompt(path) for path in sorted((folder or pack_folders()[name]).glob("*.txt"))}
    )
