// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/deep_deletion.h
 * \brief Keeps the destruction of a long chain of objects from overflowing the stack.
 *
 * Internal; not for users.
 */
#ifndef TVM_FFI_DEEP_DELETION_H_
#define TVM_FFI_DEEP_DELETION_H_

#include <tvm/ffi/attributes.h>
#include <tvm/ffi/c_api.h>

// As in object_memory.h: position-dependent code cannot test whether the symbol is present.
#if defined(__ELF__) && defined(__PIC__)
// Called by the deleter of `object` with its own `flags`. Returns whether the runtime takes over
// the deletion, as it does when the stack is nearly exhausted. Only this runtime has the function.
extern "C" __attribute__((weak, visibility("default"))) int TVMFFIObjectDeleteLater(
    TVMFFIObjectHandle object, int flags);
#endif

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {
namespace detail {

// Whether the deleter of `object`, called with `flags`, has nothing left to do. Destroying one
// object may destroy the next, and so on; each level takes stack space.
inline bool IsDeletedLater([[maybe_unused]] void* object, [[maybe_unused]] int flags) {
#if defined(__ELF__) && defined(__PIC__)
  return &TVMFFIObjectDeleteLater != nullptr && TVMFFIObjectDeleteLater(object, flags) != 0;
#else
  return false;
#endif
}

}  // namespace detail
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_DEEP_DELETION_H_
