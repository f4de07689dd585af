"""The skeleton of a worker that ships, with a part of a test filled in."""

from __future__ import annotations

from importlib.resources import files

SKELETON = files("editscope.editors.worker").joinpath("skeleton.py").read_text(encoding="utf-8")
LINE = "# " + "-" * 117


def filled(body: str) -> str:
    """The skeleton with its part to fill in filled in."""
    head, _, rest = SKELETON.partition("def load(")
    return head + body + "\n\n" + LINE + rest.partition(LINE)[2]
