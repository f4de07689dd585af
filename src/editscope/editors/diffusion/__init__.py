"""``diffusers:REPO_OR_DIR``: editing pipelines of the diffusers library, in this process."""

from __future__ import annotations

from editscope.editors.diffusion.editor import DiffusersEditor, load
from editscope.editors.diffusion.families import FAMILIES, Family, family_of

__all__ = ["FAMILIES", "DiffusersEditor", "Family", "family_of", "load"]
