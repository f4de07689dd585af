"""Transcripts of walks, as Markdown: one page for each person, and an index with what was not as expected."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from walks.walk import Step, Walk


def write_transcript(walk: Walk, about: str) -> Path:
    """The page of one person: every command with its output, exit code, seconds, files and pictures."""
    parts = [f"# {walk.persona.capitalize()}", "", about, ""]
    for step in walk.steps:
        parts += _text(step) if step.kind == "text" else _block(step)
        parts += [f"> **Not as expected:** {fault}" for fault in step.faults]
        parts += [""] if step.faults else []
    path = walk.kept / "transcript.md"
    path.write_text("\n".join(parts))
    return path


def write_index(walks: Sequence[tuple[Walk, str]], folder: Path, remarks: Sequence[str]) -> Path:
    """The page that leads to all transcripts."""
    rows = []
    for walk, about in walks:
        typed = [step for step in walk.steps if step.seconds is not None]
        seconds = sum(step.seconds or 0 for step in typed)
        name = f"[{walk.persona}]({walk.kept.name}/transcript.md)"
        rows.append(f"| {name} | {about} | {len(typed)} | {seconds:.0f} s | {len(walk.faults)} |")
    faults = [f"- {walk.persona}: {fault}" for walk, _ in walks for fault in walk.faults]
    lines = [
        "# What five people saw",
        "",
        *remarks,
        "",
        "| person | wants | commands | time | not as expected |",
        "| --- | --- | ---: | ---: | ---: |",
        *rows,
        *(["", "## Not as expected", "", *faults] if faults else []),
        "",
    ]
    path = folder / "index.md"
    path.write_text("\n".join(lines))
    return path


def _text(step: Step) -> list[str]:
    return [f"## {step.title}", ""]


def _block(step: Step) -> list[str]:
    language = {"py": "python", "txt": "text"}.get(step.kind, step.kind)
    named = [] if step.kind == "console" else [f"`{step.title}`:", ""]
    fence = "````" if any("```" in line for line in step.lines) else "```"
    lines = [*named, f"{fence}{language}", *step.lines, fence, ""]
    if step.code is not None:
        made = f" · made {', '.join(f'`{name}`' for name in step.files)}" if step.files else ""
        lines += [f"*exit code {step.code} · {step.seconds or 0:.1f} s{made}*", ""]
    return lines + [line for name in step.pictures for line in (f"![{name}]({name})", "")]
