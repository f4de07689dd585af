"""CLIP and DINO: how alike two pictures look to a model that describes pictures with a vector."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import nan
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from editscope.errors import BadInput
from editscope.images import Pixels
from editscope.scoring.classic.registry import Comparison, Loaded, Settings, library, measure, versions

Vectors: TypeAlias = "npt.NDArray[np.float64]"
BATCH = 32
LIBRARIES = ("torch", "transformers")


@measure("clip", title="CLIP similarity", libraries=LIBRARIES, needs_model=True)
def load_clip(settings: Settings) -> Loaded:
    """Cosine of the image embeddings of CLIP, SigLIP or any model of that kind."""
    return _load(settings, "clip", joint=True)


@measure("dino", title="DINO similarity", libraries=LIBRARIES, needs_model=True)
def load_dino(settings: Settings) -> Loaded:
    """Cosine of the class tokens of DINO, DINOv2 or another vision transformer."""
    return _load(settings, "dino", joint=False)


def cosine(first: Vectors, second: Vectors) -> Vectors:
    """The cosine of the angle between the rows of two matrices: a·b / (|a| |b|).

    >>> cosine(np.array([[3.0, 4.0]]), np.array([[4.0, 3.0]])).tolist()
    [0.96]
    """
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    return np.asarray((first * second).sum(axis=1) / np.maximum(lengths, 1e-12))


def _load(settings: Settings, name: str, *, joint: bool) -> Loaded:
    torch = library("torch")
    model, processor = _open(settings, name)
    device = settings.device or "cpu"
    model = model.eval().to(device)

    def vectors(pictures: Sequence[Pixels]) -> Vectors:
        found = []
        for start in range(0, len(pictures), BATCH):
            inputs = processor(images=list(pictures[start : start + BATCH]), return_tensors="pt")
            with torch.no_grad():
                out = _joint(model, inputs["pixel_values"].to(device)) if joint else _class_token(model, inputs, device)
            found.append(out.double().cpu().numpy())
        return np.concatenate(found)

    def compare(batch: Sequence[Comparison]) -> list[float]:
        values = [nan] * len(batch)
        places = [i for i, pair in enumerate(batch) if pair.keep is None or pair.keep.any()]
        if places:
            seen = vectors([side for i in places for side in (batch[i].filled(), batch[i].second)])
            for i, value in zip(places, cosine(seen[0::2], seen[1::2]).tolist(), strict=True):
                values[i] = round(value, 6)
        return values

    made_with = {"model": settings.model, "class": type(model).__name__, "weights": _digest(model)}
    return Loaded(compare, made_with | versions(*LIBRARIES))


def _open(settings: Settings, name: str) -> tuple[Any, Any]:
    """Model and image processor from a folder or from what was downloaded before; from the hub only if allowed."""
    transformers = library("transformers")
    local = not settings.allow_download
    # Of several implementations the one with Pillow: the same pixels whether torchvision is there or not.
    pillow = {"use_fast": False} if transformers.__version__.startswith("4.") else {"backend": "pil"}
    try:
        with _no_bars(transformers.utils.logging):
            processor = transformers.AutoImageProcessor.from_pretrained(
                settings.model, local_files_only=local, **pillow
            )
            model = transformers.AutoModel.from_pretrained(settings.model, local_files_only=local)
    except (OSError, ValueError, ImportError) as error:
        said = " ".join(str(error).split()).split(". ")[0]
        fix = "give a folder with the model, or --allow-download" if local else "check its name"
        raise BadInput(f"model {settings.model!r} of measure {name} cannot be loaded ({said}); {fix}") from error
    return model, processor


@contextmanager
def _no_bars(logging: Any) -> Iterator[None]:
    """Without the library's own progress bars, which would tear ours."""
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()


def _joint(model: Any, pixel_values: Any) -> Any:
    """The embedding of pictures in the space that they share with text."""
    if hasattr(model, "get_image_features"):
        found = model.get_image_features(pixel_values=pixel_values)
    else:
        found = model(pixel_values=pixel_values)
    for field in ("image_embeds", "pooler_output"):
        if getattr(found, field, None) is not None:
            return getattr(found, field)
    return found


def _class_token(model: Any, inputs: Any, device: str) -> Any:
    return model(pixel_values=inputs["pixel_values"].to(device)).last_hidden_state[:, 0]


def _digest(model: Any) -> str:
    """A hash of the weights, the same wherever they were read from."""
    import xxhash

    hasher = xxhash.xxh3_64()
    for key, tensor in sorted(model.state_dict().items()):
        hasher.update(key.encode())
        hasher.update(np.ascontiguousarray(tensor.detach().float().cpu().numpy()).data)
    return hasher.hexdigest()
