"""State of a running studio: its settings and its database, shared by all requests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

from fastapi import Request

from editscope.studio.settings import Settings
from editscope.studio.store.engine import Store


@dataclass(frozen=True, slots=True)
class Studio:
    """What every request can use."""

    settings: Settings
    store: Store

    @classmethod
    @contextmanager
    def opened(cls, settings: Settings) -> Iterator[Studio]:
        """A studio with its database open and migrated."""
        store = Store.opened(settings)
        try:
            yield cls(settings, store)
        finally:
            store.close()


def studio_of(request: Request) -> Studio:
    """The studio that answers a request; a dependency of FastAPI."""
    return cast(Studio, request.app.state.studio)
