"""Trainings in several processes on the CPU."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path


def trained_by(
    processes: int, file: Path, out: Path, *more: str, command: str = "run"
) -> subprocess.CompletedProcess[str]:
    """Run an experiment in so many processes, as `accelerate launch` starts them; `train run`, or another command."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    alone = {**os.environ, "OMP_NUM_THREADS": "1"}
    base = alone | {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "ACCELERATE_USE_CPU": "true"}
    base |= {"WORLD_SIZE": str(processes), "LOCAL_WORLD_SIZE": str(processes)}
    words = [sys.executable, "-W", "ignore", "-m", "editscope", "train", command, str(file), "--out", str(out), *more]
    started = [
        subprocess.Popen(
            words,
            env=alone if processes == 1 else {**base, "RANK": str(rank), "LOCAL_RANK": str(rank)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(processes)
    ]
    ended = [(*one.communicate(timeout=300), one.returncode) for one in started]
    out_text, error_text, _ = ended[0]
    return subprocess.CompletedProcess(words, max(code for *_, code in ended), out_text, error_text)
