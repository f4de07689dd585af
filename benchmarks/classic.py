"""What classic measures cost for a picture of 1024 × 1024, against the library's own function."""

from __future__ import annotations

from typing import Any

import numpy as np

from editscope.images import Pixels, keep_freed_memory
from editscope.scoring.classic.pixelwise import ssim_map
from editscope.scoring.psnr import psnr
from measuring import least_cpu_s


def main() -> None:
    import torch
    from torchmetrics.functional.image import structural_similarity_index_measure

    keep_freed_memory()
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    first, second = (rng.integers(0, 256, (1024, 1024, 3), dtype=np.uint8) for _ in range(2))
    corner = first.copy()
    corner[100:200, 100:200] = 0

    def tensor(pixels: Pixels) -> Any:
        return torch.from_numpy(pixels.astype(np.float32) / 255).permute(2, 0, 1)[None].contiguous()

    def library() -> object:
        return structural_similarity_index_measure(
            tensor(first), tensor(second), data_range=1.0, return_full_image=True
        )

    base = least_cpu_s(library)
    print("CPU time for one comparison of 1024 × 1024 pixels\n")
    for name, work in (
        ("SSIM, every pixel differs", lambda: ssim_map(first, second)),
        ("SSIM, a corner differs", lambda: ssim_map(first, corner)),
    ):
        cost = least_cpu_s(work)
        print(f"  {name:<28}{cost:7.3f} s   torchmetrics {base:.3f} s ({base / cost:.1f}×)")
    print(f"  {'PSNR':<28}{least_cpu_s(lambda: psnr(first, second)):7.3f} s")


if __name__ == "__main__":
    main()
