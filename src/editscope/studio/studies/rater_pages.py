"""Pages and answers for raters. A link is the only key, and nothing here names a model."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import select

from editscope.studio.failures import Missing
from editscope.studio.rendering import page
from editscope.studio.sent import SentBody
from editscope.studio.state import Studio, studio_of
from editscope.studio.store.group_commit import GroupCommit
from editscope.studio.studies.assigning import ItemRequest, give_items, places, standing
from editscope.studio.studies.design import CHECKED
from editscope.studio.studies.ledger import Ballot, Submission, save_ballots
from editscope.studio.studies.pictures import PictureFolder
from editscope.studio.studies.records import rater_by_link
from editscope.studio.studies.retracting import Retraction, retract
from editscope.studio.studies.tables import GIVEN, ITEMS

router = APIRouter()
Here = Annotated[Studio, Depends(studio_of)]
SECRET = 200
ItemKey = Annotated[str, Field(min_length=1, max_length=32, pattern=r"^[A-Za-z0-9_-]+$")]
NO_STORE = {"Cache-Control": "no-store", "Content-Disposition": "inline"}


class SentBallot(BaseModel):
    """A vote in a request."""

    model_config = ConfigDict(extra="forbid", strict=True)

    item: ItemKey
    key: str = Field(min_length=8, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")
    side: str = Field("", max_length=8)
    scores: dict[str, int] = Field(default_factory=dict, max_length=50)
    seconds: float = 0.0
    answered_at: float = 0.0
    browser: str = Field("", max_length=40, pattern=r"^[A-Za-z0-9_-]*$")


class SentVotes(SentBody):
    """The votes that a browser sends at once."""

    votes: list[SentBallot] = Field(min_length=1, max_length=500)


class SentWish(SentBody):
    """A wish for items."""

    want: int = Field(5, ge=0, le=1000)
    agreed: bool = False


class SentRetraction(SentBody):
    """A vote that the rater takes back."""

    item: ItemKey


def writer(studio: Studio) -> GroupCommit:
    """The thread that writes what raters send."""
    return GroupCommit(studio.store)


@router.get("/rate/{secret}", response_class=HTMLResponse)
def rate(request: Request, secret: str, studio: Here) -> HTMLResponse:
    """The page of a rater."""
    with studio.store.reading() as connection:
        rater, study = rater_by_link(connection, secret[:SECRET])
        where = standing(connection, rater, study)
    design = study.design
    data = {
        "id": f"{study.id}-{rater.number}",
        "kind": design.kind,
        "ties": design.ties,
        "breakAfter": design.break_after,
        "scales": [
            {
                "name": scale.name,
                "label": scale.label,
                "low": scale.low,
                "high": scale.high,
                "lowLabel": scale.low_label,
                "highLabel": scale.high_label,
            }
            for scale in design.scales
        ],
        "step": where.step,
        "done": where.done,
        "of": max(where.of, where.done),
    }
    return page(request, "studies/rate.html", design=design, data=data, checked=CHECKED)


@router.post("/rate/{secret}/api/items")
async def items(secret: str, wish: SentWish, studio: Here) -> JSONResponse:
    """Items to vote on, and where the rater stands."""
    wanted = ItemRequest(secret[:SECRET], wish.want, wish.agreed)
    return JSONResponse(await asyncio.wrap_future(studio.service(writer).submit(give_items, wanted)))


@router.post("/rate/{secret}/api/votes")
async def votes(secret: str, sent: SentVotes, studio: Here) -> JSONResponse:
    """Save votes; the answer comes after the commit."""
    ballots = tuple(Ballot(**vars(ballot)) for ballot in sent.votes)
    submission = Submission(secret[:SECRET], ballots)
    receipts = await asyncio.wrap_future(studio.service(writer).submit(save_ballots, submission))
    return JSONResponse({"receipts": [asdict(receipt) for receipt in receipts]})


@router.post("/rate/{secret}/api/retract")
async def take_back(secret: str, sent: SentRetraction, studio: Here) -> dict[str, Any]:
    """Take a vote back: it stays as a row and no longer counts."""
    answer: dict[str, Any] = await asyncio.wrap_future(
        studio.service(writer).submit(retract, Retraction(secret[:SECRET], sent.item))
    )
    return answer


@router.get("/rate/{secret}/picture/{item}/{place}", response_class=Response)
def picture(secret: str, item: str, place: str, studio: Here) -> Response:
    """A picture of an item that the rater was given, by the place where they see it."""
    with studio.store.reading() as connection:
        rater, study = rater_by_link(connection, secret[:SECRET])
        query = (
            select(ITEMS.c.id, ITEMS.c.pictures)
            .join(GIVEN, GIVEN.c.item_id == ITEMS.c.id)
            .where(ITEMS.c.key == item[:64], GIVEN.c.rater_id == rater.id)
        )
        row = connection.execute(query).first()
    shown = {} if row is None else places(row, study, rater)
    if place not in shown:
        raise Missing("There is no such picture.")
    data = PictureFolder(studio.settings.own_folder).read(str(shown[place]["digest"]))
    # No ETag, no date and no file name: they would differ between models in ways that the pictures do not.
    return Response(data, media_type="image/webp", headers=NO_STORE)
