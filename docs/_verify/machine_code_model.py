# SPDX-License-Identifier: Apache-2.0
"""What a kernel's machine code allows on a GPU: its speed, as a share of the speed of a copy.

One step is what a thread does in one round of each loop over its data. Each time below is that of
one thread's step on one multiprocessor, in seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class GPU:
    """What NVIDIA publishes about a GPU."""

    architecture: str
    multiprocessors: int
    bandwidth: float  # of its memory, in bytes per second
    clock: float  # Hz


# Multiprocessor counts are from the architectures' whitepapers, bandwidths from the data sheets.
# Clocks: for the H100, the lower of the two boost clocks in its whitepaper, and the same for the
# H200, which has the same chip; for the A100, the boost clock in its whitepaper; and the base
# clock of the L4, whose 72 W may not allow more.
GPUS = {
    "H100": GPU("sm_90", 132, 3.35e12, 1.83e9),  # SXM
    "H200": GPU("sm_90", 132, 4.8e12, 1.83e9),  # SXM
    "A100": GPU("sm_80", 108, 2.039e12, 1.41e9),  # SXM, 80 GB
    "L4": GPU("sm_89", 58, 0.3e12, 0.795e9),
}
# Seconds from a load until its data arrive. Assumed: microbenchmarks measure 300 to 400 ns on idle
# memory, and busy memory takes longer.
LATENCY = 800e-9
# Threads for which a multiprocessor issues an instruction per clock cycle: its four schedulers
# each issue at most one, for 32 threads.
ISSUED = 128
# Threads for which a unit executes an instruction per clock cycle, from the table "Throughput
# of Native Arithmetic Instructions" in the CUDA C++ Best Practices Guide. A float16 instruction
# has two results. For conversions, this is the lowest number in the table for any of them.
EXECUTED = {
    "float32": {"sm_80": 64, "sm_89": 128, "sm_90": 128},
    "float16": {"sm_80": 64, "sm_89": 64, "sm_90": 128},
    "float64": {"sm_80": 32, "sm_89": 2, "sm_90": 64},
    "special": {"sm_80": 16, "sm_89": 16, "sm_90": 16},  # 1/x, 1/sqrt(x), log2, exp2, sin, cos
    "multiply": {"sm_80": 64, "sm_89": 64, "sm_90": 64},  # integers
    "integer": {"sm_80": 64, "sm_89": 64, "sm_90": 64},  # also comparisons of floats
    "convert": {"sm_80": 16, "sm_89": 16, "sm_90": 16},
    "convert64": {"sm_80": 16, "sm_89": 2, "sm_90": 16},  # from and to types of 64 bits
    "bits": {"sm_80": 16, "sm_89": 16, "sm_90": 16},
    "shuffle": {"sm_80": 32, "sm_89": 32, "sm_90": 32},
}


@dataclass(frozen=True)
class Step:
    """What a thread does in one round of each loop over its data."""

    loaded: int  # bytes from memory: of several loops over a row, only one loads it
    stored: int
    instructions: int
    waits: int  # how often the thread waits for loaded data
    units: Mapping[str, int] = field(default_factory=dict)  # instructions for each unit
    unknown: str = ""  # why nothing is known of it

    @property
    def per_16_bytes(self) -> float:
        """Instructions for each 16 bytes that memory must deliver or take."""
        return self.instructions * 16 / (self.loaded + self.stored)


def memory_time(gpu: GPU, moved: int) -> float:
    """Until the memory has delivered and taken a multiprocessor's share of so many bytes."""
    return moved / (gpu.bandwidth / gpu.multiprocessors)


def issue_time(gpu: GPU, instructions: int) -> float:
    """Until so many instructions have been issued."""
    return instructions / (ISSUED * gpu.clock)


def unit_time(gpu: GPU, unit: str, instructions: int) -> float:
    """Until a unit has executed so many instructions."""
    return instructions / (EXECUTED[unit][gpu.architecture] * gpu.clock)


def waiting_time(waits: int, resident: int) -> float:
    """Until the data have arrived so many times, while all resident threads wait together."""
    return waits * LATENCY / max(resident, 1)  # none if a block does not fit


def limits(gpu: GPU, step: Step, resident: int) -> dict[str, float]:
    """The speed that each limit allows, divided by that of a copy of as many bytes.

    ``resident`` is the number of threads that a multiprocessor holds. The limits are independent:
    instructions are issued while other threads wait.
    """
    times = {unit: unit_time(gpu, unit, count) for unit, count in step.units.items()}
    times["issue"] = issue_time(gpu, step.instructions)
    times["latency"] = waiting_time(step.waits, resident)
    moved = memory_time(gpu, step.loaded + step.stored)
    return {name: moved / time for name, time in times.items() if time}


def tightest(allowed: Mapping[str, float]) -> tuple[str, float]:
    """The limit that allows the least, and what it allows."""
    name = min(allowed, key=lambda limit: allowed[limit])
    return name, allowed[name]


def share(architecture: str, step: Step, resident: int) -> float:
    """The share of the copy's speed that all GPUs of an architecture are expected to reach.

    1 where there is no such GPU in the table, 0 if nothing is known of the step.
    """
    those = [gpu for gpu in GPUS.values() if gpu.architecture == architecture]
    if those and step.unknown:
        return 0.0
    return min([1.0, *(tightest(limits(gpu, step, resident))[1] for gpu in those)])
