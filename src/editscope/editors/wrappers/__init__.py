"""Wrappers, editors around other editors: each changes what is asked or what is kept, and stands before a spec."""

from __future__ import annotations

from editscope.editors.wrappers.base import Wrapper, derived_seed

__all__ = ["Wrapper", "derived_seed"]
