// SPDX-License-Identifier: Apache-2.0
// The calls that were running when an error was thrown: kept as addresses, named when shown.
#ifndef TVM_FFI_SRC_BACKTRACE_H_
#define TVM_FFI_SRC_BACKTRACE_H_

#include <tvm/ffi/error.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

// Return addresses, the most recent call first.
struct CallStack {
  std::vector<void*> addresses;
  bool cross_ffi_boundary = false;
};

// Says that the code around a function is that of the host language's interpreter.
void SetHostCode(const void* function);

// Takes the calls behind the text that TVMFFIBacktrace last gave this thread, if it is that text.
CallStack TakeCallStack(const TVMFFIByteArray* text);

// The lines of a call stack. `throwing_line` is the text that TVMFFIBacktrace gave; the function
// that it names is not repeated.
std::string LinesOf(const CallStack& stack, std::string_view throwing_line);

// The whole backtrace of an error that this library made; nothing for one of another library.
std::optional<std::string> WholeBacktrace(const ErrorObj* error);

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_SRC_BACKTRACE_H_
