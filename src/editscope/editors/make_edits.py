"""Edits from what an editor returns or raises: each gets a status, a time and pixels."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from editscope.cases import Edit, Status
from editscope.editors.base import Editor, Request
from editscope.errors import BadImage
from editscope.images import ImageLike, decode
from editscope.outside import (
    MOST_DOLLARS,
    MOST_MEGABYTES,
    MOST_SECONDS,
    count,
    measure,
    name_received,
    one_line,
    received,
)

LONGEST_NOTE, MOST_NOTES = 2_000, 100


def made(editor: Editor, requests: Sequence[Request]) -> list[Edit]:
    """What an editor says to one batch, as edits with the time they took. What it raises is raised."""
    held = reserved(editor, requests)
    began, results = time.perf_counter(), None
    try:
        results = [editor.edit(requests[0])] if len(requests) == 1 else list(editor.edit_batch(requests))
        if len(results) != len(requests):
            raise ValueError(f"edit_batch gave {len(results)} results for {len(requests)} requests")
    finally:
        settled(editor, held, results)
    took = time.perf_counter() - began
    return [as_edit(result, one, took) for result, one in zip(results, requests, strict=True)]


def reserved(editor: Editor, requests: Sequence[Request]) -> float:
    """Dollars that are reserved from the run's budget for edits, where their editor does not do that itself.

    An edit is taken to cost what the editor estimates, or what its last one cost where that was more.
    """
    account = editor.budget_account
    if account is None or editor.reserves or editor.free:
        return 0.0
    price = sum(editor.estimate(1, max(1, len(one.arrays))) or 0.0 for one in requests)
    price = max(price, editor.last_cost * len(requests))
    if price:
        account.reserve_now(price, "edit")
    else:
        account.refuse_overdrawn("edit")  # a worker that has just started knows no price
    return price


def settled(editor: Editor, held: float, results: Sequence[ImageLike | Edit | None] | None) -> None:
    """Replace a reservation by what the edits cost; by itself where nobody says, since it may have been paid."""
    account = editor.budget_account
    if account is None or editor.reserves or editor.free:
        return
    costs = [one.cost_usd if isinstance(one, Edit) else None for one in results or ()]
    known = [cost for value in costs if (cost := measure(value, MOST_DOLLARS)) is not None]
    editor.last_cost = max(known, default=editor.last_cost)
    account.settle(held, sum(known) if len(known) == len(costs) and known else max(held, sum(known)))


def failed(error: BaseException, requests: Sequence[Request]) -> list[Edit]:
    """The edits of requests at which an editor raised."""
    return [Edit(one.case_id, one.variant, status="error", reason=one_line(error)) for one in requests]


def decoded(edit: Edit, name: str | None = None) -> Edit:
    """The edit with the pixels of its picture; without an output where that cannot be decoded."""
    if edit.status != "ok" or edit.image is None:
        return replace(edit, image=None)
    try:
        picture = decode(edit.image, name=name)
    except (BadImage, TypeError) as error:
        return replace(edit, image=None, status="no_output", reason=received(error))
    return replace(edit, image=picture.pixels, notes=(*edit.notes, *picture.notes))


def fault_of_picture(error: BadImage) -> str:
    """What is wrong with a picture that somebody else made, without the advice for who has it as a file.

    >>> fault_of_picture(BadImage("out.png is empty (zero bytes); write or copy it again"))
    'out.png is empty (zero bytes)'
    """
    return str(error).rpartition("; ")[0] or str(error)


def kept_edit(edit: Edit) -> Edit:
    """An edit whose texts and numbers a run can keep, whoever made it: see ``editscope.outside``."""
    status, reason = edit.status, edit.reason
    if status not in get_args(Status):
        status, reason = (
            "error",
            f"the editor gave the status {status!r}, which is none of {', '.join(get_args(Status))}",
        )
    notes = (edit.notes,) if isinstance(edit.notes, str) else tuple(edit.notes)
    return replace(
        edit,
        status=status,
        reason=None if reason is None else received(reason),
        trace=None if edit.trace is None else received(edit.trace),
        asked=None if edit.asked is None else received(edit.asked),
        notes=tuple(received(note, LONGEST_NOTE) for note in notes[:MOST_NOTES]),
        model=name_received(edit.model or ""),
        latency_s=measure(edit.latency_s, MOST_SECONDS),
        memory_mb=measure(edit.memory_mb, MOST_MEGABYTES),
        cost_usd=measure(edit.cost_usd, MOST_DOLLARS),
        charged_usd=measure(edit.charged_usd, MOST_DOLLARS),
        attempts=count(edit.attempts),
    )


def as_edit(result: ImageLike | Edit | None, request: Request, took: float) -> Edit:
    """What an editor returned, as the edit that was asked for; the edit of another case is an error."""
    edit = result if isinstance(result, Edit) else Edit(request.case_id, image=result)
    if edit.case_id != request.case_id:
        reason = f"the editor returned the edit of case {edit.case_id!r} when asked for case {request.case_id!r}"
        edit = replace(edit, image=None, status="error", reason=reason)
    if edit.status == "ok" and edit.image is None:
        edit = replace(edit, status="no_output", reason=edit.reason or "the editor returned nothing")
    edit = kept_edit(edit)
    latency = took if edit.latency_s is None else edit.latency_s
    return replace(edit, case_id=request.case_id, variant=request.variant, latency_s=latency)
