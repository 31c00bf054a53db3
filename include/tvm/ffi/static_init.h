// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/static_init.h
 * \brief A block of code that runs when its library is loaded.
 */
#ifndef TVM_FFI_STATIC_INIT_H_
#define TVM_FFI_STATIC_INIT_H_

#include <tvm/ffi/error.h>
#include <tvm/ffi/function_object.h>

#include <cstdio>
#include <optional>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

namespace detail {

// Passes an error in a static init block to the runtime, which then fails to load the library with
// that error. If the runtime does not support this, writes the error to stderr.
TVM_FFI_COLD inline void ReportStaticInitError() noexcept {
  const int code = RaiseCurrentException();
  TVMFFIObjectHandle raised = nullptr;
  if (code == -1) TVMFFIErrorMoveFromRaised(&raised);
  try {
    ObjectRef error(ObjectUnsafe::PtrFromOwned<Object>(raised));
    std::optional<Function> report = Function::GetGlobal("ffi.StaticInitFailed");
    if (report.has_value()) {
      (*report)(error);
    } else if (const auto* cell = error.as<ErrorObj>()) {
      std::fprintf(stderr, "TVM_FFI_STATIC_INIT_BLOCK: %s: %s\n", cell->kind.data,
                   cell->message.data);
    }
  } catch (...) {
    std::fputs("TVM_FFI_STATIC_INIT_BLOCK: an error that cannot be reported\n", stderr);
  }
}

inline bool RunStaticInit(void (*block)()) noexcept {
  try {
    block();
    return true;
  } catch (...) {
    ReportStaticInitError();
    return false;
  }
}

}  // namespace detail
}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

/*!
 * \brief A block of code that runs when the library is loaded: `TVM_FFI_STATIC_INIT_BLOCK() {...}`.
 *
 * For registrations, at namespace scope. If an error escapes the block, loading the library fails
 * with that error. In an executable, which nothing loads, and under the published runtime, the
 * error is written to stderr and the rest of the block is skipped.
 */
#define TVM_FFI_STATIC_INIT_BLOCK() TVM_FFI_STATIC_INIT_BLOCK_NUMBERED(__COUNTER__)
/*! \brief Lets the counter be expanded. */
#define TVM_FFI_STATIC_INIT_BLOCK_NUMBERED(number) TVM_FFI_STATIC_INIT_BLOCK_NAMED(number)
/*! \brief The expansion of TVM_FFI_STATIC_INIT_BLOCK. */
#define TVM_FFI_STATIC_INIT_BLOCK_NAMED(number)                          \
  static void tvm_ffi_static_init_##number();                            \
  [[maybe_unused]] static const bool tvm_ffi_static_init_done_##number = \
      ::tvm::ffi::detail::RunStaticInit(tvm_ffi_static_init_##number);   \
  static void tvm_ffi_static_init_##number()

#endif  // TVM_FFI_STATIC_INIT_H_
