# SPDX-License-Identifier: Apache-2.0
"""The __class__ of an Array is set to Map, and a key is looked up."""

import tvm_ffi

array = tvm_ffi.Array([1, 2, 3])
array.__class__ = tvm_ffi.Map
print(array["key"])
