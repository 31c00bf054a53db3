// SPDX-License-Identifier: Apache-2.0
// Places keyword arguments by parameter name.
#ifndef TVM_FFI_PYTHON_CORE_KEYWORDS_H_
#define TVM_FFI_PYTHON_CORE_KEYWORDS_H_

#include "objects/function_instance.h"

namespace tvm_ffi_core {

// Calls `function` with its arguments in order; `keywords` is a nonempty tuple of names whose
// values follow the `num_args` positional arguments.
PyObject* call_with_keywords(FunctionInstance* function, PyObject* const* args, Py_ssize_t num_args,
                             PyObject* keywords);

void bind_keywords(nb::module_& module);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_KEYWORDS_H_
