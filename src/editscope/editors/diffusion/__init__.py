"""Editing pipelines of the diffusers library, in this process: ``diffusers:REPO_OR_DIR``."""

from __future__ import annotations

from editscope.editors.diffusion.editor import DiffusersEditor, load
from editscope.editors.diffusion.families import FAMILIES, PipelineFamily, family_of

__all__ = ["FAMILIES", "DiffusersEditor", "PipelineFamily", "family_of", "load"]
