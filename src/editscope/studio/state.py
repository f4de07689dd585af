"""State of a running studio: its settings, its database, and the runs of its folder, shared by all requests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import cast

from fastapi import Request

from editscope.studio.catalog.catalog import Catalog
from editscope.studio.pictures.book import PictureBook
from editscope.studio.settings import Settings
from editscope.studio.store.engine import Store


@dataclass(frozen=True, slots=True)
class Studio:
    """What every request can use."""

    settings: Settings
    store: Store
    catalog: Catalog
    pictures: PictureBook

    @classmethod
    @contextmanager
    def opened(cls, settings: Settings) -> Iterator[Studio]:
        """A studio with its database open and migrated, and the runs of its folder being read."""
        store = Store.opened(settings)
        catalog = None
        try:
            settings.own_folder.mkdir(exist_ok=True)
            catalog = Catalog(settings.folder, settings.own_folder)
            yield cls(settings, store, catalog, PictureBook(catalog, settings.own_folder / "pictures"))
        finally:
            if catalog is not None:
                catalog.close()
            store.close()


def studio_of(request: Request) -> Studio:
    """The studio that answers a request; a dependency of FastAPI."""
    return cast(Studio, request.app.state.studio)
