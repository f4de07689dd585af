"""Silence for the progress bars and remarks of diffusers and its libraries; their warnings are kept."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

LIBRARIES = ("diffusers", "transformers", "accelerate", "peft", "huggingface_hub", "torchao", "torch.utils._pytree")
"""Loggers that are silenced; diffusers imports torchao where it is installed, and PyTorch remarks on its enums."""


class _Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        message = " ".join(record.getMessage().split())
        if message not in self.said:
            self.said.append(message)


class _Handlers(list[logging.Handler]):
    """The handlers of a logger while it is silent: those that a library adds as it is imported are set aside."""

    def __init__(self, handler: logging.Handler) -> None:
        super().__init__([handler])
        self.added: list[logging.Handler] = []

    def append(self, handler: logging.Handler) -> None:
        self.added.append(handler)


@contextmanager
def quiet() -> Iterator[list[str]]:
    """Silence the libraries; the list holds what they warned of, once each.

    Their loggers write to the terminal through handlers of their own; here those are set aside and ours takes over.
    """
    handler = _Kept()
    before: list[tuple[logging.Logger, list[logging.Handler], bool, int]] = []
    for name in LIBRARIES:
        logger = logging.getLogger(name)
        before.append((logger, logger.handlers, logger.propagate, logger.level))
        logger.handlers, logger.propagate = _Handlers(handler), False
        logger.setLevel(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield handler.said
    finally:
        for logger, handlers, propagate, level in before:
            logger.setLevel(level)
            added = logger.handlers.added if isinstance(logger.handlers, _Handlers) else []
            logger.handlers, logger.propagate = [*handlers, *(new for new in added if new not in handlers)], propagate


def no_bars(diffusers: Any, transformers: Any) -> None:
    """Turn off the progress bars of loading, for good: this process belongs to one run."""
    diffusers.utils.logging.disable_progress_bar()
    transformers.utils.logging.disable_progress_bar()
    import_module("huggingface_hub.utils").disable_progress_bars()
