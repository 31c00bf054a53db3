// SPDX-License-Identifier: Apache-2.0
// Lets code that is linked to no library find the functions of the C ABI.
#ifndef TVM_FFI_PYTHON_CORE_GLOBAL_SYMBOLS_H_
#define TVM_FFI_PYTHON_CORE_GLOBAL_SYMBOLS_H_

namespace tvm_ffi_core {

// Adds what libtvm_ffi exports to the symbols that the whole process sees. A compiler that runs
// what it compiled, such as CuTe DSL, looks there for the functions that its code calls.
void make_symbols_global();

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_GLOBAL_SYMBOLS_H_
