# SPDX-License-Identifier: Apache-2.0
"""How the kernels' benchmark times a block of calls; each gives what times it once.

On a CPU the processor's time is taken. On a GPU its own events tell the time: of each call, with
the L2 cache emptied before it, if the data are larger than that cache; of a CUDA graph of many
calls if they are smaller, since Python takes longer to launch such a kernel than it takes to run.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable

import torch
from rows import LARGE, Row, large

Work = Callable[[], object]
Timed = Callable[[], float]  # runs a block and gives the seconds of one call
MOST_IN_A_GRAPH = 500


def processor(work: Work, times: int) -> Timed:
    """Time a block on a CPU."""

    def timed() -> float:
        begun = time.process_time()
        for _ in range(times):
            work()
        return (time.process_time() - begun) / times

    return timed


def between_events(work: Work, times: int = 1) -> float:
    """Give the seconds that a GPU takes for some calls."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(times):
        work()
    end.record()
    end.synchronize()
    return float(begin.elapsed_time(end)) / 1e3


def events(work: Work, times: int) -> Timed:
    """Time a block on a GPU as a whole, the time to launch it included."""
    return lambda: between_events(work, times) / times


@functools.cache
def emptied_by() -> tuple[torch.Tensor, torch.Tensor]:
    """Give a tensor that fills the L2 cache several times, and where its sum goes."""
    cache = int(torch.cuda.get_device_properties(0).L2_cache_size)
    filling = torch.zeros(max(LARGE, 4 * cache) // 4, device="cuda")
    return filling, torch.empty((), device="cuda")


def empty_cache() -> None:
    """Empty the L2 cache by reading: what was written would have to leave it in the time."""
    filling, total = emptied_by()
    torch.sum(filling, dim=0, out=total)


def graph(work: Work, times: int) -> Timed:
    """Capture a block in a CUDA graph, and time its replay."""
    times = min(times, MOST_IN_A_GRAPH)
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        for _ in range(times):
            work()

    def timed() -> float:
        # The next graph is launched while this one runs, so that the time includes no launch.
        captured.replay()
        return between_events(captured.replay) / times

    return timed


def flushed(work: Work, times: int) -> Timed:
    """Time each call of a block on a GPU, with the L2 cache emptied before it."""

    def timed() -> float:
        pairs = []
        for _ in range(times):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            empty_cache()  # takes longer than the launch of what follows
            begin.record()
            work()
            end.record()
            pairs.append((begin, end))
        torch.cuda.synchronize()
        return float(sum(begin.elapsed_time(end) for begin, end in pairs)) / 1e3 / times

    return timed


TIMERS = {
    "processor": processor,
    "events, L2 flushed": flushed,
    "graph": graph,
    "events": events,
}


def is_large(row: Row) -> bool:
    """Whether a row's data are larger than a GPU's cache."""
    return row.moved >= large()


def timer_of(row: Row, device: str) -> str:
    """Name the timer of a row; its copy and PyTorch's operator are timed likewise."""
    if device == "cpu":
        return "processor"
    if is_large(row):
        return "events, L2 flushed"
    return "graph" if row.captured else "events"
