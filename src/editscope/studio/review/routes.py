"""Pages and answers of review: queues for the admin, and one page for whoever has a private link."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import HTMLResponse, StreamingResponse
from pydantic import Field

from editscope.errors import BadImage
from editscope.files import PICTURE, lies_in, read_file
from editscope.images import probe
from editscope.review_queue import QueueRecord
from editscope.studio.failures import Missing
from editscope.studio.rendering import page
from editscope.studio.review import decisions as ledger
from editscope.studio.review.queues import OpenQueue, Queues, queues_of
from editscope.studio.review.writing import decision_lines, decision_writer
from editscope.studio.sent import SentBody, SentText
from editscope.studio.state import Studio, studio_of

router = APIRouter()

StudioHere = Annotated[Studio, Depends(studio_of)]
QueuesHere = Annotated[Queues, Depends(queues_of)]
Text = Annotated[SentText, Field(max_length=200_000)]
KINDS = {
    b"\x89PNG": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
    b"RIFF": "image/webp",
    b"BM": "image/bmp",
}
SHOWN = 200
"""Records that the page of a queue lists."""


class NewReviewer(SentBody):
    """Whom an admin adds to a queue."""

    name: SentText = Field(min_length=1, max_length=80)
    role: Literal["reviewer", "adjudicator"] = "reviewer"


class NewDecision(SentBody):
    """What a reviewer sends; ``key`` is made by the browser, so that a decision that is sent twice counts once."""

    record: SentText = Field(max_length=200)
    fingerprint: SentText = Field(max_length=16)
    decision: Literal["accept", "reject"]
    reason: SentText = Field(default="", max_length=500)
    note: SentText = Field(default="", max_length=5_000)
    texts: dict[SentText, Text] = Field(default_factory=dict, max_length=40)
    key: SentText = Field(min_length=8, max_length=64)


@router.get("/review", response_class=HTMLResponse)
def queues_page(request: Request, studio: StudioHere, queues: QueuesHere) -> Response:
    """All queues with their progress."""
    rows = []
    with studio.store.reading() as connection:
        for key, name, queue in queues.listed():
            if isinstance(queue, str):
                rows.append({"key": "", "title": name, "problem": queue})
                continue
            rows.append({"key": key, "title": queue.title, "problem": "", **_progress(connection, queue)})
    return page(request, "review/queues.html", part="review", queues=rows)


@router.get("/review/{key}", response_class=HTMLResponse)
def queue_page(request: Request, key: str, studio: StudioHere, queues: QueuesHere) -> Response:
    """One queue for its admin: progress, agreement, reviewers with their links, and the records."""
    queue = queues.find(key)
    with studio.store.reading() as connection:
        people = [(one, ledger.done_by(connection, one)) for one in ledger.reviewers_of(connection, queue.name)]
        found = ledger.decisions_on(connection, queue)
    states = [ledger.outcome(found.get(record.id, ()), queue.settings.reviews) for record in queue.records]
    rows = [
        {"id": record.id, "state": state, "decisions": found.get(record.id, [])}
        for record, state in zip(queue.records[:SHOWN], states, strict=False)
    ]
    return page(
        request,
        "review/queue.html",
        part="review",
        queue=queue,
        people=people,
        counts=Counter(states),
        agreement=ledger.agreement(found),
        rows=rows,
    )


@router.post("/review/{key}/api/reviewers")
def add_reviewer(key: str, given: NewReviewer, studio: StudioHere, queues: QueuesHere) -> dict[str, str]:
    """Add a person; the answer has their private link."""
    queue = queues.find(key)
    with studio.store.writing() as connection:
        made = ledger.add_reviewer(connection, queue.name, given.name, given.role)
    return {"name": made.name, "link": f"/rate/review/{made.secret}"}


@router.get("/review/{key}/decisions.jsonl", response_class=StreamingResponse)
def export(key: str, studio: StudioHere, queues: QueuesHere) -> Response:
    """Every record with what became of it and all decisions, one JSON object a line."""
    lines = decision_lines(studio, queues.find(key))
    headers = {"Content-Disposition": 'attachment; filename="decisions.jsonl"', "Cache-Control": "no-store"}
    return StreamingResponse(lines, media_type="application/x-ndjson", headers=headers)


@router.get("/rate/review/{secret}", response_class=HTMLResponse)
def review_page(request: Request, secret: str, studio: StudioHere, queues: QueuesHere) -> Response:
    """The page on which a person reviews."""
    reviewer, queue = _by_link(secret, studio, queues)
    data = {
        "base": f"/rate/review/{secret}",
        "person": reviewer.id,
        "role": reviewer.role,
        "total": len(queue.records),
        "reasons": queue.settings.reasons,
    }
    return page(request, "review/review.html", queue=queue, reviewer=reviewer, data=data)


@router.get("/rate/review/{secret}/api/next")
def next_record(secret: str, studio: StudioHere, queues: QueuesHere, after: int = -1) -> dict[str, Any]:
    """The next record that waits for this person, or none."""
    reviewer, queue = _by_link(secret, studio, queues)
    with studio.store.reading() as connection:
        number = ledger.next_number(connection, queue, reviewer, min(max(after, -1), len(queue.records)))
        done = ledger.done_by(connection, reviewer)
    return {"number": number, "done": done, "total": len(queue.records)}


@router.get("/rate/review/{secret}/api/record/{number}")
def one_record(secret: str, number: int, studio: StudioHere, queues: QueuesHere) -> dict[str, Any]:
    """A record, with what this person decided on it; an adjudicator sees what the reviewers decided, too."""
    reviewer, queue = _by_link(secret, studio, queues)
    record = queue.record(number)
    with studio.store.reading() as connection:
        made = ledger.decisions_on(connection, queue, [record]).get(record.id, [])
    mine = next((one for one in made if one.reviewer == reviewer.name), None)
    others = [one.as_json() for one in made if reviewer.role == ledger.ADJUDICATOR and one.role == ledger.REVIEWER]
    return {
        "number": number,
        "id": record.id,
        "fingerprint": record.fingerprint,
        "pictures": [_picture(queue, record, name, number, secret) for name in record.pictures],
        "texts": record.texts,
        "fields": record.fields,
        "provenance": record.provenance,
        "mine": None if mine is None else mine.as_json(),
        "others": others,
    }


@router.get("/rate/review/{secret}/picture/{number}/{place}", response_class=Response)
def picture(secret: str, number: int, place: int, studio: StudioHere, queues: QueuesHere) -> Response:
    """A picture of a record."""
    _, queue = _by_link(secret, studio, queues)
    record = queue.record(number)
    if not 0 <= place < len(record.pictures):
        raise Missing("The record has no such picture.")
    path = queue.folder / list(record.pictures.values())[place]
    if not lies_in(path, queue.folder) or not path.is_file():
        raise Missing("This picture is not in the folder of its queue.")
    data = read_file(path, PICTURE)
    kind = next((kind for start, kind in KINDS.items() if data.startswith(start)), None)
    if kind is None:
        raise Missing("This file is not a picture that a browser shows.")
    return Response(data, media_type=kind, headers={"Cache-Control": "private, max-age=3600"})


@router.post("/rate/review/{secret}/api/decisions")
def decide(secret: str, given: NewDecision, studio: StudioHere, queues: QueuesHere) -> dict[str, Any]:
    """Save a decision; the answer comes after the commit."""
    reviewer, queue = _by_link(secret, studio, queues)
    record = queue.by_id.get(given.record)
    if record is None:
        raise Missing("This record is not in the queue any more.")
    with studio.store.writing() as connection:
        ledger.save(connection, reviewer, record, given.model_dump())
    studio.service(decision_writer).changed(queue.key, queues)
    with studio.store.reading() as connection:
        return {"saved": given.key, "done": ledger.done_by(connection, reviewer)}


def _by_link(secret: str, studio: Studio, queues: Queues) -> tuple[ledger.Reviewer, OpenQueue]:
    with studio.store.reading() as connection:
        reviewer = ledger.reviewer_by_link(connection, secret)
    return reviewer, queues.named(reviewer.queue)


def _progress(connection: Any, queue: OpenQueue) -> dict[str, Any]:
    found = ledger.decisions_on(connection, queue)
    states = Counter(ledger.outcome(found.get(record.id, ()), queue.settings.reviews) for record in queue.records)
    decided = states[ledger.ACCEPT] + states[ledger.REJECT]
    return {"total": len(queue.records), "decided": decided, "disputed": states[ledger.DISPUTED]}


def _picture(queue: OpenQueue, record: QueueRecord, name: str, number: int, secret: str) -> dict[str, Any]:
    place = list(record.pictures).index(name)
    try:
        width, height = probe(queue.folder / record.pictures[name])
    except BadImage:
        return {"name": name, "problem": "This picture is missing or cannot be read."}
    address = f"/rate/review/{secret}/picture/{number}/{place}"
    return {"name": name, "address": address, "width": width, "height": height, "problem": ""}
