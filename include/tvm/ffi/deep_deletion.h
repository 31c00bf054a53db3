// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/deep_deletion.h
 * \brief Keeps the end of a long chain of objects from overflowing the stack.
 *
 * Nothing in it is for users.
 */
#ifndef TVM_FFI_DEEP_DELETION_H_
#define TVM_FFI_DEEP_DELETION_H_

#include <tvm/ffi/attributes.h>
#include <tvm/ffi/c_api.h>

// As in object_memory.h: code that is not position-independent cannot ask whether it is there.
#if defined(__ELF__) && defined(__PIC__)
// Asked by the deleter of `object`, which was called with `flags`: whether the runtime takes the
// deletion over, as it does where the stack is running out. Only this runtime has the function.
extern "C" __attribute__((weak, visibility("default"))) int TVMFFIObjectDeleteLater(
    TVMFFIObjectHandle object, int flags);
#endif

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {
namespace detail {

// Whether the deleter of `object`, called with `flags`, has nothing left to do. The end of one
// object may end the next, and so on: each takes room on the stack.
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
