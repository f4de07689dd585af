"""Changes between the settings of a run and those it was started with, in words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

MOST_SHOWN = 6


def changes_in_words(names: Iterable[str], saved: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """The values of settings then and now; only the first few if there are many.

    >>> changes_in_words(["lora.rank", "model.revision"], {"lora.rank": 4}, {"lora.rank": 8, "model.revision": "main"})
    'lora.rank was 4, now 8; model.revision was not set, now "main"'
    """
    listed = list(names)
    shown = [f"{name} was {_shown(saved.get(name))}, now {_shown(now.get(name))}" for name in listed[:MOST_SHOWN]]
    if len(listed) > MOST_SHOWN:
        shown.append(f"and {len(listed) - MOST_SHOWN} more")
    return "; ".join(shown)


def _shown(value: Any) -> str:
    return "not set" if value is None else json.dumps(value, ensure_ascii=False, default=str)
