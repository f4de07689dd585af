"""Where things are kept that several runs share: verdicts, unpacked archives and datasets."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from editscope.outside import required

VARIABLE = "EDITSCOPE_CACHE"


def cache_folder() -> Path:
    """The folder of the shared cache: EDITSCOPE_CACHE, else ``editscope`` in the user's cache folder."""
    if named := os.environ.get(VARIABLE):
        return Path(required(f"the variable {VARIABLE}", named, "name another folder"))
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(required("the path of the cache", str(base), f"name another folder in {VARIABLE}")) / "editscope"
