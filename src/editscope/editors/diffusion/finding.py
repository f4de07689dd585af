"""Place and class of the model of ``diffusers:REPO_OR_DIR``, known without loading it."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from editscope.documents import read_json
from editscope.editors.diffusion.quiet import quiet
from editscope.errors import BadInput
from editscope.files import SETTINGS, read_file
from editscope.judges.local.model import fingerprint

INDEX = "model_index.json"
REPO = re.compile(r"[\w.-]+/[\w.-]+")
NEEDED = ("torch", "diffusers", "transformers", "accelerate")


def need_libraries(target: str) -> None:
    """BadInput where a package that every pipeline needs is missing."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise BadInput(
            f"editor diffusers:{target} needs {', '.join(missing)}, which is not installed: "
            "pip install 'editscope[local]'"
        )


def local_folder(target: str) -> Path | None:
    """The folder that a target names; None for the name of a repository.

    BadInput for what can be neither, and for a folder that holds no pipeline.
    """
    folder = Path(target).expanduser()
    if folder.is_dir():
        if not (folder / INDEX).is_file():
            raise BadInput(
                f"editor diffusers:{target}: the folder has no {INDEX}; give the folder that a pipeline was saved to "
                "with save_pretrained, not one of its parts"
            )
        return folder
    if folder.is_absolute() or target.startswith((".", "~")) or not REPO.fullmatch(target):
        raise BadInput(
            f"editor diffusers:{target}: there is no such folder; give the folder of a pipeline or a repository such "
            "as black-forest-labs/FLUX.1-Kontext-dev"
        )
    return None


def index_at_hand(target: str, revision: str | None) -> Mapping[str, Any] | None:
    """What the pipeline is made of, from its folder or the cache of downloads; None where it is not here."""
    folder = local_folder(target)
    if folder is not None:
        return _read(folder / INDEX, target)
    if find_spec("huggingface_hub") is None:
        return None
    from huggingface_hub import try_to_load_from_cache

    path = try_to_load_from_cache(target, INDEX, revision=revision)
    return _read(Path(path), target) if isinstance(path, str) else None


def fetched_index(target: str, revision: str | None) -> Mapping[str, Any]:
    """The same, from the hub where it is not here; BadInput says why it cannot be had."""
    index = index_at_hand(target, revision)
    if index is not None:
        return index
    if not _hub_has_an_address():
        raise BadInput(not_here(target))
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import GatedRepoError, LocalEntryNotFoundError, RepositoryNotFoundError

    try:
        with quiet():
            return _read(Path(hf_hub_download(target, INDEX, revision=revision)), target)
    except BadInput:
        raise
    except GatedRepoError as error:
        raise BadInput(
            f"editor diffusers:{target}: accept its license on its page first; then log in with "
            "`hf auth login`, or set HF_TOKEN"
        ) from error
    except RepositoryNotFoundError as error:
        raise BadInput(
            f"editor diffusers:{target}: no such folder or repository exists; check the name, and set HF_TOKEN "
            "for a private one"
        ) from error
    except LocalEntryNotFoundError as error:
        raise BadInput(not_here(target)) from error
    except Exception as error:  # the hub's own, of the network, of the disk
        raise BadInput(f"editor diffusers:{target} cannot be looked up ({shortly(error)}); try again") from error


def _hub_has_an_address() -> bool:
    """Whether the hub's name means anything here: without a network, downloads would try for half a minute."""
    if offline() or any(os.environ.get(name) for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy")):
        return not offline()
    from huggingface_hub.constants import ENDPOINT

    try:
        return bool(socket.getaddrinfo(urlsplit(ENDPOINT).hostname, 443))
    except OSError:
        return False


def not_here(target: str) -> str:
    """The sentence for a model that was not downloaded, where the network cannot be reached or must not be."""
    return (
        f"editor diffusers:{target}: the model is not on this machine and the hub cannot be reached; where there is a "
        f"network run `hf download {target}`, or download it into a folder and write diffusers:FOLDER"
    )


def weights_identity(target: str, others: Sequence[str], revision: str | None) -> str:
    """Which weights they are: the commit of a repository or a hash of what lies in a folder, with ``others`` on top."""
    folder = local_folder(target)
    parts = [_folder_hash(folder) if folder is not None else _commit(target, revision)]
    for other in others:
        path = Path(other).expanduser()
        parts.append(_folder_hash(path) if path.exists() else other)
    return parts[0] if len(parts) == 1 else sha256("\x1f".join(parts).encode()).hexdigest()[:16]


def need_weights(target: str, option: str, source: str) -> None:
    """BadInput where weights that an option names are neither here nor can be a repository."""
    if Path(source).expanduser().exists():
        return
    if option == "lora" and REPO.fullmatch(source) and not source.startswith((".", "~")):
        return
    kind = "folder or file" if option == "lora" else "folder"
    raise BadInput(f"editor diffusers:{target}, option {option}: there is no such {kind} as {source}; check the path")


def shortly(error: BaseException, most: int = 300) -> str:
    """The first sentence of an error, on one line."""
    sentence = " ".join(str(error).split()).split(". ")[0][:most]
    return sentence or type(error).__name__


def _folder_hash(path: Path) -> str:
    if path.is_file():  # of a checkpoint among others it is the file that counts, not its neighbors
        return fingerprint(path.parent, only=path.name)
    folders = [path, *sorted(one for one in path.iterdir() if one.is_dir() and not one.name.startswith("."))]
    hashed = sha256()
    for folder in folders:
        name = "" if folder == path else folder.name
        hashed.update(f"{name}\x1f{fingerprint(folder)}\x1e".encode())
    return hashed.hexdigest()[:16]


def _commit(target: str, revision: str | None) -> str:
    from huggingface_hub import try_to_load_from_cache

    path = try_to_load_from_cache(target, INDEX, revision=revision)
    return Path(path).parent.name[:12] if isinstance(path, str) else (revision or "main")


def _read(path: Path, target: str) -> Mapping[str, Any]:
    try:
        index = read_json(read_file(path, SETTINGS))
        if not isinstance(index, dict) or not isinstance(index["_class_name"], str):
            raise KeyError("_class_name")
    except (OSError, ValueError, KeyError) as error:
        raise BadInput(
            f"editor diffusers:{target}: {INDEX} cannot be read ({shortly(error)}); save or download the pipeline again"
        ) from error
    return index


def offline() -> bool:
    """Whether the user said that the network must not be used."""
    return os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE")
