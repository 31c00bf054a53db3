# SPDX-License-Identifier: Apache-2.0
"""The stream table."""

import tvm_ffi

from .case import case


@case
def streams_of_libraries(makers, checkers):
    """A stream that one library sets is the one that another library gets."""
    assert makers.values.set_stream(2, 5, 0x1230) == 0
    assert checkers.values.get_stream(2, 5) == 0x1230
    assert checkers.values.get_stream(2, 6) == 0
    assert checkers.values.set_stream(2, 5, 0) == 0x1230
    assert makers.values.get_stream(2, 5) == 0


@case
def streams_of_python(makers, checkers):
    """A stream that Python sets for a while is the one that a library gets."""
    device = tvm_ffi.device("cuda:1")
    with tvm_ffi.use_raw_stream(device, 0x4560):
        assert makers.values.get_stream(2, 1) == 0x4560
        assert int(tvm_ffi.get_raw_stream(device)) == 0x4560
        with tvm_ffi.use_raw_stream(device, 0x7890):
            assert checkers.values.get_stream(2, 1) == 0x7890
        assert checkers.values.get_stream(2, 1) == 0x4560
    assert makers.values.get_stream(2, 1) == 0
