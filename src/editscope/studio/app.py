"""The web application: its parts behind one gate, and every error as a sentence."""

from __future__ import annotations

import logging
import os
import re
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from sqlalchemy.exc import DBAPIError
from starlette.exceptions import HTTPException

from editscope.errors import EditscopeError
from editscope.outside import repaired
from editscope.runfolder.files import DiskError
from editscope.studio.access import Gate
from editscope.studio.failures import FULL, NO_ROOM, Conflict, Missing, told_of_database
from editscope.studio.parts import PARTS
from editscope.studio.rendering import page
from editscope.studio.settings import Settings
from editscope.studio.state import Studio
from editscope.version import __version__

LOG = logging.getLogger("editscope.studio")
TITLES = {
    401: "Not signed in",
    403: "Not allowed",
    404: "Not found",
    409: "Changed meanwhile",
    503: "Not now",
    507: "Disk full",
}


def create_app(settings: Settings) -> FastAPI:
    """The application for a folder; its database is made or migrated when it starts."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        with Studio.opened(settings) as studio:
            app.state.studio = studio
            yield

    app = FastAPI(title="Editscope studio", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None)
    app.add_middleware(Gate, settings=settings, refuse=refusal)
    app.add_exception_handler(EditscopeError, _own_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _wrong_request)
    app.add_exception_handler(OSError, _system_error)
    app.add_exception_handler(DBAPIError, _database_error)
    app.add_exception_handler(Exception, _unexpected)
    for part in PARTS:
        app.include_router(part.router)
    return app


def refusal(request: Request, status: int, message: str) -> Response:
    """An error for a person as a page, for a script as JSON."""
    message = repaired(message)  # it may quote what was sent
    if "text/html" in request.headers.get("accept", "") and "/api/" not in request.url.path:
        title = TITLES.get(status, "That did not work")
        return page(request, "base/error.html", status, title=title, message=message)
    return JSONResponse({"error": message}, status_code=status, headers={"Cache-Control": "no-store"})


def _own_error(request: Request, error: Exception) -> Response:
    if isinstance(error, DiskError) and isinstance(error.__cause__, OSError):
        return _system_error(request, error.__cause__)
    status = 404 if isinstance(error, Missing) else 409 if isinstance(error, Conflict) else 400
    return refusal(request, status, str(error))


def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    message = "There is no such page." if error.detail == "Not Found" else str(error.detail)
    return refusal(request, error.status_code, message)


def _wrong_request(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(step) for step in first["loc"] if step not in ("body", "query", "path")) or "the request"
    return refusal(request, 422, f"{where}: {first['msg']}")


def _system_error(request: Request, error: Exception) -> Response:
    """An error of the disk: told without paths, which are nobody's business in a browser."""
    assert isinstance(error, OSError)
    LOG.error("%s %s: %s", request.method, _logged(request), error)
    full = error.errno in FULL
    message = NO_ROOM if full else "A file could not be read or written."
    return refusal(request, 507 if full else 500, message)


def _database_error(request: Request, error: Exception) -> Response:
    """An error of the database: full, locked, read-only, damaged or away."""
    assert isinstance(error, DBAPIError)
    LOG.error("%s %s: %s", request.method, _logged(request), error.orig)
    return refusal(request, *told_of_database(error))


def _logged(request: Request) -> str:
    """The path of a request for the log, without the secret of a private link."""
    return re.sub(r"^(/rate/(?:review/)?)[^/]+", r"\1…", request.url.path)


def _unexpected(request: Request, error: Exception) -> Response:
    LOG.error("%s %s\n%s", request.method, _logged(request), "".join(traceback.format_exception(error)))
    if os.environ.get("EDITSCOPE_DEBUG"):
        raise error
    return refusal(request, 500, "Something went wrong in the studio; its log has the details.")
