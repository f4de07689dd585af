"""Options of the diffusers editor that a table of a sampler has, checked as the editor checks them."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from editscope.editors.diffusion.options import read_options
from editscope.errors import BadInput

SAMPLER = MappingProxyType({"steps": "steps", "guidance": "guidance", "scale": "guidance", "max_area": "max_area"})
"""Entries of a table, and the options of the editor that they are; of two with one option the later counts."""


def check_sampler(settings: Any, where: str) -> None:
    """Raise BadInput, with table and entry, for a value that the editor would refuse."""
    for entry, option in SAMPLER.items():
        value = getattr(settings, entry)
        if value is None:
            continue
        try:
            read_options("", {option: value})
        except BadInput as error:
            said = str(error).partition(f"option {option} ")[2]
            raise BadInput(f"{where} {entry}: {said.removeprefix('is ')}") from None
