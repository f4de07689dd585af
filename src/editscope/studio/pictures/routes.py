"""Addresses of pictures. Run, case, variant and kind are looked up in the catalog; none of them is a path."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from editscope.errors import BadInput
from editscope.studio.pictures.book import SIDES
from editscope.studio.state import Studio, studio_of

router = APIRouter()


@router.get("/picture", response_class=Response)
def picture(
    request: Request,
    studio: Annotated[Studio, Depends(studio_of)],
    run: Annotated[str, Query(max_length=4096)],
    case: Annotated[str, Query(max_length=4096)],
    kind: Annotated[str, Query(max_length=1024)],
    variant: Annotated[str, Query(max_length=1024)] = "",
    side: int = 0,
) -> Response:
    """One picture of a case: an input, the answer, a run's edit, its level map, or what a judge was shown of it."""
    if side not in SIDES:
        raise BadInput(f"side is one of {', '.join(map(str, SIDES))}")
    studio.catalog.refresh(wait_s=0.0)
    served = studio.pictures.picture(run, case, variant, kind, side)
    headers = {"Cache-Control": "private, no-cache"}
    if served.tag:
        headers["ETag"] = served.tag
        if request.headers.get("if-none-match") == served.tag:
            return Response(status_code=304, headers=headers)
    return Response(served.data, media_type=served.kind, headers=headers)
