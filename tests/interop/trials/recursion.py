# SPDX-License-Identifier: Apache-2.0
"""Python calls C++, which calls Python, and so on without an end."""

import tvm_ffi

function = tvm_ffi.convert(lambda itself: itself(itself))
function(function)
