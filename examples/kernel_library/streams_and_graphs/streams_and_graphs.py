# SPDX-License-Identifier: Apache-2.0
"""Kernels on two streams, and in a CUDA graph. On a CPU the same calls run one after the other."""

import torch


# [two_streams.begin]
def on_two_streams(mod, x, workspace, y):
    """Sum on one stream and divide on another, each step after the one that it needs."""
    if x.device.type == "cpu":
        mod.partial_sums(x, workspace)
        mod.divide_by_sum(x, workspace, y)
        return
    caller = torch.cuda.current_stream(x.device)
    summing, dividing = (torch.cuda.Stream(x.device) for _ in range(2))
    summing.wait_stream(caller)  # The work that produces x may still be queued.
    with torch.cuda.stream(summing):
        mod.partial_sums(x, workspace)
        summed = summing.record_event()
    try:
        with torch.cuda.stream(dividing):
            dividing.wait_event(summed)
            mod.divide_by_sum(x, workspace, y)
    finally:  # The caller may read y next, or after an error free what is being summed.
        caller.wait_stream(dividing)


# [two_streams.end]


# [graph.begin]
class Normalizer:
    """Divides vectors of one size by their sums, as a graph that is captured once and replayed."""

    def __init__(self, mod, size, device):
        """Allocate what stays in place between replays, and capture."""
        self.x = torch.ones(size, device=device)
        self.y = torch.empty(size, device=device)
        self.workspace = torch.empty(mod.workspace_size(), device=device)
        mod.normalize(self.x, self.workspace, self.y)  # Loads the kernels: a capture must not.
        self.replay = lambda: mod.normalize(self.x, self.workspace, self.y)
        if self.x.device.type == "cuda":
            graph = torch.cuda.CUDAGraph()
            # Otherwise PyTorch captures a stream of the current GPU, missing kernels on another.
            with torch.cuda.graph(graph, stream=torch.cuda.Stream(self.x.device)):
                mod.partial_sums(self.x, self.workspace)
                mod.divide_by_sum(self.x, self.workspace, self.y)
            self.replay = graph.replay

    def __call__(self, x):
        """Give x divided by its sum; the next call writes over it."""
        self.x.copy_(x)
        self.replay()
        return self.y


# [graph.end]


# [explicit.begin]
class Lent:
    """A tensor of a framework that tells no stream: only its memory, by DLPack."""

    def __init__(self, tensor):
        """Keep the tensor."""
        self.tensor = tensor

    def __dlpack_device__(self):
        """Tell the device."""
        return self.tensor.__dlpack_device__()

    def __dlpack__(self, **options):
        """Hand the memory out as it is: whoever calls takes care of the order."""
        return self.tensor.__dlpack__(**{**options, "stream": -1})


# [explicit.end]
