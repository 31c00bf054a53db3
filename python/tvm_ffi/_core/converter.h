// SPDX-License-Identifier: Apache-2.0
// How a Python type is packed as an argument, found once per type.
#ifndef TVM_FFI_PYTHON_CORE_CONVERTER_H_
#define TVM_FFI_PYTHON_CORE_CONVERTER_H_

#include "framework.h"

namespace tvm_ffi_core {

enum class Kind : uint8_t {
  kNone,
  kBool,
  kInt,
  kFloat,
  kStr,
  kBytes,
  kDtype,
  kDevice,
  kBuffer,  // bytearray
  kShape,
  kSequence,       // list, tuple
  kDict,           // dict
  kObject,         // tvm_ffi.Object and below, but what follows
  kContainer,      // tvm_ffi.Array, List, Map, Dict
  kTensor,         // tvm_ffi.Tensor
  kExchange,       // a tensor with a DLPack table
  kNdarray,        // numpy.ndarray, whose layout is known
  kDlpack,         // a tensor with __dlpack__
  kForeignDtype,   // a framework's dtype; `helper` gives (code, bits, lanes)
  kForeignDevice,  // a framework's device; `helper` gives (type, id)
  kForeignBool,    // a framework's bool scalar
  kIndex,          // anything with __index__
  kReal,           // anything with __float__
  kVoidPointer,    // ctypes.c_void_p
  kStandIn,        // an object whose method `helper` gives the value that is passed in its place
  kAddress,        // an object whose method `helper` gives an address
  kCudaStream,     // an object whose method `helper` gives (version, address)
  kException,      // becomes an error
  kCallable,
  kSet,      // refused
  kRefused,  // by a framework's adapter; `helper` is the reason
  kOpaque,   // carried through
};

struct Converter {
  PyTypeObject* type = nullptr;  // owned: a type that was an argument once is never forgotten
  Kind kind = Kind::kNone;
  Framework* framework = nullptr;
  PyObject* helper = nullptr;  // owned
};

inline bool is_foreign_tensor(Kind kind) {
  return kind == Kind::kExchange || kind == Kind::kNdarray || kind == Kind::kDlpack;
}

// Copies the converter of the type, which is learnt if it was never seen; 0, or -1 with a Python
// error when the adapter of its framework failed.
int find_converter(PyTypeObject* type, Converter* converter);

void bind_converter(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_CONVERTER_H_
