"""Checkpoints in a folder: which there are, in what order, and whether each has been written to its end."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from editscope.errors import BadInput
from editscope.weight_files import SUFFIX, is_whole

PATTERNS = ("checkpoint-*/", "*.safetensors")
"""What counts as a checkpoint where nobody says otherwise; one that ends in a slash is a folder."""
MARKERS = ("model_index.json", "adapter_config.json", "trainer_state.json")
"""Files that trainers write last: a folder that has one is complete."""
PLACE = "{checkpoint}"
UNFINISHED = (".tmp", ".part", ".partial", ".incomplete", ".lock")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A file or folder with weights; ``step`` is the last number in its name, None where it has none."""

    path: Path
    name: str
    step: int | None
    changed: float
    """When it was last written to, in seconds since 1970."""
    seen: str
    """Hash of its files by name, size and time: another one is another checkpoint."""

    @property
    def place(self) -> tuple[int, float, str]:
        """Where it stands among others: by its number, else by its time, after those that have one."""
        return (1, self.changed, self.name) if self.step is None else (0, float(self.step), self.name)

    @property
    def run_name(self) -> str:
        """What its run folder is called; different for different checkpoints."""
        return quote(self.name, safe=" ").replace(" ", "%20")


def find_checkpoints(folder: Path, patterns: Sequence[str] = PATTERNS) -> list[Checkpoint]:
    """What is in a folder and matches one of the patterns, in order. Hidden and half-written names are left out."""
    if not folder.is_dir():
        raise BadInput(f"{folder} is not a folder; `editscope watch` takes the folder where training saves checkpoints")
    by_path: dict[Path, Checkpoint] = {}
    for pattern in patterns:
        for path in folder.glob(_checked(pattern)):
            name = path.relative_to(folder).as_posix()
            if pattern.endswith("/") and not path.is_dir():
                continue
            if not any(part.startswith(".") or part.endswith(UNFINISHED) for part in name.split("/")):
                checkpoint = _checkpoint(path, name)
                if checkpoint is not None:
                    by_path[path] = checkpoint
    return sorted(by_path.values(), key=lambda one: one.place)


def _checked(pattern: str) -> str:
    bare = pattern.rstrip("/")
    if not bare or bare.startswith("/") or ".." in bare.split("/") or "**" in bare:
        raise BadInput(f"--pattern {pattern!r} must name files or folders inside the watched one, such as 'step-*'")
    return bare


def _checkpoint(path: Path, name: str) -> Checkpoint | None:
    try:
        files = sorted((file.relative_to(path).as_posix(), file.stat()) for file in _files(path))
        changed = max((stat.st_mtime for _, stat in files), default=path.stat().st_mtime)
    except OSError:  # it goes away while we look
        return None
    listing = "\n".join(f"{inside}|{stat.st_size}|{stat.st_mtime_ns}" for inside, stat in files)
    return Checkpoint(path, name, step_of(name), changed, sha256(listing.encode()).hexdigest()[:16])


def step_of(name: str) -> int | None:
    """The last number in the name of a checkpoint, without its ending; None where there is none.

    >>> step_of("checkpoint-1500"), step_of("epoch=3-step=1200.safetensors"), step_of("best")
    (1500, 1200, None)
    """
    bare = name.rsplit("/", 1)[-1].removesuffix(".safetensors")
    numbers = re.findall(r"\d+", bare)
    return int(numbers[-1]) if numbers else None


def spec_for(template: str, checkpoint: Path) -> str:
    """The editor of a checkpoint: its path in the place of ``{checkpoint}``, escaped where options are.

    >>> spec_for("diffusers:base?lora={checkpoint}&steps=8", Path("/ckpt/step 10.safetensors"))
    'diffusers:base?lora=/ckpt/step%2010.safetensors&steps=8'
    """
    if PLACE not in template:
        raise BadInput(
            f"--editor {template!r} does not use the checkpoint; write {PLACE} in place of its path, "
            "such as diffusers:MODEL?lora={checkpoint}"
        )
    path = str(checkpoint.absolute())
    made, *rest = template.split(PLACE)
    for part in rest:
        made += (quote(path, safe="/") if _in_options(made) else path) + part
    return made


def _in_options(text: str) -> bool:
    """Whether what follows this beginning of a spec is the value of an option."""
    return re.search(r"[?&#][\w.-]+=[^?#]*$", text) is not None


@dataclass
class Settling:
    """Tells when checkpoints are complete: those with a marker at once, others after so many quiet seconds."""

    seconds: float
    _since: dict[Path, tuple[str, float]] = field(default_factory=dict)

    def complete(self, one: Checkpoint) -> bool:
        """Whether it has been written to its end, as far as can be told."""
        if any(not is_whole(file) for file in _files(one.path) if file.suffix == SUFFIX):
            return False
        if any((one.path / marker).is_file() for marker in MARKERS):
            return True
        now = time.monotonic()
        seen, since = self._since.get(one.path, ("", now))
        if seen != one.seen:
            self._since[one.path], since = (one.seen, now), now
        # Its own time is enough where clocks agree; what we saw ourselves holds also where they do not.
        return time.time() - one.changed >= self.seconds or now - since >= self.seconds


def _files(path: Path) -> Iterator[Path]:
    """The files of a checkpoint; links to files count, links to folders are not followed."""
    if path.is_file():
        yield path
        return
    for entry in sorted(path.iterdir()):
        if entry.is_file():
            yield entry
        elif entry.is_dir() and not entry.is_symlink():
            yield from _files(entry)
