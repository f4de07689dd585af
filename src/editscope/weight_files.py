"""Files of weights: which tensors they have, and whether all are there and were written to their end.

Nothing here loads weights; it reads headers of safetensors files.

The first eight bytes are the length of a JSON header, little-endian. For each tensor, the header has its type, its
shape, and where its bytes begin and end.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from editscope.documents import read_json
from editscope.files import open_file, read_file

SUFFIX = ".safetensors"
LONGEST_HEADER = 100_000_000
"""Bytes that the header may have; its own library refuses longer ones."""
SUFFIXES = (SUFFIX, ".bin")
SHARDS = f"*{SUFFIX}.index.json"
LONGEST_INDEX = 64 << 20
"""Bytes that a list of shards may have."""
POINTER = b"version https://git-lfs"


class DamagedWeights(ValueError):
    """A file whose header cannot be read, or that ends before its last tensor."""


class DamagedFolder(Exception):
    """A folder of weights that cannot be loaded: which file, or the folder itself, and why."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path}: {why}")
        self.path, self.why = path, why


class UnfinishedWeights(DamagedWeights):
    """A file that ends before its header or its last tensor does."""


def tensor_headers(path: Path) -> Mapping[str, Mapping[str, Any]]:
    """What the header of a file says of each tensor. OSError where it cannot be opened.

    Raises UnfinishedWeights where the file is shorter than its header says, and DamagedWeights where it has no such
    header. No weights are read.
    """
    with open_file(path) as file:
        size = file.seek(0, 2)
        file.seek(0)
        start = file.read(len(POINTER))
        if start == POINTER:
            raise DamagedWeights("it is a Git LFS pointer; `git lfs pull` fetches the weights")
        if len(start) < 8:
            raise UnfinishedWeights(f"it has {size} bytes")
        length = int.from_bytes(start[:8], "little")
        if length > LONGEST_HEADER:
            raise DamagedWeights("it does not begin like a safetensors file")
        file.seek(8)
        header = file.read(length)
    if len(header) < length:
        raise UnfinishedWeights(f"it ends after {size:,} bytes, inside its header")
    try:
        tensors = {name: dict(told) for name, told in json.loads(header).items() if name != "__metadata__"}
        if not all(isinstance(side, int) for told in tensors.values() for side in told["shape"]):
            raise TypeError("shapes are whole numbers")
        whole = 8 + length + max((int(told["data_offsets"][1]) for told in tensors.values()), default=0)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise DamagedWeights("its header is not that of a safetensors file") from error
    if size < whole:
        raise UnfinishedWeights(f"it ends after {size:,} of {whole:,} bytes")
    return tensors


def is_whole(path: Path) -> bool:
    """Whether a file of weights has the length that its header says; True for what cannot be read as one.

    >>> is_whole(Path("no/such.safetensors"))
    False
    """
    try:
        tensor_headers(path)
    except (FileNotFoundError, UnfinishedWeights):
        return False
    except (OSError, DamagedWeights):
        return True  # not ours to judge: whoever loads it will say
    return True


def check_weights(folder: Path) -> None:
    """Raise DamagedFolder for a folder without weights, a missing shard, or a file that was not written to its end."""
    for listed in sorted(folder.glob(SHARDS)):
        try:
            shards = sorted(set(read_json(read_file(listed, LONGEST_INDEX))["weight_map"].values()))
            missing = [name for name in shards if not (folder / name).is_file()]
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise DamagedFolder(listed, "it does not say which file has which weights") from error
        if missing:
            raise DamagedFolder(folder / missing[0], f"{listed.name} names it, and it is not there")
    files = sorted(file for file in folder.iterdir() if file.suffix in SUFFIXES)
    if not files:
        raise DamagedFolder(folder, "it has no weights")
    for file in files:
        try:
            if file.suffix == SUFFIX:
                tensor_headers(file)
        except OSError as error:
            raise DamagedFolder(file, error.strerror or str(error)) from error
        except DamagedWeights as error:
            raise DamagedFolder(file, str(error)) from error
