// SPDX-License-Identifier: Apache-2.0
// The call stack of a thrown error: stored as addresses, resolved to names when shown.
#ifndef TVM_FFI_SRC_BACKTRACE_H_
#define TVM_FFI_SRC_BACKTRACE_H_

#include <tvm/ffi/error.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

// One entry of a backtrace.
struct Frame {
  std::string file;
  int line = 0;  // 0 if unknown
  std::string function;
};

// The parts of a text returned by TVMFFIBacktrace.
struct CallStack {
  std::vector<void*> addresses;  // return addresses, the most recent call first
  bool cross_ffi_boundary = false;
  // Whether the text is one line, for the location below, rather than the calls themselves.
  bool has_place = false;
  size_t file_size = 0, function_size = 0;
  int line = 0;
};

// Marks the code around a function as that of the host language's interpreter.
void SetHostCode(const void* function);

// Takes the calls of `text` if it is the last one that TVMFFIBacktrace returned on this thread.
std::optional<CallStack> TakeCallStack(const TVMFFIByteArray* text);

// The entries of the text and of its calls.
std::vector<Frame> FramesOf(const CallStack& stack, std::string_view text);

// The lines of the calls that the text omits.
std::string LinesBehind(const CallStack& stack, std::string_view text);

// The entries in lines of the form `  File "f.cc", line 3, in g`; other lines are skipped. For a
// text about which nothing else is known: a name that contains a newline or `", line ` is parsed
// incorrectly.
std::vector<Frame> FramesIn(std::string_view text);

// The full backtrace of an error created by this library; nullopt for any other error.
std::optional<std::string> WholeBacktrace(const ErrorObj* error);

// Its entries, starting at byte `begin` of the cell's text.
std::optional<std::vector<Frame>> Frames(const ErrorObj* error, size_t begin);

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_SRC_BACKTRACE_H_
