"""Editors in a process and an environment of their own: ``worker:COMMAND``, JSON lines over pipes."""

from __future__ import annotations

from editscope.editors.worker.editor import WorkerEditor, load

__all__ = ["WorkerEditor", "load"]
