// SPDX-License-Identifier: Apache-2.0
// The environment's allocator for frameworks that allocate in Python, as they have no DLPack table.
#ifndef TVM_FFI_PYTHON_CORE_ALLOCATION_H_
#define TVM_FFI_PYTHON_CORE_ALLOCATION_H_

#include "lending/framework.h"

namespace tvm_ffi_core {

// Whose arguments the innermost call of this thread has: C gives an allocator no context.
extern thread_local const Framework* framework_that_allocates;

// A DLPackManagedTensorAllocator: on a device, the `allocate` of that framework; on the CPU the
// default allocator. Takes the GIL, see take_gil for noexcept.
int allocate_in_python(DLTensor* prototype, DLManagedTensorVersioned** out, void* error_context,
                       void (*set_error)(void* error_context, const char* kind,
                                         const char* message)) noexcept;

// A DLPackManagedTensorAllocator: whatever is the environment's.
int allocate_in_environment(DLTensor* prototype, DLManagedTensorVersioned** out,
                            void* error_context,
                            void (*set_error)(void* error_context, const char* kind,
                                              const char* message));

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_ALLOCATION_H_
