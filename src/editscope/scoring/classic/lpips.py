"""LPIPS: how far the activations of a trained network are apart."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from editscope.errors import BadInput, unknown
from editscope.images import Pixels
from editscope.scoring.classic.registry import Comparison, Loaded, Settings, library, measure, versions

NETWORKS = {"alex": "AlexNet_Weights", "vgg": "VGG16_Weights", "squeeze": "SqueezeNet1_1_Weights"}


@measure("lpips", title="LPIPS", higher_is_better=False, libraries=("torch", "torchmetrics", "torchvision"))
def load_lpips(settings: Settings) -> Loaded:
    """LPIPS of torchmetrics; ``lpips=vgg`` or ``lpips=squeeze`` takes another network than AlexNet."""
    network = settings.model or "alex"
    if network not in NETWORKS:
        raise unknown("LPIPS network", network, NETWORKS)
    _check_weights(network, settings.allow_download)
    torch = library("torch")
    similarity = library("torchmetrics.image.lpip")
    metric: Any = similarity.LearnedPerceptualImagePatchSimilarity(net_type=network, normalize=True)
    metric = metric.to(settings.device) if settings.device else metric

    def tensor(pixels: Pixels) -> Any:
        values = torch.from_numpy(np.array(pixels, np.float32) / np.float32(255)).permute(2, 0, 1)[None]
        return values.to(settings.device) if settings.device else values

    def one(pair: Comparison) -> float:
        if pair.keep is not None and not pair.keep.any():
            return nan
        with torch.no_grad():
            value = float(metric.net(tensor(pair.filled()), tensor(pair.second), normalize=True).squeeze())
        return round(value, 6)

    def compare(batch: Sequence[Comparison]) -> list[float]:
        return [one(pair) for pair in batch]

    return Loaded(compare, {"network": network, **versions("torch", "torchmetrics", "torchvision")})


def _check_weights(network: str, allow_download: bool) -> None:
    """The network's weights are on this machine, or may be fetched."""
    url = str(getattr(library("torchvision.models"), NETWORKS[network]).DEFAULT.url)
    place = Path(library("torch").hub.get_dir()) / "checkpoints" / url.rpartition("/")[2]
    if not place.exists() and not allow_download:
        raise BadInput(f"the weights of LPIPS ({network}) are not in {place}; --allow-download fetches them from {url}")
