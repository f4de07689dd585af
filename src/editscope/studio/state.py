"""State of a running studio: its settings, its database, the runs of its folder and what parts keep running."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar, cast

from fastapi import Request

from editscope.studio.catalog.catalog import Catalog
from editscope.studio.pictures.book import PictureBook
from editscope.studio.settings import Settings
from editscope.studio.store.engine import Store


class StudioService(Protocol):
    """Something that a part keeps running as long as the studio runs, such as a thread."""

    def close(self) -> None:
        """End it in order."""


S = TypeVar("S", bound=StudioService)


@dataclass(frozen=True, slots=True)
class Studio:
    """What every request can use."""

    settings: Settings
    store: Store
    catalog: Catalog
    pictures: PictureBook
    _services: dict[Any, StudioService] = field(default_factory=dict)
    _starting: threading.Lock = field(default_factory=threading.Lock)

    def service(self, make: Callable[[Studio], S]) -> S:
        """The service that ``make`` starts, once for the studio; it is closed when the studio ends."""
        with self._starting:
            if make not in self._services:
                self._services[make] = make(self)
            return cast(S, self._services[make])

    @classmethod
    @contextmanager
    def opened(cls, settings: Settings) -> Iterator[Studio]:
        """A studio with its database open and migrated, and the runs of its folder being read."""
        store = Store.opened(settings)
        catalog = None
        try:
            settings.own_folder.mkdir(exist_ok=True)
            catalog = Catalog(settings.folder, settings.own_folder)
            studio = cls(settings, store, catalog, PictureBook(catalog, settings.own_folder / "pictures"))
            try:
                yield studio
            finally:
                for service in studio._services.values():
                    service.close()
        finally:
            if catalog is not None:
                catalog.close()
            store.close()


async def studio_of(request: Request) -> Studio:
    """The studio that answers a request; a dependency of FastAPI, which would run one that is not async in a thread."""
    return cast(Studio, request.app.state.studio)
