// SPDX-License-Identifier: Apache-2.0
// The environment allocator for frameworks without a DLPack table, which allocate in Python.
#ifndef TVM_FFI_PYTHON_CORE_ALLOCATION_H_
#define TVM_FFI_PYTHON_CORE_ALLOCATION_H_

#include "lending/framework.h"

namespace tvm_ffi_core {

// The framework of this thread's innermost call: the C API passes an allocator no context.
extern thread_local const Framework* framework_that_allocates;

// A DLPackManagedTensorAllocator: that framework's `allocate` on a device, the default allocator
// on the CPU. Acquires the GIL; see take_gil for noexcept.
int allocate_in_python(DLTensor* prototype, DLManagedTensorVersioned** out, void* error_context,
                       void (*set_error)(void* error_context, const char* kind,
                                         const char* message)) noexcept;

// A DLPackManagedTensorAllocator that forwards to the environment's allocator.
int allocate_in_environment(DLTensor* prototype, DLManagedTensorVersioned** out,
                            void* error_context,
                            void (*set_error)(void* error_context, const char* kind,
                                              const char* message));

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_ALLOCATION_H_
