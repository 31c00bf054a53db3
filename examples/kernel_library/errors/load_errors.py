# SPDX-License-Identifier: Apache-2.0
"""Loads the errors library and meets each kind of error: python load_errors.py [cpu|cuda]."""

# [load.begin]
import sys

import torch
import tvm_ffi

device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
mod = tvm_ffi.load_module(f"./errors_{device}.so")
# [load.end]

# [call.begin]
x = torch.ones(3, 4, device=device)
keep = torch.tensor([True, False, True], device=device)
y = torch.empty(3, device=device)
mod.first_column(x, keep, y)
assert y.tolist() == [1, 0, 1]

try:
    mod.first_column(x.int(), keep, y)
except TypeError as error:
    print(error)
# [call.end]


def fails(cls, function, *arguments):
    """Call, and check the class of what is raised."""
    raised = None
    try:
        function(*arguments)
    except Exception as error:
        raised = error
    assert isinstance(raised, cls), f"expected {cls.__name__}, got {raised!r}"
    return raised


fails(ValueError, mod.first_column, x, keep, y[:2])
fails(ValueError, mod.split_evenly, 10, 0)
fails(ValueError, mod.split_evenly, 10, 3)
fails(IndexError, mod.compare, 2, 1, "<")
fails(RuntimeError, mod.half_of, 3)  # an InternalError, which is a RuntimeError
fails(ValueError, mod.first_of, None)
fails(RuntimeError, mod.byte_at, "abc", 5)
fails(ValueError, mod.dtype_named, "nonsense")


# [kind.begin]
class WorkspaceTooSmall(ValueError):
    """The kernel needs a larger workspace."""


tvm_ffi.register_error("WorkspaceTooSmall", WorkspaceTooSmall)
# [kind.end]
error = fails(WorkspaceTooSmall, mod.reserve, 1024, 512)
assert str(error) == "reserve: workspace must hold 1024 bytes, got 512"


def no_row(row):
    """Fail as a callback may."""
    raise KeyError(row)


fails(RuntimeError, mod.for_each_row, 3, no_row)
if device == "cuda":
    fails(RuntimeError, mod.launch, 0, 2048)
print(f"errors_{device}.so raises what it should")
