// SPDX-License-Identifier: Apache-2.0
// Lets code that is not linked against any library find the C ABI functions.
#ifndef TVM_FFI_PYTHON_CORE_GLOBAL_SYMBOLS_H_
#define TVM_FFI_PYTHON_CORE_GLOBAL_SYMBOLS_H_

namespace tvm_ffi_core {

// Makes libtvm_ffi's exported symbols visible to the whole process. A JIT compiler such as
// CuTe DSL looks up the functions that its code calls there.
void make_symbols_global();

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_GLOBAL_SYMBOLS_H_
