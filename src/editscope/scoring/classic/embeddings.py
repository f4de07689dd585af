"""CLIP and DINO similarity: how alike two pictures look to a model that describes pictures with a vector."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import nan
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from editscope.errors import BadInput
from editscope.images import Pixels
from editscope.scoring.classic.metric import ImagePair, Metric, MetricSettings, library, versions

Vectors: TypeAlias = "npt.NDArray[np.float64]"
BATCH = 32
LIBRARIES = ("torch", "transformers")


def cosine(first: Vectors, second: Vectors) -> Vectors:
    """The cosine of the angle between the rows of two matrices: a·b / (|a| |b|).

    >>> cosine(np.array([[3.0, 4.0]]), np.array([[4.0, 3.0]])).tolist()
    [0.96]
    """
    lengths = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    return np.asarray((first * second).sum(axis=1) / np.maximum(lengths, 1e-12))


class _Embedding(Metric):
    """Cosine of the vectors with which a model describes two pictures."""

    libraries = LIBRARIES
    needs_model = True

    def load(self, settings: MetricSettings) -> None:
        """Load the model and its image processor."""
        self._given, self.device = settings.model, settings.device or "cpu"
        model, self._processor = _open(settings, self.name)
        self._model = model.eval().to(self.device)

    def made_with(self) -> Mapping[str, str]:
        """The model, its class, a hash of its weights, and the versions of its libraries."""
        model = {"model": self._given, "class": type(self._model).__name__, "weights": _digest(self._model)}
        return model | versions(*LIBRARIES)

    def measure_batch(self, pairs: Sequence[ImagePair]) -> list[float]:
        """The values to six digits."""
        values = [nan] * len(pairs)
        places = [i for i, pair in enumerate(pairs) if not pair.empty]
        if places:
            seen = self._vectors([side for i in places for side in (pairs[i].filled(), pairs[i].reference)])
            for i, value in zip(places, cosine(seen[0::2], seen[1::2]).tolist(), strict=True):
                values[i] = round(value, 6)
        return values

    def _vectors(self, pictures: Sequence[Pixels]) -> Vectors:
        vectors = []
        for start in range(0, len(pictures), BATCH):
            inputs = self._processor(images=list(pictures[start : start + BATCH]), return_tensors="pt")
            with library("torch").no_grad():
                out = self._embedded(inputs["pixel_values"].to(self.device))
            vectors.append(out.double().cpu().numpy())
        return np.concatenate(vectors)

    def _embedded(self, pixel_values: Any) -> Any:
        raise NotImplementedError


class Clip(_Embedding):
    """Cosine of the image embeddings of CLIP, SigLIP or any model of that kind."""

    name, label = "clip", "CLIP similarity"

    def _embedded(self, pixel_values: Any) -> Any:
        """The embedding in the space that pictures share with text."""
        model = self._model
        has_joint = hasattr(model, "get_image_features")
        out = model.get_image_features(pixel_values=pixel_values) if has_joint else model(pixel_values=pixel_values)
        for field in ("image_embeds", "pooler_output"):
            if getattr(out, field, None) is not None:
                return getattr(out, field)
        return out


class TextPictureModel:
    """A model of CLIP's kind that puts texts and pictures into one space; vectors have the length 1."""

    def __init__(self, model: str, device: str = "cpu") -> None:
        settings = MetricSettings(model=model, device=device)
        self._clip = Clip()
        try:
            self._clip.load(settings)
            self._tokenizer = library("transformers").AutoTokenizer.from_pretrained(model, local_files_only=True)
        except ImportError as error:
            raise BadInput(f"the model {model!r} needs more ({error}): pip install 'editscope[local]'") from error
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split()).split(". ")[0]
            raise BadInput(f"model {model!r} has no tokenizer ({reason}); give a folder that has one") from error

    def pictures(self, pictures: Sequence[Pixels]) -> Vectors:
        """A row for each picture."""
        return _unit(self._clip._vectors(pictures))

    def texts(self, texts: Sequence[str]) -> Vectors:
        """A row for each text."""
        model = self._clip._model
        whole = str(getattr(model.config, "model_type", "")).startswith("siglip")
        rows = []
        for start in range(0, len(texts), BATCH):
            padding = "max_length" if whole else True
            inputs = self._tokenizer(
                list(texts[start : start + BATCH]), padding=padding, truncation=True, return_tensors="pt"
            )
            known = {name: inputs[name] for name in ("input_ids", "attention_mask") if name in inputs}
            with library("torch").no_grad():
                out = model.get_text_features(**known)
            for field in ("text_embeds", "pooler_output"):
                out = getattr(out, field, None) if getattr(out, field, None) is not None else out
            rows.append(out.double().cpu().numpy())
        return _unit(np.concatenate(rows))


def _unit(vectors: Vectors) -> Vectors:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12))


class Dino(_Embedding):
    """Cosine of the class tokens of DINO, DINOv2 or another vision transformer."""

    name, label = "dino", "DINO similarity"

    def _embedded(self, pixel_values: Any) -> Any:
        """The class token."""
        return self._model(pixel_values=pixel_values).last_hidden_state[:, 0]


def _open(settings: MetricSettings, name: str) -> tuple[Any, Any]:
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
        message = " ".join(str(error).split()).split(". ")[0]
        fix = "give a folder with the model, or --allow-download" if local else "check its name"
        raise BadInput(f"model {settings.model!r} of measure {name} cannot be loaded ({message}); {fix}") from error
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


def _digest(model: Any) -> str:
    """A hash of the weights, the same wherever they were read from."""
    import xxhash

    hasher = xxhash.xxh3_64()
    for key, tensor in sorted(model.state_dict().items()):
        hasher.update(key.encode())
        hasher.update(np.ascontiguousarray(tensor.detach().float().cpu().numpy()).data)
    return hasher.hexdigest()
