"""Output of an editor: whatever its process prints becomes whole lines in a file of the run folder."""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path

from editscope.editors.worker.process import Log, lines_of
from editscope.runfolder.files import EDITOR_LOG

MOST_BYTES = 8 << 20
"""The log of a run grows to this size; a progress bar for every edit of a large run would fill a disk."""
CLOSING_S = 1.0


class EditorOutput:
    """The output of one worker process: what it and its children write to their streams goes to ``editor.log``.

    On a terminal it would tear the progress bar, and a bar for every edit would drown everything else. A reader thread
    takes it from a pipe, so that output of C libraries is caught too; of a bar that is drawn over and over only the
    last state is kept, and commands to a terminal and keys are taken out.
    """

    def __init__(self, folder: Path) -> None:
        self._read_end, self.fd = os.pipe()
        self._log = Log(folder / EDITOR_LOG, MOST_BYTES)
        self._reader = threading.Thread(target=self._read, name="editscope-editor-output", daemon=True)
        self._reader.start()

    @property
    def printed(self) -> list[str]:
        """The last lines of it."""
        return self._log.lines()

    def started(self) -> None:
        """Let go of the end that the process has by now; the reader ends when all its holders have."""
        with contextlib.suppress(OSError):
            os.close(self.fd)

    def close(self) -> None:
        """Wait a moment for what is left, and write no more: somebody who left the group may hold the pipe for ever."""
        self._reader.join(CLOSING_S)
        self._log.close()

    def _read(self) -> None:
        for line in lines_of(os.fdopen(self._read_end, "rb")):
            self._log.add(line)
