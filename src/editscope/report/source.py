"""What a report needs of a run, whoever made it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol


class ReportCase(Protocol):
    """One case of a run: what was asked, what came out, and the evidence. Metrics are fractions."""

    @property
    def case_id(self) -> str:
        """The id, unique in the suite."""

    @property
    def tags(self) -> Mapping[str, str]:
        """What tables group by."""

    @property
    def instruction(self) -> str:
        """What the editor was asked."""

    @property
    def status(self) -> str:
        """``ok``, or why there is no verdict."""

    @property
    def reason(self) -> str | None:
        """The sentence behind a status that is not ``ok``."""

    @property
    def metrics(self) -> Mapping[str, float | None]:
        """Fractions by metric name."""

    @property
    def failure(self) -> str | None:
        """The failure mode."""

    @property
    def evidence(self) -> Mapping[str, Any]:
        """Counts behind the metrics."""

    @property
    def fingerprint(self) -> str:
        """Hash of all that the score depends on."""

    @property
    def thumbs(self) -> Mapping[str, Path]:
        """Small pictures by role: input, answer, edit, error."""

    @property
    def latency_s(self) -> float | None:
        """How long the edit took."""


class ReportRun(Protocol):
    """A run, finished or not."""

    @property
    def path(self) -> Path:
        """The run's folder."""

    @property
    def info(self) -> Mapping[str, Any]:
        """The content of run.json."""

    @property
    def summary(self) -> Mapping[str, Any]:
        """The content of summary.json."""

    def records(self) -> Iterable[ReportCase]:
        """All cases, in the suite's order."""
