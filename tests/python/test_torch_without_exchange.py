# SPDX-License-Identifier: Apache-2.0
# Rows: R3
"""Without its exchange API, PyTorch is used through ``__dlpack__``, with the same results."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from .conftest import needs_torch

CODE = """
import torch
del torch.Tensor.__dlpack_c_exchange_api__
import tvm_ffi
functions = tvm_ffi.load_module(LIBRARY)
assert tvm_ffi.frameworks.recognize(torch.Tensor)[0] == "dlpack"

x = torch.zeros(3)
functions.increment(x)
assert x.tolist() == [1, 1, 1]
back = functions.echo(x)
assert type(back) is torch.Tensor and back.data_ptr() == x.data_ptr()
assert type(functions.allocate(x, 2, 3)) is torch.Tensor

parameter = torch.nn.Parameter(torch.zeros(3))
functions.increment(parameter)
assert parameter.tolist() == [1, 1, 1]

for lazy, remedy in ((torch._neg_view(x), "resolve_neg"), (x.cfloat().conj(), "resolve_conj")):
    try:
        functions.nop(lazy)
    except ValueError as error:
        assert f"nop: argument 0 (Tensor): " in str(error) and f"pass x.{remedy}()" in str(error)
    else:
        raise AssertionError(remedy)
"""


@needs_torch
def test_without_the_exchange_api(library: Path) -> None:
    """Arguments, results, gradients and refusals are the same as with the exchange API."""
    code = f"LIBRARY = {str(library)!r}\n{CODE}"
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
