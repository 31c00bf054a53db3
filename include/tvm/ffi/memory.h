// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/memory.h
 * \brief The header that other libraries include for make_object and make_arc.
 */
#ifndef TVM_FFI_MEMORY_H_
#define TVM_FFI_MEMORY_H_

#include <tvm/ffi/arc.h>
#include <tvm/ffi/make_object.h>
#include <tvm/ffi/object.h>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief The deleter of an object; `flags` are bits of TVMFFIObjectDeleterFlagBitMask. */
using FObjectDeleter = void (*)(void* object, int flags);

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_MEMORY_H_
