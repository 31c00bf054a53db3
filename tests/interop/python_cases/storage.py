# SPDX-License-Identifier: Apache-2.0
"""The store of values by key."""

from .case import case


@case
def store(makers, checkers):
    """A value that one library stores by a key, found by another library."""
    makers.functions.global_function("ffi.StorageSet")("interop.add", makers.functions.adder(30))
    found = checkers.functions.global_function("ffi.StorageGet")("interop.add")
    assert checkers.functions.call_with(found, 4) == 34
    assert makers.functions.global_function("ffi.StorageErase")("interop.add")
    assert checkers.functions.global_function("ffi.StorageGet")("interop.add") is None
