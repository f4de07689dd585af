"""LPIPS: how far the activations of a trained network are apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from pathlib import Path
from typing import Any

import numpy as np

from editscope.errors import BadInput, unknown
from editscope.images import Pixels
from editscope.scoring.classic.metric import ImagePair, Metric, MetricSettings, library, versions

NETWORKS = {"alex": "AlexNet_Weights", "vgg": "VGG16_Weights", "squeeze": "SqueezeNet1_1_Weights"}


class Lpips(Metric):
    """LPIPS of torchmetrics; ``lpips=vgg`` or ``lpips=squeeze`` takes another network than AlexNet."""

    name, label = "lpips", "LPIPS"
    higher_is_better = False
    libraries = ("torch", "torchmetrics", "torchvision")

    def load(self, settings: MetricSettings) -> None:
        """Load the network, whose weights must be here unless they may be downloaded."""
        self.network, self.device = settings.model or "alex", settings.device
        if self.network not in NETWORKS:
            raise unknown("LPIPS network", self.network, NETWORKS)
        _check_weights(self.network, settings.allow_download)
        similarity = library("torchmetrics.image.lpip")
        metric: Any = similarity.LearnedPerceptualImagePatchSimilarity(net_type=self.network, normalize=True)
        self._model = metric.to(self.device) if self.device else metric

    def made_with(self) -> Mapping[str, str]:
        """The network and the versions of its libraries."""
        return {"network": self.network, **versions(*self.libraries)}

    def measure_batch(self, pairs: Sequence[ImagePair]) -> list[float]:
        """The values to six digits, one pair at a time."""
        return [nan if pair.empty else self._distance(pair) for pair in pairs]

    def _distance(self, pair: ImagePair) -> float:
        with library("torch").no_grad():
            edit, reference = self._tensor(pair.filled()), self._tensor(pair.reference)
            value = float(self._model.net(edit, reference, normalize=True).squeeze())
        return round(value, 6)

    def _tensor(self, pixels: Pixels) -> Any:
        scaled = np.array(pixels, np.float32) / np.float32(255)
        values = library("torch").from_numpy(scaled).permute(2, 0, 1)[None]
        return values.to(self.device) if self.device else values


def _check_weights(network: str, allow_download: bool) -> None:
    """The network's weights are on this machine, or may be fetched."""
    url = str(getattr(library("torchvision.models"), NETWORKS[network]).DEFAULT.url)
    place = Path(library("torch").hub.get_dir()) / "checkpoints" / url.rpartition("/")[2]
    if not place.exists() and not allow_download:
        raise BadInput(f"the weights of LPIPS ({network}) are not in {place}; --allow-download fetches them from {url}")
