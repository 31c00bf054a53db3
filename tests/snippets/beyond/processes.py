# SPDX-License-Identifier: Apache-2.0
"""Shares memory between processes of one machine, spawned or forked: python processes.py."""

# [shared.begin]
import sys

import torch
import torch.multiprocessing as processes
import tvm_ffi


def work(path: str, x: torch.Tensor, y: torch.Tensor) -> None:
    """Load the library in this process, and write into the memory of the other one."""
    tvm_ffi.load_module(path).relu_squared(x, y)


def main(path: str, method: str) -> None:
    """Have another process fill a tensor."""
    mod = tvm_ffi.load_module(path)
    x = torch.randn(1025, 257)
    y = torch.full_like(x, torch.nan).share_memory_()
    child = processes.get_context(method).Process(target=work, args=(path, x, y))
    child.start()
    child.join()
    expected = torch.empty_like(x)
    mod.relu_squared(x, expected)
    assert child.exitcode == 0
    assert torch.equal(y, expected)
    print("processes.py: the other process filled the tensor")


if __name__ == "__main__":  # a spawned process imports this file too
    main("./torch_op_cpu.so", sys.argv[1] if len(sys.argv) > 1 else "spawn")
# [shared.end]
