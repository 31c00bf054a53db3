# SPDX-License-Identifier: Apache-2.0
"""Shows what is raised when a source does not compile."""

import tvm_ffi.cpp

# [call.begin]
source = """
int add(int a, int b) {
  return a + c;
}
"""
try:
    tvm_ffi.cpp.load_inline("adder", cpp_sources=source, functions="add")
except tvm_ffi.cpp.CompileError as error:
    print(error.stderr)
# [call.end]
