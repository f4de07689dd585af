"""Models of pictures and videos that are a Python class of the user: ``python:module:Class?key=value``."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from editscope.errors import BadInput
from editscope.factory.models.base import ImageModel, MadeMedia, MediaModel, VideoModel
from editscope.outside import MOST_DOLLARS, kind_of, measure
from editscope.plugins import one_sentence
from editscope.python_class import KIND, find_class

if TYPE_CHECKING:
    import PIL.Image

METHODS = {"image": "draw(self, prompt, width, height, seed)", "video": "animate(self, picture, prompt, seed)"}


class OwnModel(MediaModel):
    """What classes of the user's share: methods that they need not have, and a budget that they need not know."""

    def __init__(self, inner: Any, spec: str) -> None:
        self.inner, self.spec = inner, spec
        self.at_once = int(getattr(inner, "at_once", 1))
        self._last_cost = 0.0

    def check(self) -> None:
        """Let the class check itself, where it can."""
        _if_there(self.inner, "check")

    def load(self) -> None:
        """Let the class load its model, where it has one."""
        _if_there(self.inner, "load")

    def close(self) -> None:
        """Let the class release its model."""
        _if_there(self.inner, "close")

    def paid(self, make: Callable[[], Any], what: str) -> Any:
        """What a call gives, charged to the budget of the build; one is taken to cost what the last one did."""
        account = self.budget_account
        if account is None:
            return make()
        held, cost = self._last_cost, self._last_cost
        if held:
            account.reserve_now(held, what)
        else:
            account.refuse_overdrawn(what)
        try:
            result = make()
            cost = (measure(result.cost_usd, MOST_DOLLARS) or 0.0) if isinstance(result, MadeMedia) else 0.0
            self._last_cost = cost or self._last_cost
        finally:
            account.settle(held, cost)
        return result


class OwnImages(OwnModel, ImageModel):
    """A class of the user's that has ``draw``."""

    def draw(self, prompt: str, width: int, height: int, seed: int) -> Any:
        """What the class draws."""
        return self.paid(lambda: self.inner.draw(prompt, width, height, seed), "picture")


class OwnVideos(OwnModel, VideoModel):
    """A class of the user's that has ``animate``; it gets length and rate where it takes them."""

    def __init__(self, inner: Any, spec: str) -> None:
        super().__init__(inner, spec)
        self.fps = int(getattr(inner, "fps", VideoModel.fps))
        self._takes = _names(inner.animate)

    def animate(self, picture: PIL.Image.Image, prompt: str, seed: int, seconds: float = 0.0, fps: int = 0) -> Any:
        """What the class animates."""
        wanted = {"seconds": seconds, "fps": fps}
        more = {name: value for name, value in wanted.items() if name in self._takes}
        return self.paid(lambda: self.inner.animate(picture, prompt, seed, **more), "video")


def load_own(kind: str, target: str, options: Mapping[str, Any], spec: str) -> MediaModel:
    """The model of a class; BadInput where it lacks the method that its kind needs."""
    where = f"{kind} model {KIND}:{target}"
    candidate = find_class(f"{kind} model", target, options)
    with one_sentence(f"{where} could not be constructed"):
        inner = candidate(**options)
    method = METHODS[kind]
    if not callable(getattr(inner, method.partition("(")[0], None)):
        raise BadInput(f"{where} is {kind_of(inner)}, which has no such method; write `def {method}:`")
    return OwnImages(inner, spec) if kind == "image" else OwnVideos(inner, spec)


def _if_there(inner: Any, method: str) -> None:
    if callable(found := getattr(inner, method, None)):
        found()


def _names(function: Callable[..., Any]) -> set[str]:
    parameters = inspect.signature(function).parameters.values()
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return {"seconds", "fps"}
    return {one.name for one in parameters}
