"""Schemathesis against a studio: every answer that it got, and what is wrong with one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from editscope.studio.access import POLICY
from support.studio.made_study import NAMES

PHASES = ("examples", "coverage", "fuzzing")


@dataclass(frozen=True)
class FuzzedAnswer:
    """An answer of the studio, with what was asked."""

    phase: str
    operation: str
    asked: str
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def wrong(self) -> str:
        """What must not be; "" where all is well."""
        kind = self.headers.get("content-type", "").partition(";")[0]
        if self.status >= 500:
            return f"answered {self.status}"
        if self.headers.get("content-security-policy") != POLICY and self.status != 400:
            return "has no content security policy"
        if "/rate/" in self.operation and any(name.encode() in self.body for name in NAMES):
            return "names a model"
        if b"Traceback" in self.body:
            return "shows a traceback"
        return _unreadable(kind, self.body) if self.status != 304 else ""

    def __str__(self) -> str:
        return f"{self.operation} [{self.phase}] {self.wrong}: {self.asked[:600]} -> {self.body[:200]!r}"


def _unreadable(kind: str, body: bytes) -> str:
    """Why a body is not what its type says; "" where it is."""
    try:
        if kind == "application/json":
            json.loads(body)
        elif kind == "application/x-ndjson":
            [json.loads(line) for line in body.decode().split("\n") if line]
        elif kind == "text/html":
            text = body.decode()
            if not text.lower().startswith("<!doctype html>") or not text.rstrip().endswith("</html>"):
                return "is not a whole HTML page"
        elif kind not in ("text/csv", "image/png", "image/webp", "image/jpeg", "image/svg+xml"):
            return f"is of the type {kind!r}"
    except ValueError as error:
        return f"is not {kind}: {error}"
    return ""


def fuzzed(
    document: dict[str, Any], address: str, examples: int, seed: int, phases: Sequence[str] = PHASES
) -> Iterator[FuzzedAnswer]:
    """Every answer to what Schemathesis makes of a document: its examples, edges of every field, and random ones."""
    import schemathesis
    from schemathesis.engine import events, from_schema

    schema = schemathesis.openapi.from_dict(document)
    config = schema.config
    config.update(base_url=address)
    config.seed = seed
    modes = [schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE]
    config.generation.update(max_examples=examples, modes=modes, database="none")
    config.output.truncation.max_recorded_payload_size = 1 << 30
    config.phases.update(phases=list(phases))
    config.phases.coverage.unexpected_methods = {"patch", "query"}  # of all others the router says the same
    config.checks.update(included_check_names=[])  # ours look at every answer, rather than stop at the first bad one
    for event in from_schema(schema).execute():
        if isinstance(event, events.NonFatalError):
            raise AssertionError(f"{event.label}: {event.value}")
        if not isinstance(event, events.ScenarioFinished):
            continue
        for interaction in event.recorder.interactions.values():
            request, answer = interaction.request, interaction.response
            if answer is None:
                raise AssertionError(f"no answer to {request.method} {request.uri}")
            body = "" if request.body is None else repr(request.body[:400])
            yield FuzzedAnswer(
                event.phase.value, str(event.label), f"{request.method} {request.uri} {body}", answer.status_code,
                {name.lower(): ", ".join(values) for name, values in answer.headers.items()}, answer.content or b"",
            )  # fmt: skip
