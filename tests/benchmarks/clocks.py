# SPDX-License-Identifier: Apache-2.0
"""The clocks of the GPU while it works, in words: times at two clocks do not compare."""

from __future__ import annotations

import subprocess

import torch

ASKED = ("clocks.sm", "clocks.max.sm", "clocks.mem", "temperature.gpu", "power.draw")
BUSY = 2000  # launches that outlast nvidia-smi


def from_nvidia_smi(gpu: str) -> str:
    """Ask nvidia-smi; OSError or SubprocessError if that fails."""
    asked = f"--query-gpu={','.join(ASKED)}"
    command = ["nvidia-smi", f"--id={gpu}", asked, "--format=csv,noheader"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    answers = done.stdout.strip().split(", ")
    return ", ".join(f"{name} {answer}" for name, answer in zip(ASKED, answers, strict=True))


def keep_busy() -> None:
    """Queue work: a GPU that waits soon lowers its clocks."""
    work = torch.empty(1 << 26, device="cuda")
    for _ in range(BUSY):
        work.fill_(1)


def clocks() -> str:
    """Give the clocks of the GPU while it works, or "unknown" and why."""
    keep_busy()
    reasons = []
    try:
        return from_nvidia_smi(f"GPU-{torch.cuda.get_device_properties(0).uuid}")
    except (OSError, subprocess.SubprocessError, ValueError, AttributeError) as error:
        reasons.append(f"nvidia-smi: {error}")
    try:
        return f"clocks.sm {torch.cuda.clock_rate()} MHz"  # by NVML
    except Exception as error:  # of several kinds: no pynvml, no driver, no permission
        reasons.append(f"NVML: {error}")
    return f"unknown: {'; '.join(reasons)}"
