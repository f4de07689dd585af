"""Reader of the files that an offline run of Weights & Biases leaves, with the library's own record types."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BLOCK = 32 * 1024
HEADER = struct.Struct("<IHB")
"""Checksum, length and kind of a piece of a record, as in the log files of LevelDB."""
FULL, LAST = 1, 4


def wandb_records(file: Path) -> Iterator[Any]:
    """The records of a file, in order."""
    from wandb.proto.wandb_internal_pb2 import Record  # type: ignore[attr-defined]

    data = file.read_bytes()
    assert data[:4] == b":W&B"
    place, record = 7, b""
    while place + HEADER.size <= len(data):
        left = BLOCK - place % BLOCK
        if left < HEADER.size:
            place += left
            continue
        _, length, kind = HEADER.unpack_from(data, place)
        if not kind:
            break
        place += HEADER.size
        record += data[place : place + length]
        place += length
        if kind in (FULL, LAST):
            parsed = Record()
            parsed.ParseFromString(record)
            yield parsed
            record = b""


def wandb_history(file: Path) -> list[dict[str, Any]]:
    """What was logged, one dictionary for each call, with the step of the call as ``_step``."""
    rows = [record.history for record in wandb_records(file) if record.HasField("history")]
    return [
        {item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in row.item}
        | {"_step": row.step.num}
        for row in rows
    ]


def wandb_run(file: Path) -> tuple[str, str, str, dict[str, Any]]:
    """Project, name, id and configuration of the run."""
    run = next(record.run for record in wandb_records(file) if record.HasField("run"))
    config = {item.key: json.loads(item.value_json) for item in run.config.update}
    return run.project, run.display_name, run.run_id, config
