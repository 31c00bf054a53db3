// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/keep_library.h
 * \brief Keeps a library loaded while an object needs its code.
 *
 * Internal; not for users.
 */
#ifndef TVM_FFI_KEEP_LIBRARY_H_
#define TVM_FFI_KEEP_LIBRARY_H_

#include <tvm/ffi/object.h>

#ifndef _WIN32
#include <dlfcn.h>
#endif

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace detail {

// Whether the runtime is known to keep the library that contains an address loaded.
TVM_FFI_COLD inline bool StaysLoaded(const void* address) {
  constexpr TVMFFIByteArray kName{"ffi.StaysLoaded", 15};
  TVMFFIObjectHandle function = nullptr;
  if (TVMFFIFunctionGetGlobal(&kName, &function) != 0 || function == nullptr) return false;
  TVMFFIAny argument{}, result{};
  argument.type_index = kTVMFFIOpaquePtr;
  argument.v_ptr = const_cast<void*>(address);
  const int code = TVMFFIFunctionCall(function, &argument, 1, &result);
  TVMFFIObjectDecRef(function);
  return code == 0 && result.type_index == kTVMFFIBool && result.v_int64 != 0;
}

TVM_FFI_COLD inline void KeepThisLibrary() {
#ifndef _WIN32
  static const char address = 0;  // any address in this library
  // The loader may hang or end the process in a forked child.
  if (StaysLoaded(&address)) return;
  Dl_info info;
  if (dladdr(&address, &info) == 0) return;
  void* handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  if (handle != nullptr) dlclose(handle);
#endif
}

// Keeps the library that contains this code loaded until the process exits, because its code calls
// or frees the objects that it creates. Once per library: a reference per object would cost more
// than the object.
inline void KeepLibrary() {
  // Not an initialiser, which might stay locked in a forked child; running twice is harmless.
  static bool kept = false;
  if (__atomic_load_n(&kept, __ATOMIC_ACQUIRE)) return;
  KeepThisLibrary();
  __atomic_store_n(&kept, true, __ATOMIC_RELEASE);
}

}  // namespace detail
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_KEEP_LIBRARY_H_
