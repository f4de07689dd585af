"""A worker for Editscope: fill in `load` and `edit`, and run it as `--editor "worker:python THIS_FILE?key=value"`.

This file needs Python 3.8 or newer and, to open pictures, Pillow; nothing of Editscope. It belongs into the
environment of the model. Try it without Editscope:  python THIS_FILE try input.png "Make it red." output.png key=value
"""

from __future__ import annotations

import json
import os
import queue
import random
import shutil
import signal
import sys
import threading
import time
import traceback
from pathlib import Path
from typing import Any


def load(options: dict[str, Any]) -> dict[str, Any]:
    """Load the model, once. `options` are those of the spec; what is returned describes the worker.

    `known` gives the options with their defaults, and says so when one is misspelled.
    """
    known(options, strength=0.0)
    return {"name": "skeleton", "model": "no model yet", "max_images": 1, "batch": 1}


def edit(request: Request) -> Any:
    """One edit of `request.images` (PIL images) by `request.instruction`. Random numbers are seeded already.

    Return a PIL image, a uint8 array or the path of a file; or, with more to say, a dictionary of "image", "trace"
    (what the model thought), "status" ("refused", "no_output" or "error") and "reason".
    """
    return request.images[0]


def edit_batch(requests: list[Request]) -> list[Any]:
    """Several edits at once, for a model that takes them; `load` says how many as "batch".

    Each has a seed of its own, `request.seed`: give the model a generator for each, so that a batch is one by one.
    """
    return [edit(request) for request in requests]


# ---------------------------------------------------------------------------------------------------------------------
# From here on: how Editscope is talked to. There is nothing to change.


class Request:
    """One edit that is asked for."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.id: str = fields["id"]
        self.case: str = fields.get("case", "")
        self.variant: str = fields.get("variant", "")
        self.instruction: str = fields["instruction"]
        self.paths: list[str] = fields["images"]
        self.seed: int = fields.get("seed", 0)
        self.tags: dict[str, str] = fields.get("tags", {})
        self.out: str = fields["out"]

    @property
    def images(self) -> list[Any]:
        """The pictures as PIL images with three channels."""
        from PIL import Image

        pictures = []
        for path in self.paths:
            with Image.open(path) as image:
                pictures.append(image.convert("RGB"))
        return pictures


def known(options: dict[str, Any], **defaults: Any) -> dict[str, Any]:
    """The options over their defaults, each as the type of its default; ValueError for a name that has none."""
    for name in options:
        if name not in defaults:
            raise ValueError(f"this worker has no option {name!r}; it has {', '.join(sorted(defaults)) or 'none'}")
    return {
        name: type(value)(options[name]) if name in options and value is not None else options.get(name, value)
        for name, value in defaults.items()
    }


def main() -> None:
    """Talk to Editscope until it says goodbye; or, with `try`, make one edit."""
    if sys.argv[1:2] == ["try"]:
        _try(sys.argv[2:])
        return
    # What libraries print goes to stderr, and nobody but us reads stdin: the pipes are for messages alone.
    given = os.fdopen(os.dup(0), "r", encoding="utf-8")
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
    threading.Thread(target=_listen, args=(given, messages), daemon=True).start()
    hello = messages.get()
    try:
        about = load((hello or {}).get("options", {})) or {}
    except BaseException as error:
        traceback.print_exc()
        _tell(output, {"type": "unfit", "reason": _said(error)})
        sys.exit(1)
    _tell(output, dict(about, type="ready", protocol=1))
    while True:
        message = messages.get()
        if message is None:
            break
        edits = message["edits"] if message.get("type") == "edits" else [message]
        for done in _answers([Request(fields) for fields in edits]):
            _tell(output, done)
    sys.stderr.flush()
    os._exit(0)  # threads that a library forgot must not keep us alive


def _listen(given: Any, messages: queue.Queue[dict[str, Any] | None]) -> None:
    folder = ""
    for line in given:
        message = json.loads(line)
        if message.get("type") == "bye":
            messages.put(None)
            return
        folder = message.get("folder", folder)
        messages.put(message)
    # Whoever started us is gone: leave at once, in the middle of an edit too, with all that we started and were given.
    if Path(folder).name.startswith("editscope-worker-"):
        shutil.rmtree(folder, ignore_errors=True)
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def _tell(told: Any, message: dict[str, Any]) -> None:
    told.write(json.dumps(message) + "\n")
    told.flush()


def _answers(requests: list[Request]) -> list[dict[str, Any]]:
    if len(requests) == 1:
        return [_answer(requests[0])]
    began = time.perf_counter()
    try:
        _prepare(requests[0].seed)
        results = edit_batch(requests)
        took = time.perf_counter() - began
        if len(results) != len(requests):
            raise ValueError(f"edit_batch gave {len(results)} results for {len(requests)} requests")
        return [_done(request, results[number], took) for number, request in enumerate(requests)]
    except Exception as error:  # one of them, or all together, were too much: each by itself
        _fatal(error)
        traceback.print_exc()
        _free_memory()
        return [_answer(request) for request in requests]


def _answer(request: Request) -> dict[str, Any]:
    began = time.perf_counter()
    try:
        _prepare(request.seed)
        return _done(request, edit(request), time.perf_counter() - began)
    except Exception as error:
        _fatal(error)
        traceback.print_exc()
        _free_memory()
        return {"type": "done", "id": request.id, "status": "error", "reason": _said(error)}


def _done(request: Request, result: Any, took: float) -> dict[str, Any]:
    fields = dict(result) if isinstance(result, dict) else {"image": result}
    image = fields.pop("image", None)
    if image is not None:
        _save(image, request.out)
        fields["image"] = request.out
    return dict({"latency_s": took, "memory_mb": _memory()}, **fields, type="done", id=request.id)


def _save(image: Any, out: str) -> None:
    if isinstance(image, (str, os.PathLike)):
        if Path(image).resolve() != Path(out).resolve():
            shutil.copyfile(image, out)
        return
    if not hasattr(image, "save"):
        from PIL import Image

        image = Image.fromarray(image)
    image.save(out, "PNG", compress_level=1)


def _prepare(seed: int) -> None:
    """Seed whatever has random numbers, and start to watch the memory of the GPU."""
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(seed)
        if torch.cuda.is_available():
            torch.cuda.reset_peak_memory_stats()


def _memory() -> float | None:
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return None
    return float(sum(torch.cuda.max_memory_allocated(one) for one in range(torch.cuda.device_count()))) / 2**20


def _free_memory() -> None:
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()


def _fatal(error: BaseException) -> None:
    """After an error of CUDA itself no edit succeeds any more: die, to be started again."""
    if "CUDA error" in str(error):
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)


def _said(error: BaseException) -> str:
    text = " ".join(str(error).split())[:500]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _try(arguments: list[str]) -> None:
    if len(arguments) < 3:
        sys.exit(f'usage: python {sys.argv[0]} try INPUT.png "INSTRUCTION" OUTPUT.png [key=value ...]')
    image, instruction, out = arguments[:3]
    options = {}
    for pair in arguments[3:]:
        name, _, value = pair.partition("=")
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value
    print(load(options))
    done = _answer(Request({"id": "try", "instruction": instruction, "images": [image], "out": out, "seed": 0}))
    print(json.dumps(done, indent=2))
    if done.get("status", "ok") != "ok":
        sys.exit(1)


if __name__ == "__main__":
    main()
