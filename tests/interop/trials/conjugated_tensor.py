# SPDX-License-Identifier: Apache-2.0
"""PyTorch's lazy conjugate of 1+2j is passed to a function, which reads it."""

import torch
import tvm_ffi

function = tvm_ffi.convert(lambda x: print(torch.from_dlpack(x).item()))
function(torch.tensor([1 + 2j]).conj())
