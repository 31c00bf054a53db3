# SPDX-License-Identifier: Apache-2.0
"""2**63 is passed as an extent, which has 64 bits."""

import tvm_ffi

print(tvm_ffi.Shape((2**63,)))
