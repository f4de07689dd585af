"""Queue of requests for one editor: its threads take them, several at a time where it takes batches."""

from __future__ import annotations

import traceback
from collections.abc import Sequence

from editscope import printing
from editscope.cases import Edit
from editscope.editors.base import Editor, Request
from editscope.editors.make_edits import decoded, failed, made
from editscope.editors.server.task_queue import MOST_WAITING, TaskQueue
from editscope.errors import Stopped


class RequestQueue(TaskQueue[Request, Edit]):
    """Keeps a loaded editor busy: ``at_once`` threads, each of which takes up to ``batch`` requests that wait."""

    def __init__(self, editor: Editor, *, most_waiting: int = MOST_WAITING) -> None:
        super().__init__(at_once=editor.at_once, batch=editor.batch, most_waiting=most_waiting)
        self.editor = editor

    def load(self) -> None:
        """Load the editor."""
        self.editor.load()

    def release(self) -> None:
        """Release the editor."""
        self.editor.close()

    def do(self, tasks: Sequence[Request]) -> Sequence[Edit | BaseException]:
        """The edits of some requests."""
        return edited(self.editor, tasks)


def edited(editor: Editor, requests: Sequence[Request]) -> list[Edit]:
    """What an editor makes of requests, each with decoded pixels or the status that says why there are none.

    What it raises is the status of these edits; only Stopped passes.
    """
    try:
        edits = made(editor, requests)
    except Stopped:
        raise
    except BaseException as error:
        printing.say(traceback.format_exc(), error=True)
        return failed(error, requests)
    return [decoded(edit, "the editor's picture") for edit in edits]
