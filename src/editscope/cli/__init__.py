"""The command line: one file per group of commands; they parse, call and print."""

from __future__ import annotations

from editscope.cli.app import main

__all__ = ["main"]
