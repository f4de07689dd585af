"""Another kind of processor: libraries choose other code there, whose last bits may differ."""

from __future__ import annotations

OTHER_PROCESSOR = {
    "OPENBLAS_CORETYPE": "Nehalem",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX2_Usable,-FMA_Usable",
}
"""Environment of a process in which OpenBLAS and the C library use neither AVX2 nor fused multiplication."""
